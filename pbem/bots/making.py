"""Players by their level."""

from __future__ import annotations

from pbem.bots.player import STRONG, ComputerPlayer, Level, PlainPlayer, quick
from pbem.bots.search import SearchPlayer
from pbem.game import AnyRules
from pbem.protocol.record import Record


def player_for(rules: AnyRules, seed: str, level: Level = STRONG, *, stays: bool = False) -> ComputerPlayer:
    """The player of this level, to be told everything from the beginning on; ``stays`` as in ``ComputerPlayer``."""
    player = quick(rules, seed, level, stays=stays)
    if (level.search or level.hands) and not isinstance(player, PlainPlayer):
        return SearchPlayer(player, seed, level, stays=stays)
    return player


def player_from(record: Record, seed: str, level: Level = STRONG, *, stays: bool = False) -> ComputerPlayer:
    """The player of this level, told all that the record shows so far."""
    player = player_for(record.rules, seed, level, stays=stays)
    for line in record.lines:
        player.hear_line(line.body)
    return player
