"""What a seat learned in the running epoch, sealed again after a complaint (schemas/README.md §7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.base.errors import RefusedError
from pbem.base.sentences import sentence
from pbem.game import Seat
from pbem.protocol.record.check_results import check_whole_packets, take_whole_packets
from pbem.protocol.record.kind import Kind, RulingContext
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Fault, Line, packet_owners


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    yield from check_whole_packets(ledger, line, None)


def reseal(context: RulingContext, seat: Seat) -> None:
    """Seal again what a seat learned in the running epoch; ``RefusedError`` if nothing is sealed there."""
    running = context.ledger.running
    if running is None or running.closed is not None or not context.ledger.rules.has_secrets:
        raise RefusedError(sentence("no hand or game turn is running whose packets could be sealed again"))
    context.add(RESEAL.name, context.whole_packet(seat))


RESEAL: Final = Kind("reseal", _check, take_whole_packets, audience=packet_owners, text="reseal")
