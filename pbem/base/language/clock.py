"""Times as one reader reads them: in his zone, with the weekday, and how much is left from another time on."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cache
from typing import Final

from pbem.base.values import dataclass

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


class AskedZone(tzinfo):
    """A zone where Python has no database of zones: somebody else knows how far its clocks are ahead of UTC.

    ``offset`` takes the zone's name and seconds since 1970, and tells seconds, or nothing if the zone is unknown.
    """

    def __init__(self, name: str, offset: Callable[[str, int], float | None]) -> None:
        self._name = name
        self._offset = offset
        self._ahead(datetime(2026, 1, 1, tzinfo=UTC))  # an unknown zone is refused at once

    def _ahead(self, at: datetime) -> timedelta:
        ahead = self._offset(self._name, int(at.timestamp()))
        if not isinstance(ahead, int | float):
            raise ValueError(self._name)  # unknown
        return timedelta(seconds=ahead)

    def fromutc(self, dt: datetime) -> datetime:
        """The time on this zone's clocks; ``dt`` is UTC under this zone's name."""
        return dt + self._ahead(dt.replace(tzinfo=UTC))

    def utcoffset(self, dt: datetime | None) -> timedelta | None:
        """How far these clocks are ahead at a time that they show; the earlier one in an hour that comes twice."""
        if dt is None:
            return None
        shown, day = dt.replace(tzinfo=UTC), timedelta(days=1)
        before, after = self._ahead(shown - day), self._ahead(shown + day)
        return before if self._ahead(shown - before) == before else after

    def dst(self, _: datetime | None) -> timedelta | None:
        """Not known."""
        return None

    def tzname(self, _: datetime | None) -> str:
        """As the database calls it."""
        return self._name


def _of_database(zone: str) -> tzinfo:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # most commands need no zone

    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, OSError) as fault:
        raise ValueError(zone) from fault


_find: Callable[[str], tzinfo] = _of_database


def use_zones(find: Callable[[str], tzinfo]) -> None:
    """From now on zones come from here (a browser knows them, its Python does not); ``ValueError``: unknown."""
    global _find  # noqa: PLW0603 - like the primitives: one process has one place that knows
    _find = find
    clock_of.cache_clear()


@cache
def clock_of(zone: str) -> Clock:
    """The clock of an IANA zone; UTC if it is empty or nobody here knows it."""
    try:
        return UTC_CLOCK if zone in ("", "UTC", "Etc/UTC") else Clock(_find(zone), zone)
    except ValueError:
        return UTC_CLOCK


def minutes_between(now: str, time: str) -> int:
    """Whole minutes from one time to another, rounded down; negative if it is past."""
    return int((datetime.fromisoformat(time) - datetime.fromisoformat(now)) // timedelta(minutes=1))
