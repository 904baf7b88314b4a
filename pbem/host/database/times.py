"""The rows of time and of those who read along: when to look at a match again, outages, wishes, observers.

``wake`` is the moment from which on somebody should look at a match whether mail came or not; empty means now. An
append makes it empty, since it changes what is due. ``lost`` is an outage whose time a match has yet to get back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pbem.base.values import dataclass
from pbem.host.database.database import Transaction
from pbem.host.database.matches import MATCH, NEVER, Matches, MatchRow, match_row

_WORKERS: Final = 16
"""More are seldom at one database: each finds one that nobody else works on."""
_DUE: Final = (
    f"{MATCH} WHERE over = 0 AND waits = 0 AND game IN (SELECT times.game FROM times"  # noqa: S608 - constants
    " CROSS JOIN matches AS open WHERE wake <= ? AND lost_from = '' AND open.game = times.game"
    " AND open.over = 0 AND open.waits = 0 AND times.game NOT IN (SELECT game FROM stops)"
    f" ORDER BY wake LIMIT {_WORKERS}) LIMIT 1"
)
"""By the order of time, so that it costs the same however many matches wait for later."""
_LOST: Final = (
    f"{MATCH} WHERE game IN (SELECT game FROM times WHERE lost_from <> ''"  # noqa: S608 - constants
    f" AND game NOT IN (SELECT game FROM stops) LIMIT {_WORKERS}) LIMIT 1"
)


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
        query = "SELECT wake, reminded, lost_from, lost_until FROM times WHERE game = ?"
        wake, reminded, begin, end = map(str, self._tx.run(query, game)[0])
        return TimeRow(wake, reminded, (begin, end) if begin else None)

    def claim_due(self, now: str) -> MatchRow | None:
        """The match that should have been looked at first; none that mail waits for: that comes first."""
        rows = self._tx.claim(_DUE, now)
        return match_row(rows[0]) if rows else None

    def claim_lost(self) -> MatchRow | None:
        """A match that is to be given the time of an outage back, before anything else is done with it."""
        rows = self._tx.claim(_LOST)
        return match_row(rows[0]) if rows else None

    def lose_in(self, game: str, begin: str, end: str) -> None:
        """From ``begin`` to ``end`` this match stood still."""
        self._tx.run(
            "UPDATE times SET lost_from = CASE WHEN lost_from = '' OR lost_from > ? THEN ? ELSE lost_from END,"
            " lost_until = CASE WHEN lost_until > ? THEN lost_until ELSE ? END WHERE game = ?",
            begin,
            begin,
            end,
            end,
            game,
        )

    def lose(self, begin: str, end: str) -> None:
        """From ``begin`` to ``end`` the host could not be reached, in any match."""
        self._tx.run(
            "UPDATE times SET lost_from = CASE WHEN lost_from = '' THEN ? ELSE lost_from END, lost_until = ?"
            " WHERE game IN (SELECT game FROM matches WHERE over = 0)",
            begin,
            end,
        )

    def give_back(self, game: str) -> None:
        """The match has its time back."""
        self._tx.run("UPDATE times SET lost_from = '', lost_until = '', wake = '' WHERE game = ?", game)

    def lost(self) -> bool:
        """Whether a match waits for its time."""
        return bool(
            self._tx.run(
                "SELECT 1 FROM times WHERE lost_from <> '' AND game NOT IN (SELECT game FROM stops) LIMIT 1"
            )
        )

    def due(self, now: str) -> bool:
        """Whether there is a match to look at."""
        return bool(
            self._tx.run(
                "SELECT 1 FROM times CROSS JOIN matches WHERE wake <= ? AND matches.game = times.game"
                " AND over = 0 AND times.game NOT IN (SELECT game FROM stops) LIMIT 1",
                now,
            )
        )

    def look_again(self, game: str, wake: str) -> None:
        """Look at a match at ``wake``."""
        self._tx.run("UPDATE times SET wake = ? WHERE game = ?", wake, game)

    def look_at_all(self) -> None:
        """Look at every match that is not over, now."""
        self._tx.run("UPDATE times SET wake = '' WHERE wake <> ?", NEVER)

    def remind_from(self, game: str, moment: str) -> None:
        """Reminders of moments up to this one are written."""
        self._tx.run("UPDATE times SET reminded = ? WHERE game = ?", moment, game)

    def set_back(self, now: str) -> None:
        """The clock was ahead and is right at ``now``: no match waits for a moment that only that clock knew."""
        self._tx.run("UPDATE times SET wake = '' WHERE wake > ? AND wake <> ?", now, NEVER)
        self._tx.run("UPDATE times SET reminded = ? WHERE reminded > ?", now, now)
        self._tx.run("UPDATE stops SET since = ? WHERE since > ?", now, now)

    # --- wishes -------------------------------------------------------------------------------------------

    def wishes(self, game: str) -> dict[str, tuple[int, ...]]:
        """When each seat of a match that has said so wants to be reminded: hours before its time is up."""
        rows = self._tx.run("SELECT seat, hours FROM wishes WHERE game = ?", game)
        return {str(seat): tuple(map(int, str(hours).split())) for seat, hours in rows}

    def wish(self, game: str, seat: str, hours: Sequence[int]) -> None:
        """When a seat wants to be reminded; the match is looked at anew."""
        self._tx.run(
            "INSERT INTO wishes (game, seat, hours) VALUES (?, ?, ?)"
            " ON CONFLICT (game, seat) DO UPDATE SET hours = excluded.hours",
            game,
            seat,
            " ".join(map(str, hours)),
        )
        self.look_again(game, "")

    def forget_wish(self, game: str, seat: str) -> None:
        """A seat is reminded as usual again."""
        self._tx.run("DELETE FROM wishes WHERE game = ? AND seat = ?", game, seat)


class ObserverRows:
    """Who reads along, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def of(self, game: str) -> list[Observer]:
        """Everybody who reads along in a match, by address."""
        query = "SELECT game, address, since, suspended FROM observers WHERE game = ? ORDER BY address"
        return [_observer(row) for row in self._tx.run(query, game)]

    def named(self, address: str) -> list[Observer]:
        """Where somebody reads along."""
        query = "SELECT game, address, since, suspended FROM observers WHERE address = ? ORDER BY game"
        return [_observer(row) for row in self._tx.run(query, address)]

    def add(self, game: str, address: str) -> bool:
        """Let somebody read along; False if he did already."""
        rows = self._tx.run(
            "INSERT INTO observers (game, address) VALUES (?, ?) ON CONFLICT DO NOTHING RETURNING address",
            game,
            address,
        )
        return bool(rows)

    def remove(self, game: str, address: str) -> bool:
        """Let somebody read along no more; whether he did."""
        rows = self._tx.run(
            "DELETE FROM observers WHERE game = ? AND address = ? RETURNING address", game, address
        )
        return bool(rows)

    def sent(self, game: str, address: str, upto: int) -> None:
        """Records up to ``upto`` are on their way to him."""
        self._tx.run("UPDATE observers SET since = ? WHERE game = ? AND address = ?", upto, game, address)

    def wake(self, address: str) -> None:
        """Letters may go to this address again."""
        self._tx.run("UPDATE observers SET suspended = '' WHERE address = ?", address)

    def suspend(self, address: str, reason: str) -> list[Observer]:
        """Send nothing more to this address; where it was read."""
        found = [one for one in self.named(address) if not one.suspended]
        self._tx.run("UPDATE observers SET suspended = ? WHERE address = ?", reason, address)
        return found


def is_known(transaction: Transaction, address: str) -> bool:
    """Whether somebody with this address plays, is invited, or reads along here."""
    return bool(Matches(transaction).seats_of(address) or ObserverRows(transaction).named(address))


def _observer(row: tuple[object, ...]) -> Observer:
    game, address, since, suspended = row
    return Observer(str(game), str(address), int(str(since)), str(suspended))
