"""Start-up: fresh processes against a bare Typer command."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from pbem.formats.strict_json import canon
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

    # Bytecode as an installation has it: compiling 137 modules anew each time would be most of what is measured.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**kept, "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}

    def run(*command: str) -> object:
        return lambda: subprocess.run(command, check=False, capture_output=True, timeout=60, env=environment)

    python = sys.executable
    parts = {
        "interpreter": run(python, "-c", "pass"),
        "bare Typer --help": run(python, str(bare), "--help"),
        "bare Typer command": run(python, str(bare), "hello"),
        "pbem --help": run(python, "-m", "pbem", "--help"),
        "pbem check": run(python, "-m", "pbem", "check", str(turn), "--game", str(game)),
    }
    times = interleaved(parts, rounds=9, clock=_children)  # type: ignore[arg-type]
    print("start-up: fresh processes, their processor time")
    for name, taken in times.items():
        line(name, f"{taken.median * 1e3:8.0f} ms   spread {taken.spread:.0%}")
    ratio_line("pbem --help / bare Typer --help", times, "pbem --help", "bare Typer --help", 1.3)
    ratio_line("pbem check / bare Typer command", times, "pbem check", "bare Typer command", 1.3)
