"""What is no action is refused at its place, in its own words, with the row that forbids the form."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.game import JsonObject, MalformedAction
from tests.games.way_out_west.table import rules_for

TOWNS = "san-antonia, kansas-city, abilene, dodge-city, deadwood"
SEATS = "anna, burt, curt"
ASSETS = "stagecoach, train, bank, jail, store, hotel"
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
    assert refusal({**action, "why": 1}) == (f"{action['do']}: unknown member 'why'", ())


def test_two_unknown_members_the_first_by_name_is_told() -> None:
    assert refusal({"do": "fire", "zeal": 1, "at": "anna"}) == ("fire: unknown member 'at'", ())


def gunfight(**target: Any) -> JsonObject:
    return {"do": "gunfight", "town": "abilene", "target": target}


def moving(*moves: Any) -> JsonObject:
    return {"do": "move-cowboys", "moves": list(moves)}


def leaving(*moves: Any) -> JsonObject:
    return {"do": "leave-town", "moves": list(moves)}


NO_ACTION: list[tuple[Any, str, tuple[str, ...]]] = [
    (3, "an action is a JSON object, found 3", ()),
    ({}, f"no action None; 'do' must be one of: {', '.join(one['do'] for one in ACTIONS)}", ()),
    (
        {"do": ["bid"]},
        f"no action ['bid']; 'do' must be one of: {', '.join(one['do'] for one in ACTIONS)}",
        (),
    ),
    ({"do": "bid", "amount": 0}, "bid: 'amount' must be at least 1, found 0", ("B5", "B4")),
    ({"do": "bid", "amount": True}, "bid: 'amount' must be a whole number, found True", ()),
    ({"do": "bid", "amount": "3"}, "bid: 'amount' must be a whole number, found '3'", ()),
    (
        {"do": "cattle", "towns": ["abilene"] * 3},
        "cattle: one or two counters are bought, found 3",
        ("D1",),
    ),
    (
        {"do": "cowboys", "towns": ["abilene"] * 3},
        "cowboys: one or two counters are bought, found 3",
        ("E1",),
    ),
    (
        {"do": "cattle", "towns": []},
        "cattle: 'towns' is empty: a box may not be used without acting",
        ("C8", "D1"),
    ),
    (
        {"do": "cowboys", "towns": []},
        "cowboys: 'towns' is empty: a box may not be used without acting",
        ("C8", "E1"),
    ),
    (moving(), "move-cowboys: 'moves' is empty: a box may not be used without acting", ("C8", "G1")),
    (
        {"do": "cattle", "towns": "abilene"},
        "cattle: 'towns' must be a list of towns, found 'abilene'",
        (),
    ),
    (
        {"do": "cattle", "towns": ["abilene", "tombstone"]},
        f"cattle: 'towns': no town 'tombstone'; there are: {TOWNS}",
        (),
    ),
    (
        {"do": "build", "asset": "saloon", "town": "abilene"},
        f"build: 'asset': no asset 'saloon'; there are: {ASSETS}",
        (),
    ),
    (
        {"do": "build", "asset": ["bank"], "town": "abilene"},
        f"build: 'asset': no asset ['bank']; there are: {ASSETS}",
        (),
    ),
    (
        {"do": "farmer", "town": "abilene", "replace": "zoe"},
        f"farmer: 'replace': no seat 'zoe'; there are: {SEATS}",
        (),
    ),
    (
        {"do": "move-cattle", "from": "abilene", "to": "deadwood", "seat": "zoe"},
        f"move-cattle: 'seat': no seat 'zoe'; there are: {SEATS}",
        (),
    ),
    ({"do": "take-wanted", "from": "zoe"}, f"take-wanted: 'from': no seat 'zoe'; there are: {SEATS}", ()),
    ({"do": "ask-sheriff", "ask": 1}, "ask-sheriff: 'ask' must be true or false, found 1", ()),
    ({"do": "lend-sheriff", "lend": "yes"}, "lend-sheriff: 'lend' must be true or false, found 'yes'", ()),
    ({"do": "move-cowboys", "moves": MOVE}, "move-cowboys: 'moves' must be a list of objects", ()),
    (moving(MOVE, 3), "move-cowboys: 'moves' must be a list of objects", ()),
    (
        moving(MOVE, {**MOVE, "count": 0}),
        "move-cowboys, moves 2: 'count' must be at least 1, found 0",
        ("C8", "G1"),
    ),
    (
        moving({**MOVE, "to": "tombstone"}),
        f"move-cowboys, moves 1: 'to': no town 'tombstone'; there are: {TOWNS}",
        (),
    ),
    (
        moving({"from": "abilene", "to": "deadwood"}),
        "move-cowboys, moves 1: member 'count' is missing",
        (),
    ),
    (moving({**MOVE, "box": "x"}), "move-cowboys, moves 1: unknown member 'box'", ()),
    (leaving(), "leave-town: 'moves' is empty: all cowboys leave", ("M5",)),
    (
        leaving({"to": "abilene", "count": 0}),
        "leave-town, moves 1: 'count' must be at least 1, found 0",
        ("M5",),
    ),
    (leaving({"to": "abilene"}), "leave-town, moves 1: member 'count' is missing", ()),
    (leaving({"to": "abilene", "count": 1, "from": 1}), "leave-town, moves 1: unknown member 'from'", ()),
    (
        {"do": "gunfight", "town": "abilene", "target": 3},
        "gunfight: 'target' must be an object, found 3",
        (),
    ),
    (
        gunfight(),
        "gunfight, target: a target is one asset, or cattle of one seat, or a farmer",
        ("J18", "J2"),
    ),
    (
        gunfight(asset="bank", farmer=True),
        "gunfight, target: a target is one asset, or cattle of one seat, or a farmer",
        ("J18", "J2"),
    ),
    (gunfight(asset="bank", seat="burt"), "gunfight, target: unknown member 'seat'", ()),
    (
        gunfight(asset="saloon"),
        f"gunfight, target: 'asset': no asset 'saloon'; there are: {ASSETS}",
        (),
    ),
    (gunfight(cattle=1), "gunfight, target: member 'seat' is missing", ()),
    (gunfight(cattle=1, seat="burt", town="abilene"), "gunfight, target: unknown member 'town'", ()),
    (gunfight(cattle=0, seat="burt"), "gunfight, target: 'cattle' must be 1 to 2, found 0", ("J2",)),
    (gunfight(cattle=3, seat="burt"), "gunfight, target: 'cattle' must be 1 to 2, found 3", ("J2",)),
    (
        gunfight(cattle=1, seat="zoe"),
        f"gunfight, target: 'seat': no seat 'zoe'; there are: {SEATS}",
        (),
    ),
    (gunfight(farmer=False), "gunfight, target: 'farmer' must be true, found False", ()),
    (gunfight(farmer=True, seat="burt"), "gunfight, target: unknown member 'seat'", ()),
    ({**gunfight(farmer=True), "plan": []}, "gunfight: 'plan' must be an object, found []", ()),
    ({**gunfight(farmer=True), "plan": {"to": []}}, "gunfight, plan: member 'retreat_below' is missing", ()),
    (
        {**gunfight(farmer=True), "plan": {**PLAN, "retreat_below": -1}},
        "gunfight, plan: 'retreat_below' must be at least 0, found -1",
        (),
    ),
    ({**gunfight(farmer=True), "plan": {**PLAN, "ask": True}}, "gunfight, plan: unknown member 'ask'", ()),
]


@pytest.mark.parametrize(("obj", "told", "rows"), NO_ACTION, ids=[told for _, told, _ in NO_ACTION])
def test_what_is_no_action_is_told_at_its_place(obj: Any, told: str, rows: tuple[str, ...]) -> None:
    """Rows: B4, B5, C8, D1, E1, G1, J2, J18, M5."""
    assert refusal(obj) == (told, rows)


def test_every_action_on_a_box_may_name_any_box_of_the_board() -> None:
    """Also one that is open with five players alone: that is a question for the rules."""
    rules = rules_for(3)
    boxes = ", ".join(box.id for box in rules.match.board.boxes)
    for action in ACTIONS:
        named = {**action, "box": "gunfight-3"}
        if action["do"] in (
            *("cattle", "cowboys", "build", "move-cowboys", "move-cattle", "gunfight", "farmer", "pass"),
        ):
            assert rules.action_to_json(rules.action_from_json(named)) == named
            told = f"{action['do']}: 'box': no action box 'saloon'; there are: {boxes}"
            assert refusal({**action, "box": "saloon"}) == (told, ())
        else:
            assert refusal(named) == (f"{action['do']}: unknown member 'box'", ())


def test_nothing_may_be_bought_or_moved_where_a_box_may_be_blocked() -> None:
    """Rows: C8, box_must_act=false. But who leaves a town leaves with all his cowboys."""
    rules = rules_for(3, box_must_act=False)
    for action in ({"do": "cattle", "towns": []}, {"do": "cowboys", "towns": []}, moving()):
        assert rules.action_to_json(rules.action_from_json(action)) == action
    assert refusal(leaving(), box_must_act=False)[1] == ("M5",)


def test_moves_between_the_same_towns_are_one() -> None:
    rules = rules_for(3)
    found = rules.action_to_json(
        rules.action_from_json(
            leaving(*({"to": to, "count": 2} for to in ("deadwood", "abilene", "abilene")))
        )
    )
    assert found["moves"] == [{"to": "abilene", "count": 4}, {"to": "deadwood", "count": 2}]


@pytest.mark.parametrize(
    "target", [{"cattle": 1, "seat": "burt"}, {"cattle": 2, "seat": "burt"}, {"asset": "bank"}]
)
def test_targets_and_plans_are_kept(target: JsonObject) -> None:
    action = {"do": "gunfight", "town": "abilene", "target": target, "plan": PLAN}
    rules = rules_for(3)
    assert rules.action_to_json(rules.action_from_json(action)) == action
