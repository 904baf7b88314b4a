"""Views are built from what was shown, and nothing else leaks (schemas/README.md §3.1)."""

from __future__ import annotations

import json

import pytest

from pbem.game import PUBLIC, Decision, NotHeld, Seat, Terminal
from tests.conformance.driver import (
    Case,
    late_cases,
    moments,
    option_cases,
    played,
    profile_cases,
    states,
    whole_cases,
)
from tests.conformance.keyed import Keyed
from tests.conformance.resample import resampled, viewers
from tests.conformance.test_transitions import action_pool
from tests.conformance.verdict import by_apply, compact, faults_of_form

ALL = pytest.mark.parametrize("case", [*profile_cases(), *option_cases(), *late_cases()], ids=str)
PROFILES = pytest.mark.parametrize("case", profile_cases(), ids=str)


WHOLE = pytest.mark.parametrize("case", whole_cases(), ids=str)


@pytest.mark.slow
@WHOLE
def test_a_seat_folds_its_packets_from_the_first_record_to_the_last(case: Case) -> None:
    test_a_seat_that_folds_its_packets_sees_what_the_engine_would_show_it(case)
    rules = case.rules()
    assert isinstance(rules.node(played(case)[-1].state), Terminal)


@ALL
def test_a_seat_that_folds_its_packets_sees_what_the_engine_would_show_it(case: Case) -> None:
    rules = case.rules()
    own = {seat: rules.knowledge(seat) for seat in rules.setup.seats}
    for record in played(case):
        steps = json.loads(json.dumps(record.steps))
        assert faults_of_form(steps) == []
        public = rules.public_from_json(
            json.loads(json.dumps(rules.view_to_json(rules.observe(record.state, PUBLIC))))
        )
        for seat in rules.setup.seats:
            body = json.loads(json.dumps(record.body(seat)))
            own[seat] = rules.learn(own[seat], steps, body)
            built = rules.view_of(public, own[seat])
            seen = rules.observe(record.state, seat)
            assert rules.view_to_json(built) == rules.view_to_json(seen), (seat, steps)
            assert built == seen
            assert rules.legal_actions(built) == rules.legal_actions(seen)


@ALL
def test_a_state_imagined_from_a_view_agrees_with_it(case: Case) -> None:
    rules = case.rules()
    for state in states(case)[::3]:
        node = rules.node(state)
        if not isinstance(node, Decision):
            continue
        for seat in rules.setup.seats:
            view = rules.observe(state, seat)
            imagined = rules.imagine(view)
            assert rules.observe(imagined, seat) == view
            assert rules.node(imagined) == node
        view = rules.observe(state, node.seat)
        for action in rules.legal_actions(view)[:10]:
            rules.apply(rules.imagine(view), action)


@ALL
def test_dealing_again_what_a_viewer_cannot_see_changes_nothing_for_that_viewer(case: Case) -> None:
    rules = case.rules()
    keyed = Keyed(f"again {case}")
    pool = action_pool(case)
    for moment in moments(case)[::4]:
        for viewer in viewers(rules):
            other = resampled(case.game_id, rules, moment.state, viewer, keyed)
            if other is None:
                continue
            mine, theirs = rules.observe(moment.state, viewer), rules.observe(other, viewer)
            assert compact(rules.view_to_json(mine)) == compact(rules.view_to_json(theirs))
            assert mine == theirs
            assert rules.legal_actions(mine) == rules.legal_actions(theirs)
            if viewer == moment.seat:
                for spelled in [*keyed.few(pool, 15), rules.action_to_json(moment.action)]:
                    action = rules.action_from_json(spelled, bulk=True)
                    assert by_apply(rules, moment.state, action) == by_apply(rules, other, action), spelled


@PROFILES
def test_some_of_these_states_really_do_differ(case: Case) -> None:
    rules = case.rules()
    keyed = Keyed(f"differ {case}")
    dealt = [resampled(case.game_id, rules, moment.state, PUBLIC, keyed) for moment in moments(case)]
    changed = [new is not None and new != old.state for new, old in zip(dealt, moments(case), strict=True)]
    assert (sum(changed) > len(changed) // 3) == rules.has_secrets


@ALL
def test_no_view_of_another_seat_holds_an_action_and_no_public_view_a_hand(case: Case) -> None:
    rules = case.rules()
    if "hands" not in rules.view_to_json(rules.observe(rules.initial_state(), PUBLIC)):
        return
    for state in states(case)[::4]:
        for viewer in viewers(rules):
            shown = rules.view_to_json(rules.observe(state, viewer))
            for seat, hand in shown["hands"].items():
                assert isinstance(hand, list) == (seat == viewer)
                if isinstance(hand, list):
                    assert hand == sorted(hand)


@PROFILES
def test_a_card_that_was_never_dealt_is_noticed_when_it_is_played(case: Case) -> None:
    """The fold of a seat whose packets were emptied must not drop what it then plays."""
    rules = case.rules()
    if not case.game().info.decks:
        assert all(not body for record in played(case) for body in record.draws.values())
        return
    noticed = 0
    for seat in rules.setup.seats:
        noticed += not folds_without_draws(case, seat)
    assert noticed


def folds_without_draws(case: Case, seat: Seat) -> bool:
    rules = case.rules()
    own = rules.knowledge(seat)
    deck = next(iter(case.game().info.decks.values()))
    for record in played(case):
        body = record.body(seat)
        lied = [{**draw, "card": deck[0]} for draw in body["draws"]]
        try:
            own = rules.learn(own, record.steps, {**body, "draws": lied})
        except NotHeld:
            return False
    return True


@ALL
def test_packets_have_the_size_that_public_facts_give_and_hold_what_they_must(case: Case) -> None:
    rules = case.rules()
    for record in played(case):
        most = max((len(draws) for draws in record.draws.values()), default=0)
        size = rules.packet_size(most, rules.shown(record.steps))
        assert (size is not None) == rules.has_secrets
        packets = [*record.draws.values(), *record.facts.values()]
        if size is None:
            assert not any(packets)
            continue
        assert size % 512 == 0
        for seat in rules.setup.seats:
            plain = compact({"salt": "A" * 22, "body": record.body(seat)})
            assert len(plain) + 1 <= size, plain
