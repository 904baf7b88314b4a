"""The host's desk: where files come in, rulings are committed, and letters go to the outbox.

``HostDesk`` owns one match folder. Clock, entropy and keys come in here as arguments and nowhere below. What knows a
database (``recover``, ``service``) is asked for by its own name, so that a match at a desk does without one.
"""

from __future__ import annotations

from pbem.host.desk import HostDesk, Outcome
from pbem.host.status import status_of

__all__ = ["HostDesk", "Outcome", "status_of"]
