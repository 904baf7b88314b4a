"""Start-up: fresh processes against a bare Typer command."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from pbem.cli.unlocking import Settings, write_settings
from pbem.crypto.digest import b64
from pbem.formats.identity_file import write_identity
from pbem.formats.messages import build_turn
from pbem.formats.strict_json import canon
from pbem.game import Seat
from pbem.store.keyring import Keyring
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

    # The table of a player with 180 and with 1,000 records: with a passphrase (scrypt), and unlocked by a keyring.
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

    # Bytecode as an installation has it: compiling 137 modules anew each time would be most of what is measured.
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
        "pbem check": pbem("check", str(turn), "--game", str(game), *unlocked),
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
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="startup").start()
    while len(world.lines) < 180 and world.move():
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
