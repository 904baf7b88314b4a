"""What differs between operating systems, and nothing else: locks, durable names, processes, keys of a terminal.

Everything above calls these names and knows no system. ``posix`` and ``windows`` have them; ``plain`` stands in
where neither is there (Python in a browser page): it locks nothing and knows no other process, so whoever runs it there
keeps other writers away by other means.

No other module imports ``fcntl``, ``termios``, ``tty``, ``resource``, ``pwd``, ``grp`` or ``msvcrt``; an import
contract holds that, and the tests run the player's side with each of them.

In: files that last, locks, processes, terminals, times of a system's own. Out: what is done with them. Called by:
cli, host.service, language, lookback, mail, play, seat, store, web.
"""

from __future__ import annotations

import os
import time
from importlib import import_module
from typing import Final, cast

from pbem.base.system.platforms import Platform


def _fitting() -> Platform:
    """The functions for the system that this process runs on."""
    for name in ("posix", "windows"):
        try:
            return cast("Platform", import_module(f"pbem.base.system.{name}"))
        except ImportError:  # a page has some of the modules of POSIX, and not all
            continue
    return cast("Platform", import_module("pbem.base.system.plain"))


platform: Final[Platform] = _fitting()

BINARY: Final[int] = getattr(os, "O_BINARY", 0) | getattr(os, "O_NOINHERIT", 0) | getattr(os, "O_CLOEXEC", 0)
"""Flags of every file that we open by its number: bytes as they are, and not for child processes."""
NO_FOLLOW: Final[int] = getattr(os, "O_NOFOLLOW", 0)
"""Refuse to open a symbolic link, where the system can."""

node = platform.node
try_lock = platform.try_lock
runs = platform.runs
sync_folder = platform.sync_folder
replace = platform.replace
guards_files = platform.guards_files
keys = platform.keys
answer = platform.answer
limits_processes = platform.limits_processes
limit_memory = platform.limit_memory
limit_time = platform.limit_time
why_ended = platform.why_ended


_RUNS_ON: Final[int | None] = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))
"""The clock that nobody sets, and that goes on while the machine sleeps: Linux and macOS call theirs differently."""


def elapsed() -> float:
    """Seconds since a moment that stays the same while a process runs, however the machine's clock is set."""
    return time.monotonic() if _RUNS_ON is None else time.clock_gettime(_RUNS_ON)
