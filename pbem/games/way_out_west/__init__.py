"""Way Out West: 3 to 5 players, open board, all-pay auction, gunfights with dice."""

from pbem.games.way_out_west.game import GAME

__all__ = ["GAME"]
