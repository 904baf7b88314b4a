"""The inner loop: ``make quick``, or ``python -m tests.quick [pytest's arguments]``. Under a minute on two cores.

It keeps what says that a match is right: formats, signatures, draws, rules, record, referee, audit, store, golden
files, vectors, one cheat of every kind. ``LEFT_OUT`` is everything else, and why; the command prints it at its end.
A new folder of tests is in until somebody writes it down here.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]

LEFT_OUT: Final = {
    "tests/attacks/test_mailbox.py": "mailboxes rebuilt from whole matches with pictures",
    "tests/cli": "matches by commands alone, half a second each",
    "tests/conformance": "every option of every game, thousands of decisions",
    "tests/demo": "whole demos with folders and letters",
    "tests/evening": "three terminals and real mail servers",
    "tests/fuzz": "two languages on 8,000 texts, every target on its seeds",
    "tests/history": "whole matches told, drawn and charted",
    "tests/install": "a wheel built and installed",
    "tests/languages": "every letter and screen in four languages",
    "tests/letters": "letters with pictures of whole matches",
    "tests/mail": "mails damaged in every way; connections with real servers",
    "tests/ordering": "matches played by standing orders",
    "tests/pictures": "pictures drawn and looked at by pixels",
    "tests/play": "screens driven by keys",
    "tests/pyodide": "Python in WebAssembly beside this one",
    "tests/report": "whole matches as pages; a browser",
    "tests/third_game": "a demo and cheats of a game of its own",
    "tests/service": "real servers, databases, crashes",
    "tests/verifier": "every cheat put to both verifiers",
}
"""Folders and files, with what they are about."""
ALSO: Final = "and every test with the mark `slow`"


def arguments() -> list[str]:
    """What pytest is given."""
    return ["-m", "not slow", *(f"--ignore={place}" for place in LEFT_OUT)]


def main() -> int:
    """The command; ends as pytest ends."""
    begun = time.monotonic()
    workers = ["-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder"]
    command = [sys.executable, "-m", "pytest", *workers, *arguments(), *sys.argv[1:]]
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    print(f"{time.monotonic() - begun:.0f} s. Left out (`make test` runs everything):")
    for place, about in LEFT_OUT.items():
        print(f"  {place.removeprefix('tests/'):24}{about}")
    print(f"  {ALSO}")
    used = os.times()
    print(f"processor: {used.children_user + used.children_system:.0f} s")
    return code


if __name__ == "__main__":
    sys.exit(main())
