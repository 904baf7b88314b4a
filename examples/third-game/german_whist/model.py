"""German Whist: cards, states, actions, events and views.

The rules, each with its row:

* W1 Two seats, 52 cards, aces high. Thirteen cards each, one by one, the seat that does not lead first; the next card
  lies face up: its suit is trump for the hand.
* W2 A turn is one card. Whoever leads plays any card; the other must follow suit if they can, else plays any card.
* W3 The higher card of the suit led wins the trick, unless a trump was played; then the higher trump. The winner
  leads next.
* W4 While cards are left, the winner takes the face-up card, the other the next one unseen; then one is turned up.
  These tricks count nothing.
* W5 When no card is left, thirteen tricks are played from the hands; each is a point.
* W6 The other seat leads to the next hand. After the last hand the most points win; a tie stays a tie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from pbem.game import Seat

SUITS: Final = ("clubs", "diamonds", "hearts", "spades")
RANKS: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king", "ace")
HAND: Final = 13
DECK: Final = tuple(sorted(f"{suit}-{rank}" for suit in SUITS for rank in RANKS))
ORDER: Final = {f"{suit}-{rank}": (SUITS.index(suit), at) for suit in SUITS for at, rank in enumerate(RANKS)}
"""Suit and rank of every card, as numbers."""


def suit_of(card: str) -> str:
    """``spades`` of ``spades-ace``."""
    return card.partition("-")[0]


def sorted_hand(cards: tuple[str, ...] | list[str]) -> tuple[str, ...]:
    """The cards by their bytes, so that their order does not show when each came."""
    return tuple(sorted(cards))


@dataclass(frozen=True, slots=True)
class Play:
    """Play this card (W2)."""

    card: str


@dataclass(frozen=True, slots=True)
class Event:
    """What happened: a name, members for everybody, and the card that only ``seat`` may know."""

    name: str
    public: tuple[tuple[str, object], ...]
    secret: str = ""


@dataclass(frozen=True, slots=True)
class Public:
    """What everybody sees. Tuples of two follow the order of the seats."""

    phase: str
    """``play``, ``chance`` before a deal, or ``over``."""
    hand: int
    leads: Seat
    """Who led to this hand first."""
    active: Seat
    led: str
    """The card on the table that must be answered; empty if the next card leads."""
    turned: str
    """The face-up card; empty when the stock is gone."""
    trump: str
    stock: int
    """Cards unseen."""
    counts: tuple[int, int]
    """Cards in the hands."""
    seen: tuple[tuple[str, ...], tuple[str, ...]]
    """Cards of each hand that were taken face up."""
    gone: tuple[str, ...]
    """Cards that were played in this hand, before the one that is led."""
    tricks: tuple[int, int]
    points: tuple[int, int]


@dataclass(frozen=True, slots=True)
class View:
    """The public view, and for a seat its own hand."""

    public: Public
    seat: Seat | None = None
    hand: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """The whole position: what everybody sees, both hands and the unseen cards, the next one first."""

    public: Public
    hands: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    stock: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Own:
    """What only ``seat`` was shown."""

    seat: Seat
    hand: tuple[str, ...] = ()
