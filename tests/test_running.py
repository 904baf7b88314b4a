"""What ``tests/conftest.py`` adds: an order by seed, the end of a run that hangs, and the peaks of workers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import alone
from tests.browsers import chromium
from tests.needed import require
from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[1]
SLEEPER = """
import time
def test_that_sleeps():
    time.sleep(60)
"""
CACHING = """
import weakref
from functools import cache
class Holder: pass
@cache
def made():
    one = Holder()
    one.itself = one
    return one
def test_that_caches():
    global cached
    cached = weakref.ref(made())
"""
AFTER = """
import sys
def test_after():
    assert sys.modules["test_it"].made.cache_info().currsize == {size}
    assert (sys.modules["test_it"].cached() is not None) == {size}
"""
LEAVING = """
import gc, socket
def test_that_fails():
    left = socket.socket()
    assert not left
def test_another(): gc.collect()
"""
HOLDING = """
import gc, sqlite3
class Holder: pass
def test_that_holds_a_database_in_a_cycle(tmp_path):
    one = Holder()
    one.itself, one.database = one, sqlite3.connect(tmp_path / "left.db")
    one.database.execute("CREATE TABLE some (one)")
    gc.collect()  # it is old now, and is looked at again by a whole collection only
"""
KEEPING = (
    HOLDING
    + """
kept = []
def test_that_keeps_a_database(tmp_path):
    kept.append(sqlite3.connect(tmp_path / "kept.db"))
    kept[0].execute("CREATE TABLE some (one)")
"""
)
GIVING = """
import weakref, pytest
class Holder: pass
@pytest.fixture(scope="module")
def holder():
    one = Holder()
    one.itself = one
    return one
def test_that_is_given_a_cycle(holder):
    global given
    given = weakref.ref(holder)
"""
GONE = """
import sys
def test_gone():
    assert sys.modules["test_it"].given() is None
"""
NEUTRAL = """
import os
from pbem.base.language import wished
def test_neutral():
    assert wished(os.environ) == "en"
    assert not {"PBEM_HOME", "NO_COLOR", "COLUMNS"} & set(os.environ)
"""
CRASHING = """
import pytest
from tests.browsers import launched
first = [True]
@pytest.fixture(scope="session")
def browser(driver):
    with launched(driver) as running:
        yield running
@pytest.fixture(scope="module")
def page(browser): return browser.new_page()
def crash(page):
    page.context.browser.new_browser_cdp_session().send("Browser.crash")
def test_once(page):
    if first:
        first.clear()
        crash(page)
def test_after(page): assert page.title() == ""
def test_each_time(page): crash(page)
def test_last(page): assert page.title() == ""
"""
THREE = """
import pytest
@pytest.mark.parametrize("n", range(6))
def test_one(n): pass
"""


def run(
    folder: Path, source: str, *arguments: str, limit: str = "600", megabytes: int = 500
) -> subprocess.CompletedProcess[str]:
    """A run of its own, of one module, with this repository's conftest."""
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    (folder / "test_it.py").write_text(source, encoding="utf-8")
    (folder / "conftest.py").write_text(
        f"import tests.patience\ntests.patience.LIMIT = {limit}\n"
        f"import tests.conftest\ntests.conftest.FULL = {megabytes}\nfrom tests.conftest import *\n",
        encoding="utf-8",
    )
    return subprocess.run(
        [sys.executable, "-m", "pytest", "--rootdir", folder, "-c", folder / "pytest.ini", "-v", *arguments, folder],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE,
    )  # fmt: skip


def order(folder: Path, seed: str) -> list[str]:
    done = run(folder, THREE, "--shuffle", seed)
    assert done.returncode == 0, done.stderr
    return [line.split("[")[1][0] for line in done.stdout.splitlines() if "PASSED" in line]


def test_a_seed_gives_an_order_and_the_same_one_again(tmp_path: Path) -> None:
    first, again, other = order(tmp_path, "1"), order(tmp_path, "1"), order(tmp_path, "2")
    assert first == again
    assert first != other
    assert sorted(first) == sorted(other) == list("012345")


def test_what_somebody_has_set_for_himself_changes_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = {
        "LANG": "de_DE.UTF-8",
        "PBEM_LANG": "fr",
        "PBEM_HOME": "/home/own",
        "NO_COLOR": "1",
        "COLUMNS": "40",
    }
    for name, value in own.items():
        monkeypatch.setenv(name, value)
    done = run(tmp_path, NEUTRAL)
    assert done.returncode == 0, done.stdout


def test_a_run_that_hangs_ends_with_the_name_of_the_test(tmp_path: Path) -> None:
    done = run(tmp_path, SLEEPER, limit="0.05")
    assert done.returncode == 1
    assert "test_it.py::test_that_sleeps has run for" in done.stderr
    assert "in test_that_sleeps" in done.stderr


def test_what_a_process_came_to_is_printed(tmp_path: Path) -> None:
    done = run(tmp_path, THREE, "--peaks")
    assert "this process:" in done.stdout
    assert "MB in" in done.stdout


def test_a_module_that_leaves_a_database_open_fails_with_its_name_and_the_file(tmp_path: Path) -> None:
    done = run(tmp_path, HOLDING)
    assert done.returncode == 0, done.stdout
    done = run(tmp_path, KEEPING)
    assert "2 passed, 1 error" in done.stdout
    assert re.search(r"^E? *test_it\.py leaves open: \S+/kept\.db$", done.stdout, re.MULTILINE), done.stdout


def test_a_test_that_fails_alone_is_found(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(
        "def test_good(): pass\ndef test_bad(): assert False\n", encoding="utf-8"
    )
    place = str(tmp_path / "test_one.py")
    assert len(alone.collected([place])) == 2
    assert alone.passes(f"{place}::test_good")
    assert not alone.passes(f"{place}::test_bad")


def test_what_a_failed_test_leaves_open_fails_no_other(tmp_path: Path) -> None:
    done = run(tmp_path, LEAVING, "-W", "error")
    assert "1 failed, 1 passed" in done.stdout, done.stdout


def test_what_a_fixture_gave_is_gone_behind_its_module(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text(GONE, encoding="utf-8")
    done = run(tmp_path, GIVING, megabytes=5000)
    assert "2 passed" in done.stdout, done.stdout


@pytest.mark.parametrize(("megabytes", "size"), [(0, 0), (5000, 1)])
def test_a_worker_that_needs_memory_drops_what_a_module_cached(
    tmp_path: Path, megabytes: int, size: int
) -> None:
    (tmp_path / "test_other.py").write_text(AFTER.format(size=size), encoding="utf-8")
    done = run(tmp_path, CACHING, megabytes=megabytes)
    assert done.returncode == 0, done.stdout


def test_a_test_whose_browser_crashes_runs_once_again_with_another_browser(tmp_path: Path) -> None:
    """One test crashes the browser of all of them when it is run first, another one whenever it is run."""
    assert chromium()
    done = run(tmp_path, CRASHING)
    assert "1 failed, 3 passed" in done.stdout, done.stdout
    assert "test_it.py::test_each_time FAILED" in done.stdout
    assert [line for line in done.stderr.splitlines() if "Chromium" in line] == [
        "test_it.py::test_once: Chromium ended by itself; once again",
        "test_it.py::test_each_time: Chromium ended by itself; once again",
        "test_it.py::test_each_time: Chromium ended by itself; twice",
    ]


def test_what_is_missing_is_skipped_and_fails_where_everything_is_required() -> None:
    require("", {"PBEM_REQUIRE": "all"})
    with pytest.raises(pytest.skip.Exception, match="no server"):
        require("no server", {})
    with pytest.raises(pytest.fail.Exception, match="required here: no server"):
        require("no server", {"PBEM_REQUIRE": "all"})
