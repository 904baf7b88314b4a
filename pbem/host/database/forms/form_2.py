"""Words of the HTTP door that were withdrawn; files that came by it."""

from __future__ import annotations

from typing import Final

from pbem.host.database.forms import make

revision: Final = "2"
down_revision: Final = "1"

_STATEMENTS: Final = """
CREATE TABLE doors (
  game TEXT NOT NULL REFERENCES matches, seat TEXT NOT NULL, counter INTEGER NOT NULL DEFAULT 0,
  shut INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (game, seat));
CREATE TABLE posted (
  game TEXT NOT NULL REFERENCES matches, seat TEXT NOT NULL, receipt TEXT NOT NULL, hash TEXT NOT NULL,
  mark TEXT NOT NULL, seen INTEGER NOT NULL, mail BIGINT NOT NULL, PRIMARY KEY (game, seat, receipt));
CREATE INDEX posted_mail ON posted (mail)
"""


def upgrade() -> None:
    """Make it."""
    make(_STATEMENTS)
