"""Python's cyclic collector rests while one long text is read.

Whoever makes 350,000 lists out of a megabyte of ``[]`` is looked at by the collector again and again as the tree
grows, so that a byte costs twice as much in a long line as in a short one. A parsed tree holds no cycles: nothing is
lost by looking at it once, afterwards.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

LONG: Final = 4096
"""Bytes from which on it pays: shorter texts make too few objects for a second look."""


_readers: Final[list[int]] = []
"""One entry for each reader, in whatever thread."""
_ours: Final[list[bool]] = []
"""Not empty while it rests because of us, and not because the program wants it so."""


@contextmanager
def at_rest(length: int) -> Iterator[None]:
    """No collection while a text of ``length`` bytes is read, in any thread; it runs again when the last has read.

    Readers may lie inside each other and in several threads; whatever is raised, it is put back as it was. There is
    no lock, since the player's side has none: whatever two threads do at once, the one that leaves an empty list
    switches it on, and at worst one text is read with the collector running.
    """
    if length < LONG:
        yield
        return
    _readers.append(length)
    if gc.isenabled():
        gc.disable()
        _ours.append(True)
    try:
        yield
    finally:
        _readers.pop()
        if not _readers and _ours:
            _ours.clear()
            gc.enable()
