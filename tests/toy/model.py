"""Standoff: states, actions, events and views.

The rules, each with its row:

* X1 Two to four seats. Twelve cards, three each of ace, king, queen and jack. A round: two cards to each
  seat, one by one from the left of the starter, then one face up onto the discard.
* X2 A turn is one action: draw, shoot or search.
* X3 Draw: take the top of the supply. Is it empty, the discard is shuffled first; with neither, no draw.
* X4 Shoot: put a card of the hand onto the discard and roll the die; 4 or more hits another seat of the
  shooter's choice, who is asked only if there are two or more. A hit is a point for the shooter.
* X5 The target may be named in advance: it must be another seat of the match.
* X6 Search: look through the discard, take one card from it in secret (its place closes up).
  Without a wish that is there the seat is asked, if there is more than one kind to choose from.
* X7 Search needs a card in the discard.
* X8 A round ends when a hand is empty after a turn, or after six turns of each seat.
* X9 After the last round the most points win; a tie stays a tie. The next seat starts the next round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from pbem.game import Seat

KINDS: Final = ("ace", "king", "queen", "jack")
DECK: Final = tuple(sorted(kind for kind in KINDS for _ in range(3)))
HAND: Final = 2
TURNS: Final = 6


@dataclass(frozen=True, slots=True)
class Draw:
    """Take the top of the supply."""


@dataclass(frozen=True, slots=True)
class Shoot:
    """Discard a card and roll; ``at`` names the target in advance."""

    card: str
    at: Seat | None = None


@dataclass(frozen=True, slots=True)
class Search:
    """Take a card from the discard; ``take`` (secret) lists wishes."""

    take: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChooseAt:
    """Who is hit."""

    at: Seat


@dataclass(frozen=True, slots=True)
class ChooseTake:
    """Which card is taken (secret)."""

    take: str


Action: TypeAlias = Draw | Shoot | Search | ChooseAt | ChooseTake


@dataclass(frozen=True, slots=True)
class Event:
    """What happened: a name, fields for everybody, and fields for those who may know (``None``: nobody)."""

    name: str
    public: tuple[tuple[str, object], ...] = ()
    secret: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """The whole position. ``asks``: shuffle, reshuffle, roll, turn, target, take or over."""

    asks: str
    round: int
    starter: Seat
    active: Seat
    turns: int
    points: tuple[int, ...]
    hands: tuple[tuple[str, ...], ...]
    supply: tuple[str, ...]
    discard: tuple[str, ...]
    aimed: Seat | None = None


@dataclass(frozen=True, slots=True)
class Public:
    """What everybody may know. ``active`` is to act if ``waiting`` is not empty."""

    phase: str
    waiting: bool
    round: int
    starter: Seat
    active: Seat
    turns: int
    points: tuple[int, ...]
    hands: tuple[int, ...]
    supply: int
    top: str
    discard: int
    aimed: Seat | None


@dataclass(frozen=True, slots=True)
class View:
    """The public view, and for a seat its own hand and the stack it was shown."""

    public: Public
    seat: Seat | None = None
    hand: tuple[str, ...] = ()
    stack: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Own:
    """What only ``seat`` was shown."""

    seat: Seat
    hand: tuple[str, ...] = ()
    stack: tuple[str, ...] | None = None
