"""The board is data: the default one, faulty ones, and quite another one that is played on."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from pbem.base.errors import FormatError
from pbem.base.shapes import schema
from pbem.game import BadSetup, Decision, JsonObject, Terminal
from pbem.games.way_out_west import GAME
from pbem.games.way_out_west.board import board_faults, read_board, standard_board, town_id
from pbem.games.way_out_west.game import check_board
from tests.conformance.keyed import Keyed
from tests.games.way_out_west.table import act, any_kind, play, rules_for

Change = Callable[[JsonObject], Any]


def changed(change: Change) -> JsonObject:
    board = copy.deepcopy(standard_board())
    change(board)
    return board


def test_the_default_board_has_no_fault() -> None:
    assert check_board(standard_board()) == []
    schema.validate("way-out-west/board", standard_board())


def test_the_default_board_is_the_one_of_the_rules_file() -> None:
    """Rows: A10, D3."""
    board = read_board(standard_board())
    assert [(town.id, town.corrals, town.buildings) for town in board.towns] == [
        ("san-antonia", 4, 3), ("kansas-city", 5, 4), ("abilene", 5, 4), ("dodge-city", 6, 5), ("deadwood", 7, 6),
    ]  # fmt: skip
    prices = {box.asset: box.price for box in board.boxes if box.asset}
    assert prices == {"jail": 3, "store": 5, "stagecoach": 6, "hotel": 8, "bank": 10, "train": 20}
    assert (board.wanted, board.counters["cowboy"], board.counters["cattle"], board.counters["train"]) == (
        13,
        9,
        9,
        3,
    )
    assert len(rules_for(3).match.boxes) == len(rules_for(4).match.boxes) == 17
    assert len(rules_for(5).match.boxes) == 19


UNPLAYABLE: dict[str, Change] = {
    "missing": lambda b: b.pop("towns"),
    "corrals: expected at least 1": lambda b: b["towns"][0].update(corrals=0),
    "buildings: expected an integer": lambda b: b["towns"][0].update(buildings="3"),
    "numbered 1 to 5": lambda b: b["towns"][0].update(id=7),
    "same name": lambda b: b["towns"][0].update(name="deadwood"),
    "needs letters and digits": lambda b: b["towns"][0].update(name="!?"),
    "towns: expected at least 2": lambda b: b.update(towns=b["towns"][:1]),
    "towns: expected a list": lambda b: b.update(towns=3),
    "two action boxes": lambda b: b["action_boxes"][0].update(id="jail"),
    "kind: expected one of": lambda b: b["action_boxes"][0].update(kind="sheep"),
    "asset: expected one of": lambda b: b["action_boxes"][6].update(asset="saloon"),
    "action_boxes 7: member 'price' is missing": lambda b: b["action_boxes"][6].pop("price"),
    "action_boxes 20: member 'price' is missing": lambda b: b["action_boxes"].append(
        {"id": "x", "kind": "farmer", "price_per_counter": 1, "min_players": 3}
    ),
    "value: expected at least 1": lambda b: b["action_boxes"][12].update(value=0),
    "min_players": lambda b: b["action_boxes"][0].update(min_players=2),
    "id: expected an id": lambda b: b["action_boxes"][0].update(id="Cattle 1"),
    "price: expected at least 0": lambda b: b["action_boxes"][6].update(price=-1),
    "counters_per_colour, cowboy: expected at least 3": lambda b: b["counters_per_colour"].update(cowboy=2),
    "counters_per_colour: member 'train' is missing": lambda b: b["counters_per_colour"].pop("train"),
    "start_cash": lambda b: b["start_cash"].pop("4"),
    "start_space.3": lambda b: b["start_space"].update({"3": 13}),
    "income space": lambda b: b.update(last_space=11),
    "must rise": lambda b: b.update(income_spaces=[6, 3]),
    "wanted_counters": lambda b: b.update(wanted_counters=True),
    "unexpected member": lambda b: b["towns"][0].update(saloons=1),
}  # fmt: skip


@pytest.mark.parametrize("message", UNPLAYABLE)
def test_an_unplayable_board_is_refused_by_check_and_by_the_engine(message: str) -> None:
    board = changed(UNPLAYABLE[message])
    assert any(message in fault for fault in check_board(board)), check_board(board)
    assert any(message in fault for fault in board_faults(board))
    with pytest.raises(BadSetup, match="cannot be played on"):
        rules_for(3, board)


AGAINST_THE_RULES: dict[str, Change] = {
    "fact 5": lambda b: b["towns"][0].update(corrals=8),
    "(F2)": lambda b: b["towns"][4].update(buildings=7),
    "fact 4": lambda b: b["towns"][0].update(buildings=2),
    "fact 1": lambda b: b.update(towns=b["towns"][:4]),
    "fact 11": lambda b: b["action_boxes"][6].update(asset="bank"),
    "(C6)": lambda b: b["action_boxes"][2].update(min_players=4),
    "(D1)": lambda b: b["action_boxes"][0].update(price_per_counter=2),
    "fact 12": lambda b: b.update(
        action_boxes=[x for x in b["action_boxes"] if x["id"] not in ("gunfight-2", "gunfight-3")]
    ),
    "fact 13": lambda b: b["action_boxes"][12].update(value=3),
    "(C3)": lambda b: b.update(action_boxes=[x for x in b["action_boxes"] if x["kind"] != "farmer"]),
    "(A2, N4)": lambda b: b.update(farmers_per_player=2),
    "(M9)": lambda b: b.update(wanted_counters=0),
    "(A12)": lambda b: b.update(money_denominations=[5, 20]),
    "A3 says 20": lambda b: b["start_cash"].update({"3": 25}),
    "A8 says 4": lambda b: b["start_space"].update({"5": 1}),
    "(A9)": lambda b: b.update(last_space=15),
    "(A9, P2)": lambda b: b.update(income_spaces=[6, 12]),
    "(A10)": lambda b: b["counters_per_colour"].update(train=0),
}  # fmt: skip


@pytest.mark.parametrize("message", AGAINST_THE_RULES)
def test_a_board_against_the_rules_is_shown_but_can_be_played(message: str) -> None:
    board = changed(AGAINST_THE_RULES[message])
    faults = check_board(board)
    assert any(message in fault for fault in faults), faults
    rules_for(3, board)


def test_the_game_checks_the_setup_of_a_match() -> None:
    assert GAME.check_setup({"board": standard_board()}) == GAME.check_setup({}) == []
    assert GAME.check_setup({"board": 3, "dealer": "anna"}) == [
        "unknown member 'dealer'",
        "expected an object, found a number 3",
    ]


def test_every_fault_is_shown_at_once() -> None:
    def spoil(board: JsonObject) -> None:
        board["towns"][0].update(corrals=9, buildings=7)
        board["start_cash"].update({"3": 1})

    assert len(check_board(changed(spoil))) == 3


@pytest.mark.parametrize(
    "message",
    [
        m
        for m in UNPLAYABLE
        if m
        not in (
            "numbered 1 to 5",
            "same name",
            "two action boxes",
            "start_space.3",
            "income space",
            "must rise",
            "needs letters and digits",
        )
    ],
)
def test_the_schema_refuses_what_the_check_finds_unplayable(message: str) -> None:
    """Numbers that depend on each other are the check's alone."""
    with pytest.raises(FormatError):
        schema.validate("way-out-west/board", changed(UNPLAYABLE[message]))


@pytest.mark.parametrize("thing", [None, 3, [], "board", {}])
def test_rubbish_is_no_board(thing: Any) -> None:
    assert check_board(thing)


def test_town_ids_are_made_of_names() -> None:
    names = {"San Antonia": "san-antonia", "El Paso!": "el-paso", "Coeur d'Alène": "coeur-d-alene", "¡": ""}
    assert {name: town_id(name) for name in names} == names


def other_board() -> JsonObject:
    """Three towns, other names, other prices, a price on every box."""
    board = standard_board()
    board["board"] = "three"
    board["towns"] = [
        {"id": 2, "name": "El Paso", "corrals": 2, "buildings": 6},
        {"id": 1, "name": "Yuma", "corrals": 3, "buildings": 2},
        {"id": 3, "name": "Tombstone", "corrals": 4, "buildings": 4},
    ]
    for box in board["action_boxes"]:
        if box["kind"] in ("move_cattle", "gunfight", "farmer", "move_cowboys"):
            box["price"] = 1
        if box["id"] == "cowboys-1":
            del box["price_per_counter"]
            box["price"] = 3
        if box["id"] == "move-cowboys-2":
            del box["price"]
            box["price_per_counter"] = 2
    board["last_space"], board["income_spaces"] = 6, [2, 6]
    return board


def test_another_board_is_played_to_the_end_with_its_own_towns_and_prices() -> None:
    rules = rules_for(3, other_board())
    assert list(rules.match.board.numbers) == ["yuma", "el-paso", "tombstone"]
    last = list(play(rules, Keyed("other board"), any_kind))[-1]
    assert isinstance(rules.node(last.after), Terminal)
    assert last.after.space == 6


def test_prices_of_boxes_that_are_free_on_the_default_board_are_paid() -> None:
    """Rows: C3, C9."""
    rules = rules_for(3, other_board())
    town = {"yuma": {"cowboys": {"anna": 4, "burt": 2}, "cattle": {"curt": 1}}}
    state = rules.position_from_json({"towns": town})
    moves = [{"from": "yuma", "to": "el-paso", "count": 2}]
    cases: dict[int, list[JsonObject]] = {
        17: [{"do": "cowboys", "towns": ["yuma", "yuma"]}],
        19: [{"do": "farmer", "town": "yuma"}, {"do": "move-cowboys", "moves": moves}],
        16: [{"do": "move-cowboys", "moves": moves, "box": "move-cowboys-2"}],
    }
    for cash, actions in cases.items():
        for action in actions:
            assert act(rules, state, action).cash[0] == cash, action
    poor = rules.position_from_json({"towns": town, "cash": {"anna": 0}})
    node = rules.node(poor)
    assert isinstance(node, Decision)
    assert [rules.action_to_json(a) for a in rules.legal_actions(rules.observe(poor, node.seat))] == [
        {"do": "pass"}
    ]
