"""The rows of mail: what came in, byte for byte, and what goes out, with how far each has come.

::

    inbox    new ─► ready (its match is known) ─► done | shunted (not understood; the reason beside it)
    outbox   queued ─► sending ─► sent | failed          held: its address is suspended
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from pbem.base.values import dataclass
from pbem.host.database.database import Transaction

NEW: Final = "new"
READY: Final = "ready"
DONE: Final = "done"
SHUNTED: Final = "shunted"

PEEKED: Final = 8192
"""Bytes of a mail from which its sender and subject are read for a list."""

QUEUED: Final = "queued"
SENDING: Final = "sending"
SENT: Final = "sent"
FAILED: Final = "failed"
HELD: Final = "held"


@dataclass(frozen=True, slots=True)
class InboxRow:
    """One mail as it came."""

    id: int
    raw: bytes
    arrived: str
    state: str
    game: str
    reason: str
    tries: int


@dataclass(frozen=True, slots=True)
class NewLetter:
    """A letter to be sent; ``effect`` says what it is an effect of, and is committed at most once."""

    effect: str
    token: str
    message_id: str
    game: str
    seat: str
    rcpt: str
    env_from: str
    raw: bytes
    held: bool = False


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """A letter on its way."""

    id: int
    token: str
    message_id: str
    game: str
    seat: str
    rcpt: str
    env_from: str
    raw: bytes
    state: str
    tries: int
    created: str
    tried: str


_INBOX = "SELECT id, raw, arrived, state, game, reason, tries FROM inbox"
_OUTBOX = (
    "SELECT id, token, message_id, game, seat, rcpt, env_from, raw, state, tries, created, tried FROM outbox"
)


_READER: Final = "reader/"
BY_HAND: Final = "released"
"""Why a mail is looked at anew that a person has released: no limit on how many are looked at holds it back."""


class InboxRows:
    """What came in, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def keep(self, name: str, raw: bytes, at: str, message_id: str = "") -> tuple[int, str]:
        """Keep a mail under the name of its content; its number and state. The same content twice is one mail."""
        self._tx.run(
            "INSERT INTO inbox (name, message_id, raw, arrived, state) VALUES (?, ?, ?, ?, 'new')"
            " ON CONFLICT DO NOTHING",
            name,
            message_id,
            raw,
            at,
        )
        row = self._tx.run("SELECT id, state FROM inbox WHERE name = ?", name)[0]
        return int(row[0]), str(row[1])

    def claim_new(self) -> InboxRow | None:
        """A mail that nobody has looked at yet."""
        return _first(self._tx.claim(f"{_INBOX} WHERE state = 'new' ORDER BY id LIMIT 1"))

    def next_ready(self, game: str) -> InboxRow | None:
        """The oldest mail that waits for a match; the caller has claimed the match."""
        return _first(self._tx.run(f"{_INBOX} WHERE state = 'ready' AND game = ? ORDER BY id LIMIT 1", game))

    def ready(self, mail: InboxRow, game: str) -> None:
        """The mail is for this match."""
        self._tx.run("UPDATE inbox SET state = 'ready', game = ? WHERE id = ?", game, mail.id)
        self._tx.run("UPDATE matches SET waits = waits + 1 WHERE game = ?", game)

    def settle(self, mail: InboxRow, state: str, reason: str) -> None:
        """The mail is dealt with, put aside, or waits on."""
        self._tx.run("UPDATE inbox SET state = ?, reason = ? WHERE id = ?", state, reason[:500], mail.id)
        if mail.state == READY != state:
            self._tx.run("UPDATE matches SET waits = waits - 1 WHERE game = ?", mail.game)

    def failed(self, mail: InboxRow) -> int:
        """A program fault while working on it; how often that happened."""
        rows = self._tx.run("UPDATE inbox SET tries = tries + 1 WHERE id = ? RETURNING tries", mail.id)
        return int(rows[0][0]) if rows else 0

    def again(self, number: int) -> bool:
        """Look at a shunted mail anew, since a person says so."""
        return bool(
            self._tx.run(
                "UPDATE inbox SET state = 'new', tries = 0, reason = ? WHERE id = ? AND state = 'shunted'"
                " AND length(raw) > 0 RETURNING id",
                BY_HAND,
                number,
            )
        )

    def again_for(self, reason: str, limit: int = 1_000_000) -> int:
        """Look anew at what was shunted for a reason that begins so, oldest first; how many mails."""
        query = (
            "UPDATE inbox SET state = 'new', tries = 0 WHERE id IN (SELECT id FROM inbox WHERE state = 'shunted'"
            " AND length(raw) > 0 AND reason LIKE ? ORDER BY id LIMIT ?) RETURNING id"
        )
        return len(self._tx.run(query, reason.replace("%", "") + "%", limit))

    def again_by_hand(self) -> int:
        """Look anew at everything that was shunted, since a person says so; how many mails."""
        query = "SELECT id FROM inbox WHERE state = 'shunted' AND length(raw) > 0 ORDER BY id"
        return sum(self.again(int(number)) for (number,) in self._tx.run(query))

    def states(self, numbers: Sequence[int]) -> dict[int, str]:
        """How far these mails have come."""
        found = {}
        for number in numbers:
            rows = self._tx.run("SELECT state FROM inbox WHERE id = ?", number)
            if rows:
                found[number] = str(rows[0][0])
        return found

    def waits(self) -> bool:
        """Whether there is mail to sort or to rule on."""
        return bool(
            self._tx.run(
                "SELECT 1 FROM inbox WHERE state = 'new' OR (state = 'ready'"
                " AND game NOT IN (SELECT game FROM stops)) LIMIT 1"
            )
        )

    def unsorted(self) -> bool:
        """Whether there is mail of which nobody knows yet for which match it is."""
        return bool(self._tx.run("SELECT 1 FROM inbox WHERE state = 'new' LIMIT 1"))

    def shunted(self, since: str = "", before: int = 0, limit: int = 200) -> list[InboxRow]:
        """What was not understood, newest first: since a time, older than mail ``before``; each one's beginning."""
        return [
            _inbox(row)
            for row in self._tx.run(
                f"SELECT id, substr(raw, 1, {PEEKED}), arrived, state, game, reason, tries FROM inbox"  # noqa: S608 - a number
                " WHERE state = 'shunted' AND arrived >= ? AND (id < ? OR 0 = ?) ORDER BY id DESC LIMIT ?",
                since,
                before,
                before,
                limit,
            )
        ]

    def count_shunted(self, since: str = "") -> int:
        """How many were not understood since a time."""
        rows = self._tx.run("SELECT COUNT(*) FROM inbox WHERE state = 'shunted' AND arrived >= ?", since)
        return int(rows[0][0])

    def of(self, game: str) -> list[tuple[int, bytes]]:
        """Every mail for a match that is still kept: number and bytes."""
        rows = self._tx.run("SELECT id, raw FROM inbox WHERE game = ? AND length(raw) > 0 ORDER BY id", game)
        return [(int(number), bytes(raw)) for number, raw in rows]

    def find(self, number: int) -> InboxRow | None:
        """One mail."""
        return _first(self._tx.run(f"{_INBOX} WHERE id = ?", number))


class OutboxRows:
    """What goes out, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def add(self, letter: NewLetter, at: str) -> bool:
        """Queue a letter; False if this effect had its letter already."""
        return bool(
            self._tx.run(
                "INSERT INTO outbox (effect, token, message_id, game, seat, rcpt, env_from, raw, state, created)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id",
                letter.effect,
                letter.token,
                letter.message_id,
                letter.game,
                letter.seat,
                letter.rcpt,
                letter.env_from,
                letter.raw,
                HELD if letter.held else QUEUED,
                at,
            )
        )

    def claim_due(self, at: str, limit: int, rcpt: str = "") -> list[OutboxRow]:
        """Letters to send now (to ``rcpt`` only, if it is named), marked as being sent."""
        rows = self._tx.claim(
            f"{_OUTBOX} WHERE state = 'queued' AND not_before <= ? AND (rcpt = ? OR '' = ?) ORDER BY id LIMIT ?",
            at,
            rcpt,
            rcpt,
            limit,
        )
        for row in rows:
            self._tx.run(
                "UPDATE outbox SET state = 'sending', tried = ?, tries = tries + 1 WHERE id = ?", at, row[0]
            )
        return [replace(letter, tries=letter.tries + 1, tried=at) for letter in map(_outbox, rows)]

    def unsettled(self, before: str) -> list[OutboxRow]:
        """Letters whose sending began before this time and of which nobody knows whether they left."""
        return [
            _outbox(row)
            for row in self._tx.claim(
                f"{_OUTBOX} WHERE state = 'sending' AND tried <= ? ORDER BY id LIMIT 200", before
            )
        ]

    def mark_sent(self, number: int, at: str) -> None:
        """The server has taken it."""
        self._tx.run(
            "UPDATE outbox SET state = 'sent', sent = ?, fault = '' WHERE id = ? AND state IN ('sending', 'queued')",
            at,
            number,
        )

    def witnessed(self, message_id: str, at: str) -> bool:
        """The witness copy of a letter came; whether there is such a letter."""
        rows = self._tx.run("SELECT id FROM outbox WHERE message_id = ?", message_id)
        if rows:
            self.mark_sent(int(rows[0][0]), at)
        return bool(rows)

    def requeue(self, letter: OutboxRow, not_before: str, fault: str) -> None:
        """Try again later, unless somebody else has begun to already."""
        self._tx.run(
            "UPDATE outbox SET state = 'queued', not_before = ?, fault = ?"
            " WHERE id = ? AND state = 'sending' AND tries = ?",
            not_before,
            fault[:500],
            letter.id,
            letter.tries,
        )

    def fail(self, number: int, fault: str) -> None:
        """Not to be sent any more."""
        self._tx.run("UPDATE outbox SET state = 'failed', fault = ? WHERE id = ?", fault[:500], number)

    def hold(self, rcpt: str) -> None:
        """Keep back what is queued for an address."""
        self._tx.run("UPDATE outbox SET state = 'held' WHERE rcpt = ? AND state = 'queued'", rcpt)

    def release(self, game: str, seat: str) -> None:
        """Send what was kept back for a seat."""
        self._tx.run(
            "UPDATE outbox SET state = 'queued' WHERE game = ? AND seat = ? AND state = 'held'", game, seat
        )

    def held(self, limit: int = 200) -> list[OutboxRow]:
        """The newest letters that are kept back, or were refused for good; each one's beginning."""
        rows = self._tx.run(
            f"SELECT id, token, message_id, game, seat, rcpt, env_from, substr(raw, 1, {PEEKED}), state, tries,"  # noqa: S608 - a number
            " created, tried FROM outbox WHERE state IN ('held', 'failed') ORDER BY id DESC LIMIT ?",
            limit,
        )
        return [_outbox(row) for row in rows]

    def release_to(self, rcpt: str) -> int:
        """Send what was kept back for an address, or refused there; how many letters."""
        query = (
            "UPDATE outbox SET state = 'queued', tries = 0, not_before = '', fault = ''"
            " WHERE rcpt = ? AND state IN ('held', 'failed') AND length(raw) > 0 RETURNING id"
        )
        return len(self._tx.run(query, rcpt))

    def by_name(self, token: str, message_id: str) -> OutboxRow | None:
        """The letter that a bounce names."""
        rows = self._tx.run(
            f"{_OUTBOX} WHERE token = ? OR message_id = ? ORDER BY id LIMIT 1", token, message_id
        )
        return _outbox(rows[0]) if rows else None

    def thread(self, game: str, seat: str) -> tuple[str, ...]:
        """The first letter to a seat and the last two: what a new one refers to."""
        query = "SELECT message_id FROM outbox WHERE game = ? AND seat = ? ORDER BY id"
        first = self._tx.run(f"{query} LIMIT 1", game, seat)
        last = self._tx.run(f"{query} DESC LIMIT 2", game, seat)
        return tuple(dict.fromkeys(str(row[0]) for row in (*first, *reversed(last))))

    def busy_since(self, at: str, most: int) -> list[str]:
        """The matches about which so many letters or more were handed to the server since then."""
        rows = self._tx.run(
            "SELECT game FROM outbox WHERE tried >= ? AND game <> '' GROUP BY game HAVING COUNT(*) >= ?",
            at,
            most,
        )
        return [str(game) for (game,) in rows]

    def postpone(self, game: str, now: str, until: str) -> int:
        """What is due of one match waits until then; how many letters."""
        query = "UPDATE outbox SET not_before = ? WHERE game = ? AND state = 'queued' AND not_before <= ? RETURNING id"
        return len(self._tx.run(query, until, game, now))

    def tried_since(self, at: str) -> int:
        """How many letters were handed to the server since then."""
        return int(self._tx.run("SELECT COUNT(*) FROM outbox WHERE tried >= ?", at)[0][0])

    def waits(self, now: str, interrupted: str) -> bool:
        """Whether a letter is due, or one whose sending was interrupted before that time is to be looked up."""
        return bool(
            self._tx.run(
                "SELECT 1 FROM outbox WHERE (state = 'queued' AND not_before <= ?)"
                " OR (state = 'sending' AND tried <= ?) LIMIT 1",
                now,
                interrupted,
            )
        )

    def set_back(self, now: str) -> None:
        """The clock was ahead and is right at ``now``: what waits is tried, and nothing was tried later."""
        self._tx.run("UPDATE outbox SET not_before = '' WHERE state = 'queued' AND not_before > ?", now)
        self._tx.run("UPDATE outbox SET tried = ? WHERE tried > ?", now, now)

    def unsent(self, game: str) -> list[str]:
        """The message ids of letters about a match that have not left."""
        query = "SELECT message_id FROM outbox WHERE game = ? AND state <> 'sent' ORDER BY id"
        return [str(row[0]) for row in self._tx.run(query, game)]

    def of(self, game: str) -> list[tuple[int, str, bytes]]:
        """Every letter about a match that is still kept: number, state, and the letter."""
        rows = self._tx.run(
            "SELECT id, state, raw FROM outbox WHERE game = ? AND length(raw) > 0 ORDER BY id", game
        )
        return [(int(number), str(state), bytes(raw)) for number, state, raw in rows]

    def counts(self) -> dict[str, int]:
        """How many letters are in each state."""
        return {str(s): int(n) for s, n in self._tx.run("SELECT state, COUNT(*) FROM outbox GROUP BY state")}


class MailNotes:
    """Limits, leases and what the host should know, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def count(self, person: str, kind: str, day: str, more: int = 1) -> int:
        """One more answer of this kind to this person today, or ``more`` of something else; how many that makes."""
        rows = self._tx.run(
            "INSERT INTO answers (person, kind, day, count) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (person, kind, day) DO UPDATE SET count = answers.count + excluded.count RETURNING count",
            person,
            kind,
            day,
            more,
        )
        return int(rows[0][0])

    def forget_counts(self, before: str) -> None:
        """Counts of days before this one limit nothing any more."""
        self._tx.run("DELETE FROM answers WHERE day < ?", before)

    def write(self, at: str, kind: str, text: str, game: str = "") -> int:
        """A line of the service's log; its number."""
        rows = self._tx.run(
            "INSERT INTO notes (at, kind, game, text) VALUES (?, ?, ?, ?) RETURNING id",
            at,
            kind,
            game,
            text[:1000],
        )
        return int(rows[0][0])

    def newest(self, limit: int = 100) -> list[tuple[str, str, str, str]]:
        """Time, kind, match and text of the newest lines, newest first."""
        rows = self._tx.run("SELECT at, kind, game, text FROM notes ORDER BY id DESC LIMIT ?", limit)
        return [(str(a), str(b), str(c), str(d)) for a, b, c, d in rows]

    def counted(self, since: str) -> dict[str, int]:
        """How many lines of each kind there are since a time."""
        rows = self._tx.run(
            "SELECT kind, COUNT(*) FROM notes WHERE at >= ? GROUP BY kind ORDER BY kind", since
        )
        return {str(kind): int(count) for kind, count in rows}

    def get(self, name: str) -> str:
        """A setting that the service remembers."""
        rows = self._tx.run("SELECT value FROM meta WHERE name = ?", name)
        return str(rows[0][0]) if rows else ""

    def set(self, name: str, value: str) -> None:
        """Remember a setting."""
        self._tx.run(
            "INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            name,
            value,
        )

    def locked(self, name: str) -> str:
        """A setting that no other transaction changes until this one ends."""
        self._tx.run("UPDATE meta SET value = value WHERE name = ?", name)
        return self.get(name)

    def lease(self, name: str, owner: str, now: str, until: str) -> bool:
        """Take a task for ``owner`` alone until a time, unless somebody else has it still."""
        rows = self._tx.run(
            "INSERT INTO meta (name, value, until) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE"
            " SET value = excluded.value, until = excluded.until WHERE meta.value = ? OR meta.until < ? RETURNING name",
            name,
            owner,
            until,
            owner,
            now,
        )
        return bool(rows)

    def holder(self, name: str) -> str:
        """Who has taken a task last."""
        return self.get(name)

    def until(self, name: str) -> str:
        """Until when a task is taken; empty if it was given up."""
        rows = self._tx.run("SELECT until FROM meta WHERE name = ?", name)
        return str(rows[0][0]) if rows else ""

    def shorten(self, until: str) -> None:
        """No task is taken for longer than that."""
        self._tx.run("UPDATE meta SET until = ? WHERE until > ?", until, until)

    def release(self, name: str, owner: str) -> None:
        """Give a task up, if ``owner`` has it."""
        self._tx.run("UPDATE meta SET until = '' WHERE name = ? AND value = ?", name, owner)


class ReaderRows:
    """The processes that read the mailbox, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def join(self, owner: str, until: str) -> None:
        """``owner`` reads, and is there until then at least."""
        self._tx.run(
            "INSERT INTO meta (name, value, until) VALUES (?, '', ?) ON CONFLICT (name)"
            " DO UPDATE SET until = excluded.until",
            _READER + owner,
            until,
        )

    def all(self) -> list[tuple[str, str]]:
        """Who reads, and until when he is there."""
        rows = self._tx.run("SELECT name, until FROM meta WHERE name LIKE ? ORDER BY name", f"{_READER}%")
        return [(str(name).removeprefix(_READER), str(until)) for name, until in rows]

    def note(self, owner: str, words: str) -> None:
        """What ``owner`` says of how far he has read; nothing, if he is not there any more."""
        self._tx.run("UPDATE meta SET value = ? WHERE name = ?", words, _READER + owner)

    def noted(self) -> dict[str, str]:
        """What each of them has said."""
        rows = self._tx.run("SELECT name, value FROM meta WHERE name LIKE ?", f"{_READER}%")
        return {str(name).removeprefix(_READER): str(value) for name, value in rows}

    def leave(self, owner: str) -> None:
        """``owner`` reads no more."""
        self._tx.run("DELETE FROM meta WHERE name = ?", _READER + owner)


def _first(rows: Sequence[tuple[object, ...]]) -> InboxRow | None:
    return _inbox(rows[0]) if rows else None


def _inbox(row: tuple[object, ...]) -> InboxRow:
    number, raw, arrived, state, game, reason, tries = row
    there = (
        bytes(raw) if isinstance(raw, (bytes, memoryview)) else b""
    )  # of no bytes SQLite makes nothing at all
    return InboxRow(
        int(str(number)), there, str(arrived), str(state), str(game), str(reason), int(str(tries))
    )


def _outbox(row: tuple[object, ...]) -> OutboxRow:
    number, token, own_id, game, seat, rcpt, env_from, raw, state, tries, created, tried = row
    assert isinstance(raw, (bytes, memoryview))  # noqa: S101 - the column's type
    texts = (str(token), str(own_id), str(game), str(seat), str(rcpt), str(env_from))
    return OutboxRow(
        int(str(number)), *texts, bytes(raw), str(state), int(str(tries)), str(created), str(tried)
    )
