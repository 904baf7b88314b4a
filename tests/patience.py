"""How long a test waits for what should happen at once: a minute, longer only on a slow machine or a busy one.

A machine whose processors have ten things to do each gets ten minutes, and so does one that takes ten times as long for
a plain loop as the one that this was written on; nothing waits that long on a quiet one, and nothing longer on any.
``LIMIT`` ends a run that hangs (``tests/conftest.py``).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from threading import Event
from typing import Final

_LOOP: Final = 0.025
"""Seconds that a plain loop may take on a machine that is not called slow."""


def _slowness() -> float:
    """How many times that a plain loop takes of this processor; what else it has to do is no part of that."""
    begin, number = time.process_time(), 0
    for step in range(200_000):
        number += step
    return (time.process_time() - begin) / _LOOP


def load() -> float:
    """How many things each processor has to do, at least one; times how slow it is; ten at most."""
    waiting = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return min(10.0, max(1.0, waiting / (os.cpu_count() or 1)) * _SLOW)


_SLOW: Final = max(1.0, _slowness())
MINUTE: Final = 60.0
PATIENCE: Final = MINUTE * load()
"""Seconds of the clock, as this machine was when the tests began; for what takes its time limit once."""
LIMIT: Final = 600.0
"""Seconds for one test on a quiet machine, its fixtures with it; then the run ends with the test's name."""


def patiently(expected: object, before: float = 0.0) -> Iterator[None]:
    """Rounds of waiting for something that cannot come for ``before`` seconds; whoever has it leaves the loop.

    Raises:
        AssertionError: it has not come, though there was time enough; ``expected`` (called, if it can be) says what.
    """
    begin = time.monotonic()
    while True:
        yield
        waited = time.monotonic() - begin
        if waited > before + MINUTE and waited > before + MINUTE * load():
            raise AssertionError(f"after {waited:.0f} s: {expected() if callable(expected) else expected}")


def nap() -> None:
    """A moment in which others work."""
    Event().wait(0.05)


def until(
    done: Callable[[], object], expected: object = "it does not happen", pause: Callable[[], object] = nap
) -> None:
    """Wait until this holds; ``pause`` is what is done in between."""
    for _ in patiently(expected):
        if done():
            return
        pause()
