"""Boxes that cost something where those of the default board are free, or are priced the other way (C3, C9)."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.game import Chance, IllegalAction, JsonObject, Seat
from pbem.games.way_out_west.board import box_name, standard_board
from pbem.games.way_out_west.rules import WayOutWestRules
from pbem.games.way_out_west.state import Position
from tests.games.way_out_west.table import act, rules_for

MOVES = [{"from": "abilene", "to": "deadwood", "count": 1}]
TOWNS: JsonObject = {
    "san-antonia": {"cowboys": {"anna": 4}, "cattle": {"burt": 2}, "assets": {"store": "burt"}},
    "abilene": {"cowboys": {"anna": 3}, "cattle": {"anna": 1, "curt": 1}},
}
WAYS: dict[str, JsonObject] = {
    "cattle": {"do": "cattle", "towns": ["san-antonia"]},
    "cowboys": {"do": "cowboys", "towns": ["abilene"]},
    "build": {"do": "build", "asset": "hotel", "town": "abilene"},
    "move_cowboys": {"do": "move-cowboys", "moves": MOVES},
    "move_cattle": {"do": "move-cattle", "from": "abilene", "to": "deadwood"},
    "gunfight": {"do": "gunfight", "town": "san-antonia", "target": {"asset": "store"}},
    "farmer": {"do": "farmer", "town": "abilene"},
}


def board_with(by_counter: int | None = None, price: int | None = None, *, value: int = 4) -> JsonObject:
    """The default board with one price on every box; by the counter where that can be."""
    board = standard_board()
    for box in board["action_boxes"]:
        box.pop("price", None)
        box.pop("price_per_counter", None)
        counted = box["kind"] in ("cattle", "cowboys", "move_cowboys") and by_counter is not None
        box.update({"price_per_counter": by_counter} if counted else {"price": price or 0})
        if box["kind"] == "move_cowboys":
            box["value"] = value
    return board


def table(board: JsonObject, cash: int, **options: Any) -> tuple[WayOutWestRules, Position]:
    rules = rules_for(3, board, **options)
    return rules, rules.position_from_json({"towns": TOWNS, "cash": {"anna": cash}})


@pytest.mark.parametrize("kind", WAYS)
def test_the_price_of_a_box_is_paid_once_and_to_the_last_dollar(kind: str) -> None:
    """Rows: C3, C9."""
    for cash in (3, 7):
        rules, state = table(board_with(price=3), cash)
        step = rules.apply(state, rules.action_from_json(WAYS[kind]))
        assert step.state.cash == (cash - 3, 20, 20)
        events = [rules.event_to_json(event, Seat("anna")) for event in step.events]
        assert [event["paid"] for event in events if "paid" in event] == [3]
        if kind in ("move_cowboys", "move_cattle", "gunfight"):
            assert events[0] == {"event": "box-paid", "seat": "anna", "box": state_box(kind), "paid": 3}
    rules, state = table(board_with(price=3), 2)
    with pytest.raises(IllegalAction) as refused:
        rules.apply(state, rules.action_from_json(WAYS[kind]))
    assert "C9" in refused.value.rules
    assert f"box {box_name(state_box(kind))} costs 3, there is 2" in str(refused.value)


def state_box(kind: str) -> str:
    """The first box of this kind."""
    wanted = "hotel" if kind == "build" else None
    boxes = [box for box in standard_board()["action_boxes"] if box["kind"] == kind]
    return str(next(box["id"] for box in boxes if box.get("asset") == wanted))


@pytest.mark.parametrize("kind", WAYS)
def test_a_box_that_is_free_says_nothing_of_a_price(kind: str) -> None:
    rules, state = table(board_with(price=0), 0)
    step = rules.apply(state, rules.action_from_json(WAYS[kind]))
    assert step.state.cash == (0, 20, 20)
    events = [rules.event_to_json(event, Seat("anna")) for event in step.events]
    assert not [event for event in events if event["event"] == "box-paid"]
    assert sum(event.get("paid", 0) for event in events) == 0


@pytest.mark.parametrize("name", ["cattle", "cowboys"])
def test_a_price_for_the_whole_box_is_paid_with_the_first_of_two_counters(name: str) -> None:
    """Rows: C3, D1, E1."""
    rules, state = table(board_with(price=3), 3)
    step = rules.apply(state, rules.action_from_json({"do": name, "towns": ["san-antonia"] * 2}))
    assert [rules.event_to_json(event, Seat("anna"))["paid"] for event in step.events] == [3, 0]
    assert step.state.cash[0] == 0
    rules, state = table(board_with(by_counter=2), 4)
    step = rules.apply(state, rules.action_from_json({"do": name, "towns": ["san-antonia"] * 2}))
    assert [rules.event_to_json(event, Seat("anna"))["paid"] for event in step.events] == [2, 2]
    assert step.state.cash[0] == 0


@pytest.mark.parametrize(("cash", "most"), [(0, 0), (1, 0), (2, 1), (3, 1), (5, 2), (6, 3), (9, 3)])
def test_moving_by_the_counter_goes_as_far_as_the_money_and_the_box(cash: int, most: int) -> None:
    """Rows: C9, G1. The list says the same as the check: 2 for each cowboy, 3 at most."""
    rules, state = table(board_with(by_counter=2, price=1, value=3), cash)
    legal = [
        rules.action_to_json(action) for action in rules.legal_actions(rules.observe(state, Seat("anna")))
    ]
    moved = [
        sum(move["count"] for move in action["moves"]) for action in legal if action["do"] == "move-cowboys"
    ]
    assert max(moved, default=0) == most
    for count in range(1, 5):
        action = {"do": "move-cowboys", "moves": [{**MOVES[0], "from": "san-antonia", "count": count}]}
        if count <= most:
            assert act(rules, state, action).cash[0] == cash - 2 * count
            assert action in legal
            continue
        with pytest.raises(IllegalAction) as refused:
            act(rules, state, action)
        assert ("G1" if count == 4 else "C9") in refused.value.rules


def test_moves_that_the_more_expensive_box_allows_are_listed() -> None:
    """One box moves two for nothing, the other four for 5."""
    board = standard_board()
    for box in board["action_boxes"]:
        if box["id"] == "move-cowboys-4":
            box["price"] = 5
    for cash, most in ((4, 2), (5, 4)):
        rules, state = table(board, cash)
        legal = [
            rules.action_to_json(action) for action in rules.legal_actions(rules.observe(state, Seat("anna")))
        ]
        moved = [
            sum(move["count"] for move in action["moves"])
            for action in legal
            if action["do"] == "move-cowboys"
        ]
        assert max(moved) == most


@pytest.mark.parametrize(
    "action",
    [{"do": "cattle", "towns": []}, {"do": "cowboys", "towns": []}, {"do": "move-cowboys", "moves": []}],
)
def test_who_blocks_a_box_without_acting_pays_nothing(action: JsonObject) -> None:
    """Rows: C8, box_must_act=false: the price is due only for what is done."""
    rules, state = table(board_with(price=3), 0, box_must_act=False)
    step = rules.apply(state, rules.action_from_json(action))
    assert step.state.cash == state.cash
    assert step.events == ()
    assert len(step.state.used) == 1
    assert action in [
        rules.action_to_json(action) for action in rules.legal_actions(rules.observe(state, Seat("anna")))
    ]


def test_nothing_is_moved_only_where_a_box_for_moving_is_free() -> None:
    """Rows: C4, C8, box_must_act=false."""
    nothing: JsonObject = {"do": "move-cowboys", "moves": []}
    for used, free in (([], True), (["move-cowboys-2"], True), (["move-cowboys-2", "move-cowboys-4"], False)):
        for cowboys in (0, 2):
            rules = rules_for(3, box_must_act=False)
            towns = {"abilene": {"cowboys": {"anna": cowboys}}}
            state = rules.position_from_json({"used_boxes": used, "towns": towns})
            legal = [
                rules.action_to_json(action)
                for action in rules.legal_actions(rules.observe(state, Seat("anna")))
                if rules.action_to_json(action)["do"] == "move-cowboys"
            ]
            assert (nothing in legal) == free
            assert (len(legal) > 1) == (free and cowboys > 0)


def test_a_box_for_something_else_and_a_board_without_a_box_are_kept_apart() -> None:
    """Rows: C3."""
    rules, state = table(standard_board(), 20)
    with pytest.raises(IllegalAction) as refused:
        act(rules, state, {**WAYS["farmer"], "box": "gunfight-1"})
    assert (str(refused.value), refused.value.rules) == ("box ‘gunfight’ 1 is not for farmer", ("C3",))
    with pytest.raises(IllegalAction) as refused:
        act(rules, state, {**WAYS["build"], "box": "jail"})
    assert (str(refused.value), refused.value.rules) == ("box jail is not for hotel", ("C3",))
    board = standard_board()
    board["action_boxes"] = [box for box in board["action_boxes"] if box["id"] not in ("farmer", "hotel")]
    rules, state = table(board, 20)
    for kind, piece in (("farmer", "farmer"), ("build", "hotel")):
        with pytest.raises(IllegalAction) as refused:
            act(rules, state, WAYS[kind])
        assert (str(refused.value), refused.value.rules) == (f"no box for {piece}", ("C3",))


def test_robbers_in_a_land_of_two_towns_have_no_choice_where_to_ride() -> None:
    """Rows: M5. All of them leave for the other town at once, then the Wanted counter is taken."""
    board = standard_board()
    board["towns"] = board["towns"][:2]
    rules = rules_for(3, board)
    town = {"cowboys": {"anna": 3}, "assets": {"bank": "burt", "jail": "curt"}}
    fight = {"town": "san-antonia", "attacker": "anna", "target": {"asset": "bank"}, "rolls": "robbery"}
    state = rules.position_from_json(
        {
            "phase": "chance",
            "towns": {"san-antonia": town, "kansas-city": {"cowboys": {"anna": 1}}},
            "fight": fight,
        }
    )
    node = rules.node(state)
    assert isinstance(node, Chance)
    assert (node.draw.label, getattr(node.draw, "sides", ())) == ("robbery san-antonia", (6, 6, 6))
    step = rules.resolve(state, (1, 2, 3))
    assert [town.cowboys[0] for town in step.state.towns] == [0, 4]
    assert (step.state.cash, step.state.wanted, step.state.fight) == ((26, 14, 20), (1, 0, 0), None)
    assert {
        "event": "moved",
        "seat": "anna",
        "what": "cowboy",
        "from": "san-antonia",
        "to": "kansas-city",
        "count": 3,
    } in [rules.event_to_json(event, Seat("anna")) for event in step.events]
