"""Python's cyclic collector rests while one long text is read.

Whoever makes 350,000 lists out of a megabyte of ``[]`` is looked at by the collector again and again as the tree
grows, so that a byte costs twice as much in a long line as in a short one. A parsed tree holds no cycles: nothing is
lost by looking at it once, afterwards.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

LONG: Final = 4096
"""Bytes from which on it pays: shorter texts make too few objects for a second look."""


class _Resting:
    """How many readers rest it now, and whether it ran before the first of them came."""

    readers = 0
    ran = False


_lock: Final = Lock()


@contextmanager
def at_rest(length: int) -> Iterator[None]:
    """No collection while a text of ``length`` bytes is read, in any thread; it runs again when the last has read.

    Readers may lie inside each other and in several threads; whatever is raised, it is put back as it was.
    """
    if length < LONG:
        yield
        return
    with _lock:
        if not _Resting.readers:
            _Resting.ran = gc.isenabled()
            gc.disable()
        _Resting.readers += 1
    try:
        yield
    finally:
        with _lock:
            _Resting.readers -= 1
            if not _Resting.readers and _Resting.ran:
                gc.enable()
