"""Chromium is launched here. A test under which it ended by itself runs once again, with another one.

A browser that crashes says nothing of what is tested, and one that is shared would fail each later test of its worker.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final

import pytest
from _pytest.runner import runtestprotocol

from tests.needed import program

_OPEN: Final[list[Any]] = []
"""Browsers that nobody has closed."""
_GONE: Final[list[Any]] = []
"""Browsers that had ended by themselves when they were to be closed, in this test."""


def chromium() -> str:
    """The system's Chromium; without it see ``require``."""
    return program("chromium", "chromium-browser", "google-chrome")


@contextmanager
def launched(driver: Any, *flags: str, environ: Mapping[str, str] | None = None) -> Iterator[Any]:
    """A headless Chromium of Playwright's ``driver``, with these flags beside what root needs, in an environment."""
    browser = driver.chromium.launch(
        executable_path=chromium(), args=["--no-sandbox", *flags], env=environ and dict(environ)
    )
    _OPEN.append(browser)
    try:
        yield browser
    finally:
        _OPEN.remove(browser)
        if not browser.is_connected():
            _GONE.append(browser)
        browser.close()


class Rerun:
    """A plugin of pytest: it runs the tests."""

    def __init__(self, stderr: int) -> None:
        """``stderr`` is the descriptor on which it says that it ran a test again."""
        self._stderr = stderr

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool:
        """Run a test; if it fails and its browser is gone, run it once again, with new fixtures."""
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for end in ("once again", "twice"):
            _GONE.clear()
            reports = runtestprotocol(item, log=False, nextitem=nextitem)
            failed = any(report.failed for report in reports)
            if not failed or (not _GONE and all(browser.is_connected() for browser in _OPEN)):
                break
            os.write(self._stderr, f"\n{item.nodeid}: Chromium ended by itself; {end}\n".encode())
            with suppress(Exception, pytest.fail.Exception):
                item.session._setupstate.teardown_exact(None)
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True
