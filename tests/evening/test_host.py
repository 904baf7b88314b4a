"""``pbem host`` alone: an evening that nobody prepared, by the real command in a terminal; small."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.host.store import BEAT
from pbem.player.mail.gate import peek_header
from pbem.player.mail.imap import ImapMailbox
from pbem.protocol.record.deadlines import format_time, parse_time
from tests.cli.seats import run
from tests.evening.by_mail import evening
from tests.evening.organiser import PASSPHRASE, ROOT, ByLink, Organiser, awaited, play
from tests.mail.stack import free_port, why_missing
from tests.needed import require
from tests.play.test_real_terminal import new_terminal
from tests.service.test_links import FILES


@pytest.fixture
def organiser(tmp_path: Path) -> Iterator[Organiser]:
    terminal = new_terminal(tmp_path.name)
    try:
        yield Organiser(terminal, tmp_path / "friends")
    finally:
        terminal.tmux("kill-server")


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """What is closed after a test, however it ends."""
    with ExitStack() as opened:
        yield opened


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Stands where the built page would be."""
    place = tmp_path / "page"
    place.mkdir()
    for name, data in FILES.items():
        (place / name).write_bytes(data)
    return place


@contextmanager
def tunnel(listen: str) -> Iterator[tuple[str, str]]:
    """The command of recipe b, with a stand-in for its program: the address it prints, and whom it is trusted by."""
    text = (ROOT / "examples" / "host.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"\*\*\(b\) [^`]*`cloudflared ([^`]+)`", text)
    words = shlex.split(command.replace("127.0.0.1:8080", listen))
    with subprocess.Popen(
        [sys.executable, "-m", "tests.evening.tunnel", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as running:
        assert running.stdout is not None
        _, address, _, authority = (running.stdout.readline().strip() for _ in range(4))
        yield address.strip("| "), authority


def beat_before(folder: Path, hours: int) -> None:
    """The program ran last so many hours ago."""
    with closing(sqlite3.connect(folder / "service.db")) as database, database:
        (text,) = database.execute("SELECT value FROM meta WHERE name = ?", (BEAT,)).fetchone()
        before = format_time(parse_time(text) - timedelta(hours=hours))
        database.execute("UPDATE meta SET value = ? WHERE name = ?", (before, BEAT))


def test_an_evening_from_nothing_to_a_dead_computer(
    organiser: Organiser, page: Path, tmp_path: Path, stack: ExitStack
) -> None:
    """Reached through a tunnel."""
    listen = f"127.0.0.1:{free_port()}"
    url, authority = stack.enter_context(tunnel(listen))
    organiser.sit_down()
    organiser.host("--page", str(page), "--listen", listen)
    organiser.first_start("wyatt-earp", "Burt", url, tmp_path / "stick")
    assert organiser.answers <= 14
    links = organiser.links()
    assert list(links) == ["anna", "burt"]
    friends = [stack.enter_context(ByLink(link, authority=authority)) for link in links.values()]
    assert friends[0].client.get("play/host.json").json()["api"] == url
    for friend in friends:
        friend.join()
    organiser.terminal.until("Burt has taken the seat burt")
    for friend in friends:
        friend.ready()
    assert play(friends, 2) == 2
    organiser.awaits(awaited(friends))
    turns_before = len(friends[0].player.lines)

    organiser.killed()
    beat_before(organiser.folder, hours=3)  # as after a lid that was closed so long
    organiser.again()  # with no answer
    organiser.terminal.until("nobody could be reached from", "all deadlines move by that")
    assert play(friends, 2) == 2
    kinds = [json.loads(line)["body"]["kind"] for line in friends[0].player.lines]
    assert kinds.index("extend") == turns_before
    organiser.new_match("Curt, Dora")  # in the same folder
    assert set(organiser.links()) == {"curt", "dora"}

    organiser.quit()
    organiser.folder.rename(tmp_path / "stolen")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    organiser.terminal.press(f"cd {elsewhere}", "Enter")
    organiser.folder = elsewhere
    answers = organiser.answers
    organiser.host("--from", str(tmp_path / "stick" / "pbem-friends"))
    organiser.answer("Passphrase of anna", PASSPHRASE)
    organiser.terminal.until("Keys: l links")
    assert organiser.answers == answers + 1
    assert play(friends, 2) == 2
    short = friends[0].way["join"]
    organiser.terminal.press("r")
    organiser.terminal.until("No match is over yet.")
    organiser.end_early(short)
    organiser.terminal.until("must agree to end first")
    while friends[0].read():
        pass
    organiser.quit()

    game = tmp_path / "game.jsonl"
    done = run("host", "export", short, "-o", game, "--config", elsewhere / "service.toml")
    assert done.code == 0, done.err
    assert run("audit", game).code == 0
    assert game.read_bytes().splitlines() == friends[0].player.lines


def test_by_email_alone_with_a_private_mailbox(organiser: Organiser, tmp_path: Path) -> None:
    """The organiser does not play and has one mail account for everything; her own mail is never touched.

    Her program is killed and her computer is gone: another one goes on from the copy, by mail alone.
    """
    require(why_missing())
    with evening(organiser, tmp_path, "anna", "burt") as played:
        played.boxes[0].send(PRIVATE)
        played.begin("wyatt-earp")
        assert organiser.answers <= 14
        played.turn()
        played.dies(tmp_path / "elsewhere")
        played.turn()
        mine = ImapMailbox(lambda: played.place.account(played.place.imap, "games"))
        while len(left := mine.waiting()) > 1:  # what is about matches is moved out of the inbox
            mine.wait(1)
        assert [peek_header(raw, "Subject") for raw in mine.fetch([left[0].uid]).values()] == [
            "Lunch on Sunday?"
        ]
        mine.close()
        assert played.audited(tmp_path / "game.jsonl") > 6


PRIVATE = b"""From: anna@players.test\r
To: games@pbem.test\r
Subject: Lunch on Sunday?\r
Message-ID: <private@players.test>\r
\r
HELP me with the cake.\r
"""
