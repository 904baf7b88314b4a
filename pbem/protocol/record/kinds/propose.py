"""The others agree that a seat gets new keys or a new player: told to all, then held (schemas/README.md §10.8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.game import Seat
from pbem.protocol.record.agreement import check_agreed, take_consents
from pbem.protocol.record.kind import Agreement, Kind, everybody
from pbem.protocol.record.kinds.rekey import REKEY
from pbem.protocol.record.kinds.substitute import SUBSTITUTE
from pbem.protocol.record.ledger import Ledger, Proposal
from pbem.protocol.record.line import Fault, Line
from pbem.protocol.record.takeover import check_hold, needs_proposal, open_proposal_fault, unseen_word

PROPOSABLE: Final[dict[str, Agreement | None]] = {kind.name: kind.what for kind in (REKEY, SUBSTITUTE)}


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """Needed, held as long as the rules say, agreed to in full view."""
    what = line.body["what"]
    agreement = PROPOSABLE.get(what["kind"])
    if agreement is None:
        yield Fault(line.seq, 2, "propose", f"nobody proposes a {what['kind']}")
        return
    wrong = list(check_agreed(ledger, line, agreement))
    yield from wrong
    if any(fault.code == line.kind for fault in wrong):
        return
    seat = Seat(what["seat"])
    if not needs_proposal(ledger, what):
        yield Fault(line.seq, 2, "propose", f"{seat} has resigned; a substitute needs no proposal")
    reason = open_proposal_fault(ledger, seat)
    if reason:
        yield Fault(line.seq, 2, "propose", reason)
    yield from check_hold(ledger, line, seat)
    for file in line.body["consents"]:
        reason = unseen_word(ledger, seat, file["body"])
        if reason:
            yield Fault(line.seq, 2, "consent", reason)


def _take(ledger: Ledger, line: Line) -> None:
    take_consents(ledger, line)
    ledger.proposals[Seat(line.body["what"]["seat"])] = Proposal(line, line.body["until"])


PROPOSE: Final = Kind("propose", _check, _take, audience=everybody, text="propose")
