"""Matches to report on: whole, running, with faults, with names that would like to be markup."""

from __future__ import annotations

from functools import cache

from pbem.player.lookback.document import Examination, examine
from pbem.protocol.client import compose_join
from pbem.protocol.referee import Accepted
from tests.history.matches import played
from tests.verifier.tampering import CHEATS, tampered
from tests.world import World

GAMES = ("wyatt-earp", "way-out-west")
SEATS = ("anna", "burt", "curt")


def whole(game: str) -> list[bytes]:
    """A match that is over."""
    return list(played(game).lines)


@cache
def running(game: str, files: int = 30) -> World:
    """A match in the middle of its first epochs; nobody may change it."""
    return World(game, SEATS, seed="report").start().play(files)


@cache
def altered(game: str) -> dict[str, list[bytes]]:
    """A running match with something wrong, by what was done: every eighth cheat, and a forged shot."""
    some = [
        cheat for number, cheat in enumerate(CHEATS) if not number % 8 or cheat.name == "a shot is forged"
    ]
    return {cheat.name: cheat.lines for cheat in tampered(running(game), cheats=some)}


def examined(lines: list[bytes]) -> Examination:
    """The report on this file; nobody may change it."""
    return _examined(tuple(lines))


@cache
def _examined(lines: tuple[bytes, ...]) -> Examination:
    return examine(list(lines))


def joined_as(names: dict[str, str], game: str = "wyatt-earp") -> list[bytes]:
    """A match whose players have these names."""
    world = World(game, tuple(names), seed="names")
    for seat, name in names.items():
        file = compose_join(world.copy(), world.people[seat], seat, name=name)  # type: ignore[index]
        assert isinstance(world.send(file), Accepted)
    return world.lines
