"""Times as one reader reads them: in his zone, with the weekday, and how much is left from another time on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from typing import Final

_SOON: Final = timedelta(days=6)
"""Within so much a weekday alone names a day."""
_THIS_YEAR: Final = timedelta(days=300)
"""Within so much a day and a month do."""


@dataclass(frozen=True, slots=True)
class Clock:
    """A zone and its name as it is said with every time; ``UTC`` where the reader has named none."""

    zone: tzinfo
    name: str

    def read(self, time: str) -> datetime:
        """A time of a record on this clock."""
        return datetime.fromisoformat(time).astimezone(self.zone)

    def near(self, time: str, now: str) -> bool:
        """Whether at ``now`` the weekday alone says which day ``time`` falls on."""
        return abs(self.read(time) - self.read(now)) < _SOON

    def far(self, time: str, now: str) -> bool:
        """Whether at ``now`` the year must be said, too."""
        return abs(self.read(time) - self.read(now)) > _THIS_YEAR


UTC_CLOCK: Final = Clock(UTC, "UTC")


@cache
def clock_of(zone: str) -> Clock:
    """The clock of an IANA zone; UTC if it is empty or this machine's database does not know it."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return Clock(ZoneInfo(zone), zone) if zone and zone != "UTC" else UTC_CLOCK
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC_CLOCK


def minutes_between(now: str, time: str) -> int:
    """Whole minutes from one time to another, rounded down; negative if it is past."""
    return int((datetime.fromisoformat(time) - datetime.fromisoformat(now)) // timedelta(minutes=1))
