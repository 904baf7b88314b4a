"""The database of a host's service: SQLite by default, PostgreSQL for many workers; the same statements on both.

One transaction commits what belongs together: the new records of a match, the emails about them, and that the mail
which caused them is dealt with. Nothing is sent before, everything after can be repeated.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from functools import cache, lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sqlalchemy import Executable, Select, Table, UpdateBase
from sqlalchemy.exc import DBAPIError

from pbem.base.errors import StoreError, UsageProblem
from pbem.base.sentences import sentence
from pbem.host.database.driver import (
    VERSION,
    DatabaseDamaged,
    DatabaseNewer,
    Driver,
    PostgresqlDriver,
    Rows,
    SqliteDriver,
    refusal_of,
    version_of,
)
from pbem.host.database.tables import METADATA, TABLES

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory

T = TypeVar("T")

_PAGES: Final = 500
"""Copied at once; in between others may write."""
_SMALL: Final = 200_000_000
"""Bytes of a file that SQLite looks through within a second or two."""
_FIRST: Final = "matches"
_TABLE: Final = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"


@cache
def _adding(insert: Callable[[Table], Any], table: Table) -> Any:
    """A new row, and which one it is, if there was none of its name."""
    return insert(table).on_conflict_do_nothing().returning(*table.primary_key)


@cache
def _putting(
    insert: Callable[[Table], Any], table: Table, key: tuple[str, ...], names: tuple[str, ...]
) -> Any:
    """A new row, or in the one of this key what was given by these names."""
    stmt = insert(table)
    return stmt.on_conflict_do_update(index_elements=key, set_={name: stmt.excluded[name] for name in names})


@lru_cache(maxsize=64)
def _claiming(statement: Select[Any], *, skip_locked: bool) -> Select[Any]:
    return statement.with_for_update(skip_locked=skip_locked)


class Transaction:
    """Statements that count together or not at all."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._seen: dict[object, dict[object, Any]] = {}

    def run(self, statement: Executable | str, *values: object, **named: object) -> Rows:
        """Run one statement; its rows, if it has any. Text has ``?`` for its values.

        What runs with every file is made once, with ``bindparam`` for what is ``named`` here: to make a statement
        costs five times what it costs to run it.
        """
        self._forget(statement)
        return self._driver.run(statement, values, named)

    def once(self, table: Table, name: object, read: Callable[[], T]) -> T:
        """What ``read`` finds in this table; the same again, as long as this transaction changes and claims nothing.

        Args:
            table: the only one that is asked.
            name: which rows of it.
            read: asks; whoever gets its answer does not change it.
        """
        seen = self._seen.setdefault(table, {})
        if name not in seen:
            seen[name] = read()
        value: T = seen[name]
        return value

    def _forget(self, statement: Executable | str) -> None:
        if isinstance(statement, UpdateBase):
            self._seen.pop(statement.table, None)

    def scalar(self, statement: Executable, **named: object) -> Any:
        """The first value of the first row; None if there is no row."""
        rows = self._driver.run(statement, named=named)
        return rows[0][0] if rows else None

    def count(self, statement: Executable, **named: object) -> int:
        """Run an update or a deletion; how many rows it has changed."""
        self._forget(statement)
        return int(self._driver.execute(statement, named=named).rowcount)

    def add(self, table: Table, **values: object) -> bool:
        """A new row; whether there was none of its name."""
        return bool(self.added(table, **values))

    def added(self, table: Table, **values: object) -> Rows:
        """A new row; what it is called by, if there was none of its name."""
        return self.run(_adding(self.insert, table), **values)

    def put(
        self, table: Table, key: dict[str, object], first: dict[str, object] | None = None, **values: object
    ) -> None:
        """A new row, or in the one of its name these values; ``first`` is for a new row alone."""
        stmt = _putting(self.insert, table, tuple(key), tuple(values))
        self.run(stmt, **key, **(first or {}), **values)

    @property
    def insert(self) -> Callable[[Table], Any]:
        """Makes a statement that inserts, and may say what is to be done if there is such a row."""
        return self._driver.insert

    @property
    def shared(self) -> bool:
        """Whether several workers rule at this database at once, each on a match of its own."""
        return self._driver.shared

    def claim(self, statement: Select[Any], **named: object) -> Rows:
        """Select rows for this transaction alone; rows that another one has claimed are passed over."""
        self._seen.clear()
        return self._driver.run(_claiming(statement, skip_locked=True), named=named)

    def hold(self, statement: Select[Any], **named: object) -> Rows:
        """Select rows for this transaction alone; another one that has claimed them is waited for."""
        self._seen.clear()
        return self._driver.run(_claiming(statement, skip_locked=False), named=named)

    def pack(self, table: Table, numbers: Sequence[int]) -> None:
        """These rows of a table have become short: let their space be used for others."""
        self._driver.pack(table, numbers)


class Database:
    """One connection; not for sharing between threads."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.transactions = 0
        """How many were begun."""
        self._driver: Driver | None = None
        self._expected = False

    def expect(self) -> None:
        """From now on the database must be there: none is made in its place. So it is once it was opened."""
        self._expected = True

    @property
    def name(self) -> str:
        """What people are shown: the file, or the server's address without a password."""
        path = sqlite_path(self.url)
        return str(path) if path is not None else re.sub(r"(?<=//)([^/@:]*):[^/@]*@", r"\1@", self.url)

    def is_small(self) -> bool:
        """Whether to look through all of it takes a moment: a server does that itself, as it reads its pages."""
        path = sqlite_path(self.url)
        return path is None or not path.exists() or path.stat().st_size < _SMALL

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
                sentence("the database {url} is damaged: {fault}", url=self.name, fault=fault)
            )

    def compact(self) -> None:
        """Give the space of what was removed back to the disk, as far as the database can while others work."""
        self._connected().compact()

    def transaction(self) -> AbstractContextManager[Transaction]:
        """A transaction: committed when the block ends, taken back when it raises.

        Raises:
            StoreError: the database cannot be reached or refuses; nothing has changed.
        """
        return self._begun(reading=False)

    def reading(self) -> AbstractContextManager[Transaction]:
        """A transaction that only reads, and waits for no other one; it sees what was committed when it began.

        Raises:
            StoreError: the database cannot be reached or refuses.
        """
        return self._begun(reading=True)

    @contextmanager
    def _begun(self, *, reading: bool) -> Iterator[Transaction]:
        driver = self._connected()
        self.transactions += 1
        try:
            self._begin(driver, reading=reading)
        except DatabaseDamaged:
            raise
        except StoreError:
            self.close()  # a server that was restarted: one new connection is tried
            driver = self._connected()
            self._begin(driver, reading=reading)
        try:
            yield Transaction(driver)
        except BaseException:
            with suppress(StoreError):
                driver.end(keep=False)
            raise
        driver.end(keep=True)

    def _begin(self, driver: Driver, *, reading: bool) -> None:
        """Start a transaction; not in a database that another version of this program has changed meanwhile."""
        driver.begin(reading=reading)
        try:
            number = int(driver.run("SELECT version_num FROM alembic_version")[0][0])
        except BaseException:
            with suppress(StoreError):
                driver.end(keep=False)
            raise
        if number != VERSION:
            driver.end(keep=False)
            raise DatabaseNewer(
                sentence(
                    "the database {url} has form {form} now, and this worker knows form {version}; it stops, and has"
                    " changed nothing",
                    url=self.name,
                    form=number,
                    version=VERSION,
                ),
                hint=sentence("Start this worker again with the version of pbem that the other workers run."),
            )

    def _connected(self) -> Driver:
        if self._driver is not None and self._driver.sql.invalidated:
            self.close()  # it was lost, and does not connect by itself
        if self._driver is None:
            driver = connect(self.url, expected=self._expected)
            try:
                if self._expected and not driver.has(_FIRST):
                    raise DatabaseDamaged(
                        sentence("the database {url} is empty: it has no tables", url=self.name)
                    )
                form = version_of(driver.run, driver.has, sentence("the database {url}", url=self.name))
                driver.end(keep=False)
                if form != VERSION:
                    newest(driver)
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
            return PostgresqlDriver(url)
        except ImportError:
            raise UsageProblem(
                sentence("a PostgreSQL database needs the package psycopg"),
                hint=sentence('Install it: pip install "pbem[service]"'),
            ) from None
    raise UsageProblem(
        sentence("{url!r} is not the address of a database", url=url),
        hint=sentence("Expected sqlite:///FILE or postgresql://user@host/name."),
    )


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
        raise refusal_of(sentence("cannot copy the database {path}", path=path), fault) from fault
    whole_form(target)


def whole_form(path: Path, name: str = "") -> int:
    """Which form an SQLite database has that nobody uses; ``name``: what it is called.

    Raises:
        DatabaseNewer: a newer version of this program has made it.
        StoreError: it is damaged, or no database of a service.
    """
    try:
        with closing(sqlite3.connect(path)) as connection:
            (problem,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            form = version_of(
                lambda query: connection.execute(query).fetchall(),
                lambda table: bool(connection.execute(_TABLE, (table,)).fetchone()),
                name or str(path),
            )
    except sqlite3.Error as fault:
        raise refusal_of(sentence("it cannot be read"), fault) from fault
    if not form:
        raise DatabaseDamaged(sentence("it is not the database of a service"))
    if problem != "ok":
        raise DatabaseDamaged(sentence("it is damaged: {found}", found=" ".join(problem.split())))
    return form


# An empty database, or one of an older form, becomes one of the newest: by Alembic, on a connection of our
# own.
#
# Everything is one transaction, on both databases: whoever is killed in the middle has done nothing.
# Alembic would open connections itself, with another mode of the file and without the lock; so it is given
# the one of a ``Driver``.

_LOCK: Final = 7065626
"""PostgreSQL: two workers that start together take turns."""
_FORMS: Final = Path(__file__).parent / "forms"
_UPGRADING: Final = Lock()
"""Within this process, too: what version scripts call (``alembic.op``) is there once."""


def newest(driver: Driver, report: Callable[[int], None] | None = None, forms: Path = _FORMS) -> None:
    """Bring a database to the newest form of ``forms``; ``report`` gets each that was made, before the commit.

    Raises:
        DatabaseNewer: a newer version of this program has made it; nothing was changed.
        StoreError: the database refuses; nothing was changed.
    """
    try:
        with _UPGRADING:
            driver.begin()
            driver.alone(_LOCK)
            if forms == _FORMS and not driver.has(_FIRST) and not driver.has("alembic_version"):
                _make(driver)
            else:
                _upgrade(driver, report, _scripts(forms))
            driver.end(keep=True)
    except DBAPIError as fault:
        raise driver.refusal(fault.orig) from fault
    finally:
        driver.end(keep=False)


def _make(driver: Driver) -> None:
    """Everything that a database of the newest form has, without what brings an older one there."""
    METADATA.create_all(driver.sql)
    driver.execute("CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY)")
    driver.execute("INSERT INTO alembic_version VALUES (?)", (str(VERSION),))


def _upgrade(driver: Driver, report: Callable[[int], None] | None, scripts: ScriptDirectory) -> None:
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext, MigrationStep, RevisionStep

    version_of(driver.run, driver.has, "the database")

    def steps(heads: tuple[str, ...], _: MigrationContext) -> list[RevisionStep]:
        missing = reversed(list(scripts.iterate_revisions("head", heads or "base")))
        return [MigrationStep.upgrade_from_script(scripts.revision_map, script) for script in missing]

    def applied(*, heads: set[str], **_: object) -> None:
        if report is not None:
            report(max(map(int, heads)))

    options = {"fn": steps, "on_version_apply": (applied,)}
    context = MigrationContext.configure(driver.sql, opts=options)
    with Operations.context(context):
        context.run_migrations()


@cache
def _scripts(forms: Path) -> ScriptDirectory:
    from alembic.script import ScriptDirectory

    return ScriptDirectory(str(forms), version_locations=[str(forms)])
