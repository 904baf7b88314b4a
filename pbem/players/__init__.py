"""Computer players: judgement by what a seat can know.

A player is told what everybody sees and what its own seat sees, never a state, and it rolls no dice of its own:
what it imagines follows from a seed that it is given. ``weigh`` says what each choice is worth to it, best first.

``player_for(rules, seed, level)`` is the player of the demo, of the stand-in and of ``pbem practice``.

In: each game's player, its levels, search, what a choice is worth. Out: whose seat it plays and when
(``pbem.play.seat_watch``, ``pbem.practice``, ``pbem.demo``), the rules. Called by: demo, history, letters, play,
player, practice, tally.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pbem.lazy import lazily

if TYPE_CHECKING:
    from pbem.players.making import player_for, player_from
    from pbem.players.player import LEVELS, STRONG, ComputerPlayer, Level, Weighed, level_named, quick

__all__ = [
    "LEVELS",
    "STRONG",
    "ComputerPlayer",
    "Level",
    "Weighed",
    "level_named",
    "player_for",
    "player_from",
    "quick",
]

__getattr__ = lazily(
    __name__,
    {
        "player": "LEVELS STRONG Level ComputerPlayer Weighed level_named quick",
        "making": "player_for player_from",
    },
)
"""Loaded when first asked for: they bring both games, and letters only ask what a computer's name looks like."""
