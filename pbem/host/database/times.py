"""The rows of time and of those who read along: when to look at a match again, outages, wishes, observers.

``wake`` is the moment from which on somebody should look at a match whether mail came or not; empty means now. An
append makes it empty, since it changes what is due. ``lost`` is an outage whose time a match has yet to get back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import case, delete, or_, select, update

from pbem.base.values import dataclass
from pbem.host.database.database import Transaction
from pbem.host.database.matches import MATCH, NEVER, OPEN, STOPPED, Matches, MatchRow, match_row
from pbem.host.database.tables import MATCHES, OBSERVERS, STOPS, TIMES, WISHES

_WORKERS: Final = 16
"""More are seldom at one database: each finds one that nobody else works on."""
_IDLE = select(1).where(MATCHES.c.game == TIMES.c.game, MATCHES.c.over == 0, MATCHES.c.waits == 0).exists()
_LOST = select(TIMES.c.game).where(TIMES.c.lost_from != "", TIMES.c.game.not_in(STOPPED))


@dataclass(frozen=True, slots=True)
class TimeRow:
    """``reminded``: reminders of moments up to then are written. ``lost``: from when until when the host was away."""

    wake: str
    reminded: str
    lost: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class Observer:
    """Somebody who reads along; ``since`` is the last record that was sent to him."""

    game: str
    address: str
    since: int
    suspended: str

    @property
    def name(self) -> str:
        """What stands for a seat in the rows of his letters: no seat is called so."""
        return f"@{self.address}"


class Times:
    """When to look at matches, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def row(self, game: str) -> TimeRow:
        """How far time has come in a match."""
        row = self._tx.run(select(TIMES).where(TIMES.c.game == game))[0]
        return TimeRow(row.wake, row.reminded, (row.lost_from, row.lost_until) if row.lost_from else None)

    def claim_due(self, now: str) -> MatchRow | None:
        """The match that should have been looked at first; none that mail waits for: that comes first.

        By the order of time, so that it costs the same however many matches wait for later.
        """
        due = select(TIMES.c.game).where(
            TIMES.c.wake <= now, TIMES.c.lost_from == "", TIMES.c.game.not_in(STOPPED), _IDLE
        )
        games = [game for (game,) in self._tx.run(due.order_by(TIMES.c.wake).limit(_WORKERS))]
        query = MATCH.where(MATCHES.c.game.in_(games), MATCHES.c.over == 0, MATCHES.c.waits == 0).limit(1)
        rows = self._tx.claim(query) if games else []
        return match_row(rows[0]) if rows else None

    def claim_lost(self) -> MatchRow | None:
        """A match that is to be given the time of an outage back, before anything else is done with it."""
        rows = self._tx.claim(MATCH.where(MATCHES.c.game.in_(_LOST.limit(_WORKERS))).limit(1))
        return match_row(rows[0]) if rows else None

    def lose_in(self, game: str, begin: str, end: str) -> None:
        """From ``begin`` to ``end`` this match stood still."""
        earlier = or_(TIMES.c.lost_from == "", TIMES.c.lost_from > begin)
        self._tx.run(
            update(TIMES)
            .where(TIMES.c.game == game)
            .values(
                lost_from=case((earlier, begin), else_=TIMES.c.lost_from),
                lost_until=case((TIMES.c.lost_until > end, TIMES.c.lost_until), else_=end),
            )
        )

    def lose(self, begin: str, end: str) -> None:
        """From ``begin`` to ``end`` the host could not be reached, in any match."""
        first = case((TIMES.c.lost_from == "", begin), else_=TIMES.c.lost_from)
        self._tx.run(update(TIMES).where(TIMES.c.game.in_(OPEN)).values(lost_from=first, lost_until=end))

    def give_back(self, game: str) -> None:
        """The match has its time back."""
        self._tx.run(update(TIMES).where(TIMES.c.game == game).values(lost_from="", lost_until="", wake=""))

    def lost(self) -> bool:
        """Whether a match waits for its time."""
        return bool(self._tx.run(_LOST.limit(1)))

    def due(self, now: str) -> bool:
        """Whether there is a match to look at."""
        goes_on = select(1).where(MATCHES.c.game == TIMES.c.game, MATCHES.c.over == 0).exists()
        query = select(1).where(TIMES.c.wake <= now, TIMES.c.game.not_in(STOPPED), goes_on)
        return bool(self._tx.run(query.limit(1)))

    def look_again(self, game: str, wake: str) -> None:
        """Look at a match at ``wake``."""
        self._tx.run(update(TIMES).where(TIMES.c.game == game).values(wake=wake))

    def look_at_all(self) -> None:
        """Look at every match that is not over, now."""
        self._tx.run(update(TIMES).where(TIMES.c.wake != NEVER).values(wake=""))

    def remind_from(self, game: str, moment: str) -> None:
        """Reminders of moments up to this one are written."""
        self._tx.run(update(TIMES).where(TIMES.c.game == game).values(reminded=moment))

    def set_back(self, now: str) -> None:
        """The clock was ahead and is right at ``now``: no match waits for a moment that only that clock knew."""
        self._tx.run(update(TIMES).where(TIMES.c.wake > now, TIMES.c.wake != NEVER).values(wake=""))
        self._tx.run(update(TIMES).where(TIMES.c.reminded > now).values(reminded=now))
        self._tx.run(update(STOPS).where(STOPS.c.since > now).values(since=now))

    # --- wishes -------------------------------------------------------------------------------------------

    def wishes(self, game: str) -> dict[str, tuple[int, ...]]:
        """When each seat of a match that has said so wants to be reminded: hours before its time is up."""
        rows = self._tx.run(select(WISHES.c.seat, WISHES.c.hours).where(WISHES.c.game == game))
        return {seat: tuple(map(int, hours.split())) for seat, hours in rows}

    def wish(self, game: str, seat: str, hours: Sequence[int]) -> None:
        """When a seat wants to be reminded; the match is looked at anew."""
        self._tx.put(WISHES, {"game": game, "seat": seat}, hours=" ".join(map(str, hours)))
        self.look_again(game, "")

    def forget_wish(self, game: str, seat: str) -> None:
        """A seat is reminded as usual again."""
        self._tx.run(delete(WISHES).where(WISHES.c.game == game, WISHES.c.seat == seat))


class ObserverRows:
    """Who reads along, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def of(self, game: str) -> list[Observer]:
        """Everybody who reads along in a match, by address."""
        query = select(OBSERVERS).where(OBSERVERS.c.game == game).order_by(OBSERVERS.c.address)
        return [Observer(*row) for row in self._tx.run(query)]

    def named(self, address: str) -> list[Observer]:
        """Where somebody reads along."""
        query = select(OBSERVERS).where(OBSERVERS.c.address == address).order_by(OBSERVERS.c.game)
        return [Observer(*row) for row in self._tx.run(query)]

    def add(self, game: str, address: str) -> bool:
        """Let somebody read along; False if he did already."""
        return self._tx.add(OBSERVERS, game=game, address=address)

    def remove(self, game: str, address: str) -> bool:
        """Let somebody read along no more; whether he did."""
        query = delete(OBSERVERS).where(OBSERVERS.c.game == game, OBSERVERS.c.address == address)
        return self._tx.count(query) > 0

    def sent(self, game: str, address: str, upto: int) -> None:
        """Records up to ``upto`` are on their way to him."""
        mine = update(OBSERVERS).where(OBSERVERS.c.game == game, OBSERVERS.c.address == address)
        self._tx.run(mine.values(since=upto))

    def wake(self, address: str) -> None:
        """Letters may go to this address again."""
        self._tx.run(update(OBSERVERS).where(OBSERVERS.c.address == address).values(suspended=""))

    def suspend(self, address: str, reason: str) -> list[Observer]:
        """Send nothing more to this address; where it was read."""
        observers = [observer for observer in self.named(address) if not observer.suspended]
        self._tx.run(update(OBSERVERS).where(OBSERVERS.c.address == address).values(suspended=reason))
        return observers


def is_known(transaction: Transaction, address: str) -> bool:
    """Whether somebody with this address plays, is invited, or reads along here."""
    return bool(Matches(transaction).seats_of(address) or ObserverRows(transaction).named(address))
