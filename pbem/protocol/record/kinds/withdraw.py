"""What is held is taken back: a proposal about a seat, or a hand-over (schemas/README.md §10.8, §10.11)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.protocol.record.kind import Kind, RulingContext
from pbem.protocol.record.ledger import Ledger, Proposal
from pbem.protocol.record.line import Fault, Line, everybody
from pbem.protocol.record.takeover import proposal_of, settle


def _gives_away(ledger: Ledger, line: Line) -> bool:
    """Whether it is the hand-over that is taken back."""
    return ledger.retiring is not None and ledger.retiring.line.seq == line.body["proposal"]


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    if not _gives_away(ledger, line) and proposal_of(ledger, line.body["proposal"]) is None:
        yield line.fault(
            2,
            "proposal",
            "record {record} is not an open proposal of this kind",
            record=line.body["proposal"],
        )


def _take(ledger: Ledger, line: Line) -> None:
    if _gives_away(ledger, line):
        ledger.retiring = None
    proposal = proposal_of(ledger, line.body["proposal"])
    if proposal is not None:
        settle(ledger, proposal.seat, line.seq)


def withdraw(context: RulingContext, held: Proposal) -> None:
    """Take back what is held."""
    context.add(WITHDRAW.name, {"proposal": held.line.seq})


WITHDRAW: Final = Kind("withdraw", _check, _take, audience=everybody, text="withdraw")
