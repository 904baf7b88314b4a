"""A host who was away, and a clock that is wrong: nothing is ruled on before that is settled (schemas/README.md §10.7).

A running service beats: it notes the time every now and then. After it was down longer than ``PATIENCE``, whoever was
awaited gets that time back by an ``extend``, before anything else is done. A gap beyond ``LIMIT``, or a clock that is
behind the last record, may as well be a wrong clock: then nothing is processed until a person has said that it
is right. Records never go back: a match that a wrong clock has taken ahead keeps that time until the right one is
there, so nobody's time is up too early.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from pbem import referee
from pbem.crypto.identity import Identity
from pbem.errors import StoreError
from pbem.record import Record
from pbem.record.deadlines import clock_jumped, format_time, parse_time
from pbem.referee import Accepted
from pbem.sentences import sentence
from pbem.store import PrivateNotes
from pbem.values import dataclass

NOTE: Final = "heartbeat"
_AHEAD: Final = "clock-was-ahead"
PATIENCE: Final = 60
"""Minutes without a beat that are no outage: a restart, a nightly backup."""
LIMIT: Final = 24 * 31
"""Hours without a sign of life after which a person has to look at the clock."""
MOST: Final = 24 * 366 * 100
"""No limit: a person has looked."""


class ClockProblem(StoreError):
    """The clock cannot be trusted; nothing was processed, and trying again with a right clock helps."""


class Heartbeat:
    """The last moment at which a host's program is known to have run."""

    def __init__(self, notes: PrivateNotes) -> None:
        self._notes = notes

    def last(self) -> str | None:
        """When it beat last; None if it never did, or the note is damaged."""
        return self._read(NOTE)

    def ahead(self) -> str:
        """Up to when records were signed by a clock that was ahead, as a person has said; empty if by none."""
        return self._read(_AHEAD) or ""

    def _read(self, note: str) -> str | None:
        if note not in self._notes.names():
            return None
        try:
            return format_time(parse_time(self._notes.read(note).decode("ascii").strip()))
        except ValueError:
            return None

    def beat(self, now: str) -> None:
        """Note that the program runs at ``now``."""
        self._notes.write(NOTE, now.encode() + b"\n", replace=True)

    def set_back(self, record: Record, now: str) -> bool:
        """A person says that the clock is right at ``now``. Whether it was ahead before: then it is believed."""
        if not is_behind(max(record.head.at, self.last() or ""), now):
            return False
        self._notes.write(_AHEAD, record.head.at.encode() + b"\n", replace=True)
        self.beat(now)
        return True


def is_behind(last: str, now: str) -> bool:
    """Whether a clock that says ``now`` is behind what has passed already."""
    return bool(last) and last > now and bool(clock_jumped(last, now, MOST))


def check_clock(record: Record, heartbeat: Heartbeat, now: str, limit: int = LIMIT) -> None:
    """Refuse to go on with a clock that went back or jumped ahead.

    Raises:
        ClockProblem: with what is wrong; nothing may be processed.
    """
    signed = record.head.at if record.head.at > heartbeat.ahead() else ""
    last = max(signed, heartbeat.last() or "")
    refuse(clock_jumped(last, now, limit) if last else "", "outage FOLDER")


def refuse(reason: str, command: str) -> None:
    """Do nothing with a clock that is wrong for this reason, if there is one; ``command`` vouches for it.

    Raises:
        ClockProblem: with the reason.
    """
    if reason:
        raise ClockProblem(
            sentence("nothing was processed: {reason}", reason=reason),
            hint=f"Set the clock. If it is right, say so: pbem host {command} --clock-is-right",
        )


@dataclass(frozen=True, slots=True)
class Outage:
    """From the last beat to now the host could not be reached."""

    since: str
    until: str


def outage_of(beat: str | None, now: str, patience: int = PATIENCE) -> Outage | None:
    """The outage that ends now, if there was one; without any beat nobody promised to be there."""
    if beat is None or parse_time(now) - parse_time(beat) <= timedelta(minutes=patience):
        return None
    return Outage(beat, now)


def mend_outage(record: Record, host: Identity, beat: str | None, now: str) -> Accepted | None:
    """The ``extend`` that gives the time of an outage back; None if there was none, or nobody's time was running."""
    found = outage_of(beat, now)
    return referee.after_outage(record, host, found.since, found.until, now) if found else None
