"""So that a round costs what is open, however many matches there ever were."""

from __future__ import annotations

from typing import Final

from pbem.host.database.forms import make

revision: Final = "4"
down_revision: Final = "3"

_STATEMENTS: Final = """
CREATE INDEX matches_open ON matches (game) WHERE over = 0;
CREATE INDEX matches_waiting ON matches (game) WHERE waits > 0;
CREATE INDEX times_lost ON times (game) WHERE lost_from <> ''
"""


def upgrade() -> None:
    """Make it."""
    make(_STATEMENTS)
