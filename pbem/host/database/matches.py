"""The rows of matches: game lines, seats with their addresses, consents that wait, files that were refused.

A match is worked on by whoever holds its row in ``matches`` (``claim``); everything else about it hangs on that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Final

from pbem.base.errors import StoreError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.host.database.database import Transaction


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match: number and hash (hex) of its newest record; ``era``: how often a history of it was given up."""

    game: str
    short: str
    seq: int
    head: str
    over: bool
    era: int = 0


@dataclass(frozen=True, slots=True)
class SeatRow:
    """How a seat is reached. ``address`` is the player's own, ``invited`` where the invitation went."""

    game: str
    seat: str
    address: str
    invited: str
    word: str
    suspended: str
    heard: str
    pending: bytes | None
    pending_from: str

    @property
    def reach(self) -> str:
        """Where letters to this seat go."""
        return self.address or self.invited


MATCH: Final = (
    "SELECT matches.game, short, seq, matches.head, over,"
    " COALESCE((SELECT era FROM eras WHERE eras.game = matches.game), 0)"
    " FROM matches"
)
"""What ``match_row`` reads."""
NEVER: Final = "never"
"""When a match that is over is to be looked at: behind every moment."""
_WITH_MAIL = (
    f"{MATCH} WHERE waits > 0 AND game NOT IN (SELECT game FROM stops)"  # noqa: S608 - a constant
    " AND game NOT IN (SELECT game FROM times WHERE lost_from <> '')"
)
_OLDEST_MAIL = (
    f"{_WITH_MAIL} ORDER BY (SELECT MIN(id) FROM inbox"  # noqa: S608 - a constant
    " WHERE inbox.state = 'ready' AND inbox.game = matches.game) LIMIT"
)
_SEAT = "SELECT game, seat, address, invited, word, suspended, heard, pending, pending_from FROM seats"


def match_row(row: tuple[object, ...]) -> MatchRow:
    """The match in a row of ``MATCH``."""
    game, short, seq, head, over, era = row
    return MatchRow(str(game), str(short), int(str(seq)), str(head), bool(over), int(str(era)))


class Matches:
    """Matches within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    # --- matches ------------------------------------------------------------------------------------------

    def add(self, game: str, short: str, at: str, seats: Sequence[str]) -> None:
        """A new match without records yet."""
        self._tx.run(
            "INSERT INTO matches (game, short, created, seq, head) VALUES (?, ?, ?, -1, '')", game, short, at
        )
        self._tx.run("INSERT INTO times (game) VALUES (?)", game)
        for seat in seats:
            self._tx.run("INSERT INTO seats (game, seat) VALUES (?, ?)", game, seat)

    def all(self) -> list[MatchRow]:
        """Every match, oldest first."""
        return [match_row(row) for row in self._tx.run(f"{MATCH} ORDER BY created, game")]

    def find(self, game: str) -> MatchRow | None:
        """The match with this id."""
        rows = self._tx.run(f"{MATCH} WHERE game = ?", game)
        return match_row(rows[0]) if rows else None

    def heads(self, games: Collection[str]) -> dict[str, int]:
        """The number of the newest record of each of these matches that is there."""
        marks = ", ".join("?" * len(games))
        return dict(self._tx.run(f"SELECT game, seq FROM matches WHERE game IN ({marks})", *games))  # noqa: S608 - marks

    def named(self, short: str) -> MatchRow | None:
        """The match with this short name."""
        rows = self._tx.run(f"{MATCH} WHERE short = ?", short)
        return match_row(rows[0]) if rows else None

    def claim(self, game: str) -> MatchRow | None:
        """The match, for this transaction alone; None if another worker has it."""
        rows = self._tx.claim(f"{MATCH} WHERE game = ?", game)
        return match_row(rows[0]) if rows else None

    def hold(self, game: str) -> MatchRow | None:
        """The match, for this transaction alone, as soon as nobody else has it."""
        rows = self._tx.hold(f"{MATCH} WHERE game = ?", game)
        return match_row(rows[0]) if rows else None

    def claim_one_with_mail(self) -> MatchRow | None:
        """A match that mail waits for, and that nobody works on: the one whose mail waits longest."""
        rows = self._tx.claim(f"{_OLDEST_MAIL} 1")
        return match_row(rows[0]) if rows else None

    def claim_at_hand(self, at_hand: Callable[[MatchRow], bool], among: int) -> MatchRow | None:
        """Of the ``among`` matches whose mail waits longest one that is ``at_hand`` and that nobody works on."""
        near = [match for match in map(match_row, self._tx.run(f"{_OLDEST_MAIL} ?", among)) if at_hand(match)]
        for match in near:
            rows = self._tx.claim(f"{_WITH_MAIL} AND game = ?", match.game)
            if rows:
                return match_row(rows[0])
        return None

    def circle(self, game: str) -> str:
        """What the host noted beside the match: its title, the people around it; empty if nothing."""
        rows = self._tx.run("SELECT note FROM circles WHERE game = ?", game)
        return str(rows[0][0]) if rows else ""

    def set_circle(self, game: str, note: str) -> None:
        """Note it; what was noted before is forgotten."""
        self._tx.run(
            "INSERT INTO circles (game, note) VALUES (?, ?) ON CONFLICT (game) DO UPDATE SET note = excluded.note",
            game,
            note,
        )

    # --- lines --------------------------------------------------------------------------------------------

    def lines(self, game: str, since: int = 0) -> list[bytes]:
        """The records from number ``since`` on."""
        rows = self._tx.run("SELECT raw FROM lines WHERE game = ? AND seq >= ? ORDER BY seq", game, since)
        return [bytes(row[0]) for row in rows]

    def line_at(self, game: str, seq: int) -> bytes | None:
        """One record; None if there is none of this number."""
        rows = self._tx.run("SELECT raw FROM lines WHERE game = ? AND seq = ?", game, seq)
        return bytes(rows[0][0]) if rows else None

    def append(self, match: MatchRow, lines: Sequence[tuple[bytes, str]], *, over: bool) -> None:
        """Records (raw, hash in hex) behind the newest one; the caller has claimed the match."""
        changed = self._tx.run(
            "UPDATE matches SET seq = ?, head = ?, over = ? WHERE game = ? AND seq = ? AND head = ? RETURNING game",
            match.seq + len(lines),
            lines[-1][1],
            int(over),
            match.game,
            match.seq,
            match.head,
        )
        if not changed:
            raise StoreError(
                sentence("somebody else appended to match {short}; nothing was written", short=match.short)
            )
        self._tx.run("UPDATE times SET wake = ? WHERE game = ?", NEVER if over else "", match.game)
        for number, (raw, _) in enumerate(lines, match.seq + 1):
            self._tx.run("INSERT INTO lines (game, seq, raw) VALUES (?, ?, ?)", match.game, number, raw)

    def cut(self, match: MatchRow, first: int, head: str) -> MatchRow:
        """Give up the records from number ``first`` on; ``head`` is the hash (hex) of the one before."""
        self._tx.run("DELETE FROM lines WHERE game = ? AND seq >= ?", match.game, first)
        self._tx.run(
            "UPDATE matches SET seq = ?, head = ?, over = 0 WHERE game = ?", first - 1, head, match.game
        )
        self._tx.run("UPDATE times SET wake = '' WHERE game = ?", match.game)
        return replace(match, seq=first - 1, head=head, over=False)

    # --- seats --------------------------------------------------------------------------------------------

    def seats(self, game: str) -> dict[str, SeatRow]:
        """All seats of a match."""
        return {row[1]: _seat(row) for row in self._tx.run(f"{_SEAT} WHERE game = ?", game)}

    def seats_of(self, address: str) -> list[SeatRow]:
        """The seats that a person is registered for, by his address or by his invitation; the newest match first."""
        rows = self._tx.run(
            f"{_SEAT} WHERE address = ? OR (address = '' AND invited = ?)"  # noqa: S608 - stands here
            " ORDER BY (SELECT created FROM matches WHERE matches.game = seats.game) DESC, game, seat",
            address,
            address,
        )
        return [_seat(row) for row in rows] if address else []

    def invite(self, game: str, seat: str, address: str, word: str) -> None:
        """Where the invitation goes, and its one-time word."""
        self._tx.run(
            "UPDATE seats SET invited = ?, word = ? WHERE game = ? AND seat = ?", address, word, game, seat
        )

    def spend_word(self, game: str, seat: str) -> None:
        """The word of the invitation has taken the seat; it takes it no second time."""
        self._tx.run("UPDATE seats SET word = '' WHERE game = ? AND seat = ?", game, seat)

    def set_address(self, game: str, seat: str, address: str) -> None:
        """The player's own address."""
        self._tx.run("UPDATE seats SET address = ? WHERE game = ? AND seat = ?", address, game, seat)

    def set_pending(self, game: str, seat: str, file: bytes | None, sender: str) -> None:
        """A join that waits for the host's word, or no longer does."""
        self._tx.run(
            "UPDATE seats SET pending = ?, pending_from = ? WHERE game = ? AND seat = ?",
            file,
            sender,
            game,
            seat,
        )

    def hear(self, game: str, seat: str, at: str, *, mailed: bool = True) -> bool:
        """A file of this seat came; by mail, its address lives. Whether it had been suspended and is no longer."""
        was = self._tx.run("SELECT suspended FROM seats WHERE game = ? AND seat = ?", game, seat)
        if not mailed:
            self._tx.run("UPDATE seats SET heard = ? WHERE game = ? AND seat = ?", at, game, seat)
            return False
        self._tx.run(
            "UPDATE seats SET heard = ?, suspended = '', bounces = 0 WHERE game = ? AND seat = ?",
            at,
            game,
            seat,
        )
        return bool(was and was[0][0])

    def bounced(self, game: str, seat: str) -> int:
        """One more letter to this seat came back; how many did in a row."""
        rows = self._tx.run(
            "UPDATE seats SET bounces = bounces + 1 WHERE game = ? AND seat = ? RETURNING bounces", game, seat
        )
        return int(rows[0][0]) if rows else 0

    def open_of(self, address: str) -> int:
        """In how many matches that are not over this address has a seat or an invitation."""
        query = (
            "SELECT COUNT(DISTINCT game) FROM seats WHERE (address = ? OR (address = '' AND invited = ?))"
            " AND game IN (SELECT game FROM matches WHERE over = 0)"
        )
        return int(self._tx.run(query, address, address)[0][0])

    def wake(self, address: str) -> int:
        """Letters may go to this address again; how many seats were suspended."""
        query = (
            "UPDATE seats SET suspended = '', bounces = 0 WHERE suspended <> '' AND (address = ? OR (address = ''"
            " AND invited = ?)) RETURNING seat"
        )
        return len(self._tx.run(query, address, address))

    def suspend(self, address: str, reason: str) -> list[SeatRow]:
        """Send nothing more to this address; the seats it stands for."""
        seats = [seat for seat in self.seats_of(address) if not seat.suspended]
        for seat in seats:
            self._tx.run(
                "UPDATE seats SET suspended = ? WHERE game = ? AND seat = ?", reason, seat.game, seat.seat
            )
        return seats

    def everybody(self) -> list[str]:
        """The address of everybody who plays in a match that is not over, if letters may go there."""
        rows = self._tx.run(
            "SELECT DISTINCT address FROM seats WHERE address <> '' AND suspended = ''"
            " AND game IN (SELECT game FROM matches WHERE over = 0) ORDER BY address"
        )
        return [str(address) for (address,) in rows]

    # --- consents and refusals ----------------------------------------------------------------------------

    def keep_consent(self, game: str, name: str, seat: str, file: bytes) -> None:
        """A consent that is not enough yet."""
        self._tx.run(
            "INSERT INTO consents (game, hash, seat, file) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            game,
            name,
            seat,
            file,
        )

    def consents(self, game: str) -> dict[str, bytes]:
        """All kept consents by their hash."""
        return {
            row[0]: bytes(row[1])
            for row in self._tx.run("SELECT hash, file FROM consents WHERE game = ?", game)
        }

    def drop_consent(self, game: str, name: str) -> None:
        """A consent that can no longer count."""
        self._tx.run("DELETE FROM consents WHERE game = ? AND hash = ?", game, name)

    def keep_verdict(self, game: str, name: str, verdict: str, at: str, reject: bytes = b"") -> None:
        """What became of a file: ``line``, ``held``, ``refused``, or ``abandoned`` with its history.

        The same file again is no new one.
        """
        self._tx.run(
            "INSERT INTO ruled (game, hash, verdict, at, reject) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (game, hash) DO UPDATE SET verdict = excluded.verdict, reject = excluded.reject",
            game,
            name,
            verdict,
            at,
            reject,
        )

    def verdict(self, game: str, name: str) -> tuple[str, bytes]:
        """What became of a file before, with the host's ``reject`` if it was refused; empty if it is new."""
        rows = self._tx.run("SELECT verdict, reject FROM ruled WHERE game = ? AND hash = ?", game, name)
        return (str(rows[0][0]), bytes(rows[0][1])) if rows else ("", b"")


def _seat(row: tuple[object, ...]) -> SeatRow:
    *texts, pending, sender = row
    game, seat, address, invited, word, suspended, heard = (str(text) for text in texts)
    kept = bytes(pending) if isinstance(pending, (bytes, memoryview)) else None
    return SeatRow(game, seat, address, invited, word, suspended, heard, kept, str(sender or ""))
