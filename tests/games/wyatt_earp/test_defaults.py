"""What a seat does that does not answer (schemas/README.md §14.1), and which actions may show it something."""

from __future__ import annotations

import pytest

from pbem.game import PUBLIC, IllegalAction, JsonObject, Seat
from tests.games.wyatt_earp.table import rules_for

ANNA, BURT = map(Seat, ("anna", "burt"))
JESSE, BELLE = "jesse-james", "belle-starr"
WINDOW: JsonObject = {
    "phase": "react",
    "pending": {"card": "hideout", "outlaw": JESSE},
    "territories": {"burt": {JESSE: {"outlaws": 3, "hideout": True}}},
    "hands": {"anna": 2, "burt": ["wyatt-earp", BELLE], "curt": 2},
    "supply": 5,
}
ROBBING: JsonObject = {
    "phase": "choose",
    "hands": {"anna": ["bank-robbery", "most-wanted", "hideout", BELLE], "burt": 2, "curt": 2},
    "territories": {
        "anna": {"wes-hardin": {"outlaws": 3}, "bob-dalton": {"outlaws": 3, "hideout": True}},
        "burt": {JESSE: {"outlaws": 3}, "sundance-kid": {"outlaws": 1}},
    },
    "supply": 5,
    "discard": ["hideout", JESSE],
}


def drawing(*hand: str, discard: tuple[str, ...]) -> JsonObject:
    return {
        "phase": "draw",
        "hands": {"anna": list(hand), "burt": 2, "curt": 2},
        "supply": 5,
        "discard": list(discard),
    }


def asked(card: str, **more: str) -> JsonObject:
    return {**ROBBING, "pending": {"card": card, **more}}


@pytest.mark.parametrize(
    ("position", "seat", "answer"),
    [
        (drawing(JESSE, discard=(BELLE,)), ANNA, {"do": "draw", "from": "discard"}),
        (drawing(JESSE, discard=()), ANNA, {"do": "draw", "from": "supply"}),
        (WINDOW, BURT, {"do": "react", "with": "pass"}),
        (asked("bank-robbery"), ANNA, {"do": "choose", "on": "bob-dalton"}),
        (asked("hideout"), ANNA, {"do": "choose", "on": JESSE, "seat": "burt"}),
        (asked("most-wanted"), ANNA, {"do": "choose", "decline": True}),
        (asked("wyatt-earp", mode="remove-hideout"), ANNA, {"do": "choose", "decline": True}),
        (asked("wyatt-earp", mode="search"), ANNA, {"do": "choose", "take": "hideout"}),
    ],
)
def test_the_default_answer_takes_nothing_where_that_is_possible(
    position: JsonObject, seat: Seat, answer: JsonObject
) -> None:
    """Rows: C1, I10, O13."""
    rules = rules_for(3)
    view = rules.observe(rules.position_from_json(position), seat)
    assert rules.action_to_json(rules.default_action(view)) == answer


def test_a_default_turn_takes_the_top_discard_and_puts_it_back() -> None:
    """Rows: C1, E8. Hands and stacks are as before, and the next seat is to act."""
    rules = rules_for(3)
    state = rules.position_from_json(drawing(BELLE, JESSE, discard=("hideout", "wyatt-earp")))
    before = rules.position_to_json(state)
    for _ in range(2):
        state = rules.apply(state, rules.default_action(rules.observe(state, ANNA))).state
    assert rules.position_to_json(state) == {**before, "active": "burt"}


@pytest.mark.parametrize(
    ("hand", "drawn", "discarded"),
    [
        ([JESSE, "hideout", BELLE], None, BELLE),
        ([JESSE, "hideout", BELLE], "hideout", "hideout"),
        ([JESSE, "hideout"], BELLE, "hideout"),
        (["wyatt-earp", "most-wanted", JESSE, JESSE, JESSE], None, JESSE),
    ],
)
def test_the_default_discard_is_the_card_taken_or_the_first_one_of_the_hand(
    hand: list[str], drawn: str | None, discarded: str
) -> None:
    """Rows: E1, E8. Nothing is played, whatever could be."""
    rules = rules_for(3)
    position: JsonObject = {
        "phase": "play",
        "hands": {"anna": hand, "burt": 2, "curt": 2},
        "supply": 5,
    }
    if drawn is not None:
        position["drawn"] = drawn
    view = rules.observe(rules.position_from_json(position), ANNA)
    assert rules.action_to_json(rules.default_action(view)) == {"do": "discard", "card": discarded}


@pytest.mark.parametrize("viewer", [BURT, PUBLIC], ids=str)
def test_who_is_not_asked_has_no_default_and_no_legal_action(viewer: Seat) -> None:
    rules = rules_for(3)
    view = rules.observe(rules.position_from_json(drawing(JESSE, discard=(BELLE,))), viewer)
    assert rules.legal_actions(view) == ()
    with pytest.raises(IllegalAction, match="not asked"):
        rules.default_action(view)


@pytest.mark.parametrize(
    ("action", "named"),
    [
        ({"do": "bank-robbery"}, [{"on": "bob-dalton"}, {"on": "wes-hardin"}]),
        ({"do": "hideout"}, [{"on": JESSE, "seat": "burt"}, {"on": "sundance-kid", "seat": "burt"}]),
        ({"do": "wyatt-earp", "mode": "remove-hideout"}, [{"on": "bob-dalton"}]),
        ({"do": "discard", "card": BELLE}, []),
    ],
)
def test_what_an_action_may_name_in_advance(action: JsonObject, named: list[JsonObject]) -> None:
    """Rows: I9."""
    rules = rules_for(3)
    view = rules.observe(rules.position_from_json({**ROBBING, "phase": "play"}), ANNA)
    extras = rules.extras(view, rules.action_from_json(action))
    assert [rules.action_to_json(extra) for extra in extras] == [{**action, **extra} for extra in named]


TABLE: JsonObject = {
    "phase": "play",
    "hands": {
        "anna": ["bank-robbery", "most-wanted", "hideout", "wyatt-earp", "photo:jesse-james", *[JESSE] * 4],
        "burt": ["belle-starr", "belle-starr"],
        "curt": 2,
    },
    "opened": [JESSE],
    "territories": {"anna": {"wes-hardin": {"outlaws": 3, "hideout": True}}, "burt": {BELLE: {"outlaws": 1}}},
    "supply": 9,
    "discard": [BELLE, "hideout"],
}


@pytest.mark.parametrize(
    ("position", "action", "showed"),
    [
        (TABLE, {"do": "lay", "outlaw": JESSE, "count": 3}, False),
        (TABLE, {"do": "photo", "outlaw": JESSE}, False),
        (TABLE, {"do": "discard", "card": JESSE}, False),
        (TABLE, {"do": "bank-robbery"}, True),
        (TABLE, {"do": "hideout"}, True),
        (TABLE, {"do": "most-wanted", "steal": True}, True),
        (TABLE, {"do": "most-wanted", "ask": BELLE, "direction": "clockwise"}, True),
        (TABLE, {"do": "most-wanted", "ask": JESSE, "direction": "clockwise"}, True),
        (TABLE, {"do": "wyatt-earp", "mode": "draw"}, True),
        (TABLE, {"do": "wyatt-earp", "mode": "search"}, True),
        (TABLE, {"do": "wyatt-earp", "mode": "search", "take": [BELLE]}, True),
        (TABLE, {"do": "wyatt-earp", "mode": "remove-hideout"}, True),
        (asked("bank-robbery"), {"do": "choose", "on": "wes-hardin"}, False),
        (asked("most-wanted"), {"do": "choose", "on": JESSE, "seat": "burt"}, False),
        (asked("most-wanted"), {"do": "choose", "decline": True}, False),
        (asked("wyatt-earp", mode="search"), {"do": "choose", "take": JESSE}, True),
        (WINDOW, {"do": "react", "with": "pass"}, False),
        (WINDOW, {"do": "react", "with": "wyatt-earp"}, True),
        (drawing(JESSE, discard=(BELLE, JESSE)), {"do": "draw", "from": "supply"}, True),
        (drawing(JESSE, discard=(BELLE, JESSE)), {"do": "draw", "from": "discard"}, True),
        (drawing(JESSE, discard=(BELLE,)), {"do": "draw", "from": "discard"}, False),
    ],
    ids=lambda value: " ".join(map(str, value.values())) if isinstance(value, dict) and "do" in value else "",
)
def test_a_step_that_showed_something_cannot_be_taken_back(
    position: JsonObject, action: JsonObject, showed: bool
) -> None:
    """Rows: I3, M4, O5, O11, P3, P4. What came before it may be (schemas/README.md §8)."""
    rules = rules_for(3)
    step = rules.apply(rules.position_from_json(position), rules.action_from_json(action))
    assert step.reveals is showed


@pytest.mark.parametrize(
    ("action", "shows"),
    [
        ({"do": "draw", "from": "supply"}, True),
        ({"do": "draw", "from": "discard"}, True),
        ({"do": "lay", "outlaw": JESSE, "count": 3}, False),
        ({"do": "photo", "outlaw": JESSE}, False),
        ({"do": "bank-robbery"}, True),
        ({"do": "stagecoach-robbery", "on": JESSE}, True),
        ({"do": "fastest-gun"}, True),
        ({"do": "most-wanted", "ask": JESSE, "direction": "clockwise"}, True),
        ({"do": "most-wanted", "steal": True}, True),
        ({"do": "hideout"}, True),
        ({"do": "wyatt-earp", "mode": "draw"}, True),
        ({"do": "wyatt-earp", "mode": "search"}, True),
        ({"do": "wyatt-earp", "mode": "remove-hideout"}, True),
        ({"do": "choose", "on": JESSE}, False),
        ({"do": "choose", "on": JESSE, "seat": "burt"}, False),
        ({"do": "choose", "decline": True}, False),
        ({"do": "choose", "take": JESSE}, True),
        ({"do": "react", "with": "wyatt-earp"}, True),
        ({"do": "react", "with": "pass"}, False),
        ({"do": "discard", "card": JESSE}, False),
    ],
    ids=str,
)
def test_draws_shots_questions_and_searches_may_show_something(action: JsonObject, shows: bool) -> None:
    """What a client sends after one of these is sealed (schemas/README.md §3.2)."""
    rules = rules_for(3)
    assert rules.may_reveal(rules.action_from_json(action)) is shows
