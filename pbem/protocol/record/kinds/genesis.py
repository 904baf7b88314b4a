"""The first record: what is agreed on before anybody joins (schemas/README.md §7)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.protocol.record.kind import Kind
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Fault, Line, everybody


def _check(_: Ledger, line: Line) -> Iterator[Fault]:
    """The first one is read by ``start_ledger``; any other is a fault."""
    yield line.fault(1, "genesis", "only the first record begins a match")


GENESIS: Final = Kind("genesis", _check, audience=everybody, letter="invitation")
