"""The player's desk: his verified copy of the game file, his signed files, and what he may know.

``PlayerDesk`` owns one folder with a game file; nothing else is needed than that and an identity.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pbem.player.actions import parse_actions
    from pbem.player.book import Book, Entry, Fate
    from pbem.player.check import Verdict, check_file
    from pbem.player.copy import Copy, find_copy, read_lines
    from pbem.player.desk import AlreadySigned, PlayerDesk, Signed
    from pbem.player.inspect import inspect_file
    from pbem.player.luck import Draw, Luck, draws_of, luck_of

__all__ = [
    "AlreadySigned",
    "Book",
    "Copy",
    "Draw",
    "Entry",
    "Fate",
    "Luck",
    "PlayerDesk",
    "Signed",
    "Verdict",
    "check_file",
    "draws_of",
    "find_copy",
    "inspect_file",
    "luck_of",
    "parse_actions",
    "read_lines",
]

_PLACES: Final = {
    "parse_actions": "pbem.player.actions",
    "Book": "pbem.player.book",
    "Entry": "pbem.player.book",
    "Fate": "pbem.player.book",
    "Verdict": "pbem.player.check",
    "check_file": "pbem.player.check",
    "Copy": "pbem.player.copy",
    "find_copy": "pbem.player.copy",
    "read_lines": "pbem.player.copy",
    "AlreadySigned": "pbem.player.desk",
    "PlayerDesk": "pbem.player.desk",
    "Signed": "pbem.player.desk",
    "inspect_file": "pbem.player.inspect",
    "Draw": "pbem.player.luck",
    "Luck": "pbem.player.luck",
    "draws_of": "pbem.player.luck",
    "luck_of": "pbem.player.luck",
}
"""Loaded when first asked for: a command that needs one of them does not wait for the others."""


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
