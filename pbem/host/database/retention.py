"""The rows of what is no longer kept: the bytes go, and what must do nothing twice stays.

A mail leaves its name (a hash), a letter its token and Message-ID: a mailbox that is read again finds them known.
Records, verdicts and signed refusals are never touched here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pbem.host.database.database import Transaction

_EMPTY: Final = b""
FORGOTTEN: Final = "(forgotten)"


class Retention:
    """What is let go of, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    # --- matches ------------------------------------------------------------------------------------------

    def unnoted(self) -> list[tuple[str, int]]:
        """Matches that are over and not noted as such yet: each with the number of its last record."""
        query = "SELECT game, seq FROM matches WHERE over = 1 AND game NOT IN (SELECT game FROM retained)"
        return [(str(game), int(seq)) for game, seq in self._tx.run(query)]

    def note(self, game: str, ended: str) -> None:
        """The match ended then."""
        self._tx.run("INSERT INTO retained (game, ended) VALUES (?, ?) ON CONFLICT DO NOTHING", game, ended)

    def due(self, before: str) -> str:
        """A match that ended before this time and whose mail is still kept; empty if there is none."""
        query = (
            "SELECT game FROM retained WHERE ended < ? AND cleared = '' AND game IN"
            " (SELECT game FROM matches WHERE over = 1) ORDER BY ended LIMIT 1"
        )
        rows = self._tx.run(query, before)
        return str(rows[0][0]) if rows else ""

    def cleared(self, game: str, at: str) -> None:
        """Nothing but records is kept of this match any more."""
        self._tx.run("UPDATE retained SET cleared = ? WHERE game = ?", at, game)

    # --- names of what is in the mailbox --------------------------------------------------------------------

    def letters_of(self, game: str) -> list[str]:
        """The Message-IDs of a match's letters: their witness copies lie in the mailbox."""
        rows = self._tx.run("SELECT message_id FROM outbox WHERE game = ? AND length(raw) > 0", game)
        return [str(row[0]) for row in rows]

    def mails_of(self, game: str, most: int) -> list[bytes]:
        """The first bytes of a match's mails."""
        rows = self._tx.run(
            "SELECT substr(raw, 1, ?) FROM inbox WHERE game = ? AND length(raw) > 0", most, game
        )
        return [bytes(row[0]) for row in rows]

    # --- letting go -----------------------------------------------------------------------------------------

    def clear(self, game: str) -> int:
        """The bytes of a match's mails and letters, and the addresses on them; how many there were."""
        mails = self._shrink(
            "inbox",
            "UPDATE inbox SET raw = ? WHERE game = ? AND state IN ('done', 'shunted') AND length(raw) > 0 RETURNING id",
            game,
        )
        letters = self._shrink(
            "outbox",
            "UPDATE outbox SET raw = ?, rcpt = '', effect = token, fault = '' WHERE game = ?"
            " AND state IN ('sent', 'failed', 'held') AND length(raw) > 0 RETURNING id",
            game,
        )
        self._tx.run("DELETE FROM consents WHERE game = ?", game)
        return mails + letters

    def _shrink(self, table: str, update: str, *values: object) -> int:
        """Empty the ``raw`` of some rows; how many."""
        numbers = [int(row[0]) for row in self._tx.run(update, _EMPTY, *values)]
        self._tx.pack(table, numbers)
        return len(numbers)

    def without_match(self, before: str, most: int) -> tuple[list[tuple[int, bytes]], list[tuple[int, str]]]:
        """What belongs to no match and is older: mails with their beginning, letters with their Message-ID."""
        mails = self._tx.run(
            "SELECT id, substr(raw, 1, 8192) FROM inbox WHERE game = '' AND arrived < ?"
            " AND state IN ('done', 'shunted') AND length(raw) > 0 ORDER BY id LIMIT ?",
            before,
            most,
        )
        letters = self._tx.run(
            "SELECT id, message_id FROM outbox WHERE game = '' AND created < ?"
            " AND state IN ('sent', 'failed', 'held') AND length(raw) > 0 ORDER BY id LIMIT ?",
            before,
            most,
        )
        return (
            [(int(number), bytes(raw)) for number, raw in mails],
            [(int(number), str(name)) for number, name in letters],
        )

    def clear_these(self, mails: Sequence[int], letters: Sequence[int]) -> None:
        """The bytes of these."""
        for number in mails:
            self._shrink("inbox", "UPDATE inbox SET raw = ? WHERE id = ? RETURNING id", number)
        for number in letters:
            self._shrink(
                "outbox",
                "UPDATE outbox SET raw = ?, rcpt = '', effect = token, fault = '' WHERE id = ? RETURNING id",
                number,
            )

    def clear_log(self, before: str) -> int:
        """Lines of the log that are older; how many."""
        return len(self._tx.run("DELETE FROM notes WHERE at < ? RETURNING id", before))

    # --- people ---------------------------------------------------------------------------------------------

    def seats_of(self, address: str) -> list[tuple[str, bool, bool]]:
        """Where an address has a seat or an invitation: match, whether it is over, whether the seat has joined."""
        rows = self._tx.run(
            "SELECT seats.game, over, word FROM seats, matches WHERE seats.game = matches.game AND"
            " (address = ? OR invited = ? OR pending_from = ?) ORDER BY seats.game, seat",
            address,
            address,
            address,
        )
        return [(str(game), bool(over), not word) for game, over, word in rows]  # a join spends the word

    def mails_from(self, after: int, most: int) -> list[tuple[int, bytes]]:
        """The first bytes of mails that are kept, by number, for whoever looks for a sender."""
        rows = self._tx.run(
            "SELECT id, substr(raw, 1, 8192) FROM inbox WHERE id > ? AND length(raw) > 0 ORDER BY id LIMIT ?",
            after,
            most,
        )
        return [(int(number), bytes(raw)) for number, raw in rows]

    def drop_mail(self, number: int) -> None:
        """The bytes of one mail; its name stays."""
        self._shrink(
            "inbox",
            "UPDATE inbox SET raw = ?, state = CASE WHEN state = 'new' THEN 'done' ELSE state END, reason = ?"
            " WHERE id = ? AND state <> 'ready' RETURNING id",
            FORGOTTEN,
            number,
        )

    def letters_to(self, address: str) -> list[str]:
        """The Message-IDs of letters to an address that are kept."""
        rows = self._tx.run("SELECT message_id FROM outbox WHERE rcpt = ?", address)
        return [str(row[0]) for row in rows]

    def forget(self, address: str) -> dict[str, int]:
        """Everything that names an address, but its mails (``drop_mail``) and signed records; how much of each."""
        done = {
            "letters": self._shrink(
                "outbox",
                "UPDATE outbox SET raw = ?, rcpt = '', effect = token, fault = '', state ="
                " CASE WHEN state IN ('queued', 'held') THEN 'failed' ELSE state END WHERE rcpt = ? RETURNING id",
                address,
            )
        }
        for column in ("address", "invited"):
            self._tx.run(
                f"UPDATE seats SET {column} = '', word = '', suspended = '' WHERE {column} = ?",  # noqa: S608 - stands here
                address,
            )
        self._tx.run("UPDATE seats SET pending = NULL, pending_from = '' WHERE pending_from = ?", address)
        done["read along"] = len(
            self._tx.run("DELETE FROM observers WHERE address = ? RETURNING game", address)
        )
        self._tx.run(
            "UPDATE outbox SET effect = token, seat = '' WHERE seat = ?",
            f"@{address}",
        )
        self._tx.run("DELETE FROM answers WHERE person = ?", address)
        done["lines of the log"] = len(
            self._tx.run(
                "UPDATE notes SET text = replace(text, ?, ?) WHERE text LIKE ? RETURNING id",
                address,
                FORGOTTEN,
                f"%{address}%",
            )
        )
        self._tx.run(
            "UPDATE inbox SET reason = replace(reason, ?, ?) WHERE reason LIKE ?",
            address,
            FORGOTTEN,
            f"%{address}%",
        )
        return done

    # --- how much there is ------------------------------------------------------------------------------------

    def bytes_kept(self) -> dict[str, int]:
        """Bytes of records, mails and letters that are kept."""
        queries = {"records": "lines", "mails": "inbox", "letters": "outbox"}
        return {
            name: int(self._tx.run(f"SELECT COALESCE(SUM(length(raw)), 0) FROM {table}")[0][0])  # noqa: S608 - stands here
            for name, table in queries.items()
        }
