"""A seat gives up: its defaults are due at once (schemas/README.md §7)."""

from __future__ import annotations

from typing import Final

from pbem.game import Seat
from pbem.protocol.record.agreement import never, no_fault
from pbem.protocol.record.kind import Agreement
from pbem.protocol.record.kinds.agreed import agreed
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Line


def _take(ledger: Ledger, line: Line) -> None:
    ledger.resigned |= {Seat(line.body["what"]["seat"])}


RESIGN: Final = agreed("resign", Agreement("seat", no_fault, never), _take)
