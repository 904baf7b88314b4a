"""Print every benchmark, or those named; ``--keep`` appends their ratios to ``results.jsonl`` under the commit.

Names: host letters pictures growth audit linear service startup. Processor time, candidates in turns.
"""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from tests.bench import growth, host_step, mail, service, startup
from tests.bench.measure import ROWS

BENCHES = {
    "host": host_step.main,
    "letters": mail.letters,
    "pictures": mail.pictures,
    "growth": growth.main,
    "audit": host_step.audits,
    "linear": host_step.linear,
    "service": service.main,
    "startup": startup.main,
}
RESULTS = Path(__file__).with_name("results.jsonl")


def _commit() -> str:
    """The commit of the tree, with a plus behind it if something is changed."""

    def git(*words: str) -> str:
        return subprocess.run(("git", *words), capture_output=True, text=True, check=True).stdout.strip()

    return git("rev-parse", "--short=12", "HEAD") + ("+" if git("status", "--porcelain", "-uno") else "")


wanted = [name for name in sys.argv[1:] if name != "--keep"]
for name in wanted or BENCHES:
    BENCHES[name]()
    print()
if "--keep" in sys.argv:
    kept = {"commit": _commit(), "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%MZ"), "ratios": ROWS}
    with RESULTS.open("a") as file:
        file.write(json.dumps(kept, ensure_ascii=False) + "\n")
