"""What is proposed about a seat is taken back (schemas/README.md §10.8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.protocol.record.fault import Fault
from pbem.protocol.record.kind import Kind, everybody
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Line
from pbem.protocol.record.takeover import proposal_of, settle


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    if proposal_of(ledger, line.body["proposal"]) is None:
        yield Fault(line.seq, 2, "proposal", f"record {line.body['proposal']} is no open proposal")


def _take(ledger: Ledger, line: Line) -> None:
    found = proposal_of(ledger, line.body["proposal"])
    if found is not None:
        settle(ledger, found.seat, line.seq)


WITHDRAW: Final = Kind("withdraw", _check, _take, audience=everybody, text="withdraw")
