"""A laid epoch thrown away for links that did not come (schemas/README.md §5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pbem.base.sentences import sentence
from pbem.base.values import replace
from pbem.game import Seat
from pbem.protocol.record.fault import Fault
from pbem.protocol.record.index import Indexed
from pbem.protocol.record.kind import Kind
from pbem.protocol.record.kinds.announce import announced_seats
from pbem.protocol.record.ledger import Epoch, Ledger
from pbem.protocol.record.line import Line
from pbem.protocol.record.takeover import link_lost, lost_link_overdue
from pbem.protocol.record.waiting import between_epochs, overdue_from


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """A burn: links really missing, their seats overdue, epoch not the first and not open (schemas/README.md §5)."""
    body = line.body
    reason = burn_fault(ledger, body["epoch"], tuple(map(Seat, body["missing"])), line.at)
    if reason:
        yield Fault(line.seq, 4, "burn", reason)


def burn_fault(ledger: Ledger, number: int, missing: tuple[Seat, ...], at: str) -> str:
    """Why epoch ``number`` may not be burned for ``missing`` at this time; empty if it may.

    A link that nobody can give any more has its full time too (``lost_link_overdue``).
    """
    epoch = ledger.newest
    if epoch is None or epoch.number != number or epoch.opened is not None or epoch.burned:
        return sentence("epoch {number} is not waiting to be opened", number=number)
    if ledger.running is None:
        return sentence("the first epoch is never burned")
    if not missing or any(seat not in epoch.missing for seat in missing):
        return sentence(
            "the links of {missing} are missing, not those of {named}",
            missing=", ".join(epoch.missing) or sentence("nobody"),
            named=", ".join(missing),
        )
    for seat in missing:
        if not _link_overdue(ledger, epoch, seat, at):
            return sentence("the link of {seat} is not overdue", seat=seat)
    if set(announced_seats(ledger)) <= set(missing):
        return sentence(
            "a burn must leave at least one seat to announce the next epoch to: wait until one of the others writes"
        )
    return ""


def seats_to_burn(ledger: Ledger, at: str) -> tuple[Seat, ...]:
    """For whose links the newest epoch may be burned at this time; nobody if it may not."""
    epoch = ledger.newest
    if epoch is None:
        return ()
    late = tuple(seat for seat in epoch.missing if not burn_fault(ledger, epoch.number, (seat,), at))
    return () if burn_fault(ledger, epoch.number, late, at) else late


def _link_overdue(ledger: Ledger, epoch: Epoch, seat: Seat, at: str) -> bool:
    running = ledger.running
    if ledger.paused is not None:
        return False
    if link_lost(ledger, epoch, seat):
        limit = lost_link_overdue(ledger, seat)
        return limit is not None and at >= limit
    if running is not None and not between_epochs(ledger):
        return seat in running.defaulted and seat in ledger.silent  # one that wrote since has its time again
    limit = overdue_from(ledger, seat)
    return limit is not None and at >= limit


def _take(ledger: Ledger, line: Line) -> None:
    """Mark the epoch burned and leave the missing seats out until they write again."""
    epoch = ledger.epochs.get(line.body["epoch"])
    if epoch is None:
        return
    ledger.epochs[epoch.number] = replace(
        epoch, burned=True, burned_for=tuple(map(Seat, line.body["missing"]))
    )
    ledger.burned_out |= {Seat(seat) for seat in line.body["missing"]}


def _audience(line: Indexed, _: Sequence[Seat]) -> Sequence[Seat]:
    return tuple(map(Seat, line.body["missing"]))


BURN: Final = Kind("burn", _check, _take, audience=_audience, announces=lambda _: True, text="burn")
