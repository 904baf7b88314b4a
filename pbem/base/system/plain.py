"""Neither of the others: Python in a browser page. One process, no terminal, a file system in memory."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from pathlib import Path

_holds: list[Callable[[], bool]] = []


def guard(holds: Callable[[], bool]) -> None:
    """Let nothing be locked but while ``holds()``: a page keeps its second window out with a lock of its own.

    The browser's locks are had later and not at once, so the page takes one around whatever it asks of a client; this
    is how a forgotten one is noticed before two windows sign one number.
    """
    _holds[:] = [holds]


def node() -> str:
    """A page runs on no machine that it could name."""
    return ""


def try_lock(handle: int) -> bool:
    """There is no other process; windows of a page are kept apart by ``guard``."""
    del handle
    if not all(holds() for holds in _holds):
        raise PermissionError(errno.EACCES, "the page does not hold its own lock on the match")
    return True


def runs(pid: int) -> bool:
    """Nobody can know."""
    del pid
    return True


def sync_folder(folder: Path) -> None:
    """Nothing is on a disk."""
    del folder


def replace(temporary: Path, path: Path) -> None:
    """Within one memory."""
    temporary.replace(path)


def guards_files() -> bool:
    """There is one user."""
    return False


def keys(descriptor: int) -> Iterator[bytes]:
    """No terminal."""
    del descriptor
    yield from ()


def answer(question: bytes, done: Callable[[bytes], object], most: int, patience: float) -> bytes:
    """Nobody answers."""
    del question, done, most, patience
    return b""


def limits_processes() -> bool:
    """Whoever starts a process here watches its time."""
    return False


def limit_memory(size: int) -> None:
    """Not here."""
    del size


def limit_time(seconds: float) -> None:
    """Not here."""
    del seconds


def why_ended(code: int) -> str:
    """A number, and no more."""
    return f"it ended with code {code}"
