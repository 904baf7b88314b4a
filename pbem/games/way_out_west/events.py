"""What happened (schemas/way-out-west/event.schema.json). Everything is public, so every viewer gets every field.

A field that is None is left out of the JSON. ``what`` is ``cowboy``, ``default-cowboy``, ``guard``, ``crew``,
``sheriff``, ``farmer``, ``cattle`` or an asset.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TypeAlias

from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.games.way_out_west.actions import AssetTarget, CattleTarget, FarmerTarget, Target, target_to_json

Names: TypeAlias = tuple[str, ...]
Numbers: TypeAlias = tuple[int, ...]
Table: TypeAlias = tuple[tuple[str, int], ...]
"""A JSON object of numbers by name, as pairs."""


@dataclass(frozen=True, slots=True)
class BidMade:
    """B4."""

    seat: str
    amount: int


@dataclass(frozen=True, slots=True)
class DroppedOut:
    """B8, B9."""

    seat: str
    place: int
    paid: int


@dataclass(frozen=True, slots=True)
class TurnOrder:
    """A5 (nothing paid), or the end of an auction (B10, B11: what everybody paid)."""

    order: Names
    paid: Table | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """A counter came onto the map."""

    seat: str
    what: str
    town: str
    paid: int


@dataclass(frozen=True, slots=True)
class Moved:
    """Counters went from town to town."""

    seat: str
    what: str
    origin: str
    to: str
    count: int


@dataclass(frozen=True, slots=True)
class Toll:
    """Stagecoach income (E3, G3)."""

    to: str
    amount: int
    town: str


@dataclass(frozen=True, slots=True)
class Returned:
    """Counters went back to their owner's stock (N2)."""

    seat: str
    what: str
    town: str
    count: int


@dataclass(frozen=True, slots=True)
class GunfightBegun:
    """Strengths are compared (K9, L1)."""

    town: str
    attacker: str
    defender: str
    target: Target
    attack: int
    defence: int
    first: str


@dataclass(frozen=True, slots=True)
class Volley:
    """L3."""

    side: str
    dice: Numbers
    hits: int


@dataclass(frozen=True, slots=True)
class Killed:
    """L6."""

    side: str
    what: str
    count: int


@dataclass(frozen=True, slots=True)
class Retreated:
    """L12 to L14; ``lost`` counters went back to stock."""

    seat: str
    to: Names
    lost: int


@dataclass(frozen=True, slots=True)
class GunfightWon:
    """``winner``: a seat, ``farmer`` or ``nobody`` (then ``loser`` is ``both``)."""

    winner: str
    loser: str
    target: Target


@dataclass(frozen=True, slots=True)
class Captured:
    """M1: one counter replaced."""

    seat: str
    owner: str
    what: str
    town: str


@dataclass(frozen=True, slots=True)
class Removed:
    """M2, M3, M4."""

    what: str
    town: str


@dataclass(frozen=True, slots=True)
class Robbed:
    """M4; ``amount`` is the sum paid."""

    seat: str
    victim: str
    dice: Numbers
    amount: int
    bank_closed: bool


@dataclass(frozen=True, slots=True)
class WantedTaken:
    """M9, M10; ``giver``: ``supply`` or a seat."""

    seat: str
    giver: str


@dataclass(frozen=True, slots=True)
class BoxPaid:
    """A price of a box whose action names no price of its own (C3); not on the default board."""

    seat: str
    box: str
    paid: int


@dataclass(frozen=True, slots=True)
class Income:
    """P4 to P9; ``source``: cattle, bank, store or hotel."""

    seat: str
    source: str
    town: str
    amount: int


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """P1, P2."""

    space: int


@dataclass(frozen=True, slots=True)
class Scored:
    """Points of one seat by source (Q)."""

    seat: str
    assets: int
    cattle: int
    control: int
    cash: int
    wanted: int
    total: int


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """Q10."""

    winners: Names
    points: Table


Event: TypeAlias = (
    BidMade | DroppedOut | TurnOrder | Placed | Moved | Toll | Returned | GunfightBegun | Volley | Killed | Retreated
    | GunfightWon | Captured | Removed | Robbed | WantedTaken | BoxPaid | Income | TurnEnded | Scored | MatchEnded
)  # fmt: skip

EVENT_NAMES: dict[type[Event], str] = {
    BidMade: "bid", DroppedOut: "dropped-out", TurnOrder: "turn-order", Placed: "placed", Moved: "moved",
    Toll: "toll", Returned: "returned", GunfightBegun: "gunfight", Volley: "volley", Killed: "killed",
    Retreated: "retreated", GunfightWon: "gunfight-won", Captured: "captured", Removed: "removed",
    Robbed: "robbed", WantedTaken: "wanted", BoxPaid: "box-paid", Income: "income", TurnEnded: "turn-ended",
    Scored: "scored", MatchEnded: "match-ended",
}  # fmt: skip

_JSON_NAMES = {
    (Moved, "origin"): "from",
    (Captured, "owner"): "from",
    (Robbed, "victim"): "from",
    (WantedTaken, "giver"): "from",
}
_TABLES = {(TurnOrder, "paid"), (MatchEnded, "points")}


def event_to_json(event: Event) -> JsonObject:
    """The event under its name, fields as ``event.schema.json`` spells them."""
    kind = type(event)
    obj: JsonObject = {"event": EVENT_NAMES[kind]}
    for member in fields(event):
        value = getattr(event, member.name)
        if value is None:
            continue
        if (kind, member.name) in _TABLES:
            value = dict(value)
        elif isinstance(value, (AssetTarget, CattleTarget, FarmerTarget)):
            value = target_to_json(value)
        elif isinstance(value, tuple):
            value = list(value)
        obj[_JSON_NAMES.get((kind, member.name), member.name)] = value
    return obj
