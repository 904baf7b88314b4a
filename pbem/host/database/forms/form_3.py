"""What the host notes beside a match: its title, who is reached where, the season."""

from __future__ import annotations

from typing import Final

from pbem.host.database.forms import make

revision: Final = "3"
down_revision: Final = "2"

_STATEMENTS: Final = """
CREATE TABLE circles (game TEXT PRIMARY KEY REFERENCES matches, note TEXT NOT NULL)
"""


def upgrade() -> None:
    """Make it."""
    make(_STATEMENTS)
