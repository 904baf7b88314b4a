"""The games pbem knows: a plain tuple, and a look-up by id."""

from __future__ import annotations

from pbem.game import Game
from pbem.games.way_out_west import GAME as WAY_OUT_WEST
from pbem.games.wyatt_earp import GAME as WYATT_EARP

GAMES: tuple[Game, ...] = (WYATT_EARP, WAY_OUT_WEST)


def find_game(game_id: str) -> Game:
    """The game with this id; ``KeyError`` names the ids there are."""
    for game in GAMES:
        if game.info.id == game_id:
            return game
    known = ", ".join(game.info.id for game in GAMES)
    raise KeyError(f"no game {game_id!r}; there are: {known}")
