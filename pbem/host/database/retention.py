"""The rows of what is no longer kept: the bytes go, and what must do nothing twice stays.

An email that came leaves its name (a hash), one that left its token and Message-ID: a mailbox that is read again finds
them known. Records, verdicts and signed refusals are never touched here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import Table, case, delete, func, or_, select, update

from pbem.host.database.database import Transaction
from pbem.host.database.mail import FAILED, HELD, NEW, QUEUED, READY, SENT, SPARED, WAITING
from pbem.host.database.tables import (
    CONSENTS,
    INBOX,
    JOINS,
    MATCHES,
    NOTES,
    OBSERVERS,
    OUTBOX,
    PUSHES,
    RETAINED,
    SEATS,
)

FORGOTTEN: Final = "(forgotten)"
_GONE: Final[dict[str, Any]] = {
    "raw": b"",
    "name": "",
    "rcpt": "",
    "env_from": "",
    "effect": OUTBOX.c.token,
    "fault": "",
}
"""What is left of an email that is no longer kept."""
_LEFT = or_(OUTBOX.c.name != "", func.length(OUTBOX.c.raw) > 0)
_SETTLED = OUTBOX.c.state.in_((SENT, FAILED, HELD, SPARED))
_WHOLE = func.length(INBOX.c.raw) > 0


class SeatOfAddress(NamedTuple):
    """A seat, or an invitation to one: its match, whether that is over, whether somebody has joined."""

    game: str
    over: bool
    joined: bool


class Retention:
    """What is let go of, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def unnoted(self) -> list[tuple[str, int]]:
        """Matches that are over and not noted as such yet: each with the number of its last record."""
        query = select(MATCHES.c.game, MATCHES.c.seq).where(MATCHES.c.over == 1)
        rows = self._tx.run(query.where(MATCHES.c.game.not_in(select(RETAINED.c.game))))
        return [(game, seq) for game, seq in rows]

    def note(self, game: str, ended: str) -> None:
        """The match ended then."""
        self._tx.add(RETAINED, game=game, ended=ended)

    def due(self, before: str) -> str:
        """A match that ended before this time and whose mail is still kept; empty if there is none."""
        over = select(MATCHES.c.game).where(MATCHES.c.over == 1)
        query = select(RETAINED.c.game).where(
            RETAINED.c.ended < before, RETAINED.c.cleared == "", RETAINED.c.game.in_(over)
        )
        return str(self._tx.scalar(query.order_by(RETAINED.c.ended).limit(1)) or "")

    def cleared(self, game: str, at: str) -> None:
        """Nothing but records is kept of this match any more."""
        self._tx.run(update(RETAINED).where(RETAINED.c.game == game).values(cleared=at))

    def letters_of(self, game: str) -> list[str]:
        """The Message-IDs of a match's emails: their witness copies lie in the mailbox."""
        return [
            name for (name,) in self._tx.run(select(OUTBOX.c.message_id).where(OUTBOX.c.game == game, _LEFT))
        ]

    def mails_of(self, game: str) -> list[str]:
        """The Message-IDs of a match's emails."""
        query = select(INBOX.c.message_id).where(INBOX.c.game == game, INBOX.c.message_id != "")
        return [name for (name,) in self._tx.run(query)]

    def clear(self, game: str) -> int:
        """The bytes of a match's emails, in and out, and the addresses on them; how many there were."""
        mails = update(INBOX).where(INBOX.c.game == game, INBOX.c.state.not_in((NEW, READY)))
        letters = update(OUTBOX).where(OUTBOX.c.game == game, _SETTLED, _LEFT)
        self._tx.run(mails.values(sender=""))
        gone = self._shrink(INBOX, mails.where(_WHOLE).values(raw=b""))
        gone += self._shrink(OUTBOX, letters.values(_GONE))
        for table in (CONSENTS, PUSHES):
            self._tx.run(delete(table).where(table.c.game == game))
        return gone

    def _shrink(self, table: Table, change: Any) -> int:
        """Let go of the bytes of some rows; how many."""
        numbers = [number for (number,) in self._tx.run(change.returning(table.c.id))]
        self._tx.pack(table, numbers)
        return len(numbers)

    def without_match(self, before: str, most: int) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
        """Emails of no match, in and out, from before this time, at most so many of each: number and Message-ID."""
        mails = select(INBOX.c.id, INBOX.c.message_id).where(
            INBOX.c.game == "", INBOX.c.arrived < before, INBOX.c.state.not_in((NEW, READY)), _WHOLE
        )
        letters = select(OUTBOX.c.id, OUTBOX.c.message_id).where(
            OUTBOX.c.game == "", OUTBOX.c.created < before, _SETTLED, _LEFT
        )
        return (
            [(number, name) for number, name in self._tx.run(mails.order_by(INBOX.c.id).limit(most))],
            [(number, name) for number, name in self._tx.run(letters.order_by(OUTBOX.c.id).limit(most))],
        )

    def clear_these(self, mails: Sequence[int], letters: Sequence[int]) -> None:
        """The bytes of these."""
        self._shrink(INBOX, update(INBOX).where(INBOX.c.id.in_(mails)).values(raw=b"", sender=""))
        self._shrink(OUTBOX, update(OUTBOX).where(OUTBOX.c.id.in_(letters)).values(_GONE))

    def clear_log(self, before: str) -> int:
        """Lines of the log that are older; how many."""
        return self._tx.count(delete(NOTES).where(NOTES.c.at < before))

    def seats_of(self, address: str) -> list[SeatOfAddress]:
        """Where an address has a seat or an invitation."""
        waits = select(JOINS.c.game).where(
            JOINS.c.game == SEATS.c.game, JOINS.c.seat == SEATS.c.seat, JOINS.c.sender == address
        )
        named = or_(SEATS.c.address == address, SEATS.c.invited == address, waits.exists())
        query = select(SEATS.c.game, MATCHES.c.over, SEATS.c.word).where(
            SEATS.c.game == MATCHES.c.game, named
        )
        rows = self._tx.run(query.order_by(SEATS.c.game, SEATS.c.seat))
        return [  # a join uses up the invite code
            SeatOfAddress(game, bool(over), not word) for game, over, word in rows
        ]

    def mails_from(self, address: str) -> list[tuple[int, str]]:
        """The emails of a sender: numbers and Message-IDs."""
        query = select(INBOX.c.id, INBOX.c.message_id).where(INBOX.c.sender == address)
        return [(number, name) for number, name in self._tx.run(query)]

    def letters_to(self, address: str) -> list[str]:
        """The Message-IDs of emails to an address that are kept."""
        query = select(OUTBOX.c.message_id).where(OUTBOX.c.rcpt == address)
        return [name for (name,) in self._tx.run(query)]

    def forget(self, address: str) -> dict[str, int]:
        """Everything that names an address, but signed records; how much of each."""
        state = case((OUTBOX.c.state.in_((QUEUED, WAITING, HELD)), FAILED), else_=OUTBOX.c.state)
        letters = update(OUTBOX).where(OUTBOX.c.rcpt == address).values(_GONE | {"state": state})
        done = {"letters": self._shrink(OUTBOX, letters)}
        state = case((INBOX.c.state == NEW, "done"), else_=INBOX.c.state)
        mails = update(INBOX).where(INBOX.c.sender == address, INBOX.c.state != READY)
        self._shrink(INBOX, mails.values(raw=b"", sender="", state=state, reason=FORGOTTEN))
        named = or_(SEATS.c.address == address, SEATS.c.invited == address)
        seats = select(1).where(SEATS.c.game == PUSHES.c.game, SEATS.c.seat == PUSHES.c.seat, named)
        self._tx.run(delete(PUSHES).where(seats.exists()))
        for column in (SEATS.c.address, SEATS.c.invited):
            mine = update(SEATS).where(column == address)
            self._tx.run(mine.values({column.name: "", "word": "", "suspended": ""}))
        self._tx.run(delete(JOINS).where(JOINS.c.sender == address))
        done["read along"] = self._tx.count(delete(OBSERVERS).where(OBSERVERS.c.address == address))
        name = f"@{address}"
        self._tx.run(update(OUTBOX).where(OUTBOX.c.seat == name).values(effect=OUTBOX.c.token, seat=""))
        done["lines of the log"] = self._tx.count(
            update(NOTES)
            .where(NOTES.c.text.contains(address, autoescape=True))
            .values(text=func.replace(NOTES.c.text, address, FORGOTTEN))
        )
        self._tx.run(
            update(INBOX)
            .where(INBOX.c.reason.contains(address, autoescape=True))
            .values(reason=func.replace(INBOX.c.reason, address, FORGOTTEN))
        )
        return done
