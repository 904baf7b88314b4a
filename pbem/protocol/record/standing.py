"""What a match waits for, as one closed union: every letter, screen, picture and service says it from here.

``standing_of`` (``pbem.protocol.record.takeover``) makes it from the ledger, and nothing else does. Whoever says or
does something about it matches on the class and ends with ``assert_never``, so that a new kind of waiting is missed
nowhere. Times are those of schemas/README.md §10, in UTC.
"""

from __future__ import annotations

from typing import Protocol, assert_never

from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat


@dataclass(frozen=True, slots=True)
class Joins:
    """Seats that nobody has taken yet."""

    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class ReadyFiles:
    """The first epoch is laid; it opens when these seats have sent their ready file, due at ``due``."""

    seats: tuple[Seat, ...]
    due: str | None


@dataclass(frozen=True, slots=True)
class Links:
    """Nobody is to act; the next epoch opens when these seats have sent their link, by a ready file or any other.

    ``lost`` are seats whose link is missing too, but which nobody can give any more: the seat was taken over after
    the epoch was laid.
    """

    seats: tuple[Seat, ...]
    epoch: int
    due: str | None
    lost: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """The seat whose turn it is: its decision in ``phase`` is due at ``due``; a default is possible from ``limit`` on.

    ``limit`` counts excused misses; None where no default is ever played. ``asked`` is the record that asks.
    """

    seat: Seat
    phase: str
    asked: int
    due: str | None
    limit: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """A seat that must answer in the turn of ``active``; else like ``Decision``."""

    seat: Seat
    phase: str
    active: Seat
    asked: int
    due: str | None
    limit: str | None


@dataclass(frozen=True, slots=True)
class Host:
    """No player: the host's next record comes by itself.

    ``lost``: the laid epoch waits for links of these seats, which nobody can give any more; it is laid again when their
    time is over.
    """

    lost: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class Paused:
    """Nothing is due until ``until``; then the match waits for what ``then`` says."""

    until: str
    then: Running


@dataclass(frozen=True, slots=True)
class Consents:
    """A pause without an end: it goes on when those agree who must (genesis), and then waits for what ``then`` says."""

    then: Running


@dataclass(frozen=True, slots=True)
class Over:
    """The match has ended, with this outcome (schemas/README.md §7, ``end``)."""

    outcome: JsonObject


Running = Joins | ReadyFiles | Links | Decision | Answer | Host
"""What a match can wait for while its time runs."""
Standing = Running | Paused | Consents | Over


class Shown(Protocol):
    """A record that shows the table to everybody: its body has ``public``."""

    @property
    def body(self) -> JsonObject:
        """What the record says."""


@dataclass(frozen=True, slots=True)
class Moment:
    """How a match stood after a record: what it waited for, and which record shows the table (None before ``open``)."""

    standing: Standing
    shown: Shown | None

    @property
    def public(self) -> JsonObject | None:
        """What everybody saw."""
        return None if self.shown is None else self.shown.body["public"]


def awaited_in(standing: Standing) -> tuple[Seat, ...]:
    """The seats that can do something now so that the match goes on; empty in a pause, and when none can."""
    match standing:
        case Decision() | Answer():
            return (standing.seat,)
        case Joins() | ReadyFiles() | Links():
            return standing.seats
        case Host() | Paused() | Consents() | Over():
            return ()
        case _:
            assert_never(standing)


def must_be_ready(standing: Standing, seat: Seat) -> bool:
    """Whether a ready file of this seat is what is missing."""
    return isinstance(standing, ReadyFiles | Links) and seat in standing.seats


def due_in(standing: Standing) -> str | None:
    """By when whoever is awaited must answer; None where no time runs."""
    match standing:
        case Decision() | Answer() | ReadyFiles() | Links():
            return standing.due
        case Joins() | Host() | Paused() | Consents() | Over():
            return None
        case _:
            assert_never(standing)


def beneath(standing: Standing) -> Running | None:
    """What the match waits for, pauses aside; None when it is over."""
    match standing:
        case Paused() | Consents():
            return standing.then
        case Over():
            return None
        case Joins() | ReadyFiles() | Links() | Decision() | Answer() | Host():
            return standing
        case _:
            assert_never(standing)


def is_paused(standing: Standing) -> bool:
    """Whether nothing is due because the players agreed to a pause."""
    return isinstance(standing, Paused | Consents)
