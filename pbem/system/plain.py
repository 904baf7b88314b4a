"""Neither of the others: Python in a browser page. One process, no terminal, a file system in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path


def try_lock(handle: int) -> bool:
    """There is no other process; whoever opens the page twice is kept apart by the page."""
    del handle
    return True


def runs(pid: int) -> bool:
    """Nobody can tell."""
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
    """Whoever starts a process here watches its time himself."""
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
