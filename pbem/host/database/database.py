"""The database of a host's service: SQLite by default, PostgreSQL for many workers; the same statements on both.

One transaction commits what belongs together: the new records of a match, the letters about them, and that the mail
which caused them is dealt with. Nothing is sent before, everything after can be repeated.

* SQLite: one file of mode 0600, write-ahead log, every commit on the disk when it returns. A transaction takes the one
  write lock at once (``BEGIN IMMEDIATE``), so transactions exclude each other.
* PostgreSQL: rows are claimed with ``FOR UPDATE SKIP LOCKED``; a worker that dies gives them up with its connection.

Statements are written with ``?``. Nothing here interprets what it stores.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from pbem.base.errors import StoreError, UsageProblem
from pbem.base.sentences import joined, sentence
from pbem.host.database.schema import (
    TABLES,
    VERSION,
    DatabaseDamaged,
    DatabaseFull,
    DatabaseNewer,
    Driver,
    Row,
    version_of,
)
from pbem.player.store.durable import PRIVATE_FILE, create_file, make_folder

_PAGES: Final = 500
"""Copied at once; in between others may write."""
PATIENCE: Final = 60.0
"""Seconds that a transaction waits for another one."""

_FIRST: Final = "matches"
_TABLE: Final = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
_INCREMENTAL: Final = 2
_CORRUPT: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


__all__ = [
    "VERSION",
    "Database",
    "DatabaseDamaged",
    "DatabaseFull",
    "DatabaseNewer",
    "Row",
    "SqliteDriver",
    "Transaction",
    "copy_while_used",
    "sqlite_path",
    "whole_form",
]


class Transaction:
    """Statements that count together or not at all."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver

    def run(self, statement: str, *values: object) -> list[Row]:
        """Run one statement; its rows, if it has any."""
        return self._driver.run(statement, values)

    @property
    def shared(self) -> bool:
        """Whether several workers rule at this database at once, each on a match of its own."""
        return bool(self._driver.lock)

    def claim(self, statement: str, *values: object) -> list[Row]:
        """Select rows for this transaction alone; rows that another one has claimed are passed over."""
        return self._driver.run(statement + self._driver.lock, values)

    def pack(self, table: str, numbers: Sequence[int]) -> None:
        """These rows of a table have become short: let their room be used for others."""
        self._driver.pack(table, numbers)

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
        missing = [f"it has no table {table}" for table in TABLES if not driver.has(table)]
        fault = "; ".join(missing) or driver.check()
        if fault:
            raise DatabaseDamaged(
                sentence("the database {url} is damaged: {fault}", url=self.url, fault=fault)
            )

    def compact(self) -> None:
        """Give the room of what was removed back to the disk, as far as the database can while others work."""
        self._connected().compact()

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """A transaction: committed when the block ends, taken back when it raises.

        Raises:
            StoreError: the database cannot be reached or refuses; nothing has changed.
        """
        with self._begun(reading=False) as transaction:
            yield transaction

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """A transaction that only reads, and waits for no other one; it sees what was committed when it began.

        Raises:
            StoreError: the database cannot be reached or refuses.
        """
        with self._begun(reading=True) as transaction:
            yield transaction

    @contextmanager
    def _begun(self, *, reading: bool) -> Iterator[Transaction]:
        driver = self._connected()
        try:
            driver.begin(reading=reading)
        except DatabaseDamaged:
            raise
        except StoreError:
            self.close()  # a server that was restarted: one new connection is tried
            driver = self._connected()
            driver.begin(reading=reading)
        try:
            self._check_form(driver)
            yield Transaction(driver)
        except BaseException:
            with suppress(StoreError):
                driver.end(keep=False)
            raise
        driver.end(keep=True)

    def _check_form(self, driver: Driver) -> None:
        """Refuse to go on in a database that another version of this program has changed meanwhile."""
        found = int(driver.run("SELECT version_num FROM alembic_version", ())[0][0])
        if found != VERSION:
            raise DatabaseNewer(
                sentence(
                    "the database {url} has form {form} now, and this worker knows form {version}; it stops, and has"
                    " changed nothing",
                    url=self.url,
                    form=found,
                    version=VERSION,
                ),
                hint=sentence("Start this worker again with the version of pbem that the other workers run."),
            )

    def _connected(self) -> Driver:
        if self._driver is None:
            driver = connect(self.url, expected=self._expected)
            try:
                if self._expected and not driver.has(_FIRST):
                    raise DatabaseDamaged(
                        sentence("the database {url} is empty: it has no tables", url=self.url)
                    )
                if version_of(driver.run, driver.has, f"the database {self.url}") != VERSION:
                    _migrate(driver)
                    driver = connect(self.url, expected=self._expected)
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


def connect(url: str, *, expected: bool = False) -> Driver:
    """A connection to a database of whatever form.

    Raises:
        DatabaseDamaged: it is not there, although it is ``expected``.
        StoreError: it cannot be reached.
        UsageProblem: it is no address of a database, or a package is missing.
    """
    path = sqlite_path(url)
    if path is not None:
        if expected and not path.is_file():
            raise DatabaseDamaged(sentence("the database {path} is not there", path=path))
        if expected and path.stat().st_size == 0:
            raise DatabaseDamaged(sentence("the database {path} is empty: it has no bytes", path=path))
        return SqliteDriver(path)
    if url.startswith(("postgresql://", "postgres://")):
        try:
            from pbem.host.database.postgresql import PostgresqlDriver
        except ImportError:
            raise UsageProblem(
                sentence("a PostgreSQL database needs the package psycopg"),
                hint=sentence('Install it: pip install "pbem[service]"'),
            ) from None
        return PostgresqlDriver(url)
    raise UsageProblem(
        sentence("{url!r} is no database", url=url),
        hint=sentence("Expected sqlite:///FILE or postgresql://user@host/name."),
    )


def _migrate(driver: Driver) -> None:
    """Bring it to the newest form, and hang up."""
    try:
        from pbem.host.database.migrate import newest  # rarely needed, and slow to import
    except ImportError:
        raise UsageProblem(
            sentence("a database that is new or of an older form needs the packages alembic and sqlalchemy"),
            hint=sentence('Install them: pip install "pbem[service]"'),
        ) from None
    newest(driver)
    driver.close()


class SqliteDriver:
    """An SQLite file."""

    lock = ""
    hold = ""
    dialect = "sqlite"

    def __init__(self, path: Path) -> None:
        make_folder(path.parent, private=True)
        with suppress(FileExistsError):
            create_file(path, b"", mode=PRIVATE_FILE)
        self._path, self._file = path, _file_at(path)
        try:
            self._connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
        except sqlite3.Error as fault:
            raise _refusal(sentence("cannot open the database {path}", path=path), fault) from fault
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
            raise _refusal(sentence("cannot open the database {path}", path=path), fault) from fault

    def connection(self) -> sqlite3.Connection:
        """See ``Driver``."""
        return self._connection

    def refusal(self, fault: BaseException | None) -> StoreError:
        """See ``Driver``."""
        return _refusal(sentence("the database refuses"), fault)

    def begin(self, *, reading: bool = False) -> None:
        """See ``Driver``; a file that was removed or replaced takes nothing more."""
        if _file_at(self._path) != self._file:
            raise DatabaseDamaged(
                sentence(
                    "the database {path} was removed or replaced while this program ran", path=self._path
                )
            )
        self._run("BEGIN DEFERRED" if reading else "BEGIN IMMEDIATE", ())

    def alone(self, number: int) -> None:
        """See ``Driver``: every transaction that writes is alone."""

    def run(self, statement: str, values: Sequence[Any]) -> list[Row]:
        """See ``Driver``."""
        return self._run(statement, values)

    def has(self, table: str) -> bool:
        """See ``Driver``."""
        return bool(self._run(_TABLE, (table,)))

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
            raise self.refusal(fault) from fault

    def pack(self, table: str, numbers: Sequence[int]) -> None:
        """See ``Driver``.

        A row that became short stays alone on the page that it filled; only when a row is removed do its page and
        those beside it become one. Otherwise each old letter would keep four kilobytes for ever.
        """
        for number in numbers:
            (row,) = self._run(f"DELETE FROM {table} WHERE id = ? RETURNING *", (number,))  # noqa: S608 - no input
            marks = ", ".join("?" for _ in row)
            self._run(f"INSERT INTO {table} VALUES ({marks})", row)  # noqa: S608 - no input

    def compact(self) -> None:
        """See ``Driver``; a file of the first weeks, which cannot shrink by itself, is written anew once."""
        if self._run("PRAGMA auto_vacuum", ())[0][0] != _INCREMENTAL:
            self._run("PRAGMA auto_vacuum = INCREMENTAL", ())
            self._run("VACUUM", ())
        try:
            self._connection.executescript("PRAGMA incremental_vacuum")  # ``execute`` frees one page of them
        except sqlite3.Error as fault:
            raise self.refusal(fault) from fault
        self._run("PRAGMA wal_checkpoint(TRUNCATE)", ())

    def end(self, *, keep: bool) -> None:
        """See ``Driver``."""
        if self._connection.in_transaction:
            self._run("COMMIT" if keep else "ROLLBACK", ())

    def close(self) -> None:
        """See ``Driver``."""
        self._connection.close()


def copy_while_used(path: Path, target: Path) -> None:
    """Copy an SQLite database that others may write to meanwhile into an empty file, and look through the copy.

    Raises:
        StoreError: it is not there, damaged, or cannot be read or written.
    """
    if not path.is_file():
        raise StoreError(sentence("the database {path} is not there", path=path))
    try:
        with (
            closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as source,
            closing(sqlite3.connect(target)) as copy,
        ):
            source.backup(copy, pages=_PAGES, sleep=0.01)
    except sqlite3.Error as fault:
        raise _refusal(sentence("cannot copy the database {path}", path=path), fault) from fault
    whole_form(target)


def whole_form(path: Path, what: str = "") -> int:
    """Which form an SQLite database has that nobody uses; ``what`` it is, in words.

    Raises:
        DatabaseNewer: a newer version of this program has made it.
        StoreError: it is damaged, or no database of a service.
    """
    try:
        with closing(sqlite3.connect(path)) as connection:
            (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            form = version_of(
                lambda *given: connection.execute(*given).fetchall(),
                lambda table: bool(connection.execute(_TABLE, (table,)).fetchone()),
                what or str(path),
            )
    except sqlite3.Error as fault:
        raise _refusal(sentence("it cannot be read"), fault) from fault
    if found != "ok" or not form:
        raise DatabaseDamaged(sentence("it is damaged: {found}", found=found))
    return form


def _file_at(path: Path) -> tuple[int, int]:
    """Which file stands under this name; zeros if none does."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_dev, found.st_ino


def _refusal(doing: str, fault: BaseException | None) -> StoreError:
    code = getattr(fault, "sqlite_errorcode", 0) & 0xFF  # the low byte; the rest says where it was noticed
    if code in _CORRUPT:
        return DatabaseDamaged(sentence("{doing}, it is damaged: {fault}", doing=doing, fault=fault))
    if code == sqlite3.SQLITE_FULL:
        return DatabaseFull(joined((doing, str(fault)), ": "))
    return StoreError(joined((doing, str(fault)), ": "))
