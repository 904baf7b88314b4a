"""The host's desk: where files come in, rulings are committed, and letters go to the outbox.

``HostDesk`` owns one match folder. Clock, entropy and keys come in here as arguments and nowhere below.
"""

from __future__ import annotations

from pbem.host.desk import HostDesk, Outcome
from pbem.host.recover import Recovered, recover
from pbem.host.status import status_of

__all__ = ["HostDesk", "Outcome", "Recovered", "recover", "status_of"]
