"""The forms that the service's database has had, one file each, in order: Alembic's version scripts.

A form that was committed is never changed; another one is put behind it, its number goes into
``pbem.host.database.schema``, and a database of it is kept for the tests (``python -m tests.service.kept_form``).
There is no way back: restore a backup. A form may use all of ``alembic.op``; those here are statements, which both
databases take as they stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from alembic import op

_TYPES: Final[Mapping[str, Mapping[str, str]]] = {
    "sqlite": {"blob": "BLOB", "serial": "INTEGER PRIMARY KEY AUTOINCREMENT"},
    "postgresql": {"blob": "BYTEA", "serial": "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"},
}
"""What a column of bytes and one that counts by itself are called."""


def make(statements: str) -> None:
    """Run statements, with a ``;`` between two, in the words of the database at hand."""
    connection = op.get_bind()
    for statement in statements.format(**_TYPES[connection.dialect.name]).split(";"):
        connection.exec_driver_sql(statement)
