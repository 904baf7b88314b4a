"""What a clock makes due: the next act of a host who is on time, for services and for ``pbem host tick``.

One act at a time, since each changes what is due next. Order: what follows of itself, then a default, then a burn.
"""

from __future__ import annotations

from pbem import referee
from pbem.crypto.identity import Identity
from pbem.game import Seat
from pbem.record import Record
from pbem.record.check_epochs import default_fault, seats_to_burn
from pbem.referee import Accepted


def next_act(record: Record, host: Identity, at: str) -> Accepted | None:
    """The next record that is due at ``at``; None if nothing is, or if nobody is left to play for.

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
    if all(seat in ledger.silent or seat in ledger.resigned for seat in now.seats):
        return None
    waiting = now.waiting
    if waiting is not None:
        seat = Seat(waiting["seat"])
        return None if default_fault(ledger, seat, at) else referee.perform_default(now, host, seat, at)
    return referee.burn(now, host, at) if seats_to_burn(ledger, at) else None
