"""JSON → actions. What an action may look like is said by ``schemas/way-out-west/action.schema.json``.

Here stand what a schema cannot say: that an empty list is nothing unless boxes may be blocked, that unordered lists
have one order, and which rule rows a form breaks that the schema forbids already (a bid of 0).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from pbem.base.sentences import joined, sentence
from pbem.base.shapes.schema import narrowed
from pbem.game import Json, JsonObject, MalformedAction
from pbem.games.way_out_west.actions import (
    Action,
    AskSheriff,
    AssetTarget,
    Bid,
    Build,
    Cattle,
    CattleTarget,
    Cowboys,
    DropOut,
    Farmer,
    FarmerTarget,
    Fire,
    Gunfight,
    LeaveTown,
    LendSheriff,
    Move,
    MoveCattle,
    MoveCowboys,
    Pass,
    PlaceCowboy,
    Plan,
    Retreat,
    TakeWanted,
    Target,
)
from pbem.games.way_out_west.state import Match


def action_from_json(match: Match, obj: Json) -> Action:
    """The action an object stands for; ``MalformedAction`` if it stands for none."""
    fault = narrowed("way-out-west/action", match.words).fault(obj, bulk=True)
    if fault is not None:
        do = str(obj["do"]) if "do" not in fault.names and isinstance(obj, dict) and "do" in obj else ""
        raise MalformedAction(fault.told(do), _ROWS.get((do, *fault.names), ()))
    return read_action(match, obj)


def read_action(match: Match, obj: JsonObject) -> Action:
    """The same for an object of the form that the schema wants."""
    row = _ACTS_ON.get(obj["do"])
    if row is not None and match.options.box_must_act and not obj[row[0]]:
        empty = sentence("{name!r} is empty: a box may not be used without acting", name=row[0])
        raise MalformedAction(joined((obj["do"], empty), ": "), ("C8", row[1]))
    return _READ[obj["do"]](obj)


_ACTS_ON: Final = {"cattle": ("towns", "D1"), "cowboys": ("towns", "E1"), "move-cowboys": ("moves", "G1")}
_ROWS: Final[Mapping[tuple[str, ...], tuple[str, ...]]] = {
    ("bid", "amount"): ("B5", "B4"),
    ("cattle", "towns"): ("D1",),
    ("cowboys", "towns"): ("E1",),
    ("move-cowboys", "moves", "count"): ("C8", "G1"),
    ("gunfight", "target"): ("J18", "J2"),
    ("gunfight", "target", "cattle"): ("J2",),
    ("gunfight", "plan", "to"): ("L13",),
    ("leave-town", "moves"): ("M5",),
    ("leave-town", "moves", "count"): ("M5",),
}
"""The rows that forbid at a place what the schema forbids there."""


def read_target(obj: JsonObject) -> Target:
    """What a gunfight is about."""
    if "asset" in obj:
        return AssetTarget(obj["asset"])
    return CattleTarget(obj["cattle"], obj["seat"]) if "cattle" in obj else FarmerTarget()


def read_plan(obj: JsonObject) -> Plan | None:
    """The member ``plan``, if it is there."""
    return Plan(obj["plan"]["retreat_below"], tuple(obj["plan"]["to"])) if "plan" in obj else None


def _move_cowboys(obj: JsonObject) -> Action:
    moves: Counter[tuple[str, str]] = Counter()
    for move in obj["moves"]:
        moves[move["from"], move["to"]] += move["count"]
    return MoveCowboys(tuple(Move(*towns, count) for towns, count in sorted(moves.items())), obj.get("box"))


def _leave_town(obj: JsonObject) -> Action:
    moves: Counter[str] = Counter()
    for move in obj["moves"]:
        moves[move["to"]] += move["count"]
    return LeaveTown(tuple(sorted(moves.items())))


def _gunfight(obj: JsonObject) -> Action:
    return Gunfight(obj["town"], read_target(obj["target"]), read_plan(obj), obj.get("box"))


_READ: Final[dict[str, Callable[[JsonObject], Action]]] = {
    "place-cowboy": lambda obj: PlaceCowboy(obj["town"]),
    "bid": lambda obj: Bid(obj["amount"]),
    "drop-out": lambda _: DropOut(),
    "cattle": lambda obj: Cattle(tuple(obj["towns"]), obj.get("box")),
    "cowboys": lambda obj: Cowboys(tuple(obj["towns"]), obj.get("box")),
    "build": lambda obj: Build(obj["asset"], obj["town"], obj.get("box")),
    "move-cowboys": _move_cowboys,
    "move-cattle": lambda obj: MoveCattle(obj["from"], obj["to"], obj.get("seat"), obj.get("box")),
    "gunfight": _gunfight,
    "farmer": lambda obj: Farmer(obj["town"], obj.get("replace"), obj.get("box")),
    "pass": lambda obj: Pass(obj.get("box")),
    "ask-sheriff": lambda obj: AskSheriff(obj["ask"]),
    "lend-sheriff": lambda obj: LendSheriff(obj["lend"]),
    "fire": lambda _: Fire(),
    "retreat": lambda obj: Retreat(tuple(sorted(obj["to"]))),
    "leave-town": _leave_town,
    "take-wanted": lambda obj: TakeWanted(obj["from"]),
}
