"""The board as data: towns, action boxes, prices, counters, cash and the turn track.

Nothing about the printed map is in code. ``read_board`` turns the object of genesis (``setup.board``) into a
``Board``; what a board file may look like is said by ``schemas/way-out-west/board.schema.json``, and ``board_faults``
adds what its values must keep to among each other. ``game.check_board`` compares a board file with every rule
row and public source that constrains its numbers.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final, TypeAlias

from pbem.base.resources import data_dir
from pbem.base.sentences import Sentence, joined, phrase, plain, sentence, term
from pbem.base.shapes.compiled import words_of
from pbem.base.shapes.schema import form, load
from pbem.base.values import dataclass
from pbem.game import BadSetup, Json, JsonObject

_FORM: Final = load("way-out-west/board")
ASSETS: Final[tuple[str, ...]] = tuple(_FORM["$defs"]["asset"]["enum"])
"""The six kinds of buildings and transport."""
KINDS: Final = tuple(
    dict.fromkeys(
        kind
        for box in _FORM["properties"]["action_boxes"]["items"]["oneOf"]
        for kind in words_of(box["properties"]["kind"])
    )
)
"""What an action box can be for."""
COUNTERS: Final = ("cowboy", "cattle", *ASSETS)
PLAYERS: Final[tuple[int, ...]] = tuple(_FORM["$defs"]["players"]["enum"])
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

    @property
    def purpose(self) -> str:
        """The asset that it builds, or its kind."""
        return self.asset or self.kind

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


def read_board(obj: Json, *, bulk: bool = False) -> Board:
    """The board of a match; ``bulk`` as in ``board_faults``.

    Raises:
        BadSetup: if the engine could not play on it; the sentence lists every fault.
    """
    faults = board_faults(obj, bulk=bulk)
    if faults:
        raise BadSetup(joined((sentence("this board cannot be played on"), joined(faults)), ": "))
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


# --- what no schema can say --------------------------------------------------------------------------------


def board_faults(obj: Json, *, bulk: bool = False) -> list[str]:
    """Every fault that makes a board unplayable: of its form, and if there is none, of values beside each other.

    ``bulk``: it stands in a record, and is nothing that somebody hands in.
    """
    wrong = form("way-out-west/board").faults(obj, bulk=bulk)
    if wrong:
        return [fault.describe() for fault in wrong]
    return [*_town_faults(obj["towns"]), *_twice(obj["action_boxes"]), *_track_faults(obj)]


def _town_faults(towns: list[JsonObject]) -> list[str]:
    faults: list[str] = [
        sentence("town {name!r} needs letters and digits in its name", name=town["name"])
        for town in towns
        if not town_id(town["name"])
    ]
    ids = [town["id"] for town in towns]
    if sorted(ids) != list(range(1, len(ids) + 1)):
        faults.append(
            sentence(
                "towns must be numbered 1 to {count}, each number once, found {numbers} (D3)",
                count=len(ids),
                numbers=plain(ids),
            )
        )
    if not faults and len({town_id(town["name"]) for town in towns}) < len(towns):
        faults.append(sentence("two towns have the same name"))
    return faults


def _twice(boxes: list[JsonObject]) -> list[str]:
    count = Counter(box["id"] for box in boxes)
    return [
        sentence("two action boxes are called {name!r}", name=name)
        for name in sorted(count)
        if count[name] > 1
    ]


def _track_faults(obj: JsonObject) -> list[str]:
    last = obj["last_space"]
    faults: list[str] = [
        sentence("{name} must rise", name=name)
        for name in ("income_spaces", "money_denominations")
        if obj[name] != sorted(obj[name])
    ]
    late = [players for players in sorted(obj["start_space"]) if obj["start_space"][players] > last]
    faults += [
        sentence("start_space.{players} lies behind last_space {last} (A9)", players=players, last=last)
        for players in late
    ]
    if any(space > last for space in obj["income_spaces"]):
        faults.append(sentence("an income space lies behind last_space {last} (P2)", last=last))
    return faults


_KINDS: Final = {
    "cattle": "buy cattle",
    "cowboys": "buy cowboys",
    "build": "build",
    "move-cowboys": "move cowboys",
    "move-cattle": "move cattle",
    "gunfight": "gunfight",
}
"""Kinds of box as ``words.jinja`` says them."""


def box_name(box_id: str) -> Sentence:
    """A box as the table shows it: by its kind and number (``cattle-1``), or by what is built there (``jail``)."""
    kind, _, number = box_id.rpartition("-")
    if kind in _KINDS and number.isdecimal():
        return sentence("‘{kind}’ {number}", kind=phrase(_KINDS[kind], "box"), number=number)
    return term(box_id)


class BoxIndex:
    """The boxes of a board for so many players; one object for equal boxes, so that it is a key by itself."""

    __slots__ = ("boxes", "boxes_for", "numbers")

    def __init__(self, boxes: tuple[Box, ...], players: int) -> None:
        self.numbers: Mapping[str, int] = {box.id: at for at, box in enumerate(boxes)}
        """Box id → its place on the board."""
        self.boxes: tuple[Box, ...] = tuple(box for box in boxes if box.min_players <= players)
        """Those that exist with this number of players (C6)."""
        self.boxes_for: Mapping[str, tuple[Box, ...]] = {
            use: tuple(box for box in self.boxes if box.purpose == use) for use in (*KINDS, *ASSETS)
        }
        """The same by the asset or the kind that they are for."""


@lru_cache(maxsize=64)
def box_index(boxes: tuple[Box, ...], players: int) -> BoxIndex:
    """The boxes of a board, the same object each time."""
    return BoxIndex(boxes, players)


@lru_cache(maxsize=4096)
def first_box(
    index: BoxIndex, purpose: str, used: tuple[str, ...], cash: int, counters: int, value: int
) -> Box | None:
    """The first free box for this kind or asset that has the value and does not cost more than the cash."""
    for box in index.boxes_for[purpose]:
        price = box.cost(counters) if counters else 0
        if box.id not in used and box.value >= value and price <= cash:
            return box
    return None


@lru_cache(maxsize=4096)
def with_token(index: BoxIndex, used: tuple[str, ...], box: str) -> tuple[str, ...]:
    """The used boxes, in the order of the board, with one more."""
    return tuple(sorted((*used, box), key=index.numbers.__getitem__))
