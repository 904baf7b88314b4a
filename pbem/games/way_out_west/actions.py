"""What a player can do, as values, and their JSON (schemas/way-out-west/action.schema.json).

Towns, boxes and seats stand here by the ids that players write. ``plan`` and ``box`` are optional fields: the
*short form* of an action is without them. Lists whose order has no meaning are put in order here.
"""

from __future__ import annotations

import json
from dataclasses import fields
from functools import lru_cache
from typing import TypeAlias, TypeVar

from pbem.base.values import dataclass
from pbem.game import JsonObject


@dataclass(frozen=True, slots=True)
class AssetTarget:
    """One asset of another player (J2)."""

    asset: str


@dataclass(frozen=True, slots=True)
class CattleTarget:
    """One or two cattle counters of one player (J2)."""

    cattle: int
    seat: str


@dataclass(frozen=True, slots=True)
class FarmerTarget:
    """The farmer in the town (J2)."""


Target: TypeAlias = AssetTarget | CattleTarget | FarmerTarget


@dataclass(frozen=True, slots=True)
class Plan:
    """The attacker's answers in advance: retreat below this strength, to these towns in this order."""

    retreat_below: int
    to: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Move:
    """So many cowboys from one town to another."""

    origin: str
    to: str
    count: int


@dataclass(frozen=True, slots=True)
class PlaceCowboy:
    """Setup (A6)."""

    town: str


@dataclass(frozen=True, slots=True)
class Bid:
    """A total (B4)."""

    amount: int


@dataclass(frozen=True, slots=True)
class DropOut:
    """Out of the auction (B7)."""


@dataclass(frozen=True, slots=True)
class Cattle:
    """Buy cattle and place them in this order (D)."""

    towns: tuple[str, ...]
    box: str | None = None


@dataclass(frozen=True, slots=True)
class Cowboys:
    """Buy cowboys and place them (E)."""

    towns: tuple[str, ...]
    box: str | None = None


@dataclass(frozen=True, slots=True)
class Build:
    """Build an asset (F)."""

    asset: str
    town: str
    box: str | None = None


@dataclass(frozen=True, slots=True)
class MoveCowboys:
    """Move own cowboys (G); ``moves`` sorted by town ids, one entry for each pair of towns."""

    moves: tuple[Move, ...]
    box: str | None = None


@dataclass(frozen=True, slots=True)
class MoveCattle:
    """Move one cattle counter (H); ``seat`` names another player's under ``move_cattle_owner=any``."""

    origin: str
    to: str
    seat: str | None = None
    box: str | None = None


@dataclass(frozen=True, slots=True)
class Gunfight:
    """Attack (J)."""

    town: str
    target: Target
    plan: Plan | None = None
    box: str | None = None


@dataclass(frozen=True, slots=True)
class Farmer:
    """Place the own farmer in an empty corral, or on a cattle counter of ``replace`` (N)."""

    town: str
    replace: str | None = None
    box: str | None = None


@dataclass(frozen=True, slots=True)
class Pass:
    """No action (C7); ``box_must_act=false``: the token may be put on ``box`` to block it."""

    box: str | None = None


@dataclass(frozen=True, slots=True)
class AskSheriff:
    """The defender asks the jail's owner for help, or does not (K4)."""

    ask: bool


@dataclass(frozen=True, slots=True)
class LendSheriff:
    """The jail's owner sends their sheriff, or does not (K4)."""

    lend: bool


@dataclass(frozen=True, slots=True)
class Fire:
    """Fire, or fight on between simultaneous rounds (L3, L11)."""


@dataclass(frozen=True, slots=True)
class Retreat:
    """Give up; the cowboys leave for these towns, sorted (L10 to L14)."""

    to: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LeaveTown:
    """Where the robbers ride to (M5): pairs of town and number, sorted."""

    moves: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class TakeWanted:
    """From whom the winner takes their Wanted counter (M10)."""

    seat: str


BoxAction: TypeAlias = Cattle | Cowboys | Build | MoveCowboys | MoveCattle | Gunfight | Farmer
Answer: TypeAlias = AskSheriff | LendSheriff | Fire | Retreat | LeaveTown | TakeWanted
Action: TypeAlias = PlaceCowboy | Bid | DropOut | BoxAction | Pass | Answer
A = TypeVar("A", bound="Action")

BOX_ACTIONS = (Cattle, Cowboys, Build, MoveCowboys, MoveCattle, Gunfight, Farmer)
NAMES: dict[type[Action], str] = {
    PlaceCowboy: "place-cowboy", Bid: "bid", DropOut: "drop-out", Cattle: "cattle", Cowboys: "cowboys",
    Build: "build", MoveCowboys: "move-cowboys", MoveCattle: "move-cattle", Gunfight: "gunfight",
    Farmer: "farmer", Pass: "pass", AskSheriff: "ask-sheriff", LendSheriff: "lend-sheriff", Fire: "fire",
    Retreat: "retreat", LeaveTown: "leave-town", TakeWanted: "take-wanted",
}  # fmt: skip


_MEMBERS = {
    kind: tuple(
        (field.name, "from" if field.name == "origin" or kind is TakeWanted else field.name)
        for field in fields(kind)
    )
    for kind in NAMES
}
"""The fields of each kind, and what they are called in JSON; looked up once, for actions are listed by the thousand."""


def target_to_json(target: Target) -> JsonObject:
    """``{"asset":A}``, ``{"cattle":n,"seat":S}`` or ``{"farmer":true}``."""
    if isinstance(target, AssetTarget):
        return {"asset": target.asset}
    if isinstance(target, CattleTarget):
        return {"cattle": target.cattle, "seat": target.seat}
    return {"farmer": True}


def plan_to_json(plan: Plan) -> JsonObject:
    """The ``plan`` member of a gunfight."""
    return {"retreat_below": plan.retreat_below, "to": list(plan.to)}


def action_to_json(action: Action) -> JsonObject:
    """The canonical object of an action."""
    kind = type(action)
    obj: JsonObject = {"do": NAMES[kind]}
    for name, called in _MEMBERS[kind]:
        value = getattr(action, name)
        if value is None:
            continue
        if isinstance(value, (AssetTarget, CattleTarget, FarmerTarget)):
            value = target_to_json(value)
        elif isinstance(value, Plan):
            value = plan_to_json(value)
        elif name == "moves":
            value = _moves_to_json(action)
        elif isinstance(value, tuple):
            value = list(value)
        obj[called] = value
    return obj


def _moves_to_json(action: Action) -> list[JsonObject]:
    if isinstance(action, MoveCowboys):
        return [{"from": move.origin, "to": move.to, "count": move.count} for move in action.moves]
    if isinstance(action, LeaveTown):
        return [{"to": town, "count": count} for town, count in action.moves]
    return []


@lru_cache(maxsize=4096)
def sort_key(action: Action) -> str:
    """The canonical JSON of an action: ASCII, so that text order is the order of its bytes."""
    return json.dumps(action_to_json(action), sort_keys=True, separators=(",", ":"))


# --- events -----------------------------------------------------------------------------------------------
#
# What happened (schemas/way-out-west/event.schema.json). Everything is public, so every viewer gets every
# field.
#
# A field that is None is left out of the JSON. ``what`` is ``cowboy``, ``default-cowboy``, ``guard``,
# ``crew``, ``sheriff``, ``farmer``, ``cattle`` or an asset.

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
