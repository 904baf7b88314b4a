"""From the ledger to the standing: the one place that says what a match waits for."""

from __future__ import annotations

from pbem.game import Seat
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.standing import (
    Answer,
    Consents,
    Decision,
    Host,
    Joins,
    Links,
    Moment,
    Over,
    Paused,
    ReadyFiles,
    Running,
    Standing,
)
from pbem.protocol.record.takeover import link_lost
from pbem.protocol.record.waiting import awaited_seat, between_epochs, default_from, missing_links


def standing_of(ledger: Ledger) -> Standing:
    """What the match waits for after the newest record, as far as time has passed in ``ledger`` (``Record.as_of``)."""
    if ledger.ended is not None:
        return Over(ledger.ended.body["outcome"])
    running = _running(ledger)
    if ledger.paused is None:
        return running
    until = ledger.paused.body["what"].get("until")
    return Consents(running) if until is None else Paused(until, running)


def moment_of(ledger: Ledger) -> Moment:
    """The standing with the public view that holds."""
    return Moment(standing_of(ledger), ledger.shown)


def _running(ledger: Ledger) -> Running:
    unjoined = tuple(seat for seat in ledger.seats if seat not in ledger.players)
    if unjoined:
        return Joins(unjoined)
    seat = awaited_seat(ledger)
    if seat is not None:  # a result that asks nobody ends its epoch, whoever its view says begins the next
        return _asked(ledger, seat) if ledger.asks else Host("close")
    missing, newest = missing_links(ledger), ledger.newest
    if newest is not None and missing:
        lost = tuple(one for one in missing if link_lost(ledger, newest, one))
        can = tuple(one for one in missing if one not in lost)
        if not can:
            return Host("burn", lost)
        return (
            ReadyFiles(can, ledger.due)
            if ledger.running is None
            else Links(can, newest.number, ledger.due, lost)
        )
    return Host(_host_act(ledger))


def _asked(ledger: Ledger, seat: Seat) -> Running:
    waiting, public = ledger.waiting or {}, ledger.public or {}
    asked = ledger.result.seq if ledger.result is not None else ledger.head.seq
    may_default = ledger.deadlines.then == "default" or seat in ledger.resigned
    limit = default_from(ledger, seat) if may_default else None
    phase, active = str(waiting.get("phase", "")), public.get("active")
    if active in ledger.seats and active != seat:
        return Answer(seat, phase, Seat(str(active)), asked, ledger.due, limit)
    return Decision(seat, phase, asked, ledger.due, limit)


def _host_act(ledger: Ledger) -> str:
    newest = ledger.newest
    if newest is None or newest.burned:
        return "announce"
    if not between_epochs(ledger):
        return "close"
    return "open" if newest.opened is None else "end"
