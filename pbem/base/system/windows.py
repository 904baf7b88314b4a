"""Windows.

Not run by our own tests on a real one: they run it against stand-ins of ``msvcrt`` and ``kernel32``.
"""

from __future__ import annotations

import ctypes
import errno
import msvcrt
import os
import platform
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from pbem.base.system.plain import limit_memory as limit_memory
from pbem.base.system.plain import limit_time as limit_time
from pbem.base.system.plain import limits_processes as limits_processes
from pbem.base.system.plain import why_ended as why_ended

_BEHIND: Final = 1 << 30
"""The byte that is locked: locks are binding here, so it lies behind all that anybody reads."""
_QUERY: Final = 0x1000
"""PROCESS_QUERY_LIMITED_INFORMATION."""
_STILL_ACTIVE: Final = 259
_TRIES: Final = 50
_PAUSE: Final = 0.02
_ESCAPES: Final = {
    "H": b"\x1b[A", "P": b"\x1b[B", "M": b"\x1b[C", "K": b"\x1b[D", "G": b"\x1b[H", "O": b"\x1b[F",
    "I": b"\x1b[5~", "Q": b"\x1b[6~", "S": b"\x1b[3~",
}  # fmt: skip
"""What a terminal elsewhere sends for the keys that come in two parts here."""

_console: Any = msvcrt  # other systems' type stubs do not know its names


def node() -> str:
    """What Windows calls it."""
    return platform.node()


def try_lock(handle: int) -> bool:
    """One byte far behind the end of the file, so that others may still read who holds it."""
    os.lseek(handle, _BEHIND, os.SEEK_SET)
    try:
        _console.locking(handle, _console.LK_NBLCK, 1)
    except OSError as fault:
        if fault.errno in (errno.EACCES, errno.EDEADLK, errno.EAGAIN):
            return False
        raise
    finally:
        os.lseek(handle, 0, os.SEEK_SET)
    return True


def runs(pid: int) -> bool:
    """Ask the system for the process; ``os.kill`` would end it."""
    kernel: Any = ctypes.windll.kernel32  # type: ignore[attr-defined]
    process = kernel.OpenProcess(_QUERY, 0, pid)
    if not process:
        return False
    try:
        code = ctypes.c_ulong()
        return not kernel.GetExitCodeProcess(process, ctypes.byref(code)) or code.value == _STILL_ACTIVE
    finally:
        kernel.CloseHandle(process)


def sync_folder(folder: Path) -> None:
    """Folders cannot be synced here; NTFS keeps a journal of its names."""
    del folder


def replace(temporary: Path, path: Path) -> None:
    """A rename over a file that somebody has open is refused: a virus scanner, a backup. It is tried for a second."""
    for left in range(_TRIES, -1, -1):
        try:
            temporary.replace(path)
        except PermissionError:
            if not left:
                raise
            time.sleep(_PAUSE)
        else:
            return


def guards_files() -> bool:
    """Modes mean nothing here; a home folder is its owner's by the system's own lists."""
    return False


def keys(descriptor: int) -> Iterator[bytes]:
    """Keys of the console."""
    del descriptor
    while True:
        key: str = _console.getwch()
        if key in ("\x00", "\xe0"):
            yield _ESCAPES.get(_console.getwch(), b"")
        else:
            yield key.encode("utf-8")


def answer(question: bytes, done: Callable[[bytes], object], most: int, patience: float) -> bytes:
    """Old consoles print such a question instead of answering it, so none is asked; who only listens hears keys."""
    del done
    end, received = time.monotonic() + patience, b""
    while not question and len(received) < most and time.monotonic() < end:
        if _console.kbhit():
            received += next(keys(0))
        else:
            time.sleep(_PAUSE)
    return received
