"""The games pbem knows: a look-up by id that loads only the game that is asked for, and a tuple of them all."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pbem.game import Game

    GAMES: tuple[Game, ...]
    """Every game; made when it is first asked for."""

_MODULES: Final = {"wyatt-earp": "wyatt_earp", "way-out-west": "way_out_west"}


def find_game(game_id: str) -> Game:
    """The game with this id; ``KeyError`` names the ids there are."""
    if game_id not in _MODULES:
        raise KeyError(f"no game {game_id!r}; there are: {', '.join(_MODULES)}")
    game: Game = import_module(f"{__name__}.{_MODULES[game_id]}").GAME
    return game


def __getattr__(name: str) -> Any:
    if name == "GAMES":
        return tuple(map(find_game, _MODULES))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
