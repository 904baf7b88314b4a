"""A channel where friends talk: each event once and after its commit, nothing hidden, no address inside the machine."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.base.errors import StoreError, UsageProblem
from pbem.host.call_out import Guard
from pbem.host.calling import NOT_PUBLIC, call_out, checked_channel
from tests.service.table import Table

URL = "ntfys://friends"


class Told:
    """A channel of the tests: what it was told, or that it does not take anything."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.away = False

    def __call__(self, url: str, title: str, text: str) -> None:
        assert (url, title) == (URL, "Wyatt Earp")
        if self.away:
            raise StoreError("the channel does not take it")
        self.texts.append(text)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def table(tmp_path: Path, told: Told) -> Table:
    made = Table(tmp_path)
    made.service.context.call_out = told
    made.service.matches.channel(made.short, URL)
    return made.start()


def test_each_event_is_told_once(table: Table, told: Told) -> None:
    assert told.texts[0] == "The table is full: Wyatt Earp"
    assert "'s turn in Wyatt Earp, by " in told.texts[1]
    before = len(told.texts)
    table.pump()
    assert len(told.texts) == before
    table.play(limit=8)
    assert len(told.texts) > before
    assert len(set(told.texts)) <= len(told.texts)
    table.service.close()


def test_the_token_is_in_no_row_and_no_log(table: Table, tmp_path: Path) -> None:
    raw = b"".join(path.read_bytes() for path in tmp_path.glob("service.db*"))
    assert b"ntfys://" not in raw
    assert table.service.matches.channel(table.short, None) == [("", "ntfys")]
    table.service.close()


def test_two_hands_are_told_in_equal_words(tmp_path: Path) -> None:
    """What is told follows from public facts: other hidden cards change no byte of it."""
    found = []
    for nonce in ("nonce service", "nonce service, another deal"):
        told = Told()
        folder = tmp_path / nonce.replace(" ", "-")
        folder.mkdir()
        made = Table(folder, nonce=nonce)
        made.service.context.call_out = told
        made.service.matches.channel(made.short, URL)
        made.start()
        found.append(told.texts)
        made.service.close()
    assert found[0] == found[1]


def test_a_player_hears_of_the_own_turn_only(tmp_path: Path, told: Told) -> None:
    made = Table(tmp_path)
    made.service.context.call_out = told
    made.service.matches.channel(made.short, URL, "burt")
    made.start()
    made.play(limit=6)
    assert told.texts
    assert not any(text.startswith("Anna's turn") for text in told.texts)
    made.service.close()


def test_a_channel_that_takes_nothing_is_dropped_and_said(table: Table, told: Told) -> None:
    told.away = True
    table.play(limit=40)
    assert table.service.matches.channel(table.short, None) == []
    (said, *_) = table.notes("channel")
    assert "ntfys" in said
    assert "friends" not in said
    table.service.close()


def test_off_is_one_word(table: Table, told: Told) -> None:
    table.service.matches.channel(table.short, None, off=True)
    before = len(told.texts)
    table.play(limit=4)
    assert len(told.texts) == before
    table.service.close()


class Killed(BaseException):
    """Power failed."""


@pytest.mark.parametrize("point", ["notice-leaving", "notice-told"])
def test_a_crash_tells_nothing_twice(tmp_path: Path, told: Told, point: str) -> None:
    made = Table(tmp_path)
    context = made.service.context
    context.call_out = told
    made.service.matches.channel(made.short, URL)
    made.invite()

    def steps(name: str) -> None:
        if name == point:
            raise Killed

    context.steps = steps
    players = list(made.players.values())
    made.send(players[0].mail(players[0].join(made.words[players[0].seat])))
    with pytest.raises(Killed):
        made.send(players[1].mail(players[1].join(made.words[players[1].seat])))
    again = Table(tmp_path, mail=made.mail, fresh=False)
    again.service.context.call_out = told
    again.clock.tick(1500)  # the one that was killed leads no more
    again.service.run_once()
    again.service.run_once()
    assert told.texts.count("The table is full: Wyatt Earp") == (1 if point == "notice-told" else 0)
    with again.service.context.database.reading() as transaction:
        left = transaction.run("SELECT name, value FROM meta WHERE name LIKE 'notice/%'")
        assert left == [], told.texts
    again.service.close()


@pytest.mark.parametrize(
    "url",
    ["ntfy://friends", "json://example.org/x", "mailtos://a:b@example.org", "nothing", "file:///etc/passwd"],
)
def test_only_services_behind_tls_are_taken(url: str) -> None:
    with pytest.raises(UsageProblem) as fault:
        checked_channel(url)
    assert url not in str(fault.value)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "10.0.0.1", "192.168.1.1", "169.254.169.254"]
)
def test_no_address_inside_the_house_is_called(host: str) -> None:
    with pytest.raises(StoreError, match="not public"):
        call_out(f"jsons://{host}:1/x", "title", "text")


@pytest.mark.parametrize(
    "host",
    ["::ffff:127.0.0.1", "0.0.0.0", "fe80::1%eth0", "localhost", "100.64.0.1", "::"],  # noqa: S104 - refused
)
def test_the_guard_knows_every_spelling(host: str) -> None:
    with pytest.raises(PermissionError):
        Guard(())("socket.connect", (None, (host, 443)))
    Guard(())("socket.connect", (None, ("1.1.1.1", 443)))
    with pytest.raises(PermissionError):
        Guard(())("socket.connect", (None, "/run/socket"))


def test_the_guard_is_at_the_connection_whatever_connects() -> None:
    """A library that opens a socket by itself is refused as well."""
    program = (
        "import sys, socket; sys.argv=['x']; import pbem.host.call_out as c; g=c.Guard(());sys.addaudithook(g)\n"
        "try:\n socket.create_connection(('localhost', 9), 1)\nexcept PermissionError: sys.exit(3)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert done.returncode == NOT_PUBLIC


def test_the_child_prints_nothing() -> None:
    given = json.dumps({"url": "jsons://user:secret@127.0.0.1:1/", "title": "t", "text": "x", "also": []})
    done = subprocess.run(
        [sys.executable, "-m", "pbem.host.call_out"], input=given, capture_output=True, text=True, check=False
    )
    assert "secret" not in done.stdout + done.stderr
