"""What differs between operating systems, and nothing else: locks, durable names, processes, keys of a terminal.

Everything above calls these names and knows no system. ``posix`` and ``windows`` are their bodies; ``plain`` stands in
where neither is there (Python in a browser page): it locks nothing and knows no other process, so whoever runs it there
keeps other writers away by other means.

No other module imports ``fcntl``, ``termios``, ``tty``, ``resource``, ``pwd``, ``grp`` or ``msvcrt``; an import
contract holds that, and the tests run the player's side with each of the bodies.

In: files that last, locks, processes, terminals, times of a system's own. Out: what is done with them. Called by:
cli, history, host.service, language, mail, play, seat, store, web.
"""

from __future__ import annotations

import os
import time
from importlib import import_module
from typing import Final, cast

from pbem.base.system.body import Platform


def _fitting() -> Platform:
    """The body for the system that this process runs on."""
    for name in ("posix", "windows"):
        try:
            return cast("Platform", import_module(f"pbem.base.system.{name}"))
        except ImportError:  # a page has some of the modules of POSIX, and not all
            continue
    return cast("Platform", import_module("pbem.base.system.plain"))


body: Final[Platform] = _fitting()

BINARY: Final[int] = getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0) | getattr(os, "O_CLOEXEC", 0)
"""Flags of every file that we open by its number: bytes as they are, and not for child processes."""
NO_FOLLOW: Final[int] = getattr(os, "O_NOFOLLOW", 0)
"""Refuse to open a symbolic link, where the system can."""

node = body.node
try_lock = body.try_lock
runs = body.runs
sync_folder = body.sync_folder
replace = body.replace
guards_files = body.guards_files
keys = body.keys
answer = body.answer
limits_processes = body.limits_processes
limit_memory = body.limit_memory
limit_time = body.limit_time
why_ended = body.why_ended


_RUNS_ON: Final[int | None] = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))
"""The clock that nobody sets, and that goes on while the machine sleeps: Linux and macOS call theirs differently."""


def elapsed() -> float:
    """Seconds since a moment that stays the same while a process runs, however the machine's clock is set."""
    return time.monotonic() if _RUNS_ON is None else time.clock_gettime(_RUNS_ON)
