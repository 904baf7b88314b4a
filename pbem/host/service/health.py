"""How the service is: facts from its database, and what of them a person should look at.

Nothing here needs the host's identity or a mail server, so a probe can ask every minute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from pbem.base.errors import FormatError, StoreError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.host.database.database import Database, Transaction, sqlite_path
from pbem.host.database.mail import MailNotes, ReaderRows
from pbem.host.database.schema import VERSION
from pbem.host.outage import BEAT
from pbem.host.service.send import BRAKE
from pbem.protocol.formats.strict_json import MAX_FILE, parse
from pbem.protocol.record.deadlines import format_time, parse_time


@dataclass(frozen=True, slots=True)
class Bounds:
    """From when on something is a fault, in seconds."""

    round: int = 300
    """Since the last round that reached the mail servers."""
    mail: int = 900
    """That a mail waits for its ruling."""
    letter: int = 3600
    """That a letter waits to leave, however often it was tried."""
    ahead: int = 120
    """That the last round is in the future."""


USUAL: Final = Bounds()


def facts_of(database: Database, now: datetime) -> JsonObject:
    """How the service is, by its database.

    Raises:
        StoreError: the database cannot be read.
    """
    with database.reading() as transaction:
        inbox = _counts(transaction, "SELECT state, COUNT(*) FROM inbox GROUP BY state")
        outbox = _counts(transaction, "SELECT state, COUNT(*) FROM outbox GROUP BY state")
        matches = _one(transaction, "SELECT COUNT(*) FROM matches")
        over = _one(transaction, "SELECT COUNT(*) FROM matches WHERE over = 1")
        stopped = _one(transaction, "SELECT COUNT(*) FROM stops")
        notes = MailNotes(transaction)
        unanswered = _text(
            transaction,
            "SELECT MIN(arrived) FROM inbox WHERE state = 'new' OR (state = 'ready'"
            " AND game NOT IN (SELECT game FROM stops))",
        )
        waiting = _text(transaction, "SELECT MIN(created) FROM outbox WHERE state IN ('queued', 'sending')")
        beat, brake = notes.get(BEAT), notes.get(BRAKE)
        last = _text(transaction, "SELECT MAX(sent) FROM outbox WHERE state = 'sent'")
        verdicts = _verdicts(transaction, format_time(now - timedelta(days=1)))
        size = _size(transaction, database)
        readers = sum(until >= format_time(now) for _, until in ReaderRows(transaction).all())
    return {
        "at": format_time(now),
        "last_round": beat,
        "last_sent": last,
        "oldest_unanswered": unanswered,
        "oldest_letter": waiting,
        "brake": bool(brake),
        "readers": readers,
        "inbox": {name: inbox.get(name, 0) for name in ("new", "ready", "done", "shunted")},
        "outbox": {name: outbox.get(name, 0) for name in ("queued", "sending", "sent", "held", "failed")},
        "matches": {"running": matches - over - stopped, "over": over, "stopped": stopped},
        "last_day": verdicts,
        "database": {"bytes": size, "form": VERSION},
    }


def faults_of(facts: JsonObject, bounds: Bounds = USUAL) -> list[str]:
    """What a person should look at, each with what to do."""
    now = parse_time(facts["at"])

    def age(name: str) -> float:
        return (now - parse_time(facts[name])).total_seconds() if facts[name] else 0.0

    inbox, stopped = facts["inbox"], facts["matches"]["stopped"]
    leaving = facts["outbox"]["queued"] + facts["outbox"]["sending"]
    checks = (
        (not facts["last_round"], sentence("no round has been done yet: pbem host serve")),
        (
            age("last_round") > bounds.round,
            sentence(
                "the last round that reached the mail servers was at {at}: is the service running?",
                at=facts["last_round"],
            ),
        ),
        (
            age("last_round") < -bounds.ahead,
            sentence(
                "the last round was at {at}, which is in the future: is the clock right?",
                at=facts["last_round"],
            ),
        ),
        (
            age("oldest_unanswered") > bounds.mail,
            sentence(
                "{count} mails wait, the oldest since {since}: pbem host log",
                count=inbox["new"] + inbox["ready"],
                since=facts["oldest_unanswered"],
            ),
        ),
        (
            age("oldest_letter") > bounds.letter,
            sentence(
                "{count} letters wait to leave, the oldest since {since}: pbem host log",
                count=leaving,
                since=facts["oldest_letter"],
            ),
        ),
        (facts["brake"], sentence("nothing is sent since too many letters left in an hour: pbem host go-on")),
        (
            stopped > 0,
            sentence(
                "{count} matches stand still: pbem host matches, pbem host recover MATCH", count=stopped
            ),
        ),
    )
    return [words for holds, words in checks if holds]


def health_of(database: Database, now: datetime, bounds: Bounds = USUAL) -> JsonObject:
    """Facts and faults; a database that cannot be read is a fault, not an error."""
    try:
        facts = facts_of(database, now)
    except StoreError as fault:
        return {"healthy": False, "faults": [str(fault)]}
    faults = faults_of(facts, bounds)
    return {"healthy": not faults, "faults": faults, **facts}


def _counts(transaction: Transaction, query: str) -> dict[str, int]:
    return {str(name): int(count) for name, count in transaction.run(query)}


def _one(transaction: Transaction, query: str) -> int:
    return int(transaction.run(query)[0][0])


def _text(transaction: Transaction, query: str) -> str:
    return str(transaction.run(query)[0][0] or "")


def _verdicts(transaction: Transaction, since: str) -> JsonObject:
    """How files were ruled on since then: how many were recorded, and how many refused by each code."""
    rows = transaction.run("SELECT verdict, COUNT(*) FROM ruled WHERE at >= ? GROUP BY verdict", since)
    found = {str(name): int(count) for name, count in rows}
    codes: Counter[str] = Counter()
    for (raw,) in transaction.run("SELECT reject FROM ruled WHERE verdict = 'refused' AND at >= ?", since):
        with suppress(FormatError, KeyError):
            codes[str(parse(bytes(raw), limit=MAX_FILE)["body"]["code"])] += 1
    return {"recorded": found.get("line", 0), "refused": dict(sorted(codes.items()))}


def _size(transaction: Transaction, database: Database) -> int:
    path = sqlite_path(database.url)
    if path is None:
        return _one(transaction, "SELECT pg_database_size(current_database())")
    beside: Sequence[str] = ("", "-wal", "-shm")
    files = [path.with_name(path.name + end) for end in beside]
    return sum(file.stat().st_size for file in files if file.exists())
