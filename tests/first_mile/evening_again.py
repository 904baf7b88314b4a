"""The ten points of a newcomer's second evening, each with its screen or email now.

``python -m tests.first_mile.evening_again`` writes ``examples/ten-points.md``. Every row is made from a real command,
terminal, match or service, and ends the command with an error if the words that it is there for are missing.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Final

from pbem.game import Seat
from pbem.player.letters.compose import invitation_letter, reminder_letter
from pbem.player.play import Post
from pbem.player.play.app import PlayApp
from pbem.player.practice.app import PracticeApp
from pbem.protocol.record.deadlines import Deadlines, format_time, parse_time
from tests import one_time_keys
from tests.first_mile.looks import LETTERS
from tests.first_mile.rows import Row
from tests.first_mile.stage import HOST, ROOT, Shown, Stage, letter
from tests.letters.ten import ten
from tests.patience import patiently
from tests.play.player_session import Chair
from tests.play.screens import PLACES, Steps, at_screen, keys, take, text_of
from tests.play.test_real_terminal import Terminal
from tests.practice.lessons import begin
from tests.service.table import Table
from tests.service.test_people import consent
from tests.world import World, secret

HEAD = """# Ten points of an evening in the terminal

What a newcomer met on a second evening in November 2026, and the screen or email that stands there now.
`python -m tests.first_mile.evening_again` makes everything below and writes this page; it ends with an error if a row
does not show what it is there for. What stands in brackets is no command but what was mailed or looked at.
"""
MOST = 26


def _new_computer(stage: Stage) -> Iterator[Shown]:
    friends = stage.playing
    folder = stage.root / "new-computer"
    folder.mkdir()
    for path in friends.folder("anna").glob("*.eml"):
        shutil.copy(path, folder)
    environ = {"PBEM_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT), "PBEM_LANG": "en", "NO_COLOR": "1"}
    settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in environ.items())
    terminal = Terminal(f"pbem-ten-points-{os.getpid()}")
    try:
        terminal.start(f"cd {shlex.quote(str(folder))} && {settings} {sys.executable} -m pbem play")
        yield Shown("pbem play   (a new computer, the saved emails)", terminal.until("seat already").rstrip())
    finally:
        terminal.tmux("kill-server")


def _passphrase(stage: Stage) -> Iterator[Shown]:
    friends = stage.playing
    folder = friends.folder("zoe")
    folder.mkdir()
    for name, text in (("old", "six white horses\n"), ("wrong", "five\n"), ("new", "seven black horses\n")):
        (folder / name).write_text(text, encoding="utf-8")
    stage.types(friends, "zoe", "pbem id new Zoe --passphrase-file old")
    stage.types(friends, "zoe", "pbem id backup -o words.txt --passphrase-file old")
    yield stage.types(friends, "zoe", "pbem id backup --passphrase-file wrong")
    yield stage.types(friends, "zoe", "pbem id restore Zoe --from words.txt --passphrase-file new")


def _sends(stage: Stage) -> Iterator[Shown]:
    yield stage.types(stage.invited, "host", "pbem host send match")
    yield stage.types(stage.invited, "host", "pbem host send match --sent")
    yield stage.types(stage.invited, "host", "pbem host send match --sent")


def _opens(stage: Stage) -> Iterator[Shown]:
    yield Shown("(pbem play as it opens)", _screen(stage, "wyatt-earp", keys()))


def _address(stage: Stage) -> Iterator[Shown]:
    steps = take("Lay 3 Butch", "Discard Stagecoach", then=["s", "enter"])
    yield Shown("(pbem play, s: where the file goes)", _screen(stage, "wyatt-earp", steps))


def _triumph(stage: Stage) -> Iterator[Shown]:
    del stage
    letters = ten("wyatt-earp")
    for name in ("receipt", "the end"):
        email = letters[name]
        yield Shown(
            f"(email: {name})", f"Subject: {email.subject}\n\n" + "\n".join(email.text.splitlines()[:14])
        )


def _deadline(stage: Stage) -> Iterator[Shown]:
    """A match that excuses one miss: what its invitation promises, and the emails after the first and the second."""
    del stage
    record = World("wyatt-earp", ("anna", "burt"), deadlines=Deadlines(excused=1)).start().record
    seat = Seat(str(record.waiting["seat"])) if record.waiting is not None else Seat("")
    miss = record.due or ""
    excused = format_time(parse_time(miss) + timedelta(hours=25))  # an hour after the extra time
    emails = {
        "invitation": invitation_letter(record, seat, host="Helga <helga@example.org>", word="beejtc3zqy"),
        "after the first missed deadline": reminder_letter(record.as_of(miss), seat, miss, pictures=False),
        "the miss is excused": reminder_letter(record.as_of(excused), seat, excused, pictures=False),
    }
    for name, email in emails.items():
        lines = email.text.splitlines()
        begin = next((at for at, line in enumerate(lines) if line.startswith("Time  ")), 0)
        yield Shown(
            f"(email: {name})",
            "\n".join([f"Subject: {email.subject}", "", *lines[begin : begin + (3 if begin else 8)]]),
        )


def _matters(stage: Stage) -> Iterator[Shown]:
    yield Shown("(pbem play, e: pause, be away, end)", _screen(stage, "way-out-west", keys("e")))


def _lesson(stage: Stage) -> Iterator[Shown]:
    session = begin(stage.root / "lesson", "way-out-west")
    app = PracticeApp(session)

    async def look() -> list[str]:
        async with at_screen(app, (80, 24)) as pilot:
            for _ in patiently("the lesson's first words"):
                if "Choose: " in (words := text_of(app)):
                    break
                await pilot.pause()
            await pilot.press("escape")
            await pilot.pause()
            return [words, text_of(app)]

    words, under = asyncio.run(look())
    yield Shown("(pbem practice way-out-west --lesson: its first words)", words)
    yield Shown("(the rows under them)", under)


def _rematch(stage: Stage) -> Iterator[Shown]:
    folder = stage.root / "rematch"
    folder.mkdir()
    table = Table(folder).start()
    for player in table.players.values():
        consent(table, player, {"kind": "end", "why": "The train is here"})
    table.service.matches.again(table.short, secret("nonce again")[:16])
    table.pump()
    yield letter(table.players["anna"].letters[-1], "(the email of a rematch)", lines=24)


def _screen(stage: Stage, place: str, steps: Steps) -> str:
    """A terminal of 80 by 24 in a match that stands somewhere, as text."""
    world, seat = PLACES[place]()
    with tempfile.TemporaryDirectory(dir=stage.root) as folder, contextlib.chdir(folder):
        Path("saturday").mkdir()
        session = Chair(world, seat, Path(folder) / seat).session()
        session.post = Post(Path("saturday"), address=HOST)
        app = PlayApp(session)

        async def look() -> str:
            async with at_screen(app, (80, 24)) as pilot:
                await pilot.pause()
                await steps(pilot)
                await pilot.pause()
                return text_of(app)

        return asyncio.run(look())


ROWS: Final = (
    Row(1, "a new computer makes new keys and a second join", _new_computer, ("seat already",)),
    Row(2, "a forgotten passphrase is a trap", _passphrase, ("pbem id restore", "passphrase")),
    Row(3, "a folder host mails 137 files one by one", _sends, ("pbem mail init", "--sent")),
    Row(4, "`play` opens on the story, not on your turn", _opens, ("Your turn to",)),
    Row(5, "the host's address is never shown", _address, (HOST,)),
    Row(6, "the moment of triumph: \"accepted, your file 33\"", _triumph, ("Subject:",),
        ("your file", "action was applied", "epoch")),
    Row(7, "emails contradict the invitation on what happens when the time is up", _deadline,
        ("timeout move", "the whole time once more")),
    Row(8, "agreements and being away are missing from `play`", _matters, ("Propose a pause", "Be away for a while")),
    Row(9, "the lesson names rows that are not on the screen", _lesson, ("Choose: ",)),
    Row(10, "the rematch is a stranger's invitation", _rematch, ("rematch", "Last time"), ("uv tool install",)),
)  # fmt: skip


def page(stage: Stage) -> str:
    """The whole page."""
    return "\n".join([HEAD, *(_section(row, row.show(stage)) for row in ROWS)])


def _section(row: Row, shown: list[Shown]) -> str:
    blocks = "\n".join(f"```\n{_block(entry)}\n```" for entry in shown)
    return f"## {row.number}. Was: {row.met}\n\n{blocks}\n"


def _block(entry: Shown) -> str:
    typed = entry.typed if entry.typed.startswith("(") else f"$ {entry.typed}"
    lines = entry.printed.splitlines()
    if len(lines) > MOST:
        lines = [*lines[:MOST], "…"]
    code = f"\n(exit code {entry.code})" if entry.code else ""
    return re.sub(r"[ \t]+$", "", "\n".join([typed, *lines]) + code, flags=re.MULTILINE)


def main() -> None:
    """Write it."""
    os.environ["PBEM_LANG"] = "en"
    with tempfile.TemporaryDirectory() as folder, one_time_keys.fixed():
        text = page(Stage(Path(folder)))
    (LETTERS.parent / "ten-points.md").write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(ROWS)} rows\n")


if __name__ == "__main__":
    main()
