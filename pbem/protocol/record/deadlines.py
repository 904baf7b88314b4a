"""What a match waits for, and when somebody's time is up (schemas/README.md §10): from the records, never from a clock.

Genesis holds ``{"hours", "grace", "again", "then"}`` and optionally ``excused`` and a calendar (``days``, ``from``,
``to``, ``zone``, ``offsets``). schemas/README.md §10 says every rule exactly; ``pbem.protocol.record.takeover``
applies them to a match. In short: whoever is awaited has ``hours`` from the record that asks, then ``grace`` hours
until a ``default`` (or ``burn``) may be recorded. Hours of absences announced before do not count, and neither time
runs out when the calendar forbids it. Until a defaulted seat writes again its later decisions are due after ``again``
plain hours, without grace; a seat that resigned is due at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, Protocol, assert_never

from pbem.base.sentences import sentence
from pbem.base.shapes.schema import Form, load
from pbem.base.values import dataclass
from pbem.game import BadSetup, JsonObject, Seat

HOLD = 72
"""Hours that a proposal about a seat is held at least."""
BACK = 24
"""Hours that a seat which came back by its word alone has for its link at least."""
_PLAIN = ("hours", "grace", "again", "then", "excused")


@cache
def _form() -> Form:
    """The schema of the member, from ``record.schema.json``."""
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
    def from_json(cls, obj: JsonObject, *, bulk: bool = False) -> Deadlines:
        """The policy of a ``deadlines`` member, ``bulk``: of a genesis record; ``BadSetup`` names what is wrong."""
        fault = _form().fault(obj, bulk=bulk)
        if fault is not None:
            raise BadSetup(fault.describe("deadlines"))
        calendar = Calendar.from_json(obj) if "days" in obj else None
        policy = cls(**{name: obj[name] for name in _PLAIN if name in obj}, calendar=calendar)
        if policy.excused and policy.then == "wait":
            raise BadSetup(sentence("a match that waits excuses no missed deadline"))
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


_SET_BACK: Final = 120
"""Seconds that a clock may be set back; a record is never written earlier than the one before it."""


def clock_jumped(last_at: str, now: str, limit: int) -> str:
    """Why a clock that says ``now`` cannot be trusted, in words; empty if it can.

    Args:
        last_at: the newest moment known to have passed: of the last record, or of a heartbeat after it.
        now: what the clock says.
        limit: so many hours may lie between the two before somebody has to look at it.
    """
    gap = (parse_time(now) - parse_time(last_at)).total_seconds()
    if gap < -_SET_BACK:
        return sentence("the clock says {now}, but {last_at} has passed already", now=now, last_at=last_at)
    if gap > limit * 3600:
        return sentence(
            "the clock says {now}; the last sign of life is of {last_at}, more than {limit} hours before",
            now=now,
            last_at=last_at,
            limit=limit,
        )
    return ""


# --- at which days and hours a time may run out, in a named zone (schemas/README.md §10.2) ----------------
#
# The zone's offsets stand in genesis as a table, copied from the IANA database when the match was made.
# So a verifier needs no database of zones, two programs with different releases of it agree, and no
# parliament moves a deadline.

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
                    "the days on which a time may run out are some of {known}, in this order; found {days}",
                    known=", ".join(DAYS),
                    days=", ".join(days),
                )
            )
        if start >= end:
            raise BadSetup(
                sentence(
                    "the hours in which a time may run out must begin before they end, found {begin} and {end}",
                    begin=obj["from"],
                    end=obj["to"],
                )
            )
        offsets = tuple(Offset(parse_time(offset["since"]), offset["minutes"]) for offset in obj["offsets"])
        if any(after.since <= before.since for before, after in pairwise(offsets)):
            raise BadSetup(sentence("each offset of the time zone begins after the one before it"))
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
        """``settle`` as if this offset held for ever. Eight days hold every weekday with all of its hours."""
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


# --- what a match waits for -------------------------------------------------------------------------------
#
# One closed union: every email, screen, picture and service shows it from here. ``takeover.standing_of`` makes it from
# the ledger, and nothing else does. Whoever says or does something about it matches on the class and ends with
# ``assert_never``, so that a new kind of waiting is missed nowhere.


@dataclass(frozen=True, slots=True)
class Joins:
    """Seats that nobody has taken yet."""

    seats: tuple[Seat, ...]


@dataclass(frozen=True, slots=True)
class ReadyFiles:
    """The first epoch is laid; it opens when these seats have sent their ready file, due at ``due``."""

    seats: tuple[Seat, ...]
    due: str | None


@dataclass(frozen=True, slots=True)
class Links:
    """Nobody is to act; the next epoch opens when these seats have sent their link, by a ready file or any other.

    ``lost`` are seats whose link is missing too, but which nobody can give any more: the seat was taken over after
    the epoch was laid.
    """

    seats: tuple[Seat, ...]
    epoch: int
    due: str | None
    lost: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """The seat whose turn it is: its decision in ``phase`` is due at ``due``; a default is possible from ``limit`` on.

    ``limit`` counts excused misses; None where no default is ever played. ``asked`` is the record that asks.
    """

    seat: Seat
    phase: str
    asked: int
    due: str | None
    limit: str | None


@dataclass(frozen=True, slots=True)
class Answer:
    """A seat that must answer in the turn of ``active``; else like ``Decision``."""

    seat: Seat
    phase: str
    active: Seat
    asked: int
    due: str | None
    limit: str | None


@dataclass(frozen=True, slots=True)
class Host:
    """No player: the host's next record comes by itself.

    ``lost``: the laid epoch waits for links of these seats, which nobody can give any more; it is laid again when their
    time is over.
    """

    lost: tuple[Seat, ...] = ()


@dataclass(frozen=True, slots=True)
class Paused:
    """Nothing is due until ``until``, unless all agree to another end; then the match waits for what ``then`` says."""

    until: str
    then: Running


@dataclass(frozen=True, slots=True)
class Over:
    """The match has ended, with this outcome (schemas/README.md §7, ``end``)."""

    outcome: JsonObject


Running = Joins | ReadyFiles | Links | Decision | Answer | Host
"""What a match can wait for while its time runs."""
Standing = Running | Paused | Over


class Shown(Protocol):
    """A record that shows the table to everybody: its body has ``public``."""

    @property
    def body(self) -> JsonObject:
        """What the record says."""


@dataclass(frozen=True, slots=True)
class Moment:
    """How a match stood after a record: what it waited for, and which record shows the table (None before ``open``)."""

    standing: Standing
    shown: Shown | None

    @property
    def public(self) -> JsonObject | None:
        """What everybody saw."""
        return None if self.shown is None else self.shown.body["public"]


def awaited_in(standing: Standing) -> tuple[Seat, ...]:
    """The seats that can do something now so that the match goes on; empty in a pause, and when none can."""
    match standing:
        case Decision() | Answer():
            return (standing.seat,)
        case Joins() | ReadyFiles() | Links():
            return standing.seats
        case Host() | Paused() | Over():
            return ()
        case _:
            assert_never(standing)


def due_in(standing: Standing) -> str | None:
    """By when whoever is awaited must answer; None where no time runs."""
    match standing:
        case Decision() | Answer() | ReadyFiles() | Links():
            return standing.due
        case Joins() | Host() | Paused() | Over():
            return None
        case _:
            assert_never(standing)


def beneath(standing: Standing) -> Running | None:
    """What the match waits for, pauses aside; None when it is over."""
    match standing:
        case Paused():
            return standing.then
        case Over():
            return None
        case Joins() | ReadyFiles() | Links() | Decision() | Answer() | Host():
            return standing
        case _:
            assert_never(standing)


def is_paused(standing: Standing) -> bool:
    """Whether nothing is due because the players agreed to a pause."""
    return isinstance(standing, Paused)
