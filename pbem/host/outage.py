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

from pbem.base.errors import StoreError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.host.store import KeyValueStore
from pbem.protocol.record.deadlines import clock_jumped, format_time, parse_time

BEAT: Final = "heartbeat"
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
    """The last moment at which a host's program is known to have run, and whether a clock fits to it."""

    def __init__(self, memory: KeyValueStore) -> None:
        self._memory = memory

    def last(self, *, locked: bool = False) -> str:
        """When it beat last; empty if it never did, or the note is damaged. ``locked``: nobody else beats meanwhile."""
        return _moment(self._memory.locked(BEAT) if locked else self._memory.get(BEAT))

    def beat(self, now: str, every: int = 0) -> None:
        """Note that the program runs at ``now``, unless it was noted less than ``every`` seconds ago."""
        last = self.last()
        if not last or parse_time(now) - parse_time(last) >= timedelta(seconds=every) or last > now:
            self._memory.set(BEAT, now)

    def outage(self, now: str, *, locked: bool = False) -> Outage | None:
        """The outage that ends now, if there was one."""
        return outage_of(self.last(locked=locked) or None, now)

    def fault(self, now: str, limit: int = LIMIT, signed: str = "") -> str:
        """Why a clock that says ``now`` cannot be trusted, in words; empty if it can.

        Args:
            now: what the clock says.
            limit: so many hours may lie between the last sign of life and now.
            signed: the time of the newest record, if there is one that counts as a sign of life.
        """
        last = max(signed if signed > _moment(self._memory.get(_AHEAD)) else "", self.last())
        return clock_jumped(last, now, limit) if last else ""

    def set_back(self, now: str, signed: str = "") -> bool:
        """A person says that the clock is right at ``now``. Whether it was ahead before: then it is believed."""
        if not is_behind(max(signed, self.last(locked=True)), now):
            return False
        if signed:
            self._memory.set(_AHEAD, signed)
        self._memory.set(BEAT, now)
        return True


def _moment(text: str) -> str:
    """A time as it was noted; empty if it is none."""
    try:
        return format_time(parse_time(text))
    except ValueError:
        return ""


def is_behind(last: str, now: str) -> bool:
    """Whether a clock that says ``now`` is behind what has passed already."""
    return bool(last) and last > now and bool(clock_jumped(last, now, MOST))


def refuse(reason: str, command: str) -> None:
    """Do nothing with a clock that is wrong for this reason, if there is one; ``command`` vouches for it.

    Raises:
        ClockProblem: with the reason.
    """
    if reason:
        raise clock_problem(reason, command)


def clock_problem(reason: str, command: str) -> ClockProblem:
    """What is said of a clock that is wrong for this reason."""
    return ClockProblem(
        sentence("nothing was processed: {reason}", reason=reason),
        hint=sentence(
            "Set the clock. Only if it is right, type pbem host {command} --clock-is-right.", command=command
        ),
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
