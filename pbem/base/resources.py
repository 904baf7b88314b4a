"""What this installation is: where ``schemas/`` and ``templates/`` lie, which games are installed beside ours.

A game that somebody else wrote is a package with an entry point of the group ``pbem.games``; it brings folders
``schemas`` and ``templates`` of its own (``examples/third-game``). Nothing of it is loaded before it is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pbem.base.sentences import sentence

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_PACKAGE = Path(__file__).resolve().parents[1]


def data_dir(name: str) -> Path:
    """The folder ``schemas`` or ``templates`` of this installation."""
    packaged = _PACKAGE / "_data" / name
    return packaged if packaged.is_dir() else _PACKAGE.parent / name


@cache
def installed_games() -> Mapping[str, EntryPoint]:
    """The games that are installed beside ours, by their ids; looked up once in a process."""
    from importlib.metadata import entry_points  # takes a command's time only where it is asked

    return {entry_point.name: entry_point for entry_point in entry_points(group="pbem.games")}


def game_dir(game: str, name: str) -> Path:
    """The folder ``schemas`` or ``templates`` of one game: ours, else the one that its package brings.

    It need not exist: a game without templates of its own is shown by the generic ones.
    """
    own = data_dir(name) / game
    entry_point = None if own.is_dir() else installed_games().get(game)
    if entry_point is None:
        return own
    spec = find_spec(entry_point.module)
    return Path(spec.origin).parent / name if spec is not None and spec.origin else own


INSTALL: Final = ("uv tool install .", "pipx install .", "pip install .")
"""Each of these lines alone installs pbem, typed in a copy of its source: it is on no package index.

The first brings a Python along. README, invitations and the start page all read it here. A release that is on an index
writes the package's name in the place of the dot."""

SYSTEMS: Final = sentence("Tested on Linux; only simulated on Windows, not tested on macOS.")
"""On which computers a release was tried; README, invitations and the start page all say it in these words."""

PAGE: Final = ""
"""Where this release's browser page lies, with a slash at its end; empty as long as it lies nowhere. A constant of the
release: a host who could name the page could name one that takes its visitors' keys. A host who serves the page beside
the API (``[api] page``) says so to everybody who uses it."""
