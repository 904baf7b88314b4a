"""The board as data: towns, action boxes, prices, counters, cash and the turn track (rules §1, §1.1).

Nothing about the printed map is in code. ``read_board`` turns the object of genesis (``setup.board``) into a
``Board`` and refuses only what no match could be played on; ``board_check.check_board`` holds a board file
against every rule row and public source that constrains its numbers. Kinds of assets are rules, not board.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from pbem.game import BadSetup, Json, JsonObject
from pbem.resources import data_dir

ASSETS: Final = ("stagecoach", "train", "bank", "jail", "store", "hotel")
"""The six kinds of buildings and transport (rules §0)."""
KINDS: Final = ("cattle", "cowboys", "build", "move_cowboys", "move_cattle", "gunfight", "farmer")
"""What an action box can be for."""
COUNTERS: Final = ("cowboy", "cattle", *ASSETS)
PLAYERS: Final = (3, 4, 5)
"""A1."""
STANDARD: Final = "team-v1"
"""The board of a match whose host names none."""

CounterKind: TypeAlias = str


@dataclass(frozen=True, slots=True)
class TownPlan:
    """A town as printed: how many corral boxes and building boxes it has."""

    id: str
    name: str
    corrals: int
    buildings: int


@dataclass(frozen=True, slots=True)
class Box:
    """An action box (C3): what it is for and what it costs."""

    id: str
    kind: str
    asset: str | None
    price: int
    per_counter: int
    value: int
    min_players: int

    def cost(self, counters: int) -> int:
        """Dollars for an action that buys or moves so many counters."""
        return self.price + self.per_counter * counters


@dataclass(frozen=True)
class Board:
    """One board file, read: towns from the lowest to the highest, boxes in the order of the file."""

    name: str
    towns: tuple[TownPlan, ...]
    boxes: tuple[Box, ...]
    counters: Mapping[CounterKind, int]
    farmers: int
    wanted: int
    start_cash: Mapping[int, int]
    start_space: Mapping[int, int]
    last_space: int
    income_spaces: frozenset[int]
    numbers: Mapping[str, int]
    """Town id → its place among the towns, counted from 0."""


def town_id(name: str) -> str:
    """``San Antonia`` → ``san-antonia``: the id that actions use; empty if the name has no letter or digit."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")


@cache
def _standard_text() -> str:
    return (data_dir("schemas") / "way-out-west" / "boards" / f"{STANDARD}.json").read_text(encoding="utf-8")


def standard_board() -> JsonObject:
    """A fresh copy of the default board file."""
    board: JsonObject = json.loads(_standard_text())
    return board


def read_board(obj: Json) -> Board:
    """The board of a match.

    Raises:
        BadSetup: if the engine could not play on it; the sentence lists every fault.
    """
    faults = shape_faults(obj)
    if faults:
        raise BadSetup("this board cannot be played on: " + "; ".join(faults))
    towns = sorted(obj["towns"], key=lambda town: town["id"])
    return Board(
        name=obj["board"],
        towns=tuple(TownPlan(town_id(t["name"]), t["name"], t["corrals"], t["buildings"]) for t in towns),
        boxes=tuple(_read_box(box) for box in obj["action_boxes"]),
        counters={kind: obj["counters_per_colour"][kind] for kind in COUNTERS},
        farmers=obj["farmers_per_player"],
        wanted=obj["wanted_counters"],
        start_cash={int(players): cash for players, cash in obj["start_cash"].items()},
        start_space={int(players): space for players, space in obj["start_space"].items()},
        last_space=obj["last_space"],
        income_spaces=frozenset(obj["income_spaces"]),
        numbers={town_id(town["name"]): at for at, town in enumerate(towns)},
    )


def _read_box(box: JsonObject) -> Box:
    return Box(
        id=box["id"],
        kind=box["kind"],
        asset=box.get("asset"),
        price=box.get("price", 0),
        per_counter=box.get("price_per_counter", 0),
        value=box.get("value", 0),
        min_players=box["min_players"],
    )


# --- what the engine cannot do without --------------------------------------------------------------------


def shape_faults(obj: Json) -> list[str]:
    """Every fault that makes a board unplayable: members, types, names, numbers below their least value."""
    if not isinstance(obj, dict):
        return ["a board is a JSON object"]
    faults = [f"member {name!r} is missing" for name in _MEMBERS if name not in obj]
    if faults:
        return faults
    if not _is_text(obj["board"]):
        faults.append("'board' must be the board's name")
    faults += _town_faults(obj["towns"])
    faults += _box_list_faults(obj["action_boxes"])
    faults += _counter_faults(obj["counters_per_colour"])
    for name in ("farmers_per_player", "wanted_counters"):
        faults += _number_faults(name, obj[name], 0)
    faults += _number_faults("last_space", obj["last_space"], 1)
    faults += _by_players_faults("start_cash", obj["start_cash"], 0)
    faults += _by_players_faults("start_space", obj["start_space"], 1)
    faults += _list_faults("income_spaces", obj["income_spaces"])
    faults += _list_faults("money_denominations", obj["money_denominations"])
    return faults or _track_faults(obj)


_MEMBERS: Final = (
    "board", "towns", "action_boxes", "counters_per_colour", "farmers_per_player", "wanted_counters",
    "money_denominations", "start_cash", "start_space", "last_space", "income_spaces",
)  # fmt: skip


def is_number(value: Json, least: int) -> bool:
    """A whole number (not a bool) of at least ``least``."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_text(value: Json) -> bool:
    return isinstance(value, str) and bool(value)


def _number_faults(where: str, value: Json, least: int) -> list[str]:
    if is_number(value, least):
        return []
    return [f"{where} must be a whole number of at least {least}, found {value!r}"]


def _town_faults(towns: Json) -> list[str]:
    if not isinstance(towns, list) or not all(isinstance(town, dict) for town in towns):
        return ["'towns' must be a list of objects"]
    faults = [] if len(towns) >= 2 else ["a board needs at least two towns (G1, L13)"]
    for at, town in enumerate(towns, 1):
        name = town.get("name")
        where = f"town {name!r}" if _is_text(name) else f"town number {at} in the list"
        if not _is_text(name) or not town_id(name):
            faults.append(f"{where} needs a name with a letter or a digit in it")
        faults += _number_faults(f"{where}: id", town.get("id"), 1)
        faults += _number_faults(f"{where}: corrals", town.get("corrals"), 1)
        faults += _number_faults(f"{where}: buildings", town.get("buildings"), 0)
    ids = [town.get("id") for town in towns]
    if not faults and sorted(ids) != list(range(1, len(ids) + 1)):
        faults.append(f"towns must be numbered 1 to {len(ids)}, each number once, found {ids} (D3)")
    if not faults and len({town_id(town["name"]) for town in towns}) < len(towns):
        faults.append("two towns have the same name")
    return faults


def _box_list_faults(boxes: Json) -> list[str]:
    if not isinstance(boxes, list) or not all(isinstance(box, dict) for box in boxes):
        return ["'action_boxes' must be a list of objects"]
    faults = [fault for at, box in enumerate(boxes, 1) for fault in _box_faults(at, box)]
    ids = [box.get("id") for box in boxes]
    faults += [
        f"two action boxes are called {name!r}" for name in sorted({str(i) for i in ids if ids.count(i) > 1})
    ]
    return faults


def _box_faults(at: int, box: JsonObject) -> list[str]:
    name, kind = box.get("id"), box.get("kind")
    where = f"box {name!r}" if _is_text(name) else f"box number {at} in the list"
    spelt = isinstance(name, str) and re.fullmatch(r"[a-z0-9-]+", name) is not None
    faults = [] if spelt else [f"{where} needs an id like cattle-1"]
    if kind not in KINDS:
        faults.append(f"{where}: kind must be one of {', '.join(KINDS)}, found {kind!r}")
    if (kind == "build") != (box.get("asset") in ASSETS):
        faults.append(f"{where}: a build box, and only it, names one of {', '.join(ASSETS)} as its asset")
    if kind == "move_cowboys":
        faults += _number_faults(f"{where}: value", box.get("value"), 1)
    faults += _price_faults(where, box)
    least = box.get("min_players")
    if least not in PLAYERS:
        faults.append(f"{where}: min_players must be 3, 4 or 5 (A1), found {least!r}")
    return faults


def _price_faults(where: str, box: JsonObject) -> list[str]:
    prices = [name for name in ("price", "price_per_counter") if name in box]
    if len(prices) != 1:
        return [f"{where} needs a price or a price_per_counter (C3)"]
    if prices == ["price_per_counter"] and box.get("kind") not in ("cattle", "cowboys", "move_cowboys"):
        return [f"{where}: only cattle, cowboys and move_cowboys can be priced by the counter"]
    return _number_faults(f"{where}: {prices[0]}", box[prices[0]], 0)


def _counter_faults(counters: Json) -> list[str]:
    if not isinstance(counters, dict):
        return ["'counters_per_colour' must be an object"]
    faults = []
    for kind in COUNTERS:
        faults += _number_faults(
            f"counters_per_colour.{kind}", counters.get(kind), 3 if kind == "cowboy" else 0
        )
    return faults


def _by_players_faults(name: str, table: Json, least: int) -> list[str]:
    if not isinstance(table, dict) or sorted(table) != [str(players) for players in PLAYERS]:
        return [f"{name} needs a number for 3, 4 and 5 players"]
    return [
        fault
        for players in sorted(table)
        for fault in _number_faults(f"{name}.{players}", table[players], least)
    ]


def _list_faults(name: str, spaces: Json) -> list[str]:
    if not isinstance(spaces, list) or not all(is_number(space, 1) for space in spaces):
        return [f"{name} must be a list of whole numbers from 1 on"]
    return [] if spaces == sorted(set(spaces)) else [f"{name} must rise and name no number twice"]


def _track_faults(obj: JsonObject) -> list[str]:
    last = obj["last_space"]
    late = [players for players in sorted(obj["start_space"]) if obj["start_space"][players] > last]
    faults = [f"start_space.{players} lies behind last_space {last} (A9)" for players in late]
    if any(space > last for space in obj["income_spaces"]):
        faults.append(f"an income space lies behind last_space {last} (P2)")
    return faults
