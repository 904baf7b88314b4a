"""What this package asks of each operating system."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol


class Platform(Protocol):
    """One operating system."""

    def node(self) -> str:
        """The name of this machine; empty where it has none."""
        ...

    def try_lock(self, handle: int) -> bool:
        """Lock an open file for this process alone, without waiting; whether it worked.

        The lock ends when the handle is closed or its process ends, however it ends. ``OSError``: no lock at all.
        """

    def runs(self, pid: int) -> bool:
        """Whether a process of this number is alive on this machine; true where nobody can know."""

    def sync_folder(self, folder: Path) -> None:
        """Make the names in a folder durable, as far as the system can."""

    def replace(self, temporary: Path, path: Path) -> None:
        """Give a file another's name, in one step; ``path`` is the old or the new one, never neither."""

    def guards_files(self) -> bool:
        """Whether the mode of a file says who may read it."""

    def keys(self, descriptor: int) -> Iterator[bytes]:
        """What is typed on a terminal, key by key, until it is closed; its settings are as before afterwards."""

    def answer(self, question: bytes, done: Callable[[bytes], object], most: int, patience: float) -> bytes:
        """Ask the terminal something and read until ``done`` or ``patience`` seconds; empty if it cannot be asked."""

    def limits_processes(self) -> bool:
        """Whether a process can limit its own memory and time."""

    def limit_memory(self, size: int) -> None:
        """Let this process have ``size`` bytes of memory and no more; beyond, Python raises ``MemoryError``."""

    def limit_time(self, seconds: float) -> None:
        """Let this process work for ``seconds`` of processor time from now on; beyond, the system ends it."""

    def why_ended(self, code: int) -> str:
        """What the exit code of a child process means."""
