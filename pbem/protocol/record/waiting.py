"""How time passes in a match: the rules of schemas/README.md §10 on the ledger, from record to record.

``pass_time`` comes before everything else that a record does. It reads the record's ``at``, ends a pause whose
``until`` is past, and counts excused misses. So what is due never depends on a clock, only on the file.
"""

from __future__ import annotations

from collections.abc import Iterable

from pbem.base.values import replace
from pbem.game import Seat
from pbem.protocol.record.deadlines import Away, shifted
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Line

# --- who is awaited -----------------------------------------------------------------------------------------


def awaited_seat(ledger: Ledger) -> Seat | None:
    """The seat that is to act; None while links, joins or nobody is awaited."""
    waiting = ledger.waiting
    if ledger.ended is not None or waiting is None or between_epochs(ledger):
        return None
    return Seat(waiting["seat"])


def between_epochs(ledger: Ledger) -> bool:
    """Whether no epoch runs: none is open, or nobody is asked any more in one that is closed only at the end.

    A public view may name who begins the next epoch; then only the missing ``due`` tells that he is not asked yet.
    """
    running = ledger.running
    if running is None or running.closed is not None:
        return True
    return ledger.reveal == "match" and not ledger.asks


def awaited_seats(ledger: Ledger) -> tuple[Seat, ...]:
    """The seat that is to act, or else those whose link the announced epoch waits for."""
    seat = awaited_seat(ledger)
    if seat is not None:
        return (seat,)
    return missing_links(ledger) if ledger.ended is None else ()


def missing_links(ledger: Ledger) -> tuple[Seat, ...]:
    """The seats whose link the announced epoch waits for."""
    newest = ledger.newest
    waits = newest is not None and newest.opened is None and not newest.burned
    return newest.missing if newest is not None and waits else ()


def away(ledger: Ledger, seat: Seat, before: int | None = None) -> Away:
    """The absences of a seat that were recorded before record ``before``; all of them if None."""
    return [
        (line.body["what"]["from"], line.body["what"]["until"])
        for line in ledger.absences
        if line.body["what"]["seat"] == seat and (before is None or line.seq < before)
    ]


# --- by when ------------------------------------------------------------------------------------------------


def answer_by(
    ledger: Ledger, seat: Seat, at: str, *, wrote: Seat | None = None, failed: Seat | None = None
) -> str:
    """By when ``seat`` must answer what it is asked at ``at``; who just wrote is not silent any more."""
    silent = (seat in ledger.silent and seat != wrote) or seat == failed
    return ledger.deadlines.due(at, silent=silent, resigned=seat in ledger.resigned, away=away(ledger, seat))


def links_by(ledger: Ledger, seats: Iterable[Seat], at: str) -> str:
    """By when the links of these seats must be there: the latest of their times, but never before ``at``."""
    return max([at, *(_link_by(ledger, seat, at) for seat in seats)])


def _link_by(ledger: Ledger, seat: Seat, at: str) -> str:
    """A seat that came back by its word alone has no second full period for its link."""
    due = answer_by(ledger, seat, at)
    if seat not in ledger.returned:
        return due
    return min(due, ledger.deadlines.back(at, away(ledger, seat)))


def asked_until(ledger: Ledger, at: str) -> str | None:
    """The time of whoever is asked at ``at`` without being told: who is to act, or between epochs the missing links."""
    seat = awaited_seat(ledger)
    if seat is not None:
        return answer_by(ledger, seat, at)
    missing = missing_links(ledger)
    return links_by(ledger, missing, at) if missing else None


def ask_again(ledger: Ledger, line: Line) -> None:
    """Whoever is awaited is asked by this record, and has a full time from it."""
    ledger.due, ledger.asked = asked_until(ledger, line.at), line.seq


def overdue_from(ledger: Ledger, seat: Seat) -> str | None:
    """From when on a ``default`` or ``burn`` of an awaited seat may be recorded, as far as time is concerned."""
    due = ledger.due
    if due is None:
        return None
    resigned, spans = seat in ledger.resigned, away(ledger, seat, ledger.asked)
    back = seat in ledger.returned and awaited_seat(ledger) is None
    if back and due == _asked_line(ledger).body.get("due"):  # neither extended nor moved by a pause
        due = min(due, ledger.deadlines.back(asked_at(ledger), spans))
    return ledger.deadlines.overdue_from(
        due, silent=back or seat in ledger.silent, resigned=resigned, away=spans
    )


def asked_at(ledger: Ledger) -> str:
    """When whoever is awaited was asked: the time of the record since which his time counts."""
    return _asked_line(ledger).at


def _asked_line(ledger: Ledger) -> Line:
    return ledger.lines[min(ledger.asked, ledger.head.seq)]


def excused_left(ledger: Ledger, seat: Seat) -> int:
    """How many excused misses a seat has left."""
    if seat in ledger.silent or seat in ledger.resigned:
        return 0
    return max(ledger.deadlines.excused - ledger.missed.get(seat, 0), 0)


def default_from(ledger: Ledger, seat: Seat) -> str | None:
    """From when on a default of the awaited seat is due if it stays silent, its excused misses taken in."""
    limit = overdue_from(ledger, seat)
    for _ in range(excused_left(ledger, seat)):
        if limit is None:
            return None
        spans = away(ledger, seat)
        due = ledger.deadlines.due(limit, silent=False, resigned=False, away=spans)
        limit = ledger.deadlines.overdue_from(due, silent=False, resigned=False, away=spans)
    return limit


# --- what passes of itself ----------------------------------------------------------------------------------


def passes(ledger: Ledger, at: str) -> bool:
    """Whether anything changes of itself by ``at``: a pause ends, a miss is excused, what was held counts."""
    if ledger.paused is not None:
        until = ledger.paused.body["what"].get("until")
        return until is not None and until <= at
    ripe = any(held.counts and held.until <= at for held in ledger.proposals.values())
    return (
        ripe or any(held.until <= at for held in ledger.replacing.values()) or _missed(ledger, at) is not None
    )


def pass_time(ledger: Ledger, at: str, *, extends: bool = False) -> None:
    """Let time pass up to ``at``: every record does so before anything else.

    ``extends``: the record is an ``extend``. It says that time did not run out, so it counts no miss.
    """
    if not passes(ledger, at):
        return
    if ledger.paused is not None:
        until = ledger.paused.body["what"]["until"]
        ledger.due = moved(ledger, ledger.due, ledger.paused.at, until)
        move_holds(ledger, ledger.paused.at, until)
        ledger.paused = None
    for seat, held in sorted(ledger.replacing.items()):
        if held.until <= at:
            ledger.players[seat] = replace(ledger.players[seat], recovery=held.recovery)
            del ledger.replacing[seat]
    for until, seat in sorted((held.until, seat) for seat, held in ledger.proposals.items() if held.counts):
        if until <= at:
            _count_misses(ledger, until, extends=extends)
            del ledger.proposals[seat]
            ledger.resigned |= {seat}
    _count_misses(ledger, at, extends=extends)


def _missed(ledger: Ledger, at: str) -> str | None:
    """When the awaited seat's next excused miss came up by ``at``; None if none did."""
    seat = awaited_seat(ledger)
    if seat is None or ledger.due is None or not excused_left(ledger, seat):
        return None
    spans = away(ledger, seat, ledger.asked)
    limit = ledger.deadlines.overdue_from(ledger.due, silent=False, resigned=False, away=spans)
    return limit if limit <= at else None


def _count_misses(ledger: Ledger, at: str, *, extends: bool) -> None:
    seat = awaited_seat(ledger)
    while seat is not None and not extends and (limit := _missed(ledger, at)) is not None:
        ledger.missed[seat] = ledger.missed.get(seat, 0) + 1
        ledger.asked = ledger.head.seq + 1
        ledger.due = answer_by(ledger, seat, limit)


def move_holds(ledger: Ledger, since: str, until: str) -> None:
    """A pause from ``since`` to ``until`` is over: what is held stood still in it, from its own record on."""
    for seat, proposal in ledger.proposals.items():
        start = max(since, proposal.line.at)
        if start < until:
            ledger.proposals[seat] = replace(proposal, until=shifted(proposal.until, start, until))
    if ledger.retiring is not None and (start := max(since, ledger.retiring.line.at)) < until:
        held = ledger.retiring
        ledger.retiring = replace(held, until=shifted(held.until, start, until))
    for seat, key in ledger.replacing.items():
        start = max(since, key.line.at)
        if start < until:
            ledger.replacing[seat] = replace(key, until=shifted(key.until, start, until))


def moved(ledger: Ledger, due: str | None, since: str, until: str) -> str | None:
    """``due`` later by the span from ``since`` to ``until``, then moved to where a time may run out.

    What was asked within the span is later by the rest of it.
    """
    if due is None:
        return None
    later = shifted(due, max(since, asked_at(ledger)), until)
    seat = awaited_seat(ledger)
    if seat is not None and (seat in ledger.silent or seat in ledger.resigned):
        return later
    return ledger.deadlines.settled(later, away(ledger, seat, ledger.asked) if seat else ())
