"""A laid epoch thrown away: links did not come, or a seat that it leaves out has written (schemas/README.md §5)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pbem.base.errors import RefusedError
from pbem.base.sentences import Sentence, sentence
from pbem.base.values import replace
from pbem.game import JsonObject, Seat
from pbem.protocol.record import takeover
from pbem.protocol.record.kind import ByClock, Kind, RulingContext
from pbem.protocol.record.kinds.announce import announce, announced_seats
from pbem.protocol.record.ledger import Epoch, Ledger
from pbem.protocol.record.line import Fault, Indexed, Line
from pbem.protocol.record.openings import agreed_end


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """A burn: links really missing, their seats overdue, epoch not the first and not open (schemas/README.md §5)."""
    body = line.body
    if "back" in body:
        reason = _return_fault(ledger, body["epoch"], tuple(map(Seat, body["back"])))
    else:
        reason = burn_fault(ledger, body["epoch"], tuple(map(Seat, body["missing"])), line.at)
    if reason:
        yield line.fault(4, "burn", reason)


def burn_fault(ledger: Ledger, number: int, missing: tuple[Seat, ...], at: str) -> str:
    """Why epoch ``number`` may not be burned for ``missing`` at this time; empty if it may.

    A link that nobody can give any more has its full time too (``lost_link_overdue``).
    """
    epoch = ledger.newest
    if epoch is None or epoch.number != number or epoch.opened is not None or epoch.burned:
        return sentence("deal {number} is not waiting for parts of the shuffle", number=number)
    if ledger.running is None:
        return sentence("the first deal is never voided")
    if not missing or any(seat not in epoch.missing for seat in missing):
        return sentence(
            "the parts of the shuffle from {missing} are missing, not those from {named}",
            missing=", ".join(epoch.missing) or sentence("nobody"),
            named=", ".join(missing),
        )
    for seat in missing:
        if not _link_overdue(ledger, epoch, seat, at):
            return sentence("the part of the shuffle from {seat} is not overdue", seat=seat)
    if set(announced_seats(ledger)) <= set(missing):
        return sentence(
            "at least one seat must be left for the next deal: wait until one of the others writes"
        )
    return ""


def back_before_deal(ledger: Ledger) -> tuple[Seat, ...]:
    """The seats that the waiting announcement leaves out and that wrote in the newest record: it is burned at once.

    Else whoever lays decks would deal one that they and the others could choose to somebody who is there. A seat does
    so once; then it owes a link first, so that talk alone keeps nobody waiting twice.
    """
    if ledger.ended is not None or agreed_end(ledger) is not None:
        return ()
    wrote = {file["body"]["seat"] for file in ledger.head.messages}
    return tuple(seat for seat in ledger.left_out if seat in wrote and seat not in ledger.returned)


def _return_fault(ledger: Ledger, number: int, back: tuple[Seat, ...]) -> str:
    epoch, returned = ledger.newest, back_before_deal(ledger)
    if epoch is None or epoch.number != number or sorted(back) != sorted(returned):
        return sentence(
            "record {seq} brings back {found}, the void deal {number} names {named}",
            seq=ledger.head.seq,
            found=", ".join(returned) or sentence("nobody"),
            number=number,
            named=", ".join(back),
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
    if takeover.link_lost(ledger, epoch, seat):
        limit = takeover.lost_link_overdue(ledger, seat)
    elif running is not None and not ledger.between_epochs:
        return seat in running.defaulted and seat in ledger.silent  # one that wrote since has its time again
    else:
        limit = takeover.overdue_from(ledger, seat)
    return limit is not None and at >= limit


def _take(ledger: Ledger, line: Line) -> None:
    """Mark the epoch burned; leave the missing seats out until they write again, and ask again who came back."""
    epoch = ledger.epochs.get(line.body["epoch"])
    if epoch is None:
        return
    seats = tuple(map(Seat, line.body.get("back") or line.body["missing"]))
    ledger.epochs[epoch.number] = replace(epoch, burned=True, burned_for=seats)
    if "back" in line.body:
        files = ledger.lines[line.seq - 1].messages
        newcomers = {file["body"]["seat"] for file in files if "name" in file["body"]}  # late in nothing yet
        ledger.returned |= set(seats) - newcomers
    else:
        ledger.burned_out |= set(seats)


def _audience(line: Indexed, seats: Sequence[Seat]) -> Sequence[Seat]:
    return seats if "back" in line.body else tuple(map(Seat, line.body["missing"]))


def _clock(ledger: Ledger, at: str) -> JsonObject | None:
    newest, missing = ledger.newest, takeover.missing_links(ledger)
    if ledger.ended is not None or newest is None or not missing:
        return None
    return {"epoch": newest.number, "missing": list(missing), "now": bool(seats_to_burn(ledger, at))}


def _clock_says(due: JsonObject) -> Sentence | None:
    if not due["now"]:
        return None
    return sentence(
        "Deal {epoch} can be voided now (pbem host burn): {missing}.",
        epoch=due["epoch"],
        missing=", ".join(due["missing"]),
    )


def bring_back(context: RulingContext) -> None:
    """Where the newest record brings back a seat that the waiting announcement leaves out: a burn and a new one."""
    back = back_before_deal(context.ledger)
    if back:
        context.add(BURN.name, {"epoch": max(context.ledger.epochs), "back": list(back)})
        announce(context)


def burn_if_due(context: RulingContext) -> None:
    """Burn an epoch whose link is overdue or lost, and announce the next without its seat."""
    newest, late = context.ledger.newest, seats_to_burn(context.ledger, context.at)
    if newest is not None and late:
        context.add(BURN.name, {"epoch": newest.number, "missing": list(late)})
        announce(context)


def burn_now(context: RulingContext) -> None:
    """``burn_if_due`` by the host's own command; ``RefusedError`` says why it may not be."""
    ledger, newest = context.ledger, context.ledger.newest
    if not seats_to_burn(ledger, context.at):
        why = (
            burn_fault(ledger, newest.number, newest.missing, context.at)
            if newest
            else sentence("no deal is announced")
        )
        raise RefusedError(sentence("no deal can be voided now: {why}", why=why))
    burn_if_due(context)
    context.go_on()


BURN: Final = Kind(
    "burn",
    _check,
    _take,
    audience=_audience,
    announces=lambda _: True,
    bars=True,
    asks_links=True,
    clock=ByClock(_clock, _clock_says),
    text="burn",
)
