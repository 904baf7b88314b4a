"""Whole scenarios of the toy game: what is ok, what fails, and in which words."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.game import AnyRules, Json, JsonObject, Setup
from pbem.protocol.scenario import ScenarioResult, results_to_json, run_scenario, summary
from tests.toy import find_any
from tests.toy.model import Action, Draw, View
from tests.toy.standoff import StandoffGame, StandoffRules

SHOOT = {"do": "shoot", "card": "ace"}
POSITION: JsonObject = {
    "hands": {"anna": ["ace", "king"], "burt": 2, "curt": ["jack"]},
    "supply": ["queen", "jack"],
    "discard": ["king", "jack"],
}


def scenario(*steps: JsonObject, **members: Json) -> JsonObject:
    return {
        "pbem": "scenario/1",
        "game": "standoff",
        "title": "a question",
        "rules": ["X4"],
        "seats": ["anna", "burt", "curt"],
        "position": POSITION,
        "steps": list(steps),
        **members,
    }


def step(seat: str, action: Json, **expect: Json) -> JsonObject:
    return {"seat": seat, "action": action} | ({"expect": expect} if expect else {})


def run(*steps: JsonObject, **members: Json) -> ScenarioResult:
    return run_scenario(scenario(*steps, **members), find=find_any)


def difference(*steps: JsonObject, **members: Json) -> str:
    """The difference of a scenario that must fail."""
    result = run(*steps, **members)
    assert not result.ok
    return str(result.difference)


def good(*steps: JsonObject, **members: Json) -> None:
    result = run(*steps, **members)
    assert result.ok, result.line()


# --- steps and chance


def test_a_step_without_expect_must_be_legal() -> None:
    good(step("anna", {"do": "draw"}))
    assert difference(step("anna", {"do": "shoot", "card": "queen"})) == (
        "step 1: action: expected a legal action, got refused [X4]: no queen in the hand"
    )


def test_steps_follow_one_another_and_dice_are_taken_in_order() -> None:
    good(
        step("anna", {**SHOOT, "at": "curt"}, position={"points": {"anna": 1, "burt": 0}}),
        step("burt", {"do": "draw"}, position={"hands": {"burt": 3}, "supply": ["jack"]}),
        step("curt", {"do": "shoot", "card": "jack"}, events=[{"event": "shot", "die": 3, "hit": False}]),
        chance={"rolls": [4, 3]},
    )


def test_without_chance_the_scenario_stops_and_the_position_shows_it() -> None:
    good(
        step(
            "anna",
            SHOOT,
            position={"phase": "chance"},
            waiting={"phase": "chance"},
            legal=[],
            not_legal=[SHOOT],
        ),
        step("burt", {"do": "draw"}, refused=True),
    )
    good(step("anna", SHOOT, waiting=None))
    assert "chance is (round 1 shot)" in difference(step("anna", SHOOT), step("burt", {"do": "draw"}))
    assert "step 2: action: expected a legal action" in difference(
        step("anna", SHOOT), step("burt", {"do": "draw"})
    )


def test_chance_before_the_first_step_is_answered_first() -> None:
    deal = ["ace", "king", "queen", "ace", "king", "queen", "jack"]
    good(
        step(
            "anna",
            {"do": "draw"},
            position={"hands": {"burt": ["ace", "ace"], "anna": ["queen", "queen", "ace"]}},
        ),
        position={"phase": "chance"},
        chance={"shuffles": [deal]},
    )


def test_a_scenario_without_position_starts_where_a_match_starts() -> None:
    bare = scenario(step("anna", {"do": "draw"}), chance={"shuffles": [["jack", "jack"]]})
    del bare["position"]
    assert run_scenario(bare, find=find_any).ok
    bare["chance"] = {}
    assert "chance is (round 1 deal)" in run_scenario(bare, find=find_any).line()


def test_a_short_shuffle_fixes_the_top_and_leaves_the_rest_in_deck_list_order() -> None:
    position = {
        "hands": {"anna": ["ace"], "burt": 1, "curt": 1},
        "discard": ["jack", "queen", "king", "queen"],
    }
    good(
        step(
            "anna",
            {"do": "draw"},
            position={"hands": {"anna": ["ace", "queen"]}, "supply": ["king", "queen", "jack"]},
        ),
        position=position,
        chance={"shuffles": [["queen"]]},
    )
    good(
        step("anna", {"do": "draw"}, position={"supply": ["queen", "queen", "jack"], "discard": []}),
        position=position,
        chance={"shuffles": [[]]},
    )


def test_a_shuffle_of_other_cards_is_a_difference() -> None:
    position = {"hands": {"anna": ["ace"], "burt": 1, "curt": 1}, "discard": ["jack", "queen"]}
    why = difference(
        step("anna", {"do": "draw"}), position=position, chance={"shuffles": [["queen", "queen"]]}
    )
    assert why.startswith("step 1: chance.shuffles 1: expected cards that are shuffled")
    assert why.endswith("got 1 queen too many")


def test_a_die_with_too_many_eyes_is_a_difference() -> None:
    assert difference(step("anna", SHOOT), chance={"rolls": [7]}) == (
        "step 1: chance.rolls 1: expected 1 to 6 (round 1 shot), got 7"
    )


def test_chance_that_is_left_over_does_no_harm() -> None:
    good(step("anna", {"do": "draw"}), chance={"rolls": [1, 2], "shuffles": [["ace"]]})


# --- refusals


@pytest.mark.parametrize(
    ("seat", "action"),
    [
        ("anna", {"do": "shoot", "card": "queen"}),
        ("anna", {"do": "shoot", "card": "no-such-card"}),
        ("anna", {"do": "fly"}),
        ("anna", {}),
        ("anna", {**SHOOT, "at": "anna"}),
        ("burt", {"do": "draw"}),
        ("nora", {"do": "draw"}),
    ],
)
def test_illegal_malformed_and_out_of_turn_are_refused(seat: str, action: Json) -> None:
    good(step(seat, action, refused=True, position=POSITION), step("anna", {"do": "draw"}))
    assert "expected a legal action" in difference(step(seat, action))


def test_the_rule_must_be_among_those_that_the_refusal_names() -> None:
    queen = {"do": "shoot", "card": "queen"}
    good(step("anna", queen, refused=True, rule="X4"))
    good(step("burt", {"do": "draw"}, refused=True, rule="X2"))
    assert difference(step("anna", queen, refused=True, rule="X5")) == (
        "step 1: rule: expected X5, got X4 (no queen in the hand)"
    )
    assert "rule: expected X4, got no rule" in difference(
        step("anna", {"do": "fly"}, refused=True, rule="X4")
    )


def test_an_action_that_should_be_refused_and_is_not_is_a_difference() -> None:
    why = difference(step("anna", {"do": "draw"}, refused=True))
    assert why.startswith("step 1: action: expected a refusal, got it was carried out")
    assert '"event":"drew"' in why


def test_refused_false_is_a_legal_action() -> None:
    good(step("anna", {"do": "draw"}, refused=False))


# --- what is expected after a step


def test_events_carry_every_field_and_must_come_in_order() -> None:
    good(step("anna", {"do": "draw"}, events=[{"event": "drew", "seat": "anna", "card": "queen"}]))
    hit = [{"event": "fired"}, {"event": "shot", "die": 5}, {"event": "hit", "at": "burt"}]
    good(
        step("anna", {**SHOOT, "at": "burt"}, events=hit, not_events=[{"event": "drew"}]),
        chance={"rolls": [5]},
    )
    why = difference(step("anna", {**SHOOT, "at": "burt"}, events=hit[::-1]), chance={"rolls": [5]})
    assert why.startswith("step 1: events 2: expected")
    assert "not_events 1" in difference(
        step("anna", SHOOT, not_events=[{"event": "shot"}]), chance={"rolls": [5]}
    )


def test_waiting_is_compared_as_a_subset() -> None:
    good(step("anna", {"do": "draw"}, waiting={"seat": "burt", "phase": "turn"}))
    good(step("anna", {"do": "draw"}, waiting={"phase": "turn"}))
    assert difference(step("anna", {"do": "draw"}, waiting={"seat": "curt"})) == (
        'step 1: waiting.seat: expected "curt", got "burt"'
    )


def test_after_the_end_nobody_waits_and_every_step_is_refused() -> None:
    last = {**POSITION, "round": 2, "hands": {"anna": ["ace"], "burt": 2, "curt": 2}}
    end = step("anna", SHOOT, waiting=None, position={"phase": "over"}, events=[{"event": "match-ended"}])
    good(end, step("burt", {"do": "draw"}, refused=True), position=last, chance={"rolls": [1]})
    why = difference(end, step("burt", {"do": "draw"}), position=last, chance={"rolls": [1]})
    assert "the match is over" in why
    assert "waiting.seat" in difference(
        step("anna", SHOOT, waiting={"seat": "anna"}), position=last, chance={"rolls": [1]}
    )


def test_an_action_with_optional_fields_counts_as_listed_if_what_it_names_is_legal() -> None:
    legal: list[Json] = [{"do": "draw"}, {"do": "search"}, {"do": "search", "take": ["ace"]}]
    unlisted: list[Json] = [{"do": "choose", "at": "anna"}, {"do": "fly"}, {"do": "choose", "take": "ace"}]
    good(step("anna", {"do": "draw"}, legal=legal, not_legal=unlisted))
    hand = {**POSITION, "hands": {"anna": ["ace"], "burt": ["jack"], "curt": ["ace"]}}
    aimed = {"do": "shoot", "card": "jack", "at": "anna"}
    good(
        step("anna", {"do": "draw"}, legal=[aimed], not_legal=[{**aimed, "at": "burt"}, SHOOT]), position=hand
    )
    why = difference(step("anna", {"do": "draw"}, legal=[{**aimed, "at": "burt"}]), position=hand)
    assert why.startswith("step 1: legal 1: expected")
    assert '{"card":"jack","do":"shoot"}' in why
    assert "not_legal 1" in difference(step("anna", {"do": "draw"}, not_legal=[aimed]), position=hand)


def test_views_are_searched_for_texts_one_or_many() -> None:
    lacks = {"seat": "public", "lacks": ["queen"]}
    mine: JsonObject = {"seat": "anna", "lacks": ["found"]}
    good(step("anna", {"do": "draw"}, view=lacks))
    good(step("anna", {"do": "draw"}, view=[lacks, mine, {"seat": "burt", "lacks": ["queen", "jack"]}]))
    assert "step 1: view of anna: expected no 'queen' anywhere" in difference(
        step("anna", {"do": "draw"}, view=[lacks, {**mine, "lacks": ["queen"]}])
    )
    assert "view.seat" in difference(step("anna", {"do": "draw"}, view={"seat": "nora", "lacks": ["x"]}))


def test_expectations_hold_after_a_refusal_too() -> None:
    good(step("burt", SHOOT, refused=True, waiting={"seat": "anna"}, legal=[SHOOT]))
    assert "waiting.seat" in difference(step("burt", SHOOT, refused=True, waiting={"seat": "burt"}))


# --- scenarios that are none


@pytest.mark.parametrize(
    "thing", [None, 3, "scenario", [], {}, {"pbem": "scenario/2"}, {"pbem": "scenario/1"}]
)
def test_what_is_no_scenario_fails_with_a_reason(thing: Json) -> None:
    result = run_scenario(thing, find=find_any)
    assert result.line().startswith("FAIL scenario: expected a scenario, got ")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"game": "chess"}, "no game 'chess'"),
        ({"surplus": 1}, "surplus"),
        ({"seats": ["anna"]}, "seats"),
        ({"seats": []}, "seats: "),
        ({"steps": [{"seat": "anna"}]}, "steps 1"),
        ({"steps": [{"seat": "anna", "action": {}, "expect": {"postion": {}}}]}, "postion"),
        ({"options": {"rounds": 9}}, "rounds"),
        ({"options": {"color": 9}}, "color"),
        ({"position": {"hands": {"anna": ["ace"] * 4}}}, "more of a card than there are"),
        ({"position": {"round": "three", "phase": "over"}}, ""),
        ({"position": {"hands": 7}}, "expected an answer of the engine, got AttributeError"),
        ({"chance": {"rolls": ["six"]}}, "chance, rolls 1: "),
    ],
)
def test_a_fault_in_a_scenario_is_shown_in_one_line(change: JsonObject, reason: str) -> None:
    line = run_scenario(scenario(step("anna", {"do": "draw"}), **change), find=find_any).line()
    assert reason in line
    assert "\n" not in line
    if reason:
        assert line.startswith("FAIL a question: ")


@given(st.data())
def test_no_scenario_however_broken_ends_in_a_traceback(data: st.DataObject) -> None:
    broken: Any = copy.deepcopy(scenario(step("anna", {**SHOOT, "at": "curt"}), chance={"rolls": [4]}))
    junk = data.draw(st.none() | st.integers() | st.text(max_size=3) | st.lists(st.integers(), max_size=2))
    target = broken
    while isinstance(target, dict | list) and target:
        key: Any = data.draw(
            st.sampled_from(sorted(target) if isinstance(target, dict) else range(len(target)))
        )
        if not isinstance(target[key], dict | list) or not target[key] or data.draw(st.booleans()):
            target[key] = junk
            break
        target = target[key]
    assert isinstance(run_scenario(broken, find=find_any).line(), str)


class _Forgetful(StandoffRules):
    """Its list leaves out what its check allows."""

    def legal_actions(self, view: View) -> tuple[Action, ...]:
        return tuple(action for action in super().legal_actions(view) if not isinstance(action, Draw))


class _ForgetfulGame(StandoffGame):
    def rules(self, setup: Setup) -> AnyRules:
        return _Forgetful(setup)


def test_an_action_that_the_list_leaves_out_is_not_legal() -> None:
    asked = scenario(step("anna", {"do": "draw"}, legal=[{"do": "draw"}]))
    assert run_scenario(asked, find=find_any).ok
    line = run_scenario(asked, find=lambda _: _ForgetfulGame()).line()
    assert 'expected {"do":"draw"} among the legal actions' in line


# --- results


def test_results_are_shown_to_people_and_to_programs() -> None:
    passed, failed = run(step("anna", {"do": "draw"})), run(step("burt", {"do": "draw"}))
    assert passed.line() == "ok   a question"
    assert failed.line().startswith("FAIL a question: step 1: action: expected a legal action, got ")
    assert summary([passed, failed, passed]) == "2 passed, 1 failed"
    written = results_to_json([passed, failed])
    assert (written["passed"], written["failed"]) == (1, 1)
    assert written["results"][0] == {
        "ok": True, "title": "a question", "game": "standoff", "rules": ["X4"], "place": ""
    }  # fmt: skip
    assert written["results"][1]["difference"]["where"] == "step 1: action"
