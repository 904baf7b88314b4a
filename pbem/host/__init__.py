"""The host's desk: where files come in, rulings are committed, and letters go to the outbox.

``HostDesk`` owns one match folder. Clock, entropy and keys come in here as arguments and nowhere below. What knows a
database (``recover``, ``service``) is asked for by its own name, so that a match at a desk does without one.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pbem.host.books import Outcome
    from pbem.host.desk import HostDesk
    from pbem.host.status import status_of

__all__ = [
    "HostDesk",
    "Outcome",
    "status_of",
]

_PLACES: Final = {
    "HostDesk": "pbem.host.desk",
    "Outcome": "pbem.host.books",
    "status_of": "pbem.host.status",
}
"""Loaded when first asked for: a command that needs one of them does not wait for the others."""


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
