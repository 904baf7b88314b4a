"""At which days and hours a time may run out, in a named zone (schemas/README.md §10.2).

The zone's offsets stand in genesis as a table, copied from the IANA database when the match was made. So a verifier
needs no database of zones, two programs with different releases of it agree, and no parliament moves a deadline.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import pairwise
from typing import Final

from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import BadSetup, JsonObject

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


# --- times as records write them, and hours that do not count ---------------------------------------------
#
# Everything here is exact to the second and in UTC; a day has 24 hours, since no zone is involved.

ALWAYS = "0001-01-01T00:00:00Z"
"""Before every record: what is due since then is due at any time."""

LAST = datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)
"""No time is later; what would be is this."""

Away = Sequence[tuple[str, str]]
"""Spans that do not count, each from its first moment to the one after its last."""

_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z\Z")


@lru_cache(maxsize=1024)
def parse_time(text: str) -> datetime:
    """A time as records write it; ``ValueError`` if it is none."""
    if _TIME.match(text) is None:
        raise ValueError(f"expected a time YYYY-MM-DDThh:mm:ssZ, found {text!r}")
    return datetime.fromisoformat(text)


def format_time(moment: datetime) -> str:
    """The text of an aware time, to the second, in UTC."""
    return moment.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def plus(moment: datetime, span: timedelta) -> datetime:
    """``moment`` later by ``span``, at most ``LAST``."""
    return moment + span if span <= LAST - moment else LAST


@lru_cache(maxsize=1024)
def plus_hours(text: str, hours: int) -> str:
    """The time ``hours`` after ``text``."""
    return format_time(plus(parse_time(text), timedelta(hours=hours)))


def shifted(text: str, since: str, until: str) -> str:
    """``text`` moved by the span from ``since`` to ``until``; a span that ends before it begins moves nothing."""
    span = parse_time(until) - parse_time(since)
    return format_time(plus(parse_time(text), max(span, timedelta(0))))


def skipping(at: str, hours: int, away: Away) -> str:
    """The moment when ``hours`` hours outside the spans ``away`` have passed since ``at``; never inside one."""
    if not away:
        return plus_hours(at, hours)
    moment, left = parse_time(at), timedelta(hours=hours)
    for begin, end in spans(away):
        if end <= moment:
            continue
        if begin > plus(moment, left):
            break
        left -= max(begin - moment, timedelta(0))
        moment = end
    return format_time(plus(moment, left))


def spans(away: Away) -> Iterable[tuple[datetime, datetime]]:
    """The spans as times, in the order in which they begin."""
    return sorted((parse_time(begin), parse_time(end)) for begin, end in away)
