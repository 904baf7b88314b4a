"""A new player in a seat: at once if it has resigned, else as the others proposed (schemas/README.md §7, §10.8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.base.errors import RefusedError
from pbem.base.sentences import Sentence, sentence
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import fingerprint, unb64
from pbem.protocol.formats.envelopes import verify_file
from pbem.protocol.formats.messages import Message
from pbem.protocol.record import takeover
from pbem.protocol.record.agreement import at_once, check_agreed, check_words, take_consents
from pbem.protocol.record.check_messages import (
    check_newcomer,
    key_fault,
    newcomer_fault,
    seat_player,
)
from pbem.protocol.record.check_results import check_whole_packets, take_whole_packets
from pbem.protocol.record.kind import Agreement, AgreementReader, Kind, RulingContext, never
from pbem.protocol.record.kinds.join import JOIN
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Fault, Line, differs, everybody


def _fault(ledger: Ledger, terms: JsonObject) -> str:
    return takeover.takeover_fault(ledger, Seat(terms["seat"]))


def _needs_proposal(ledger: Ledger, terms: JsonObject) -> bool:
    """A seat that has resigned needs none."""
    return terms["seat"] not in ledger.resigned


def _says(terms: JsonObject, reader: AgreementReader) -> Sentence:
    return sentence("A replacement player takes {name}'s seat", name=reader.name(terms["seat"]))


AGREED: Final = Agreement(
    "others", _says, _fault, never, proposed=_needs_proposal, by_host=True, command="substitute"
)


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    terms = line.body.get("what")
    wrong = list(
        takeover.check_completion(ledger, line) if terms is None else check_agreed(ledger, line, AGREED)
    )
    yield from wrong
    if any(fault.code == line.kind for fault in wrong) or (
        terms is None and not takeover.carries_out(ledger, line)
    ):
        return
    joined = line.body["msg"]["body"]
    seat = takeover.taken_seat(ledger, line)
    if joined["seat"] != seat:
        yield line.fault(
            2,
            "substitute",
            "the new player joined as {named}, not as {seat}",
            named=joined["seat"],
            seat=seat,
        )
    if terms is not None:
        yield from _check_direct(ledger, line, terms)
    reason = newcomer_fault(ledger, joined)
    if reason:
        yield line.fault(2, "number", reason)
    agreed = _agreed(ledger, line)
    if agreed is not None and agreed["newcomer"] != fingerprint(unb64(joined["sign"], 32)):
        yield line.fault(
            2,
            "newcomer",
            differs(
                sentence("key of the new player"), agreed["newcomer"], fingerprint(unb64(joined["sign"], 32))
            ),
        )
    yield from check_newcomer(ledger, line)
    yield from check_whole_packets(ledger, line, {seat})


def _check_direct(ledger: Ledger, line: Line, terms: JsonObject) -> Iterator[Fault]:
    """Who has resigned, or has agreed by the recovery key, is replaced without a proposal."""
    seat = Seat(terms["seat"])
    yield from check_words(ledger, line)
    if at_once(ledger, terms, line.body["consents"]):
        return
    if _needs_proposal(ledger, terms):
        yield line.fault(
            2, "proposal", "{seat} has not resigned: a replacement player must be proposed first", seat=seat
        )
    reason = takeover.open_proposal_fault(ledger, seat)
    if reason:
        yield line.fault(2, "substitute", reason)


def _agreed(ledger: Ledger, line: Line) -> JsonObject | None:
    """What was agreed to: that of the record, or of the proposal that it carries out."""
    if "what" in line.body:
        terms: JsonObject = line.body["what"]
        return terms
    proposal = takeover.named_proposal(ledger, line)
    return None if proposal is None else proposal.what


def _take(ledger: Ledger, line: Line) -> None:
    if "what" not in line.body and not takeover.carries_out(ledger, line):
        return  # a fault; nobody is put into any seat
    take_consents(ledger, line)
    newest, seat = ledger.newest, takeover.taken_seat(ledger, line)
    seat_player(ledger, line, since=newest.number + 1 if newest else 1)
    take_whole_packets(ledger, line)
    ledger.resigned -= {seat}
    ledger.silent -= {seat}
    ledger.burned_out -= {seat}
    ledger.returned -= {seat}
    ledger.orders.pop(seat, None)
    ledger.absences = tuple(absence for absence in ledger.absences if absence.body["what"]["seat"] != seat)
    ledger.missed.pop(seat, None)
    ledger.absent.pop(seat, None)
    ledger.renewed.pop(seat, None)
    ledger.lost[seat] = line
    if ledger.awaited == seat:
        takeover.ask_again(ledger, line)


def agreement_to(join: Message) -> JsonObject:
    """To what the others agree so that the signer of this join takes its seat over."""
    newcomer = fingerprint(unb64(join.body["sign"], 32))
    return {"kind": SUBSTITUTE.name, "seat": join.seat, "newcomer": newcomer}


def check_join(context: RulingContext, join: Message) -> None:
    """Refuse a join that nobody could take a seat over with."""
    verify_file(JOIN.name, join.file, unb64(join.body["sign"], 32))
    ledger, seat = context.ledger, Seat(join.seat)
    reason = (
        key_fault(ledger, seat, join.body)
        or newcomer_fault(ledger, join.body)
        or context.look_alike(join.body["name"], join.seat)
    )
    if reason:
        raise RefusedError(
            sentence("the join of the new player of {seat} is refused: {reason}", seat=seat, reason=reason)
        )


def seat_newcomer(context: RulingContext, join: Message, named: JsonObject) -> None:
    """Put a new player into a seat, the hand sealed again to them; ``named`` says by whose agreement."""
    check_join(context, join)
    packet = context.whole_packet(Seat(join.seat), unb64(join.body["seal"], 32))
    context.add(SUBSTITUTE.name, {**named, "msg": join.file, **packet})


SUBSTITUTE: Final = Kind(
    "substitute",
    _check,
    _take,
    signed_as=JOIN.signed_as,
    audience=everybody,
    text="substitute",
    counted=False,
    newcomer=True,
    bars=True,
    invitation="replaced",
    keys=True,
    asks=True,
    loses_link=True,
    agreement=AGREED,
)
