"""A seat is away for a while: its deadlines move out of that span (schemas/README.md §10.4)."""

from __future__ import annotations

from typing import Final

from pbem.base.sentences import Sentence, sentence
from pbem.game import JsonObject, Seat
from pbem.protocol.record.deadlines import parse_time, plus_hours
from pbem.protocol.record.kind import Agreement, AgreementReader
from pbem.protocol.record.kinds.agreed import agreed
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Line

ALONE: Final = 1440
"""Hours of absence that a seat takes by its own consent alone, in a whole match."""
LONGEST: Final = 24 * 366
"""Hours: who stays away longer needs a substitute, or a second absence that they announce themselves."""


def _fault(_: Ledger, terms: JsonObject) -> str:
    if terms["from"] >= terms["until"]:
        return sentence("the time away must end after it begins")
    if terms["until"] > plus_hours(terms["from"], LONGEST):
        return sentence(
            "you can be away for at most {LONGEST_ABSENCE} hours (366 days)", LONGEST_ABSENCE=LONGEST
        )
    return ""


def absence_hours(terms: JsonObject) -> int:
    """How many hours this absence lasts, a part of one counted as a whole one."""
    return hours_between(terms["from"], terms["until"])


def hours_between(since: str, until: str) -> int:
    """Whole hours from one time to another, a part of one counted as a whole one."""
    span = parse_time(until) - parse_time(since)
    return -int(-span.total_seconds() // 3600)


def absence_left(ledger: Ledger, seat: Seat) -> int:
    """How many hours of absence this seat may still take without the others."""
    return max(ALONE - ledger.absent.get(seat, 0), 0)


def _by_all(ledger: Ledger, terms: JsonObject) -> bool:
    """Nobody keeps a match waiting for years by one seat's consent."""
    alone = ledger.genesis["consent"].get("absence", "seat") == "seat"
    return alone and absence_left(ledger, Seat(terms["seat"])) < absence_hours(terms)


def _take(ledger: Ledger, line: Line) -> None:
    ledger.absences = (*ledger.absences, line)
    terms, by = line.body["what"], {file["body"]["seat"] for file in line.body["consents"]}
    seat = Seat(terms["seat"])
    if not set(ledger.seats) <= by:
        ledger.absent[seat] = ledger.absent.get(seat, 0) + absence_hours(terms)


def _says(terms: JsonObject, reader: AgreementReader) -> Sentence:
    begin, until = reader.moment(terms["from"]), reader.moment(terms["until"])
    return sentence(
        "{name} is away from {begin} until {until}", name=reader.name(terms["seat"]), begin=begin, until=until
    )


ABSENCE: Final = agreed("absence", Agreement("seat", _says, _fault, _by_all, awaited=True), _take)
