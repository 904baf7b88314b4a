"""``python -m tests.hostile --files N --log FILE``: every command of a player on N game files that a hostile host made.

With ``--some K`` only K commands of each file, taken by chance; exit code 1 if anything was left that must not be.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from pbem.base.errors import PbemError
from pbem.protocol.record import Record
from tests.hostile.hostile import COMMANDS, file_of, prepared, run_all

REPORT_EVERY = 100
"""After so many files the log says how it stands."""


def main() -> int:
    """Make the files, and run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="number of the first file")
    parser.add_argument("--some", type=int, default=len(COMMANDS), help="commands for each file")
    parser.add_argument("--log", type=Path, default=Path("hostile-files.log"))
    given = parser.parse_args()
    count: Counter[str] = Counter()
    number = given.first
    with tempfile.TemporaryDirectory() as name, given.log.open("a", encoding="utf-8") as log:

        def say(line: str) -> None:
            print(line, flush=True)
            print(line, file=log, flush=True)

        root = prepared(Path(name))
        while count["files"] < given.files:
            forged, chance = file_of(number), random.Random(number)
            if forged is not None:
                game, lines = forged
                count["files"] += 1
                count["that load"] += _loads(lines)
                commands = chance.sample(COMMANDS, given.some)
                count["commands"] += len(commands)
                for fault in run_all(root, lines, commands):
                    count["faults"] += 1
                    say(f"file {number} ({game}): {fault}")
                if count["files"] % REPORT_EVERY == 0 or count["files"] == given.files:
                    say(_counts_text(count))
            number += 1
    return int(count["faults"] > 0)


def _counts_text(count: Counter[str]) -> str:
    return (
        f"{count['files']} files ({count['that load']} load), {count['commands']} commands, {count['faults']} faults,"
        f" {time.process_time():.0f} s"
    )


def _loads(lines: list[bytes]) -> bool:
    try:
        Record.load(lines)
    except PbemError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
