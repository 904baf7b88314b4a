"""The rows of the HTTP door: words that were withdrawn, and files that were posted there."""

from __future__ import annotations

from pbem.base.values import dataclass
from pbem.host.database.database import Transaction


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

    def counters(self, game: str) -> dict[str, tuple[int, bool]]:
        """Of every seat whose word was changed: how often, and whether its invitation's word is shut."""
        rows = self._tx.run("SELECT seat, counter, shut FROM doors WHERE game = ?", game)
        return {str(seat): (int(counter), bool(shut)) for seat, counter, shut in rows}

    def withdraw(self, game: str, seat: str, *, shut: bool) -> None:
        """The seat's word opens nothing any more, nor does its invitation's if ``shut``."""
        self._tx.run(
            "INSERT INTO doors (game, seat, counter, shut) VALUES (?, ?, 1, ?) ON CONFLICT (game, seat)"
            " DO UPDATE SET counter = doors.counter + 1, shut = excluded.shut",
            game,
            seat,
            int(shut),
        )

    def invite(self, game: str, seat: str) -> None:
        """A new invitation's word opens again."""
        self._tx.run("UPDATE doors SET shut = 0 WHERE game = ? AND seat = ?", game, seat)

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
