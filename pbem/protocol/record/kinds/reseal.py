"""What a seat was told in the running epoch, sealed anew after a complaint (schemas/README.md §7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.protocol.record.check_results import check_whole_packets, take_whole_packets
from pbem.protocol.record.kind import Kind, packet_owners
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Fault, Line


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    yield from check_whole_packets(ledger, line, None)


RESEAL: Final = Kind("reseal", _check, take_whole_packets, audience=packet_owners, text="reseal")
