"""A PostgreSQL server for tests: a cluster of its own in a temporary folder, on a Unix socket only."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from tests.needed import installed

_BINARIES = Path("/usr/lib/postgresql")


def binaries() -> Path | None:
    """The newest installed server's programs."""
    programs = sorted(_BINARIES.glob("*/bin/initdb")) if installed(_BINARIES) else []
    return programs[-1].parent if programs else None


def why_missing() -> str:
    """Why no server can be started here; nothing if one can."""
    if os.geteuid() != 0:
        return "the PostgreSQL tests start a server as another user, which needs root"
    if binaries() is None:
        return "PostgreSQL is not installed"
    try:
        pwd.getpwnam("postgres")
    except KeyError:
        return "there is no user postgres"
    return ""


class Postgres:
    """A running server; a context manager. ``url(name)`` makes a fresh database.

    ``fsync``: it waits for the disk. ``megabytes``: the size of a disk of its own, which can be full.
    """

    def __init__(self, *, fsync: bool = False, megabytes: int = 0) -> None:
        self._fsync = "on" if fsync else "off"
        self._megabytes = megabytes

    def __enter__(self) -> Postgres:
        programs = binaries()
        assert programs is not None
        self._programs = programs
        self._folder = Path(tempfile.mkdtemp(prefix="pbp.", dir="/tmp"))
        if self._megabytes:
            size = f"size={self._megabytes}m"
            subprocess.run(["mount", "-t", "tmpfs", "-o", size, "none", str(self._folder)], check=True)
        shutil.chown(self._folder, "postgres")
        self._run("initdb", "-D", str(self._folder / "data"), "-A", "trust", "-U", "postgres", "--no-sync")
        self.start()
        return self

    def start(self) -> None:
        """Run; again, if it was stopped."""
        options = f"-c listen_addresses='' -c unix_socket_directories={self._folder} -c fsync={self._fsync}"
        log = str(self._folder / "log")
        self._run("pg_ctl", "-D", str(self._folder / "data"), "-l", log, "-o", options, "-w", "start")

    def stop(self) -> None:
        """As if its power had failed."""
        self._run("pg_ctl", "-D", str(self._folder / "data"), "-m", "immediate", "stop")

    def fill(self) -> None:
        """No byte of its disk is free any more."""
        with (self._folder / "filler").open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(65_536))
        with (self._folder / "filler").open("ab", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"x")

    def empty(self) -> None:
        """There is space again."""
        (self._folder / "filler").unlink()

    @property
    def pid(self) -> int:
        """Its first process."""
        return int((self._folder / "data/postmaster.pid").read_text().split()[0])

    @property
    def socket(self) -> Path:
        """Where it listens."""
        return self._folder / ".s.PGSQL.5432"

    def _run(self, program: str, *arguments: str) -> None:
        command = ["runuser", "-u", "postgres", "--", str(self._programs / program), *arguments]
        done = subprocess.run(command, cwd="/", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        assert done.returncode == 0, done.stdout.decode()

    def url(self, name: str, encoding: str = "UTF8") -> str:
        """A new, empty database."""
        options = ["-T", "template0", "-l", "C", "-E", encoding, name]
        self._run("createdb", "-h", str(self._folder), "-U", "postgres", *options)
        return f"postgresql://postgres@/{name}?host={self._folder}"

    def __exit__(self, *_: object) -> None:
        if (self._folder / "data/postmaster.pid").exists():  # else a test that failed had stopped it
            self.stop()
        if self._megabytes:
            lazily = "--lazy"  # those of its processes that end last may still be there
            subprocess.run(["umount", lazily, str(self._folder)], check=True)
        shutil.rmtree(self._folder, ignore_errors=True)
