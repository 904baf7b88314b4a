"""What a terminal, a browser or a process of its own says: the slow rows of the first mile."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from pbem.base.language import ENGLISH
from pbem.game import Seat
from pbem.player.play.app import PlayApp
from pbem.player.store import Keyring
from pbem.protocol.formats.identity_file import write_identity
from tests.first_mile.stage import ROOT, Shown, Stage
from tests.letters.kinds import KINDS, height_of
from tests.play.player_session import Chair, until
from tests.play.screens import at_screen, text_of
from tests.play.test_real_terminal import Terminal
from tests.world import World

LETTERS = ROOT / "examples" / "letters"
RECORDS = 150


def unlocking(stage: Stage) -> Iterator[Shown]:
    """A wrong passphrase in ``pbem play``, and one at a command without a terminal."""
    world = World("wyatt-earp", ("anna", "burt")).start()
    folder = stage.root / "unlocking"
    folder.mkdir()
    (folder / "game.jsonl").write_bytes(b"".join(line + b"\n" for line in world.lines))
    keys = write_identity(world.people[Seat("anna")], "Anna", "six white horses", b"0" * 16, log_n=1)
    Keyring(folder / "home").add("anna", keys)
    environ = {"PBEM_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT), "PBEM_LANG": "en", "NO_COLOR": "1",
               "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}  # fmt: skip
    settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in environ.items())
    terminal = Terminal(f"pbem-first-mile-{os.getpid()}")
    try:
        terminal.start(f"cd {shlex.quote(str(folder))} && {settings} {sys.executable} -m pbem play")
        terminal.until("Passphrase of anna:")
        terminal.press("wrong", "Enter")
        asked = terminal.wait(lambda shown: shown.count("Passphrase of anna:") > 1, "the second question")
        yield Shown("pbem play   (typed: wrong)", asked.rstrip())
        terminal.press("six white horses", "Enter")
        yield Shown("(typed: six white horses)", terminal.until("Your turn to", "Draft").rstrip())
        terminal.press("C-c")
    finally:
        terminal.tmux("kill-server")


def narrow(stage: Stage) -> Iterator[Shown]:
    """``pbem play`` in a window of 60 by 20, after a draw; and before the first deal of a match with a map."""
    drawn = until(World("wyatt-earp", ("anna", "burt"), seed="3").start(), "anna", "play", 8, "lay")
    yield Shown(
        "(pbem play in a window of 60 × 20, behind a draw)", screen_of(drawn, "anna", stage.root / "narrow")
    )
    west = until(World("way-out-west", ("anna", "burt", "curt")).start(), "burt", "setup")
    yield Shown("(Anna, while Burt is asked)", screen_of(west, "anna", stage.root / "west")).only(
        "Waiting for Burt"
    )


def screen_of(world: World, seat: str, folder: Path, size: tuple[int, int] = (60, 20)) -> str:
    """What ``pbem play`` shows, as text."""
    folder.mkdir()
    app = PlayApp(Chair(world, seat, folder).session())

    async def look() -> str:
        async with at_screen(app, size) as pilot:
            await pilot.press("1")
            await pilot.pause()
            return text_of(app)

    return asyncio.run(look())


def processor(stage: Stage) -> Iterator[Shown]:
    """Seconds of processor of commands, in a match of so many records: the second time, as an evening has it."""
    world = World("wyatt-earp", ("anna", "burt"), seed="first mile").start()
    while len(world.lines) < RECORDS and world.move():
        pass
    folder = stage.root / "quickly"
    folder.mkdir()
    (folder / "game.jsonl").write_bytes(b"".join(line + b"\n" for line in world.lines))
    seat = str((world.record.waiting or {"seat": "anna"})["seat"])
    keys = write_identity(world.people[Seat(seat)], seat.title(), "", b"0" * 16, log_n=1)
    Keyring(folder / "home").add(seat, keys)
    environ = {**os.environ, "PBEM_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT)}
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    bare = "import typer; app = typer.Typer(); app.command()(lambda: print('x')); app()"
    commands = {
        "(a bare Typer command)": [sys.executable, "-c", bare],
        **{
            f"pbem {words}": [sys.executable, "-m", "pbem", *words.split()]
            for words in ("--version", "show .", "legal .", "replay . --plain")
        },
    }
    rows = []
    for typed, words in commands.items():
        taken = min(_seconds(words, folder, environ) for _ in range(4))
        rows.append(f"{typed:24}{taken:6.2f} s")
    yield Shown(f"(processor time of a fresh process, {len(world.lines)} records)", "\n".join(rows))


def _seconds(words: list[str], folder: Path, environ: dict[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, cwd=folder, env=environ, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def heights(stage: Stage) -> Iterator[Shown]:
    """How tall the kept emails are on a phone."""
    del stage
    kept = sorted(path for path in LETTERS.glob("*.png") if "-turn-" not in path.stem)  # those are windows
    rows = [f"{path.stem:14}{height_of(path):6} pixels" for path in kept]
    yield Shown("(letters at 390 pixels of width)", "\n".join(rows))


def pictures(stage: Stage) -> Iterator[Shown]:
    """The picture in an email: its size, and how it is shown."""
    del stage
    rows = []
    for name in ("your-turn", "map-turn"):
        letter = KINDS[name](ENGLISH)
        (picture,) = letter.pictures
        width, height = (int.from_bytes(picture.png[at : at + 4], "big") for at in (16, 20))
        shown = re.search(r'<img[^>]*width="(\d+)"', letter.html)
        wide = shown[1] if shown else "?"
        rows.append(
            f"{name:12} drawn {width} × {height}, {wide} pixels wide or the window's, {len(picture.png):,} bytes"
        )
    yield Shown("(the picture of a letter)", "\n".join(rows))


def report(stage: Stage) -> Iterator[Shown]:
    """Where the result stands in the kept reports."""
    from tests.report.browser import PHONE, started

    del stage
    rows = []
    with started() as browser:
        for path in sorted((ROOT / "examples" / "report").glob("*.html")):
            with browser.opened(path, PHONE, "light") as opened:
                top = opened.page.evaluate(
                    "Math.round(document.getElementById('result').getBoundingClientRect().top)"
                )
                tall = opened.page.evaluate("document.documentElement.scrollHeight")
                rows.append(f"{path.name:20} result {top} pixels down, page {tall:,}")
    yield Shown("(the report at 390 pixels of width)", "\n".join(rows))
