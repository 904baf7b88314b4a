"""At which days and hours a time may run out, in a named zone (schemas/README.md §10.2).

The zone's offsets stand in genesis as a table, copied from the IANA database when the match was made. So a verifier
needs no database of zones, two programs with different releases of it agree, and no parliament moves a deadline.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from pbem.game import BadSetup, Json, JsonObject
from pbem.record.deadlines.moments import LAST, format_time, parse_time

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MEMBERS: Final = frozenset({"days", "from", "to", "zone", "offsets"})
"""The members of ``deadlines`` that make a calendar: all of them stand there, or none."""

_CLOCK = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]\Z")
_ZONE = re.compile(r"[A-Za-z0-9_+-]{1,32}(?:/[A-Za-z0-9_+-]{1,32}){0,2}\Z")
_MOST_OFFSETS: Final = 256
_WIDEST: Final = 18 * 60


@dataclass(frozen=True, slots=True)
class Offset:
    """From ``since`` on, local time is UTC plus ``minutes``."""

    since: datetime
    minutes: int


@dataclass(frozen=True, slots=True)
class Calendar:
    """The moments at which a time may run out: on ``days``, from ``start`` until before ``end`` (minutes of a day)."""

    days: frozenset[str]
    start: int
    end: int
    zone: str
    offsets: tuple[Offset, ...]

    @classmethod
    def from_json(cls, obj: JsonObject) -> Calendar:
        """Read the five members; ``BadSetup`` names what is wrong."""
        days = obj["days"]
        if not isinstance(days, list) or not days or days != [day for day in DAYS if day in days]:
            raise BadSetup(
                f"deadlines.days: expected some of {', '.join(DAYS)}, in this order, found {days!r}"
            )
        start, end = _minutes(obj, "from"), _minutes(obj, "to")
        if start >= end:
            raise BadSetup(f"deadlines.from must be before deadlines.to, found {obj['from']} and {obj['to']}")
        zone = obj["zone"]
        if not isinstance(zone, str) or _ZONE.match(zone) is None:
            raise BadSetup(f"deadlines.zone: expected the name of a time zone, found {zone!r}")
        return cls(frozenset(days), start, end, zone, _offsets(obj["offsets"]))

    def to_json(self) -> JsonObject:
        """The members of genesis."""
        return {
            "days": [day for day in DAYS if day in self.days],
            "from": _clock(self.start),
            "to": _clock(self.end),
            "zone": self.zone,
            "offsets": [{"since": format_time(o.since), "minutes": o.minutes} for o in self.offsets],
        }

    def local(self, moment: datetime) -> datetime:
        """What clocks in the zone show at ``moment``, as a time that pretends to be in UTC."""
        return moment + timedelta(minutes=self.offsets[self._segment(moment)].minutes)

    def settle(self, moment: datetime) -> datetime:
        """The first moment not before ``moment`` at which a time may run out."""
        for at in range(self._segment(moment), len(self.offsets)):
            found = self._within(moment, timedelta(minutes=self.offsets[at].minutes))
            if at + 1 == len(self.offsets) or found < self.offsets[at + 1].since:
                return found
            moment = max(moment, self.offsets[at + 1].since)
        return moment  # never reached: the last offset holds for ever

    def _segment(self, moment: datetime) -> int:
        """The newest offset that holds at ``moment``; before the first one, the first."""
        later = (at for at, offset in enumerate(self.offsets) if offset.since > moment)
        return max(next(later, len(self.offsets)) - 1, 0)

    def _within(self, moment: datetime, offset: timedelta) -> datetime:
        """The same, as if this offset held for ever. Eight days hold every weekday with all of its hours."""
        if LAST - moment < timedelta(days=9):
            return moment
        local = moment + offset
        midnight = local.replace(hour=0, minute=0, second=0)
        for count in range(8):
            day = midnight + timedelta(days=count)
            opens, ends = day + timedelta(minutes=self.start), day + timedelta(minutes=self.end)
            if DAYS[day.weekday()] in self.days and local < ends:
                return max(local, opens) - offset
        return moment  # never reached: days is not empty


def _minutes(obj: JsonObject, member: str) -> int:
    text = obj[member]
    if member == "to" and text == "24:00":
        return 24 * 60
    if not isinstance(text, str) or _CLOCK.match(text) is None:
        raise BadSetup(f"deadlines.{member}: expected a time of day hh:mm, found {text!r}")
    return int(text[:2]) * 60 + int(text[3:])


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _offsets(listed: Json) -> tuple[Offset, ...]:
    if not isinstance(listed, list) or not 1 <= len(listed) <= _MOST_OFFSETS:
        raise BadSetup(f"deadlines.offsets: expected 1 to {_MOST_OFFSETS} entries")
    found = tuple(_offset(entry) for entry in listed)
    if any(after.since <= before.since for before, after in pairwise(found)):
        raise BadSetup("deadlines.offsets: each entry begins after the one before it")
    return found


def _offset(entry: Json) -> Offset:
    if not isinstance(entry, dict) or set(entry) != {"since", "minutes"}:
        raise BadSetup(f"deadlines.offsets: expected since and minutes, found {entry!r}")
    minutes = entry["minutes"]
    if type(minutes) is not int or abs(minutes) > _WIDEST:
        raise BadSetup(f"deadlines.offsets: expected minutes from -1080 to 1080, found {minutes!r}")
    try:
        return Offset(parse_time(str(entry["since"])), minutes)
    except ValueError as error:
        raise BadSetup(f"deadlines.offsets: {error}") from error
