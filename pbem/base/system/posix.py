"""Linux, macOS and their kin."""

from __future__ import annotations

import fcntl
import math
import os
import resource
import select
import signal
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from pathlib import Path


def node() -> str:
    """What ``uname(2)`` says."""
    return os.uname().nodename


def try_lock(handle: int) -> bool:
    """``flock(2)``: of the open file, so two handles of one process exclude each other too."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def runs(pid: int) -> bool:
    """Signal 0 reaches every living process; one of somebody else's is refused, and so alive."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def sync_folder(folder: Path) -> None:
    """A rename is only a promise until its folder is on the disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def replace(temporary: Path, path: Path) -> None:
    """``rename(2)``."""
    temporary.replace(path)


def guards_files() -> bool:
    """Modes hold here."""
    return True


def keys(descriptor: int) -> Iterator[bytes]:
    """Raw bytes of a terminal; a key that is an escape sequence comes in one piece."""
    before = termios.tcgetattr(descriptor)
    try:
        tty.setraw(descriptor, termios.TCSADRAIN)
        while chunk := os.read(descriptor, 64):
            yield chunk
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


def answer(question: bytes, done: Callable[[bytes], object], most: int, patience: float) -> bytes:
    """On the terminal of standard input and output."""
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    received = b""
    try:
        # An answer is to a question: what was typed before is none. Who only listens for keys loses none.
        tty.setcbreak(descriptor, termios.TCSAFLUSH if question else termios.TCSANOW)
        os.write(sys.stdout.fileno(), question)
        while len(received) < most and not done(received):
            if not select.select([descriptor], [], [], patience)[0]:
                break
            received += os.read(descriptor, most)
    finally:
        termios.tcsetattr(descriptor, termios.TCSANOW, before)
    return received


def limits_processes() -> bool:
    """``setrlimit(2)``."""
    return True


def limit_memory(size: int) -> None:
    """Of the address space; a process that breaks it leaves no image of itself."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (size, size))


def limit_time(seconds: float) -> None:
    """In whole seconds, rounded up; the soft limit may be raised again for the next piece of work."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(used.ru_utime + used.ru_stime + seconds), hard))


def why_ended(code: int) -> str:
    """A negative code is a signal."""
    if code == -signal.SIGXCPU:
        return "it took too much processor time"
    return f"it was ended by {signal.Signals(-code).name}" if code < 0 else f"it ended with code {code}"
