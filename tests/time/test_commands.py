"""Time and people by commands: policies, absences in words, reminders, substitutes, new keys."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from unittest.mock import patch
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.base.errors import UsageProblem
from pbem.game import Seat
from pbem.host.config import calendar
from pbem.player.seat.moments import read_moment, wall_of
from pbem.protocol.crypto.digest import fingerprint
from pbem.protocol.record import Deadlines, Record
from pbem.protocol.record.deadlines import parse_time
from tests.cli.seats import Friends, make_identity, run

NOW = "2026-11-21T18:00:00Z"


@pytest.fixture
def friends(tmp_path: Path) -> Friends:
    return Friends(tmp_path).begin().join_and_ready()


def record(friends: Friends) -> Record:
    return Record.load(friends.game_file.splitlines())


# --- the policy ---------------------------------------------------------------------------------------------


def test_a_match_is_made_with_days_hours_and_excused_misses(tmp_path: Path) -> None:
    options = (
        "--hours",
        48,
        "--excused",
        2,
        "--days",
        "fri,mon",
        "--between",
        "09:00-21:00",
        "--zone",
        "Europe/Berlin",
    )
    friends = Friends(tmp_path, options=options).begin()  # type: ignore[arg-type]
    deadlines = record(friends).genesis["deadlines"]
    assert {name: deadlines[name] for name in ("hours", "excused", "days", "from", "to", "zone")} == {
        "hours": 48,
        "excused": 2,
        "days": ["mon", "fri"],
        "from": "09:00",
        "to": "21:00",
        "zone": "Europe/Berlin",
    }
    friends.join_and_ready()
    due = parse_time(friends.status()["due"]).astimezone(ZoneInfo("Europe/Berlin"))
    assert due.weekday() in (0, 4)
    assert 9 <= due.hour < 21
    assert friends.status()["seats"][0]["excused"] == 2


@pytest.mark.parametrize(
    "options",
    [
        ("--days", "mon"),
        ("--between", "09:00-21:00"),
        ("--zone", "Middle/Earth"),
        ("--zone", "UTC", "--between", "21:00-09:00"),
        ("--zone", "UTC", "--days", "someday"),
        ("--excused", "1", "--then", "wait"),
        ("--hours", "9999"),
    ],
)
def test_a_policy_that_cannot_be_is_refused_before_anything_is_made(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    make_identity(tmp_path / "home", "host", "host")
    done = run("host", "new", tmp_path / "m", "--game", "wyatt-earp", "--seats", "anna,burt", "--home",
               tmp_path / "home", *options)  # fmt: skip
    assert done.code == 2, done.err
    assert not (tmp_path / "m").exists()


# --- absences -----------------------------------------------------------------------------------------------


def test_an_absence_is_typed_as_days(friends: Friends) -> None:
    begin = (datetime.now(UTC) + timedelta(days=3)).strftime("%Y-%m-%d")
    until = (datetime.now(UTC) + timedelta(days=9)).strftime("%Y-%m-%d")
    file = friends.folder("burt") / "away.json"
    done = friends.play("burt", "away", begin, until, "-o", file)
    assert done.code == 0, done.err
    assert "away from" in done.err
    terms = json.loads(file.read_text())["body"]["what"]
    assert terms["kind"] == "absence"
    assert parse_time(terms["until"]) - parse_time(terms["from"]) == timedelta(days=7)  # the last day counts
    assert friends.send(file).code == 0
    assert [line.kind for line in record(friends).lines][-1] == "absence"
    assert friends.play("burt", "away", "2020-01-01", "2020-01-05", "-o", file).code == 2
    assert friends.play("burt", "away", "soon", "later", "-o", file).code == 2
    other = friends.play("burt", "consent", "absence", f"from={begin}", f"until={until}", "-o", file)
    assert other.code == 0, other.err
    assert json.loads(file.read_text())["body"]["what"] == terms


BERLIN = Deadlines(calendar=calendar(["mon"], ("09:00", "21:00"), "Europe/Berlin", parse_time(NOW)))


def test_what_people_type_means_their_own_time() -> None:
    wall = wall_of(BERLIN)
    assert read_moment("2026-12-20", NOW, wall) == "2026-12-19T23:00:00Z"
    assert read_moment("2026-12-20", NOW, wall, ends=True) == "2026-12-20T23:00:00Z"
    assert read_moment("2027-07-01 18:30", NOW, wall, ends=True) == "2027-07-01T16:30:00Z"
    assert read_moment("+3d", NOW, wall) == "2026-11-24T18:00:00Z"
    assert read_moment("now", NOW, wall) == NOW
    assert read_moment("2026-12-20T18:00:00Z", NOW, wall) == "2026-12-20T18:00:00Z"
    assert read_moment("2027-10-31 02:30", NOW, wall) == "2027-10-31T00:30:00Z"  # twice: the first
    assert read_moment("2027-03-28 02:30", NOW, wall) == "2027-03-28T01:30:00Z"  # never: as before the change
    for text in ("2026-02-30", "tomorrow", "+3y", "", "2026-12-20 25:00"):
        with pytest.raises(UsageProblem):
            read_moment(text, NOW, wall)


@given(st.integers(0, 9 * 365 * 24 * 60))
def test_a_typed_time_is_what_the_zone_itself_says(minutes: int) -> None:
    wall = parse_time("2026-12-01T00:00:00Z") + timedelta(minutes=minutes)
    parsed = parse_time(read_moment(wall.strftime("%Y-%m-%d %H:%M"), NOW, wall_of(BERLIN)))
    assert parsed == wall.replace(tzinfo=ZoneInfo("Europe/Berlin"), fold=0).astimezone(UTC)


# --- the host's notes ---------------------------------------------------------------------------------------


def test_reminders_observers_outage_and_archive_by_commands(friends: Friends) -> None:
    assert friends.host("remind", "--json").json == {"anna": [24, 0], "burt": [24, 0]}
    assert friends.host("remind", "anna", "48", "12", "--json").json["anna"] == [48, 12]
    assert friends.host("remind", "burt", "never").out.splitlines() == [
        "anna: 48 h before, 12 h before",
        "burt: never reminded",
    ]
    assert friends.host("remind", "nobody", "12").code == 2
    assert friends.host("results", "--json").json == {"anna": True, "burt": True}
    assert friends.host("results", "burt", "hide", "--json").json == {"anna": True, "burt": False}
    assert friends.host("results").out.splitlines() == [
        "anna: subjects tell results",
        "burt: no subject tells a result",
    ]
    assert friends.host("results", "burt", "show", "--json").json["burt"] is True
    assert friends.host("results", "burt", "never").code == 2
    assert friends.host("results", "nobody", "hide").code == 2
    assert friends.host("observe", "olga@example.org").out == "olga@example.org\n"
    assert friends.host("observe", "--remove", "olga@example.org", "--json").json == []
    assert run("host", "observe", friends.match).out == "There are no spectators.\n"
    assert friends.host("outage").code == 0
    assert friends.host("outage", "--clock-is-right", "--json").json == {"ruling": None}
    target = friends.root / "put-away.tar.gz"
    done = run("host", "archive", friends.match, "-o", target, "--json")
    assert done.code == 0, done.err
    assert done.json["sound"] is True
    assert target.exists()
    assert run("host", "archive", friends.match, "-o", target).code == 2
    assert friends.game_file  # nothing was taken away
    shown = friends.host("status").out
    assert "since" in shown
    assert "last file" in shown


# --- people -------------------------------------------------------------------------------------------------


class _Later(datetime):
    """A clock that shows 97 hours more: a command cannot be given the time, and a resignation is held for 96."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        """Four days and an hour from now."""
        return datetime.now(tz) + timedelta(hours=97)


def resign(friends: Friends, seat: str) -> None:
    """A seat gives up; that counts when its hold is over."""
    file = friends.folder(seat) / "resign.json"
    assert friends.play(seat, "consent", "resign", f"seat={seat}", "-o", file).code == 0
    assert friends.host("advance", file).code == 0


def substitute(friends: Friends, seat: str, newcomer: str) -> None:
    """Put a newcomer into a seat that has resigned; their folder takes the seat's place among the friends."""
    folder = friends.root / newcomer
    who = fingerprint(make_identity(folder / "home", newcomer).sign_public)
    (folder / "game.jsonl").write_bytes(friends.game_file)
    for other in friends.seats:
        if other != seat:
            file = friends.folder(other) / "consent.json"
            words = ("substitute", f"seat={seat}", f"newcomer={who}")
            assert friends.play(other, "consent", *words, "-o", file).code == 0
            assert friends.host("advance", file).code == 0
    join = folder / "join.json"
    done = run("join", folder, "--seat", seat, "--substitute", "-o", join, "--home", folder / "home")
    assert done.code == 0, done.err
    done = friends.host("substitute", join)
    assert done.code == 0, done.err
    (folder / "game.jsonl").write_bytes(friends.game_file)


def test_a_newcomer_takes_a_seat_over_and_answers(friends: Friends) -> None:
    seat = friends.status()["waiting"]["seat"]
    resign(friends, seat)
    with patch("pbem.player.seat.moments.datetime", _Later):
        _a_newcomer_plays(friends, seat)


def _a_newcomer_plays(friends: Friends, seat: str) -> None:
    substitute(friends, seat, "dora")
    assert record(friends).names[Seat(seat)] == "Dora"
    folder = friends.root / "dora"
    for _ in range(12):
        if friends.status().get("waiting", {}).get("seat") != seat:
            break
        (folder / "game.jsonl").write_bytes(friends.game_file)
        legal = run("legal", folder, "--home", folder / "home", "--json").json["legal"]
        file = folder / "turn.json"
        action = json.dumps(legal[0]["action"])
        done = run("turn", folder, action, "-o", file, "--home", folder / "home")
        assert done.code == 0, done.err
        assert friends.host("advance", file).code == 0
    assert friends.status()["waiting"]["seat"] != seat
    audited = run("audit", friends.match, "--json")
    assert audited.code == 0, audited.out


def test_a_lost_key_by_commands(friends: Friends) -> None:
    seat = friends.status()["waiting"]["seat"]
    assert friends.send(friends.sign(seat, "turn", "draw", "supply")).code == 0  # with the link
    folder = friends.folder(seat)
    make_identity(folder / "home", "second")
    file = folder / "rekey.json"
    done = friends.play(seat, "rekey", "--new", "second", "--id", seat, "-o", file)
    assert done.code == 0, done.err
    assert friends.send(file).code == 0
    shown = friends.play(seat, "show", "--json")
    assert shown.code == 0, shown.err
    assert isinstance(shown.json["view"]["hands"][seat], list)
    make_identity(folder / "home", "third")
    asked = friends.play(seat, "rekey", "--new", "third", "--seat", seat, "--ask", "--json")
    assert asked.code == 0, asked.err
    other = next(other for other in friends.seats if other != seat)
    consent = friends.folder(other) / "consent.json"
    done = friends.play(other, "consent", *asked.json, "-o", consent)
    assert done.code == 0, done.err
    assert friends.send(consent).code == 0
    assert record(friends).lines[-1].kind == "propose"
    status = friends.host("status")
    assert f"rekey of {seat}, held until" in status.out
    early = friends.host("carry-out", seat)
    assert early.code == 5
    assert "is held until" in early.err
    assert friends.host("withdraw", seat).code == 0
    assert friends.host("withdraw", seat).code == 5
