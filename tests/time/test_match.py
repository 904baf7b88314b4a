"""Time in a match, from record to record: excused misses, pauses, absences, outages, and every ``due`` checked."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from pbem.base.errors import RefusedError, VerificationError
from pbem.game import JsonObject, Seat
from pbem.host.config import calendar
from pbem.protocol.audit import audit
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import make_file
from pbem.protocol.record import Deadlines, Line, Record
from pbem.protocol.record.deadlines import format_time, parse_time, shifted
from pbem.protocol.record.kinds.agreements import must_agree
from pbem.protocol.record.ledger import Pause
from pbem.protocol.record.line import write_line
from pbem.protocol.record.takeover import default_from, excused_left
from pbem.protocol.record.verifier import check_due
from pbem.protocol.referee import (
    Held,
    MatchPlan,
    after_outage,
    burn,
    carry_on,
    create_match,
    extend,
    perform_default,
)
from tests.world import START, World, accepted, refusal, secret

DRAW = {"do": "draw", "from": "supply"}
ANNA, BURT, CURT = Seat("anna"), Seat("burt"), Seat("curt")


def started(**policy: Any) -> World:
    return World("wyatt-earp", ("anna", "burt", "curt"), deadlines=Deadlines(**policy)).start()


def clean(world: World) -> None:
    Record.load(world.lines)
    report = audit(world.lines)
    assert report.ok, report.faults


def default(world: World, seat: Seat) -> None:
    world.take(perform_default(world.record, world.host, seat, world.now))


def forged(world: World, index: int, **members: Any) -> list[str]:
    """The codes that an audit finds if the host had written record ``index`` so."""
    lines = world.record.lines
    line: Line = lines[index]
    changed: JsonObject = {k: v for k, v in line.body.items() if k not in ("kind", "seq", "prev", "at")}
    fake = write_line(
        line.kind,
        {**changed, **members},
        world.host,
        game=world.record.game,
        after=lines[index - 1],
        at=line.at,
    )
    raws = [line.raw for line in lines[:index]] + [fake.raw]
    with pytest.raises(VerificationError):
        Record.load(raws)
    return [f"{fault.step} {fault.code}" for fault in audit(raws).faults if fault.seq == index]


# --- every due is what was agreed ---------------------------------------------------------------------------


def test_a_due_that_is_not_what_was_agreed_is_a_fault() -> None:
    world = started()
    accepted(world.turn("anna", DRAW))
    kinds = {line.kind: line.seq for line in world.record.lines if "due" in line.body}
    assert set(kinds) == {"announce", "open", "turn"}
    for seq in kinds.values():
        right = parse_time(world.record.lines[seq].body["due"])
        for seconds in (-1, 1):
            wrong = format_time(right.fromtimestamp(right.timestamp() + seconds, UTC))
            assert "4 due" in forged(world, seq, due=wrong)


def test_a_close_waits_for_the_missing_links_and_for_nobody_else() -> None:
    world = started()
    absence(world, "burt", "2026-11-22T00:00:00Z", "2026-11-29T00:00:00Z")
    accepted(world.ready("anna"))
    assert world.record.missing_links == (BURT, CURT)

    def faults_with(due: str) -> list[str]:
        members = {"epoch": 1, "seed": "A" * 43, "opened": [], "facts": [], "due": due}
        line = write_line(
            "close", members, world.host, game=world.record.game, after=world.head, at=world.now
        )
        return [fault.code for fault in check_due(world.record.ledger, line)]

    assert faults_with("2026-12-01T18:00:00Z") == []  # burt has 72 hours, seven days of which do not count
    assert faults_with("2026-11-24T18:00:00Z") == ["due"]
    accepted(world.ready("burt"))
    assert faults_with("2026-11-24T18:00:00Z") == []
    accepted(world.send(world.consent("curt", {"kind": "resign", "seat": "curt"})))
    assert faults_with("2026-11-24T18:00:00Z") == [], "held: it does not count yet"
    world.hold("curt")
    world.record = world.record.as_of(world.now)
    assert faults_with("2026-11-24T18:00:00Z") == ["due"]
    assert faults_with(world.now) == []


def test_a_match_with_a_calendar_moves_its_deadlines_and_audits_clean() -> None:
    born = datetime.strptime(START, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    week = calendar(["mon", "tue"], ("09:00", "21:00"), "Europe/Berlin", born)
    world = started(hours=72, grace=24, calendar=week)
    assert world.record.due == "2026-11-24T18:00:00Z"  # a Tuesday
    world.tick(96)
    with pytest.raises(RefusedError, match="due from 2026-11-30T08:00:00Z on"):
        default(world, ANNA)
    world.tick(24 * 5 - 10)
    assert world.now == "2026-11-30T08:00:00Z"
    default(world, ANNA)
    assert world.record.due == "2026-12-07T08:00:00Z"  # Thursday is moved to Monday
    clean(world)


# --- absences -----------------------------------------------------------------------------------------------


def absence(world: World, seat: str, begin: str, until: str) -> None:
    terms = {"kind": "absence", "seat": seat, "from": begin, "until": until}
    accepted(world.send(world.consent(seat, terms)))


def test_grace_does_not_run_out_in_an_absence_that_was_announced_before() -> None:
    world = started()
    absence(world, "anna", "2026-11-24T20:00:00Z", "2026-12-10T20:00:00Z")
    world.tick(96)
    # announced after she was asked: too late for this one
    assert perform_default(world.record, world.host, ANNA, world.now).lines[0].kind == "default"
    accepted(world.turn("anna", DRAW))
    assert world.record.due == "2026-12-13T20:00:00Z"  # asked inside of it: the hours begin when it ends
    clean(world)


def test_an_absence_may_last_366_days_to_the_second_if_all_agree() -> None:
    world = started()
    span = {"from": "2026-11-24T20:00:00Z", "until": "2027-11-25T20:00:00Z"}
    accepted(world.agree({"kind": "absence", "seat": "burt", **span}, *world.seats))
    clean(world)


def test_an_absence_between_due_and_limit_holds_the_default_up() -> None:
    world = started()
    absence(world, "anna", "2026-11-25T00:00:00Z", "2026-12-05T00:00:00Z")
    accepted(world.turn("anna", DRAW))
    assert world.record.due == "2026-11-24T18:00:00Z"
    world.tick(96)
    with pytest.raises(RefusedError, match="due from 2026-12-05T18:00:00Z on"):
        default(world, ANNA)
    clean(world)


@pytest.mark.parametrize(
    ("begin", "until", "says"),
    [
        ("2026-12-01T00:00:00Z", "2026-12-01T00:00:00Z", "must end after it begins"),
        ("2026-12-01T00:00:00Z", "2027-12-03T00:00:00Z", "at most 8784 hours"),
    ],
)
def test_an_absence_that_is_none_is_refused(begin: str, until: str, says: str) -> None:
    world = started()
    terms = {"kind": "absence", "seat": "anna", "from": begin, "until": until}
    refused = refusal(world.send(world.consent("anna", terms)))
    assert says in refused.sentence


def test_an_absence_from_a_day_that_no_calendar_has_is_refused_for_its_form() -> None:
    """Our own client signs no such file, so another one does."""
    world = started()
    span = {"from": "2026-11-30T00:00:00Z", "until": "2026-12-10T00:00:00Z"}
    good = world.consent("anna", {"kind": "absence", "seat": "anna", **span})
    body = {**good["body"], "what": {**good["body"]["what"], "from": "2026-11-31T00:00:00Z"}}
    anna = world.people[ANNA]
    refused = refusal(world.send(make_file("consent", body, anna.sign_key, anna.sign_public)))
    assert refused.code == "malformed"
    assert "what, from: expected a time YYYY-MM-DDThh:mm:ssZ" in refused.sentence
    accepted(world.send(good))


# --- excused misses -----------------------------------------------------------------------------------------


def test_an_excused_miss_begins_a_new_period_by_itself() -> None:
    world = started(excused=2)
    assert default_from(world.record.ledger, ANNA) == "2026-12-03T18:00:00Z"
    world.tick(96)
    with pytest.raises(RefusedError, match="due from 2026-12-03T18:00:00Z on"):
        default(world, ANNA)
    assert world.record.as_of(world.now).due == "2026-11-28T18:00:00Z"
    assert world.record.due == "2026-11-24T18:00:00Z"  # the file itself has not grown
    accepted(world.turn("anna", DRAW))
    assert excused_left(world.record.ledger, ANNA) == 1
    assert excused_left(world.record.ledger, BURT) == 2
    world.tick(192)
    default(world, ANNA)
    assert excused_left(world.record.ledger, ANNA) == 0
    clean(world)


def test_a_default_before_the_stock_is_used_up_is_a_fault() -> None:
    world = started()
    world.tick(96)
    default(world, ANNA)
    lines = list(world.record.lines)
    first = next(line for line in lines if line.kind == "default")
    genesis = {k: v for k, v in lines[0].body.items() if k not in ("kind", "seq", "prev", "at")}
    assert first.seq > 0
    genesis["deadlines"] = {**genesis["deadlines"], "excused": 1}
    other = World("wyatt-earp", ("anna", "burt", "curt"), deadlines=Deadlines(excused=1)).start()
    other.tick(96)
    with pytest.raises(RefusedError, match="due from"):
        default(other, ANNA)
    members = {k: v for k, v in first.body.items() if k not in ("kind", "seq", "prev", "at")}
    fake = write_line("default", members, other.host, game=other.record.game, after=other.head, at=other.now)
    report = audit([*other.lines, fake.raw])
    assert "4 default" in [f"{fault.step} {fault.code}" for fault in report.faults]


def test_an_absence_announced_in_the_grace_counts_for_the_excused_period() -> None:
    world = started(excused=1)
    world.tick(80)
    absence(world, "anna", "2026-11-25T18:00:00Z", "2026-12-01T18:00:00Z")
    assert default_from(world.record.ledger, ANNA) == "2026-12-05T18:00:00Z"
    world.tick(16)
    assert world.record.as_of(world.now).due == "2026-12-04T18:00:00Z"
    clean(world)


def test_an_absence_that_is_the_last_record_before_a_miss_counts_for_all_of_the_new_period() -> None:
    world = started(excused=1)
    world.tick(80)
    absence(world, "anna", "2026-11-29T00:00:00Z", "2026-12-10T00:00:00Z")
    world.tick(24 * 10)  # the miss was on 25 Nov 18:00, and the new grace runs into the absence
    with pytest.raises(RefusedError, match="due from 2026-12-10T18:00:00Z on"):
        default(world, ANNA)
    clean(world)


def test_an_absence_that_comes_after_a_miss_does_not_move_the_new_period() -> None:
    world = started(excused=1)
    world.tick(100)
    absence(world, "anna", "2026-11-29T00:00:00Z", "2026-12-10T00:00:00Z")
    world.tick(89)
    with pytest.raises(RefusedError, match="due from 2026-11-29T18:00:00Z on"):
        default(world, ANNA)
    world.tick(24)
    default(world, ANNA)
    clean(world)


def test_who_resigned_has_no_excused_misses() -> None:
    world = started(excused=2)
    world.resign("anna")
    assert excused_left(world.record.as_of(world.now).ledger, ANNA) == 0
    default(world, ANNA)
    clean(world)


def test_an_extension_forgives_the_misses_since_the_record_before_it() -> None:
    world = started(excused=1)
    world.tick(100)
    with pytest.raises(RefusedError, match="later than"):
        extend(world.record, world.host, ANNA, "2026-11-27T00:00:00Z", world.now)
    world.take(extend(world.record, world.host, ANNA, "2026-12-01T00:00:00Z", world.now))
    assert excused_left(world.record.ledger, ANNA) == 1
    assert world.record.due == "2026-12-01T00:00:00Z"
    clean(world)


# --- pauses -------------------------------------------------------------------------------------------------


def pause(world: World, until: str = "2027-01-03T00:00:00Z") -> None:
    terms: JsonObject = {"kind": "pause", "until": until}
    files: list[JsonObject] = []
    for seat in ("anna", "burt", "curt"):
        files.append(world.consent(seat, terms))
        world.send(files[-1], files)


def test_a_pause_ends_at_its_until_without_a_record() -> None:
    world = started()
    pause(world, until="2026-11-30T18:00:00Z")
    assert world.record.ledger.paused is not None
    world.tick(24 * 9 - 1)
    assert refusal(world.turn("anna", DRAW)).code == "paused"
    with pytest.raises(RefusedError, match="paused"):
        default(world, ANNA)
    world.tick(1)
    now = world.record.as_of(world.now)
    assert now.ledger.paused is None
    assert now.due == "2026-12-03T18:00:00Z"
    accepted(world.turn("anna", DRAW))
    assert [line.kind for line in world.record.lines].count("pause") == 1
    clean(world)


@pytest.mark.parametrize("until", ["2026-11-25T18:00:00Z", "2027-01-22T18:00:00Z"])
def test_in_a_pause_another_one_sets_its_end_earlier_or_later(until: str) -> None:
    """Both count as one pause, from the first record to the end that the newest gives."""
    world = started()
    due = world.record.due
    assert due is not None
    pause(world, until="2026-12-11T18:00:00Z")
    world.tick(48)
    pause(world, until=until)
    assert world.record.ledger.paused == Pause("2026-11-21T18:00:00Z", until, world.head.seq)
    assert world.record.standing.until == until  # type: ignore[union-attr]
    world.now = until
    assert world.record.as_of(until).due == shifted(due, "2026-11-21T18:00:00Z", until)
    accepted(world.turn("anna", DRAW))
    clean(world)


@pytest.mark.parametrize(
    ("until", "text"),
    [("2027-01-20T18:00:01Z", "at most 1440 hours"), ("2026-11-21T18:00:00Z", "over already")],
)
def test_a_pause_has_an_end_that_is_to_come_and_not_far(until: str, text: str) -> None:
    world = started()
    terms: JsonObject = {"kind": "pause", "until": until}
    files = [world.consent(seat, terms) for seat in world.seats]
    refused = refusal(world.send(files[-1], files[:-1]))
    assert (refused.code, text in refused.sentence) == ("illegal", True)


def test_the_last_to_agree_agrees_to_no_pause_that_is_over() -> None:
    world = started()
    terms = world.pause(24)
    files = [world.consent(seat, terms) for seat in world.seats]
    assert isinstance(world.send(files[0]), Held)
    world.tick(24)
    assert refusal(world.send(files[-1], files[:-1])).code == "illegal"


def test_who_may_pause_alone_by_genesis_makes_no_pause_longer_alone() -> None:
    plan = MatchPlan("wyatt-earp", ("anna", "burt", "curt"), consent={"pause": "host"})
    ledger = Record.load([create_match(plan, Identity(secret("host")), bytes(16), START).raw]).ledger
    terms: JsonObject = {"kind": "pause", "until": "2026-12-11T18:00:00Z"}
    assert must_agree(ledger, terms) == ()
    ledger.paused = Pause(START, "2026-12-01T18:00:00Z", 1)
    assert must_agree(ledger, terms) == ledger.seats


def test_after_a_pause_a_default_waits_for_what_was_left() -> None:
    world = started()
    world.tick(48)
    pause(world, until="2026-12-23T18:00:00Z")
    world.tick(24 * 30 + 47)
    with pytest.raises(RefusedError, match="due from 2026-12-25T18:00:00Z on"):
        default(world, ANNA)
    world.tick(1)
    default(world, ANNA)
    clean(world)


def test_no_miss_is_counted_in_a_pause() -> None:
    world = started(excused=1)
    pause(world, until="2027-01-20T18:00:00Z")
    world.tick(24 * 60 - 1)
    assert excused_left(world.record.as_of(world.now).ledger, ANNA) == 1
    clean(world)


def test_what_waited_for_the_end_of_a_pause_goes_on_by_itself() -> None:
    world = World("wyatt-earp", ("anna", "burt", "curt"))
    for seat in world.seats:
        accepted(world.join(seat))
    pause(world, until="2026-11-22T18:00:00Z")
    for seat in world.seats:
        accepted(world.ready(seat))
    assert world.record.ledger.running is None
    assert carry_on(world.record, world.host, world.now) is None
    world.tick(24)
    ruling = carry_on(world.record, world.host, world.now)
    assert ruling is not None
    assert [line.kind for line in world.take(ruling).lines] == ["open", "announce"]
    clean(world)


# --- outages ------------------------------------------------------------------------------------------------


def test_an_outage_moves_the_deadline_by_its_length() -> None:
    world = started()
    world.tick(60)
    since = world.now
    world.tick(100)
    ruling = after_outage(world.record, world.host, since, world.now, world.now)
    assert ruling is not None
    world.take(ruling)
    assert world.record.due == "2026-11-28T22:00:00Z"  # 24 Nov 18:00 and 100 hours
    with pytest.raises(RefusedError, match="due from"):
        default(world, ANNA)
    assert after_outage(world.record, world.host, world.now, world.now, world.now) is None
    clean(world)


def test_an_outage_costs_no_excused_miss() -> None:
    world = started(excused=1)
    world.tick(60)
    since = world.now
    world.tick(24 * 30)
    ruling = after_outage(world.record, world.host, since, world.now, world.now)
    assert ruling is not None
    world.take(ruling)
    assert excused_left(world.record.ledger, ANNA) == 1
    clean(world)


def test_an_outage_gives_no_time_to_who_was_overdue_before_it() -> None:
    world = started()
    world.tick(96)
    since = world.now
    world.tick(10)
    assert after_outage(world.record, world.host, since, world.now, world.now) is None
    default(world, ANNA)


def test_an_extension_for_somebody_who_is_not_awaited_is_a_fault() -> None:
    world = started()
    fake = write_line(
        "extend",
        {"seat": "burt", "due": "2027-01-01T00:00:00Z"},
        world.host,
        game=world.record.game,
        after=world.head,
        at=world.now,
    )
    report = audit([*world.lines, fake.raw])
    assert [f"{fault.step} {fault.code}" for fault in report.faults] == ["4 extend"]


def test_links_are_due_when_the_last_seat_that_gives_one_is_back() -> None:
    world = World("wyatt-earp", ("anna", "burt"))
    accepted(world.join("anna"))
    absence(world, "anna", "2026-11-21T00:00:00Z", "2026-12-01T00:00:00Z")
    accepted(world.join("burt"))
    announce = world.record.lines[-1]
    assert announce.kind == "announce"
    assert announce.body["due"] == "2026-12-04T00:00:00Z"
    assert world.record.due == "2026-12-04T00:00:00Z"
    clean(world)


def test_a_seat_that_resigned_is_defaulted_even_in_a_match_that_waits() -> None:
    world = started(then="wait")
    world.resign("anna")
    default(world, ANNA)
    assert world.record.waiting is not None
    with pytest.raises(RefusedError, match="agreed to wait"):
        default(world, BURT)
    with pytest.raises(RefusedError):
        burn(world.record, world.host, world.now)
    clean(world)


def test_the_time_for_links_does_not_count_while_somebody_is_to_act() -> None:
    world = World("wyatt-earp", ("anna", "burt", "curt"))
    for seat in world.seats:
        accepted(world.join(seat))
    absence(world, "burt", "2026-11-22T00:00:00Z", "2026-12-01T00:00:00Z")
    for seat in world.seats:
        accepted(world.ready(seat))
    opened, announced = world.record.lines[-2:]
    assert (opened.kind, announced.kind) == ("open", "announce")
    assert announced.body["due"] > opened.body["due"]
    assert world.record.due == opened.body["due"]
    clean(world)


@pytest.mark.parametrize(
    ("resigns", "due"), [(False, "2026-11-30T08:00:00Z"), (True, "2026-11-26T18:00:00Z")]
)
def test_after_a_pause_the_calendar_counts_for_who_has_not_resigned(resigns: bool, due: str) -> None:
    born = datetime.strptime(START, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    week = calendar(["mon", "tue"], ("09:00", "21:00"), "Europe/Berlin", born)
    world = started(calendar=week)
    if resigns:
        world.resign("anna")
    assert world.record.due == "2026-11-24T18:00:00Z"  # a Tuesday
    pause(world)
    world.tick(48)
    terms = world.pause(0)
    files = [world.consent(seat, terms) for seat in world.seats]
    for file in files:
        world.send(file, files)
    assert world.record.due == due
    clean(world)


def test_what_is_agreed_in_a_pause_moves_no_time_and_counts_no_miss() -> None:
    world = started(excused=1)
    due = world.record.due
    pause(world)
    world.tick(48)
    absence(world, "burt", "2026-12-01T00:00:00Z", "2026-12-02T00:00:00Z")
    assert world.record.due == due
    assert excused_left(world.record.ledger, ANNA) == 1
    clean(world)


def test_what_is_left_after_a_pause_does_not_run_out_in_an_absence_announced_before() -> None:
    world = started()
    absence(world, "anna", "2026-11-25T00:00:00Z", "2026-12-05T00:00:00Z")
    accepted(world.turn("anna", DRAW))  # to be answered by 24 Nov 18:00
    pause(world, until="2026-11-22T18:00:00Z")
    world.tick(24)
    now = world.record.as_of(world.now)
    assert now.due == "2026-12-05T00:00:00Z"
    accepted(world.turn("anna", say="back"))
    assert world.record.due == now.due
    clean(world)


def test_an_extension_may_name_the_time_there_is_and_no_earlier_one() -> None:
    world = started()
    for due, codes in (("2026-11-24T18:00:00Z", []), ("2026-11-24T17:59:59Z", ["4 extend"])):
        fake = write_line(
            "extend",
            {"seat": "anna", "due": due},
            world.host,
            game=world.record.game,
            after=world.head,
            at=world.now,
        )
        faults = audit([*world.lines, fake.raw]).faults
        assert [f"{fault.step} {fault.code}" for fault in faults] == codes
