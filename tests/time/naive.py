"""Deadlines counted minute by minute, straight from the words of schemas/README.md §10: slow, and of its own make.

Local time comes from ``zoneinfo`` itself, not from the table in genesis. Nothing of ``pbem`` is imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MINUTE = timedelta(minutes=1)
Span = tuple[datetime, datetime]


@dataclass(frozen=True)
class Naive:
    hours: int
    grace: int
    again: int
    days: tuple[str, ...] = DAYS
    start: str = "00:00"
    end: str = "24:00"
    zone: str = "UTC"

    def allowed(self, moment: datetime) -> bool:
        local = moment.astimezone(ZoneInfo(self.zone))
        clock = local.strftime("%H:%M:%S")
        return DAYS[local.weekday()] in self.days and f"{self.start}:00" <= clock < f"{self.end}:00"

    def settle(self, moment: datetime, away: list[Span]) -> datetime:
        while not self.allowed(moment) or inside(moment, away):
            moment = moment.replace(second=0) + MINUTE
        return moment

    def due(self, at: datetime, away: list[Span], *, silent: bool = False) -> datetime:
        passed = count(at, self.again if silent else self.hours, away)
        return passed if silent else self.settle(passed, away)

    def overdue(self, due: datetime, away: list[Span]) -> datetime:
        return self.settle(count(due, self.grace, away), away)

    def chain(self, at: datetime, away: list[Span], excused: int) -> list[tuple[datetime, datetime]]:
        spans = []
        for _ in range(excused + 1):
            due = self.due(at, away)
            at = self.overdue(due, away)
            spans.append((due, at))
        return spans


def inside(moment: datetime, away: list[Span]) -> bool:
    return any(begin <= moment < end for begin, end in away)


def count(at: datetime, hours: int, away: list[Span]) -> datetime:
    """Walk on from ``at`` to whole minutes (absences begin and end at such); time inside ``away`` does not count."""
    left = hours * 3600
    while left > 0 or inside(at, away):
        step = 60 - at.second
        if not inside(at, away):
            step = min(step, left)
            left -= step
        at += timedelta(seconds=step)
    return at


def moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)


def text(value: datetime) -> str:
    return value.strftime("%Y-%m-%dT%H:%M:%SZ")
