"""Everything that a service's database has."""

from __future__ import annotations

from typing import Final

from alembic import op

from pbem.host.database.tables import METADATA

revision: Final = "1"
down_revision: Final = None


def upgrade() -> None:
    """Make it."""
    METADATA.create_all(op.get_bind())
