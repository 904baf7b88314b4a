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

    # The table of a player with 150 records: with a passphrase (scrypt), and unlocked by a keyring.
    long = World("wyatt-earp", ("anna", "burt"), seed="startup").start()
    while len(long.lines) < 150 and long.move():
        pass
    copy = folder / "copy"
    copy.mkdir()
    (copy / "game.jsonl").write_bytes(b"".join(raw + b"\n" for raw in long.lines))
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
    table = (sys.executable, "-m", "pbem", "show", str(copy), "--home")
    asked = ("--passphrase-file", str(folder / "passphrase"))

    def run(*command: str) -> object:
        return lambda: subprocess.run(command, check=False, capture_output=True, timeout=60, env=environment)

    python = sys.executable
    parts = {
        "interpreter": run(python, "-c", "pass"),
        "bare Typer --help": run(python, str(bare), "--help"),
        "bare Typer command": run(python, str(bare), "hello"),
        "pbem --help": run(python, "-m", "pbem", "--help"),
        "table, passphrase": run(*table, str(folder / "typed"), *asked),
        "table, unlocked": run(*table, str(folder / "unlocked")),
        "pbem check": run(python, "-m", "pbem", "check", str(turn), "--game", str(game)),
    }
    times = interleaved(parts, rounds=9, clock=_children)  # type: ignore[arg-type]
    print("start-up: fresh processes, their processor time")
    for name, taken in times.items():
        line(name, f"{taken.median * 1e3:8.0f} ms   spread {taken.spread:.0%}")
    ratio_line("pbem --help / bare Typer --help", times, "pbem --help", "bare Typer --help", 1.3)
    ratio_line(
        "table, passphrase / bare Typer command", times, "table, passphrase", "bare Typer command", 1.5
    )
    ratio_line("table, unlocked / bare Typer command", times, "table, unlocked", "bare Typer command", 1.5)
    ratio_line("pbem check / bare Typer command", times, "pbem check", "bare Typer command", 1.3)
