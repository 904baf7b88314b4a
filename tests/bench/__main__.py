"""Print benchmarks: ratios, measured in one run; processor time, candidates in turns."""

from __future__ import annotations

import argparse
import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from tests.bench import engine, growth, host_step, mail, service, startup
from tests.bench.measure import ROWS

BENCHES = {
    "engine": engine.main,
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


parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
parser.add_argument("names", nargs="*", metavar="NAME", help=f"all, or of: {' '.join(BENCHES)}")
parser.add_argument(
    "--keep", action="store_true", help="append the ratios to results.jsonl, under the commit"
)
asked = parser.parse_args()
if unknown := set(asked.names) - set(BENCHES):
    parser.error(f"no benchmark: {' '.join(sorted(unknown))}")
for name in asked.names or BENCHES:
    BENCHES[name]()
    print()
if asked.keep:
    record = {"commit": _commit(), "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%MZ"), "ratios": ROWS}
    with RESULTS.open("a") as file:
        file.write(json.dumps(record, ensure_ascii=False) + "\n")
