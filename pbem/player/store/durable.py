"""Files that survive a crash: whole or not there, and really on the disk when the call returns.

* ``write_file`` writes a temporary file beside the target, fsyncs it, renames it, fsyncs the folder: whoever
  opens the name finds the old bytes or the new ones, never half of either.
* ``create_file`` does the same and never replaces: the second of two writers gets ``FileExistsError``.
* Both take the mode with which the file is born: a secret is never readable by others, not even for a moment
  (identity files: mode 0600, create-exclusive and rename).

Temporary files are called ``.<name>.<pid>-<k>.tmp``; after a kill they may stay, nothing reads them, and
``sweep`` removes those of processes that are gone.
"""

from __future__ import annotations

import errno
import json
import os
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Final

from pbem.base import system
from pbem.base.errors import StoreError
from pbem.base.sentences import sentence

PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700
PUBLIC_FILE: Final = 0o644

Write = Callable[[int, bytes], int]
"""What ``os.write`` is: the seam at which tests fill the disk or pull the plug."""
Steps = Callable[[str], None]
"""Called with a name at every point where a crash would leave other traces."""

_REPARSE_POINT: Final = 0x400
"""``FILE_ATTRIBUTE_REPARSE_POINT`` of Windows: a symbolic link, a junction, a mount, a file that lies in a cloud."""
_NAMES_ANOTHER: Final = 0x20000000
"""The bit of a reparse tag that says that the name stands for another one (MS-FSCC 2.1.2.1); a cloud's lacks it."""
Looked = Callable[[Path], os.stat_result]
"""What ``os.lstat`` is."""
_NO_LINKS: Final = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}


def no_steps(_: str) -> None:
    """The steps of everyday life: nothing happens."""


@contextmanager
def disk(doing: str, path: Path) -> Iterator[None]:
    """Turn an ``OSError`` into a ``StoreError`` that says what could not be done to which file."""
    try:
        yield
    except OSError as fault:
        raise StoreError(
            sentence(
                "cannot {doing} {path}: {strerror}", doing=doing, path=path, strerror=fault.strerror or fault
            )
        ) from fault


def is_link(status: os.stat_result) -> bool:
    """Whether a name leads elsewhere: a symbolic link, or on Windows a junction or a mount."""
    attributes, tag = getattr(status, "st_file_attributes", 0), getattr(status, "st_reparse_tag", 0)
    return stat.S_ISLNK(status.st_mode) or bool(
        attributes & _REPARSE_POINT and (not tag or tag & _NAMES_ANOTHER)
    )


def open_own(
    path: Path,
    flags: int,
    mode: int = PUBLIC_FILE,
    *,
    opened: Callable[..., int] = os.open,
    looked: Looked = os.lstat,
) -> int:
    """A handle on a plain file, in a folder that somebody else may have made; its name is no link to anything else.

    It is opened relative to its folder's handle, where the system can, so that nobody exchanges the folder meanwhile,
    and truncated, if ``flags`` say so, only when it is known to be a file of one name.

    Raises:
        OSError: the system refuses, or ``path`` is a symbolic link, a second name of another file, or no plain file.
    """
    empty, flags = flags & os.O_TRUNC, flags & ~os.O_TRUNC | system.NO_FOLLOW | system.BINARY
    with suppress(FileNotFoundError):  # Windows has no ``O_NOFOLLOW``
        if is_link(looked(path)):
            raise OSError(errno.ELOOP, "it is a link")
    if os.open in os.supports_dir_fd:
        folder = opened(path.parent, os.O_RDONLY)
        try:
            handle = opened(path.name, flags, mode, dir_fd=folder)
        finally:
            os.close(folder)
    else:
        handle = opened(path, flags, mode)
    try:
        if os.fstat(handle).st_nlink > 1:
            sweep(path.parent)  # a process that was killed while it gave the file its name may have left two
        stat_result = os.fstat(handle)
        if not stat.S_ISREG(stat_result.st_mode) or stat_result.st_nlink != 1:
            raise OSError(errno.EMLINK, "it is no plain file, or another file's second name")
        if empty:
            os.ftruncate(handle, 0)
    except OSError:
        os.close(handle)
        raise
    return handle


def refuse_link(folder: Path, *, looked: Looked = os.lstat) -> None:
    """Return unless this folder of a match is a link to another place, which nobody of ours makes.

    Raises:
        StoreError: it is one.
    """
    try:
        stat_result = looked(folder)
    except FileNotFoundError:
        return
    except OSError as fault:
        raise StoreError(
            sentence("cannot look at {path}: {why}", path=folder, why=fault.strerror or fault)
        ) from fault
    if is_link(stat_result):
        raise StoreError(
            sentence("{path} is a link to another folder, so nothing is read or written there", path=folder),
            hint=sentence("Remove the link if you did not make it yourself, and try again."),
        )


def write_fully(handle: int, data: bytes, write: Write = os.write) -> None:
    """Write all of ``data``, however many calls it takes; a disk that is full raises ``OSError``."""
    rest = memoryview(data)
    while rest:
        written = write(handle, bytes(rest))
        if written <= 0:
            raise OSError(errno.EIO, "the disk took no bytes")
        rest = rest[written:]


def fsync_folder(folder: Path) -> None:
    """Make the names in ``folder`` durable: a rename is only a promise until then."""
    system.sync_folder(folder)


def make_folder(folder: Path, *, private: bool = False) -> None:
    """Create ``folder`` (and its parents) if it is not there; a private one is 0700 from its birth on."""
    with disk("create the folder", folder):
        if folder.is_dir():
            return
        folder.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            folder.mkdir(mode=PRIVATE_FOLDER if private else 0o777)
        fsync_folder(folder.parent)


def _temporary(path: Path, mode: int) -> tuple[int, Path]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.NO_FOLLOW | system.BINARY
    for k in count():
        candidate = path.with_name(f".{path.name}.{os.getpid()}-{k}.tmp")
        with suppress(FileExistsError):
            return os.open(candidate, flags, mode), candidate
    raise AssertionError


def fsync_file(path: Path) -> None:
    """Make the bytes of ``path`` durable."""
    handle = os.open(path, os.O_RDWR | system.BINARY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_temporary(
    path: Path, data: bytes, mode: int, write: Write = os.write, *, durable: bool = True
) -> Path:
    """A temporary file beside ``path`` that holds ``data``; it is removed if the disk refuses."""
    handle, temporary = _temporary(path, mode)
    try:
        try:
            write_fully(handle, data, write)
            if durable:
                os.fsync(handle)
        finally:
            os.close(handle)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def write_file(path: Path, data: bytes, *, mode: int = PUBLIC_FILE, write: Write = os.write) -> None:
    """Put ``data`` at ``path``, replacing what was there, atomically and durably."""
    with disk("write", path):
        temporary = write_temporary(path, data, mode, write)
        system.replace(temporary, path)
        fsync_folder(path.parent)


def create_file(path: Path, data: bytes, *, mode: int = PUBLIC_FILE, write: Write = os.write) -> None:
    """Put ``data`` at ``path`` only if nothing is there.

    Raises:
        FileExistsError: there is something at ``path``; it is untouched.
    """
    with disk("write", path.parent):
        if path.exists():  # the quick answer; the link below is the sure one
            existing = True
        else:
            temporary = write_temporary(path, data, mode, write)
            existing = not _claim(temporary, path)
            fsync_folder(path.parent)
    if existing:
        raise FileExistsError(errno.EEXIST, "already exists", str(path))


def _claim(temporary: Path, path: Path) -> bool:
    """Give the temporary file its name unless that is taken; whether it worked."""
    try:
        path.hardlink_to(temporary)
    except FileExistsError:
        temporary.unlink()
        return False
    # A file system in memory has an OSError without a number, or none.
    except NotImplementedError:
        return _claim_without_links(temporary, path)
    except OSError as fault:
        if fault.errno not in _NO_LINKS:
            temporary.unlink(missing_ok=True)
            raise
        return _claim_without_links(temporary, path)
    temporary.unlink()
    return True


def _claim_without_links(temporary: Path, path: Path) -> bool:
    """For file systems that have no hard links: take the name with an empty file, then rename over it."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.BINARY, PRIVATE_FILE))
    except FileExistsError:
        temporary.unlink()
        return False
    system.replace(temporary, path)
    return True


def write_private(path: Path, data: bytes, *, replace: bool = False) -> None:
    """Write a secret: mode 0600 from its birth on, in a folder that is 0700 if it has to be made.

    Raises:
        FileExistsError: there is something at ``path`` and ``replace`` is false.
    """
    make_folder(path.parent, private=True)
    if replace:
        write_file(path, data, mode=PRIVATE_FILE)
    else:
        create_file(path, data, mode=PRIVATE_FILE)


def read_file(path: Path) -> bytes:
    """All bytes of ``path``; ``StoreError`` says why not."""
    with disk("read", path):
        return path.read_bytes()


def loose_permissions(path: Path) -> str:
    """A sentence of warning if others may read or change this private file or folder, else ``""``."""
    return next(iter(all_loose((path,))), "")


def _loose(path: Path) -> str:
    with disk("look at", path):
        mode = stat.S_IMODE(path.stat().st_mode)
    if not mode & 0o077:
        return ""
    right = PRIVATE_FOLDER if path.is_dir() else PRIVATE_FILE
    return sentence(
        "{path} is open to other users (mode {mode:04o}, expected {right:04o}); run: chmod {right:o} {path}",
        path=path,
        mode=mode,
        right=right,
    )


def all_loose(paths: Iterable[Path]) -> tuple[str, ...]:
    """The same sentences about several."""
    if not system.guards_files():
        return ()
    return tuple(warning for path in paths if (warning := _loose(path)))


def files_in(folder: Path) -> tuple[str, ...]:
    """The files in ``folder`` but temporary ones of this module, in the order of their names."""
    with disk("list", folder), os.scandir(folder) as entries:
        names = [entry.name for entry in entries if entry.is_file()]
    return tuple(sorted(name for name in names if not (name.startswith(".") and name.endswith(".tmp"))))


def sweep(folder: Path) -> None:
    """Remove temporary files that a killed process left in ``folder``; those of running ones stay."""
    with disk("tidy up", folder):
        for path in folder.glob(".*.tmp"):
            owner = path.name.rsplit(".", 2)[1].partition("-")[0]
            if owner.isdigit() and int(owner) != os.getpid() and not system.runs(int(owner)):
                path.unlink(missing_ok=True)


# --- one writer at a time: an advisory lock on a file that says who holds it ------------------------------
#
# The system gives the lock up when its process ends, however it ends, so there is no stale lock and
# nothing to clean up. The lock file itself is never removed (two processes could then hold locks on two
# files of one name); it holds the owner while it is locked and is empty otherwise.

_POLL: Final = 0.02
PATIENCE: Final = 10.0
"""Seconds that a command waits for another one by default."""


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class FileLock:
    """The lock of one match. The object that holds it may take it again (a command that calls a command).

    Not for sharing between threads: give each its own object, they then exclude each other.
    """

    def __init__(self, path: Path, mode: int = PUBLIC_FILE) -> None:
        self.path = path
        self._mode = mode
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
            handle = open_own(self.path, os.O_RDWR | os.O_CREAT, self._mode)
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
        owner = {"pid": os.getpid(), "host": system.node(), "since": _now()}
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
