"""The actions (schemas/wyatt-earp/action.schema.json): values, their JSON, and their public form.

Seats stand as their index clockwise, Outlaws and cards as in ``cards``; the codec knows the seats' names.
Optional fields are ``NONE`` (or empty) where nothing is named in advance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

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
from pbem.sentences import sentence


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


class _Fields:
    """The members of one action object, each taken once; what is left over is a fault."""

    def __init__(self, obj: JsonObject, seats: Sequence[str]) -> None:
        self._left = dict(obj)
        self._do = self._left.pop("do")
        self._seats = seats

    def has(self, name: str) -> bool:
        return name in self._left

    def close(self) -> None:
        if self._left:
            raise MalformedAction(
                sentence("{do}: no field {names} here", do=self._do, names=", ".join(map(repr, self._left)))
            )

    def text(self, name: str, allowed: Sequence[str]) -> str:
        value = self._take(name)
        if not isinstance(value, str) or value not in allowed:
            raise MalformedAction(
                sentence(
                    "{do}: {name!r} is one of {names}, found {value!r}",
                    do=self._do,
                    name=name,
                    names=", ".join(allowed),
                    value=value,
                )
            )
        return value

    def true(self, name: str) -> None:
        value = self._take(name)
        if value is not True:
            raise MalformedAction(
                sentence(
                    "{do}: {name!r} can only be true, found {value!r}", do=self._do, name=name, value=value
                )
            )

    def count(self, name: str) -> int:
        value = self._take(name)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise MalformedAction(
                sentence(
                    "{do}: {name!r} is a number from 1, found {value!r}", do=self._do, name=name, value=value
                ),
                ("D5", "D4"),
            )
        return value

    def outlaw(self, name: str) -> Outlaw:
        return OUTLAW_OF[self.text(name, OUTLAW_NAMES)]

    def outlaw_or_none(self, name: str) -> Outlaw:
        return self.outlaw(name) if self.has(name) else NONE

    def card(self, name: str) -> Kind:
        return KIND_OF[self.text(name, NAMES)]

    def seat(self, name: str) -> int:
        return self._seats.index(self.text(name, self._seats))

    def target(self, outlaw: str) -> tuple[Outlaw, int]:
        """Outlaw and seat, which are named together or not at all."""
        if not self.has(outlaw) and not self.has("seat"):
            return NONE, NONE
        return self.outlaw(outlaw), self.seat("seat")

    def cards(self, name: str) -> tuple[Kind, ...]:
        return tuple(KIND_OF[item] for item in self._list(name, NAMES))

    def seat_list(self, name: str) -> tuple[int, ...]:
        return tuple(self._seats.index(item) for item in self._list(name, self._seats))

    def _list(self, name: str, allowed: Sequence[str]) -> list[str]:
        if not self.has(name):
            return []
        value = self._take(name)
        if not isinstance(value, list) or not value:
            raise MalformedAction(
                sentence(
                    "{do}: {name!r} is a list of at least one, found {value!r}",
                    do=self._do,
                    name=name,
                    value=value,
                )
            )
        for item in value:
            if not isinstance(item, str) or item not in allowed:
                raise MalformedAction(
                    sentence(
                        "{do}: {name!r} holds {names}; found {item!r}",
                        do=self._do,
                        name=name,
                        names=", ".join(allowed),
                        item=item,
                    )
                )
        return value

    def _take(self, name: str) -> Json:
        if name not in self._left:
            raise MalformedAction(sentence("{do}: the field {name!r} is missing", do=self._do, name=name))
        return self._left.pop(name)


def action_from_json(obj: Json, seats: Sequence[str]) -> Action:
    """The action that ``obj`` is.

    Raises:
        MalformedAction: if it is none, with what was expected and what was found.
    """
    if not isinstance(obj, dict) or not isinstance(obj.get("do"), str):
        raise MalformedAction(
            sentence("an action is an object with a text 'do', found {shown}", shown=_shown(obj))
        )
    read = _READERS.get(obj["do"])
    if read is None:
        raise MalformedAction(
            sentence("no action {do!r}; there are: {names}", do=obj["do"], names=", ".join(_READERS))
        )
    fields = _Fields(obj, seats)
    action = read(fields)
    fields.close()
    return action


def _shown(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _read_most_wanted(fields: _Fields) -> Action:
    if fields.has("steal"):
        fields.true("steal")
        return Steal(*fields.target("outlaw"))
    outlaw = fields.outlaw("ask")
    direction = fields.text("direction", ("clockwise", "counterclockwise"))
    return Ask(outlaw, direction == "clockwise", fields.seat_list("order"))


def _read_earp(fields: _Fields) -> Action:
    match fields.text("mode", ("draw", "search", "remove-hideout")):
        case "draw":
            return EarpDraw()
        case "search":
            return EarpSearch(fields.cards("take"))
        case _:
            return EarpRemove(fields.outlaw_or_none("on"))


def _read_choose(fields: _Fields) -> Action:
    if fields.has("take"):
        return Choose(take=fields.card("take"))
    if fields.has("decline"):
        fields.true("decline")
        return Choose(decline=True)
    return Choose(on=fields.outlaw("on"), seat=fields.seat("seat") if fields.has("seat") else NONE)


_READERS: Final[dict[str, Callable[[_Fields], Action]]] = {
    "draw": lambda fields: Draw(fields.text("from", ("supply", "discard")) == "supply"),
    "lay": lambda fields: Lay(fields.outlaw("outlaw"), fields.count("count")),
    "photo": lambda fields: PlayPhoto(fields.outlaw("outlaw")),
    "bank-robbery": lambda fields: Rob(BANK, fields.outlaw_or_none("on")),
    "stagecoach-robbery": lambda fields: Rob(STAGE, fields.outlaw_or_none("on")),
    "fastest-gun": lambda fields: Rob(FASTEST, fields.outlaw_or_none("on")),
    "most-wanted": _read_most_wanted,
    "hideout": lambda fields: Hide(*fields.target("on")),
    "wyatt-earp": _read_earp,
    "choose": _read_choose,
    "react": lambda fields: React(fields.text("with", ("wyatt-earp", "pass")) == "wyatt-earp"),
    "discard": lambda fields: Discard(fields.card("card")),
}
