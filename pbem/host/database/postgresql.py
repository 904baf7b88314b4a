"""The service's database on PostgreSQL, by psycopg; imported only when a configuration names such a database."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg

from pbem.base.errors import StoreError
from pbem.base.sentences import sentence
from pbem.host.database.schema import DatabaseDamaged, DatabaseFull, Row


class PostgresqlDriver:
    """One connection. A lost one raises ``StoreError``; its transaction never happened."""

    lock = " FOR UPDATE SKIP LOCKED"
    hold = " FOR UPDATE"
    dialect = "postgresql+psycopg"

    def __init__(self, url: str) -> None:
        try:
            self._connection = psycopg.connect(url, autocommit=True, connect_timeout=15)
        except psycopg.Error as fault:
            raise StoreError(sentence("cannot reach the database: {fault}", fault=fault)) from fault
        found = self._connection.info.parameter_status("server_encoding")
        if found != "UTF8":  # texts would be cut, or come back as bytes
            self._connection.close()
            raise StoreError(
                sentence("the database has the encoding {found}, and must have UTF8", found=found),
                hint=sentence("Make it so: createdb --encoding UTF8 --template template0 NAME"),
            )

    def connection(self) -> psycopg.Connection[Row]:
        """See ``Driver``."""
        return self._connection

    def refusal(self, fault: BaseException | None) -> StoreError:
        """See ``Driver``."""
        if isinstance(fault, (psycopg.errors.DataCorrupted, psycopg.errors.IndexCorrupted)):
            return DatabaseDamaged(sentence("the database is damaged: {fault}", fault=fault))
        if isinstance(fault, psycopg.errors.DiskFull):
            return DatabaseFull(sentence("the database refuses: {fault}", fault=fault))
        return StoreError(sentence("the database refuses: {fault}", fault=fault))

    def begin(self, *, reading: bool = False) -> None:
        """See ``Driver``."""
        self.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" if reading else "BEGIN", ())

    def alone(self, number: int) -> None:
        """See ``Driver``."""
        self.run("SELECT pg_advisory_xact_lock(?)", (number,))

    def run(self, statement: str, values: Sequence[Any]) -> list[Row]:
        """See ``Driver``."""
        try:
            # Every statement is a constant of this package; only values come from elsewhere.
            cursor = self._connection.execute(statement.replace("?", "%s").encode(), values or None)
            return cursor.fetchall() if cursor.description else []
        except (
            psycopg.DataError
        ) as fault:  # trying again would not help: whoever brought the value is put aside
            raise ValueError(f"no value for the database: {fault}") from fault
        except psycopg.Error as fault:
            raise self.refusal(fault) from fault

    def has(self, table: str) -> bool:
        """See ``Driver``."""
        return bool(self.run("SELECT to_regclass(?) IS NOT NULL", (table,))[0][0])

    def check(self) -> str:
        """See ``Driver``: nothing here. The server checks its pages as it reads them (``data_checksums``)."""
        return ""

    def pack(self, table: str, numbers: Sequence[int]) -> None:
        """See ``Driver``: long values lie beside their row, and ``compact`` sees to them."""

    def compact(self) -> None:
        """See ``Driver``: the room is used again; the server gives back what lies at the end of its files."""
        for table in ("inbox", "outbox", "notes"):
            self.run(f"VACUUM {table}", ())

    def end(self, *, keep: bool) -> None:
        """See ``Driver``."""
        self.run("COMMIT" if keep else "ROLLBACK", ())

    def close(self) -> None:
        """See ``Driver``."""
        self._connection.close()
