"""A connection to a service's database: what differs between SQLite and PostgreSQL, behind one SQLAlchemy connection.

* SQLite: one file of mode 0600, write-ahead log, every commit on the disk when it returns. A transaction takes the one
  write lock at once (``BEGIN IMMEDIATE``), so transactions exclude each other.
* PostgreSQL: rows are claimed with ``FOR UPDATE SKIP LOCKED``; a worker that dies gives them up with its connection.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import local
from typing import Any, ClassVar, Final, TypeAlias

from sqlalchemy import (
    Connection,
    Engine,
    Executable,
    NullPool,
    Table,
    bindparam,
    create_engine,
    delete,
    insert,
    inspect,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DataError, DBAPIError, PendingRollbackError

from pbem.base.errors import StoreError
from pbem.base.sentences import joined, sentence
from pbem.player.store.durable import PRIVATE_FILE, create_file, make_folder

Rows: TypeAlias = list[Any]
"""Rows of SQLAlchemy: tuples whose values have the names of their columns, too."""

PATIENCE: Final = 60.0
"""Seconds that a transaction waits for another one."""
_REACHED: Final = {
    "connect_timeout": 15,
    "keepalives_idle": 15,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}
"""How a worker that was cut off from its server notices it: half a minute, instead of the hours of most systems."""
_LETS_GO: Final = [
    f"SET tcp_{key} = {value}" for key, value in _REACHED.items() if key.startswith("keepalives")
]
"""And how the server notices it, so that others wait no longer than that for what the lost worker held."""
_SETTINGS: Final = ("auto_vacuum=INCREMENTAL", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON")
_CORRUPT: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


_OPENED: Final = local()


@cache
def _engine(dialect: str) -> Engine:
    """One for all connections of a process: each statement is compiled once, not again after connecting."""
    return create_engine(f"{dialect}://", creator=lambda: vars(_OPENED).pop("raw"), poolclass=NullPool)


@cache
def _taking_out(table: Table) -> Executable:
    """Remove a row, and have it."""
    return delete(table).where(table.c.id == bindparam("number")).returning(table)


@cache
def _putting_back(table: Table) -> Executable:
    return insert(table)


class Driver:
    """One connection; ``raw`` is the one that it is made of."""

    shared = False
    """Whether several workers rule at this database at once, each on a match of its own."""
    dialect: ClassVar[str]

    def __init__(self, raw: Any) -> None:
        self._connection = _OPENED.raw = raw
        with self._refusing():
            self.sql: Connection = _engine(self.dialect).connect()

    @staticmethod
    def insert(table: Table) -> Any:
        """A statement that inserts and may say what is to be done if there is such a row."""
        return sqlite.insert(table)

    def refusal(self, fault: BaseException | None) -> StoreError:
        """What an error of the connection means."""
        raise NotImplementedError

    def begin(self, *, reading: bool = False) -> None:
        """Start a transaction; one that only reads waits for nobody."""

    def alone(self, number: int) -> None:
        """Until the transaction ends nobody else gets past this call with this number."""

    def execute(
        self, statement: Executable | str, values: Sequence[Any] = (), named: Mapping[str, Any] | None = None
    ) -> Any:
        """Run one statement; text has ``?`` for its values, another one ``bindparam`` for those that are ``named``.

        Raises:
            ValueError: a value that it cannot hold: a zero byte in a text, too great a number. Another row may pass.
            StoreError: it cannot be reached or refuses.
        """
        with self._refusing():
            if isinstance(statement, str):
                return self.sql.exec_driver_sql(self._marked(statement), tuple(values) or None)
            return self.sql.execute(statement, named or None)

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        try:
            yield
        except DataError as fault:  # trying again would not help: whatever brought the value is quarantined
            raise ValueError(f"no value for the database: {fault.orig}") from fault
        except DBAPIError as fault:
            raise self.refusal(fault.orig) from fault
        except PendingRollbackError as fault:  # the connection was lost in a commit
            raise self.refusal(fault) from fault

    def _marked(self, statement: str) -> str:
        return statement

    def run(
        self, statement: Executable | str, values: Sequence[Any] = (), named: Mapping[str, Any] | None = None
    ) -> Rows:
        """The rows of a statement, if it has any."""
        result = self.execute(statement, values, named)
        with self._refusing():
            return list(result.fetchall()) if result.returns_rows else []

    def has(self, table: str) -> bool:
        """Whether there is such a table."""
        with self._refusing():
            return bool(inspect(self.sql).has_table(table))

    def check(self) -> str:
        """What the database itself finds wrong with its pages and indexes; empty if nothing."""
        return ""

    def pack(self, table: Table, numbers: Sequence[int]) -> None:
        """Let the space that these rows no longer need be used by others; ``table`` has an ``id``."""

    def compact(self) -> None:
        """Give the space of what was removed back, outside of a transaction."""

    def end(self, *, keep: bool) -> None:
        """Commit, or take everything back."""
        with self._refusing():
            (self.sql.commit if keep else self.sql.rollback)()

    def close(self) -> None:
        """Hang up."""
        with suppress(DBAPIError):
            self.sql.close()
        self._connection.close()


class SqliteDriver(Driver):
    """An SQLite file."""

    dialect = "sqlite"

    def __init__(self, path: Path) -> None:
        make_folder(path.parent, private=True)
        with suppress(FileExistsError):
            create_file(path, b"", mode=PRIVATE_FILE)
        self._path, self._file = path, _file_at(path)
        try:
            raw = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
        except sqlite3.Error as fault:
            raise refusal_of(sentence("cannot open the database {path}", path=path), fault) from fault
        try:
            for pragma in _SETTINGS:
                raw.execute(f"PRAGMA {pragma}")
        except sqlite3.Error as fault:
            raw.close()
            raise refusal_of(sentence("cannot open the database {path}", path=path), fault) from fault
        super().__init__(raw)

    def refusal(self, fault: BaseException | None) -> StoreError:
        """See ``Driver``."""
        return refusal_of(sentence("the database refuses"), fault)

    def begin(self, *, reading: bool = False) -> None:
        """See ``Driver``; a file that was removed or replaced takes nothing more."""
        if _file_at(self._path) != self._file:
            raise DatabaseDamaged(
                sentence(
                    "the database {path} was removed or replaced while this program ran", path=self._path
                )
            )
        self.execute("BEGIN DEFERRED" if reading else "BEGIN IMMEDIATE")

    def check(self) -> str:
        """See ``Driver``: pages, indexes, and that every row that is referred to is there."""
        problems = [str(row[0]) for row in self.run("PRAGMA integrity_check(5)") if row[0] != "ok"]
        broken = self.run("PRAGMA foreign_key_check")[:1]
        problems += [f"a row of {row[0]} names a match that is not there" for row in broken]
        self.end(keep=False)
        return "; ".join(problems)

    def pack(self, table: Table, numbers: Sequence[int]) -> None:
        """See ``Driver``.

        A row that became short stays alone on the page that it filled; only when a row is removed do its page and
        those beside it become one. Otherwise each old email would keep four kilobytes for ever.
        """
        for number in numbers:
            (row,) = self.run(_taking_out(table), named={"number": number})
            self.execute(_putting_back(table), named=dict(row._mapping))  # noqa: SLF001 - SQLAlchemy's public name for it

    def compact(self) -> None:
        """See ``Driver``."""
        try:
            self._connection.executescript("PRAGMA incremental_vacuum")  # ``execute`` frees one page of them
            self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        except sqlite3.Error as fault:
            raise self.refusal(fault) from fault


def refusal_of(doing: str, fault: BaseException | None) -> StoreError:
    """What an error of SQLite means; ``doing`` is what was not possible."""
    code = getattr(fault, "sqlite_errorcode", 0) & 0xFF  # the low byte; the rest says where it was noticed
    if code in _CORRUPT:
        return DatabaseDamaged(sentence("{doing}, it is damaged: {fault}", doing=doing, fault=fault))
    if code == sqlite3.SQLITE_FULL:
        return DatabaseFull(joined((doing, str(fault)), ": "))
    return StoreError(joined((doing, str(fault)), ": "))


class PostgresqlDriver(Driver):
    """One connection by psycopg. A lost one raises ``StoreError``; its transaction never happened."""

    shared = True
    dialect = "postgresql+psycopg"

    def __init__(self, url: str) -> None:
        import psycopg  # only where a configuration names such a database

        self._psycopg = psycopg
        try:
            given = psycopg.conninfo.conninfo_to_dict(url)
            ours = {name: value for name, value in _REACHED.items() if name not in given}
            raw = psycopg.connect(psycopg.conninfo.make_conninfo(url, **ours))
            for setting in _LETS_GO:
                raw.execute(setting)
            raw.commit()
        except psycopg.Error as fault:
            words = str(fault).partition("\n")[0]
            raise StoreError(sentence("cannot reach the database: {fault}", fault=words)) from fault
        text = raw.info.parameter_status("server_encoding")
        if text != "UTF8":  # texts would be cut, or come back as bytes
            raw.close()
            raise StoreError(
                sentence("the database has the encoding {found}, and must have UTF8", found=text),
                hint=sentence("Make it so: createdb --encoding UTF8 --template template0 NAME"),
            )
        super().__init__(raw)
        self.end(keep=False)

    @staticmethod
    def insert(table: Table) -> Any:
        """See ``Driver``."""
        return postgresql.insert(table)

    def _marked(self, statement: str) -> str:
        return statement.replace("%", "%%").replace("?", "%s")

    def refusal(self, fault: BaseException | None) -> StoreError:
        """See ``Driver``."""
        errors, diagnosis = self._psycopg.errors, getattr(fault, "diag", None)
        words = (diagnosis and diagnosis.message_primary) or " ".join(str(fault).split())
        if isinstance(fault, (errors.DataCorrupted, errors.IndexCorrupted)):
            return DatabaseDamaged(sentence("the database is damaged: {fault}", fault=words))
        refusal = DatabaseFull if isinstance(fault, errors.DiskFull) else StoreError
        return refusal(sentence("the database refuses: {fault}", fault=words))

    def begin(self, *, reading: bool = False) -> None:
        """See ``Driver``."""
        if reading:  # else the first statement begins it
            self.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")

    def alone(self, number: int) -> None:
        """See ``Driver``."""
        self.execute("SELECT pg_advisory_xact_lock(?)", (number,))

    def compact(self) -> None:
        """See ``Driver``: the space is used again; the server gives back what lies at the end of its files."""
        raw = self._connection
        try:
            raw.autocommit = True
            for table in ("inbox", "outbox", "notes"):
                raw.execute(f"VACUUM {table}")
            raw.autocommit = False
        except self._psycopg.Error as fault:
            raise self.refusal(fault) from fault


def _file_at(path: Path) -> tuple[int, int]:
    """Which file stands under this name; zeros if none does."""
    try:
        stat_result = path.stat()
    except OSError:
        return 0, 0
    return stat_result.st_dev, stat_result.st_ino


# Which form a service's database has, and how it refuses.
# A database that is not of the newest form, or empty, is brought to it by ``pbem.host.database.database``
# when it is opened.

VERSION: Final = 1
"""The newest form: the last of ``pbem.host.database.forms``."""


class DatabaseDamaged(StoreError):
    """The database is not what was written: trying again does not help, a person has to."""


class DatabaseFull(StoreError):
    """There is no space on its disk; as soon as there is, it works again."""


class DatabaseNewer(DatabaseDamaged):
    """The database was made by a newer version of this program."""


def version_of(run: Callable[[str], Sequence[Any]], has: Callable[[str], bool], name: str) -> int:
    """Which form a database has; 0 if it is empty.

    Raises:
        DatabaseNewer: a newer version of this program has made ``name``, where that is.
    """
    rows = run("SELECT version_num FROM alembic_version") if has("alembic_version") else []
    form = int(rows[0][0]) if rows else 0
    if form > VERSION:
        raise DatabaseNewer(
            sentence(
                "{what} has form {form}, this version of pbem knows up to form {version}",
                what=name,
                form=form,
                version=VERSION,
            ),
            hint=sentence(
                "Run the newer version of pbem again, or restore a backup that was made before it ran."
            ),
        )
    return form
