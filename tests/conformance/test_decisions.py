"""Legal actions, defaults and suggestions: functions of a view, complete, ordered, spelled in one way."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from pbem.game import PUBLIC, Decision, Json, JsonObject, MalformedAction, Terminal
from tests.conformance.driver import (
    Case,
    Match,
    late_cases,
    moments,
    option_cases,
    played,
    profile_cases,
    states,
)
from tests.conformance.keyed import Keyed
from tests.conformance.variants import variants
from tests.conformance.verdict import compact, faults_of_form

ALL = pytest.mark.parametrize("case", [*profile_cases(), *option_cases(), *late_cases()], ids=str)
PROFILES = pytest.mark.parametrize("case", profile_cases(), ids=str)


@ALL
def test_only_the_seat_to_decide_has_legal_actions_and_it_always_has_one(case: Case) -> None:
    rules = case.rules()
    for state in states(case):
        node = rules.node(state)
        for seat in rules.setup.seats:
            legal = rules.legal_actions(rules.observe(state, seat))
            assert bool(legal) == (isinstance(node, Decision) and node.seat == seat), (node, seat)


@ALL
def test_nobody_may_act_on_the_public_view(case: Case) -> None:
    rules = case.rules()
    for state in states(case)[::5]:
        assert rules.legal_actions(rules.observe(state, PUBLIC)) == ()


@ALL
def test_legal_actions_are_unique_and_in_the_order_of_their_canonical_bytes(case: Case) -> None:
    rules = case.rules()
    for moment in moments(case):
        legal = rules.legal_actions(rules.observe(moment.state, moment.seat))
        spelled = [compact(rules.action_to_json(action)).encode() for action in legal]
        assert spelled == sorted(set(spelled))


@ALL
def test_what_is_legal_can_be_checked_and_applied(case: Case) -> None:
    rules = case.rules()
    for moment in moments(case)[::3]:
        view = rules.observe(moment.state, moment.seat)
        for action in rules.legal_actions(view)[:80]:
            rules.check(view, action)
            rules.apply(moment.state, action)


@ALL
def test_an_action_survives_its_json_and_its_words(case: Case) -> None:
    rules, game = case.rules(), case.game()
    keyed = Keyed("spelling")
    for moment in moments(case)[::2]:
        view = rules.observe(moment.state, moment.seat)
        legal = rules.legal_actions(view)
        named = (
            variant for short in legal[:20] for variant in variants(case.game_id, rules, view, short, keyed)
        )
        for number, action in enumerate((*legal, *islice(named, 40))):
            spelled = rules.action_to_json(action)
            assert faults_of_form(spelled) == []
            bulk = number % 8 > 0  # the slow judge reads one of eight
            assert rules.action_from_json(json.loads(json.dumps(spelled)), bulk=bulk) == action
            assert game.action_from_words(game.action_to_words(spelled).split()) == spelled


@ALL
def test_only_a_secret_action_has_a_public_form_of_its_own(case: Case) -> None:
    rules = case.rules()
    for moment in moments(case):
        shown, whole = rules.public_action(moment.action), rules.action_to_json(moment.action)
        assert rules.is_secret(moment.action) == (shown != whole)
        assert shown.items() <= whole.items()


@ALL
def test_the_default_and_the_suggestion_are_among_the_legal_actions_and_do_not_vary(case: Case) -> None:
    rules = case.rules()
    for moment in moments(case):
        view = rules.observe(moment.state, moment.seat)
        legal = rules.legal_actions(view)
        assert rules.default_action(view) in legal
        assert rules.default_action(view) == rules.default_action(view)
        rules.check(view, rules.suggest(view))
        assert rules.suggest(view) == rules.suggest(view)


@PROFILES
def test_rubbish_is_no_standing_order(case: Case) -> None:
    rules = case.rules()
    rubbish: tuple[JsonObject, ...] = (
        {},
        {"no-such-order": 17},
        {"rules": 3},
        {"rules": [3]},
        {"rules": [{}]},
    )
    for order in rubbish:
        with pytest.raises(MalformedAction):
            rules.check_order(order)


@PROFILES
def test_orders_without_rules_are_good_and_answer_nothing(case: Case) -> None:
    rules = case.rules()
    rules.check_order({"rules": []})
    for moment in moments(case)[::5]:
        assert rules.order_action(rules.observe(moment.state, moment.seat), {"rules": []}) is None


@ALL
def test_figures_and_trials_follow_from_public_records(case: Case) -> None:
    rules = case.rules()
    before = None
    for record in played(case):
        public = json.loads(json.dumps(rules.view_to_json(rules.observe(record.state, PUBLIC))))
        figures = rules.summary(public)
        assert faults_of_form(json.loads(json.dumps(figures))) == []
        trials = rules.trials(json.loads(json.dumps(record.steps)), before)
        before = public
        for trial in trials:
            good, possible = trial.chance
            assert 0 <= good <= possible
            assert trial.seat in rules.setup.seats
            assert trial.label
            assert good > 0 if trial.success else good < possible


@PROFILES
def test_rubbish_is_a_malformed_action(case: Case) -> None:
    rules = case.rules()
    rubbish: tuple[Json, ...] = (
        None,
        3,
        "draw",
        [],
        {},
        {"do": "fly"},
        {"do": 3},
        {"do": ["draw"]},
        {"do": {}},
        {"do": None},
    )
    for thing in rubbish:
        with pytest.raises(MalformedAction):
            rules.action_from_json(thing)
    for moment in moments(case)[:40]:
        spelled = rules.action_to_json(moment.action)
        with pytest.raises(MalformedAction):
            rules.action_from_json({**spelled, "surplus": 1})
        for name in spelled:
            for wrong in (None, 1.5, {"x": 1}, [[1]]):
                with pytest.raises(MalformedAction):
                    rules.action_from_json({**spelled, name: wrong})


@PROFILES
def test_rubbish_words_are_malformed(case: Case) -> None:
    game, rules = case.game(), case.rules()
    for words in ([], ["fly"], ["draw", "draw", "draw", "draw"], ["-1"], ["{"], ["choose"], ["bid", "x"]):
        with pytest.raises(MalformedAction):
            rules.action_from_json(game.action_from_words(words))


@PROFILES
def test_a_match_of_suggestions_ends_with_winners(case: Case) -> None:
    rules = case.rules()

    class Sensible(Match):
        def _choose(self, seat: object) -> object:
            return self.rules.suggest(self.rules.observe(self.state, seat))  # type: ignore[arg-type]

    match = Sensible(rules, Keyed(f"to the end {case}"), case.game_id, most=3)
    decisions = sum(len(record.moments) for record in match.records(20_000))
    end = rules.node(match.state)
    assert isinstance(end, Terminal), f"no end after {decisions} decisions"
    winners = end.outcome["winners"]
    assert winners
    assert set(winners) <= set(rules.setup.seats)
    assert faults_of_form(json.loads(json.dumps(end.outcome))) == []
