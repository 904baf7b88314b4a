"""Python as it is on another system, in a process of its own: ``python -m tests.system.elsewhere SYSTEM ARGUMENT…``.

``windows`` and ``plain`` take the POSIX-only modules away before anything of pbem is imported. Under ``windows``
stand-ins of ``msvcrt`` and ``kernel32`` are there (they lock by a list of files and know this process), names are as on
NTFS (no ``<>:"|?*``, no ``con``, no dot or blank at the end), a name finds what is there in other capitals, a file that
is open cannot be replaced or removed, links are refused and folders cannot be opened. Then ``pbem ARGUMENT…`` runs.
"""

from __future__ import annotations

import builtins
import ctypes
import errno
import io
import os
import re
import sqlite3
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

POSIX_ONLY = ("fcntl", "grp", "pwd", "resource", "termios", "tty")
_NAME = re.compile(r"(?i)(?:con|prn|aux|nul|com[1-9]|lpt[1-9])(?:\.|\Z)")
_locked: dict[int, tuple[int, int]] = {}
_open: dict[int, str] = {}


def become(name: str) -> None:
    """Take away what this system does not have, and put in what it has."""
    assert subprocess.PIPE  # imported before: it looks for msvcrt itself and misses the other half
    for module in POSIX_ONLY:
        sys.modules[module] = None  # type: ignore[assignment]
    for flag in ("O_NOFOLLOW", "O_DIRECTORY", "O_CLOEXEC"):
        delattr(os, flag)
    if hasattr(os, "uname"):
        del os.uname
    if name == "windows":
        _windows()


def _windows() -> None:
    console: Any = types.ModuleType("msvcrt")
    console.LK_NBLCK, console.locking = 2, _locking
    typed = ["H", "\xe0", "q"]
    console.kbhit, console.getwch = lambda: bool(typed), typed.pop
    sys.modules["msvcrt"] = console
    kernel = types.SimpleNamespace(OpenProcess=_open_process, GetExitCodeProcess=_exit_code, CloseHandle=int)
    ctypes.windll = types.SimpleNamespace(kernel32=kernel)  # type: ignore[attr-defined]
    os.O_BINARY = 0  # type: ignore[attr-defined]
    os.kill = _refused("os.kill ends processes here")
    _watch_files()


def _refused(why: str) -> Callable[..., Any]:
    def refuse(*_: object, **__: object) -> Any:
        raise AssertionError(why)

    return refuse


def _locking(handle: int, mode: int, count: int) -> None:
    assert (mode, count) == (2, 1)
    assert os.lseek(handle, 0, os.SEEK_CUR) == 1 << 30, "what is read must not be locked"
    at = (os.fstat(handle).st_dev, os.fstat(handle).st_ino)
    if at in _locked.values():
        raise OSError(errno.EACCES, "Permission denied")
    _locked[handle] = at


def _open_process(access: int, inherit: int, pid: int) -> int:
    assert (access, inherit) == (0x1000, 0)
    return pid if pid == os.getpid() else 0


def _exit_code(process: int, code: Any) -> int:
    code._obj.value = 259
    return process


def _spelt(path: Any) -> None:
    for part in Path(os.fsdecode(path)).parts[1:]:
        if re.search(r'[<>:"|?*]', part) or _NAME.match(part) or part[-1] in ". ":
            raise OSError(
                errno.EINVAL, "The filename, directory name, or volume label syntax is incorrect", part
            )


_lstat = os.lstat


def _cased(path: Any) -> Any:
    """The path as it is written on the disk: each part that is there in other capitals is meant."""
    if isinstance(path, int):
        return path
    try:
        _lstat(path)
    except OSError:
        whole = Path(os.fsdecode(path))
    else:
        return path
    actual_path = Path(whole.parts[0]) if whole.is_absolute() else Path()
    for part in whole.parts[1:] if whole.is_absolute() else whole.parts:
        try:
            _lstat(actual_path / part)
        except OSError:
            try:
                names = _listed(actual_path)
            except OSError:
                names = []
            name = next((name for name in names if name.casefold() == part.casefold()), part)
        else:
            name = part
        actual_path /= name
    return str(actual_path) if actual_path != whole else path


_listed = os.listdir


def _ignore_case() -> None:
    """Whoever looks for a name finds it in any capitals."""
    for name in ("stat", "lstat", "chmod", "utime", "listdir", "scandir", "mkdir", "rmdir", "access"):
        given = getattr(os, name)

        def looked(path: Any = ".", *rest: Any, given: Callable[..., Any] = given, **more: Any) -> Any:
            return given(_cased(path), *rest, **more)

        setattr(os, name, looked)


def _watch_files() -> None:
    os_open, os_close, os_replace = os.open, os.close, os.replace
    os_unlink, py_open, connect = os.unlink, builtins.open, sqlite3.connect
    _ignore_case()

    def opened(path: Any, flags: int, mode: int = 0o777, **rest: Any) -> int:
        _spelt(path)
        path = _cased(path)
        if Path(os.fsdecode(path)).is_dir():
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        handle = os_open(path, flags, mode, **rest)
        _open[handle] = os.path.realpath(path)
        return handle

    def closed(handle: int) -> None:
        _locked.pop(handle, None)
        _open.pop(handle, None)
        os_close(handle)

    def free(path: Any) -> None:
        if os.path.realpath(path) in _open.values():
            raise PermissionError(errno.EACCES, "The process cannot access the file", str(path))

    def replaced(here: Any, elsewhere: Any, **rest: Any) -> None:
        _spelt(elsewhere)
        here, taken = _cased(here), _cased(elsewhere)
        free(here)
        free(taken)
        os_replace(here, taken, **rest)

    def renamed(here: Any, elsewhere: Any, **rest: Any) -> None:
        if Path(os.fsdecode(elsewhere)).exists():
            raise FileExistsError(
                errno.EEXIST, "Cannot create a file when that file already exists", str(elsewhere)
            )
        replaced(here, elsewhere, **rest)

    def removed(path: Any, **rest: Any) -> None:
        path = _cased(path)
        free(path)
        os_unlink(path, **rest)

    def named(path: Any, *rest: Any, **more: Any) -> Any:
        if not isinstance(path, int):
            _spelt(path)
        return py_open(_cased(path), *rest, **more)

    def connected(path: Any, *rest: Any, **more: Any) -> Any:
        """SQLite opens its file by itself, and the system finds it in any capitals."""
        return connect(_cased(path), *rest, **more)

    def no_links(*_: object, **__: object) -> None:
        raise PermissionError(errno.EPERM, "A required privilege is not held by the client")

    watched = {"open": opened, "close": closed, "replace": replaced, "rename": renamed, "unlink": removed}
    watched |= {"remove": removed, "link": no_links, "symlink": no_links}
    for name, function in watched.items():
        setattr(os, name, function)
    sqlite3.connect = connected  # type: ignore[assignment]
    builtins.__dict__["open"] = io.__dict__["open"] = named


def _hears_keys() -> None:
    """Who listens for keys gets each of them once; a console is asked nothing."""
    from pbem.base import system

    assert system.answer(b"?", bool, 1, 5.0) == b""
    assert [system.answer(b"", bool, 1, 0.1) for _ in range(3)] == [b"q", b"\x1b[A", b""]


def main(arguments: list[str]) -> None:
    """Become the system, then be ``pbem``; several commands are parted by ``//`` and stop at the first that fails.

    The emails of a demo carry dots for pictures.
    """
    become(arguments[0])
    from pbem.cli import main as pbem

    if arguments[0] == "windows":
        _hears_keys()
    commands: list[list[str]] = [[]]
    for word in arguments[1:]:
        if word == "//":
            commands.append([])
        else:
            commands[-1].append(word)
    if "demo" in arguments:
        from pbem.player.pictures import picture
        from tests.plain import DOT

        picture.to_png = lambda _: DOT  # type: ignore[assignment]
    for command in commands:
        sys.argv = ["pbem", *command]
        try:
            pbem()
        except SystemExit as end:
            if end.code not in (0, None):
                print(f"pbem {' '.join(command)} ended with {end.code}", file=sys.stderr)
                raise


if __name__ == "__main__":
    main(sys.argv[1:])
