"""The arithmetic of deadlines against a naive count, minute by minute, across changes of the clock."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.base.errors import UsageProblem
from pbem.game import BadSetup
from pbem.host.config import calendar, zone_offsets
from pbem.protocol.record.deadlines import Calendar, Deadlines, Offset, clock_jumped, shifted, skipping
from tests.time.naive import DAYS, Naive, Span, moment, text
from tests.time.vectors import PATH, cases

CHANGES = (
    ("Europe/Berlin", datetime(2027, 3, 28, 1, 0, tzinfo=UTC)),
    ("Europe/Berlin", datetime(2027, 10, 31, 1, 0, tzinfo=UTC)),
    ("America/New_York", datetime(2027, 3, 14, 7, 0, tzinfo=UTC)),
    ("America/New_York", datetime(2027, 11, 7, 6, 0, tzinfo=UTC)),
)
BORN = datetime(2026, 11, 21, 18, 0, tzinfo=UTC)
TABLES = {zone: zone_offsets(zone, BORN) for zone in ("Europe/Berlin", "America/New_York", "UTC")}

minutes = st.integers(0, 24 * 60 - 1)


@st.composite
def policies(draw: st.DrawFn, zone: str) -> tuple[Deadlines, Naive]:
    hours, grace, again = (draw(st.integers(0, most)) for most in (90, 50, 12))
    days = tuple(day for day in DAYS if draw(st.booleans())) or ("sun",)
    first = draw(st.one_of(minutes, st.sampled_from((60, 90, 120, 150, 179, 180))))
    last = draw(st.one_of(st.integers(first + 1, 24 * 60), st.just(first + 1)))
    week = Calendar(frozenset(days), first, last, zone, TABLES[zone])
    slow = Naive(hours, grace, again, days, clock(first), clock(last), zone)
    return Deadlines(hours, grace, again, calendar=week), slow


def clock(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"


@st.composite
def absences(draw: st.DrawFn, around: datetime) -> list[Span]:
    spans = []
    for _ in range(draw(st.integers(0, 3))):
        begin = around + timedelta(minutes=draw(st.integers(-6000, 9000)))
        spans.append((begin, begin + timedelta(minutes=draw(st.integers(1, 6000)))))
    return spans


def written(away: list[Span]) -> list[tuple[str, str]]:
    return [(text(begin), text(end)) for begin, end in away]


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(CHANGES), st.integers(-7 * 86400, 2 * 86400))
def test_due_and_overdue_are_what_a_count_minute_by_minute_gives(
    data: st.DataObject, change: tuple[str, datetime], seconds: int
) -> None:
    zone, turn = change
    policy, slow = data.draw(policies(zone))
    away = data.draw(absences(turn))
    at = turn + timedelta(seconds=seconds)
    due = policy.due(text(at), silent=False, resigned=False, away=written(away))
    assert due == text(slow.due(at, away))
    limit = policy.overdue_from(due, silent=False, resigned=False, away=written(away))
    assert limit == text(slow.overdue(moment(due), away))
    again = policy.due(text(at), silent=True, resigned=False, away=written(away))
    assert again == text(slow.due(at, away, silent=True))


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(CHANGES), st.integers(-3 * 86400, 3 * 86400))
def test_what_the_calendar_settles_is_allowed_and_nothing_before_it_is(
    data: st.DataObject, change: tuple[str, datetime], seconds: int
) -> None:
    zone, turn = change
    policy, slow = data.draw(policies(zone))
    assert policy.calendar is not None
    at = turn + timedelta(seconds=seconds)
    settled = policy.calendar.settle(at)
    assert slow.allowed(settled)
    assert settled == slow.settle(at, [])
    assert policy.calendar.settle(settled) == settled
    assert policy.calendar.local(at) == at.astimezone(ZoneInfo(zone)).replace(tzinfo=UTC)


@given(st.integers(0, 10**6), st.integers(0, 200))
def test_without_calendar_and_absences_it_is_plain_addition(seconds: int, hours: int) -> None:
    at = BORN + timedelta(seconds=seconds)
    policy = Deadlines(hours, hours // 2)
    due = policy.due(text(at), silent=False, resigned=False)
    assert due == text(at + timedelta(hours=hours))
    assert policy.overdue_from(due, silent=False, resigned=False) == text(
        at + timedelta(hours=hours + hours // 2)
    )


def test_the_vectors_are_what_the_program_and_the_naive_count_give() -> None:
    listed = json.loads(PATH.read_text())["cases"]
    assert len(listed) >= 20
    assert listed == cases(), "make golden KIND=vectors"
    for case in listed:
        obj = case["deadlines"]
        policy, away = Deadlines.from_json(obj), [tuple(span) for span in case["away"]]
        due = policy.due(case["at"], silent=case["silent"], resigned=False, away=away)
        assert due == case["due"], case
        if case["at"] > "2037":  # behind the table its last offset holds, whatever the zone does then
            obj = obj | {"zone": "Etc/GMT-1"}
        slow = Naive(
            obj["hours"],
            obj["grace"],
            obj["again"],
            tuple(obj.get("days", DAYS)),
            obj.get("from", "00:00"),
            obj.get("to", "24:00"),
            obj.get("zone", "UTC"),
        )
        spans = [(moment(a), moment(b)) for a, b in case["away"]]
        assert text(slow.due(moment(case["at"]), spans, silent=case["silent"])) == due, case
        if not case["silent"]:
            periods = slow.chain(moment(case["at"]), spans, obj.get("excused", 0))
            assert [[text(a), text(b)] for a, b in periods] == case["periods"], case


def test_the_table_of_a_zone_holds_its_changes_to_the_second() -> None:
    berlin = zone_offsets("Europe/Berlin", BORN, 1)
    assert [(text(o.since), o.minutes) for o in berlin] == [
        ("2026-11-21T18:00:00Z", 60),
        ("2027-03-28T01:00:00Z", 120),
        ("2027-10-31T01:00:00Z", 60),
    ]
    assert [o.minutes for o in zone_offsets("Asia/Kathmandu", BORN)] == [345]
    with pytest.raises(UsageProblem, match="no time zone"):
        zone_offsets("Middle/Earth", BORN)


def test_before_the_table_of_a_zone_begins_its_first_offset_holds() -> None:
    table = (Offset(BORN, 60), Offset(BORN + timedelta(days=90), 120))
    week = Calendar(frozenset({"sat"}), 18 * 60, 19 * 60, "Europe/Berlin", table)
    for days in (0, 7):  # a Saturday, 18:00 of local time
        begins = BORN - timedelta(days=days, hours=1)
        assert week.local(begins) == BORN - timedelta(days=days)
        assert week.settle(begins - timedelta(hours=1)) == begins


def test_a_policy_survives_genesis_and_leaves_out_what_it_does_not_use() -> None:
    assert Deadlines().to_json() == {"hours": 72, "grace": 24, "again": 0, "then": "default"}
    week = calendar(["sun", "mon"], ("09:30", "24:00"), "Europe/Berlin", BORN)
    policy = Deadlines(48, 12, 6, "default", 2, week)
    assert policy.to_json()["days"] == ["mon", "sun"]
    assert Deadlines.from_json(policy.to_json()) == policy


@pytest.mark.parametrize("hours", [("09:59", "23:59"), ("00:00", "00:01"), ("21:45", "24:00")])
def test_times_of_day_are_written_as_they_were_read(hours: tuple[str, str]) -> None:
    body = Deadlines(calendar=calendar(["mon"], hours, "UTC", BORN)).to_json()
    assert (body["from"], body["to"]) == hours


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"days": []}, "days"),
        ({"days": ["tue", "mon"]}, "in this order"),
        ({"days": ["mon", "mon"]}, "only once"),
        ({"from": "9:00"}, "time of day"),
        ({"from": "24:00"}, "time of day"),
        ({"to": "08:00"}, "must begin before they end"),
        ({"to": "09:00"}, "must begin before they end"),
        ({"zone": "Europe/../passwd"}, "name in the IANA"),
        ({"offsets": []}, "offsets"),
        ({"offsets": [7]}, "offsets 1: expected an object"),
        ({"offsets": [{"since": "2026-11-21T18:00:00Z"}]}, "offsets 1: member .minutes. is missing"),
        (
            {"offsets": [{"since": f"{year}-01-01T00:00:00Z", "minutes": 0} for year in range(2000, 2257)]},
            "256",
        ),
        ({"offsets": [{"since": "2026-11-21T18:00:00Z", "minutes": 1081}]}, "minutes"),
        ({"offsets": [{"since": "2026-11-21T18:00:00Z", "minutes": -1081}]}, "minutes"),
        ({"offsets": [{"since": "2026-02-31T18:00:00Z", "minutes": 0}]}, "offsets"),
        ({"offsets": [{"since": "2026-11-21", "minutes": 0}]}, "offsets"),
        ({"offsets": [{"since": "2026-11-21T18:00:00+00:00", "minutes": 0}]}, "offsets"),
        ({"offsets": [{"since": "2026-11-21T18:00:00Z", "minutes": 0}] * 2}, "begins after"),
        ({"excused": -1}, "excused"),
        ({"excused": True}, "excused"),
        ({"excused": 1, "then": "wait"}, "excuses no missed deadline"),
        ({"hours": 8785}, "hours"),
        ({"grace": -1}, "grace"),
        ({"again": True}, "again"),
        ({"then": "sometimes"}, "then"),
        ({"excused": 100}, "excused"),
        ({"minutes": 1}, "unexpected member"),
    ],
)
def test_a_wrong_policy_is_refused_by_name(change: dict[str, object], says: str) -> None:
    good = Deadlines(calendar=calendar(["mon"], ("09:00", "21:00"), "UTC", BORN)).to_json()
    with pytest.raises(BadSetup, match=says):
        Deadlines.from_json({**good, **change})
    with pytest.raises(BadSetup, match="member 'zone' is missing"):
        Deadlines.from_json({name: value for name, value in good.items() if name != "zone"})


def test_the_widest_policy_is_read() -> None:
    good = Deadlines(8784, 0, 8784, calendar=calendar(["mon"], ("09:00", "21:00"), "UTC", BORN)).to_json()
    offsets = [
        {"since": f"{year}-01-01T00:00:00Z", "minutes": 1080 if year % 2 else -1080}
        for year in range(2000, 2256)
    ]
    widest = {**good, "excused": 99, "offsets": offsets}
    assert Deadlines.from_json(widest).to_json() == widest


def test_times_at_the_end_of_the_calendar_do_not_overflow() -> None:
    last = "9999-12-31T23:59:59Z"
    assert skipping("2026-11-21T18:00:00Z", 8784, [("2026-11-21T00:00:00Z", last)]) == last
    week = calendar(["mon"], ("09:00", "21:00"), "Europe/Berlin", BORN)
    away = [("2026-11-21T00:00:00Z", last)]
    assert (
        Deadlines(calendar=week).due(
            BORN.strftime("%Y-%m-%dT%H:%M:%SZ"), silent=False, resigned=False, away=away
        )
        == last
    )


def test_a_clock_that_went_back_or_jumped_ahead_is_not_trusted() -> None:
    last = "2026-11-21T18:00:00Z"
    assert clock_jumped(last, "2026-11-21T17:58:00Z", 48) == ""  # two minutes back
    assert "has passed already" in clock_jumped(last, "2026-11-21T17:57:59Z", 48)
    assert clock_jumped(last, "2026-11-23T18:00:00Z", 48) == ""
    assert "more than 48 hours" in clock_jumped(last, "2026-11-23T18:00:01Z", 48)


def test_a_span_that_ends_before_it_begins_moves_nothing() -> None:
    due, early, late = "2026-11-24T18:00:00Z", "2026-11-21T18:00:00Z", "2026-11-22T18:00:00Z"
    assert shifted(due, early, late) == "2026-11-25T18:00:00Z"
    assert shifted(due, late, early) == due


def test_time_that_would_be_up_as_an_absence_begins_is_up_at_its_end() -> None:
    away = [("2026-11-22T18:00:00Z", "2026-11-24T09:00:00Z")]
    assert skipping("2026-11-21T18:00:00Z", 24, away) == "2026-11-24T09:00:00Z"
    assert skipping("2026-11-21T17:00:00Z", 24, away) == "2026-11-22T17:00:00Z"
    assert skipping("2026-11-21T19:00:00Z", 24, away) == "2026-11-24T10:00:00Z"


def test_the_calendar_may_lead_to_the_very_beginning_of_an_absence() -> None:
    """Saturday becomes Monday; who is away from Monday's first second on has until they are back."""
    week = Calendar(frozenset(DAYS[:5]), 0, 24 * 60, "UTC", TABLES["UTC"])
    monday, back = "2026-11-30T00:00:00Z", "2026-12-02T12:00:00Z"
    policy = Deadlines(24, 0, calendar=week)
    assert policy.due("2026-11-27T18:00:00Z", silent=False, resigned=False) == monday
    assert policy.due("2026-11-27T18:00:00Z", silent=False, resigned=False, away=[(monday, back)]) == back
