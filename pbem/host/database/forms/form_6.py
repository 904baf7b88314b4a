"""Alembic counts the forms from here on; a match that is over is looked at no more.

The number in ``meta`` stays for programs from before: they refuse this database by it, and by no later one.
"""

from __future__ import annotations

from typing import Final

from pbem.host.database.forms import make

revision: Final = "6"
down_revision: Final = "5"

_STATEMENTS: Final = """
INSERT INTO meta (name, value) VALUES ('version', '6') ON CONFLICT (name) DO UPDATE SET value = excluded.value;
UPDATE times SET wake = 'never' WHERE game IN (SELECT game FROM matches WHERE over = 1)
"""


def upgrade() -> None:
    """Make it."""
    make(_STATEMENTS)
