"""A named time zone as the table of offsets that genesis holds (schemas/README.md §10.2).

The IANA database is read here, once, when a match is made; rulings and audits use the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.protocol.record.deadlines import DAYS, Calendar, Deadlines, Offset, format_time

YEARS = 10
"""So far the table reaches; after it the last offset holds."""


def zone_named(name: str) -> ZoneInfo:
    """The zone ``name`` of the IANA database; ``UsageProblem`` if there is none."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageProblem(
            sentence("there is no time zone {name!r}", name=name),
            hint=sentence("Name it like Europe/Berlin, America/New_York or UTC."),
        ) from error


def zone_offsets(name: str, since: datetime, years: int = YEARS) -> tuple[Offset, ...]:
    """The offsets of the zone ``name`` from ``since`` on.

    Raises:
        UsageProblem: there is no such zone, or it has an offset that is not in whole minutes.
    """
    zone = zone_named(name)
    offsets = [Offset(since, _minutes(zone, since))]
    day, end = since, since + timedelta(days=366 * years)
    while day < end:
        after = day + timedelta(days=1)
        if _minutes(zone, after) != offsets[-1].minutes:
            change = _change(zone, day, after)
            offsets.append(Offset(change, _minutes(zone, change)))
        day = after
    return tuple(offsets)


def calendar(days: Sequence[str], hours: tuple[str, str], zone: str, since: datetime) -> Calendar:
    """The calendar of a match that is made at ``since``; ``BadSetup`` or ``UsageProblem`` if it does not fit."""
    offsets = zone_offsets(zone, since)
    members = {
        "days": [day for day in DAYS if day in days] if set(days) <= set(DAYS) else list(days),
        "from": hours[0],
        "to": hours[1],
        "zone": zone,
        "offsets": [{"since": format_time(o.since), "minutes": o.minutes} for o in offsets],
    }
    made = Deadlines.from_json({**Deadlines().to_json(), **members}).calendar
    assert made is not None  # noqa: S101 - its members are there
    return made


def _minutes(zone: ZoneInfo, moment: datetime) -> int:
    offset = moment.astimezone(zone).utcoffset() or timedelta(0)
    minutes, rest = divmod(offset, timedelta(minutes=1))
    if rest:
        raise UsageProblem(
            sentence(
                "{key} is {offset} off UTC at {moment}, which is not in whole minutes",
                key=zone.key,
                offset=offset,
                moment=moment,
            )
        )
    return minutes


def _change(zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """The second at which the offset changes between two moments, one day apart."""
    old = _minutes(zone, before)
    low, high = int(before.timestamp()), int(after.timestamp())
    while high - low > 1:
        middle = (low + high) // 2
        if _minutes(zone, datetime.fromtimestamp(middle, UTC)) == old:
            low = middle
        else:
            high = middle
    return datetime.fromtimestamp(high, UTC)
