"""A seat gives up: held like a takeover, then its defaults are due at once (schemas/README.md §7, §10.8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.base.sentences import Sentence, sentence
from pbem.game import JsonObject, Seat
from pbem.protocol.record.agreement import check_agreed, take_consents
from pbem.protocol.record.kind import Agreement, AgreementReader, Kind, never
from pbem.protocol.record.ledger import Ledger, Proposal
from pbem.protocol.record.line import Fault, Line, everybody
from pbem.protocol.record.takeover import check_hold, open_proposal_fault


def _fault(ledger: Ledger, terms: JsonObject) -> str:
    seat = terms["seat"]
    return sentence("{seat} has resigned already", seat=seat) if seat in ledger.resigned else ""


def _says(terms: JsonObject, reader: AgreementReader) -> Sentence:
    return sentence("{name} gives up the seat", name=reader.name(terms["seat"]))


AGREED: Final = Agreement("seat", _says, _fault, never, held=True)


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    yield from check_agreed(ledger, line, AGREED)
    seat = Seat(line.body["what"]["seat"])
    own = any(file["body"]["seat"] == seat for file in line.body["consents"])
    reason = "" if own else open_proposal_fault(ledger, seat)  # its own file undoes what was held about it
    if reason:
        yield line.fault(2, "resign", reason)
    yield from check_hold(ledger, line, seat)


def _take(ledger: Ledger, line: Line) -> None:
    take_consents(ledger, line)
    ledger.proposals[Seat(line.body["what"]["seat"])] = Proposal(line, line.body["until"])


RESIGN: Final = Kind("resign", _check, _take, audience=everybody, text="resign", agreement=AGREED)
