"""The games: a lookup by id that imports only the game that is asked for.

Another author's game is found when its package is installed (``pbem.base.resources``); it is a game like ours.

In: the registry, and each game in a folder of its own. Out: anything that knows mail, files, keys or chance
(``pbem.game`` says what a game is given); words in other languages (``templates/``). Called by: every
package above.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from pbem.base.resources import installed_games
from pbem.base.sentences import sentence

if TYPE_CHECKING:
    from pbem.game import Game

    GAMES: tuple[Game, ...]
    """Our own games; made when first asked for."""

_MODULES: Final = {"wyatt-earp": "wyatt_earp", "way-out-west": "way_out_west"}


OURS: Final = tuple(_MODULES)
"""The ids of our own games."""


def find_game(game_id: str) -> Game:
    """The game with this id; ``KeyError`` names the ids there are."""
    if game_id in _MODULES:
        game: Game = import_module(f"{__name__}.{_MODULES[game_id]}").GAME
    elif game_id in installed_games():
        game = installed_games()[game_id].load()
    else:
        raise KeyError(
            sentence("no game {game!r}; there are: {names}", game=game_id, names=", ".join(game_ids()))
        )
    return game


def game_ids() -> tuple[str, ...]:
    """The ids of all games that can be played here, ours first."""
    return (*_MODULES, *sorted(set(installed_games()) - set(_MODULES)))


def __getattr__(name: str) -> Any:
    if name == "GAMES":
        return tuple(map(find_game, _MODULES))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
