"""Transitions are pure: the same answer twice, the old state as it was, every refusal without a trace."""

from __future__ import annotations

import itertools
import json

import pytest

from pbem.game import (
    FULL,
    PUBLIC,
    AnyRules,
    BadSetup,
    Chance,
    Decision,
    IllegalAction,
    Json,
    JsonObject,
    MalformedAction,
    Roll,
    Seat,
    Setup,
    Shuffle,
    Terminal,
)
from tests.conformance.driver import Case, late_cases, moments, option_cases, played, profile_cases, states
from tests.conformance.keyed import Keyed
from tests.conformance.resample import viewers
from tests.conformance.variants import wishes
from tests.conformance.verdict import by_apply, by_check, compact, draw_of, faults_of_form, nulls

ALL = pytest.mark.parametrize("case", [*profile_cases(), *option_cases(), *late_cases()], ids=str)
PROFILES = pytest.mark.parametrize("case", profile_cases(), ids=str)


@ALL
def test_a_node_follows_every_step_and_spans_never_fall(case: Case) -> None:
    rules = case.rules()
    before = 1
    for state in states(case):
        node = rules.node(state)
        assert isinstance(node, Decision | Chance | Terminal)
        if isinstance(node, Decision):
            assert node.seat in rules.setup.seats
        if isinstance(node, Chance):
            check_draw(case, node.draw)
        assert rules.span(state) >= before
        before = rules.span(state)


def check_draw(case: Case, draw: Shuffle | Roll) -> None:
    info = case.game().info
    assert draw.label
    if isinstance(draw, Shuffle):
        whole = list(info.decks[draw.deck])
        assert list(draw.cards) == sorted(draw.cards, key=str.encode)
        assert not [card for card in draw.cards if draw.cards.count(card) > whole.count(card)]
    else:
        assert draw.tape in info.tapes
        assert draw.sides
        assert min(draw.sides) >= 2


@PROFILES
def test_an_outcome_that_does_not_fit_is_a_value_error(case: Case) -> None:
    rules = case.rules()
    state = rules.initial_state()
    draw = draw_of(rules, state)
    if isinstance(draw, Shuffle):
        count = len(draw.cards)
        wrong = [(), tuple(range(count - 1)), (0,) * count, tuple(range(1, count + 1))]
    else:
        assert isinstance(draw, Roll)
        wrong = [(), (0,) * len(draw.sides), tuple(sides + 1 for sides in draw.sides), (1,) * 9]
    for outcome in wrong:
        with pytest.raises(ValueError, match=r".+"):
            rules.resolve(state, outcome)


@ALL
def test_the_same_action_twice_gives_the_same_step_and_leaves_the_old_state_alone(case: Case) -> None:
    rules = case.rules()
    for moment in moments(case)[::2]:
        before = compact(rules.position_to_json(moment.state))
        again = rules.apply(moment.state, moment.action)
        assert again == moment.step
        assert hash(again.state) == hash(moment.step.state)
        assert compact(rules.position_to_json(moment.state)) == before


@ALL
def test_a_position_survives_its_json_and_plays_on_alike(case: Case) -> None:
    rules = case.rules()
    for moment in moments(case)[::2]:
        written = rules.position_to_json(moment.state)
        assert faults_of_form(written) == []
        loaded = rules.position_from_json(json.loads(json.dumps(written)))
        assert compact(rules.position_to_json(loaded)) == compact(written)
        assert rules.node(loaded) == rules.node(moment.state)
        for viewer in viewers(rules):
            assert rules.observe(loaded, viewer) == rules.observe(moment.state, viewer)
        assert events_json(rules, rules.apply(loaded, moment.action).events) == events_json(
            rules, moment.step.events
        )
        after = rules.apply(loaded, moment.action).state
        assert compact(rules.position_to_json(after)) == compact(rules.position_to_json(moment.step.state))


def events_json(rules: AnyRules, events: tuple[object, ...]) -> list[JsonObject]:
    return [rules.event_to_json(event, FULL) for event in events]


@ALL
def test_a_view_keeps_to_the_restricted_form_and_the_public_one_can_be_read_back(case: Case) -> None:
    rules = case.rules()
    for state in states(case)[::2]:
        node = rules.node(state)
        for viewer in viewers(rules):
            shown = rules.view_to_json(rules.observe(state, viewer))
            assert faults_of_form(shown) == []
            asked = {"seat": node.seat, "phase": node.phase} if isinstance(node, Decision) else None
            assert shown.get("waiting") == asked
        public = rules.observe(state, PUBLIC)
        assert rules.public_from_json(json.loads(json.dumps(rules.view_to_json(public)))) == public


@PROFILES
def test_what_records_hold_leaves_optional_members_out_and_has_no_null(case: Case) -> None:
    rules = case.rules()
    for record in played(case):
        assert nulls(record.steps) == []
        assert nulls([record.body(seat) for seat in rules.setup.seats]) == []
        assert nulls(rules.view_to_json(rules.observe(record.state, PUBLIC))) == []


@ALL
def test_public_events_say_less_than_full_ones_and_never_otherwise(case: Case) -> None:
    rules = case.rules()
    for moment in moments(case):
        for event in moment.step.events:
            full, public = rules.event_to_json(event, FULL), rules.event_to_json(event, PUBLIC)
            assert faults_of_form(full) == []
            assert public["event"] == full["event"]
            assert public.items() <= full.items()
            for seat in rules.setup.seats:
                own = rules.event_to_json(event, seat)
                assert public.items() <= own.items() <= full.items()


@ALL
def test_an_action_outside_the_list_is_refused_with_a_row_and_changes_nothing(case: Case) -> None:
    rules = case.rules()
    pool = action_pool(case)
    keyed = Keyed(f"illegal {case}")
    refused = 0
    for moment in moments(case)[::3]:
        view = rules.observe(moment.state, moment.seat)
        legal = {compact(rules.action_to_json(action)) for action in rules.legal_actions(view)}
        before = compact(rules.position_to_json(moment.state))
        for spelled in keyed.few(pool, 30):
            action = rules.action_from_json(spelled, bulk=True)
            verdict = by_apply(rules, moment.state, action)
            assert verdict == by_check(rules, moment.state, moment.seat, action), spelled
            if compact(spelled) in legal:
                assert verdict == ("legal",)
            elif verdict == ("legal",):
                assert shorter_is_legal(spelled, legal), f"legal without its short form: {spelled}"
            else:
                refused += 1
                assert verdict[1], f"no row is named: {spelled}: {verdict[2]}"
                assert verdict[2]
        assert compact(rules.position_to_json(moment.state)) == before
    assert refused >= len(moments(case)) // 3


def action_pool(case: Case) -> list[JsonObject]:
    """Well-formed actions from all over the play, with and without optional fields."""
    rules = case.rules()
    keyed = Keyed(f"pool {case}")
    pool: dict[str, JsonObject] = {}
    for moment in moments(case):
        for action in rules.legal_actions(rules.observe(moment.state, moment.seat))[:25]:
            short = rules.action_to_json(action)
            pool[compact(short)] = short
            for more in keyed.sample(wishes(case.game_id, rules, short, keyed), 2):
                try:
                    spelled = rules.action_to_json(rules.action_from_json(more, bulk=True))
                except MalformedAction:
                    continue  # the wish makes no action of this kind
                pool[compact(spelled)] = spelled
    return list(pool.values())


def shorter_is_legal(spelled: JsonObject, legal: set[str]) -> bool:
    """Whether the action without some of its fields is in the list."""
    names = [name for name in spelled if name != "do"]
    for count in range(1, len(names) + 1):
        for left_out in itertools.combinations(names, count):
            kept = {name: value for name, value in spelled.items() if name not in left_out}
            if compact(kept) in legal:
                return True
    return False


@PROFILES
def test_nobody_acts_while_chance_answers_or_after_the_end(case: Case) -> None:
    rules = case.rules()
    action = moments(case)[0].action
    for state in (
        rules.initial_state(),
        *(s for s in states(case) if not isinstance(rules.node(s), Decision)),
    ):
        if isinstance(rules.node(state), Decision):
            continue
        with pytest.raises(IllegalAction):
            rules.apply(state, action)
        for seat in rules.setup.seats:
            with pytest.raises(IllegalAction):
                rules.check(rules.observe(state, seat), action)


@ALL
def test_a_step_that_deals_or_shows_a_fact_says_that_it_reveals(case: Case) -> None:
    for moment in moments(case):
        if moment.step.deals or moment.step.facts:
            assert moment.step.reveals


@ALL
def test_an_action_that_shows_something_and_leaves_the_seat_to_act_may_reveal(case: Case) -> None:
    """What comes after such an action is sealed (schemas/README.md §3.2); after the others nothing of theirs comes."""
    rules = case.rules()
    for before, after in itertools.pairwise(moments(case)):
        if (
            before.seat == after.seat
            and before.step.reveals
            and rules.span(after.state) == rules.span(before.state)
        ):
            assert rules.may_reveal(before.action), rules.action_to_json(before.action)


@PROFILES
def test_setups_that_cannot_be_played_are_refused_by_name(case: Case) -> None:
    game = case.game()
    good = case.rules().setup
    one_seat = good.seats[:1]
    many: tuple[Seat, ...] = tuple(Seat(f"seat{number}") for number in range(9))
    wrong: list[Setup] = [
        Setup(one_seat, good.options, game.default_extra(one_seat), good.version),
        Setup(many, good.options, game.default_extra(many), good.version),
        Setup((good.seats[0], *good.seats[:-1]), good.options, good.extra, good.version),
    ]
    for setup in wrong:
        with pytest.raises(BadSetup):
            game.rules(setup)
    overrides: list[dict[str, Json]] = [{"no_such_option": 1}]
    overrides += [{key: "no such value"} for key in game.info.options]
    for override in overrides:
        with pytest.raises(BadSetup, match=next(iter(override))):
            game.resolve_options("default", override)
    with pytest.raises(BadSetup):
        game.resolve_options("no-such-profile", {})
