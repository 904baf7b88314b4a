"""Standing orders: the vocabulary, and what it answers."""

from __future__ import annotations

import json

import pytest

from pbem.game import Json, JsonObject, MalformedAction, Seat
from tests.conformance.keyed import Keyed
from tests.games.wyatt_earp.table import at_random, decisions, rules_for

JESSE, BELLE = "jesse-james", "belle-starr"


def rule(when: str, do: JsonObject, **facts: Json) -> JsonObject:
    return {"when": when, **({"if": facts} if facts else {}), "do": do}


def order(*rules: JsonObject) -> JsonObject:
    return {"rules": list(rules)}


PASS: JsonObject = {"do": "react", "with": "pass"}
ANSWER: JsonObject = {"do": "react", "with": "wyatt-earp"}
SUPPLY: JsonObject = {"do": "draw", "from": "supply"}
TOP: JsonObject = {"do": "draw", "from": "discard"}

GOOD_ORDERS: list[JsonObject] = [
    order(),
    order(
        rule("react", ANSWER, outlaws=[JESSE], reward_at_least=4000, holding="wyatt-earp"),
        rule("react", PASS),
    ),
    order(
        rule("draw", TOP, top_in=[JESSE, "photo:jesse-james"]), rule("draw", SUPPLY, top_not_in=["hideout"])
    ),
    order(
        rule("play", {"do": "lay", "any": True}), rule("play", {"do": "discard", "first": [BELLE, "hideout"]})
    ),
    order(rule("play", {"do": "bank-robbery", "on": JESSE}, holding="bank-robbery")),
    order(rule("play", {"do": "wyatt-earp", "mode": "search", "take": ["hideout"]})),
    order(rule("choose", {"do": "choose", "first": [JESSE]}), rule("choose", {"do": "choose", "best": True})),
    order(rule("choose", {"do": "choose", "decline": True}, asks="most-wanted")),
]

BAD_ORDERS: list[Json] = [
    None,
    [],
    {},
    {"rules": {}},
    {"rules": [], "more": 1},
    order({"when": "draw"}),
    order({"do": SUPPLY}),
    order(rule("night", SUPPLY)),
    order(rule("draw", PASS)),
    order(rule("react", SUPPLY)),
    order(rule("draw", SUPPLY, reward_at_least=1)),
    order(rule("draw", SUPPLY, top_in=JESSE)),
    order(rule("draw", SUPPLY, top_in=["nobody"])),
    order(rule("react", PASS, reward_at_least="much")),
    order(rule("react", PASS, outlaws=["hideout"])),
    order(rule("play", {"do": "lay", "any": False})),
    order(rule("play", {"do": "lay", "any": True, "outlaw": JESSE})),
    order(rule("play", {"do": "discard", "first": []})),
    order(rule("play", {"do": "discard"})),
    order(rule("choose", {"do": "choose", "best": 1})),
    order({**rule("draw", SUPPLY), "else": PASS}),
    order(*[rule("draw", SUPPLY)] * 65),
]


@pytest.mark.parametrize("good", GOOD_ORDERS, ids=json.dumps)
def test_an_order_of_the_vocabulary_is_accepted(good: JsonObject) -> None:
    rules_for(3).check_order(good)


@pytest.mark.parametrize("bad", BAD_ORDERS, ids=lambda bad: json.dumps(bad)[:60])
def test_an_order_outside_the_vocabulary_is_refused(bad: JsonObject) -> None:
    with pytest.raises(MalformedAction):
        rules_for(3).check_order(bad)


def answer(position: JsonObject, seat: str, given: JsonObject) -> JsonObject | None:
    rules = rules_for(3)
    rules.check_order(given)
    state = rules.position_from_json(position)
    action = rules.order_action(rules.observe(state, Seat(seat)), given)
    return None if action is None else rules.action_to_json(action)


WINDOW: JsonObject = {
    "phase": "react",
    "pending": {"card": "hideout", "by": "anna", "outlaw": JESSE},
    "territories": {"burt": {JESSE: {"outlaws": 3, "hideout": True}}},
    "posters": {JESSE: 4000},
    "hands": {"anna": 2, "burt": ["wyatt-earp", BELLE], "curt": 2},
    "supply": 5,
}


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


def test_whatever_an_order_answers_is_legal() -> None:
    keyed = Keyed("orders")
    rules = rules_for(3)
    everything = order(*(rule for one in GOOD_ORDERS for rule in one["rules"]))
    rules.check_order(everything)
    answered = 0
    for state, seat in decisions(rules, keyed, at_random(keyed)):
        view = rules.observe(state, seat)
        action = rules.order_action(view, everything)
        if action is not None:
            rules.check(view, action)
            answered += 1
    assert answered > 50
