"""What a clock makes due: the next act of a host who is on time, for services and for ``pbem host tick``.

One act at a time, since each changes what is due next. Order: what follows of itself, then a takeover whose hold is
over, then a default, then a burn.
"""

from __future__ import annotations

from collections.abc import Mapping

from pbem.base.errors import PbemError
from pbem.game import Seat
from pbem.protocol import referee
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import read_message
from pbem.protocol.record import Record
from pbem.protocol.record.kinds.burn import seats_to_burn
from pbem.protocol.record.kinds.default import default_fault
from pbem.protocol.record.takeover import completion_fault, host_must_act
from pbem.protocol.referee import Accepted


def next_act(
    record: Record, host: Identity, at: str, joins: Mapping[Seat, bytes] | None = None
) -> Accepted | None:
    """The next record that is due at ``at``; None if nothing is, or if nobody is left to play for.

    ``joins`` are those of newcomers who wait for a seat that is proposed for them.

    When all seats are silent or have resigned, a match would go on by defaults alone, perhaps for ever: it waits
    until somebody writes.
    """
    at = max(at, record.head.at)
    now = record.as_of(at)
    ledger = now.ledger
    if now.over or not ledger.complete:
        return None
    accepted = referee.carry_on(now, host, at)
    if accepted is not None:
        return accepted
    takeover = _takeover(now, host, at, joins or {})
    if takeover is not None:
        return takeover
    if all(seat in ledger.silent or seat in ledger.resigned for seat in now.seats):
        return None
    waiting = now.waiting
    if waiting is not None:
        seat = Seat(waiting["seat"])
        return None if default_fault(ledger, seat, at) else referee.perform_default(now, host, seat, at)
    return referee.burn(now, host, at) if seats_to_burn(ledger, at) else None


def _takeover(record: Record, host: Identity, at: str, joins: Mapping[Seat, bytes]) -> Accepted | None:
    """A proposal carried out after its hold. In a match of two seats it waits for the host's own command."""
    for seat, proposal in sorted(record.ledger.proposals.items()):
        comes = seat in joins or proposal.what["kind"] == "rekey"
        if (
            proposal.counts
            or host_must_act(record.ledger)
            or not comes
            or completion_fault(record.ledger, proposal, at)
        ):
            continue
        join = read_message(joins[seat]) if seat in joins else None
        try:
            return referee.carry_out(record, host, seat, at, join, by_hand=False)
        except PbemError:  # the newcomer's join does not fit; the operator is told when he tries it himself
            continue
    return None
