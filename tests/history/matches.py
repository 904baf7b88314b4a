"""Matches to look back on: played once, with the clock going on between files."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from pbem.game import Seat
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record import Record
from tests.world import World


class PlayedMatch(NamedTuple):
    """A match that was played: its record, line by line, and the keys of who took part."""

    lines: tuple[bytes, ...]
    people: Mapping[Seat, Identity]
    host: Identity

    @property
    def record(self) -> Record:
        """The match as a player verifies it; nobody may change it."""
        return _verified(self.lines)


@cache
def _verified(lines: tuple[bytes, ...]) -> Record:
    return Record.load(lines)


@cache
def played(game: str, files: int = 100_000, seed: str = "1", reveal: str = "epoch") -> PlayedMatch:
    """A match of three; every file comes an hour later than the one before."""
    world = World(game, ("anna", "burt", "curt"), seed=seed, reveal=reveal).start()
    for _ in range(files):
        world.tick(1)
        if not world.move():
            break
    return PlayedMatch(tuple(world.lines), dict(world.people), world.host)


GAMES = ("wyatt-earp", "way-out-west")
