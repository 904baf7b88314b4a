"""The tests on strange days and in strange places: ``python -m tests.strange [--way NAME…] [pytest's arguments]``.

One run of pytest each: the clock three months ahead, on a leap day, a year behind (by ``faketime``, whose library gives
every program another time), and with a time zone, a language and a home that few have. Programs that do not stand
another clock are hidden as by ``tests.bare``, and named; the others are Python. Monotonic clocks stay as they are.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.bare import ARGUMENTS, ROOT

CLOCKS: Final = {"ahead": "+90d", "leap": "@2028-02-29 11:30:00", "behind": "-365d"}
"""As ``faketime -f`` takes them."""
ODD: Final = {"TZ": "Pacific/Chatham", "LANG": "tr_TR.UTF-8", "LC_ALL": "", "LANGUAGE": "tr"}
"""A quarter of an hour beside the others, with summer time in winter; a language in which an i has no dot."""
HOME: Final = "Zoë's home, №1"
_SWITCHES: Final = ("--exclude-monotonic", "-f")
WAYS: Final = (*CLOCKS, "odd")


def at(clock: str, arguments: list[str]) -> int:
    """The tests by another clock; pytest's exit code."""
    program = shutil.which("faketime")
    if program is None:
        print("faketime is not installed")
        return 1
    command = [
        sys.executable,
        "-m",
        "tests.bare",
        "--under",
        "|".join((program, *_SWITCHES, clock)),
        *arguments,
    ]
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parent)}
    return subprocess.run(command, cwd=ROOT, env=environ, check=False).returncode


def odd(arguments: list[str]) -> int:
    """The tests in a strange place; pytest's exit code."""
    with tempfile.TemporaryDirectory(prefix="pbem-strange.") as folder:
        home = Path(folder) / HOME
        home.mkdir()
        command = [sys.executable, "-m", "pytest", *ARGUMENTS, *arguments]
        return subprocess.run(
            command, cwd=ROOT, env={**os.environ, **ODD, "HOME": str(home)}, check=False
        ).returncode


def main() -> int:
    """Run them one after the other; how each ended, and 1 if one has failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--way", action="append", choices=WAYS, help="only this; repeat it")
    given, arguments = parser.parse_known_args()
    ended = {}
    for way in given.way or WAYS:
        print(f"{way}: {CLOCKS.get(way) or ODD}", flush=True)
        ended[way] = at(CLOCKS[way], arguments) if way in CLOCKS else odd(arguments)
    print(", ".join(f"{way}: {'passed' if code == 0 else f'failed ({code})'}" for way, code in ended.items()))
    return int(any(ended.values()))


if __name__ == "__main__":
    sys.exit(main())
