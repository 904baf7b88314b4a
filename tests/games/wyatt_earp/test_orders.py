"""Standing orders: what they answer."""

from __future__ import annotations

import pytest

from pbem.game import Json, JsonObject, Seat
from pbem.games.ordering import NOW
from pbem.games.wyatt_earp.deck import OUTLAW_NAMES
from tests.conformance.keyed import Keyed
from tests.games.wyatt_earp.ordering import (
    ANSWER,
    BELLE,
    DROP,
    GOOD_ORDERS,
    JESSE,
    PASS,
    SUPPLY,
    TOP,
    WINDOW,
    answer,
    order,
    rule,
)
from tests.games.wyatt_earp.table import at_random, decisions, rules_for


def test_a_reaction_is_answered_by_outlaw_and_reward() -> None:
    """Rows: O13, N9."""
    wanted = GOOD_ORDERS[1]
    assert answer(WINDOW, "burt", wanted) == ANSWER
    assert answer({**WINDOW, "posters": {JESSE: 3000}}, "burt", wanted) == PASS
    assert answer({**WINDOW, "hands": {"anna": 2, "burt": [BELLE], "curt": 2}}, "burt", wanted) == PASS
    assert answer(WINDOW, "burt", order(rule("react", ANSWER, outlaws=[BELLE]))) is None
    assert answer(WINDOW, "anna", wanted) is None


def test_an_action_that_is_not_legal_is_passed_over() -> None:
    bare = {**WINDOW, "hands": {"anna": 2, "burt": [BELLE], "curt": 2}}
    assert answer(bare, "burt", order(rule("react", ANSWER))) is None
    assert answer(bare, "burt", order(rule("react", ANSWER), rule("react", PASS))) == PASS


def test_a_draw_is_answered_by_the_top_of_the_discard() -> None:
    at = {"phase": "draw", "hands": {"anna": 2, "burt": 2, "curt": 2}, "supply": 5, "discard": [JESSE]}
    assert answer(at, "anna", GOOD_ORDERS[2]) == TOP
    assert answer({**at, "discard": [BELLE]}, "anna", GOOD_ORDERS[2]) == SUPPLY
    assert answer({**at, "discard": ["hideout"]}, "anna", GOOD_ORDERS[2]) is None
    assert answer({**at, "discard": []}, "anna", order(rule("draw", TOP))) is None


def test_whatever_may_be_laid_is_laid_the_biggest_first_then_the_first_of_a_list_is_discarded() -> None:
    """Rows: D4, E4."""
    at: JsonObject = {
        "phase": "play",
        "hands": {"anna": [JESSE] * 3 + [BELLE] * 4 + ["hideout"], "burt": 2, "curt": 2},
    }
    assert answer(at, "anna", GOOD_ORDERS[3]) == {"do": "lay", "outlaw": BELLE, "count": 4}
    at["hands"]["anna"] = [JESSE, JESSE, "hideout"]
    assert answer(at, "anna", GOOD_ORDERS[3]) == {"do": "discard", "card": "hideout"}
    at["hands"]["anna"] = [JESSE, JESSE]
    assert answer(at, "anna", GOOD_ORDERS[3]) is None


@pytest.mark.parametrize("held", range(3))
def test_all_cards_of_an_outlaw_are_laid_if_any_are_held(held: int) -> None:
    """Rows: D1, D5."""
    at: JsonObject = {
        "phase": "play",
        "opened": [JESSE],
        "hands": {"anna": [JESSE] * held + ["hideout"], "burt": 2, "curt": 2},
    }
    everything = order(rule("play", {"do": "lay", "outlaw": JESSE, "all": True}))
    laid = {"do": "lay", "outlaw": JESSE, "count": held} if held else None
    assert answer(at, "anna", everything) == laid


def test_of_two_sets_of_one_size_that_with_the_richer_poster_is_laid_then_the_first_outlaw() -> None:
    """Rows: D4, D11."""
    at: JsonObject = {
        "phase": "play",
        "hands": {"anna": [JESSE] * 3 + [BELLE] * 3 + ["wes-hardin"] * 3 + ["hideout"], "burt": 2, "curt": 2},
    }
    laid = [{"do": "lay", "outlaw": outlaw, "count": 3} for outlaw in (BELLE, JESSE)]
    assert answer(at, "anna", GOOD_ORDERS[3]) == laid[0]
    assert answer({**at, "posters": {JESSE: 2000}}, "anna", GOOD_ORDERS[3]) == laid[1]


def test_the_best_group_for_a_hideout_is_never_an_own_one() -> None:
    """Rows: N1, I10, hideout_target=any."""
    asks: JsonObject = {
        "hands": {"anna": ["hideout", BELLE], "burt": 2, "curt": 2},
        "territories": {"anna": {JESSE: {"outlaws": 3}}, "burt": {BELLE: {"outlaws": 3}}},
        "posters": {JESSE: 9000},
        "supply": 5,
    }
    rules = rules_for(3, hideout_target="any")
    hidden: JsonObject = {"do": "hideout", "on": BELLE, "seat": "burt"}
    chosen: JsonObject = {"do": "choose", "on": BELLE, "seat": "burt"}
    for phase, answered in (("play", hidden), ("choose", chosen)):
        pending = {"pending": {"card": "hideout"}} if phase == "choose" else {}
        view = rules.observe(rules.position_from_json({**asks, "phase": phase, **pending}), Seat("anna"))
        action = rules.order_action(view, order(rule(phase, {"do": answered["do"], "best": True})))
        assert action is not None
        assert rules.action_to_json(action) == answered


def test_a_question_is_answered_with_the_first_card_or_the_best_poster() -> None:
    """Rows: O5, I10."""
    base: JsonObject = {
        "phase": "choose",
        "hands": {"anna": ["most-wanted", BELLE], "burt": 2, "curt": 2},
        "supply": 5,
    }
    search = {
        **base,
        "pending": {"card": "wyatt-earp", "mode": "search"},
        "discard": ["wyatt-earp", JESSE, "hideout"],
    }
    assert answer(search, "anna", GOOD_ORDERS[6]) == {"do": "choose", "take": JESSE}
    theft = {
        **base,
        "pending": {"card": "most-wanted"},
        "territories": {"burt": {JESSE: {"outlaws": 3}, BELLE: {"outlaws": 1}}},
        "posters": {BELLE: 5000},
    }
    assert answer(theft, "anna", GOOD_ORDERS[6]) == {"do": "choose", "on": BELLE, "seat": "burt"}
    assert answer(theft, "anna", GOOD_ORDERS[7]) == {"do": "choose", "decline": True}
    for rich in OUTLAW_NAMES:
        best = answer({**theft, "posters": {rich: 9000}}, "anna", GOOD_ORDERS[6])
        assert best == {"do": "choose", "on": rich if rich == JESSE else BELLE, "seat": "burt"}
    robbed = {**base, "pending": {"card": "bank-robbery"}}
    robbed["territories"] = {"anna": {JESSE: {"outlaws": 3}, BELLE: {"outlaws": 1}}}
    for asks, answered in (("bank-robbery", True), ("most-wanted", False), ("wyatt-earp", False)):
        given = order(rule("choose", {"do": "choose", "best": True}, asks=asks))
        assert (answer(robbed, "anna", given) is not None) is answered


def test_a_reaction_is_answered_by_points_and_by_who_laid_the_hideout() -> None:
    """Rows: G1, O13."""
    six = order(rule("react", ANSWER, points_at_least=6, by=["anna", "curt"]), rule("react", PASS))
    assert answer(WINDOW, "burt", six) == ANSWER
    assert (
        answer(WINDOW, "burt", order(rule("react", ANSWER, points_at_least=7), rule("react", PASS))) == PASS
    )
    assert answer(WINDOW, "burt", order(rule("react", ANSWER, by=["curt"]))) is None


@pytest.mark.parametrize(
    ("facts", "holds"),
    [
        ({"holding": "hideout"}, True),
        ({"holding": BELLE}, False),
        ({"not_holding": BELLE}, True),
        ({"not_holding": "hideout"}, False),
        ({"holding_at_least": {"card": JESSE, "at_least": 2}}, True),
        ({"holding_at_least": {"card": JESSE, "at_least": 3}}, False),
        ({"hand_at_least": 3}, True),
        ({"hand_at_least": 4}, False),
        ({"hand_at_most": 3}, True),
        ({"hand_at_most": 2}, False),
        ({"supply_at_most": 5}, True),
        ({"supply_at_most": 4}, False),
        ({"top_in": [BELLE]}, True),
        ({"top_not_in": [BELLE]}, False),
        ({"sheriff_played": False}, True),
        ({"sheriff_played": True}, False),
        ({"after": "hit"}, False),
    ],
    ids=str,
)
def test_facts_of_the_own_hand_and_the_table(facts: JsonObject, holds: bool) -> None:
    at = {
        "phase": "play",
        "hands": {"anna": [JESSE, JESSE, "hideout"], "burt": 2, "curt": 2},
        "supply": 5,
        "discard": [BELLE],
    }
    given = answer(at, "anna", order(rule("play", DROP, **facts)))
    assert given == ({"do": "discard", "card": "hideout"} if holds else None)


@pytest.mark.parametrize("came", ["hit", "miss", "given", "refused", None])
@pytest.mark.parametrize("wanted", ["hit", "miss", "given", "refused"])
def test_what_the_own_last_card_came_to_is_a_fact(came: str | None, wanted: str) -> None:
    rules = rules_for(3)
    at: JsonObject = {"phase": "play", "hands": {"anna": ["hideout", JESSE], "burt": 2, "curt": 2}}
    view = rules.observe(rules.position_from_json(at), Seat("anna"))
    after = {"burt": wanted, **({"anna": came} if came else {})}
    given = {**order(rule("play", DROP, after=wanted)), NOW: {"epoch": 1, "number": 1, "after": after}}
    assert (rules.order_action(view, given) is not None) is (came == wanted)


def test_a_shot_is_aimed_at_the_richest_poster() -> None:
    """Rows: I7, N1, M10."""
    at: JsonObject = {
        "phase": "play",
        "hands": {
            "anna": ["fastest-gun", "hideout", "most-wanted", "photo:belle-starr", JESSE],
            "burt": 2,
            "curt": 2,
        },
        "territories": {
            "anna": {JESSE: {"outlaws": 3}, BELLE: {"outlaws": 3}},
            "burt": {JESSE: {"outlaws": 1}, "wes-hardin": {"outlaws": 3}},
        },
        "posters": {JESSE: 3000, BELLE: 7000, "wes-hardin": 5000},
        "supply": 5,
    }

    def best(do: str, **more: Json) -> JsonObject | None:
        return answer(at, "anna", order(rule("play", {"do": do, "best": True, **more})))

    assert best("fastest-gun") == {"do": "fastest-gun", "on": BELLE}
    assert best("photo") == {"do": "photo", "outlaw": BELLE}
    assert best("hideout") == {"do": "hideout", "on": "wes-hardin", "seat": "burt"}
    assert best("most-wanted", steal=True) == {
        "do": "most-wanted", "steal": True, "outlaw": "wes-hardin", "seat": "burt",
    }  # fmt: skip
    assert best("bank-robbery") is None
    everything = order(rule("play", {"do": "lay", "outlaw": JESSE, "all": True}))
    assert answer(at, "anna", everything) == {"do": "lay", "outlaw": JESSE, "count": 1}


def test_the_target_of_a_question_is_the_first_outlaw_of_a_list_of_the_richest_seat() -> None:
    """Rows: I10, M10."""
    asks: JsonObject = {
        "phase": "choose",
        "pending": {"card": "most-wanted"},
        "hands": {"anna": ["most-wanted", BELLE], "burt": 2, "curt": 2},
        "territories": {
            "burt": {JESSE: {"outlaws": 3}, "wes-hardin": {"outlaws": 3}},
            "curt": {JESSE: {"outlaws": 1}, "bob-dalton": {"outlaws": 3}},
        },
        "money": {"burt": 1000, "curt": 4000},
        "supply": 5,
    }
    wish = order(rule("choose", {"do": "choose", "outlaws": [BELLE, JESSE]}))
    assert answer(asks, "anna", wish) == {"do": "choose", "on": JESSE, "seat": "curt"}


@pytest.mark.parametrize(
    ("event", "came"),
    [
        ({"event": "shot", "seat": "anna", "card": JESSE, "hit": True}, {"anna": "hit"}),
        ({"event": "shot", "seat": "anna", "card": "hideout", "hit": False}, {"anna": "miss"}),
        (
            {"event": "asked", "seat": "anna", "outlaw": JESSE, "of": "burt", "has": False},
            {"anna": "refused"},
        ),
        ({"event": "given", "from": "burt", "to": "anna", "outlaw": JESSE}, {"anna": "given"}),
        ({"event": "laid", "seat": "anna", "outlaw": JESSE, "count": 3, "reward": 2000}, {}),
    ],
)
def test_the_running_turn_knows_what_each_seats_last_card_came_to(
    event: JsonObject, came: JsonObject
) -> None:
    rules = rules_for(3)
    turn: JsonObject = {"epoch": 2, "number": 5}
    ended: JsonObject = {"event": "turn-ended", "seat": "anna"}
    reaction: JsonObject = {"event": "shot", "seat": "burt", "card": JESSE, "hit": True}
    after = rules.turn_so_far(turn, [event])
    assert after == ({**turn, "after": came} if came else turn)
    assert rules.turn_so_far(after, [reaction]) == {**turn, "after": {**came, "burt": "hit"}}
    assert rules.turn_so_far(turn, [event, ended]) == {"epoch": 2, "number": 6}
    assert rules.turn_so_far(turn, [ended, ended, event])["number"] == 7


@pytest.mark.parametrize(
    ("turn", "state"),
    [
        ({"epoch": 2, "number": 5}, "answers"),
        ({"epoch": 2, "number": 4}, "past"),
        ({"epoch": 1, "number": 9}, "past"),
        ({"epoch": 2, "number": 6}, "waits"),
        ({"epoch": 3, "number": 1}, "waits"),
    ],
)
def test_a_rule_for_one_turn_answers_in_that_turn_alone(turn: JsonObject, state: str) -> None:
    rules = rules_for(3)
    at: JsonObject = {"phase": "draw", "hands": {"anna": 2, "burt": 2, "curt": 2}, "supply": 5}
    given = {**order({**rule("draw", SUPPLY), "turn": turn}), NOW: {"epoch": 2, "number": 5}}
    position = rules.position_from_json(at)
    view = rules.observe(position, Seat("anna"))
    assert [state.state for state in rules.rule_states(view, given)] == [state]
    assert (rules.order_action(view, given) is not None) is (state == "answers")
    idle = rules.observe(position, Seat("burt"))
    waits = "waits" if state == "answers" else state
    assert [state.state for state in rules.rule_states(idle, given)] == [waits]
    assert rules.order_action(idle, given) is None


@pytest.mark.parametrize(
    ("do", "why"),
    [
        ({"do": "lay", "any": True}, "there is nothing of the kind now"),
        (
            {"do": "wyatt-earp", "mode": "search", "take": ["hideout"]},
            "there is no card to be found (O11, O5, O18)",
        ),
    ],
)
def test_why_a_rule_cannot_answer_is_shown(do: JsonObject, why: str) -> None:
    rules = rules_for(3)
    hands = {"anna": ["hideout", "wyatt-earp"], "burt": 2, "curt": 2}
    position = rules.position_from_json({"phase": "play", "hands": hands, "supply": 5})
    (state,) = rules.rule_states(rules.observe(position, Seat("anna")), order(rule("play", do)))
    assert (state.state, state.why) == ("off", why)


def test_whatever_an_order_answers_is_legal() -> None:
    keyed = Keyed("orders")
    rules = rules_for(3)
    everything = order(*(rule for good_order in GOOD_ORDERS for rule in good_order["rules"]))
    rules.check_order(everything)
    answered = 0
    for state, seat in decisions(rules, keyed, at_random(keyed)):
        view = rules.observe(state, seat)
        action = rules.order_action(view, everything)
        if action is not None:
            rules.check(view, action)
            answered += 1
    assert answered > 50
