"""The public vectors of deadlines: ``python -m tests.time.vectors`` writes them again, a test compares."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from pbem.game import JsonObject
from pbem.host.config import calendar
from pbem.protocol.record.deadlines import Deadlines

PATH = Path(__file__).parent.parent / "vectors" / "deadlines.json"
_BORN = datetime(2026, 11, 21, 18, 0, tzinfo=UTC)
_WEEK = ("mon", "tue", "wed", "thu", "fri")
_ALL = (*_WEEK, "sat", "sun")
_PLAIN = Deadlines()
_WEEKDAYS = Deadlines(48, 24, 6, "default", 0, calendar(_WEEK, ("09:00", "21:00"), "Europe/Berlin", _BORN))
_NIGHT = Deadlines(24, 12, 0, "default", 0, calendar(_ALL, ("02:15", "02:45"), "Europe/Berlin", _BORN))
_YORK = Deadlines(
    24, 12, 0, "default", 0, calendar(("sat", "sun"), ("01:30", "03:00"), "America/New_York", _BORN)
)
_EXCUSED = Deadlines(72, 24, 0, "default", 2)
_BOTH = Deadlines(48, 24, 6, "default", 1, _WEEKDAYS.calendar)

Spans = list[tuple[str, str]]


def cases() -> list[JsonObject]:
    """Every vector: what is asked when, and by when it is due; ``periods`` are due and limit of each period."""
    trip: Spans = [("2026-12-20T23:00:00Z", "2027-01-05T23:00:00Z")]
    two: Spans = [
        ("2026-11-22T00:00:00Z", "2026-11-22T12:00:00Z"),
        ("2026-11-22T06:00:00Z", "2026-11-23T00:00:00Z"),
    ]
    asked: list[tuple[str, Deadlines, str, Spans, bool]] = [
        ("plain addition", _PLAIN, "2026-11-21T18:00:00Z", [], False),
        ("seconds are kept", _PLAIN, "2026-11-21T18:00:59Z", [], False),
        ("a silent seat, at once", _PLAIN, "2026-11-21T18:00:00Z", [], True),
        ("asked before an absence that begins in time", _PLAIN, "2026-12-19T18:00:00Z", trip, False),
        ("asked inside an absence", _PLAIN, "2026-12-24T18:00:00Z", trip, False),
        ("due at the first moment of an absence", _PLAIN, "2026-12-17T23:00:00Z", trip, False),
        ("due one second before an absence; grace skips it", _PLAIN, "2026-12-17T22:59:59Z", trip, False),
        ("two absences that overlap count once", _PLAIN, "2026-11-21T18:00:00Z", two, False),
        ("a silent seat in its absence", _PLAIN, "2026-12-24T18:00:00Z", trip, True),
        ("Thursday evening: Saturday is moved to Monday", _WEEKDAYS, "2026-11-26T19:30:00Z", [], False),
        ("inside the hours nothing moves", _WEEKDAYS, "2026-11-23T12:34:56Z", [], False),
        ("the end of the hours is outside", _WEEKDAYS, "2026-11-23T20:00:00Z", [], False),
        ("one second before the end is inside", _WEEKDAYS, "2026-11-23T19:59:59Z", [], False),
        ("in the night: moved to the morning", _WEEKDAYS, "2026-11-24T02:00:00Z", [], False),
        ("a silent seat knows no hours", _WEEKDAYS, "2026-11-28T02:00:00Z", [], True),
        ("Friday before summer time begins", _WEEKDAYS, "2027-03-26T18:00:00Z", [], False),
        ("Friday before summer time ends", _WEEKDAYS, "2027-10-29T18:00:00Z", [], False),
        ("the hours lie in the gap: that day is left out", _NIGHT, "2027-03-27T00:50:00Z", [], False),
        ("the hours come twice: the first time counts", _NIGHT, "2027-10-29T23:50:00Z", [], False),
        ("the hours come twice: after the first, the second", _NIGHT, "2027-10-30T00:50:00Z", [], False),
        ("a gap cuts the end off", _YORK, "2027-03-12T12:00:00Z", [], False),
        ("New York, the hour that comes twice", _YORK, "2027-11-06T05:40:00Z", [], False),
        ("moved into an absence, hence behind it", _WEEKDAYS, "2026-12-17T20:30:00Z", trip, False),
        ("two excused misses", _EXCUSED, "2026-11-21T18:00:00Z", [], False),
        ("an excused miss, with calendar and absence", _BOTH, "2026-12-16T10:00:00Z", trip, False),
        ("a hold has 72 hours at least", Deadlines(24, 12), "2026-11-21T18:00:00Z", [], False),
        ("after the table the last offset holds", _WEEKDAYS, "2040-07-06T18:30:00Z", [], False),
    ]
    return [_case(*arguments) for arguments in asked]


def _case(name: str, policy: Deadlines, at: str, away: Spans, silent: bool) -> JsonObject:
    case: JsonObject = {
        "name": name,
        "deadlines": policy.to_json(),
        "at": at,
        "away": [list(span) for span in away],
        "silent": silent,
        "due": policy.due(at, silent=silent, resigned=False, away=away),
    }
    if silent:
        return case
    case["hold"] = policy.hold(at, away)
    case["periods"] = []
    for _ in range(policy.excused + 1):
        due = policy.due(at, silent=False, resigned=False, away=away)
        at = policy.overdue_from(due, silent=False, resigned=False, away=away)
        case["periods"].append([due, at])
    return case


if __name__ == "__main__":
    text = json.dumps({"about": "schemas/README.md, section 10", "cases": cases()}, indent=1)
    PATH.parent.mkdir(exist_ok=True)
    PATH.write_text(text + "\n")
