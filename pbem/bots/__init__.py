"""Computer players: judgement by what a seat can know.

A player is shown what everybody sees and what its own seat sees, never a state, and it rolls no dice of its own:
what it imagines follows from a seed that it is given. ``weigh`` says what each choice is worth to it, best first.

In: each game's player, its two levels, what a choice is worth. Out: whose seat it plays and when
(``pbem.player.practice``, ``pbem.host.demo``), the rules. Called by: host, practice, web.
"""

from typing import TYPE_CHECKING

from pbem.base.lazy import lazily

if TYPE_CHECKING:
    from pbem.bots.labels import LEVELS as LEVELS
    from pbem.bots.labels import STRONG as STRONG
    from pbem.bots.labels import Level as Level
    from pbem.bots.labels import level_named as level_named
    from pbem.bots.player import ComputerPlayer as ComputerPlayer
    from pbem.bots.player import player_for as player_for

__getattr__ = lazily(
    __name__, {"labels": "LEVELS STRONG Level level_named", "player": "ComputerPlayer player_for"}
)
"""Loaded when first asked for: they bring both games, and emails only ask what a computer's name looks like."""
