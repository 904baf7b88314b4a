"""Start-up: fresh processes against a bare Typer command."""

from __future__ import annotations

import json
import os
import pty
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from pbem.game import Seat
from pbem.player.seat.keeping_open import Settings, write_settings
from pbem.player.store.keyring import Keyring
from pbem.protocol.crypto.digest import b64
from pbem.protocol.formats.identity_file import write_identity
from pbem.protocol.formats.messages import build_turn
from pbem.protocol.formats.strict_json import canon
from tests.bench.measure import interleaved, line, ratio_line
from tests.world import World

BARE = """
import typer
app = typer.Typer()
@app.command()
def hello(name: str = "x") -> None:
    print(name)
@app.command()
def other() -> None:
    print("x")
app()
"""

TEXTUAL: Final = """
from textual.app import App
from textual.containers import Vertical
from textual.widgets import Footer, OptionList, Static
class Bare(App):
    ENABLE_COMMAND_PALETTE = False
    def compose(self):
        with Vertical():
            yield Static("Table")
            yield OptionList("a", "b")
        yield Footer()
Bare().run()
"""
"""The least screen of Textual that can be chosen from: what no client built on it can go below."""


ENDING: Final = """
import os, sys
class Ending:
    def __init__(self, stream):
        self.stream = stream
    def write(self, text):
        if {mark!r} in text:
            os._exit(0)
        return self.stream.write(text)
    def __getattr__(self, name):
        return getattr(self.stream, name)
sys.stdout, sys.__stderr__ = Ending(sys.stdout), Ending(sys.__stderr__)
"""
"""A process ends itself with the first text that holds the mark: whoever watches it from outside comes late."""


def in_terminal(mark: str, code: str, words: tuple[str, ...], environment: dict[str, str]) -> tuple[int, str]:
    """Run a program in a terminal of 80 by 24 until it ends or writes ``mark``; its status and text."""
    command = (sys.executable, "-c", ENDING.format(mark=mark) + code, *words)
    child, terminal = pty.fork()
    if child == 0:
        size = {"TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
        os.execve(command[0], command, environment | size)  # noqa: S606
    written = b""
    while came := _read(terminal):
        written += came
        if b"\x1b[c" in came:  # what every terminal answers, so that nobody waits for it
            os.write(terminal, b"\x1b[?1;2c")
    os.close(terminal)
    return os.waitpid(child, 0)[1], written.decode("utf-8", "replace")


def _read(terminal: int) -> bytes:
    """What the program wrote; nothing at its end, which Linux calls an error."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def _children() -> float:
    """Seconds of processor time that finished child processes took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="pbem-bench-"))
    bare = folder / "bare.py"
    bare.write_text(BARE)
    world = World("wyatt-earp", ("anna", "burt"), seed="startup").start()
    game, turn = folder / "game.jsonl", folder / "turn.json"
    game.write_bytes(b"".join(raw + b"\n" for raw in world.lines))
    turn.write_bytes(canon(world.turn_file("anna", {"do": "draw", "from": "supply"})))

    # The table of a player with 150 and with 1,000 records: with a passphrase (scrypt), and unlocked by a keyring.
    short, long = _short(), _long()
    for name, played in (("short", short), ("long", long)):
        (folder / name).mkdir()
        (folder / name / "game.jsonl").write_bytes(b"".join(raw + b"\n" for raw in played.lines))
    anna = long.people[Seat("anna")]
    for home, keyring in (("typed", "never"), ("unlocked", "always")):
        Keyring(folder / home).add("anna", write_identity(anna, "Anna", "horse", b"0" * 16))
        write_settings(folder / home / "identities", Settings(keyring))
    (folder / "passphrase").write_text("horse\n")
    entry = {f"pbem/{b64(anna.sign_public)}": json.dumps({"until": "", "secret": b64(anna.secret)})}
    (folder / "keyring.json").write_text(json.dumps(entry))

    # Bytecode as an installation has it: compiling 137 modules again each time would be most of what is measured.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**kept, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    environment |= {
        "PYTHON_KEYRING_BACKEND": "tests.evening.kept.FileKeyring",
        "PBEM_TEST_KEYRING": str(folder / "keyring.json"),
    }
    asked = ("--home", str(folder / "typed"), "--passphrase-file", str(folder / "passphrase"))
    unlocked = ("--home", str(folder / "unlocked"))

    def run(*command: str) -> object:
        return lambda: subprocess.run(command, check=True, capture_output=True, timeout=60, env=environment)

    python = sys.executable

    def pbem(*words: str) -> object:
        return run(python, "-m", "pbem", *words)

    def shown(mark: str) -> None:
        words = ("play", str(folder / "short"), *unlocked)
        status, text = in_terminal(mark, "from pbem.cli import run\nrun()", words, environment)
        if status:
            raise EOFError(text)

    many = f"{len(long.lines):,} records"
    few = f"{len(short.lines)} records"
    parts = {
        "interpreter": run(python, "-c", "pass"),
        "bare Typer --help": run(python, str(bare), "--help"),
        "bare Typer command": run(python, str(bare), "hello"),
        "pbem --help": pbem("--help"),
        f"show, {few}, passphrase": pbem("show", str(folder / "short"), *asked),
        f"show, {few}, unlocked": pbem("show", str(folder / "short"), *unlocked),
        f"show, {many}, unlocked": pbem("show", str(folder / "long"), *unlocked),
        f"show --public, {many}": pbem("show", "--public", str(folder / "long"), *unlocked),
        f"legal, {few}, unlocked": pbem("legal", str(folder / "short"), *unlocked),
        "Textual, least screen": lambda: in_terminal("Table", TEXTUAL, (), environment),
        f"play, {few}, to the table": lambda: shown("Your hand"),
        f"play, {few}, to the first key": lambda: shown("Draft"),
        "pbem check": pbem("check", str(turn), "--copy", str(game), *unlocked),
    }
    times = interleaved(parts, rounds=7, clock=_children)  # type: ignore[arg-type]
    print("start-up: fresh processes, bytecode cached, seen before; their processor time")
    for name, taken in times.items():
        line(name, f"{taken.median * 1e3:8.0f} ms   spread {taken.spread:.0%}")
    ratio_line("pbem --help / bare Typer --help", times, "pbem --help", "bare Typer --help", 1.3)
    for name in list(parts)[4:]:
        aim = 1.3 if name == "pbem check" else 1.5
        ratio_line(f"{name} / bare Typer command", times, name, "bare Typer command", aim)


def _short() -> World:
    """Another match than that of ``check``: two copies of one match would throw each other's checkpoint away."""
    world = World("wyatt-earp", ("anna", "burt", "curt", "dora"), seed="startup").start()
    while len(world.lines) < 150 and world.move():
        pass
    return world


def _long() -> World:
    """A match of Way Out West whose players talk as much as they may, until there are 1,000 records."""
    world = World("way-out-west", ("anna", "burt", "curt", "dora"), seed="startup").start()
    while len(world.lines) < 1_000 and world.move():
        for seat in world.seats:
            for number in range(2):
                if not world.record.over and not world.record.missing_links:
                    record, n = world.record, world.number(seat)
                    person = world.people[Seat(seat)]
                    text = f"word {number} after record {record.head.seq}"
                    world.send(
                        build_turn(person, record.game, seat, n, record.head.seen, actions=[], say=text)
                    )
    return world
