"""What the service's database has to say of its form, what differs between the two databases, and how they refuse.

A database that is not of the newest form, or empty, is brought to it by ``pbem.host.database.migrate`` when it is
opened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol, TypeAlias

from pbem.base.errors import StoreError
from pbem.base.sentences import sentence

Row: TypeAlias = tuple[Any, ...]

VERSION: Final = 1
"""The newest form: the last of ``pbem.host.database.forms``."""
TABLES: Final = (
    *("alarms", "alembic_version", "answers", "circles", "consents", "copies", "doors", "eras", "glances"),
    *("inbox", "lines", "matches", "meta", "notes", "observers", "outbox", "pieces", "posted", "proven"),
    *("retained", "ruled", "seats", "stops", "times", "wishes"),
)
"""What a database of the newest form has."""


class DatabaseDamaged(StoreError):
    """The database is not what was written: trying again does not help, a person has to."""


class DatabaseFull(StoreError):
    """There is no room on its disk; as soon as there is, it works again."""


class DatabaseNewer(DatabaseDamaged):
    """The database was made by a newer version of this program."""


class Driver(Protocol):
    """What differs between the two databases."""

    lock: str
    hold: str
    dialect: str
    """What SQLAlchemy calls this kind of database."""

    def connection(self) -> Any:
        """The connection itself, which commits nothing by itself."""
        ...

    def refusal(self, fault: BaseException | None) -> StoreError:
        """What an error of the connection means."""
        ...

    def begin(self, *, reading: bool = False) -> None:
        """Start a transaction; one that only reads waits for nobody."""
        ...

    def alone(self, number: int) -> None:
        """Until the transaction ends nobody else gets past this call with this number."""
        ...

    def run(self, statement: str, values: Sequence[Any]) -> list[Row]:
        """Run one statement; its rows, if it has any.

        Raises:
            ValueError: a value that it cannot hold: a zero byte in a text, too great a number. Another row may pass.
            StoreError: it cannot be reached or refuses.
        """
        ...

    def has(self, table: str) -> bool:
        """Whether there is such a table."""
        ...

    def check(self) -> str:
        """What the database itself finds wrong with its pages and indexes; empty if nothing."""
        ...

    def pack(self, table: str, numbers: Sequence[int]) -> None:
        """Let the room that these rows no longer need be used by others; ``table`` has an ``id``."""
        ...

    def compact(self) -> None:
        """Give the room of what was removed back, outside of a transaction."""
        ...

    def end(self, *, keep: bool) -> None:
        """Commit, or take everything back."""
        ...

    def close(self) -> None:
        """Hang up."""
        ...


def version_of(run: Callable[[str, Sequence[Any]], list[Row]], has: Callable[[str], bool], what: str) -> int:
    """Which form a database has; 0 if it is empty.

    Raises:
        DatabaseNewer: a newer version of this program has made ``what``, where that is.
    """
    rows = run("SELECT version_num FROM alembic_version", ()) if has("alembic_version") else []
    form = int(rows[0][0]) if rows else 0
    if form > VERSION:
        raise DatabaseNewer(
            sentence(
                "{what} has form {form}, this version of pbem knows up to form {version}",
                what=what,
                form=form,
                version=VERSION,
            ),
            hint=sentence(
                "Run the newer version of pbem again, or restore a backup that was made before it ran."
            ),
        )
    return form
