"""The rows of time and of those who read along: when to look at a match again, outages, wishes, observers.

``wake`` is the moment from which on somebody should look at a match whether mail came or not; empty means now. An
append makes it empty, since it changes what is due. ``lost`` is an outage whose time a match has yet to get back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import bindparam, case, delete, func, or_, select, update

from pbem.base.values import dataclass
from pbem.host.database.database import Transaction
from pbem.host.database.matches import MATCH, NEVER, OPEN, STOPPED, TIME_SET, Matches, MatchRow, match_row
from pbem.host.database.tables import COPIES, ERAS, MATCHES, OBSERVERS, PIECES, PROVEN, STOPS, TIMES, WISHES

_WORKERS: Final = 16
"""More are seldom at one database: each finds one that nobody else works on."""
_IDLE = select(1).where(MATCHES.c.game == TIMES.c.game, MATCHES.c.over == 0, MATCHES.c.waits == 0).exists()
_WISHES: Final = select(WISHES.c.seat, WISHES.c.hours).where(WISHES.c.game == bindparam("game"))
_OBSERVERS: Final = (
    select(OBSERVERS).where(OBSERVERS.c.game == bindparam("game")).order_by(OBSERVERS.c.address)
)
_STOPS: Final = select(STOPS).order_by(STOPS.c.since, STOPS.c.game)
_LOST = select(TIMES.c.game).where(TIMES.c.lost_from != "", TIMES.c.game.not_in(STOPPED))
_ONE_LOST: Final = _LOST.limit(1)
_ONE_TO_GIVE_BACK: Final = MATCH.where(MATCHES.c.game.in_(_LOST.limit(_WORKERS))).limit(1)
_ROW: Final = select(TIMES).where(TIMES.c.game == bindparam("game"))
_FIRST_DUE: Final = (
    select(TIMES.c.game)
    .where(TIMES.c.wake <= bindparam("now"), TIMES.c.lost_from == "", TIMES.c.game.not_in(STOPPED), _IDLE)
    .order_by(TIMES.c.wake)
    .limit(_WORKERS)
)
_ONE_IDLE: Final = MATCH.where(
    MATCHES.c.game.in_(bindparam("games", expanding=True)), MATCHES.c.over == 0, MATCHES.c.waits == 0
).limit(1)
_ONE_DUE: Final = (
    select(1)
    .where(
        TIMES.c.wake <= bindparam("now"),
        TIMES.c.game.not_in(STOPPED),
        select(1).where(MATCHES.c.game == TIMES.c.game, MATCHES.c.over == 0).exists(),
    )
    .limit(1)
)


@dataclass(frozen=True, slots=True)
class TimeRow:
    """``reminded``: reminders of moments up to then are written. ``lost``: from when until when the host was away."""

    wake: str
    reminded: str
    lost: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class Observer:
    """Somebody who reads along; ``since`` is the last record that was sent to them."""

    game: str
    address: str
    since: int
    suspended: str

    @property
    def name(self) -> str:
        """What stands for a seat in the rows of their emails: no seat is called so."""
        return f"@{self.address}"


class Times:
    """When to look at matches, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def row(self, game: str) -> TimeRow:
        """How far time has come in a match."""
        row = self._tx.run(_ROW, game=game)[0]
        return TimeRow(row.wake, row.reminded, (row.lost_from, row.lost_until) if row.lost_from else None)

    def claim_due(self, now: str) -> MatchRow | None:
        """The match that should have been looked at first; none that mail waits for: that comes first.

        By the order of time, so that it costs the same however many matches wait for later.
        """
        games = [game for (game,) in self._tx.run(_FIRST_DUE, now=now)]
        rows = self._tx.claim(_ONE_IDLE, games=games) if games else []
        return match_row(rows[0]) if rows else None

    def claim_lost(self) -> MatchRow | None:
        """A match that is to be given the time of an outage back, before anything else is done with it."""
        rows = self._tx.claim(_ONE_TO_GIVE_BACK)
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
        self._tx.run(TIME_SET, game_=game, lost_from="", lost_until="", wake="")

    def lost(self) -> bool:
        """Whether a match waits for its time."""
        return bool(self._tx.run(_ONE_LOST))

    def due(self, now: str) -> bool:
        """Whether there is a match to look at."""
        return bool(self._tx.run(_ONE_DUE, now=now))

    def look_again(self, game: str, wake: str) -> None:
        """Look at a match at ``wake``."""
        self._tx.run(TIME_SET, game_=game, wake=wake)

    def look_at_all(self) -> None:
        """Look at every match that is not over, now."""
        self._tx.run(update(TIMES).where(TIMES.c.wake != NEVER).values(wake=""))

    def remind_from(self, game: str, moment: str) -> None:
        """Reminders of moments up to this one are written."""
        self._tx.run(TIME_SET, game_=game, reminded=moment)

    def set_back(self, now: str) -> None:
        """The clock was ahead and is right at ``now``: no match waits for a moment that only that clock knew."""
        self._tx.run(update(TIMES).where(TIMES.c.wake > now, TIMES.c.wake != NEVER).values(wake=""))
        self._tx.run(update(TIMES).where(TIMES.c.reminded > now).values(reminded=now))
        self._tx.run(update(STOPS).where(STOPS.c.since > now).values(since=now))

    def wishes(self, game: str) -> dict[str, tuple[int, ...]]:
        """When each seat of a match that has said so wants to be reminded: hours before its time is up."""
        rows = self._tx.once(WISHES, game, lambda: self._tx.run(_WISHES, game=game))
        return {seat: tuple(map(int, hours.split())) for seat, hours in rows}

    def wish(self, game: str, seat: str, hours: Sequence[int]) -> None:
        """When a seat wants to be reminded; the match is looked at again."""
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
        return [Observer(*row) for row in self._tx.run(_OBSERVERS, game=game)]

    def named(self, address: str) -> list[Observer]:
        """Where somebody reads along."""
        query = select(OBSERVERS).where(OBSERVERS.c.address == address).order_by(OBSERVERS.c.game)
        return [Observer(*row) for row in self._tx.run(query)]

    def add(self, game: str, address: str) -> bool:
        """Let somebody read along; False if they did already."""
        return self._tx.add(OBSERVERS, game=game, address=address)

    def remove(self, game: str, address: str) -> bool:
        """Let somebody read along no more; whether they did."""
        query = delete(OBSERVERS).where(OBSERVERS.c.game == game, OBSERVERS.c.address == address)
        return self._tx.count(query) > 0

    def sent(self, game: str, address: str, upto: int) -> None:
        """Records up to ``upto`` are on their way to them."""
        mine = update(OBSERVERS).where(OBSERVERS.c.game == game, OBSERVERS.c.address == address)
        self._tx.run(mine.values(since=upto))

    def wake(self, address: str) -> None:
        """Emails may go to this address again."""
        self._tx.run(update(OBSERVERS).where(OBSERVERS.c.address == address).values(suspended=""))

    def suspend(self, address: str, reason: str) -> list[Observer]:
        """Send nothing more to this address; where it was read."""
        observers = [observer for observer in self.named(address) if not observer.suspended]
        self._tx.run(update(OBSERVERS).where(OBSERVERS.c.address == address).values(suspended=reason))
        return observers


def is_known(transaction: Transaction, address: str) -> bool:
    """Whether somebody with this address plays, is invited, or reads along here."""
    return bool(Matches(transaction).seats_of(address) or ObserverRows(transaction).named(address))


# The rows of a match that stands still because its record is not the newest one that its host has signed.
#
# ``proven`` holds the records that somebody has shown by the host's own signature; ``copies`` records
# that people have sent in, each signed by the host for this match, so that nothing of another match can lie here;
# ``pieces`` what is to become such records. ``eras`` counts how often a history was given up for another
# one, and up to which number that was.

OLDER: Final = "older"
FORKED: Final = "forked"

MOST_PIECES: Final = 512
"""Pieces that are kept for one match: they are untrusted bytes until the last one has come."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a match stands still, and since when."""

    game: str
    state: str
    since: str


@dataclass(frozen=True, slots=True)
class CopyRow:
    """A record that somebody has sent in: its hash and its forerunner's in hex."""

    line: str
    seq: int
    prev: str
    raw: bytes


class Stops:
    """Matches that stand still, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def all(self) -> list[Stop]:
        """Every match that stands still."""
        return [Stop(*row) for row in self._tx.run(_STOPS)]

    def of(self, game: str) -> Stop | None:
        """Why this match stands still; None if it does not."""
        rows = self._tx.run(select(STOPS).where(STOPS.c.game == game))
        return Stop(*rows[0]) if rows else None

    def begin(self, game: str, state: str, at: str) -> bool:
        """The match stands still; whether that is news. A fork stays one."""
        before = self.of(game)
        if before is not None and before.state in (state, FORKED):
            return False
        if not self._tx.add(STOPS, game=game, state=state, since=at):
            self._tx.run(update(STOPS).where(STOPS.c.game == game).values(state=state))
        return True

    def end(self, game: str) -> None:
        """The match goes on."""
        for table in (STOPS, PROVEN, COPIES, PIECES):
            self._tx.run(delete(table).where(table.c.game == game))

    def prove(self, game: str, seq: int, line: str) -> bool:
        """Somebody has shown that the host signed this record (hash in hex); whether that is news."""
        return self._tx.add(PROVEN, game=game, seq=seq, line=line)

    def proven(self, game: str) -> list[tuple[int, str]]:
        """Number and hash of every record that was shown."""
        query = select(PROVEN.c.seq, PROVEN.c.line).where(PROVEN.c.game == game)
        return [(seq, line) for seq, line in self._tx.run(query.order_by(PROVEN.c.seq, PROVEN.c.line))]

    def keep_copy(self, game: str, copy: CopyRow) -> bool:
        """Keep a record that the host signed; whether it is new."""
        return self._tx.add(COPIES, game=game, line=copy.line, seq=copy.seq, prev=copy.prev, raw=copy.raw)

    def copies(self, game: str) -> list[CopyRow]:
        """All of them, by number."""
        query = select(COPIES.c.line, COPIES.c.seq, COPIES.c.prev, COPIES.c.raw).where(COPIES.c.game == game)
        return [CopyRow(*row) for row in self._tx.run(query.order_by(COPIES.c.seq, COPIES.c.line))]

    def keep_piece(self, game: str, bundle: str, number: int, raw: bytes) -> None:
        """Keep a piece; where too many are kept, the other bundle of which fewest have come is dropped.

        Nobody signs pieces, so whoever sends many that belong to nothing must not keep the right ones out.
        """
        all_kept = select(func.count()).where(PIECES.c.game == game)
        fewest = (
            select(PIECES.c.bundle)
            .where(PIECES.c.game == game, PIECES.c.bundle != bundle)
            .group_by(PIECES.c.bundle)
            .order_by(func.count(), PIECES.c.bundle)
            .limit(1)
        )
        while self._tx.scalar(all_kept) >= MOST_PIECES:
            self.drop_pieces(game, self._tx.scalar(fewest))
        self._tx.add(PIECES, game=game, bundle=bundle, number=number, raw=raw)

    def pieces(self, game: str, bundle: str) -> Mapping[int, bytes]:
        """The pieces of one bundle that have come, by number."""
        query = select(PIECES.c.number, PIECES.c.raw).where(PIECES.c.game == game, PIECES.c.bundle == bundle)
        return dict(self._tx.run(query))

    def drop_pieces(self, game: str, bundle: str) -> None:
        """What they held is kept as records now, or was nothing."""
        self._tx.run(delete(PIECES).where(PIECES.c.game == game, PIECES.c.bundle == bundle))

    def era(self, game: str) -> tuple[int, int]:
        """How often a history of this match was given up; the newest number at the last time, -1 if never."""
        rows = self._tx.run(select(ERAS.c.era, ERAS.c.upto).where(ERAS.c.game == game))
        return (rows[0].era, rows[0].upto) if rows else (0, -1)

    def new_era(self, game: str, upto: int) -> None:
        """A history was given up; every other record with a number up to ``upto`` belongs to such a one."""
        stmt = self._tx.insert(ERAS).values(game=game, era=1, upto=upto)
        again = {"era": ERAS.c.era + 1, "upto": upto}
        self._tx.run(stmt.on_conflict_do_update(index_elements=["game"], set_=again))
