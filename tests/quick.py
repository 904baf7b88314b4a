"""The inner loop: ``make quick``, or ``python -m tests.quick [pytest's arguments]``. Under a minute on two cores.

It keeps what says that a match is right: formats, signatures, draws, rules, record, referee, audit, store, golden
files, vectors, one cheat of every kind. ``LEFT_OUT`` is everything else, and why; the command prints it at its end.
A new folder of tests is in until somebody writes it down here; so it grows, and wants to be added up now and then
(``pytest -p tests.costs``): in November 2026 it had grown to 460 seconds of processor, and is 115 again.
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
    "tests/docs/test_site.py": "the site built and its links followed",
    "tests/hostile": "what attackers sent, most of it at tables of its own",
    "tests/evening": "three terminals and real mail servers",
    "tests/first_mile": "the first hour of a newcomer, command by command",
    "tests/fuzz": "two languages on 8,000 texts, every target on its seeds",
    "tests/history": "whole matches told, drawn and charted",
    "tests/games/wyatt_earp/test_schemas.py": "positions, views and events of whole matches against their schemas",
    "tests/host/test_again.py": "the next match of the same people",
    "tests/host/test_store.py": "kill -9 at every point, on a folder and two databases",
    "tests/install": "a wheel built and installed",
    "tests/languages": "every letter and screen in four languages",
    "tests/letters": "letters with pictures of whole matches",
    "tests/machine": "a state machine against the host and its service",
    "tests/mail": "mails damaged in every way; connections with real servers",
    "tests/ordering": "matches played by standing orders",
    "tests/pictures": "pictures drawn and looked at by pixels",
    "tests/play": "screens driven by keys",
    "tests/bots": "computer players' matches, and how long they take",
    "tests/practice": "practice matches and lessons on the screen",
    "tests/pyodide": "Python in WebAssembly beside this one",
    "tests/record/test_tampering_anywhere.py": "whole golden files with one bit, member or line changed anywhere",
    "tests/report": "whole matches as pages; a browser",
    "tests/rules/test_rule_coverage.py": "`make rows` says the same",
    "tests/service": "real servers, databases, crashes",
    "tests/store/test_crash.py": "a crash after every write",
    "tests/system": "a whole match as on Windows, line ends, the workflow",
    "tests/third_game": "a demo and cheats of a game of its own",
    "tests/time/test_arithmetic.py": "deadlines counted minute by minute",
    "tests/time/test_commands.py": "time and people by commands",
    "tests/verifier": "every cheat put to both verifiers",
    "tests/web": "the page in a browser",
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
        print(f"  {place.removeprefix('tests/'):30}{about}")
    print(f"  {ALSO}")
    used = os.times()
    print(f"processor: {used.children_user + used.children_system:.0f} s")
    return code


if __name__ == "__main__":
    sys.exit(main())
