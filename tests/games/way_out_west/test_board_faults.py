"""Each damage to a board file is shown once, at its place, in its own words; a number at its limit is none."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from pbem.game import BadSetup, JsonObject
from pbem.games.way_out_west.board import board_faults, read_board, standard_board
from pbem.games.way_out_west.game import check_board

Change = Callable[[JsonObject], Any]
KINDS = '"cattle", "cowboys", "build", "move_cowboys", "move_cattle", "gunfight", "farmer"'
ASSETS = "stagecoach, train, bank, jail, store, hotel"
NAMED = ", ".join(f'"{name}"' for name in ASSETS.split(", "))


def changed(change: Change) -> JsonObject:
    board = copy.deepcopy(standard_board())
    change(board)
    return board


def town(at: int, **members: Any) -> Change:
    return lambda board: board["towns"][at].update(members)


def box(name: str, **members: Any) -> Change:
    return lambda board: box_of(board, name).update(members)


def box_of(board: JsonObject, name: str) -> JsonObject:
    box: JsonObject = next(box for box in board["action_boxes"] if box["id"] == name)
    return box


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


def number(where: str, least: int, value: Any) -> str:
    return f"{where} must be a whole number of at least {least}, found {value!r}"


UNPLAYABLE: list[tuple[Change, str]] = [
    (top(board=""), 'board: expected at least 1 character, found text ""'),
    (top(board=7), "board: expected text, found a number 7"),
    (top(towns={}), "towns: expected a list, found an object of 0"),
    (top(towns=standard_board()["towns"][:1]), "towns: expected at least 2 entries, found a list of 1"),
    (town(1, name=""), 'towns 2, name: expected at least 1 character, found text ""'),
    (town(0, name=4), "towns 1, name: expected text, found a number 4"),
    (town(0, name="!?"), "town '!?' needs letters and digits in its name"),
    (town(0, id=0), "towns 1, id: expected at least 1, found a number 0"),
    (town(1, id=True), "towns 2, id: expected an integer, found true"),
    (town(2, corrals=0), "towns 3, corrals: expected at least 1, found a number 0"),
    (town(3, buildings=-1), "towns 4, buildings: expected at least 0, found a number -1"),
    (town(4, id=6), "towns must be numbered 1 to 5, each number once, found 1 2 3 4 6 (D3)"),
    (town(4, id=1), "towns must be numbered 1 to 5, each number once, found 1 2 3 4 1 (D3)"),
    (town(4, name="Abilene!"), "two towns have the same name"),
    (top(action_boxes="none"), 'action_boxes: expected a list, found text "none"'),
    (top(action_boxes=["cattle-1"]), 'action_boxes 1: expected an object, found text "cattle-1"'),
    (
        box("jail", id="Jail"),
        'action_boxes 7, id: expected an id of small letters, digits and hyphens, like cattle-1, found text "Jail"',
    ),
    (box("cattle-1", id=None), "action_boxes 1, id: expected text, found null"),
    (
        box("cattle-2", id=""),
        'action_boxes 2, id: expected an id of small letters, digits and hyphens, like cattle-1, found text ""',
    ),
    (box("farmer", id="jail"), "two action boxes are called 'jail'"),
    (
        box("farmer", kind="sheep"),
        f'action_boxes 19, kind: expected one of {KINDS}; found text "sheep"',
    ),
    (
        box("bank", asset="saloon"),
        f'action_boxes 11, asset: expected one of {NAMED}; found text "saloon"',
    ),
    (
        box("farmer", asset="bank"),
        'action_boxes 19: unexpected member "asset"; known here: id, kind, price, min_players, prov',
    ),
    (box("move-cowboys-2", value=0), "action_boxes 14, value: expected at least 1, found a number 0"),
    (box("bank", price=-1), "action_boxes 11, price: expected at least 0, found a number -1"),
    (
        box("cattle-3", price_per_counter=-1),
        "action_boxes 3, price_per_counter: expected at least 0, found a number -1",
    ),
    (
        box("cattle-3", price=1),
        'action_boxes 3: unexpected member "price"; known here: id, kind, price_per_counter, min_players, prov',
    ),
    (lambda b: box_of(b, "bank").pop("price"), "action_boxes 11: member 'price' is missing"),
    (
        lambda b: box_of(b, "farmer").update(price_per_counter=box_of(b, "farmer").pop("price")),
        "action_boxes 19: member 'price' is missing",
    ),
    (box("bank", min_players=2), "action_boxes 11, min_players: expected one of 3, 4, 5; found a number 2"),
    (box("bank", min_players=6), "action_boxes 11, min_players: expected one of 3, 4, 5; found a number 6"),
    (box("bank", min_players=True), "action_boxes 11, min_players: expected one of 3, 4, 5; found true"),
    (top(counters_per_colour=[9]), "counters_per_colour: expected an object, found a list of 1"),
    (
        inside("counters_per_colour", cowboy=2),
        "counters_per_colour, cowboy: expected at least 3, found a number 2",
    ),
    (
        inside("counters_per_colour", hotel=-1),
        "counters_per_colour, hotel: expected at least 0, found a number -1",
    ),
    (lambda b: b["counters_per_colour"].pop("train"), "counters_per_colour: member 'train' is missing"),
    (top(farmers_per_player=-1), "farmers_per_player: expected at least 0, found a number -1"),
    (top(wanted_counters=-1), "wanted_counters: expected at least 0, found a number -1"),
    (top(last_space=0), "last_space: expected at least 1, found a number 0"),
    (top(start_cash=20), "start_cash: expected an object, found a number 20"),
    (lambda b: b["start_cash"].pop("5"), "start_cash: member '5' is missing"),
    (inside("start_space", **{"6": 1}), 'start_space: unexpected member "6"; known here: 3, 4, 5'),
    (inside("start_cash", **{"4": -1}), "start_cash, 4: expected at least 0, found a number -1"),
    (inside("start_space", **{"5": 0}), "start_space, 5: expected at least 1, found a number 0"),
    (inside("start_space", **{"5": 13}), "start_space.5 lies behind last_space 12 (A9)"),
    (top(income_spaces=3), "income_spaces: expected a list, found a number 3"),
    (top(income_spaces=[0, 3]), "income_spaces 1: expected at least 1, found a number 0"),
    (
        top(income_spaces=[3, 6, 6]),
        "income_spaces: expected every entry only once, found a list of 3 with one of them twice",
    ),
    (top(income_spaces=[6, 13]), "an income space lies behind last_space 12 (P2)"),
    (top(money_denominations=["1"]), 'money_denominations 1: expected an integer, found text "1"'),
    (top(money_denominations=[5, 1]), "money_denominations must rise"),
    (
        top(dice=4),
        f'unexpected member "dice"; known here: {", ".join(standard_board())}, prov',
    ),
    (
        town(1, saloons=1),
        'towns 2: unexpected member "saloons"; known here: id, name, corrals, buildings, prov',
    ),
    (
        box("cattle-3", colour="red"),
        'action_boxes 3: unexpected member "colour"; known here: id, kind, price_per_counter, min_players, prov',
    ),
    (
        inside("counters_per_colour", sheep=9),
        f'counters_per_colour: unexpected member "sheep"; known here: cowboy, cattle, {ASSETS}, prov',
    ),
]


@pytest.mark.parametrize(("damage", "message"), UNPLAYABLE, ids=[message for _, message in UNPLAYABLE])
def test_a_board_that_cannot_be_played_is_shown_at_the_place_of_the_damage(
    damage: Change, message: str
) -> None:
    board = changed(damage)
    assert board_faults(board) == check_board(board) == [message]
    with pytest.raises(BadSetup) as refused:
        read_board(board)
    assert str(refused.value) == f"this board cannot be played on: {message}"


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
]


@pytest.mark.parametrize(
    ("damage", "message"), AGAINST_THE_RULES, ids=[message for _, message in AGAINST_THE_RULES]
)
def test_a_board_against_the_rules_is_shown_at_the_place_of_the_damage(damage: Change, message: str) -> None:
    """Rows: A2, A3, A8, A9, A10, A12, C3, C6, D1, F2, M9, N4, P2."""
    board = changed(damage)
    assert check_board(board) == [message]
    assert board_faults(board) == []
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
    assert board_faults(changed(change)) == []


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


def test_a_member_that_is_missing_is_named() -> None:
    for name in standard_board():
        assert board_faults(changed(lambda board: board.pop(name))) == [f"member {name!r} is missing"]  # noqa: B023
    assert board_faults([]) == ["expected an object, found a list of 0"]
    assert check_board(None) == ["expected an object, found null"]


def test_faults_of_different_places_are_shown_together() -> None:
    """Of each place one: a box that is wrong in every way says first what kinds there are."""
    wrong = {"kind": "sheep", "asset": "bank", "min_players": 9, "colour": "red"}
    assert check_board(changed(lambda board: board["action_boxes"].append(wrong))) == [
        f'action_boxes 20, kind: expected one of {KINDS}; found text "sheep"'
    ]
    assert check_board(changed(top(towns=[3, 4], action_boxes=[3], counters_per_colour=None, dice=4))) == [
        f'unexpected member "dice"; known here: {", ".join(standard_board())}, prov',
        "towns 1: expected an object, found a number 3",
        "towns 2: expected an object, found a number 4",
        "action_boxes 1: expected an object, found a number 3",
        "counters_per_colour: expected an object, found null",
    ]
    assert check_board(changed(both(lambda b: b.pop("board"), town(4, saloons=1)))) == [
        "member 'board' is missing",
        'towns 5: unexpected member "saloons"; known here: id, name, corrals, buildings, prov',
    ]
