"""Computer players: judgement by what a seat can know.

A player is told what everybody sees and what its own seat sees, never a state, and it rolls no dice of its own:
what it imagines follows from a seed that it is given. ``weigh`` says what each choice is worth to it, best first.

``player_for(rules, seed, level)`` is the player of the demo, of the stand-in and of ``pbem practice``.
"""

from __future__ import annotations

from pbem.players.making import player_for, player_from
from pbem.players.player import LEVELS, STRONG, Level, Player, Weighed, level_named

__all__ = ["LEVELS", "STRONG", "Level", "Player", "Weighed", "level_named", "player_for", "player_from"]
