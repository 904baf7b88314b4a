"""The database of a host's service: SQLite by default, PostgreSQL for many workers; the same statements on both.

One transaction commits what belongs together: the new records of a match, the letters about them, and that the mail
which caused them is dealt with. Nothing is sent before, everything after can be repeated .

* SQLite: one file of mode 0600, write-ahead log, every commit on the disk when it returns. A transaction takes the one
  write lock at once (``BEGIN IMMEDIATE``), so transactions exclude each other.
* PostgreSQL: rows are claimed with ``FOR UPDATE SKIP LOCKED``; a worker that dies gives them up with its connection.

Statements are written with ``?``. Nothing here interprets what it stores.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Protocol, TypeAlias

from pbem.errors import StoreError, UsageProblem
from pbem.store.durable import PRIVATE_FILE, create_file, make_folder

Row: TypeAlias = tuple[Any, ...]

VERSION: Final = 1
PATIENCE: Final = 60.0
"""Seconds that a transaction waits for another one."""

_FIRST: Final = "matches"
_NEWEST: Final = "circles"
"""The table that was added last: where it is, all are."""
_CORRUPT: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL, until TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS matches (
  game TEXT PRIMARY KEY, short TEXT NOT NULL UNIQUE, created TEXT NOT NULL, seq INTEGER NOT NULL,
  head TEXT NOT NULL, over INTEGER NOT NULL DEFAULT 0, waits INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS lines (
  game TEXT NOT NULL REFERENCES matches, seq INTEGER NOT NULL, raw {blob} NOT NULL, PRIMARY KEY (game, seq));
CREATE TABLE IF NOT EXISTS seats (
  game TEXT NOT NULL REFERENCES matches, seat TEXT NOT NULL, address TEXT NOT NULL DEFAULT '',
  invited TEXT NOT NULL DEFAULT '', word TEXT NOT NULL DEFAULT '', suspended TEXT NOT NULL DEFAULT '',
  bounces INTEGER NOT NULL DEFAULT 0, heard TEXT NOT NULL DEFAULT '', pending {blob}, pending_from TEXT,
  PRIMARY KEY (game, seat));
CREATE INDEX IF NOT EXISTS seats_address ON seats (address);
CREATE INDEX IF NOT EXISTS seats_invited ON seats (invited);
CREATE TABLE IF NOT EXISTS consents (
  game TEXT NOT NULL REFERENCES matches, hash TEXT NOT NULL, seat TEXT NOT NULL, file {blob} NOT NULL,
  PRIMARY KEY (game, hash));
CREATE TABLE IF NOT EXISTS ruled (
  game TEXT NOT NULL REFERENCES matches, hash TEXT NOT NULL, verdict TEXT NOT NULL, at TEXT NOT NULL,
  reject {blob} NOT NULL, PRIMARY KEY (game, hash));
CREATE TABLE IF NOT EXISTS inbox (
  id {serial}, name TEXT NOT NULL UNIQUE, raw {blob} NOT NULL, arrived TEXT NOT NULL, state TEXT NOT NULL,
  game TEXT NOT NULL DEFAULT '', reason TEXT NOT NULL DEFAULT '', tries INTEGER NOT NULL DEFAULT 0);
CREATE INDEX IF NOT EXISTS inbox_state ON inbox (state, game, id);
CREATE TABLE IF NOT EXISTS outbox (
  id {serial}, effect TEXT NOT NULL UNIQUE, token TEXT NOT NULL UNIQUE, message_id TEXT NOT NULL UNIQUE,
  game TEXT NOT NULL DEFAULT '', seat TEXT NOT NULL DEFAULT '', rcpt TEXT NOT NULL, env_from TEXT NOT NULL,
  raw {blob} NOT NULL, state TEXT NOT NULL, created TEXT NOT NULL, tries INTEGER NOT NULL DEFAULT 0,
  not_before TEXT NOT NULL DEFAULT '', tried TEXT NOT NULL DEFAULT '', sent TEXT NOT NULL DEFAULT '',
  fault TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS outbox_state ON outbox (state, not_before, id);
CREATE INDEX IF NOT EXISTS outbox_thread ON outbox (game, seat, id);
CREATE INDEX IF NOT EXISTS outbox_tried ON outbox (tried);
CREATE TABLE IF NOT EXISTS answers (
  person TEXT NOT NULL, kind TEXT NOT NULL, day TEXT NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (person, kind, day));
CREATE TABLE IF NOT EXISTS times (
  game TEXT PRIMARY KEY REFERENCES matches, wake TEXT NOT NULL DEFAULT '', reminded TEXT NOT NULL DEFAULT '',
  lost_from TEXT NOT NULL DEFAULT '', lost_until TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS times_wake ON times (wake);
CREATE TABLE IF NOT EXISTS wishes (
  game TEXT NOT NULL REFERENCES matches, seat TEXT NOT NULL, hours TEXT NOT NULL, PRIMARY KEY (game, seat));
CREATE TABLE IF NOT EXISTS observers (
  game TEXT NOT NULL REFERENCES matches, address TEXT NOT NULL, since INTEGER NOT NULL DEFAULT -1,
  suspended TEXT NOT NULL DEFAULT '', PRIMARY KEY (game, address));
CREATE INDEX IF NOT EXISTS observers_address ON observers (address);
CREATE TABLE IF NOT EXISTS notes (
  id {serial}, at TEXT NOT NULL, kind TEXT NOT NULL, game TEXT NOT NULL DEFAULT '', text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS stops (
  game TEXT PRIMARY KEY REFERENCES matches, state TEXT NOT NULL, since TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS proven (
  game TEXT NOT NULL REFERENCES matches, seq INTEGER NOT NULL, line TEXT NOT NULL, PRIMARY KEY (game, seq, line));
CREATE TABLE IF NOT EXISTS copies (
  game TEXT NOT NULL REFERENCES matches, line TEXT NOT NULL, seq INTEGER NOT NULL, prev TEXT NOT NULL,
  raw {blob} NOT NULL, PRIMARY KEY (game, line));
CREATE TABLE IF NOT EXISTS pieces (
  game TEXT NOT NULL REFERENCES matches, bundle TEXT NOT NULL, number INTEGER NOT NULL, raw {blob} NOT NULL,
  PRIMARY KEY (game, bundle, number));
CREATE TABLE IF NOT EXISTS eras (
  game TEXT PRIMARY KEY REFERENCES matches, era INTEGER NOT NULL, upto INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS notes_kind ON notes (kind, id);
CREATE TABLE IF NOT EXISTS alarms (
  kind TEXT PRIMARY KEY, mailed TEXT NOT NULL DEFAULT '', told INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS retained (
  game TEXT PRIMARY KEY REFERENCES matches, ended TEXT NOT NULL, cleared TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS circles (game TEXT PRIMARY KEY REFERENCES matches, note TEXT NOT NULL);
"""


class DatabaseDamaged(StoreError):
    """The database is not what was written: trying again does not help, a person has to."""


class Driver(Protocol):
    """What differs between the two databases."""

    lock: str
    hold: str

    def begin(self) -> None:
        """Start a transaction."""
        ...

    def run(self, statement: str, values: Sequence[Any]) -> list[Row]:
        """Run one statement; its rows, if it has any."""
        ...

    def has(self, table: str) -> bool:
        """Whether there is such a table."""
        ...

    def check(self) -> str:
        """What the database itself finds wrong with its pages and indexes; empty if nothing."""
        ...

    def end(self, *, keep: bool) -> None:
        """Commit, or take everything back."""
        ...

    def close(self) -> None:
        """Hang up."""
        ...


class Transaction:
    """Statements that count together or not at all."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def run(self, statement: str, *values: object) -> list[Row]:
        """Run one statement; its rows, if it has any."""
        return self._driver.run(statement, values)

    def claim(self, statement: str, *values: object) -> list[Row]:
        """Select rows for this transaction alone; rows that another one has claimed are passed over."""
        return self._driver.run(statement + self._driver.lock, values)

    def hold(self, statement: str, *values: object) -> list[Row]:
        """Select rows for this transaction alone; another one that has claimed them is waited for."""
        return self._driver.run(statement + self._driver.hold, values)


class Database:
    """One connection; not for sharing between threads."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._driver: Driver | None = None
        self._expected = False

    def expect(self) -> None:
        """From now on the database must be there: none is made in its place. So it is once it was opened."""
        self._expected = True

    def check(self) -> None:
        """Let the database look through its own pages and indexes, as far as it can.

        Raises:
            DatabaseDamaged: with what it has found.
        """
        driver = self._connected()
        fault = driver.check()
        if fault:
            raise DatabaseDamaged(f"the database {self.url} is damaged: {fault}")

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """A transaction: committed when the block ends, taken back when it raises.

        Raises:
            StoreError: the database cannot be reached or refuses; nothing has changed.
        """
        driver = self._connected()
        try:
            driver.begin()
        except DatabaseDamaged:
            raise
        except StoreError:
            self.close()  # a server that was restarted: one new connection is tried
            driver = self._connected()
            driver.begin()
        try:
            yield Transaction(driver)
        except BaseException:
            with suppress(StoreError):
                driver.end(keep=False)
            raise
        driver.end(keep=True)

    def _connected(self) -> Driver:
        if self._driver is None:
            driver = _connect(self.url, expected=self._expected)
            try:
                driver.begin()
                if self._expected and not driver.has(_FIRST):
                    raise DatabaseDamaged(f"the database {self.url} is empty: it has no tables")
                _make_tables(driver, self.url)
                driver.end(keep=True)
            except BaseException:
                with suppress(StoreError):
                    driver.end(keep=False)
                with suppress(StoreError):
                    driver.close()
                raise
            self._driver = driver
            self._expected = True
        return self._driver

    def close(self) -> None:
        """Hang up; the next transaction connects again."""
        if self._driver is not None:
            with suppress(StoreError):
                self._driver.close()
            self._driver = None


def sqlite_path(url: str) -> Path | None:
    """The file of an SQLite URL (``sqlite:///name`` is relative, ``sqlite:////name`` absolute), else None."""
    if not url.startswith("sqlite:///"):
        return None
    return Path(url.removeprefix("sqlite:///")).expanduser()


def _connect(url: str, *, expected: bool) -> Driver:
    path = sqlite_path(url)
    if path is not None:
        if expected and not path.is_file():
            raise DatabaseDamaged(f"the database {path} is not there")
        if expected and path.stat().st_size == 0:
            raise DatabaseDamaged(f"the database {path} is empty: it has no bytes")
        return SqliteDriver(path)
    if url.startswith(("postgresql://", "postgres://")):
        try:
            from pbem.store.database_postgresql import PostgresqlDriver
        except ImportError:
            raise UsageProblem(
                "a PostgreSQL database needs the package psycopg",
                hint='Install it: pip install "pbem[service]"',
            ) from None
        return PostgresqlDriver(url)
    raise UsageProblem(
        f"{url!r} is no database", hint="Expected sqlite:///FILE or postgresql://user@host/name."
    )


def _make_tables(driver: Driver, url: str) -> None:
    """The tables, made once; two workers that start together take turns."""
    if isinstance(driver, SqliteDriver):
        types = {"blob": "BLOB", "serial": "INTEGER PRIMARY KEY AUTOINCREMENT"}
    else:
        types = {"blob": "BYTEA", "serial": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"}
        driver.run("SELECT pg_advisory_xact_lock(7065626)", ())
    if not driver.has(_NEWEST):  # making what is there already would lock it, against those who work
        for statement in _TABLES.format(**types).split(";"):
            if statement.strip():
                driver.run(statement, ())
        driver.run(
            "INSERT INTO meta (name, value) VALUES ('version', ?) ON CONFLICT DO NOTHING", (str(VERSION),)
        )
        driver.run(
            "INSERT INTO times (game) SELECT game FROM matches WHERE game NOT IN (SELECT game FROM times)", ()
        )
    found = driver.run("SELECT value FROM meta WHERE name = 'version'", ())[0][0]
    if found != str(VERSION):
        raise StoreError(f"the database {url} was made by another version of this program ({found})")


class SqliteDriver:
    """An SQLite file."""

    lock = ""
    hold = ""

    def __init__(self, path: Path) -> None:
        make_folder(path.parent, private=True)
        with suppress(FileExistsError):
            create_file(path, b"", mode=PRIVATE_FILE)
        self._path, self._file = path, _file_at(path)
        try:
            self._connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
        except sqlite3.Error as fault:
            raise _refusal(f"cannot open the database {path}", fault) from fault
        try:
            for pragma in (
                "auto_vacuum = INCREMENTAL",
                "journal_mode = WAL",
                "synchronous = FULL",
                "foreign_keys = ON",
            ):
                self._connection.execute(f"PRAGMA {pragma}")
        except sqlite3.Error as fault:
            self._connection.close()
            raise _refusal(f"cannot open the database {path}", fault) from fault

    def begin(self) -> None:
        """See ``Driver``; a file that was removed or replaced takes nothing more."""
        if _file_at(self._path) != self._file:
            raise DatabaseDamaged(f"the database {self._path} was removed or replaced while this program ran")
        self._run("BEGIN IMMEDIATE", ())

    def run(self, statement: str, values: Sequence[Any]) -> list[Row]:
        """See ``Driver``."""
        return self._run(statement, values)

    def has(self, table: str) -> bool:
        """See ``Driver``."""
        return bool(self._run("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)))

    def check(self) -> str:
        """See ``Driver``: pages, indexes, and that every row that is referred to is there."""
        found = [str(row[0]) for row in self._run("PRAGMA integrity_check(5)", ()) if row[0] != "ok"]
        found += [f"a row of {row[0]} names a match that is not there" for row in self._broken()]
        return "; ".join(found)

    def _broken(self) -> list[Row]:
        return self._run("PRAGMA foreign_key_check", ())[:1]

    def _run(self, statement: str, values: Sequence[Any]) -> list[Row]:
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.Error as fault:
            raise _refusal("the database refuses", fault) from fault

    def end(self, *, keep: bool) -> None:
        """See ``Driver``."""
        if self._connection.in_transaction:
            self._run("COMMIT" if keep else "ROLLBACK", ())

    def close(self) -> None:
        """See ``Driver``."""
        self._connection.close()


def _file_at(path: Path) -> tuple[int, int]:
    """Which file stands under this name; zeros if none does."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def _refusal(doing: str, fault: sqlite3.Error) -> StoreError:
    code = getattr(fault, "sqlite_errorcode", 0) & 0xFF  # the low byte; the rest says where it was noticed
    if code in _CORRUPT:
        return DatabaseDamaged(f"{doing}, it is damaged: {fault}")
    return StoreError(f"{doing}: {fault}")
