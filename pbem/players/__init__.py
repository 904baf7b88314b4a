"""Computer players: judgement by what a seat can know.

A player is told what everybody sees and what its own seat sees, never a state, and it rolls no dice of its own:
what it imagines follows from a seed that it is given. ``weigh`` says what each choice is worth to it, best first.

``player_for(rules, seed, level)`` is the player of the demo, of the stand-in and of ``pbem practice``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pbem.players.making import player_for, player_from
    from pbem.players.player import LEVELS, STRONG, ComputerPlayer, Level, Weighed, level_named

__all__ = [
    "LEVELS",
    "STRONG",
    "ComputerPlayer",
    "Level",
    "Weighed",
    "level_named",
    "player_for",
    "player_from",
]

_PLACES: Final = {
    "LEVELS": "pbem.players.player",
    "STRONG": "pbem.players.player",
    "Level": "pbem.players.player",
    "ComputerPlayer": "pbem.players.player",
    "Weighed": "pbem.players.player",
    "level_named": "pbem.players.player",
    "player_for": "pbem.players.making",
    "player_from": "pbem.players.making",
}
"""Loaded when first asked for: they bring both games, and letters only ask what a computer's name looks like."""


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
