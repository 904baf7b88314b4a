"""``python -m tests.untouched [SINCE]``: commits that only move code leave every signed byte and every golden as it is.

Of the commits since ``SINCE`` (6c868bd0 if none is named) those are looked at that have the trailer ``Issue: 27``. None
may change a vector, a schema or a game file, nor what a golden file of records or emails holds.
"""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Final

SINCE: Final = "6c868bd0"
HELD: Final = re.compile(
    r"(tests/.*/golden/|tests/vectors/.*\.json$|schemas/.*\.(schema\.json|json)$|schemas/vectors|(?!tests/bench/).*\.jsonl$|examples/verifier/.*\.mjs)"
)


def _git(*words: str) -> str:
    return subprocess.run(("git", *words), capture_output=True, text=True, check=True).stdout


def touched(since: str = SINCE) -> list[str]:
    """``commit path`` for each file that such a commit must not change and does."""
    log = _git(
        "log", "--no-merges", "--format=%H %(trailers:key=Issue,valueonly,separator=%x2C)", f"{since}..HEAD"
    )
    wrong = []
    for commit, _, issue in (line.partition(" ") for line in log.splitlines()):
        if issue.strip() == "27":
            changed = _git("diff-tree", "-r", "-M", "--no-commit-id", "--name-status", commit).splitlines()
            wrong += [
                f"{commit[:8]} {path}"
                for status, *paths in (line.split("\t") for line in changed)
                for path in paths[-1:]
                if HELD.match(path) and status != "R100"
            ]
    return wrong


if __name__ == "__main__":
    paths = touched(*sys.argv[1:2])
    print(*paths, sep="\n")
    sys.exit(bool(paths))
