"""A third game for tests: Standoff, a hidden hand and a die. It is in no registry but this one."""

from __future__ import annotations

from typing import Final

from pbem.game import Game
from pbem.games import GAMES
from tests.toy.standoff import STANDOFF

REGISTRY: Final[tuple[Game, ...]] = (*GAMES, STANDOFF)


def find_any(game_id: str) -> Game:
    """The game of this id, the toy among them; ``KeyError`` if there is none."""
    for game in REGISTRY:
        if game.info.id == game_id:
            return game
    raise KeyError(f"no game {game_id!r}")
