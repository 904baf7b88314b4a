"""What became of an email: its way from its arrival to the emails that it caused, from what the database keeps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, Table, and_, or_, select

from pbem.base.errors import UsageProblem
from pbem.base.sentences import Sentence, sentence, table
from pbem.game import JsonObject
from pbem.host.database.database import Transaction
from pbem.host.database.driver import Rows
from pbem.host.database.matches import Matches
from pbem.host.database.tables import INBOX, OUTBOX, POSTED
from pbem.host.letter_mail import BATCH, LetterName
from pbem.host.service.service import Service
from pbem.player.mail.gate import peek_header
from pbem.protocol.crypto.digest import short_id, unb64
from pbem.protocol.record.line import read_line

MOST = 200
"""Emails in, and emails out, that one trace shows: the newest."""


def trace(service: Service, name: str) -> list[JsonObject]:
    """Everything that is known of an email, or of a seat's emails, oldest first.

    Args:
        service: the service.
        name: a Message-ID, of an email, in or out, with or without its brackets; the receipt of a file that came by
            the API; or ``MATCH/SEAT``.

    Returns:
        One object for each step: ``at``, ``event`` and, where it has one, ``mail`` or ``letter`` (their numbers),
        ``message_id``, ``match``, ``seat``, ``record``, ``text``.

    Raises:
        UsageProblem: nothing is known of it.
    """
    with service.context.database.reading() as transaction:
        short, _, seat = name.partition("/")
        named = seat and "@" not in name
        steps = _of_seat(transaction, short, seat) if named else _of_name(transaction, name.strip())
    if not steps:
        raise UsageProblem(
            sentence("nothing is known here of {name}", name=name),
            hint=sentence(
                "Expected a Message-ID, the receipt of a posted file, or MATCH/SEAT. An email may still be on its way;"
                " and what was let go of by [keep] in service.toml cannot be told."
            ),
        )
    return sorted(steps, key=lambda step: str(step["at"]))


def _of_name(transaction: Transaction, name: str) -> list[JsonObject]:
    own = name if name.startswith("<") else f"<{name}>"
    posted = select(POSTED.c.mail).where(POSTED.c.receipt == name.lower())
    mails = _rows(transaction, INBOX, or_(INBOX.c.message_id == own, INBOX.c.id.in_(posted)))
    letters = _rows(transaction, OUTBOX, OUTBOX.c.message_id == own)
    steps = [step for mail in mails for step in _mail_steps(transaction, mail)]
    return steps + [step for letter in letters for step in _letter_steps(letter)]


def _rows(transaction: Transaction, table: Table, where: ColumnElement[bool]) -> Rows:
    """The newest rows, each oldest first."""
    query = select(*(column for column in table.c if column.name != "raw")).where(where)
    return transaction.run(query.order_by(table.c.id.desc()).limit(MOST))[::-1]


def _of_seat(transaction: Transaction, short: str, seat: str) -> list[JsonObject]:
    matches = Matches(transaction)
    match = matches.required(short)
    matches.required_seat(match, seat)
    mails = _rows(transaction, INBOX, INBOX.c.game == match.game)
    mine = [mail for mail in mails if f" of {seat}:" in f" {mail.reason}"]
    letters = _rows(transaction, OUTBOX, and_(OUTBOX.c.game == match.game, OUTBOX.c.seat == seat))
    steps = [step for mail in mine for step in _arrived(transaction, mail)]
    return steps + [step for letter in letters for step in _letter_steps(letter)]


def _mail_steps(transaction: Transaction, mail: Row[Any]) -> Iterator[JsonObject]:
    """An email, the record that holds its file, and the emails that follow from it."""
    seq = -1
    for step in _arrived(transaction, mail):
        seq = step.get("record", seq)
        yield step
    after = transaction.run(
        select(OUTBOX)
        .where(OUTBOX.c.game.in_((mail.game, "")), OUTBOX.c.created >= mail.arrived)
        .order_by(OUTBOX.c.id)
        .limit(1000)
    )
    names = {row.id: LetterName.from_json(row.name) for row in after if row.name}
    batches = [name.upto for name in names.values() if name.what == BATCH and name.upto >= seq >= 0]
    for letter in after:
        name = names.get(letter.id)
        answered = peek_header(letter.raw, "In-Reply-To") if name is None else name.answers
        about = name is not None and name.what == BATCH and name.upto == min(batches, default=-1)
        if (mail.message_id and answered == mail.message_id) or about:
            yield from _letter_steps(letter)


def _arrived(transaction: Transaction, mail: Row[Any]) -> Iterator[JsonObject]:
    same = known(mail=mail.id, message_id=mail.message_id, game=mail.game)
    yield {"at": mail.arrived, "event": "received", **same}
    kind, _, rest = mail.reason.partition(": ")
    parts = kind.split(" ")
    record, at = -1, mail.arrived
    if len(parts) == 4 and parts[1].isdecimal() and parts[2] == "of":
        record, at = _record(transaction, mail.game, int(parts[1]), parts[3], at)
        same |= {"seat": parts[3]}
    held = {"record": record} if record >= 0 else {}
    event = "ruled" if rest and mail.state == "done" else mail.state
    yield {"at": at, "event": event, **same, **held, **known(text=mail.reason)}


def _record(transaction: Transaction, game: str, n: int, seat: str, at: str) -> tuple[int, str]:
    """The record that holds file ``n`` of a seat, and its time; -1 and ``at`` if none does."""
    needle = f'"n":{n},'.encode()
    lines = Matches(transaction).lines(game)
    for seq, raw in reversed(list(enumerate(lines))):
        if needle in raw:
            body = read_line(raw).body
            message = body.get("msg", {}).get("body", {})
            if (message.get("n"), message.get("seat")) == (n, seat):
                return seq, str(body.get("at", at))
    return -1, at


def _letter_steps(letter: Row[Any]) -> Iterator[JsonObject]:
    same = known(letter=letter.id, message_id=letter.message_id, game=letter.game, seat=letter.seat)
    name = LetterName.from_json(letter.name) if letter.name else None
    about = f"{name.kind} {name.upto}" if name else ""
    yield {"at": letter.created, "event": "written", **same, **known(text=about)}
    if letter.sent:
        yield {"at": letter.sent, "event": "sent", **same}
    elif letter.tried or letter.state != "queued":
        yield {
            "at": letter.tried or letter.created,
            "event": letter.state,
            **same,
            **known(text=letter.fault),
        }


def known(**facts: object) -> JsonObject:
    """The facts that there are; ``game``, the id of a match, becomes ``match``, its short name."""
    game = facts.pop("game", "")
    match = {"match": short_id(unb64(str(game), 32))} if game else {}
    return match | {name: value for name, value in facts.items() if value != ""}


def trace_words(steps: Sequence[JsonObject]) -> Sentence:
    """The steps as lines for a person."""
    rows = [
        (
            str(step["at"]),
            str(step["event"]),
            " ".join(str(step[name]) for name in ("match", "seat") if name in step),
            str(step.get("message_id", "")),
            str(step.get("text", "")),
        )
        for step in steps
    ]
    return table(rows)
