"""For every session: what Python compiles is cached, hypothesis is not timed, and nothing stays open behind a module.

A session starts hundreds of programs and reads the tests in every worker. Where the machine forbids Python to keep what
it compiled (``PYTHONDONTWRITEBYTECODE``), each of them would compile the whole package again, which is a third of
everything; so it is cached where it is in nobody's way, beside pytest's own cache. How long an example takes says
something of the machine only. Commands answer a test in English, whatever the language, the colours and the home of
whoever runs it.

``--shuffle SEED`` runs the tests in an order drawn by the seed. A test that hangs ends the run (or its worker, which
xdist reports with the test's name): the stacks of all threads are printed, with the name. ``--peaks`` prints the most
memory that each worker had, the modules in which it had most and what it grew by there.
"""

from __future__ import annotations

import asyncio
import ctypes
import faulthandler
import gc
import os
import random
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from functools import _lru_cache_wrapper
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings, strategies

from pbem.cli.speech import ASKED
from pbem.protocol.crypto.native import Native
from pbem.protocol.crypto.provider import use
from tests.browsers import Rerun
from tests.fonts import Draw
from tests.once import Once, forget_opened
from tests.patience import LIMIT, load

_KEPT = Path(__file__).resolve().parents[1] / ".pytest_cache" / "bytecode"

if sys.dont_write_bytecode:
    sys.dont_write_bytecode = False
    sys.pycache_prefix = os.environ["PYTHONPYCACHEPREFIX"] = str(_KEPT)
    del os.environ["PYTHONDONTWRITEBYTECODE"]

_SHELL = (
    "COLORFGBG",
    "COLUMNS",
    "FORCE_COLOR",
    "LINES",
    "NOTIFY_SOCKET",
    "NO_COLOR",
    "WATCHDOG_PID",
    "WATCHDOG_USEC",
)
"""What a shell or a supervisor may have set, and what would change an answer."""

_OURS = ("PBEM_COSTS", "PBEM_GOLDEN", "PBEM_KEEP_SCREENS", "PBEM_REQUIRE")
"""What the commands of the tests say to a run."""

for _name in list(os.environ):
    if _name in _SHELL or (_name.startswith("PBEM_") and _name not in _OURS):
        del os.environ[_name]
os.environ["PBEM_LANG"] = "en"
use(Once())

settings.register_profile("pbem", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("pbem")


FULL = 400
"""Megabytes from which a worker drops what is cached: one test takes up to 180 more."""
GROWTH = 48
"""Megabytes by which it grows until it does so again; fixtures of a running module, for example, are not dropped."""
STAYING = ("tests.once.", "tests.history.matches.played", "tests.verifier.node._resident")
"""What is cached and not dropped: keys and lines, which are small (a passphrase's costs half a second), a process."""
OF_TESTS = ("tests.", "test_")
"""Beginnings of the names of modules whose caches are all dropped."""
OF_PROGRAMS = ("pbem.", "textual.")
"""Of modules whose caches are dropped if they have a bound."""
COLLECTED = 10_000
"""Objects made between two looks for cycles; 700, as Python has it, cost tests of whole matches a fifteenth."""
UNAIDED = ("tests/crypto/", "tests/formats/", "tests/vectors/", "/test_hand")
"""Tests of what is signed and sealed, and of what one host hands to the next, do without ``Once``."""
_LEFT = [0]
"""The least megabytes since caches were dropped."""
_FAILED: list[str] = []
"""Tests whose leavings are to be swept away."""
_STDERR: list[int] = []
"""The real one, which a test's output does not go to."""
_GROWN: Counter[str] = Counter()
_GREATEST: Counter[str] = Counter()
_PEAKS: dict[str, Any] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    """What this file adds to pytest."""
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in an order drawn by SEED")
    parser.addoption("--font", type=int, metavar="SEED", help="write pages in the font that SEED draws")
    parser.addoption("--peaks", action="store_true", help="print memory, by worker and module")


def pytest_configure(config: pytest.Config) -> None:
    """Nothing is captured yet, or any more."""
    _STDERR[:] = [os.dup(2)]
    config.pluginmanager.register(Rerun(_STDERR[0]))
    config.pluginmanager.register(Draw(config))


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Have Hypothesis list the characters of Unicode before the tests are read: it takes 200 megabytes for a moment.

    It keeps the list in a file, for the next session.
    """
    strategies.text().validate()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """The files with long tests first, so that no worker begins one when the others are done; or any order.

    The options in the environment have been read here. The controller of xdist, which collects nothing, has left them
    to its workers; a pytest that a test starts does without.
    """
    os.environ.pop("PYTEST_ADDOPTS", None)
    seed = config.getoption("--shuffle")
    if seed is not None:
        random.Random(seed).shuffle(items)
        return
    long = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in long)


def pytest_collection_finish() -> None:
    """What was collected stays to the end: Python's collector does not look at it again each time."""
    gc.collect()
    _freeze()


@pytest.fixture(scope="module", autouse=True)
def nothing_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Databases, files and matches in cycles go with their module, and what they warn of is its last test's fault.

    So is a database that something still refers to: a test closes what it opens. Neither a language that another
    module's command was asked for is left, nor how seldom that command let Python look for cycles.
    """
    ASKED.set(None)
    use(Native() if any(part in request.node.nodeid for part in UNAIDED) else Once())
    gc.set_threshold(COLLECTED)
    before, failed = Counter(_open_databases()), request.session.testsfailed
    yield
    gc.collect()
    left = Counter(_open_databases()) - before
    if left:
        gc.collect()  # SQLAlchemy refers to a connection until what has borrowed it was collected
        left = Counter(_open_databases()) - before
    _freeze()  # matches that are cached, modules: no later collection goes through them again
    if left and request.session.testsfailed == failed:
        pytest.fail(f"{request.node.nodeid} leaves open: {', '.join(sorted(left))}", pytrace=False)


@pytest.fixture(scope="session")
def driver() -> Iterator[Any]:
    """What drives browsers: while it runs, no second one can begin in this thread."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        loop = asyncio._get_running_loop()
        yield running
        asyncio._set_running_loop(loop)  # which the last test of the session may have been run without


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """End the run if this test hangs; note what its module leaves behind."""
    limit = LIMIT * load()
    ending = threading.Timer(limit, _end, (item.nodeid, limit))
    ending.daemon = True
    ending.start()
    faulthandler.dump_traceback_later(limit + 5, exit=True, file=_STDERR[0])  # if no thread of Python can run
    looking = item.config.getoption("--peaks")
    before = _memory() if looking else 0
    try:
        return (yield)
    finally:
        ending.cancel()
        faulthandler.cancel_dump_traceback_later()
        if _FAILED:
            _sweep()
        reporter: Any = item.config.pluginmanager.get_plugin("terminalreporter")
        if reporter and hasattr(
            item.config, "workerinput"
        ):  # the controller keeps the reports, and needs them
            reporter.stats.clear()
        if looking:
            module = item.nodeid.partition("::")[0]
            _GROWN[module] += _memory() - before
            _GREATEST[module] = max(_GREATEST[module], _greatest())
        _free_memory()
        if looking:
            _greatest()  # what this module had is not the next one's


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """See ``_alone_in_the_thread``."""
    with _alone_in_the_thread(item):
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """See ``_alone_in_the_thread``."""
    with _alone_in_the_thread(item):
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """See ``_alone_in_the_thread``. What fixtures gave the test is not held until after ``nothing_left`` has looked."""
    if isinstance(item, pytest.Function):
        item.funcargs.clear()
    with _alone_in_the_thread(item):
        yield


@contextmanager
def _alone_in_the_thread(item: pytest.Item) -> Iterator[None]:
    """The driver of browsers keeps its event loop running in this thread; a test without it may run its own."""
    running = None if "driver" in getattr(item, "fixturenames", ()) else asyncio._get_running_loop()
    if running is not None:
        asyncio._set_running_loop(None)
    try:
        yield
    finally:
        if running is not None and running.is_running():  # else the driver has ended
            asyncio._set_running_loop(running)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note who failed."""
    report = yield
    if report.failed:
        _FAILED.append(item.nodeid)
    return report


def _sweep() -> None:
    """What a failed test has left open is nobody else's fault: close it, and say nothing of it."""
    _FAILED.clear()
    for name in ("last_exc", "last_type", "last_value", "last_traceback"):
        if hasattr(sys, name):
            delattr(sys, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.unfreeze()
        gc.collect()
        gc.collect()  # see ``nothing_left``


def _free_memory() -> None:
    """Give memory back that was freed; drop caches where much is left."""
    memory = _memory()
    _LEFT[0] = min(_LEFT[0], memory)
    limit = max(FULL, _LEFT[0] + GROWTH)
    if memory > limit and give_back() > limit:
        drop_caches()
        _LEFT[0] = give_back()


def drop_caches() -> None:
    """Empty what functions of tests have cached, whole matches, and the program's caches that have a bound.

    So with the caches of Textual, which keep screens, and with what was unsealed.
    """
    forget_opened()
    for name, module in list(sys.modules.items()):
        for cached in _caches_of(name, module) if name.startswith(OF_TESTS + OF_PROGRAMS) else ():
            source = f"{cached.__module__}.{getattr(cached, '__name__', '')}"
            bounded = cached.cache_parameters()["maxsize"] is not None
            if not source.startswith(STAYING) and (bounded or source.startswith(OF_TESTS)):
                cached.cache_clear()
    gc.unfreeze()  # what was cached may be in cycles
    gc.collect()
    _freeze()


def _freeze() -> None:
    """No collection goes through what there is now, nor does Python wait for as much again before it collects."""
    gc.freeze()
    gc.collect()  # of nothing: what is long-lived is counted here


def _caches_of(name: str, module: ModuleType) -> Iterator[Any]:
    """The cached functions of a module, those of its classes with them."""
    for value in list(vars(module).values()):
        own = isinstance(value, type) and value.__module__ == name
        for member in list(vars(value).values()) if own else (value,):
            function = getattr(member, "__func__", member)  # behind a static method
            if isinstance(function, _lru_cache_wrapper):
                yield function


def give_back() -> int:
    """Give memory that was freed back to the system, which glibc does not do by itself; megabytes that are left."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
    return _memory()


def _end(name: str, limit: float) -> None:
    os.write(_STDERR[0], f"\n{name} has run for {limit:.0f} seconds; the run ends here\n".encode())
    faulthandler.dump_traceback(file=_STDERR[0])
    os._exit(1)


def _memory() -> int:
    """Megabytes of this process now; 0 where nobody says."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // 2**20


def _greatest() -> int:
    """The most megabytes that this process had since this was last asked; 0 where nobody says."""
    with suppress(OSError):
        status = Path("/proc/self/status").read_text(encoding="ascii")
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) // 1024
    return 0


def _open_databases() -> list[str]:
    """Databases that this process has open."""
    databases = []
    for link in Path("/proc/self/fd").glob("*") if Path("/proc/self/fd").is_dir() else ():
        with suppress(OSError):
            databases.append(str(link.readlink()))
    return sorted(name for name in databases if name.endswith((".db", "-wal", "-shm")))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the controller, or keep, the peak of this process."""
    if not session.config.getoption("--peaks") or not _GROWN:
        return
    peaks = [
        max(_GREATEST.values()),
        {name: (most, _GROWN[name]) for name, most in _GREATEST.most_common(5)},
    ]
    output: dict[str, Any] | None = getattr(session.config, "workeroutput", None)
    if output is None:
        _PEAKS["this process"] = peaks
    else:
        output["peaks"] = peaks


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take what a worker of xdist reports."""
    peaks = getattr(node, "workeroutput", {}).get("peaks")
    if peaks:
        _PEAKS[node.gateway.id] = peaks


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print it."""
    for worker, (peak, modules) in sorted(_PEAKS.items()):
        terminalreporter.write_line(f"{worker}: {peak} MB at most")
        for module, (most, growth) in modules.items():
            terminalreporter.write_line(f"  {most:5} MB in {module} ({growth:+})")
