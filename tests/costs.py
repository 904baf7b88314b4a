"""What each test costs the processor, children included: ``pytest -p tests.costs …`` prints the most expensive.

Wall time says little on a machine that does other things; this is user and system time of the process that runs the
test and of the programs that it started and waited for, so the table at the end needs a run without workers (``-n 0``).
With ``PBEM_COSTS=FILE`` each test adds its line to that file, workers' too. ``python -m tests.costs BEFORE [AFTER]``
puts two such files side by side: the sums, and the twenty most expensive tests before as a table of Markdown.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest

_SHOWN = 40
_SLOWEST = 20


def _used() -> float:
    """Processor seconds so far."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, kinds))


class Costs:
    """Keeps what each test took, its fixtures with it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        before = _used()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = taken = _used() - before
            if out := os.environ.get("PBEM_COSTS"):
                with Path(out).open("a", encoding="utf-8") as file:
                    file.write(json.dumps([item.nodeid, round(taken, 3)]) + "\n")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """The most expensive tests, and each folder's sum."""
        folders: dict[str, float] = defaultdict(float)
        for name, seconds in self.seconds.items():
            folders[str(Path(name.partition("::")[0]).parent)] += seconds
        terminalreporter.section("processor time")
        for name, seconds in sorted(self.seconds.items(), key=lambda pair: -pair[1])[:_SHOWN]:
            terminalreporter.line(f"{seconds:8.2f} s  {name}")
        for folder, seconds in sorted(folders.items(), key=lambda pair: -pair[1]):
            terminalreporter.line(f"{seconds:8.1f} s  {folder}")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Costs())


def kept(file: Path) -> dict[str, float]:
    """What each test took, from the lines that ``PBEM_COSTS`` left; the last one counts if a test ran twice."""
    return dict(json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())


def compared(before: dict[str, float], after: dict[str, float] | None = None) -> str:
    """Both sums, and what the tests that were the most expensive take now; one that is not there any more is a dash."""
    sums = "" if after is None else f"{sum(after.values()):.0f} in {len(after)}"
    rows = [f"| all tests | {sum(before.values()):.0f} in {len(before)} | {sums} |"]
    for name in sorted(before, key=lambda name: -before[name])[:_SLOWEST]:
        now = "" if after is None else f"{after[name]:.1f}" if name in after else "–"
        rows.append(f"| `{name.removeprefix('tests/')}` | {before[name]:.1f} | {now} |")
    return "\n".join(["| test | before | after |", "|---|--:|--:|", *rows])


if __name__ == "__main__":
    print(compared(*(kept(Path(file)) for file in sys.argv[1:3])))
