"""What happens, as data (schemas/wyatt-earp/event.schema.json), and what of it each viewer is told.

Events are plain values; ``to_json`` gives an event the fields its viewer may know. Two carry a secret: the
cards of a draw from the supply, and the card a search found (O10).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from pbem.game import FULL, JsonObject, Viewer
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

    def to_json(self, to: Telling) -> JsonObject:
        """``cards`` only for the owner."""
        told: JsonObject = {
            "event": "drew",
            "seat": to.seats[self.seat],
            "from": "supply" if self.supply else "discard",
            "count": len(self.cards),
        }
        if not self.supply:
            told["card"] = NAMES[self.cards[0]]
        elif to.knows(self.seat):
            told["cards"] = [NAMES[kind] for kind in self.cards]
        return told


class Reshuffled(NamedTuple):
    """A new supply of this many cards."""

    cards: int

    def to_json(self, to: Telling) -> JsonObject:  # noqa: ARG002  one signature for all events
        """A number, never the cards."""
        return {"event": "reshuffled", "cards": self.cards}


class Laid(NamedTuple):
    """One play of Outlaw cards (D9)."""

    seat: int
    outlaw: Outlaw
    cards: int
    reward: int

    def to_json(self, to: Telling) -> JsonObject:
        """All of it is public."""
        return {
            "event": "laid",
            "seat": to.seats[self.seat],
            "outlaw": OUTLAW_NAMES[self.outlaw],
            "count": self.cards,
            "reward": self.reward,
        }


class PhotoPlayed(NamedTuple):
    """A Photo joined its owner's group (J2)."""

    seat: int
    outlaw: Outlaw
    reward: int

    def to_json(self, to: Telling) -> JsonObject:
        """All of it is public."""
        return {
            "event": "photo-played",
            "seat": to.seats[self.seat],
            "outlaw": OUTLAW_NAMES[self.outlaw],
            "reward": self.reward,
        }


class Shot(NamedTuple):
    """The card a shot turned, which goes to the discard (I3)."""

    seat: int
    card: Kind
    hit: bool

    def to_json(self, to: Telling) -> JsonObject:
        """All of it is public."""
        return {"event": "shot", "seat": to.seats[self.seat], "card": NAMES[self.card], "hit": self.hit}


class Attached(NamedTuple):
    """A shot card joined its owner's group (K, L)."""

    seat: int
    card: Kind
    outlaw: Outlaw
    reward: int

    def to_json(self, to: Telling) -> JsonObject:
        """All of it is public."""
        return {
            "event": "attached",
            "seat": to.seats[self.seat],
            "card": NAMES[self.card],
            "outlaw": OUTLAW_NAMES[self.outlaw],
            "reward": self.reward,
        }


class Discarded(NamedTuple):
    """A card went to the discard from this seat's hand or territory."""

    seat: int
    card: Kind
    why: str

    def to_json(self, to: Telling) -> JsonObject:
        """All of it is public."""
        return {"event": "discarded", "seat": to.seats[self.seat], "card": NAMES[self.card], "why": self.why}


class Asked(NamedTuple):
    """Most wanted, mode 1: ``of`` was asked for a card of the Outlaw (P4)."""

    seat: int
    outlaw: Outlaw
    of: int
    has: bool

    def to_json(self, to: Telling) -> JsonObject:
        """All of it is public."""
        return {
            "event": "asked",
            "seat": to.seats[self.seat],
            "outlaw": OUTLAW_NAMES[self.outlaw],
            "of": to.seats[self.of],
            "has": self.has,
        }


class Given(NamedTuple):
    """A card was handed over (M4)."""

    giver: int
    to: int
    outlaw: Outlaw

    def to_json(self, to: Telling) -> JsonObject:
        """All of it is public."""
        return {
            "event": "given",
            "from": to.seats[self.giver],
            "to": to.seats[self.to],
            "outlaw": OUTLAW_NAMES[self.outlaw],
        }


class Stolen(NamedTuple):
    """An Outlaw card was taken from a territory (M10)."""

    seat: int
    victim: int
    outlaw: Outlaw

    def to_json(self, to: Telling) -> JsonObject:
        """All of it is public."""
        return {
            "event": "stolen",
            "seat": to.seats[self.seat],
            "from": to.seats[self.victim],
            "outlaw": OUTLAW_NAMES[self.outlaw],
        }


class Hidden(NamedTuple):
    """A Hideout was laid on the group of ``of``; ``reward`` only under ``hideout_reward=1000``."""

    seat: int
    of: int
    outlaw: Outlaw
    reward: int

    def to_json(self, to: Telling) -> JsonObject:
        """All of it is public."""
        told: JsonObject = {
            "event": "hidden",
            "seat": to.seats[self.seat],
            "of": to.seats[self.of],
            "outlaw": OUTLAW_NAMES[self.outlaw],
        }
        return {**told, "reward": self.reward} if self.reward else told


class Uncovered(NamedTuple):
    """The Hideout on this seat's group was taken off (N8)."""

    seat: int
    outlaw: Outlaw

    def to_json(self, to: Telling) -> JsonObject:
        """All of it is public."""
        return {"event": "uncovered", "seat": to.seats[self.seat], "outlaw": OUTLAW_NAMES[self.outlaw]}


class Searching(NamedTuple):
    """A search shows its stack of this many cards to the seat, which must choose (schemas/README.md §14.1: S)."""

    seat: int
    cards: int

    def to_json(self, to: Telling) -> JsonObject:
        """The number is public, the cards are the seat's."""
        return {"event": "searching", "seat": to.seats[self.seat], "cards": self.cards}


class Found(NamedTuple):
    """A search took a card (O5)."""

    seat: int
    card: Kind

    def to_json(self, to: Telling) -> JsonObject:
        """``card`` only for the finder, unless searches are public."""
        told: JsonObject = {"event": "found", "seat": to.seats[self.seat]}
        if to.search_public or to.knows(self.seat):
            told["card"] = NAMES[self.card]
        return told


class TurnEnded(NamedTuple):
    """The turn's discard was made."""

    seat: int

    def to_json(self, to: Telling) -> JsonObject:
        """All of it is public."""
        return {"event": "turn-ended", "seat": to.seats[self.seat]}


class HandEnded(NamedTuple):
    """``went-out``, ``empty-hand``, ``exhausted`` or ``last-card-reaction`` (F)."""

    reason: str

    def to_json(self, to: Telling) -> JsonObject:  # noqa: ARG002  one signature for all events
        """All of it is public."""
        return {"event": "hand-ended", "reason": self.reason}


class PosterScored(NamedTuple):
    """One poster of G; ``cp`` and ``paid`` name every seat."""

    outlaw: Outlaw
    cp: tuple[int, ...]
    captured: bool
    paid: tuple[int, ...]
    left: int

    def to_json(self, to: Telling) -> JsonObject:
        """All of it is public."""
        return {
            "event": "poster-scored",
            "outlaw": OUTLAW_NAMES[self.outlaw],
            "cp": dict(zip(to.seats, self.cp, strict=True)),
            "captured": self.captured,
            "paid": dict(zip(to.seats, self.paid, strict=True)),
            "left": self.left,
        }


class HandStarted(NamedTuple):
    """A hand was dealt (B, H2–H4)."""

    hand: int
    dealer: int
    starter: int

    def to_json(self, to: Telling) -> JsonObject:
        """The hands themselves are in the packets."""
        return {
            "event": "hand-started",
            "hand": self.hand,
            "dealer": to.seats[self.dealer],
            "starter": to.seats[self.starter],
        }


class DuelDraw(NamedTuple):
    """One card of the duel (H7)."""

    seat: int
    card: Kind
    hit: bool

    def to_json(self, to: Telling) -> JsonObject:
        """All of it is public."""
        return {"event": "duel-draw", "seat": to.seats[self.seat], "card": NAMES[self.card], "hit": self.hit}


class MatchEnded(NamedTuple):
    """The match is over (H5, H6)."""

    winner: int
    money: tuple[int, ...]

    def to_json(self, to: Telling) -> JsonObject:
        """Same members as the outcome of the match."""
        return {"event": "match-ended", **outcome(self.winner, self.money, to.seats)}


Event: TypeAlias = (
    Drew
    | Reshuffled
    | Laid
    | PhotoPlayed
    | Shot
    | Attached
    | Discarded
    | Asked
    | Given
    | Stolen
    | Hidden
    | Uncovered
    | Searching
    | Found
    | TurnEnded
    | HandEnded
    | PosterScored
    | HandStarted
    | DuelDraw
    | MatchEnded
)


def outcome(winner: int, money: Sequence[int], seats: Sequence[str]) -> JsonObject:
    """What the match came to: its winner, and everybody's money."""
    winners = [] if winner == NONE else [seats[winner]]
    return {"winners": winners, "money": dict(zip(seats, money, strict=True))}
