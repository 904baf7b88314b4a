"""When somebody's time is up (schemas/README.md §10): pure arithmetic on the times in records, never a clock.

Genesis holds ``{"hours", "grace", "again", "then"}`` and optionally ``excused`` and a calendar (``days``, ``from``,
``to``, ``zone``, ``offsets``). schemas/README.md §10 says every rule exactly; ``pbem.protocol.record.waiting``
applies them to a match. In short: whoever is awaited has ``hours`` from the record that asks, then ``grace`` hours
until a ``default`` (or ``burn``) may be recorded. Hours of absences announced before do not count, and neither time
runs out when the calendar forbids it. Until a defaulted seat writes again its later decisions are due after ``again``
plain hours, without grace; a seat that resigned is due at once.
"""

from __future__ import annotations

from functools import cache

from pbem.base.sentences import sentence
from pbem.base.shapes.schema import Form, load
from pbem.base.values import dataclass
from pbem.game import BadSetup, JsonObject
from pbem.protocol.record.deadlines.calendar import (
    ALWAYS,
    DAYS,
    Away,
    Calendar,
    Offset,
    format_time,
    parse_time,
    plus,
    plus_hours,
    shifted,
    skipping,
    spans,
)

__all__ = [
    "ALWAYS",
    "DAYS",
    "Away",
    "Calendar",
    "Deadlines",
    "Offset",
    "clock_jumped",
    "format_time",
    "parse_time",
    "plus",
    "plus_hours",
    "shifted",
    "skipping",
]

HOLD = 72
"""Hours that a proposal about a seat is held at least."""
BACK = 24
"""Hours that a seat which came back by its word alone has for its link at least."""
_PLAIN = ("hours", "grace", "again", "then", "excused")


@cache
def _form() -> Form:
    """What ``record.schema.json`` says of the member."""
    return Form(load("record")["$defs"]["record-genesis"]["properties"]["deadlines"])


@dataclass(frozen=True, slots=True)
class Deadlines:
    """The deadline policy of a match, in whole hours; ``then`` is ``default`` or ``wait``."""

    hours: int = 72
    grace: int = 24
    again: int = 0
    then: str = "default"
    excused: int = 0
    calendar: Calendar | None = None

    @classmethod
    def from_json(cls, obj: JsonObject) -> Deadlines:
        """Read the ``deadlines`` member of genesis; ``BadSetup`` names what is wrong."""
        fault = _form().fault(obj, bulk=True)
        if fault is not None:
            raise BadSetup(fault.told("deadlines"))
        calendar = Calendar.from_json(obj) if "days" in obj else None
        policy = cls(**{name: obj[name] for name in _PLAIN if name in obj}, calendar=calendar)
        if policy.excused and policy.then == "wait":
            raise BadSetup(sentence("deadlines.excused means nothing in a match that waits"))
        return policy

    def check(self) -> None:
        """Raise ``BadSetup`` if no genesis could hold this."""
        self.from_json(self.to_json())

    def to_json(self) -> JsonObject:
        """The member of genesis; what is not used is left out."""
        members: JsonObject = {
            "hours": self.hours,
            "grace": self.grace,
            "again": self.again,
            "then": self.then,
        }
        excused: JsonObject = {"excused": self.excused} if self.excused else {}
        return members | excused | (self.calendar.to_json() if self.calendar else {})

    # --- the arithmetic -----------------------------------------------------------------------------------

    def due(self, at: str, *, silent: bool, resigned: bool, away: Away = ()) -> str:
        """By when a seat asked at ``at`` must answer; the hours of its absences ``away`` do not count."""
        if resigned:
            return at
        if silent:
            return skipping(at, self.again, away)
        return self.settled(skipping(at, self.hours, away), away)

    def overdue_from(self, due: str, *, silent: bool, resigned: bool, away: Away = ()) -> str:
        """From when on a ``default`` or ``burn`` may be recorded; for a seat that resigned, at once."""
        if resigned:
            return ALWAYS
        return due if silent else self.settled(skipping(due, self.grace, away), away)

    def back(self, at: str, away: Away = ()) -> str:
        """By when a seat that came back by its word alone must give the link that it is asked for at ``at``."""
        return skipping(at, max(self.again, BACK), away)

    def full_time(self, at: str, away: Away = ()) -> str:
        """limit(answer(``at``)) of a seat as if it were neither silent nor resigned."""
        due = self.due(at, silent=False, resigned=False, away=away)
        return self.overdue_from(due, silent=False, resigned=False, away=away)

    def hold(self, at: str, away: Away = ()) -> str:
        """Until when a proposal of ``at`` is held, pauses aside (schemas/README.md §10.8)."""
        return max(self.full_time(at, away), plus_hours(at, HOLD))

    def settled(self, moment: str, away: Away = ()) -> str:
        """The first moment not before this one that the calendar allows and that lies in no span of ``away``."""
        time = parse_time(moment)
        if self.calendar is None and not away:
            return moment
        spent = list(spans(away))
        while True:
            allowed = self.calendar.settle(time) if self.calendar else time
            inside = [end for begin, end in spent if begin <= allowed < end]
            if not inside:
                return format_time(allowed)
            time = max(inside)


def clock_jumped(last_at: str, now: str, limit: int, *, slack: int = 120) -> str:
    """Why a clock that says ``now`` cannot be trusted, in words; empty if it can.

    Args:
        last_at: the newest moment known to have passed: of the last record, or of a heartbeat after it.
        now: what the clock says.
        limit: so many hours may lie between the two before somebody has to look at it.
        slack: so many seconds a clock may be set back; a record is never written earlier than the one before it.
    """
    gap = (parse_time(now) - parse_time(last_at)).total_seconds()
    if gap < -slack:
        return sentence("the clock says {now}, but {last_at} has passed already", now=now, last_at=last_at)
    if gap > limit * 3600:
        return sentence(
            "the clock says {now}; the last sign of life is of {last_at}, more than {limit} hours before",
            now=now,
            last_at=last_at,
            limit=limit,
        )
    return ""
