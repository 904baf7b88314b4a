"""Refusals while something is asked, where nothing is, and of who is not asked."""

from __future__ import annotations

import pytest

from pbem.game import IllegalAction, JsonObject, Seat
from tests.games.wyatt_earp.refusing import in_order, rows_against, universe
from tests.games.wyatt_earp.table import rules_for

ASKED: JsonObject = {
    "phase": "choose",
    "pending": {"card": "hideout"},
    "sheriff_played": True,
    "hands": {"anna": ["hideout", "most-wanted", "photo:wes-hardin", "bob-dalton"], "burt": 2},
    "opened": ["wes-hardin"],
    "territories": {"burt": {"wes-hardin": {"outlaws": 3}, "bob-dalton": {"outlaws": 3}}},
    "supply": 9,
}


@pytest.mark.parametrize(
    "action",
    [
        {"do": "photo", "outlaw": "wes-hardin"},
        {"do": "bank-robbery"},
        {"do": "most-wanted", "ask": "bob-dalton", "direction": "clockwise"},
        {"do": "most-wanted", "steal": True},
        {"do": "hideout"},
        {"do": "wyatt-earp", "mode": "draw"},
    ],
    ids=lambda action: str(action["do"]),
)
def test_while_a_hit_asks_a_second_sheriff_card_is_refused_for_both_reasons(action: JsonObject) -> None:
    """Rows: I1, I10."""
    rules = rules_for(2)
    rows = rows_against(rules, rules.position_from_json(ASKED), action)
    assert {"I1", "I10"} <= set(rows)


def test_while_a_hit_asks_an_outlaw_card_is_refused_for_the_question_alone() -> None:
    """Rows: I1, I10."""
    rules = rules_for(2)
    rows = rows_against(
        rules, rules.position_from_json(ASKED), {"do": "lay", "outlaw": "bob-dalton", "count": 1}
    )
    assert "I10" in rows
    assert "I1" not in rows


QUESTIONS: JsonObject = {
    "phase": "choose",
    "sheriff_played": True,
    "hands": {"anna": ["bob-dalton"], "burt": 2},
    "territories": {
        "anna": {"wes-hardin": {"outlaws": 3}, "bob-dalton": {"outlaws": 3, "hideout": True}},
        "burt": {
            "wes-hardin": {"outlaws": 3},
            "bob-dalton": {"outlaws": 1, "fastest-gun": 1},
            "jesse-james": {"photo": True, "hideout": True},
        },
    },
    "discard": ["wyatt-earp", "hideout", "belle-starr"],
    "supply": 9,
}


@pytest.mark.parametrize(
    ("asks", "answer", "rows"),
    [
        ("most-wanted", {"on": "wes-hardin"}, {"M17"}),
        ("most-wanted", {"on": "wes-hardin", "seat": "anna"}, {"M15"}),
        ("most-wanted", {"on": "jesse-james", "seat": "burt"}, {"J5", "M10", "M17"}),
        ("most-wanted", {"on": "belle-starr", "seat": "burt"}, {"M10", "M17"}),
        ("most-wanted", {"take": "hideout"}, set()),
        ("hideout", {"on": "wes-hardin"}, {"N1"}),
        ("hideout", {"on": "wes-hardin", "seat": "anna"}, {"N1"}),
        ("hideout", {"on": "bob-dalton", "seat": "anna"}, {"N1", "N5"}),
        ("hideout", {"on": "jesse-james", "seat": "burt"}, {"N5"}),
        ("hideout", {"on": "belle-starr", "seat": "burt"}, {"N1"}),
        ("hideout", {"decline": True}, set()),
        ("hideout", {"take": "hideout"}, set()),
        ("bank-robbery", {"on": "jesse-james"}, {"I7"}),
        ("bank-robbery", {"on": "wes-hardin", "seat": "anna"}, set()),
        ("bank-robbery", {"decline": True}, set()),
        ("bank-robbery", {"take": "hideout"}, set()),
        ("fastest-gun", {"on": "bob-dalton"}, {"L3"}),
        ("fastest-gun", {"on": "jesse-james"}, {"I7"}),
        ("remove-hideout", {"on": "wes-hardin"}, {"O12"}),
        ("remove-hideout", {"on": "bob-dalton", "seat": "anna"}, set()),
        ("remove-hideout", {"take": "hideout"}, set()),
        ("search", {"take": "jesse-james"}, {"O5"}),
        ("search", {"take": "wyatt-earp"}, {"O5"}),
        ("search", {"on": "wes-hardin"}, {"O5"}),
        ("search", {"decline": True}, set()),
    ],
    ids=in_order,
)
def test_an_answer_that_is_none_is_refused_by_the_rows_of_the_card_that_asks(
    asks: str, answer: JsonObject, rows: set[str]
) -> None:
    """Rows: I7, I10, J5, L3, M10, M15, M17, N1, N5, O5, O12."""
    earp = asks in ("search", "remove-hideout")
    pending = {"card": "wyatt-earp", "mode": asks} if earp else {"card": asks}
    rules = rules_for(2)
    state = rules.position_from_json({**QUESTIONS, "pending": pending})
    assert set(rows_against(rules, state, {"do": "choose", **answer})) == {"I10", *rows}


@pytest.mark.parametrize("phase", ["draw", "play"])
def test_where_nothing_asks_there_is_nothing_to_answer(phase: str) -> None:
    """Rows: I10, O11, O13, N9."""
    rules = rules_for(2)
    state = rules.position_from_json({**QUESTIONS, "phase": phase})
    assert set(rows_against(rules, state, {"do": "choose", "decline": True})) == {"I10", "O11"}
    assert set(rows_against(rules, state, {"do": "react", "with": "pass"})) == {"O13", "N9"}
    draw: JsonObject = {"do": "draw", "from": "supply"}
    if phase == "play":
        assert set(rows_against(rules, state, draw)) == {"C1", "C2"}


@pytest.mark.parametrize(
    ("position", "rows"),
    [
        ({"phase": "draw"}, {"C1", "B8", "F1"}),
        ({"phase": "play"}, {"C1", "B8", "F1"}),
        ({"phase": "choose", "pending": {"card": "hideout"}}, {"C1", "B8", "F1"}),
        (
            {"phase": "react", "active": "burt", "pending": {"card": "hideout", "outlaw": "bob-dalton"}},
            {"N9", "O13", "C1", "B8", "F1"},
        ),
        ({"phase": "chance"}, {"C1", "H4"}),
        ({"phase": "over", "winners": ["burt"]}, {"H5"}),
    ],
    ids=in_order,
)
def test_who_is_not_to_act_learns_so(position: JsonObject, rows: set[str]) -> None:
    """Rows: B8, C1, F1, H4, H5, N9, O13."""
    rules = rules_for(3)
    view = rules.observe(rules.position_from_json({**QUESTIONS, **position}), Seat("curt"))
    with pytest.raises(IllegalAction) as caught:
        rules.check(view, rules.action_from_json({"do": "discard", "card": "bob-dalton"}))
    assert set(caught.value.rules) == rows


@pytest.mark.parametrize("phase", ["chance", "over"])
def test_while_nobody_is_to_act_nothing_is_applied(phase: str) -> None:
    """Rows: C1, H4, H5."""
    rules = rules_for(2)
    asked = {name: value for name, value in QUESTIONS.items() if name != "pending"}
    state = rules.position_from_json({**asked, "phase": phase})
    assert rules.legal(state) == ()
    for action in universe(2):
        rows = rows_against(rules, state, action)
        if action["do"] not in ("choose", "react"):
            assert {"chance": "H4", "over": "H5"}[phase] in rows


def test_a_discard_while_a_hit_asks_is_refused_for_the_order_of_a_turn_too() -> None:
    """Rows: C1, I10."""
    rules = rules_for(2)
    state = rules.position_from_json(ASKED)
    assert set(rows_against(rules, state, {"do": "discard", "card": "bob-dalton"})) == {"I10", "C1"}
