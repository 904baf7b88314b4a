"""What the tests of standing orders share: positions that ask, and what an order answers there."""

from __future__ import annotations

from typing import Any

from pbem.base.shapes import schema
from pbem.game import Decision, JsonObject, Seat
from pbem.games.way_out_west.rules import WayOutWestRules
from tests.games.way_out_west.table import rules_for

AUCTION: JsonObject = {"phase": "auction", "active": "anna"}


STORE: JsonObject = {
    "abilene": {"cowboys": {"anna": 3, "burt": 2}, "assets": {"store": "burt", "jail": "curt"}}
}


FIGHT: JsonObject = {"town": "abilene", "attacker": "anna", "target": {"asset": "store"}}


def rule(when: str, do: JsonObject, **facts: Any) -> JsonObject:
    members: JsonObject = {"when": when, "do": do}
    return {**members, "if": facts} if facts else members


def answer(
    position: JsonObject, *rules_: JsonObject, players: int = 3, seat: str | None = None
) -> JsonObject | None:
    """What the orders of the asked seat (or another) answer."""
    rules = rules_for(players)
    order = {"rules": list(rules_)}
    rules.check_order(order)
    schema.validate("way-out-west/orders", order)
    state = rules.position_from_json(position)
    node = rules.node(state)
    assert isinstance(node, Decision)
    view = rules.observe(state, Seat(seat) if seat else node.seat)
    action = rules.order_action(view, order)
    if action is None:
        return None
    rules.check(view, action)
    return rules.action_to_json(action)


def bidding(bids: dict[str, int], dropped: list[str] | None = None, **more: Any) -> JsonObject:
    return {**AUCTION, "auction": {"bids": bids, "dropped": dropped or []}, **more}


def fire(**more: Any) -> JsonObject:
    return {"towns": STORE, "fight": {**FIGHT, "asks": "fire", "seat": "burt", **more}}


def default(rules: WayOutWestRules, position: JsonObject) -> JsonObject:
    state = rules.position_from_json(position)
    node = rules.node(state)
    assert isinstance(node, Decision)
    return rules.action_to_json(rules.default_action(rules.observe(state, node.seat)))


ANSWERS: dict[str, JsonObject] = {
    "setup": {"do": "place-cowboy", "towns": ["abilene"]},
    "bid": {"do": "bid", "up_to": 0},
    "actions": {"do": "first-of", "actions": [{"do": "pass"}]},
    "ask-sheriff": {"do": "ask-sheriff", "ask": True},
    "lend-sheriff": {"do": "lend-sheriff", "lend": True},
    "leave-town": {"do": "leave-town", "to": ["abilene"]},
    "take-wanted": {"do": "take-wanted", "from": ["anna"]},
}
"""To each question an answer with no member more than it needs."""


WISH: JsonObject = {"do": "build", "asset": "store", "town": "abilene"}
