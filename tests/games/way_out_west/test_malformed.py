"""What is no action is refused at its place, in its own words, with the row that forbids the form."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.game import JsonObject, MalformedAction
from tests.games.way_out_west.table import rules_for

FARMER: JsonObject = {"farmer": True}
PLAN: JsonObject = {"retreat_below": 0, "to": []}
MOVE: JsonObject = {"from": "abilene", "to": "deadwood", "count": 1}

ACTIONS: list[JsonObject] = [
    {"do": "place-cowboy", "town": "abilene"},
    {"do": "bid", "amount": 1},
    {"do": "drop-out"},
    {"do": "cattle", "towns": ["abilene", "deadwood"]},
    {"do": "cowboys", "towns": ["abilene"]},
    {"do": "build", "asset": "hotel", "town": "abilene"},
    {"do": "move-cowboys", "moves": [MOVE]},
    {"do": "move-cattle", "from": "abilene", "to": "deadwood"},
    {"do": "gunfight", "town": "abilene", "target": FARMER},
    {"do": "farmer", "town": "abilene"},
    {"do": "pass"},
    {"do": "ask-sheriff", "ask": True},
    {"do": "lend-sheriff", "lend": False},
    {"do": "fire"},
    {"do": "retreat", "to": ["abilene"]},
    {"do": "leave-town", "moves": [{"to": "abilene", "count": 1}]},
    {"do": "take-wanted", "from": "burt"},
]
"""One of each kind, with no member more than it needs."""


def refusal(obj: Any, **options: Any) -> tuple[str, tuple[str, ...]]:
    """The words, and the rows named."""
    with pytest.raises(MalformedAction) as refused:
        rules_for(3, **options).action_from_json(obj)
    return str(refused.value), tuple(refused.value.rules)


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: str(action["do"]))
def test_an_action_has_the_members_it_needs_and_no_others(action: JsonObject) -> None:
    rules = rules_for(3)
    assert rules.action_to_json(rules.action_from_json(action)) == action
    for name in set(action) - {"do"}:
        left = {key: value for key, value in action.items() if key != name}
        assert refusal(left) == (f"{action['do']}: member {name!r} is missing", ())
    message = f'{action["do"]}: unexpected member "why"; known here: '
    assert refusal({**action, "why": 1})[0].startswith(message)


def test_two_unknown_members_the_first_by_name_is_shown() -> None:
    assert refusal({"do": "fire", "zeal": 1, "at": "anna"}) == (
        'fire: unexpected member "at"; known here: do',
        (),
    )


def gunfight(**target: Any) -> JsonObject:
    return {"do": "gunfight", "town": "abilene", "target": target}


def moving(*moves: Any) -> JsonObject:
    return {"do": "move-cowboys", "moves": list(moves)}


def leaving(*moves: Any) -> JsonObject:
    return {"do": "leave-town", "moves": list(moves)}


NO_ACTION: list[tuple[Any, str, tuple[str, ...]]] = [
    (3, "expected an object, found a number 3", ()),
    ({}, "member 'do' is missing", ()),
    (
        {"do": ["bid"]},
        (
            'do: expected one of "place-cowboy", "bid", "drop-out", "cattle", "cowboys", '
            '"build", "move-cowboys", "move-cattle", "gunfight", "farmer", "pass", '
            '"ask-sheriff", "lend-sheriff", "fire", "retreat", "leave-town", "take-wanted"; '
            "found a list of 1"
        ),
        (),
    ),
    (
        {"do": "bid", "amount": 0},
        "bid, amount: expected at least 1, found a number 0",
        (
            "B5",
            "B4",
        ),
    ),
    (
        {"do": "bid", "amount": True},
        "bid, amount: expected an integer, found true",
        (
            "B5",
            "B4",
        ),
    ),
    (
        {"do": "bid", "amount": "3"},
        'bid, amount: expected an integer, found text "3"',
        (
            "B5",
            "B4",
        ),
    ),
    (
        {"do": "cattle", "towns": ["abilene"] * 3},
        "cattle, towns: expected at most 2 entries, found a list of 3",
        ("D1",),
    ),
    (
        {"do": "cowboys", "towns": ["abilene"] * 3},
        "cowboys, towns: expected at most 2 entries, found a list of 3",
        ("E1",),
    ),
    (
        {"do": "cattle", "towns": []},
        "cattle: 'towns' is empty: a box may not be used without acting",
        (
            "C8",
            "D1",
        ),
    ),
    (
        {"do": "cowboys", "towns": []},
        "cowboys: 'towns' is empty: a box may not be used without acting",
        (
            "C8",
            "E1",
        ),
    ),
    (
        moving(),
        "move-cowboys: 'moves' is empty: a box may not be used without acting",
        (
            "C8",
            "G1",
        ),
    ),
    (
        {"do": "cattle", "towns": "abilene"},
        'cattle, towns: expected a list, found text "abilene"',
        ("D1",),
    ),
    (
        {"do": "cattle", "towns": ["abilene", "tombstone"]},
        (
            'cattle, towns 2: expected one of "san-antonia", "kansas-city", "abilene", '
            '"dodge-city", "deadwood"; found text "tombstone"'
        ),
        ("D1",),
    ),
    (
        {"do": "build", "asset": "saloon", "town": "abilene"},
        (
            'build, asset: expected one of "stagecoach", "train", "bank", "jail", "store", '
            '"hotel"; found text "saloon"'
        ),
        (),
    ),
    (
        {"do": "build", "asset": ["bank"], "town": "abilene"},
        (
            'build, asset: expected one of "stagecoach", "train", "bank", "jail", "store", '
            '"hotel"; found a list of 1'
        ),
        (),
    ),
    (
        {"do": "farmer", "town": "abilene", "replace": "zoe"},
        'farmer, replace: expected one of "anna", "burt", "curt"; found text "zoe"',
        (),
    ),
    (
        {"do": "move-cattle", "from": "abilene", "to": "deadwood", "seat": "zoe"},
        'move-cattle, seat: expected one of "anna", "burt", "curt"; found text "zoe"',
        (),
    ),
    (
        {"do": "take-wanted", "from": "zoe"},
        'take-wanted, from: expected one of "anna", "burt", "curt"; found text "zoe"',
        (),
    ),
    ({"do": "ask-sheriff", "ask": 1}, "ask-sheriff, ask: expected true or false, found a number 1", ()),
    (
        {"do": "lend-sheriff", "lend": "yes"},
        'lend-sheriff, lend: expected true or false, found text "yes"',
        (),
    ),
    ({"do": "move-cowboys", "moves": MOVE}, "move-cowboys, moves: expected a list, found an object of 3", ()),
    (moving(MOVE, 3), "move-cowboys, moves 2: expected an object, found a number 3", ()),
    (
        moving(MOVE, {**MOVE, "count": 0}),
        "move-cowboys, moves 2, count: expected at least 1, found a number 0",
        (
            "C8",
            "G1",
        ),
    ),
    (
        moving({**MOVE, "to": "tombstone"}),
        (
            'move-cowboys, moves 1, to: expected one of "san-antonia", "kansas-city", '
            '"abilene", "dodge-city", "deadwood"; found text "tombstone"'
        ),
        (),
    ),
    (
        moving({"from": "abilene", "to": "deadwood"}),
        "move-cowboys, moves 1: member 'count' is missing",
        (),
    ),
    (
        moving({**MOVE, "box": "x"}),
        'move-cowboys, moves 1: unexpected member "box"; known here: from, to, count',
        (),
    ),
    (leaving(), "leave-town, moves: expected at least 1 entry, found a list of 0", ("M5",)),
    (
        leaving({"to": "abilene", "count": 0}),
        "leave-town, moves 1, count: expected at least 1, found a number 0",
        ("M5",),
    ),
    (leaving({"to": "abilene"}), "leave-town, moves 1: member 'count' is missing", ("M5",)),
    (
        leaving({"to": "abilene", "count": 1, "from": 1}),
        'leave-town, moves 1: unexpected member "from"; known here: to, count',
        ("M5",),
    ),
    (
        {"do": "gunfight", "town": "abilene", "target": 3},
        "gunfight, target: expected an object, found a number 3",
        (
            "J18",
            "J2",
        ),
    ),
    (
        gunfight(),
        "gunfight, target: member 'asset' is missing",
        (
            "J18",
            "J2",
        ),
    ),
    (
        gunfight(asset="bank", farmer=True),
        'gunfight, target: unexpected member "farmer"; known here: asset',
        (
            "J18",
            "J2",
        ),
    ),
    (
        gunfight(asset="bank", seat="burt"),
        'gunfight, target: unexpected member "seat"; known here: asset',
        (
            "J18",
            "J2",
        ),
    ),
    (
        gunfight(asset="saloon"),
        (
            'gunfight, target, asset: expected one of "stagecoach", "train", "bank", "jail", '
            '"store", "hotel"; found text "saloon"'
        ),
        (),
    ),
    (
        gunfight(cattle=1),
        "gunfight, target: member 'seat' is missing",
        (
            "J18",
            "J2",
        ),
    ),
    (
        gunfight(cattle=1, seat="burt", town="abilene"),
        'gunfight, target: unexpected member "town"; known here: cattle, seat',
        (
            "J18",
            "J2",
        ),
    ),
    (
        gunfight(cattle=0, seat="burt"),
        "gunfight, target, cattle: expected at least 1, found a number 0",
        ("J2",),
    ),
    (
        gunfight(cattle=3, seat="burt"),
        "gunfight, target, cattle: expected at most 2, found a number 3",
        ("J2",),
    ),
    (
        gunfight(cattle=1, seat="zoe"),
        'gunfight, target, seat: expected one of "anna", "burt", "curt"; found text "zoe"',
        (),
    ),
    (gunfight(farmer=False), "gunfight, target, farmer: expected true, found false", ()),
    (
        gunfight(farmer=True, seat="burt"),
        "gunfight, target: member 'cattle' is missing",
        (
            "J18",
            "J2",
        ),
    ),
    ({**gunfight(farmer=True), "plan": []}, "gunfight, plan: expected an object, found a list of 0", ()),
    ({**gunfight(farmer=True), "plan": {"to": []}}, "gunfight, plan: member 'retreat_below' is missing", ()),
    (
        {**gunfight(farmer=True), "plan": {**PLAN, "retreat_below": -1}},
        "gunfight, plan, retreat_below: expected at least 0, found a number -1",
        (),
    ),
    (
        {**gunfight(farmer=True), "plan": {**PLAN, "ask": True}},
        'gunfight, plan: unexpected member "ask"; known here: retreat_below, to',
        (),
    ),
]


@pytest.mark.parametrize(("obj", "message", "rows"), NO_ACTION, ids=[message for _, message, _ in NO_ACTION])
def test_what_is_no_action_is_shown_at_its_place(obj: Any, message: str, rows: tuple[str, ...]) -> None:
    """Rows: B4, B5, C8, D1, E1, G1, J2, J18, M5."""
    assert refusal(obj) == (message, rows)


def test_every_action_on_a_box_may_name_any_box_of_the_board() -> None:
    """Also one that is open with five players alone: that is a question for the rules."""
    rules = rules_for(3)
    boxes = ", ".join(f'"{box.id}"' for box in rules.match.board.boxes)
    for action in ACTIONS:
        named = {**action, "box": "gunfight-3"}
        if action["do"] in (
            *("cattle", "cowboys", "build", "move-cowboys", "move-cattle", "gunfight", "farmer", "pass"),
        ):
            assert rules.action_to_json(rules.action_from_json(named)) == named
            message = f'{action["do"]}, box: expected one of {boxes}; found text "saloon"'
            assert refusal({**action, "box": "saloon"}) == (message, ())
        else:
            assert refusal(named)[0].startswith(f'{action["do"]}: unexpected member "box"; known here: do')


def test_nothing_may_be_bought_or_moved_where_a_box_may_be_blocked() -> None:
    """Rows: C8, box_must_act=false. But who leaves a town leaves with all their cowboys."""
    rules = rules_for(3, box_must_act=False)
    for action in ({"do": "cattle", "towns": []}, {"do": "cowboys", "towns": []}, moving()):
        assert rules.action_to_json(rules.action_from_json(action)) == action
    assert refusal(leaving(), box_must_act=False)[1] == ("M5",)


def test_moves_between_the_same_towns_are_one() -> None:
    rules = rules_for(3)
    body = rules.action_to_json(
        rules.action_from_json(
            leaving(*({"to": to, "count": 2} for to in ("deadwood", "abilene", "abilene")))
        )
    )
    assert body["moves"] == [{"to": "abilene", "count": 4}, {"to": "deadwood", "count": 2}]


@pytest.mark.parametrize(
    "target", [{"cattle": 1, "seat": "burt"}, {"cattle": 2, "seat": "burt"}, {"asset": "bank"}]
)
def test_targets_and_plans_are_kept(target: JsonObject) -> None:
    action = {"do": "gunfight", "town": "abilene", "target": target, "plan": PLAN}
    rules = rules_for(3)
    assert rules.action_to_json(rules.action_from_json(action)) == action
