"""The page of the first mile: ``python -m tests.first_mile`` writes ``examples/first-mile.md``."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from pathlib import Path

from tests import one_time_keys
from tests.first_mile.rows import ROWS, Row
from tests.first_mile.stage import ROOT, Shown, Stage

HEAD = """# The first mile, row by row

What newcomers met in November 2026, and what the same commands print now. `python -m tests.golden first-mile` runs
everything below and writes this page; it ends with an error if a row does not show what it is there for. A test runs
all rows but those that need a terminal, a browser or another process ({slow}). What stands in brackets is no command
but what was mailed or looked at; long answers are shortened.
"""
MOST = 26


def page(stage: Stage) -> str:
    """The whole page."""
    slow = ", ".join(str(row.number) for row in ROWS if row.slow)
    return "\n".join([HEAD.format(slow=slow), *(_section(row, row.show(stage)) for row in ROWS)])


def _section(row: Row, shown: list[Shown]) -> str:
    blocks = "\n".join(f"```\n{_block(entry)}\n```" for entry in shown)
    return f"## {row.number}. Was: {row.met}\n\n{blocks}\n"


def _block(entry: Shown) -> str:
    """What was typed and its result, without what differs each time."""
    typed = "\n".join(line if line.startswith("(") else f"$ {line}" for line in entry.typed.splitlines())
    lines = entry.printed.splitlines()
    if len(lines) > MOST:
        lines = [*lines[:MOST], "…"]
    code = f"\n(exit code {entry.code})" if entry.code else ""
    return re.sub(r"[ \t]+$", "", "\n".join([typed, *lines]) + code, flags=re.MULTILINE)


def main() -> None:
    """Write it."""
    os.environ["PBEM_LANG"] = "en"
    with tempfile.TemporaryDirectory() as folder, one_time_keys.fixed():
        text = page(Stage(Path(folder)))
    (ROOT / "examples" / "first-mile.md").write_text(text, encoding="utf-8")
    sys.stdout.write(f"{len(ROWS)} rows\n")


if __name__ == "__main__":
    main()
