"""Who waited for whom: how long each seat took when it was awaited, from the times in the records.

A seat is awaited from the record that asked it to the record that its answer, or the default in its place, made. Time
in which the match was paused counts for nobody. The times are the host's own and within what was agreed
(schemas/README.md §10): good enough to see who keeps a match waiting, no proof of anything.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum, auto

from pbem.base.values import dataclass
from pbem.game import Seat
from pbem.protocol.record import Ledger, Line
from pbem.protocol.record.deadlines import (
    Answer,
    Decision,
    Host,
    Links,
    Paused,
    ReadyFiles,
    Running,
    Standing,
    beneath,
    is_paused,
)


class How(StrEnum):
    """By what a wait ended: a file, a default in its place, the link, or a burn for want of it."""

    FILE = auto()
    DEFAULT = auto()
    READY = auto()
    BURN = auto()


@dataclass(frozen=True, slots=True)
class Wait:
    """One answer: ``seat`` was awaited from record ``asked`` to record ``answered``.

    ``after`` is whose file had handed over to it, None for the host (an opening, a rewind, a laid deck).
    """

    seat: Seat
    after: Seat | None
    asked: int
    answered: int
    seconds: int
    how: How


def waits_of(ledger: Ledger) -> list[Wait]:
    """Every answer of this match, in the order in which they came: from what it waited for after each record."""
    waits: list[Wait] = []
    pauses = _pauses(ledger)
    before: Running | None = None
    linkless: dict[Seat, int] = {}
    """Whose link is awaited, and since which record."""

    def note(seat: Seat, asked: int, line: Line, how: How, after: Seat | None = None) -> None:
        start = ledger.lines[asked].at
        seconds = seconds_between(start, line.at) - _paused(pauses, start, line.at)
        waits.append(Wait(seat, after, asked, line.seq, max(0, seconds), how))

    for line, moment in zip(ledger.lines, ledger.moments, strict=True):
        now = beneath(moment.standing)
        if isinstance(before, Decision | Answer):
            how = _answered(line, before.seat)
            if how:
                note(before.seat, before.asked, line, how, _sender(ledger.lines[before.asked]))
        awaited = _linkless(now)
        for seat in [seat for seat in linkless if seat not in awaited]:
            how = _linked(line, seat)
            asked = linkless.pop(seat)
            if how:
                note(seat, asked, line, how)
        for seat in awaited:
            linkless.setdefault(seat, line.seq)
        before = now
    return waits


def seconds_between(earlier: str, later: str) -> int:
    """Seconds from one time of a record to another; never negative."""
    passed = datetime.fromisoformat(later) - datetime.fromisoformat(earlier)
    return max(0, int(passed.total_seconds()))


def _answered(line: Line, seat: Seat) -> How | None:
    """How this record answers what ``seat`` was asked; None if it does not."""
    if "steps" not in line.body:
        return None
    if "msg" in line.body:
        return How.FILE if line.body["msg"]["body"]["seat"] == seat else None
    return How.DEFAULT if line.body.get("seat") == seat else None


def _linkless(standing: Running | None) -> tuple[Seat, ...]:
    match standing:
        case ReadyFiles():
            return standing.seats
        case Links():
            return (*standing.seats, *standing.lost)
        case Host():
            return standing.lost
        case _:
            return ()


def _linked(line: Line, seat: Seat) -> How | None:
    """By what in this record the link of ``seat`` is awaited no more; None if by something that is no answer."""
    if seat in line.body.get("missing", ()):
        return How.BURN
    message = line.body.get("msg", {}).get("body", {})
    return How.READY if message.get("seat") == seat and "link" in message else None


def _sender(line: Line) -> Seat | None:
    return Seat(line.body["msg"]["body"]["seat"]) if line.kind == "turn" else None


def _pauses(ledger: Ledger) -> list[tuple[str, str]]:
    """The spans in which the match was paused; one that was given an end ends then, though no record says so."""
    pauses: list[tuple[str, str]] = []
    since, until = "", ""
    for line, moment in zip(ledger.lines, ledger.moments, strict=True):
        if since and not is_paused(moment.standing):
            pauses.append((since, min(line.at, until or line.at)))
            since = ""
        elif not since and is_paused(moment.standing):
            since, until = line.at, _until(moment.standing)
    return [*pauses, *([(since, ledger.head.at)] if since else [])]


def _until(standing: Standing) -> str:
    return standing.until if isinstance(standing, Paused) else ""


def _paused(pauses: list[tuple[str, str]], start: str, end: str) -> int:
    return sum(seconds_between(max(start, begin), min(end, stop)) for begin, stop in pauses)
