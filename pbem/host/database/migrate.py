"""An empty database, or one of an older form, becomes one of the newest: by Alembic, on a connection of our own.

Everything is one transaction, on both databases: whoever is killed in the middle has done nothing. Alembic would open
connections itself, with another mode of the file and without the lock; so it is given one that a ``Driver`` has made,
with the transaction begun. It is to be closed afterwards, as SQLAlchemy has set it up for itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Lock
from typing import Final

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext, MigrationStep, RevisionStep
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, StaticPool, create_engine
from sqlalchemy.exc import DBAPIError

from pbem.host.database.schema import Driver, version_of

_LOCK: Final = 7065626
"""PostgreSQL: two workers that start together take turns."""
_FORMS: Final = Path(__file__).parent / "forms"
_ONE: Final = Lock()
"""Within this process, too: what version scripts call (``alembic.op``) is there once."""


def newest(driver: Driver, made: Callable[[int], None] | None = None, forms: Path = _FORMS) -> None:
    """Bring a database to the newest form of ``forms``; ``made`` is told each that was made, before the commit.

    Raises:
        DatabaseNewer: a newer version of this program has made it; nothing was changed.
        StoreError: the database refuses; nothing was changed.
    """
    engine = create_engine(f"{driver.dialect}://", creator=driver.connection, poolclass=StaticPool)
    try:
        with _ONE, engine.connect() as connection, connection.begin():
            driver.begin()
            driver.alone(_LOCK)
            _upgrade(driver, connection, made, _scripts(forms))
    except DBAPIError as fault:
        raise driver.refusal(fault.orig) from fault


def _upgrade(
    driver: Driver, connection: Connection, made: Callable[[int], None] | None, scripts: ScriptDirectory
) -> None:
    version_of(driver.run, driver.has, "the database")

    def steps(heads: tuple[str, ...], _: MigrationContext) -> list[RevisionStep]:
        missing = reversed(list(scripts.iterate_revisions("head", heads or "base")))
        return [MigrationStep.upgrade_from_script(scripts.revision_map, one) for one in missing]

    def told(*, heads: set[str], **_: object) -> None:
        if made is not None:
            made(max(map(int, heads)))

    options = {"fn": steps, "on_version_apply": (told,)}
    context = MigrationContext.configure(connection, opts=options)
    with Operations.context(context):
        context.run_migrations()


@cache
def _scripts(forms: Path) -> ScriptDirectory:
    return ScriptDirectory(str(forms), version_locations=[str(forms)])
