"""The rows of mail: what came in, byte for byte, and what goes out, with how far each has come.

::

    inbox    new ─► ready (its match is known) ─► done | quarantined (not understood; the reason beside it)
    outbox   queued ─► sending ─► sent | failed          held: its address is suspended
             waiting: a mere receipt; due later ─► sending, or spared by the next email to that seat

An email that follows from the record has a ``name`` and no bytes: it is made when it leaves, or is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import Select, and_, bindparam, func, or_, select, update

from pbem.base.values import dataclass
from pbem.host.database.database import Transaction
from pbem.host.database.driver import Rows
from pbem.host.database.tables import INBOX, MATCHES, OUTBOX

NEW: Final = "new"
READY: Final = "ready"
DONE: Final = "done"
QUARANTINED: Final = "quarantined"

PEEKED: Final = 8192
"""Bytes of an email from which its sender and subject are read for a list."""

QUEUED: Final = "queued"
SENDING: Final = "sending"
SENT: Final = "sent"
FAILED: Final = "failed"
HELD: Final = "held"
WAITING: Final = "waiting"
SPARED: Final = "spared"

OUTBOX_STATES: Final = QUEUED, SENDING, WAITING, SENT, SPARED, HELD, FAILED
INBOX_STATES: Final = NEW, READY, DONE, QUARANTINED
_TO_LEAVE: Final = QUEUED, WAITING
BY_HAND: Final = "released"
"""Why an email is looked at again that a person has released: no limit on how many are looked at holds it back."""
POSTED: Final = "posted"
"""The reason of a file that came by the HTTP API, which asks for the limits itself, until it is looked at."""
_MOST_UNSETTLED: Final = 200
_EARLIER: Final = (
    "SELECT id, message_id FROM outbox WHERE game = ? AND seat = ? AND id < ? AND state <> ? ORDER BY id"
)
_THREAD: Final = (
    f"SELECT * FROM ({_EARLIER} LIMIT 1) AS first"  # noqa: S608 - made of constants
    f" UNION SELECT * FROM ({_EARLIER} DESC LIMIT 2) AS last"
)
"""As text: one of these is asked for every email, and what ``select`` makes of it takes longer than its answer."""


@dataclass(frozen=True, slots=True)
class InboxRow:
    """One mail as it came; no ``raw`` if its bytes are no longer kept."""

    id: int
    raw: bytes
    arrived: str
    state: str
    game: str
    reason: str
    tries: int
    message_id: str
    sender: str


@dataclass(frozen=True, slots=True)
class NewLetter:
    """An email to be sent; ``effect`` says what it is an effect of, and is committed at most once.

    Either ``name`` says what it is made of, or ``raw`` is the email.
    """

    effect: str
    token: str
    message_id: str
    game: str
    seat: str
    rcpt: str
    env_from: str
    raw: bytes = b""
    name: str = ""
    held: bool = False
    not_before: str = ""
    """When it leaves if no other email to that seat is queued before; empty: at once."""


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """An email on its way."""

    id: int
    effect: str
    token: str
    message_id: str
    game: str
    seat: str
    rcpt: str
    env_from: str
    name: str
    raw: bytes
    state: str
    tries: int
    created: str
    tried: str
    sent: str
    fault: str

    @property
    def kept(self) -> bool:
        """Whether the email can still be had."""
        return bool(self.name or self.raw)


def _fields(table: Any, row: type, raw: Any) -> Select[Any]:
    """The columns that a row has; ``raw`` stands for its bytes."""
    return select(*(raw if name == "raw" else table.c[name] for name in row.__annotations__))


_INBOX = _fields(INBOX, InboxRow, INBOX.c.raw)
_OUTBOX = _fields(OUTBOX, OutboxRow, OUTBOX.c.raw)
# SQLite says NULL for a part of no bytes.
_PEEK: Final = _fields(INBOX, InboxRow, func.coalesce(func.substr(INBOX.c.raw, 1, PEEKED), INBOX.c.raw))
_WHOLE = func.length(INBOX.c.raw) > 0
_KEPT: Final = select(INBOX.c.id, INBOX.c.state).where(INBOX.c.name == bindparam("name"))
_NEXT_NEW: Final = _INBOX.where(INBOX.c.state == NEW).order_by(INBOX.c.id).limit(1)
_NEXT_READY: Final = (
    _INBOX.where(INBOX.c.state == READY, INBOX.c.game == bindparam("game")).order_by(INBOX.c.id).limit(1)
)
_STATES: Final = select(INBOX.c.id, INBOX.c.state).where(INBOX.c.id.in_(bindparam("numbers", expanding=True)))
_MAIL_SET: Final = update(INBOX).where(INBOX.c.id == bindparam("id_"))
_WAITS: Final = (
    update(MATCHES)
    .where(MATCHES.c.game == bindparam("game_"))
    .values(waits=MATCHES.c.waits + bindparam("more"))
)
_UNSORTED: Final = select(1).where(INBOX.c.state == NEW).limit(1)
_SPARE: Final = select(OUTBOX.c.id).where(
    OUTBOX.c.game == bindparam("game"), OUTBOX.c.seat == bindparam("seat"), OUTBOX.c.state == WAITING
)
_WITNESSED: Final = select(OUTBOX.c.id, OUTBOX.c.message_id, OUTBOX.c.state).where(
    OUTBOX.c.message_id.in_(bindparam("message_ids", expanding=True))
)
_LEAVES: Final = (
    update(OUTBOX)
    .where(OUTBOX.c.id.in_(bindparam("numbers", expanding=True)), OUTBOX.c.state.in_((SENDING, *_TO_LEAVE)))
    .values(state=SENT, sent=bindparam("at"), fault="")
)
_TRIED: Final = select(func.count()).where(OUTBOX.c.tried >= bindparam("at"))
_DUE = _OUTBOX.where(OUTBOX.c.state.in_(_TO_LEAVE), OUTBOX.c.not_before <= bindparam("at"))
_FIRST_DUE: Final = _DUE.order_by(OUTBOX.c.id).limit(bindparam("most"))
_FIRST_DUE_TO: Final = (
    _DUE.where(OUTBOX.c.rcpt == bindparam("to")).order_by(OUTBOX.c.id).limit(bindparam("most"))
)
_ONE_DUE: Final = _DUE.with_only_columns(OUTBOX.c.id).limit(1)
_BEGUN: Final = (
    update(OUTBOX)
    .where(OUTBOX.c.id.in_(bindparam("numbers", expanding=True)))
    .values(state=SENDING, tried=bindparam("at"), tries=OUTBOX.c.tries + 1)
)
_ONE_INTERRUPTED: Final = (
    select(1).where(OUTBOX.c.state == SENDING, OUTBOX.c.tried <= bindparam("before")).limit(1)
)
_OLDEST_QUARANTINED = (
    select(INBOX.c.id)
    .where(INBOX.c.state == QUARANTINED, _WHOLE, INBOX.c.reason.startswith(bindparam("reason_")))
    .order_by(INBOX.c.id)
    .limit(bindparam("most"))
)
_AGAIN: Final = update(INBOX).where(INBOX.c.id.in_(_OLDEST_QUARANTINED)).values(state=NEW, tries=0)
_LEFT = or_(OUTBOX.c.name != "", func.length(OUTBOX.c.raw) > 0)


class InboxRows:
    """What came in, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction
        self.decided: InboxRow | None = None
        """The mail that was decided about last, as it is now."""

    def keep(
        self, name: str, raw: bytes, at: str, message_id: str = "", sender: str = "", reason: str = ""
    ) -> tuple[int, str]:
        """Keep an email under the name of its content; its number and state. The same content twice is one mail."""
        rows = self._tx.added(
            INBOX,
            name=name,
            message_id=message_id,
            sender=sender,
            raw=raw,
            arrived=at,
            state=NEW,
            reason=reason,
        )
        if rows:
            return rows[0].id, NEW
        row = self._tx.run(_KEPT, name=name)[0]
        return row.id, row.state

    def keep_handed(self, name: str, raw: bytes, at: str, game: str, reason: str) -> None:
        """Keep what a person hands in for a match: no round looks at it."""
        self._tx.add(INBOX, name=name, raw=raw, arrived=at, state=DONE, game=game, reason=reason)

    def heard_of(self, game: str) -> tuple[int, str]:
        """How many files and emails of a match have come, and when the last one did."""
        query = select(func.count(), func.max(INBOX.c.arrived)).where(INBOX.c.game == game)
        ((number, last),) = self._tx.run(query)
        return int(number), str(last or "")

    def known(self, names: Sequence[str]) -> set[str]:
        """Those of these contents that have come before."""
        return {name for (name,) in self._tx.run(select(INBOX.c.name).where(INBOX.c.name.in_(names)))}

    def claim_new(self) -> InboxRow | None:
        """An email that nobody has looked at yet."""
        return _mail(self._tx.claim(_NEXT_NEW))

    def next_ready(self, game: str) -> InboxRow | None:
        """The oldest mail that waits for a match; the caller has claimed the match."""
        return _mail(self._tx.run(_NEXT_READY, game=game))

    def ready(self, mail: InboxRow, game: str) -> None:
        """The mail is for this match."""
        self._tx.run(_MAIL_SET, id_=mail.id, state=READY, game=game)
        self.decided = replace(mail, state=READY, game=game)
        self._tx.run(_WAITS, game_=game, more=1)

    def settle(self, mail: InboxRow, state: str, reason: str, *, let_go: bool = False) -> None:
        """The mail is dealt with, quarantined, or waits on; ``let_go``: its bytes are no longer needed either."""
        gone: dict[str, object] = {"raw": b""} if let_go else {}
        self._tx.run(_MAIL_SET, id_=mail.id, state=state, reason=reason[:500], **gone)
        self.decided = replace(mail, state=state, reason=reason[:500])
        if let_go:
            self._tx.pack(INBOX, [mail.id])
        if mail.state == READY != state:
            self._tx.run(_WAITS, game_=mail.game, more=-1)

    def failed(self, mail: InboxRow) -> int:
        """A program fault while working on it; how often that happened."""
        more = update(INBOX).where(INBOX.c.id == mail.id).values(tries=INBOX.c.tries + 1)
        return int(self._tx.scalar(more.returning(INBOX.c.tries)) or 0)

    def again(self, number: int) -> bool:
        """Look at a quarantined mail again, since a person says so."""
        mine = update(INBOX).where(INBOX.c.id == number, INBOX.c.state == QUARANTINED, _WHOLE)
        return self._tx.count(mine.values(state=NEW, tries=0, reason=BY_HAND)) > 0

    def again_for(self, reason: str, limit: int = 1_000_000) -> int:
        """Look again at what was quarantined for a reason that begins so, oldest first; how many emails."""
        return self._tx.count(_AGAIN, reason_=reason, most=limit)

    def again_by_hand(self) -> int:
        """Look again at everything that was quarantined, since a person says so; how many emails."""
        every = update(INBOX).where(INBOX.c.state == QUARANTINED, _WHOLE)
        return self._tx.count(every.values(state=NEW, tries=0, reason=BY_HAND))

    def states(self, numbers: Sequence[int]) -> dict[int, str]:
        """How far these emails have come."""
        states: dict[int, str] = {}
        for start in range(0, len(numbers), 500):
            rows = self._tx.run(_STATES, numbers=numbers[start : start + 500])
            states |= {row.id: row.state for row in rows}
        return states

    def unsorted(self) -> bool:
        """Whether there is mail of which nobody knows yet for which match it is."""
        return bool(self._tx.run(_UNSORTED))

    def quarantined(self, since: str = "", before: int = 0, limit: int = 200) -> list[InboxRow]:
        """What was not understood, newest first: since a time, older than mail ``before``; each one's beginning."""
        query = _PEEK.where(INBOX.c.state == QUARANTINED, INBOX.c.arrived >= since)
        if before:
            query = query.where(INBOX.c.id < before)
        return [InboxRow(*row) for row in self._tx.run(query.order_by(INBOX.c.id.desc()).limit(limit))]

    def count_quarantined(self) -> int:
        """How many were not understood."""
        return int(self._tx.scalar(select(func.count()).where(INBOX.c.state == QUARANTINED)))

    def of(self, game: str) -> list[tuple[int, bytes]]:
        """Every mail for a match of which the bytes are still kept: number and bytes."""
        query = select(INBOX.c.id, INBOX.c.raw).where(INBOX.c.game == game, _WHOLE)
        return [(number, raw) for number, raw in self._tx.run(query.order_by(INBOX.c.id))]

    def find(self, number: int) -> InboxRow | None:
        """One mail."""
        return _mail(self._tx.run(_INBOX.where(INBOX.c.id == number)))

    def let_go(self, number: int) -> None:
        """The bytes of an email are no longer needed; its name stays."""
        self._tx.run(_MAIL_SET, id_=number, raw=b"")
        self._tx.pack(INBOX, [number])


class OutboxRows:
    """What goes out, within one transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._tx = transaction

    def add(self, letter: NewLetter, at: str) -> bool:
        """Queue an email; False if this effect had its email already.

        Whatever of a match goes to a seat brings all records that are new there: a receipt that waits for it is spared.
        """
        values = {name: getattr(letter, name) for name in NewLetter.__annotations__ if name != "held"}
        state = HELD if letter.held else WAITING if letter.not_before else QUEUED
        waits = self._tx.run(_SPARE, game=letter.game, seat=letter.seat) if letter.game else []
        added = self._tx.add(OUTBOX, **values, state=state, created=at)
        if added and waits:
            spared = update(OUTBOX).where(OUTBOX.c.id.in_([row.id for row in waits]))
            self._tx.run(spared.values(state=SPARED))
        return added

    def claim_due(self, at: str, limit: int, rcpt: str = "") -> list[OutboxRow]:
        """Emails to send now (to ``rcpt`` only, if it is named), marked as being sent."""
        query, named = (_FIRST_DUE_TO, {"to": rcpt}) if rcpt else (_FIRST_DUE, {})
        rows = [OutboxRow(*row) for row in self._tx.claim(query, at=at, most=limit, **named)]
        if rows:
            self._tx.run(_BEGUN, numbers=[row.id for row in rows], at=at)
        return [replace(letter, state=SENDING, tries=letter.tries + 1, tried=at) for letter in rows]

    def unsettled(self, before: str) -> list[OutboxRow]:
        """Emails whose sending began before this time and of which nobody knows whether they left."""
        query = _OUTBOX.where(OUTBOX.c.state == SENDING, OUTBOX.c.tried <= before).order_by(OUTBOX.c.id)
        return [OutboxRow(*row) for row in self._tx.claim(query.limit(_MOST_UNSETTLED))]

    def mark_sent(self, numbers: Sequence[int], at: str) -> None:
        """The server has taken these."""
        self._tx.run(_LEAVES, numbers=numbers, at=at)

    def witnessed(self, message_ids: Sequence[str], at: str) -> set[str]:
        """What has these names came from the service's own address; those of them that are copies of its emails."""
        rows = self._tx.run(_WITNESSED, message_ids=message_ids) if message_ids else []
        unsure = [row.id for row in rows if row.state != SENT]
        if unsure:
            self.mark_sent(unsure, at)
        return {row.message_id for row in rows}

    def requeue(self, letter: OutboxRow, not_before: str, fault: str) -> None:
        """Try again later, unless somebody else has begun to already."""
        mine = update(OUTBOX).where(
            OUTBOX.c.id == letter.id, OUTBOX.c.state == SENDING, OUTBOX.c.tries == letter.tries
        )
        self._tx.run(mine.values(state=QUEUED, not_before=not_before, fault=fault[:500]))

    def renew(self, letters: Sequence[OutboxRow], at: str) -> int:
        """Claim emails again before they are anybody else's; how many still were this claim's."""
        mine = [and_(OUTBOX.c.id == letter.id, OUTBOX.c.tries == letter.tries) for letter in letters]
        query = update(OUTBOX).where(OUTBOX.c.state == SENDING, or_(*mine))
        return self._tx.count(query.values(tried=at))

    def fail(self, number: int, fault: str) -> None:
        """Not to be sent any more."""
        self._tx.run(update(OUTBOX).where(OUTBOX.c.id == number).values(state=FAILED, fault=fault[:500]))

    def hold(self, rcpt: str) -> None:
        """Keep back what is queued for an address."""
        queued = update(OUTBOX).where(OUTBOX.c.rcpt == rcpt, OUTBOX.c.state.in_(_TO_LEAVE))
        self._tx.run(queued.values(state=HELD))

    def release(self, game: str, seat: str) -> None:
        """Send what was held back for a seat."""
        held = update(OUTBOX).where(OUTBOX.c.game == game, OUTBOX.c.seat == seat, OUTBOX.c.state == HELD)
        self._tx.run(held.values(state=QUEUED))

    def held(self, limit: int = 200) -> list[OutboxRow]:
        """The newest emails that are held back, or were refused for good."""
        query = _OUTBOX.where(OUTBOX.c.state.in_((HELD, FAILED))).order_by(OUTBOX.c.id.desc())
        return [OutboxRow(*row) for row in self._tx.run(query.limit(limit))]

    def release_to(self, rcpt: str) -> int:
        """Send what was held back for an address, or refused there; how many emails."""
        mine = update(OUTBOX).where(OUTBOX.c.rcpt == rcpt, OUTBOX.c.state.in_((HELD, FAILED)), _LEFT)
        return self._tx.count(mine.values(state=QUEUED, tries=0, not_before="", fault=""))

    def by_name(self, token: str, message_id: str) -> OutboxRow | None:
        """The email that a bounce names, by the beginning of its token if it has one, else by its Message-ID."""
        beginning = and_(OUTBOX.c.token >= token, OUTBOX.c.token < token + "~")
        named = beginning if token else OUTBOX.c.message_id == message_id
        rows = self._tx.run(_OUTBOX.where(named).order_by(OUTBOX.c.id).limit(1))
        return OutboxRow(*rows[0]) if rows else None

    def matches_of(self, message_ids: Sequence[str], rcpt: str) -> set[str]:
        """The matches of these emails, of those that went to this address."""
        mine = OUTBOX.c.message_id.in_(message_ids), OUTBOX.c.rcpt == rcpt, OUTBOX.c.game != ""
        return {game for (game,) in self._tx.run(select(OUTBOX.c.game).where(*mine).distinct())}

    def thread(self, game: str, seat: str, before: int) -> tuple[str, ...]:
        """Of the emails to a seat before this one the first and the last two: what it refers to."""
        mine = game, seat, before, SPARED
        return tuple(name for _, name in sorted(map(tuple, self._tx.run(_THREAD, *mine, *mine))))

    def busy_since(self, at: str, most: int) -> list[str]:
        """The matches about which so many emails or more were handed to the server since then."""
        tried = select(OUTBOX.c.game).where(OUTBOX.c.tried >= at, OUTBOX.c.game != "")
        many = tried.group_by(OUTBOX.c.game).having(func.count() >= most)
        return [game for (game,) in self._tx.run(many)]

    def postpone(self, game: str, now: str, until: str) -> int:
        """What is due of one match waits until then; how many emails."""
        due = update(OUTBOX).where(
            OUTBOX.c.game == game, OUTBOX.c.state == QUEUED, OUTBOX.c.not_before <= now
        )
        return self._tx.count(due.values(not_before=until))

    def tried_since(self, at: str) -> int:
        """How many emails were handed to the server since then."""
        return int(self._tx.scalar(_TRIED, at=at))

    def leaving(self, now: str) -> bool:
        """Whether an email is due."""
        return bool(self._tx.run(_ONE_DUE, at=now))

    def interrupted(self, before: str) -> bool:
        """Whether there is an email whose sending began before that time, and was not seen to end."""
        return bool(self._tx.run(_ONE_INTERRUPTED, before=before))

    def set_back(self, now: str) -> None:
        """The clock was ahead and is right at ``now``: what waits is tried, and nothing was tried later."""
        queued = update(OUTBOX).where(OUTBOX.c.state.in_(_TO_LEAVE), OUTBOX.c.not_before > now)
        self._tx.run(queued.values(not_before=""))
        self._tx.run(update(OUTBOX).where(OUTBOX.c.tried > now).values(tried=now))

    def has_left(self, effect: str) -> bool:
        """Whether the email with this effect was sent."""
        return bool(self._tx.run(select(1).where(OUTBOX.c.effect == effect, OUTBOX.c.state == SENT)))

    def unsent_rows(self) -> list[OutboxRow]:
        """Every email that has not left and is not spared."""
        query = _OUTBOX.where(OUTBOX.c.state.not_in((SENT, SPARED))).order_by(OUTBOX.c.id)
        return [OutboxRow(*row) for row in self._tx.run(query)]

    def mark_all(self, at: str) -> None:
        """A person has handed over all that waited."""
        waiting = update(OUTBOX).where(OUTBOX.c.state.not_in((SENT, SPARED)))
        self._tx.run(waiting.values(state=SENT, sent=at, fault=""))

    def retry(self) -> None:
        """A person sends once more: what was refused or interrupted is tried again at once."""
        stuck = update(OUTBOX).where(OUTBOX.c.state.in_((QUEUED, SENDING, FAILED)))
        self._tx.run(stuck.values(state=QUEUED, not_before=""))

    def unsent(self, game: str) -> list[str]:
        """The message ids of emails about a match that have not left."""
        query = select(OUTBOX.c.message_id).where(
            OUTBOX.c.game == game, OUTBOX.c.state.not_in((SENT, SPARED))
        )
        return [name for (name,) in self._tx.run(query.order_by(OUTBOX.c.id))]

    def of(self, game: str) -> list[OutboxRow]:
        """Every email about a match that left or is to leave, and can still be had."""
        query = _OUTBOX.where(OUTBOX.c.game == game, OUTBOX.c.state != SPARED, _LEFT).order_by(OUTBOX.c.id)
        return [OutboxRow(*row) for row in self._tx.run(query)]

    def counts(self) -> dict[str, int]:
        """How many emails are in each state."""
        rows = self._tx.run(select(OUTBOX.c.state, func.count()).group_by(OUTBOX.c.state))
        return dict(rows)


def _mail(rows: Rows) -> InboxRow | None:
    return InboxRow(*rows[0]) if rows else None
