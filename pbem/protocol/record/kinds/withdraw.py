"""What is proposed about a seat is taken back (schemas/README.md §10.8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.protocol.record.kind import Kind, RulingContext
from pbem.protocol.record.ledger import Ledger, Proposal
from pbem.protocol.record.line import Fault, Line, everybody
from pbem.protocol.record.takeover import proposal_of, settle


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    if proposal_of(ledger, line.body["proposal"]) is None:
        yield line.fault(
            2,
            "proposal",
            "record {record} is not an open proposal of this kind",
            record=line.body["proposal"],
        )


def _take(ledger: Ledger, line: Line) -> None:
    proposal = proposal_of(ledger, line.body["proposal"])
    if proposal is not None:
        settle(ledger, proposal.seat, line.seq)


def withdraw(context: RulingContext, held: Proposal) -> None:
    """Take back what is held."""
    context.add(WITHDRAW.name, {"proposal": held.line.seq})


WITHDRAW: Final = Kind("withdraw", _check, _take, audience=everybody, text="withdraw")
