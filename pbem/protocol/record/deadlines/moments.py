"""Times as records write them, and hours that do not count.

Everything here is exact to the second and in UTC; a day has 24 hours, since no zone is involved.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache

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
