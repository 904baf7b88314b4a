"""At which days and hours a time may run out, in a named zone (schemas/README.md §10.2).

The zone's offsets stand in genesis as a table, copied from the IANA database when the match was made. So a verifier
needs no database of zones, two programs with different releases of it agree, and no parliament moves a deadline.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise
from typing import Final

from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import BadSetup, JsonObject
from pbem.protocol.record.deadlines.moments import LAST, format_time, parse_time

DAYS: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


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
        """Build it of members that have the form of ``record.schema.json``.

        Raises:
            BadSetup: days or offsets do not follow each other, or the day ends before it begins.
        """
        days, start, end = obj["days"], _minutes(obj["from"]), _minutes(obj["to"])
        if days != [day for day in DAYS if day in days]:
            raise BadSetup(
                sentence(
                    "deadlines.days: expected some of {known}, in this order, found {days!r}",
                    known=", ".join(DAYS),
                    days=days,
                )
            )
        if start >= end:
            raise BadSetup(
                sentence(
                    "deadlines.from must be before deadlines.to, found {begin} and {end}",
                    begin=obj["from"],
                    end=obj["to"],
                )
            )
        offsets = tuple(Offset(parse_time(offset["since"]), offset["minutes"]) for offset in obj["offsets"])
        if any(after.since <= before.since for before, after in pairwise(offsets)):
            raise BadSetup(sentence("deadlines.offsets: each entry begins after the one before it"))
        return cls(frozenset(days), start, end, obj["zone"], offsets)

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
            time = self._within(moment, timedelta(minutes=self.offsets[at].minutes))
            if at + 1 == len(self.offsets) or time < self.offsets[at + 1].since:
                return time
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


def _minutes(text: str) -> int:
    return int(text[:2]) * 60 + int(text[3:])


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"
