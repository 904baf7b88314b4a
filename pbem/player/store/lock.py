"""One writer at a time: an advisory lock on a file that says who holds it.

The system gives the lock up when its process ends, however it ends, so there is no stale lock and nothing to clean
up. The lock file itself is never removed (two processes could then hold locks on two files of one name); it holds the
owner while it is locked and is empty otherwise.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pbem.base import system
from pbem.base.errors import StoreError
from pbem.base.sentences import sentence
from pbem.player.store.durable import disk, open_own, write_fully

_POLL: Final = 0.02
PATIENCE: Final = 10.0
"""Seconds that a command waits for another one by default."""


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class FileLock:
    """The lock of one match. The object that holds it may take it again (a command that calls a command).

    Not for sharing between threads: give each its own object, they then exclude each other.
    """

    def __init__(self, path: Path, *, clock: Callable[[], str] = _now) -> None:
        self.path = path
        self._clock = clock
        self._depth = 0

    @property
    def held(self) -> bool:
        """Whether this object holds the lock now."""
        return self._depth > 0

    @contextmanager
    def hold(self, timeout: float = PATIENCE) -> Iterator[None]:
        """Hold the lock; wait at most ``timeout`` seconds for it (0: not at all).

        Raises:
            StoreError: somebody else holds it; the message names process, machine and time.
        """
        if self.held:
            self._depth += 1
            try:
                yield
            finally:
                self._depth -= 1
            return
        with disk("open the lock", self.path):
            handle = open_own(self.path, os.O_RDWR | os.O_CREAT)
        try:
            self._acquire(handle, timeout)
            self._sign(handle)
            self._depth = 1
            try:
                yield
            finally:
                self._depth = 0
                os.ftruncate(handle, 0)
        finally:
            os.close(handle)  # gives the lock up

    def _acquire(self, handle: int, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        while True:
            with disk("lock", self.path):
                locked = system.try_lock(handle)
            if locked:
                return
            if time.monotonic() >= deadline:
                raise StoreError(
                    sentence("{parent} is in use by {owner}", parent=self.path.parent, owner=self.owner()),
                    hint=sentence("Wait until it has finished, or stop it, and try again."),
                )
            time.sleep(min(_POLL, timeout))

    def _sign(self, handle: int) -> None:
        owner = {"pid": os.getpid(), "host": system.node(), "since": self._clock()}
        with suppress(OSError):  # a courtesy to others; a full disk must not keep anybody from the lock
            os.ftruncate(handle, 0)
            write_fully(handle, json.dumps(owner).encode() + b"\n")

    def owner(self) -> str:
        """Who holds the lock, in words, as far as the lock file says."""
        try:
            owner = json.loads(self.path.read_bytes())
            return f"process {owner['pid']} on {owner['host']} since {owner['since']}"
        except (OSError, ValueError, KeyError, TypeError):
            return "another process"  # it has just taken the lock, or is just giving it up
