"""Each damage to a board file is told once, at its place, in its own words; a number at its limit is none."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from pbem.game import BadSetup, JsonObject
from pbem.games.way_out_west.board import read_board, shape_faults, standard_board
from pbem.games.way_out_west.board_check import check_board

Change = Callable[[JsonObject], Any]
KINDS = "cattle, cowboys, build, move_cowboys, move_cattle, gunfight, farmer"
ASSETS = "stagecoach, train, bank, jail, store, hotel"


def changed(change: Change) -> JsonObject:
    board = copy.deepcopy(standard_board())
    change(board)
    return board


def town(at: int, **members: Any) -> Change:
    return lambda board: board["towns"][at].update(members)


def box(name: str, **members: Any) -> Change:
    return lambda board: box_of(board, name).update(members)


def box_of(board: JsonObject, name: str) -> JsonObject:
    found: JsonObject = next(box for box in board["action_boxes"] if box["id"] == name)
    return found


def top(**members: Any) -> Change:
    return lambda board: board.update(members)


def inside(group: str, **members: Any) -> Change:
    return lambda board: board[group].update(members)


def without(*boxes: str) -> Change:
    return lambda board: board.update(
        action_boxes=[box for box in board["action_boxes"] if box["id"] not in boxes]
    )


def both(*changes: Change) -> Change:
    return lambda board: [change(board) for change in changes]


def number(where: str, least: int, found: Any) -> str:
    return f"{where} must be a whole number of at least {least}, found {found!r}"


UNPLAYABLE: list[tuple[Change, str]] = [
    (top(board=""), "'board' must be the board's name"),
    (top(board=7), "'board' must be the board's name"),
    (top(towns={}), "'towns' must be a list of objects"),
    (top(towns=[3, 4]), "'towns' must be a list of objects"),
    (top(towns=standard_board()["towns"][:1]), "a board needs at least two towns (G1, L13)"),
    (town(1, name=""), "town number 2 in the list needs a name with a letter or a digit in it"),
    (town(0, name=4), "town number 1 in the list needs a name with a letter or a digit in it"),
    (town(0, name="!?"), "town '!?' needs a name with a letter or a digit in it"),
    (town(0, id=0), number("town 'San Antonia': id", 1, 0)),
    (town(1, id=True), number("town 'Kansas City': id", 1, True)),
    (town(2, corrals=0), number("town 'Abilene': corrals", 1, 0)),
    (town(3, buildings=-1), number("town 'Dodge City': buildings", 0, -1)),
    (town(4, id=6), "towns must be numbered 1 to 5, each number once, found [1, 2, 3, 4, 6] (D3)"),
    (town(4, id=1), "towns must be numbered 1 to 5, each number once, found [1, 2, 3, 4, 1] (D3)"),
    (town(4, name="Abilene!"), "two towns have the same name"),
    (top(action_boxes="none"), "'action_boxes' must be a list of objects"),
    (top(action_boxes=["cattle-1"]), "'action_boxes' must be a list of objects"),
    (box("jail", id="Jail"), "box 'Jail' needs an id like cattle-1"),
    (box("cattle-1", id=None), "box number 1 in the list needs an id like cattle-1"),
    (box("cattle-2", id=""), "box number 2 in the list needs an id like cattle-1"),
    (box("farmer", id="jail"), "two action boxes are called 'jail'"),
    (box("farmer", kind="sheep"), f"box 'farmer': kind must be one of {KINDS}, found 'sheep'"),
    (
        box("bank", asset="saloon"),
        f"box 'bank': a build box, and only it, names one of {ASSETS} as its asset",
    ),
    (
        box("farmer", asset="bank"),
        f"box 'farmer': a build box, and only it, names one of {ASSETS} as its asset",
    ),
    (box("move-cowboys-2", value=0), number("box 'move-cowboys-2': value", 1, 0)),
    (box("bank", price=-1), number("box 'bank': price", 0, -1)),
    (box("cattle-3", price_per_counter=-1), number("box 'cattle-3': price_per_counter", 0, -1)),
    (box("cattle-3", price=1), "box 'cattle-3' needs a price or a price_per_counter (C3)"),
    (lambda b: box_of(b, "bank").pop("price"), "box 'bank' needs a price or a price_per_counter (C3)"),
    (
        lambda b: box_of(b, "farmer").update(price_per_counter=box_of(b, "farmer").pop("price")),
        "box 'farmer': only cattle, cowboys and move_cowboys can be priced by the counter",
    ),
    (box("bank", min_players=2), "box 'bank': min_players must be 3, 4 or 5 (A1), found 2"),
    (box("bank", min_players=6), "box 'bank': min_players must be 3, 4 or 5 (A1), found 6"),
    (box("bank", min_players=True), "box 'bank': min_players must be 3, 4 or 5 (A1), found True"),
    (top(counters_per_colour=[9]), "'counters_per_colour' must be an object"),
    (inside("counters_per_colour", cowboy=2), number("counters_per_colour.cowboy", 3, 2)),
    (inside("counters_per_colour", hotel=-1), number("counters_per_colour.hotel", 0, -1)),
    (lambda b: b["counters_per_colour"].pop("train"), number("counters_per_colour.train", 0, None)),
    (top(farmers_per_player=-1), number("farmers_per_player", 0, -1)),
    (top(wanted_counters=-1), number("wanted_counters", 0, -1)),
    (top(last_space=0), number("last_space", 1, 0)),
    (top(start_cash=20), "start_cash needs a number for 3, 4 and 5 players"),
    (lambda b: b["start_cash"].pop("5"), "start_cash needs a number for 3, 4 and 5 players"),
    (inside("start_space", **{"6": 1}), "start_space needs a number for 3, 4 and 5 players"),
    (inside("start_cash", **{"4": -1}), number("start_cash.4", 0, -1)),
    (inside("start_space", **{"5": 0}), number("start_space.5", 1, 0)),
    (inside("start_space", **{"5": 13}), "start_space.5 lies behind last_space 12 (A9)"),
    (top(income_spaces=3), "income_spaces must be a list of whole numbers from 1 on"),
    (top(income_spaces=[0, 3]), "income_spaces must be a list of whole numbers from 1 on"),
    (top(income_spaces=[3, 6, 6]), "income_spaces must rise and name no number twice"),
    (top(income_spaces=[6, 13]), "an income space lies behind last_space 12 (P2)"),
    (top(money_denominations=["1"]), "money_denominations must be a list of whole numbers from 1 on"),
    (top(money_denominations=[5, 1]), "money_denominations must rise and name no number twice"),
]


@pytest.mark.parametrize(("damage", "told"), UNPLAYABLE, ids=[told for _, told in UNPLAYABLE])
def test_a_board_that_cannot_be_played_is_told_at_the_place_of_the_damage(damage: Change, told: str) -> None:
    board = changed(damage)
    assert shape_faults(board) == check_board(board) == [told]
    with pytest.raises(BadSetup) as refused:
        read_board(board)
    assert str(refused.value) == f"this board cannot be played on: {told}"


AGAINST_THE_RULES: list[tuple[Change, str]] = [
    (town(0, corrals=3), "San Antonia: 3 corral boxes; the map has 4 to 7 in each town (fact 5)"),
    (town(4, corrals=8), "Deadwood: 8 corral boxes; the map has 4 to 7 in each town (fact 5)"),
    (town(0, buildings=2), "San Antonia: 2 building boxes; the map has 3 to 6 in each town (fact 4)"),
    (
        town(4, buildings=7),
        "Deadwood: 7 building boxes, but there are six kinds and each is built once in a town (F2), so at most 6",
    ),
    (lambda b: b["towns"].pop(), "4 towns; the map has five (fact 1)"),
    (
        lambda b: b["towns"].append({"id": 6, "name": "Yuma", "corrals": 4, "buildings": 3}),
        "6 towns; the map has five (fact 1)",
    ),
    (box("farmer", min_players=4), "no action box of kind 'farmer' (C3)"),
    (without("hotel"), "0 boxes build a hotel; there is exactly one for each kind (fact 11)"),
    (
        lambda b: b["action_boxes"].append({**box_of(b, "jail"), "id": "jail-2"}),
        "2 boxes build a jail; there is exactly one for each kind (fact 11)",
    ),
    (without("cattle-3"), "no cattle box that opens with five players (C6)"),
    (box("cattle-3", min_players=4), "no cattle box that opens with five players (C6)"),
    (box("cattle-1", price_per_counter=2), "cattle-1: cattle cost 1 for each counter (D1)"),
    (
        without("gunfight-2", "gunfight-3"),
        "only one gunfight box; the map has several (fact 12)",
    ),
    (
        box("move-cowboys-4", value=3),
        "no box moves four cowboys; the map has one of at least that value (fact 13)",
    ),
    (
        inside("counters_per_colour", train=0),
        "counters_per_colour.train is 0: nobody could ever use that box (A10)",
    ),
    (top(farmers_per_player=0), "farmers_per_player is 0; each player has one (A2, N4)"),
    (top(farmers_per_player=2), "farmers_per_player is 2; each player has one (A2, N4)"),
    (top(wanted_counters=0), "no Wanted counter at all (M9)"),
    (top(money_denominations=[5]), "money_denominations without 1: change could not be made (A12)"),
    (inside("start_cash", **{"3": 0}), "start_cash.3 is 0; A3 says 20"),
    (inside("start_cash", **{"4": 19}), "start_cash.4 is 19; A3 says 20"),
    (inside("start_cash", **{"5": 20}), "start_cash.5 is 20; A3 says 25"),
    (inside("start_space", **{"3": 4}), "start_space.3 is 4; A8 says 1"),
    (inside("start_space", **{"4": 1}), "start_space.4 is 1; A8 says 4"),
    (inside("start_space", **{"5": 12}), "start_space.5 is 12; A8 says 4"),
    (top(last_space=13), "last_space is 13; the turn track ends at 12 (A9)"),
    (
        top(income_spaces=[3, 6, 9]),
        "income_spaces are [3, 6, 9]; income is paid on 3, 6, 9 and 12 (A9, P2)",
    ),
    (top(dice=4), "unknown member 'dice'"),
    (town(1, saloons=1), "towns, entry 2: unknown member 'saloons'"),
    (box("cattle-3", colour="red"), "action_boxes, entry 3: unknown member 'colour'"),
    (inside("counters_per_colour", sheep=9), "counters_per_colour: unknown member 'sheep'"),
]


@pytest.mark.parametrize(("damage", "told"), AGAINST_THE_RULES, ids=[told for _, told in AGAINST_THE_RULES])
def test_a_board_against_the_rules_is_told_at_the_place_of_the_damage(damage: Change, told: str) -> None:
    """Rows: A2, A3, A8, A9, A10, A12, C3, C6, D1, F2, M9, N4, P2."""
    board = changed(damage)
    assert check_board(board) == [told]
    assert shape_faults(board) == []
    read_board(board)


AT_THE_LIMIT: dict[str, Change] = {
    "two towns": top(towns=standard_board()["towns"][:2]),
    "a town with one corral": town(0, corrals=1),
    "a town without buildings": town(0, buildings=0),
    "a box that is free": box("bank", price=0),
    "counters that are free": box("cattle-1", price_per_counter=0),
    "a box that moves one cowboy": box("move-cowboys-2", value=1),
    "three cowboys": inside("counters_per_colour", cowboy=3),
    "no counter of a kind": inside("counters_per_colour", hotel=0),
    "no farmers, no Wanted counters": top(farmers_per_player=0, wanted_counters=0),
    "no money": top(start_cash={"3": 0, "4": 0, "5": 0}),
    "one space": top(start_space={"3": 1, "4": 1, "5": 1}, last_space=1, income_spaces=[1]),
    "no income": top(income_spaces=[]),
}


@pytest.mark.parametrize("change", AT_THE_LIMIT.values(), ids=AT_THE_LIMIT)
def test_the_least_that_can_be_played_is_no_fault_of_form(change: Change) -> None:
    assert shape_faults(changed(change)) == []


@pytest.mark.parametrize(
    "change",
    [
        without("gunfight-2"),
        without("move-cowboys-2"),
        box("move-cowboys-4", min_players=5),
        town(0, corrals=7, buildings=6),
        town(4, corrals=4, buildings=3),
        lambda b: b["counters_per_colour"].update(dict.fromkeys(ASSETS.split(", "), 1), cowboy=3, cattle=1),
        top(wanted_counters=1),
        top(prov="T"),
        both(town(0, prov="S"), box("jail", prov="R"), inside("counters_per_colour", prov="S")),
    ],
)  # fmt: skip
def test_what_the_sources_leave_open_is_no_fault(change: Change) -> None:
    assert check_board(changed(change)) == []


def test_every_member_that_is_missing_is_named() -> None:
    everything = list(standard_board())
    assert sorted(shape_faults({})) == sorted(f"member {name!r} is missing" for name in everything)
    for name in everything:
        assert shape_faults(changed(lambda board: board.pop(name))) == [f"member {name!r} is missing"]  # noqa: B023
    assert shape_faults([]) == check_board(None) == ["a board is a JSON object"]


def test_faults_of_different_places_are_told_together() -> None:
    """Missing members and unknown ones; a box that is wrong in every way."""
    wrong = {"kind": "sheep", "asset": "bank", "min_players": 9, "colour": "red"}
    assert check_board(changed(lambda board: board["action_boxes"].append(wrong))) == [
        "box number 20 in the list needs an id like cattle-1",
        f"box number 20 in the list: kind must be one of {KINDS}, found 'sheep'",
        f"box number 20 in the list: a build box, and only it, names one of {ASSETS} as its asset",
        "box number 20 in the list needs a price or a price_per_counter (C3)",
        "box number 20 in the list: min_players must be 3, 4 or 5 (A1), found 9",
        "action_boxes, entry 20: unknown member 'colour'",
    ]
    assert check_board(changed(top(towns=3, action_boxes=[3], counters_per_colour=None, dice=4))) == [
        "'towns' must be a list of objects",
        "'action_boxes' must be a list of objects",
        "'counters_per_colour' must be an object",
        "unknown member 'dice'",
    ]
    assert check_board(changed(both(lambda b: b.pop("board"), town(4, saloons=1)))) == [
        "member 'board' is missing",
        "towns, entry 5: unknown member 'saloons'",
    ]
