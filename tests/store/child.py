"""A process of its own that writes to a match folder and is killed where the test asks for it; the tests run it.

``python -m tests.store.child PLAN`` where PLAN is JSON: ``folder``, ``do`` and what that needs.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pbem.base.errors import StoreError
from pbem.player.store import GameFile, MatchFolder, write_file


def die() -> None:
    """End this very process as the kernel ends a killed one: nothing runs after this."""
    os.kill(os.getpid(), signal.SIGKILL)


def killer_at(step: str) -> Callable[[str], None]:
    """Steps that die at ``step``."""

    def steps(name: str) -> None:
        if name == step:
            die()

    return steps


def killer_after(allowed: int) -> Callable[[int, bytes], int]:
    """A write that is killed when ``allowed`` bytes have reached the disk, in the middle of a call if need be."""
    left = allowed

    def write(handle: int, data: bytes) -> int:
        nonlocal left
        written = os.write(handle, data[:left]) if left else 0
        left -= written
        if left <= 0:
            die()
        return written

    return write


def append(plan: dict[str, Any]) -> None:
    steps = killer_at(plan.get("die_at", ""))
    write = killer_after(plan["die_after"]) if "die_after" in plan else os.write
    game = GameFile(Path(plan["folder"]) / "game.jsonl", write=write, steps=steps)
    with game.lock():
        end = game.read().end
        game.append([line.encode() for line in plan["lines"]], expected=end)


def repair(plan: dict[str, Any]) -> None:
    folder = MatchFolder(Path(plan["folder"]), steps=killer_at(plan.get("die_at", "")))
    print(json.dumps(folder.repair()))


def race(plan: dict[str, Any]) -> None:
    """Append batch after batch with nothing but the optimistic check; count how often somebody was faster."""
    game = GameFile(Path(plan["folder"]) / "game.jsonl")
    end = game.read().end  # all have read it when the first appends, however the processors are shared
    print("ready", flush=True)
    sys.stdin.readline()
    beaten = 0
    for batch in range(plan["batches"]):
        size = 1 + (batch + plan["who"]) % 3
        lines = [
            json.dumps({"who": plan["who"], "batch": batch, "k": k, "of": size}).encode() for k in range(size)
        ]
        done = False
        while not done:
            try:
                game.append(lines, expected=end)
                done = True
            except StoreError as fault:
                if "somebody else appended" not in str(fault):
                    raise
                beaten += 1
            end = game.read().end
    print(beaten, flush=True)


def hold(plan: dict[str, Any]) -> None:
    with MatchFolder(Path(plan["folder"])).lock():
        print("locked", flush=True)
        sys.stdin.readline()


def small_disk(plan: dict[str, Any]) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (plan["limit"], resource.RLIM_INFINITY))
    try:
        append(plan)
    except StoreError as fault:
        print(fault)
        sys.exit(fault.exit_code)


def replace(plan: dict[str, Any]) -> None:
    write_file(Path(plan["path"]), b"new " * 10, mode=0o600, write=killer_after(plan["die_after"]))


COMMANDS = {
    "replace": replace,
    "append": append,
    "repair": repair,
    "race": race,
    "hold": hold,
    "small_disk": small_disk,
}

if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    COMMANDS[given["do"]](given)
