"""Matches to look back on: played once, with the clock going on between files."""

from __future__ import annotations

from functools import cache

from tests.world import World


@cache
def played(game: str, files: int = 100_000, seed: str = "1", reveal: str = "epoch") -> World:
    """A match of three; every file comes an hour later than the one before. Nobody may change it."""
    world = World(game, ("anna", "burt", "curt"), seed=seed, reveal=reveal).start()
    for _ in range(files):
        world.tick(1)
        if not world.move():
            break
    return world


GAMES = ("wyatt-earp", "way-out-west")
