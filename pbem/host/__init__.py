"""Hosting: messages come in, rulings are committed in a database, emails go to the outbox.

``FolderHost`` works on one match in a folder, without a mail account. Clock, entropy and keys come in here as arguments
and nowhere below.

In: one host at a match in a database: rulings committed, consents, time, outages, observers, recovery, archives,
what they are answered. Out: the rulings (``pbem.protocol.referee``), what emails say (``pbem.player.letters``),
printing and asking (``pbem.cli``). Called by: cli, host.database, host.service.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbem.base.lazy import lazily

if TYPE_CHECKING:
    from pbem.host.folder import FolderHost
    from pbem.host.status import status_of
    from pbem.host.store import Outcome

__all__ = [
    "FolderHost",
    "Outcome",
    "status_of",
]

__getattr__ = lazily(__name__, {"folder": "FolderHost", "store": "Outcome", "status": "status_of"})
"""Loaded when first asked for: whoever imports a module of this package does not wait for a client."""
