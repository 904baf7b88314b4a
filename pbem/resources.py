"""What this installation is: where ``schemas/`` and ``templates/`` lie, and how a friend gets the same program."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_PACKAGE = Path(__file__).resolve().parent


def data_dir(name: str) -> Path:
    """The folder ``schemas`` or ``templates`` of this installation."""
    packaged = _PACKAGE / "_data" / name
    return packaged if packaged.is_dir() else _PACKAGE.parent / name


INSTALL: Final = ("uv tool install pbem", "pipx install pbem", "pip install pbem")
"""Each of these lines alone installs pbem; the first brings a Python along. All who tell it read it here."""

PAGE: Final = ""
"""Where this release's browser page lies, with a slash at its end; empty as long as it lies nowhere. A constant of the
release and nobody's configuration: a host who could name the page could name one that takes its visitors' keys."""
