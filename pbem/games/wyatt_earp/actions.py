"""The actions (schemas/wyatt-earp/action.schema.json): values, their JSON, and their public form.

Seats stand as their index clockwise, Outlaws and cards as in ``cards``; the codec knows the seats' names.
Optional fields are ``NONE`` (or empty) where nothing is named in advance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

from pbem.base.shapes.schema import narrowed
from pbem.base.values import dataclass
from pbem.game import Json, JsonObject, MalformedAction
from pbem.games.wyatt_earp.cards import (
    BANK,
    FASTEST,
    KIND_OF,
    NAMES,
    NONE,
    OUTLAW_NAMES,
    OUTLAW_OF,
    STAGE,
    Kind,
    Outlaw,
)
from pbem.games.wyatt_earp.state import Match


@dataclass(frozen=True, slots=True)
class Draw:
    """Two from the supply, or the top of the discard (C2)."""

    supply: bool


@dataclass(frozen=True, slots=True)
class Lay:
    """``count`` Outlaw cards of one Outlaw in one play (D)."""

    outlaw: Outlaw
    count: int


@dataclass(frozen=True, slots=True)
class PlayPhoto:
    """The Photo of an opened Outlaw (J)."""

    outlaw: Outlaw


@dataclass(frozen=True, slots=True)
class Rob:
    """A shot card that joins an own group: ``BANK``, ``STAGE`` or ``FASTEST`` (K, L)."""

    card: Kind
    on: Outlaw = NONE


@dataclass(frozen=True, slots=True)
class Ask:
    """Most wanted, mode 1 (M2–M8). ``order`` names the seats asked, under ``mw_order=any_order`` only."""

    outlaw: Outlaw
    clockwise: bool
    order: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Steal:
    """Most wanted, mode 2 (M9–M15)."""

    outlaw: Outlaw = NONE
    seat: int = NONE


@dataclass(frozen=True, slots=True)
class Hide:
    """A Hideout (N)."""

    on: Outlaw = NONE
    seat: int = NONE


@dataclass(frozen=True, slots=True)
class EarpDraw:
    """Wyatt Earp, mode 1 (O2–O4)."""


@dataclass(frozen=True, slots=True)
class EarpSearch:
    """Wyatt Earp, mode 2 (O5–O11); ``take`` lists preferences and is secret (O10)."""

    take: tuple[Kind, ...] = ()


@dataclass(frozen=True, slots=True)
class EarpRemove:
    """Wyatt Earp, mode 3 in the own turn (O12)."""

    on: Outlaw = NONE


@dataclass(frozen=True, slots=True)
class Choose:
    """The answer to a question of the engine (I10): one target, one card of a stack, or no."""

    on: Outlaw = NONE
    seat: int = NONE
    take: Kind = NONE
    decline: bool = False


@dataclass(frozen=True, slots=True)
class React:
    """The answer in the reaction window (N9, O13)."""

    earp: bool


@dataclass(frozen=True, slots=True)
class Discard:
    """The card that ends the turn (E1)."""

    card: Kind


Action: TypeAlias = (
    Draw
    | Lay
    | PlayPhoto
    | Rob
    | Ask
    | Steal
    | Hide
    | EarpDraw
    | EarpSearch
    | EarpRemove
    | Choose
    | React
    | Discard
)


def public_form(action: Action, *, search_public: bool) -> Action:
    """The action without its secret part (O10); a ``Choose`` that takes a card is left with nothing."""
    if search_public:
        return action
    if isinstance(action, EarpSearch):
        return EarpSearch()
    if isinstance(action, Choose) and action.take != NONE:
        return replace(action, take=NONE)
    return action


# --- to JSON ----------------------------------------------------------------------------------------------


def action_to_json(action: Action, seats: Sequence[str]) -> JsonObject:
    """The canonical object of an action, fields in the order of the schema."""
    match action:
        case Draw(supply):
            return {"do": "draw", "from": "supply" if supply else "discard"}
        case Lay(outlaw, count):
            return {"do": "lay", "outlaw": OUTLAW_NAMES[outlaw], "count": count}
        case PlayPhoto(outlaw):
            return {"do": "photo", "outlaw": OUTLAW_NAMES[outlaw]}
        case Rob(card, on):
            return {"do": NAMES[card], **_named("on", on)}
        case Hide(on, seat):
            return {"do": "hideout", **_named("on", on), **_seated(seat, seats)}
        case React(earp):
            return {"do": "react", "with": "wyatt-earp" if earp else "pass"}
        case Discard(card):
            return {"do": "discard", "card": NAMES[card]}
        case Choose():
            return _choose_to_json(action, seats)
        case _:
            return _symbol_to_json(action, seats)


def _symbol_to_json(
    action: Ask | Steal | EarpDraw | EarpSearch | EarpRemove, seats: Sequence[str]
) -> JsonObject:
    match action:
        case Ask(outlaw, clockwise, order):
            direction = "clockwise" if clockwise else "counterclockwise"
            told: JsonObject = {"do": "most-wanted", "ask": OUTLAW_NAMES[outlaw], "direction": direction}
            return {**told, "order": [seats[seat] for seat in order]} if order else told
        case Steal(outlaw, seat):
            return {"do": "most-wanted", "steal": True, **_named("outlaw", outlaw), **_seated(seat, seats)}
        case EarpDraw():
            return {"do": "wyatt-earp", "mode": "draw"}
        case EarpSearch(take):
            told = {"do": "wyatt-earp", "mode": "search"}
            return {**told, "take": [NAMES[kind] for kind in take]} if take else told
        case EarpRemove(on):
            return {"do": "wyatt-earp", "mode": "remove-hideout", **_named("on", on)}


def _choose_to_json(action: Choose, seats: Sequence[str]) -> JsonObject:
    told: JsonObject = {"do": "choose", **_named("on", action.on), **_seated(action.seat, seats)}
    if action.take != NONE:
        told["take"] = NAMES[action.take]
    if action.decline:
        told["decline"] = True
    return told


def _named(field: str, outlaw: Outlaw) -> JsonObject:
    return {} if outlaw == NONE else {field: OUTLAW_NAMES[outlaw]}


def _seated(seat: int, seats: Sequence[str]) -> JsonObject:
    return {} if seat == NONE else {"seat": seats[seat]}


# --- from JSON --------------------------------------------------------------------------------------------


def action_from_json(match: Match, obj: Json) -> Action:
    """The action that ``obj`` is.

    Raises:
        MalformedAction: if it is none, with what ``action.schema.json`` expects and what was found.
    """
    fault = narrowed("wyatt-earp/action", match.words).fault(obj, bulk=True)
    if fault is not None:
        do = str(obj["do"]) if isinstance(obj, dict) and "do" in obj and "do" not in fault.names else ""
        raise MalformedAction(fault.told(do), ("D5", "D4") if fault.names == ("count",) else ())
    return read_action(match, obj)


def read_action(match: Match, obj: JsonObject) -> Action:
    """The same for an object of the form that the schema wants."""
    return _READ[obj["do"]](obj, match.seats.index)


Seats: TypeAlias = Callable[[str], int]


def _outlaw(obj: JsonObject, member: str) -> Outlaw:
    return OUTLAW_OF[obj[member]] if member in obj else NONE


def _seat(obj: JsonObject, seats: Seats) -> int:
    return seats(obj["seat"]) if "seat" in obj else NONE


def _read_most_wanted(obj: JsonObject, seats: Seats) -> Action:
    if "steal" in obj:
        return Steal(_outlaw(obj, "outlaw"), _seat(obj, seats))
    order = tuple(map(seats, obj.get("order", ())))
    return Ask(OUTLAW_OF[obj["ask"]], obj["direction"] == "clockwise", order)


def _read_earp(obj: JsonObject, _: Seats) -> Action:
    if obj["mode"] == "draw":
        return EarpDraw()
    if obj["mode"] == "search":
        return EarpSearch(tuple(KIND_OF[card] for card in obj.get("take", ())))
    return EarpRemove(_outlaw(obj, "on"))


def _read_choose(obj: JsonObject, seats: Seats) -> Action:
    if "take" in obj:
        return Choose(take=KIND_OF[obj["take"]])
    return Choose(_outlaw(obj, "on"), _seat(obj, seats), decline="decline" in obj)


_READ: Final[dict[str, Callable[[JsonObject, Seats], Action]]] = {
    "draw": lambda obj, _: Draw(obj["from"] == "supply"),
    "lay": lambda obj, _: Lay(OUTLAW_OF[obj["outlaw"]], obj["count"]),
    "photo": lambda obj, _: PlayPhoto(OUTLAW_OF[obj["outlaw"]]),
    "bank-robbery": lambda obj, _: Rob(BANK, _outlaw(obj, "on")),
    "stagecoach-robbery": lambda obj, _: Rob(STAGE, _outlaw(obj, "on")),
    "fastest-gun": lambda obj, _: Rob(FASTEST, _outlaw(obj, "on")),
    "most-wanted": _read_most_wanted,
    "hideout": lambda obj, seats: Hide(_outlaw(obj, "on"), _seat(obj, seats)),
    "wyatt-earp": _read_earp,
    "choose": _read_choose,
    "react": lambda obj, _: React(obj["with"] == "wyatt-earp"),
    "discard": lambda obj, _: Discard(KIND_OF[obj["card"]]),
}
