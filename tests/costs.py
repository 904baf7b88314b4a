"""What each test costs the processor, children included: ``pytest -p tests.costs …`` prints the dearest.

Wall time says little on a machine that does other things; this is user and system time of the process that runs the
test and of the programs that it started and waited for, so the table at the end needs a run without workers (``-n 0``).
With ``PBEM_COSTS=FILE`` each test adds its line to that file, workers' tests too.
"""

from __future__ import annotations

import json
import os
import resource
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path

import pytest

_SHOWN = 40


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
        """The dearest tests, and each folder's sum."""
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
