"""What lists say of a match and only its records do; who asks for a list fills it."""

from __future__ import annotations

from typing import Final

from pbem.host.database.forms import make

revision: Final = "5"
down_revision: Final = "4"

_STATEMENTS: Final = """
CREATE TABLE glances (
  game TEXT PRIMARY KEY REFERENCES matches, head TEXT NOT NULL, rules TEXT NOT NULL, due TEXT NOT NULL,
  good TEXT NOT NULL, by_hand INTEGER NOT NULL)
"""


def upgrade() -> None:
    """Make it."""
    make(_STATEMENTS)
