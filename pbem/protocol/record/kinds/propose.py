"""What is done about a seat is said to all and held: new keys, a new player, giving it up (schemas/README.md §10.8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.base.errors import RefusedError
from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.protocol.formats.messages import Message
from pbem.protocol.record import takeover
from pbem.protocol.record.agreement import check_agreed, check_words, take_consents
from pbem.protocol.record.check_messages import key_fault
from pbem.protocol.record.kind import Kind, RulingContext
from pbem.protocol.record.kinds.agreements import needs_proposal
from pbem.protocol.record.kinds.rekey import REKEY, give_keys
from pbem.protocol.record.kinds.resign import RESIGN
from pbem.protocol.record.kinds.substitute import SUBSTITUTE, seat_newcomer
from pbem.protocol.record.ledger import Ledger, Proposal
from pbem.protocol.record.line import Fault, Indexed, Line, everybody

PROPOSABLE: Final[dict[str, Kind]] = {kind.name: kind for kind in (REKEY, RESIGN, SUBSTITUTE)}


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """Needed, held as long as the rules say, agreed to in full view."""
    terms = line.body["what"]
    kind = PROPOSABLE.get(terms["kind"])
    agreement = None if kind is None else kind.agreement
    if agreement is None:
        yield line.fault(2, "propose", "this needs no proposal")
        return
    wrong = list(check_agreed(ledger, line, agreement))
    yield from wrong
    if any(fault.code == line.kind for fault in wrong):
        return
    seat = Seat(terms["seat"])
    if not needs_proposal(ledger, terms, line.body["consents"]):
        yield line.fault(2, "propose", "this needs no proposal")
    own = any(file["body"]["seat"] == seat for file in line.body["consents"])
    reason = "" if own else takeover.open_proposal_fault(ledger, seat)  # its own file undoes what was open
    if reason:
        yield line.fault(2, "propose", reason)
    yield from takeover.check_hold(ledger, line, seat)
    yield from check_words(ledger, line)


def _take(ledger: Ledger, line: Line) -> None:
    take_consents(ledger, line)
    ledger.proposals[Seat(line.body["what"]["seat"])] = Proposal(line, line.body["until"])


def carry_out(context: RulingContext, seat: Seat, join: Message | None, *, by_hand: bool) -> bool:
    """Carry out what is proposed about ``seat``, once its hold is over (schemas/README.md §10.8).

    Args:
        context: the ruling.
        seat: whose seat it is about.
        join: the newcomer's join, if a substitute was proposed.
        by_hand: the operator has said so; in a match of two seats nothing else will do.

    Returns:
        Whether somebody new takes the seat.

    Raises:
        RefusedError: nothing is proposed about the seat, it is held still, or it cannot be done now.
    """
    ledger, proposal = context.ledger, context.ledger.proposals.get(seat)
    if proposal is None:
        raise RefusedError(sentence("nothing is proposed about {seat}", seat=seat))
    reason = takeover.completion_fault(ledger, proposal, context.at)
    if proposal.counts:
        reason = sentence(
            "{seat} has resigned; that counts by itself from {until} on", seat=seat, until=proposal.until
        )
    if takeover.host_must_act(ledger) and not by_hand:
        reason = sentence("in a match of two seats only the host's own command carries a proposal out")
    if proposal.what["kind"] == REKEY.name:
        reason = reason or key_fault(ledger, seat, proposal.what)
    elif join is not None and join.seat != seat:
        raise RefusedError(sentence("this join is for another seat, {seat}", seat=join.seat))
    elif join is None:
        reason = reason or sentence("the join of the new player of {seat} is missing", seat=seat)
    if reason:
        raise RefusedError(reason)
    act: JsonObject = {"act": "host"} if takeover.host_must_act(ledger) else {}
    named: JsonObject = {"proposal": proposal.line.seq, **act}
    if proposal.what["kind"] == REKEY.name or join is None:
        give_keys(context, proposal, named)
        return False
    seat_newcomer(context, join, named)
    return True


def _of_others(line: Indexed) -> bool:
    """A seat that gives itself up has asked for it."""
    return bool(line.body["what"]["kind"] != RESIGN.name)


PROPOSE: Final = Kind("propose", _check, _take, audience=everybody, text="propose", proposes=_of_others)
