"""The actions (schemas/wyatt-earp/action.schema.json): values, their JSON, and their public form.

Seats stand as their index clockwise, Outlaws and cards as in ``deck``; the codec knows the seats' names.
Optional fields are ``NONE`` (or empty) where nothing is named in advance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeAlias

from pbem.base.shapes.schema import narrowed
from pbem.base.values import dataclass
from pbem.game import FULL, Json, JsonObject, MalformedAction, Viewer
from pbem.games.wyatt_earp import deck
from pbem.games.wyatt_earp.deck import NONE, Kind, Outlaw
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


Revealing: TypeAlias = Rob | Ask | Steal | Hide | EarpDraw | EarpSearch | EarpRemove
"""A Sheriff card whose play may reveal something: a shot off the deck, a card, somebody's answer."""
Action: TypeAlias = Draw | Lay | PlayPhoto | Revealing | Choose | React | Discard


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
            return {"do": "lay", "outlaw": deck.OUTLAW_NAMES[outlaw], "count": count}
        case PlayPhoto(outlaw):
            return {"do": "photo", "outlaw": deck.OUTLAW_NAMES[outlaw]}
        case Rob(card, on):
            return {"do": deck.NAMES[card], **_named("on", on)}
        case Hide(on, seat):
            return {"do": "hideout", **_named("on", on), **_seated(seat, seats)}
        case React(earp):
            return {"do": "react", "with": "wyatt-earp" if earp else "pass"}
        case Discard(card):
            return {"do": "discard", "card": deck.NAMES[card]}
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
            body: JsonObject = {"do": "most-wanted", "ask": deck.OUTLAW_NAMES[outlaw], "direction": direction}
            return {**body, "order": [seats[seat] for seat in order]} if order else body
        case Steal(outlaw, seat):
            return {"do": "most-wanted", "steal": True, **_named("outlaw", outlaw), **_seated(seat, seats)}
        case EarpDraw():
            return {"do": "wyatt-earp", "mode": "draw"}
        case EarpSearch(take):
            body = {"do": "wyatt-earp", "mode": "search"}
            return {**body, "take": [deck.NAMES[kind] for kind in take]} if take else body
        case EarpRemove(on):
            return {"do": "wyatt-earp", "mode": "remove-hideout", **_named("on", on)}


def _choose_to_json(action: Choose, seats: Sequence[str]) -> JsonObject:
    facts: JsonObject = {"do": "choose", **_named("on", action.on), **_seated(action.seat, seats)}
    if action.take != NONE:
        facts["take"] = deck.NAMES[action.take]
    if action.decline:
        facts["decline"] = True
    return facts


def _named(field: str, outlaw: Outlaw) -> JsonObject:
    return {} if outlaw == NONE else {field: deck.OUTLAW_NAMES[outlaw]}


def _seated(seat: int, seats: Sequence[str]) -> JsonObject:
    return {} if seat == NONE else {"seat": seats[seat]}


# --- from JSON --------------------------------------------------------------------------------------------


def action_from_json(match: Match, obj: Json, *, bulk: bool = False) -> Action:
    """The action that ``obj`` is; ``bulk`` as for ``Rules``.

    Raises:
        MalformedAction: if it is none, with what ``action.schema.json`` expects and what was found.
    """
    fault = narrowed("wyatt-earp/action", match.words).fault(obj, bulk=bulk)
    if fault is not None:
        do = str(obj["do"]) if isinstance(obj, dict) and "do" in obj and "do" not in fault.names else ""
        raise MalformedAction(fault.describe(do), ("D5", "D4") if fault.names == ("count",) else ())
    return read_action(match, obj)


def read_action(match: Match, obj: JsonObject) -> Action:
    """``action_from_json`` for an object of the form that the schema wants."""
    return _READ[obj["do"]](obj, match.seats.index)


Seats: TypeAlias = Callable[[str], int]


def _outlaw(obj: JsonObject, member: str) -> Outlaw:
    return deck.OUTLAW_OF[obj[member]] if member in obj else NONE


def _seat(obj: JsonObject, seats: Seats) -> int:
    return seats(obj["seat"]) if "seat" in obj else NONE


def _read_most_wanted(obj: JsonObject, seats: Seats) -> Action:
    if "steal" in obj:
        return Steal(_outlaw(obj, "outlaw"), _seat(obj, seats))
    order = tuple(map(seats, obj.get("order", ())))
    return Ask(deck.OUTLAW_OF[obj["ask"]], obj["direction"] == "clockwise", order)


def _read_earp(obj: JsonObject, _: Seats) -> Action:
    if obj["mode"] == "draw":
        return EarpDraw()
    if obj["mode"] == "search":
        return EarpSearch(tuple(deck.KIND_OF[card] for card in obj.get("take", ())))
    return EarpRemove(_outlaw(obj, "on"))


def _read_choose(obj: JsonObject, seats: Seats) -> Action:
    if "take" in obj:
        return Choose(take=deck.KIND_OF[obj["take"]])
    return Choose(_outlaw(obj, "on"), _seat(obj, seats), decline="decline" in obj)


_READ: Final[dict[str, Callable[[JsonObject, Seats], Action]]] = {
    "draw": lambda obj, _: Draw(obj["from"] == "supply"),
    "lay": lambda obj, _: Lay(deck.OUTLAW_OF[obj["outlaw"]], obj["count"]),
    "photo": lambda obj, _: PlayPhoto(deck.OUTLAW_OF[obj["outlaw"]]),
    "bank-robbery": lambda obj, _: Rob(deck.BANK, _outlaw(obj, "on")),
    "stagecoach-robbery": lambda obj, _: Rob(deck.STAGE, _outlaw(obj, "on")),
    "fastest-gun": lambda obj, _: Rob(deck.FASTEST, _outlaw(obj, "on")),
    "most-wanted": _read_most_wanted,
    "hideout": lambda obj, seats: Hide(_outlaw(obj, "on"), _seat(obj, seats)),
    "wyatt-earp": _read_earp,
    "choose": _read_choose,
    "react": lambda obj, _: React(obj["with"] == "wyatt-earp"),
    "discard": lambda obj, _: Discard(deck.KIND_OF[obj["card"]]),
}


# --- what happens, as data (schemas/wyatt-earp/event.schema.json), and what of it each viewer is shown -----
#
# Events are plain values; ``event_to_json`` gives an event the fields its viewer may know. Two carry a
# secret: the cards of a draw from the supply, and the card a search found (O10).


class EventViewer(NamedTuple):
    """To whom an event is shown: the seats' names, the viewer, and whether searches are public (O10)."""

    seats: Sequence[str]
    viewer: Viewer
    search_public: bool

    def knows(self, seat: int) -> bool:
        """Whether the viewer may know what only this seat knows."""
        return self.viewer is FULL or self.viewer == self.seats[seat]


class Drew(NamedTuple):
    """An unbroken run of cards into a hand; from the discard everybody sees the card (P3)."""

    seat: int
    supply: bool
    cards: tuple[Kind, ...]


class Reshuffled(NamedTuple):
    """A new supply of this many cards."""

    cards: int


class Laid(NamedTuple):
    """One play of Outlaw cards (D9)."""

    seat: int
    outlaw: Outlaw
    number: int
    reward: int


class PhotoPlayed(NamedTuple):
    """A Photo joined its owner's group (J2)."""

    seat: int
    outlaw: Outlaw
    reward: int


class Shot(NamedTuple):
    """The card a shot turned, which goes to the discard (I3)."""

    seat: int
    card: Kind
    hit: bool


class Attached(NamedTuple):
    """A shot card joined its owner's group (K, L)."""

    seat: int
    card: Kind
    outlaw: Outlaw
    reward: int


class Discarded(NamedTuple):
    """A card went to the discard from this seat's hand or territory."""

    seat: int
    card: Kind
    why: str


class Asked(NamedTuple):
    """Most wanted, mode 1: ``of`` was asked for a card of the Outlaw (P4)."""

    seat: int
    outlaw: Outlaw
    of: int
    has: bool


class Given(NamedTuple):
    """A card was handed over (M4)."""

    giver: int
    to: int
    outlaw: Outlaw


class Stolen(NamedTuple):
    """An Outlaw card was taken from a territory (M10)."""

    seat: int
    victim: int
    outlaw: Outlaw


class Hidden(NamedTuple):
    """A Hideout was laid on the group of ``of``; ``reward`` only under ``hideout_reward=1000``."""

    seat: int
    of: int
    outlaw: Outlaw
    reward: int


class Uncovered(NamedTuple):
    """The Hideout on this seat's group was taken off (N8)."""

    seat: int
    outlaw: Outlaw


class Searching(NamedTuple):
    """A search shows its stack of this many cards to the seat, which must choose (schemas/README.md §14.1: S)."""

    seat: int
    cards: int


class Found(NamedTuple):
    """A search took a card (O5)."""

    seat: int
    card: Kind


class TurnEnded(NamedTuple):
    """The turn's discard was made."""

    seat: int


class HandEnded(NamedTuple):
    """``went-out``, ``empty-hand``, ``exhausted`` or ``last-card-reaction`` (F)."""

    reason: str


class PosterScored(NamedTuple):
    """One poster of G; ``cp`` and ``paid`` name every seat."""

    outlaw: Outlaw
    cp: tuple[int, ...]
    captured: bool
    paid: tuple[int, ...]
    left: int


class HandStarted(NamedTuple):
    """A hand was dealt (B, H2–H4)."""

    hand: int
    dealer: int
    starter: int


class DuelDraw(NamedTuple):
    """One card of the duel (H7)."""

    seat: int
    card: Kind
    hit: bool


class MatchEnded(NamedTuple):
    """The match is over (H5, H6)."""

    winner: int
    money: tuple[int, ...]


Event: TypeAlias = (
    Drew | Reshuffled | Laid | PhotoPlayed | Shot | Attached | Discarded | Asked | Given | Stolen | Hidden | Uncovered
    | Searching | Found | TurnEnded | HandEnded | PosterScored | HandStarted | DuelDraw | MatchEnded
)  # fmt: skip

EVENT_NAMES: Final[dict[type[Event], str]] = {
    Drew: "drew", Reshuffled: "reshuffled", Laid: "laid", PhotoPlayed: "photo-played", Shot: "shot",
    Attached: "attached", Discarded: "discarded", Asked: "asked", Given: "given", Stolen: "stolen", Hidden: "hidden",
    Uncovered: "uncovered", Searching: "searching", Found: "found", TurnEnded: "turn-ended", HandEnded: "hand-ended",
    PosterScored: "poster-scored", HandStarted: "hand-started", DuelDraw: "duel-draw", MatchEnded: "match-ended",
}  # fmt: skip
_SEATS: Final = frozenset({"seat", "of", "giver", "victim", "to", "dealer", "starter"})
_BY_SEAT: Final = frozenset({"cp", "paid"})
_CALLED: Final = {"giver": "from", "victim": "from", "number": "count"}
"""Fields that are called otherwise in JSON."""


def event_to_json(event: Event, to: EventViewer) -> JsonObject:
    """The event with the fields that its viewer may know: all, but for the cards of a draw and what a search found."""
    facts: JsonObject = {"event": EVENT_NAMES[type(event)]}
    match event:
        case Drew(seat, supply, cards):
            facts |= {"seat": to.seats[seat], "from": "supply" if supply else "discard", "count": len(cards)}
            if not supply:
                facts["card"] = deck.NAMES[cards[0]]
            elif to.knows(seat):
                facts["cards"] = [deck.NAMES[kind] for kind in cards]
            return facts
        case MatchEnded(winner, money):
            return facts | outcome(winner, money, to.seats)
        case _:
            pass
    for name, value in zip(event._fields, event, strict=True):
        facts[_CALLED.get(name, name)] = _member(name, value, to.seats)
    if isinstance(event, Found) and not (to.search_public or to.knows(event.seat)):
        del facts["card"]
    elif isinstance(event, Hidden) and not event.reward:
        del facts["reward"]
    return facts


def _member(name: str, value: Any, seats: Sequence[str]) -> Json:
    if name in _SEATS:
        return seats[value]
    if name in _BY_SEAT:
        return dict(zip(seats, value, strict=True))
    if name == "outlaw":
        return deck.OUTLAW_NAMES[value]
    return deck.NAMES[value] if name == "card" else value


def outcome(winner: int, money: Sequence[int], seats: Sequence[str]) -> JsonObject:
    """The result of the match: its winner, and everybody's money."""
    winners = [] if winner == NONE else [seats[winner]]
    return {"winners": winners, "money": dict(zip(seats, money, strict=True))}
