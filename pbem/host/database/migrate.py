"""An empty database, or one of an older form, becomes one of the newest: by Alembic, on a connection of our own.

Everything is one transaction, on both databases: whoever is killed in the middle has done nothing. Alembic would open
connections itself, with another mode of the file and without the lock; so it is given the one of a ``Driver``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Final

from sqlalchemy.exc import DBAPIError

from pbem.host.database.driver import Driver
from pbem.host.database.schema import version_of

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory

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
    try:
        with _ONE:
            driver.begin()
            driver.alone(_LOCK)
            _upgrade(driver, made, _scripts(forms))
            driver.end(keep=True)
    except DBAPIError as fault:
        raise driver.refusal(fault.orig) from fault
    finally:
        driver.end(keep=False)


def _upgrade(driver: Driver, made: Callable[[int], None] | None, scripts: ScriptDirectory) -> None:
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext, MigrationStep, RevisionStep

    version_of(driver.run, driver.has, "the database")

    def steps(heads: tuple[str, ...], _: MigrationContext) -> list[RevisionStep]:
        missing = reversed(list(scripts.iterate_revisions("head", heads or "base")))
        return [MigrationStep.upgrade_from_script(scripts.revision_map, script) for script in missing]

    def told(*, heads: set[str], **_: object) -> None:
        if made is not None:
            made(max(map(int, heads)))

    options = {"fn": steps, "on_version_apply": (told,)}
    context = MigrationContext.configure(driver.sql, opts=options)
    with Operations.context(context):
        context.run_migrations()


@cache
def _scripts(forms: Path) -> ScriptDirectory:
    from alembic.script import ScriptDirectory

    return ScriptDirectory(str(forms), version_locations=[str(forms)])
