"""Times as people type them: a day, a day with a time, so many days from now.

A day without a time is that whole day: it begins a span at its first moment and ends it after its last. Local time is
that of the match's calendar if it has one, else of this machine.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.protocol.record import Deadlines
from pbem.protocol.record.deadlines import Calendar, format_time, parse_time, plus

ToUtc = Callable[[datetime], datetime]
"""From what a clock on the wall shows (without a zone) to UTC."""

_LOCAL = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](\d{1,2}:\d{2}))?\Z")
_FROM_NOW = re.compile(r"\+(\d{1,4})([hdw])\Z")
_HOURS = {"h": 1, "d": 24, "w": 24 * 7}


def now() -> str:
    """The time by this machine's clock, as records write it."""
    return format_time(datetime.now(UTC))


def read_moment(text: str, now: str, to_utc: ToUtc, *, ends: bool = False) -> str:
    """A typed time as records write it.

    Args:
        text: ``2026-12-20``, ``2026-12-20 18:00``, ``+3d``, ``+12h``, ``now``, or a time as records write it.
        now: the time now.
        to_utc: see ``wall_of``.
        ends: the time ends a span, so a bare day counts to its end.

    Raises:
        UsageProblem: it is nothing of that.
    """
    text = text.strip()
    try:
        if text == "now":
            return now
        if match := _FROM_NOW.match(text):
            return format_time(plus(parse_time(now), timedelta(hours=int(match[1]) * _HOURS[match[2]])))
        if match := _LOCAL.match(text):
            return _local(match[1], match[2], to_utc, ends=ends)
        return format_time(parse_time(text))
    except (ValueError, OverflowError):
        raise UsageProblem(
            sentence(
                "expected a day (2026-12-20), a time (2026-12-20 18:00), +3d or +12h; found {text!r}",
                text=text,
            )
        ) from None


def _local(day: str, clock: str | None, to_utc: ToUtc, *, ends: bool) -> str:
    wall = datetime.strptime(f"{day} {clock or '0:00'}", "%Y-%m-%d %H:%M")  # noqa: DTZ007  the wall has no zone
    if clock is None and ends:
        wall += timedelta(days=1)
    return format_time(to_utc(wall))


def wall_of(policy: Deadlines) -> ToUtc:
    """How this match's people read a clock: in the calendar's zone, else as this machine does."""
    calendar = policy.calendar
    return _machine if calendar is None else lambda wall: _in_calendar(calendar, wall)


def _machine(wall: datetime) -> datetime:
    return wall.astimezone().astimezone(UTC)


def _in_calendar(calendar: Calendar, wall: datetime) -> datetime:
    """The first moment at which clocks in the zone show this; where they skip it, as if not changed yet."""
    shown = wall.replace(tzinfo=UTC)
    tries = sorted({shown - timedelta(minutes=offset.minutes) for offset in calendar.offsets})
    fitting = [moment for moment in tries if calendar.local(moment) == shown]
    if fitting:
        return fitting[0]
    before = calendar.local(shown - timedelta(days=1)) - (shown - timedelta(days=1))
    return shown - before
