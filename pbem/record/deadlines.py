"""When somebody's time is up (protocol §4.2): pure arithmetic on the times in records, never a clock.

Genesis holds ``{"hours", "grace", "again", "then"}``. Whoever is awaited has ``hours`` from the record that asks.
From ``due`` plus ``grace`` hours on a ``default`` (or ``burn``) may be recorded. Until the seat writes again its
later decisions are due after ``again`` hours, without further grace; a seat that resigned is due at once. A pause
moves what is due by as long as it lasted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pbem.game import BadSetup, JsonObject

ALWAYS = "0001-01-01T00:00:00Z"
"""Before every record: what is due since then is due at any time."""

_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z\Z")
_FORMAT = "%Y-%m-%dT%H:%M:%SZ"


def parse_time(text: str) -> datetime:
    """A time as records write it; ``ValueError`` if it is none."""
    if _TIME.match(text) is None:
        raise ValueError(f"expected a time YYYY-MM-DDThh:mm:ssZ, found {text!r}")
    return datetime.fromisoformat(text)


def format_time(moment: datetime) -> str:
    """The text of an aware time, to the second, in UTC."""
    return moment.astimezone(UTC).strftime(_FORMAT)


def plus_hours(text: str, hours: int) -> str:
    """The time ``hours`` after ``text``."""
    return format_time(parse_time(text) + timedelta(hours=hours))


def shifted(text: str, since: str, until: str) -> str:
    """``text`` moved by the span from ``since`` to ``until``."""
    return format_time(parse_time(text) + (parse_time(until) - parse_time(since)))


def skipping(at: str, hours: int, away: Sequence[tuple[str, str]]) -> str:
    """The moment when ``hours`` hours outside the spans ``away`` (from, until) have passed since ``at``."""
    moment, left = parse_time(at), timedelta(hours=hours)
    for begin, end in sorted((parse_time(a), parse_time(b)) for a, b in away):
        if end <= moment:
            continue
        if begin > moment + left:
            break
        left -= max(begin - moment, timedelta(0))
        moment = end
    return format_time(moment + left)


@dataclass(frozen=True, slots=True)
class Deadlines:
    """The deadline policy of a match, in whole hours; ``then`` is ``default`` or ``wait``."""

    hours: int = 72
    grace: int = 24
    again: int = 0
    then: str = "default"

    @classmethod
    def from_json(cls, obj: JsonObject) -> Deadlines:
        """Read the ``deadlines`` member of genesis; ``BadSetup`` names what is wrong."""
        unknown = set(obj) - {"hours", "grace", "again", "then"}
        if unknown:
            raise BadSetup(f"unknown deadline member {min(unknown)!r}")
        policy = cls(**obj)
        for name in ("hours", "grace", "again"):
            value = getattr(policy, name)
            if type(value) is not int or not 0 <= value <= 24 * 366:
                raise BadSetup(f"deadlines.{name} must be a number of hours from 0 to 8784, found {value!r}")
        if policy.then not in ("default", "wait"):
            raise BadSetup(f"deadlines.then must be 'default' or 'wait', found {policy.then!r}")
        return policy

    def to_json(self) -> JsonObject:
        """The member of genesis."""
        return {"hours": self.hours, "grace": self.grace, "again": self.again, "then": self.then}

    def due(self, at: str, *, silent: bool, resigned: bool, away: Sequence[tuple[str, str]] = ()) -> str:
        """By when a seat asked at ``at`` must answer; the hours of its absences ``away`` do not count."""
        if resigned:
            return at
        return skipping(at, self.again if silent else self.hours, away)

    def overdue_from(self, due: str, *, silent: bool, resigned: bool) -> str:
        """From when on a ``default`` or ``burn`` may be recorded; for a seat that resigned, at once."""
        if resigned:
            return ALWAYS
        return due if silent else plus_hours(due, self.grace)
