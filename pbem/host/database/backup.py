"""A backup of the service's database while it runs, and putting one back: each by the database's own means.

A backup is one file: an SQLite database, or what ``pg_dump`` writes. It holds addresses and emails, and is as private
as the database. What was there before a restore is put aside, never removed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from sqlalchemy import func, select

from pbem.base.errors import StoreError, UsageProblem, there_already
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.host.database.database import Database, copy_while_used, sqlite_path, whole_form
from pbem.host.database.driver import DatabaseNewer, version_of
from pbem.host.database.tables import LINES, MATCHES, TABLES
from pbem.player.store.durable import PRIVATE_FILE, create_file, disk

_DUMP: Final = b"PGDMP"
_SQLITE: Final = b"SQLite format 3\0"
_COPIED: Final = re.compile(r"(?m)^COPY .*\n(\d+)$")
"""The form in what ``pg_restore`` says of the table that notes it."""


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup holds."""

    file: Path
    size: int
    matches: int
    records: int


def back_up(url: str, target: Path) -> Backup:
    """Copy the database into a new file, mode 0600, looked through before it gets its name.

    Raises:
        UsageProblem: there is something at ``target``, or the program that does it is missing.
        StoreError: the database or the disk refuses; nothing is left behind.
    """
    if target.exists():
        raise there_already(target, sentence("Name another file: -o FILE"))
    part = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    with disk("write", part):
        create_file(part, b"", mode=PRIVATE_FILE)
    try:
        path = sqlite_path(url)
        if path is None:
            _run("pg_dump", ["--format=custom", "--no-owner", f"--file={part}"], url)
            counted = _count(Database(url))
        else:
            copy_while_used(path, part)
            counted = _count(Database(f"sqlite:///{part}"))
            for end in ("-wal", "-shm"):
                part.with_name(part.name + end).unlink(missing_ok=True)
        with disk("write", target), part.open("rb+") as file:
            os.fsync(file.fileno())
        size = part.stat().st_size
        with disk("write", target):
            part.rename(target)
    except BaseException:
        for end in ("", "-wal", "-shm"):
            part.with_name(part.name + end).unlink(missing_ok=True)
        raise
    return Backup(target, size, *counted)


def _count(database: Database) -> tuple[int, int]:
    with closing(database), database.reading() as transaction:
        return (
            transaction.scalar(select(func.count()).select_from(MATCHES)),
            transaction.scalar(select(func.count()).select_from(LINES)),
        )


def put_back(url: str, backup: Path) -> Path | None:
    """Put a backup in the place of the database; where what was there lies now (SQLite).

    Raises:
        UsageProblem: the file is no backup for this kind of database.
        DatabaseNewer: a newer version of this program has made it.
        StoreError: it is damaged, or the database or the disk refuses; the database is as it was.
    """
    try:
        with backup.open("rb") as file:
            head = file.read(16)
    except OSError as fault:
        raise UsageProblem(
            sentence("cannot read {backup}: {strerror}", backup=backup, strerror=fault.strerror)
        ) from fault
    path = sqlite_path(url)
    if path is None:
        if not head.startswith(_DUMP):
            raise UsageProblem(sentence("{backup} is not a backup of a PostgreSQL database", backup=backup))
        _restore(url, backup)
        return None
    if head != _SQLITE:
        raise UsageProblem(sentence("{backup} is not a backup of an SQLite database", backup=backup))
    part = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    with disk("write", part):
        create_file(part, b"", mode=PRIVATE_FILE)
        try:
            shutil.copyfile(backup, part)
            _check(part, backup)
            with part.open("rb+") as file:
                os.fsync(file.fileno())
            aside = _put_aside(path)
            part.rename(path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    return aside


def _restore(url: str, backup: Path) -> None:
    """In one transaction; ``pg_restore`` alone would leave tables there that a newer form has made."""
    text = _run("pg_restore", ["--data-only", "--table=alembic_version", "--file=-", str(backup)])
    noted = [(number,) for number in _COPIED.findall(text)]
    version_of(lambda _: noted, lambda _: bool(noted), str(backup))
    with tempfile.TemporaryDirectory() as folder:  # others cannot look into it
        drop, fill = Path(folder, "drop.sql"), Path(folder, "fill.sql")
        with disk("write", fill):
            drop.write_text(f"DROP TABLE IF EXISTS {', '.join(TABLES)};\n", encoding="utf-8")
        _run("pg_restore", ["--no-owner", f"--file={fill}", str(backup)])
        options = ["--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1"]
        _run("psql", [*options, f"--file={drop}", f"--file={fill}"], url)


def _check(part: Path, backup: Path) -> None:
    """Whether the copy is whole, and of a form that this program knows."""
    try:
        whole_form(part, str(backup))
    except DatabaseNewer:
        raise
    except StoreError as fault:
        raise StoreError(
            sentence("{backup} is not a complete backup of a service: {fault}", backup=backup, fault=fault)
        ) from fault


def _put_aside(path: Path) -> Path | None:
    """Rename a database with all its files; its new name."""
    if not path.exists():
        return None
    number = 1
    while (aside := path.with_name(f"{path.name}.before-restore-{number}")).exists():
        number += 1
    for end in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            path.with_name(path.name + end).rename(aside.with_name(aside.name + end))
    return aside


def _run(program: str, options: Sequence[str], url: str = "") -> str:
    """Run a program of PostgreSQL; what it printed. The password goes by the environment, which nobody else sees."""
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    given: dict[str, Any] = dict(conninfo_to_dict(url)) if url else {}
    password = given.pop("password", None)
    environment = {**os.environ, **({"PGPASSWORD": str(password)} if password else {})}
    command = [program, *options, *([f"--dbname={make_conninfo(**given)}"] if given else [])]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, check=False)  # noqa: S603
    except FileNotFoundError:
        raise UsageProblem(
            sentence("the program {program} is missing", program=program),
            hint=sentence("It comes with PostgreSQL's own client programs."),
        ) from None
    if done.returncode:
        words = " ".join(done.stderr.decode("utf-8", "replace").split())[:500]
        raise StoreError(sentence("{program} failed: {words}", program=program, words=words))
    return done.stdout.decode("utf-8", "replace")
