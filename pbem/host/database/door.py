"""The rows of the HTTP door: words that were withdrawn, and files that were posted there."""

from __future__ import annotations

from typing import Final

from pbem.base.values import dataclass
from pbem.host.database.database import Transaction

OPEN: Final = 0
"""The typed word of a seat's invitation opens the door, and so does the code of its link."""
SHUT: Final = 1
"""Neither does any longer."""
RENEWED: Final = 2
"""A new link was given for one that was withdrawn, and so on upwards: its code opens, a typed word does not."""


@dataclass(frozen=True, slots=True)
class Posted:
    """A file that came by the door: its message's hash, the signature to find it by, what it had seen, its mail."""

    hash: str
    mark: str
    seen: int
    mail: int


class DoorRows:
    """Words and posted files within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def counters(self, game: str) -> dict[str, tuple[int, int]]:
        """Of every seat that has a row: how often its word was changed, and what of its invitation opens."""
        rows = self._tx.run("SELECT seat, counter, shut FROM doors WHERE game = ?", game)
        return {str(seat): (int(counter), int(shut)) for seat, counter, shut in rows}

    def withdraw(self, game: str, seat: str, *, shut: int) -> None:
        """The seat's word opens nothing any more, nor do word and code of its invitation but as ``shut`` says."""
        self._tx.run(
            "INSERT INTO doors (game, seat, counter, shut) VALUES (?, ?, 1, ?) ON CONFLICT (game, seat)"
            " DO UPDATE SET counter = doors.counter + 1, shut = excluded.shut",
            game,
            seat,
            shut,
        )

    def renew(self, game: str, seat: str) -> None:
        """Another link from now on: the seat's word, its invitation's and the code of the link before open nothing."""
        self._tx.run(
            "INSERT INTO doors (game, seat, counter, shut) VALUES (?, ?, 1, ?) ON CONFLICT (game, seat)"
            " DO UPDATE SET counter = doors.counter + 1,"
            " shut = CASE WHEN doors.shut >= excluded.shut THEN doors.shut + 1 ELSE excluded.shut END",
            game,
            seat,
            RENEWED,
        )

    def count_on(self, game: str, seat: str) -> None:
        """Somebody else sits there by the same link: the seat's word is another one."""
        self._tx.run(
            "INSERT INTO doors (game, seat, counter, shut) VALUES (?, ?, 1, ?) ON CONFLICT (game, seat)"
            " DO UPDATE SET counter = doors.counter + 1",
            game,
            seat,
            OPEN,
        )

    def shut(self, game: str, seat: str) -> None:
        """Word and code of the seat's invitation have done their work."""
        self._tx.run(
            "INSERT INTO doors (game, seat, counter, shut) VALUES (?, ?, 0, ?) ON CONFLICT (game, seat)"
            " DO UPDATE SET shut = excluded.shut",
            game,
            seat,
            SHUT,
        )

    def invite(self, game: str, seat: str) -> None:
        """A new invitation's word opens again; a link that was withdrawn does not."""
        self._tx.run("UPDATE doors SET shut = 0 WHERE game = ? AND seat = ? AND shut = 1", game, seat)

    def keep(self, game: str, seat: str, receipt: str, file: Posted) -> None:
        """A posted file; the same bytes again change nothing."""
        self._tx.run(
            "INSERT INTO posted (game, seat, receipt, hash, mark, seen, mail) VALUES (?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO NOTHING",
            game,
            seat,
            receipt,
            file.hash,
            file.mark,
            file.seen,
            file.mail,
        )

    def find(self, game: str, seat: str, receipt: str) -> Posted | None:
        """The file that a receipt was given for."""
        rows = self._tx.run(
            "SELECT hash, mark, seen, mail FROM posted WHERE game = ? AND seat = ? AND receipt = ?",
            game,
            seat,
            receipt,
        )
        return Posted(str(rows[0][0]), str(rows[0][1]), int(rows[0][2]), int(rows[0][3])) if rows else None

    def brought(self, mail: int) -> bool:
        """Whether this row of the inbox came by the door."""
        return bool(self._tx.run("SELECT 1 FROM posted WHERE mail = ? LIMIT 1", mail))
