"""A seat gives up: proposed and held, or at once by its recovery key (schemas/README.md §10.8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.base.sentences import Sentence, sentence
from pbem.game import JsonObject, Seat
from pbem.protocol.record.agreement import at_once, check_agreed, check_words, take_consents
from pbem.protocol.record.kind import Agreement, AgreementReader, Kind, never
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Fault, Line, everybody


def _fault(ledger: Ledger, terms: JsonObject) -> str:
    seat = terms["seat"]
    return sentence("{seat} has resigned already", seat=seat) if seat in ledger.resigned else ""


def _needs_proposal(_: Ledger, __: JsonObject) -> bool:
    """Whoever stole the seat's key could give it up."""
    return True


def _says(terms: JsonObject, reader: AgreementReader) -> Sentence:
    return sentence("{name} gives up the seat", name=reader.name(terms["seat"]))


AGREED: Final = Agreement("seat", _says, _fault, never, proposed=_needs_proposal)


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """The record of a resignation that counts at once; one that is held is a proposal."""
    wrong = list(check_agreed(ledger, line, AGREED))
    yield from wrong
    if any(fault.code == line.kind for fault in wrong):
        return
    yield from check_words(ledger, line)
    if not at_once(ledger, line.body["what"], line.body["consents"]):
        words = sentence("the recovery key of {seat} has not signed this", seat=line.body["what"]["seat"])
        yield line.fault(2, "resign", words)


def _take(ledger: Ledger, line: Line) -> None:
    take_consents(ledger, line)
    ledger.resigned |= {Seat(line.body["what"]["seat"])}


RESIGN: Final = Kind("resign", _check, _take, audience=everybody, text="resign", agreement=AGREED)
