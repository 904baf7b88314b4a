"""Hosting: messages come in, rulings are committed, emails go to the outbox.

``HostClient`` owns one match folder. Clock, entropy and keys come in here as arguments and nowhere below. What knows a
database (``recover``, ``service``) is asked for by its own name, so that a match at a client does without one.

In: one host on a folder or in a database: rulings committed, consents, time, outages, observers, recovery, archives,
what they are answered. Out: the rulings (``pbem.protocol.referee``), what emails say (``pbem.player.letters``),
printing and asking (``pbem.cli``). Called by: cli, host.database, host.service.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbem.base.lazy import lazily

if TYPE_CHECKING:
    from pbem.host.client import HostClient
    from pbem.host.status import status_of
    from pbem.host.store import Outcome

__all__ = [
    "HostClient",
    "Outcome",
    "status_of",
]

__getattr__ = lazily(__name__, {"client": "HostClient Outcome status_of"})
"""Loaded when first asked for: whoever imports a module of this package does not wait for a client."""
