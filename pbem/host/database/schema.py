"""Which form a service's database has, and how it refuses.

A database that is not of the newest form, or empty, is brought to it by ``pbem.host.database.migrate`` when it is
opened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from pbem.base.errors import StoreError
from pbem.base.sentences import sentence

VERSION: Final = 1
"""The newest form: the last of ``pbem.host.database.forms``."""


class DatabaseDamaged(StoreError):
    """The database is not what was written: trying again does not help, a person has to."""


class DatabaseFull(StoreError):
    """There is no room on its disk; as soon as there is, it works again."""


class DatabaseNewer(DatabaseDamaged):
    """The database was made by a newer version of this program."""


def version_of(run: Callable[[str], Sequence[Any]], has: Callable[[str], bool], what: str) -> int:
    """Which form a database has; 0 if it is empty.

    Raises:
        DatabaseNewer: a newer version of this program has made ``what``, where that is.
    """
    rows = run("SELECT version_num FROM alembic_version") if has("alembic_version") else []
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
