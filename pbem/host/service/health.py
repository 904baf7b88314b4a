"""How the service is: facts from its database, and what of them a person should look at.

Nothing here needs the host's identity or a mail server, so a probe can ask every minute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import Column, and_, func, or_, select

from pbem.base.errors import FormatError, StoreError
from pbem.base.sentences import counted, sentence
from pbem.game import JsonObject
from pbem.host.database.database import Database, Transaction, sqlite_path
from pbem.host.database.driver import VERSION
from pbem.host.database.mail import INBOX_STATES, NEW, OUTBOX_STATES, QUEUED, READY, SENDING, SENT
from pbem.host.database.matches import STOPPED
from pbem.host.database.notes import MailNotes, ReaderRows
from pbem.host.database.tables import INBOX, MATCHES, OUTBOX, RULED
from pbem.host.service.send import BRAKE
from pbem.host.store import BEAT
from pbem.protocol.formats.strict_json import MAX_FILE, parse
from pbem.protocol.record.deadlines import format_time, parse_time

_ROUND: Final = 300
"""Seconds since the last round that reached the mail servers, from which on that is a fault."""
_MAIL: Final = 900
"""Seconds that an email may wait for its ruling."""
_LETTER: Final = 3600
"""Seconds that an email may wait to leave, however often it was tried."""
_AHEAD: Final = 120
"""Seconds that the last round may be in the future."""


def facts_of(database: Database, now: datetime) -> JsonObject:
    """How the service is, by its database.

    Raises:
        StoreError: the database cannot be read.
    """
    with database.reading() as transaction:
        inbox = _counts(transaction, INBOX.c.state)
        outbox = _counts(transaction, OUTBOX.c.state)
        over = _counts(transaction, MATCHES.c.over)
        stopped = len(transaction.run(STOPPED))
        notes = MailNotes(transaction).several(BEAT, BRAKE)
        ready = and_(INBOX.c.state == READY, INBOX.c.game.not_in(STOPPED))
        unanswered = transaction.scalar(
            select(func.min(INBOX.c.arrived)).where(or_(INBOX.c.state == NEW, ready))
        )
        leaving = OUTBOX.c.state.in_((QUEUED, SENDING))
        waiting = transaction.scalar(select(func.min(OUTBOX.c.created)).where(leaving))
        last = transaction.scalar(select(func.max(OUTBOX.c.sent)).where(OUTBOX.c.state == SENT))
        verdicts = _verdicts(transaction, format_time(now - timedelta(days=1)))
        size = _size(transaction, database)
        boxes = [ReaderRows(transaction, box) for box in ReaderRows.mailboxes(transaction)]
        readers = sum(until >= format_time(now) for box in boxes for _, until in box.all())
    return {
        "at": format_time(now),
        "last_round": notes[BEAT],
        "last_sent": last or "",
        "oldest_unanswered": unanswered or "",
        "oldest_letter": waiting or "",
        "brake": bool(notes[BRAKE]),
        "readers": readers,
        "inbox": {name: inbox.get(name, 0) for name in INBOX_STATES},
        "outbox": {name: outbox.get(name, 0) for name in OUTBOX_STATES},
        "matches": {"running": over.get(0, 0) - stopped, "over": over.get(1, 0), "stopped": stopped},
        "last_day": verdicts,
        "database": {"bytes": size, "form": VERSION},
    }


def faults_of(facts: JsonObject) -> list[str]:
    """What a person should look at, each with what to do."""
    now = parse_time(facts["at"])

    def age(name: str) -> float:
        return (now - parse_time(facts[name])).total_seconds() if facts[name] else 0.0

    inbox, stopped = facts["inbox"], facts["matches"]["stopped"]
    leaving = facts["outbox"]["queued"] + facts["outbox"]["sending"]
    checks = (
        (not facts["last_round"], sentence("no round has been done yet: pbem host serve")),
        (
            age("last_round") > _ROUND,
            sentence(
                "the last round that reached the mail servers was at {at}: is the service running?",
                at=facts["last_round"],
            ),
        ),
        (
            age("last_round") < -_AHEAD,
            sentence(
                "the last round was at {at}, which is in the future: is the clock right?",
                at=facts["last_round"],
            ),
        ),
        (
            age("oldest_unanswered") > _MAIL,
            counted(
                "{n} email has come in and waits since {since}: pbem host log",
                "{n} emails have come in and wait, the oldest since {since}: pbem host log",
                inbox["new"] + inbox["ready"],
                since=facts["oldest_unanswered"],
            ),
        ),
        (
            age("oldest_letter") > _LETTER,
            counted(
                "{n} email waits to leave since {since}: pbem host log",
                "{n} emails wait to leave, the oldest since {since}: pbem host log",
                leaving,
                since=facts["oldest_letter"],
            ),
        ),
        (facts["brake"], sentence("nothing is sent since too many emails left in an hour: pbem host go-on")),
        (
            stopped > 0,
            counted(
                "{n} match stands still: pbem host matches, pbem host recover MATCH",
                "{n} matches stand still: pbem host matches, pbem host recover MATCH",
                stopped,
            ),
        ),
    )
    return [words for holds, words in checks if holds]


def health_of(database: Database, now: datetime) -> JsonObject:
    """Facts and faults; a database that cannot be read is a fault, not an error."""
    try:
        facts = facts_of(database, now)
    except StoreError as fault:
        return {"healthy": False, "faults": [str(fault)]}
    faults = faults_of(facts)
    return {"healthy": not faults, "faults": faults, **facts}


def numbers_of(health: JsonObject) -> str:
    """The numbers of ``health_of``, one a line, as Prometheus reads them; ages in seconds, 0 where there is none."""
    numbers: dict[str, float] = {"healthy": int(health["healthy"])}
    if "at" in health:
        now = parse_time(health["at"])
        for name in ("oldest_unanswered", "oldest_letter", "last_round", "last_sent"):
            since = health[name]
            numbers[f"{name}_seconds"] = (now - parse_time(since)).total_seconds() if since else 0
        numbers |= {"readers": health["readers"], "database_bytes": health["database"]["bytes"]}
        for name in ("inbox", "outbox", "matches"):
            numbers |= {f'{name}{{state="{state}"}}': count for state, count in health[name].items()}
    return "".join(f"pbem_{name} {number:.0f}\n" for name, number in numbers.items())


def _counts(transaction: Transaction, column: Column[Any]) -> dict[Any, int]:
    return dict(transaction.run(select(column, func.count()).group_by(column)))


def _verdicts(transaction: Transaction, since: str) -> JsonObject:
    """How files were ruled on since then: how many were recorded, and how many refused by each code."""
    lately = RULED.c.at >= since
    recorded = transaction.scalar(select(func.count()).where(RULED.c.verdict == "line", lately))
    codes: Counter[str] = Counter()
    for (raw,) in transaction.run(select(RULED.c.reject).where(RULED.c.verdict == "refused", lately)):
        with suppress(FormatError, KeyError):
            codes[str(parse(raw, limit=MAX_FILE)["body"]["code"])] += 1
    return {"recorded": recorded, "refused": dict(sorted(codes.items()))}


def _size(transaction: Transaction, database: Database) -> int:
    path = sqlite_path(database.url)
    if path is None:
        return int(transaction.run("SELECT pg_database_size(current_database())")[0][0])
    suffixes: Sequence[str] = ("", "-wal", "-shm")
    files = [path.with_name(path.name + end) for end in suffixes]
    return sum(file.stat().st_size for file in files if file.exists())
