"""Games for tests beside ours: Standoff, a hidden hand and a die, and the game of ``examples/third-game``.

Neither is installed, so the program's own registry knows neither.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from pbem.game import Game
from pbem.games import GAMES
from tests.toy.standoff import STANDOFF

sys.path.append(str(Path(__file__).resolve().parents[2] / "examples/third-game"))
from german_whist import GAME as GERMAN_WHIST

REGISTRY: Final[tuple[Game, ...]] = (*GAMES, STANDOFF, GERMAN_WHIST)


def find_any(game_id: str) -> Game:
    """The game of this id; ``KeyError`` if there is none."""
    for game in REGISTRY:
        if game.info.id == game_id:
            return game
    raise KeyError(f"no game {game_id!r}")
