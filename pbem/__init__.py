"""Play Wyatt Earp and Way Out West by email: signed turns, proven draws, sealed hands.

For other programs: what ``pbem.api`` names is public, and can be had here (``pbem.load``, ``pbem.SeatView`` …).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pbem.api import *  # noqa: F403 - a type checker shall know which names there are
    from pbem.api import __all__ as __all__
else:

    def __getattr__(name: str) -> object:
        """A public name, loaded when it is first asked for: a command that needs none of it starts without it."""
        if name.startswith("__") and name != "__all__":  # Python itself asks for such
            raise AttributeError(name)
        api = import_module("pbem.api")
        if name == "__all__" or name in api.__all__:
            return getattr(api, name)
        raise AttributeError(f"pbem has no public name {name!r}; there are: {', '.join(api.__all__)}")
