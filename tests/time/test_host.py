"""The host's side of time and people: outages, reminders, observers, the archive."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.base.errors import UsageProblem
from pbem.game import Seat
from pbem.host import FolderHost
from pbem.host.acts import public_kind
from pbem.host.folder import archive
from pbem.host.folder_database import lines_in, observers_at
from pbem.host.reminders import USUAL, Reminder, read_wish, reminders_due, words_of_wish
from pbem.host.store import ClockProblem, outage_of
from pbem.player.letters.letter import Kind
from pbem.protocol.audit import audit
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Deadlines, Record
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.referee import Accepted
from tests.host.folders import laid
from tests.world import START, World, accepted

ANNA, BURT = Seat("anna"), Seat("burt")
DRAW = {"do": "draw", "from": "supply"}


@pytest.fixture
def world() -> World:
    return World("wyatt-earp", ("anna", "burt"), deadlines=Deadlines(excused=1)).start()


@pytest.fixture
def client(world: World, tmp_path: Path) -> FolderHost:
    return laid(tmp_path / "match", world.lines, world.host, lambda: world.now)


# --- outages ------------------------------------------------------------------------------------------------


def test_a_service_that_was_down_gives_the_time_back(world: World, client: FolderHost) -> None:
    assert client.beat() is None  # the first sign of life
    world.tick(1)
    assert client.beat() is None  # an hour is no outage
    world.tick(50)
    outcome = client.beat()
    assert outcome is not None
    assert isinstance(outcome.ruling, Accepted)
    (line,) = outcome.ruling.lines
    assert line.kind == "extend"
    assert line.body["due"] == "2026-11-26T20:00:00Z"
    assert client.beat() is None
    assert audit(client.folder.game.read().lines).ok


def test_nothing_is_processed_when_the_clock_jumps(world: World, client: FolderHost) -> None:
    file = canon(world.turn_file("anna", DRAW))
    before = len(client.folder.game.read().lines)
    right = world.now
    world.now = plus_hours(right, 24 * 40)
    with pytest.raises(ClockProblem, match="nothing was processed: the clock says 2026-12-31"):
        client.take(file)
    with pytest.raises(ClockProblem):
        client.default(ANNA)
    with pytest.raises(ClockProblem):
        client.beat()
    world.now = "2026-11-20T18:00:00Z"
    with pytest.raises(ClockProblem, match="has passed already"):
        client.take(file)
    with pytest.raises(ClockProblem):
        client.beat()
    assert len(client.folder.game.read().lines) == before
    assert client.status()["mail"]["files"] == 1  # kept, and taken once the clock is right
    world.now = right
    assert isinstance(client.take(file).ruling, Accepted)


def test_after_a_long_absence_a_person_says_that_the_clock_is_right(world: World, client: FolderHost) -> None:
    client.beat()
    world.now = plus_hours(world.now, 24 * 40)
    outcome = client.beat(clock_is_right=True)
    assert outcome is not None
    assert client.status()["due"] == plus_hours("2026-11-24T18:00:00Z", 24 * 40)
    assert isinstance(client.take(canon(world.turn_file("anna", DRAW))).ruling, Accepted)


def test_a_match_that_a_wrong_clock_took_ahead_goes_on_when_a_person_says_so(
    world: World, client: FolderHost
) -> None:
    right = world.now
    world.now = plus_hours(right, 72)
    world.take(accepted(client.take(canon(world.turn_file("anna", DRAW))).ruling))
    world.now = plus_hours(right, 1)
    assert world.record.waiting is not None
    seat = Seat(world.record.waiting["seat"])
    file = canon(world.move_file(str(seat)))
    with pytest.raises(ClockProblem, match="has passed already"):
        client.take(file)
    assert client.beat(clock_is_right=True) is None
    ruling = accepted(client.take(file).ruling)
    assert ruling.lines[0].at == plus_hours(right, 72)  # no record is older than the one before
    world.now = plus_hours(right, -24)
    with pytest.raises(ClockProblem):
        client.beat()  # that clock was not looked at
    world.now = plus_hours(right, 71)
    assert client.on_time() == ()
    assert audit(client.folder.game.read().lines).ok


def test_a_damaged_heartbeat_counts_as_none(world: World, client: FolderHost) -> None:
    with client._opened() as store:
        store.notes.set("heartbeat", "yesterday")
    world.tick(50)
    assert client.beat() is None
    world.tick(50)
    assert client.beat() is not None
    assert outage_of(None, START) is None


# --- what is due --------------------------------------------------------------------------------------------


def test_a_host_on_time_plays_the_defaults_of_who_is_silent(world: World, client: FolderHost) -> None:
    assert client.on_time() == ()
    world.tick(24 * 8 - 1)
    assert client.on_time() == ()  # an excused miss came up; the second period still runs
    world.tick(1)
    (outcome,) = client.on_time()
    assert isinstance(outcome.ruling, Accepted)
    assert [line.kind for line in outcome.ruling.lines] == ["default", "burn", "announce"]
    assert client.status()["waiting"]["seat"] == "burt"
    world.tick(24 * 8)
    (outcome,) = client.on_time()
    assert client.status()["waiting"]["seat"] == "anna"
    assert client.on_time() == ()  # nobody is left who plays: the match waits for somebody to write
    assert audit(client.folder.game.read().lines).ok


def test_what_a_pause_held_up_goes_on_when_it_is_over(tmp_path: Path) -> None:
    world = World("wyatt-earp", ("anna", "burt"))
    for seat in world.seats:
        accepted(world.join(seat))
    kept = [world.consent(seat, {"kind": "pause", "until": "2026-11-22T18:00:00Z"}) for seat in world.seats]
    world.send(kept[0], kept[:1])
    accepted(world.send(kept[1], kept))
    for seat in world.seats:
        accepted(world.ready(seat))
    client = laid(tmp_path / "match", world.lines, world.host, lambda: world.now)
    assert client.on_time() == ()
    world.tick(24)
    (outcome,) = client.on_time()
    assert isinstance(outcome.ruling, Accepted)
    assert [line.kind for line in outcome.ruling.lines] == ["open", "announce"]
    before = client.folder.outbox.names()
    again = FolderHost(client.folder.path, world.host, lambda: world.now)
    assert again.status()["phase"] == "playing"
    assert again.folder.outbox.names() == before  # the batch is found again as it was written


# --- reminders ----------------------------------------------------------------------------------------------


def test_a_seat_is_reminded_a_day_before_and_when_its_time_is_up(world: World) -> None:
    due = "2026-11-24T18:00:00Z"
    reminders = reminders_due(world.record, {}, START, "2026-11-25T00:00:00Z")
    limit = "2026-11-25T18:00:00Z"
    assert reminders == [Reminder("2026-11-23T18:00:00Z", ANNA, due, limit), Reminder(due, ANNA, due, limit)]


@given(st.lists(st.integers(1, 300), min_size=1, max_size=12))
def test_a_reminder_is_due_in_exactly_one_of_the_spans_that_follow_each_other(steps: list[int]) -> None:
    world = WORLD
    wishes = {ANNA: (60, 48, 24, 2, 0, -12)}
    since, seen = START, []
    for step in steps:
        until = plus_hours(since, step)
        seen += reminders_due(world.record, wishes, since, until)
        since = until
    assert len(seen) == len(set(seen))
    first = [reminder for reminder in seen if reminder.due == "2026-11-24T18:00:00Z"]
    assert [reminder.moment for reminder in first] == [
        plus_hours("2026-11-24T18:00:00Z", -h)
        for h in wishes[ANNA]
        if plus_hours("2026-11-24T18:00:00Z", -h) <= since
    ]


WORLD = World("wyatt-earp", ("anna", "burt"), deadlines=Deadlines(excused=1)).start()


def test_the_period_of_an_excused_miss_has_its_own_reminders(world: World) -> None:
    reminders = reminders_due(world.record, {}, "2026-11-25T18:00:00Z", "2026-12-01T00:00:00Z")
    assert [reminder.moment for reminder in reminders] == ["2026-11-27T18:00:00Z", "2026-11-28T18:00:00Z"]


def test_nobody_is_reminded_in_vain(world: World) -> None:
    everything = (START, "2027-06-01T00:00:00Z")
    assert reminders_due(world.record, {ANNA: ()}, *everything) == []
    world.resign("anna")
    assert reminders_due(world.record.as_of(world.now), {}, *everything) == []


def test_all_seats_whose_links_are_missing_are_reminded() -> None:
    world = World("wyatt-earp", ("anna", "burt"))
    for seat in world.seats:
        accepted(world.join(seat))
    reminders = reminders_due(world.record, {BURT: (1,)}, START, "2026-12-01T00:00:00Z")
    assert [(reminder.seat, reminder.moment) for reminder in reminders] == [
        (ANNA, "2026-11-23T18:00:00Z"),
        (BURT, "2026-11-24T17:00:00Z"),
        (ANNA, "2026-11-24T18:00:00Z"),
    ]


def test_a_wish_is_typed_in_hours() -> None:
    assert read_wish(["24h", "0,", "48"]) == (48, 24, 0)
    assert read_wish(["never"]) == ()
    assert read_wish(["usual"]) == USUAL
    for words in (["soon"], [], ["9999"], ["999"], ["1"] * 11):
        with pytest.raises(UsageProblem):
            read_wish(words)
    assert words_of_wish(()) == "never reminded"


# --- observers ------------------------------------------------------------------------------------------------


def test_observers_hear_what_all_hear_and_nothing_else(world: World, client: FolderHost) -> None:
    client.observe("olga@example.org")
    client.observe("olga@example.org")
    with pytest.raises(UsageProblem):
        client.observe("not an address")
    with pytest.raises(UsageProblem):
        client.observe("two@example.org\nBcc: x@example.org")
    assert client.observers() == observers_at(client.folder.path) == ("olga@example.org",)
    record = world.record
    started = next(line.seq for line in record.lines if line.kind == "open")
    assert public_kind(record, 0, 0) is None
    assert public_kind(record, started - 1, started + 1) == Kind.STARTED
    accepted(world.turn("anna", DRAW))
    seq = world.head.seq
    assert public_kind(world.record, seq, seq) is None  # a draw is sent to its sender only
    hand = world.view("anna").view_json["hands"]["anna"]
    accepted(world.turn("anna", {"do": "discard", "card": hand[0]}))
    seq = world.head.seq
    assert public_kind(world.record, seq, seq) == Kind.TURN_END
    client.observe("olga@example.org", remove=True)
    assert client.observers() == ()


# --- the archive --------------------------------------------------------------------------------------------


def _files(folder: Path) -> dict[Path, bytes]:
    """What lies in a host's folder beside the database, which notes in its file who opened it."""
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file() and not p.name.startswith("match.db")}


def test_an_archive_holds_everything_an_audit_needs_and_takes_nothing_away(
    world: World, client: FolderHost, tmp_path: Path
) -> None:
    client.take(canon(world.turn_file("anna", DRAW)))
    client.observe("olga@example.org")
    client.close()
    before, lines = _files(client.folder.path), lines_in(client.folder.path)
    archived = archive(client.folder, tmp_path / "match.tar.gz")
    assert archived.sound
    assert _files(client.folder.path) == before
    assert lines_in(client.folder.path) == lines
    assert archived.path.stat().st_mode & 0o777 == 0o600
    with tarfile.open(archived.path) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
        file = tar.extractfile(next(n for n in tar.getnames() if n.endswith("/game.jsonl")))
        assert file is not None
        archived_lines = file.read().splitlines()
    assert Record.load(archived_lines).head.seq == archived.records - 1
    assert sum(name.startswith("inbox/") for name in names) == 1
    assert {f"outbox/{name}" for name in client.folder.outbox.names()} <= names
    assert not any(name.startswith("host/") for name in names)
    again = archive(client.folder, tmp_path / "again.tar.gz")
    assert again.path.read_bytes() == archived.path.read_bytes()
    with pytest.raises(UsageProblem, match="is there already"):
        archive(client.folder, archived.path)
