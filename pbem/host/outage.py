"""A host who was away, and a clock that is wrong: nothing is ruled on before that is settled (schemas/README.md §10.7).

A running service beats: it notes the time every now and then. After it was down longer than ``PATIENCE``, whoever was
awaited gets that time back by an ``extend``, before anything else is done. A gap beyond ``LIMIT``, or a clock that is
behind the last record, may as well be a wrong clock: then nothing is processed until a person has said that it
is right.
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
from pbem.store import PrivateNotes
from pbem.values import dataclass

NOTE: Final = "heartbeat"
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
        if NOTE not in self._notes.names():
            return None
        try:
            return format_time(parse_time(self._notes.read(NOTE).decode("ascii").strip()))
        except ValueError:
            return None

    def beat(self, now: str) -> None:
        """Note that the program runs at ``now``."""
        self._notes.write(NOTE, now.encode() + b"\n", replace=True)


def check_clock(record: Record, beat: str | None, now: str, limit: int = LIMIT) -> None:
    """Refuse to go on with a clock that went back or jumped ahead.

    Raises:
        ClockProblem: with what is wrong; nothing may be processed.
    """
    reason = clock_jumped(max(record.head.at, beat or ""), now, limit)
    if reason:
        raise ClockProblem(
            f"nothing was processed: {reason}",
            hint="Set the clock. If it is right, say so: pbem host outage FOLDER --clock-is-right",
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
