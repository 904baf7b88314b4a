"""Tests run alone, each in a process of its own: what passes only after another is found.

::

    python -m tests.alone modules            # each module of tests
    python -m tests.alone 200 --seed 7       # 200 tests, drawn by a seed from all of them
    python -m tests.alone 20 --in tests/api  # drawn from those of a folder or a module
    python -m tests.alone modules --in tests/record

``pytest --shuffle SEED`` runs them together in an order that is drawn. The exit code is 1 if anything failed.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
PYTEST: Final = (
    *(sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml")),
    *("-n", "0", "--no-header", "-p", "no:cacheprovider"),
)
NOTHING_RAN: Final = 5
"""Pytest's exit code where all that was chosen is left out on this machine."""


def collected(places: list[str]) -> list[str]:
    """The names of all tests there."""
    done = subprocess.run(
        [*PYTEST, "--collect-only", *places], cwd=ROOT, capture_output=True, text=True, check=False
    )
    return [
        line for line in done.stdout.splitlines() if "::" in line and not line.startswith(("ERROR", "FAILED"))
    ]


def passes(name: str) -> bool:
    """Whether a module or a test passes in a process of its own; what it printed is shown if not."""
    begin = time.monotonic()
    done = subprocess.run([*PYTEST, name], cwd=ROOT, capture_output=True, text=True, check=False)
    good = done.returncode in (0, NOTHING_RAN)
    print(f"{'ok  ' if good else 'FAIL'} {time.monotonic() - begin:6.1f} s  {name}", flush=True)
    if not good:
        print(done.stdout[-3000:], done.stderr[-1000:], sep="\n", flush=True)
    return good


def main() -> int:
    """Run them one after the other and print what failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("which", metavar="modules|N", help="each module, or so many tests")
    parser.add_argument("--seed", type=int, default=1, help="of the draw")
    parser.add_argument(
        "--in", dest="places", action="append", metavar="PATH", help="only from there; repeat it"
    )
    given = parser.parse_args()
    names = collected(given.places or ["tests"])
    if given.which == "modules":
        chosen = list(dict.fromkeys(name.partition("::")[0] for name in names))
    else:
        chosen = random.Random(given.seed).sample(names, min(int(given.which), len(names)))
    failed = [name for name in chosen if not passes(name)]
    print(f"{len(chosen)} alone, {len(failed)} failed", *failed, sep="\n  ")
    return int(bool(failed) or not chosen)


if __name__ == "__main__":
    sys.exit(main())
