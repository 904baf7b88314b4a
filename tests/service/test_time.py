"""Time in the service, with clocks that tests turn: defaults, reminders, outages, clocks that jump. Nothing sleeps."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.game import JsonObject, Seat
from pbem.host.database.mail import OutboxRows
from pbem.host.database.notes import MailNotes
from pbem.host.database.times import Times
from pbem.host.service.time import ClockAnswer
from pbem.protocol.audit import audit
from pbem.protocol.client import compose_consent
from pbem.protocol.record import Deadlines
from pbem.protocol.record.deadlines import parse_time, plus_hours
from pbem.protocol.record.line import read_line
from tests.service.fakes import MailTrouble, fake_service
from tests.service.people import Player, headers, parse
from tests.service.table import Table

PLAIN = Deadlines(hours=48, grace=24, again=0)
LIMIT = 72
"""Hours after which a default is due under ``PLAIN``."""


def started(folder: Path, seats: tuple[str, ...] = ("anna", "burt"), **more: object) -> Table:
    return Table(folder, "wyatt-earp", seats, deadlines=PLAIN, **more).start()  # type: ignore[arg-type]


def kinds(table: Table, since: int = 0) -> list[str]:
    return [json.loads(raw)["body"]["kind"] for raw in table.lines[since:]]


def awaited(table: Table) -> Player:
    (player,) = table.asked()
    return player


def due(table: Table) -> str:
    due_time = table.service.matches.status()[0]["due"]
    assert isinstance(due_time, str)
    return due_time


def consent(table: Table, player: Player, terms: JsonObject) -> None:
    player.number += 1
    file = compose_consent(player.record, player.identity, Seat(player.seat), player.number, terms)
    table.send(player.mail(file))


def sound(table: Table) -> None:
    report = audit(table.lines)
    assert report.ok, report.faults
    assert set(table.service.counts()) == {"sent"}


# --- defaults -----------------------------------------------------------------------------------------------


def test_the_service_plays_a_default_when_it_is_due_and_not_before(tmp_path: Path) -> None:
    table = started(tmp_path)
    late, other = awaited(table), next(p for p in table.players.values() if not p.asked)
    head = len(table.lines)
    table.pass_time(LIMIT - 0.5)
    assert len(table.lines) == head
    table.pass_time(0.5)
    assert kinds(table, head)[0] == "default"
    default = json.loads(table.lines[head])["body"]
    assert default["seat"] == late.seat
    assert other.asked  # and they have the email that says so
    assert table.subjects(late.seat)[-1] == "A timeout move was made for you (Wyatt Earp)"
    assert late.lines == table.lines
    sound(table)  # the audit judges from the record alone whether the default was due


def test_a_match_that_has_just_gone_on_is_looked_at_when_something_may_be_due(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    while table.service.run_once().anything:
        pass
    (player,) = table.asked()
    done = table.send(player.mail(player.move()))
    assert done.ruled == 1
    assert not done.timed  # the transaction that took the file has looked
    with table.service.context.database.transaction() as transaction:
        times, now = Times(transaction), table.service.context.now()
        assert not times.due(now)
        assert times.due(plus_hours(now, 1))


def test_a_silent_seat_is_defaulted_at_once_until_its_person_writes(tmp_path: Path) -> None:
    table = started(tmp_path)
    silent = awaited(table)
    other = next(p for p in table.players.values() if p is not silent)
    table.pass_time(LIMIT)
    count = kinds(table).count("default")
    assert other.asked
    for _ in range(6):
        if kinds(table).count("default") == count:
            table.send(other.mail(other.move()))
    assert kinds(table).count("default") > count  # no time passed: the silent seat's turn was played at once
    assert len(table.notes("silent-twice")) == 1  # its host is notified of the second time, and of no more
    assert f"{silent.seat} has let its time run out twice" in table.notes("silent-twice")[0]
    table.send(silent.mail(silent.turn(say="Back from the hills")))
    before = kinds(table).count("default")
    for _ in range(6):
        for player in table.asked():
            if player is other:
                table.send(player.mail(player.move()))
    assert kinds(table).count("default") == before  # they have written: their next turn waits for them
    sound(table)


def test_mail_that_has_arrived_comes_before_the_default(tmp_path: Path) -> None:
    table = started(tmp_path)
    late = awaited(table)
    table.pass_time(LIMIT - 0.5)
    table.mail.arrive(late.mail(late.move()))
    table.clock.tick(1800)
    table.pump()
    assert "default" not in kinds(table)
    sound(table)


def test_a_match_that_agreed_to_wait_waits(tmp_path: Path) -> None:
    table = Table(tmp_path, deadlines=Deadlines(hours=1, grace=0, then="wait")).start()
    head = len(table.lines)
    table.pass_time(30)
    assert len(table.lines) == head
    sound(table)


def test_when_nobody_is_left_the_match_waits_for_somebody_to_write(tmp_path: Path) -> None:
    table = started(tmp_path)
    table.pass_time(LIMIT * 2 + 1)
    head = len(table.lines)
    table.pass_time(100)
    assert len(table.lines) == head
    assert kinds(table).count("default") >= 2
    sound(table)


def test_a_missing_link_is_burned_when_its_time_is_up(tmp_path: Path) -> None:
    """A seat that had a default in the running epoch gave no link for the next: it is left out of it."""
    table = started(tmp_path, ("anna", "burt", "curt"))
    table.pass_time(LIMIT)
    assert "burn" in kinds(table)
    sound(table)


def test_excused_misses_come_before_a_default(tmp_path: Path) -> None:
    table = Table(tmp_path, deadlines=Deadlines(hours=10, grace=2, excused=2)).start()
    head = len(table.lines)
    table.pass_time(35.5)
    assert len(table.lines) == head
    table.pass_time(0.5)
    assert kinds(table, head)[0] == "default"
    sound(table)


# --- absences and pauses --------------------------------------------------------------------------------------


def test_an_absence_by_mail_moves_what_is_asked_later_and_never_what_is_running(tmp_path: Path) -> None:
    table = started(tmp_path)
    here = awaited(table)
    away = next(p for p in table.players.values() if p is not here)
    before = due(table)
    span = {"from": "2026-11-21T18:00:00Z", "until": "2026-12-01T18:00:00Z"}
    consent(table, away, {"kind": "absence", "seat": away.seat, **span})
    consent(table, here, {"kind": "absence", "seat": here.seat, **span})
    assert due(table) == before
    while not away.asked:
        table.send(here.mail(here.move()))
    assert due(table) == "2026-12-03T18:00:00Z"  # 48 hours outside of the absence
    sound(table)


def test_in_a_pause_nothing_is_due_and_its_end_needs_nobody(tmp_path: Path) -> None:
    table = started(tmp_path)
    before = due(table)
    for player in table.players.values():
        consent(table, player, {"kind": "pause", "until": "2026-11-28T18:00:00Z"})
    assert "pause" in kinds(table)
    head = len(table.lines)
    table.pass_time(24 * 7 + 47)
    assert len(table.lines) == head
    assert due(table) > before
    table.pass_time(26)
    assert kinds(table, head)[0] == "default"
    sound(table)


# --- reminders ------------------------------------------------------------------------------------------------


def reminders(table: Table, seat: str) -> list[str]:
    return [
        subject
        for subject in table.subjects(seat)
        if subject.startswith("Time is up: ") or " left: " in subject
    ]


def test_who_is_awaited_is_reminded_a_day_before_and_when_the_time_is_up(tmp_path: Path) -> None:
    table = started(tmp_path)
    late = awaited(table)
    table.pass_time(23.5)
    assert reminders(table, late.seat) == []
    table.pass_time(1)
    assert len(reminders(table, late.seat)) == 1
    table.pass_time(23)
    assert len(reminders(table, late.seat)) == 1
    table.pass_time(1)
    assert len(reminders(table, late.seat)) == 2
    letter = parse(late.letters[-1])
    body = letter.get_body(("plain",))
    assert body is not None
    text = " ".join(body.get_content().split())
    assert text.startswith("Time is up Your turn to draw: ")
    assert "Your time was up on" in text
    assert letter["Auto-Submitted"] == "auto-generated"
    assert letter["References"].split()[0] == headers(late.letters[0])["Message-ID"]
    other = next(p for p in table.players.values() if p is not late)
    assert reminders(table, other.seat) == []


def test_a_seat_tunes_its_reminders_by_mail(tmp_path: Path) -> None:
    table = started(tmp_path)
    late = awaited(table)
    table.send(late.write("REMIND 47 12 -6\n"))
    answer = parse(late.letters[-1])
    assert "47 h before" in answer.get_content()
    assert answer["Auto-Submitted"] == "auto-replied"
    table.pass_time(71)
    assert len(reminders(table, late.seat)) == 3
    table.send(late.write("REMIND soon\n"))
    assert "expected hours" in parse(late.letters[-1]).get_content()
    quiet = Table(tmp_path / "quiet", deadlines=PLAIN).start()
    late = awaited(quiet)
    quiet.send(late.write("Remind never\n"))
    quiet.pass_time(71)
    assert reminders(quiet, late.seat) == []


def test_a_reminder_after_a_miss_names_the_new_time(tmp_path: Path) -> None:
    table = Table(tmp_path, deadlines=Deadlines(hours=48, grace=0, excused=1)).start()
    late = awaited(table)
    table.pass_time(73)
    text = late.letters[-1].decode()
    assert "25 November" in text or "2026-11-25" in text or "25 Nov" in text


# --- outages and clocks ---------------------------------------------------------------------------------------


def test_after_an_outage_all_deadlines_move_before_anything_else_happens(tmp_path: Path) -> None:
    table = started(tmp_path)
    late = awaited(table)
    before = due(table)
    table.pass_time(1)
    table.clock.tick(100 * 3600)  # the service was down
    table.mail.arrive(late.mail(late.move()))
    head = len(table.lines)
    table.pump()
    assert kinds(table, head)[:2] == ["extend", "turn"]
    moved = json.loads(table.lines[head])["body"]["due"]
    assert moved == "2026-11-27T22:00:00Z" > before
    assert "outage" in table.alarms()
    head = len(table.lines)
    table.pass_time(2)
    assert len(table.lines) == head  # once
    sound(table)


def test_an_outage_moves_every_match(tmp_path: Path) -> None:
    table = started(tmp_path)
    other = Table(
        tmp_path,
        "way-out-west",
        ("anna", "burt", "curt"),
        service=table.service,
        mail=table.mail,
        deadlines=PLAIN,
    )
    other.clock = table.clock
    other._read = len(table.mail.delivered)
    other.start()
    heads = len(table.lines), len(other.lines)
    table.pass_time(1)
    table.clock.tick(30 * 3600)
    table.pump()
    assert kinds(table, heads[0]) == ["extend"]
    assert kinds(other, heads[1]) == ["extend"]


def test_mail_servers_that_cannot_be_reached_are_an_outage_too(tmp_path: Path) -> None:
    table = started(tmp_path)
    head = len(table.lines)
    table.pass_time(1)
    for _ in range(200):  # a hundred hours without a mail server, with the program running
        table.mail.down = True
        table.clock.tick(1800)
        assert table.service.run_once().troubles
    assert len(table.lines) == head  # no default, although its time has come
    table.mail.down = False
    table.pump()
    assert kinds(table, head) == ["extend"]
    assert due(table) == "2026-11-27T22:00:00Z"
    table.clock.tick(10)  # what could not be sent is tried again
    table.pump()
    assert {"mailbox", "outage", "works-again"} <= set(table.alarms())
    assert table.alarms().count("mailbox") <= 101  # one an hour
    sound(table)


def test_letters_that_cannot_leave_after_an_outage_keep_the_time_standing(tmp_path: Path) -> None:
    table = started(tmp_path)
    head = len(table.lines)
    table.pass_time(1)
    table.clock.tick(90 * 3600)
    table.mail.faults = [MailTrouble("submission is down")]
    assert table.service.run_once().troubles == ["submission is down"]
    assert len(table.lines) == head
    table.pump()
    assert kinds(table, head) == ["extend"]
    sound(table)


@pytest.mark.parametrize("hours", [-1, 24 * 40])
def test_nothing_is_processed_when_the_clock_jumps(tmp_path: Path, hours: int) -> None:
    table = started(tmp_path)
    late = awaited(table)
    table.pass_time(1)
    right = table.clock.time
    head, letters = len(table.lines), len(table.mail.delivered)
    table.clock.tick(hours * 3600)
    table.mail.arrive(late.mail(late.move()))
    for _ in range(3):
        (trouble,) = table.service.run_once().troubles
        assert "nothing was processed: the clock says" in trouble
    assert len(table.lines) == head
    assert len(table.mail.delivered) == letters + 1  # only the operator is notified, and once
    assert table.alarms()[-1] == "clock"
    assert len(table.mail.inbox) >= 1  # it waits where it is
    table.clock.time = right
    table.pump()
    assert kinds(table, head)[0] == "turn"
    sound(table)


def test_a_person_may_say_that_the_clock_is_right_after_a_long_time(tmp_path: Path) -> None:
    table = started(tmp_path)
    table.pass_time(1)
    head = len(table.lines)
    table.clock.tick(24 * 40 * 3600)
    assert table.service.run_once().troubles
    assert table.service.time.clock_is_right() is ClockAnswer.OUTAGE
    table.pump()
    assert kinds(table, head) == ["extend"]
    sound(table)


def days_ahead(table: Table, hours: float = 72) -> None:
    """The clock is moved ahead, and a new process believes it: letters, records, leases and looks are of that time."""
    table.clock.jump(hours * 3600)
    new_process(table)
    while table.pump().anything:
        table.clock.tick(1)


def new_process(table: Table) -> None:
    table.service.close()
    heads, url = table.service.context.heads, table.service.context.database.url
    table.service = fake_service(table.folder, table.mail, table.clock, heads=heads, url=url)


def test_a_clock_that_is_moved_ahead_while_the_service_runs_is_no_outage(tmp_path: Path) -> None:
    table = started(tmp_path)
    late = awaited(table)
    table.pass_time(1)
    head, time = len(table.lines), due(table)
    table.clock.jump(72 * 3600)
    table.mail.arrive(late.mail(late.move()))
    for _ in range(5):
        (trouble,) = table.service.run_once().troubles
        assert "the clock was moved from 2026-11-21T19" in trouble
        table.clock.tick(300)
    assert table.alarms()[-1] == "clock"
    table.clock.jump(-72 * 3600)
    table.pump()
    assert kinds(table, head)[0] == "turn"  # by itself, and nobody's time has moved
    assert due(table) < plus_hours(time, 2)
    table.play(2)
    sound(table)


def test_a_clock_that_stays_ahead_is_believed_after_an_hour(tmp_path: Path) -> None:
    table = started(tmp_path)
    table.pass_time(1)
    head = len(table.lines)
    table.clock.jump(72 * 3600)  # as after a machine was halted and its program was not informed
    assert table.service.run_once().troubles
    table.clock.tick(3601)
    table.pump()
    assert kinds(table, head) == ["extend"]
    sound(table)


def test_after_a_step_of_less_than_an_hour_nobodys_time_is_up_early(tmp_path: Path) -> None:
    table = started(tmp_path)
    late = awaited(table)
    table.pass_time(LIMIT - 0.5)
    head, letters = len(table.lines), len(late.letters)
    table.clock.jump(45 * 60)
    table.pump()
    assert table.alarms()[-1] == "clock"
    assert table.service.run_once().troubles == []  # mail is taken meanwhile
    table.send(late.write("STATUS\n"))
    assert len(late.letters) == letters + 1
    assert len(table.lines) == head  # half an hour is left, whatever this clock says
    table.clock.jump(-45 * 60)
    assert table.service.run_once().troubles == []  # and it goes on by itself when the clock is set right
    table.pass_time(0.25)
    assert len(table.lines) == head
    table.pass_time(0.25)
    assert kinds(table, head)[0] == "default"
    sound(table)


def test_a_step_that_stays_is_believed_after_an_hour(tmp_path: Path) -> None:
    table = started(tmp_path)
    table.pass_time(LIMIT - 1.5)
    head = len(table.lines)
    table.clock.jump(45 * 60)
    for minutes in (5, 15, 15, 15, 9):
        table.pump()
        assert len(table.lines) == head
        table.clock.tick(minutes * 60)
    table.pump()
    table.clock.tick(5 * 60)
    table.pump()
    assert kinds(table, head)[0] == "default"  # 1 h 49 have passed by one clock, and 1 h 4 by the other
    assert "extend" not in kinds(table, head)
    sound(table)


def test_another_process_may_vouch_for_a_clock(tmp_path: Path) -> None:
    table = started(tmp_path)
    table.pass_time(1)
    head = len(table.lines)
    table.clock.jump(72 * 3600)
    assert table.service.run_once().troubles
    other = fake_service(tmp_path, table.mail, table.clock)
    assert other.time.clock_is_right() is ClockAnswer.OUTAGE  # pbem host go-on --clock-is-right
    other.close()
    table.pump()
    assert kinds(table, head) == ["extend"]
    sound(table)


def test_a_clock_that_was_believed_and_is_set_back_waits_for_a_person_and_for_nothing_else(
    tmp_path: Path,
) -> None:
    table = started(tmp_path)
    table.pass_time(1)
    right, head = table.clock.time, len(table.lines)
    days_ahead(table)
    assert kinds(table, head) == ["extend"]
    wrong = table.lines[-1]
    table.clock.time = right
    late = awaited(table)
    table.mail.arrive(late.mail(late.move()))
    new_process(table)
    assert "has passed already" in table.service.run_once().troubles[0]
    assert table.service.time.clock_is_right() is ClockAnswer.WAS_AHEAD
    table.pump()
    assert kinds(table, head)[:2] == ["extend", "turn"]
    assert (
        read_line(table.lines[head + 1]).at == read_line(wrong).at
    )  # a record is never older than the one before
    table.play(4)
    sound(table)
    assert table.service.time.clock_is_right() is ClockAnswer.NO_OUTAGE
    limit = parse_time(due(table)) + timedelta(hours=24)
    before = len(table.lines)
    while table.clock.time < limit:
        assert "default" not in kinds(table, before)
        table.pass_time(1)
    table.pass_time(1)
    assert (
        kinds(table, before)[0] == "default"
    )  # the match is looked at all the time, and nobody's time was up early
    assert table.alarms().count("clock") == 1
    sound(table)


def test_what_waited_for_a_clock_that_was_ahead_waits_no_longer(tmp_path: Path) -> None:
    table = started(tmp_path)
    right = table.clock.time
    days_ahead(table)
    with table.service.context.database.transaction() as transaction:
        transaction.run("UPDATE outbox SET state = 'queued', not_before = ?", table.service.context.later(60))
        MailNotes(transaction).lease(
            "fetch", "another/1/x", table.service.context.now(), table.service.context.later(60)
        )
    table.clock.time = right
    new_process(table)
    assert table.service.time.clock_is_right() is ClockAnswer.WAS_AHEAD
    with table.service.context.database.transaction() as transaction:
        now, minute = table.service.context.now(), table.service.context.later(60)
        assert OutboxRows(transaction).leaving(now)
        assert Times(transaction).due(now)
        assert MailNotes(transaction).taken("fetch")[1] <= minute
        assert OutboxRows(transaction).tried_since(table.service.context.later(1)) == 0


def test_the_mail_servers_pipe_keeps_mail_while_the_clock_is_wrong(tmp_path: Path) -> None:
    table = started(tmp_path)
    late = awaited(table)
    table.pass_time(1)
    head = len(table.lines)
    table.clock.tick(24 * 40 * 3600)
    number, state = table.service.deliver(late.mail(late.move()))
    assert (number > 0, state) == (True, "new")
    assert table.service.run_once_without_mailbox().troubles
    assert len(table.lines) == head


# --- crashes --------------------------------------------------------------------------------------------------


class Crash(BaseException):
    """As if the process were killed."""


@pytest.mark.parametrize("point", ["timing", "timed", "mending", "mended", "outage", "outage-marked"])
def test_a_crash_at_a_commit_point_of_time_loses_nothing_and_repeats_nothing(
    tmp_path: Path, point: str
) -> None:
    """The same with SIGKILL and real servers is in ``test_crash``."""
    table = started(tmp_path)
    table.pass_time(1)
    head = len(table.lines)
    armed: list[str] = []

    def steps(name: str) -> None:
        if armed and name == armed[0]:
            armed.clear()
            raise Crash

    context = table.service.context
    context.steps = steps
    if point in ("timing", "timed"):
        table.pass_time(LIMIT - 1.5)
    armed.append(point)
    table.clock.tick(1800 if point in ("timing", "timed") else 50 * 3600)
    with pytest.raises(Crash):
        table.pump()
    context.records._kept.clear()  # a new process remembers nothing
    context.database.close()
    table.pump()
    table.pass_time(1)
    expected = ["default", "burn", "announce"] if point in ("timing", "timed") else ["extend"]
    assert kinds(table, head) == expected
    assert len({str(headers(raw)["Message-ID"]) for _, raw in table.mail.delivered}) == len(
        table.mail.delivered
    )
    sound(table)


def test_a_match_that_makes_the_program_fail_does_not_stop_the_others(tmp_path: Path) -> None:
    table = started(tmp_path)
    with table.service.context.database.transaction() as transaction:
        game, seat = transaction.run("SELECT game, seat FROM seats")[0]
        transaction.run("INSERT INTO wishes (game, seat, hours) VALUES (?, ?, 'soon')", game, seat)
        Times(transaction).look_again(game, "")
    other = Table(tmp_path, service=table.service, mail=table.mail, deadlines=PLAIN, nonce="another")
    other.clock, other._read = table.clock, len(table.mail.delivered)
    other.start()
    table.pass_time(2)
    assert table.notes("program-fault")
    other.pass_time(LIMIT)
    assert "default" in kinds(other)
    sound(other)
