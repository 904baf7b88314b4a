"""Which test runs which line, and how long it takes: one run of an area's tests with coverage by test."""

from __future__ import annotations

import functools
import gc
import json
import time
from collections.abc import Sequence
from pathlib import Path

import coverage
import pytest

from tests.mutation.mutants import ROOT


class _Contexts:
    """Reports to coverage which test runs, and keeps each test's time."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self.measured = measured
        self.seconds: dict[str, float] = {}
        self.failed: list[str] = []
        self.caches: list[functools._lru_cache_wrapper[object]] = []

    def pytest_runtestloop(self) -> None:
        """Find the product's caches, which would hide from the next test what the first one ran."""
        gc.unfreeze()  # see ``trial.py``
        caches = [thing for thing in gc.get_objects() if isinstance(thing, functools._lru_cache_wrapper)]
        self.caches += [cache for cache in caches if cache.__module__.startswith("pbem")]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> object:
        for cache in self.caches:
            cache.cache_clear()
        started = time.process_time()
        self.measured.switch_context(item.nodeid)
        done = yield
        self.measured.switch_context("")
        self.seconds[item.nodeid] = time.process_time() - started
        return done

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


def measure(sources: Sequence[str], tests: Sequence[str], out: Path) -> None:
    """Run the tests and write ``{"lines": {path: {line: [test, …]}}, "seconds": {test: s}}``."""
    data = out.with_suffix(".coverage")
    measured = coverage.Coverage(
        data_file=str(data), include=[f"{ROOT}/{source}*" for source in sources], config_file=False
    )
    measured.start()
    contexts = _Contexts(measured)
    pytest.main(
        [
            "-q",
            "-p",
            "no:cacheprovider",
            "-W",
            "ignore::pytest.PytestAssertRewriteWarning",
            "-m",
            "not slow",
            *tests,
        ],
        plugins=[contexts],
    )
    measured.stop()
    measured.save()
    coverage_data = measured.get_data()
    lines = {
        str(Path(path).relative_to(ROOT)): {
            str(line): sorted(set(by) - {""} - set(contexts.failed))
            for line, by in coverage_data.contexts_by_lineno(path).items()
        }
        for path in coverage_data.measured_files()
    }
    result = {"lines": lines, "seconds": contexts.seconds, "failed": contexts.failed}
    out.write_text(json.dumps(result), encoding="utf-8")
