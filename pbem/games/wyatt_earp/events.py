"""What happens, as data (schemas/wyatt-earp/event.schema.json), and what of it each viewer is told.

Events are plain values; ``event_to_json`` gives an event the fields its viewer may know. Two carry a secret: the
cards of a draw from the supply, and the card a search found (O10).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from pbem.game import FULL, Json, JsonObject, Viewer
from pbem.games.wyatt_earp.cards import NAMES, NONE, OUTLAW_NAMES, Kind, Outlaw


class Telling(NamedTuple):
    """To whom an event is told: the seats' names, the viewer, and whether searches are public (O10)."""

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


def event_to_json(event: Event, to: Telling) -> JsonObject:
    """The event with the fields that its viewer may know: all, but for the cards of a draw and what a search found."""
    told: JsonObject = {"event": EVENT_NAMES[type(event)]}
    match event:
        case Drew(seat, supply, cards):
            told |= {"seat": to.seats[seat], "from": "supply" if supply else "discard", "count": len(cards)}
            if not supply:
                told["card"] = NAMES[cards[0]]
            elif to.knows(seat):
                told["cards"] = [NAMES[kind] for kind in cards]
            return told
        case MatchEnded(winner, money):
            return told | outcome(winner, money, to.seats)
        case _:
            pass
    for name, value in zip(event._fields, event, strict=True):
        told[_CALLED.get(name, name)] = _member(name, value, to.seats)
    if isinstance(event, Found) and not (to.search_public or to.knows(event.seat)):
        del told["card"]
    elif isinstance(event, Hidden) and not event.reward:
        del told["reward"]
    return told


def _member(name: str, value: Any, seats: Sequence[str]) -> Json:
    if name in _SEATS:
        return seats[value]
    if name in _BY_SEAT:
        return dict(zip(seats, value, strict=True))
    if name == "outlaw":
        return OUTLAW_NAMES[value]
    return NAMES[value] if name == "card" else value


def outcome(winner: int, money: Sequence[int], seats: Sequence[str]) -> JsonObject:
    """What the match came to: its winner, and everybody's money."""
    winners = [] if winner == NONE else [seats[winner]]
    return {"winners": winners, "money": dict(zip(seats, money, strict=True))}
