"""Which matches are walked, and from where: both games, every number of seats, both ways to reveal, many deadlines."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cache
from typing import Final

from pbem.game import Seat
from pbem.protocol.record import Deadlines
from tests.machine.match import Match
from tests.machine.moves import fill
from tests.verifier.matches import IDLE
from tests.world import NAMES, World

BEGUN: Final = ("dealt", "middle", "late", "second", "full", "idle", "seated", "fresh")
"""How far a match is played before a walk begins."""


_PLAIN = Deadlines(hours=48, grace=24)


@dataclass(frozen=True)
class Setting:
    """One kind of match."""

    game: str
    seats: int
    profile: str = "default"
    reveal: str = "epoch"
    deadlines: Deadlines = _PLAIN

    def world(self) -> World:
        """The match with its first record."""
        return World(
            self.game,
            NAMES[: self.seats],
            profile=self.profile,
            reveal=self.reveal,
            deadlines=self.deadlines,
            seed="machine",
        )


_AGAIN = Deadlines(hours=48, grace=0, again=24, excused=2)
_WAIT = Deadlines(hours=72, grace=24, then="wait")
SETTINGS: Final = (
    Setting("wyatt-earp", 2),
    Setting("way-out-west", 3),
    Setting("wyatt-earp", 3, "french", "match"),
    Setting("way-out-west", 4, reveal="match", deadlines=_AGAIN),
    Setting("wyatt-earp", 4, "review", deadlines=_AGAIN),
    Setting("way-out-west", 5, deadlines=_WAIT),
    Setting("wyatt-earp", 3, "italian", deadlines=_WAIT),
    Setting("wyatt-earp", 2, reveal="match", deadlines=Deadlines(hours=0, grace=0)),
)


@cache
def begun(setting: Setting, how: str) -> World:
    """The match as far as it was played; never changed: walks, and what was played further, go on from a copy."""
    if how == "fresh":
        return setting.world()
    if how in ("late", "second"):
        return _first_epoch(setting)[how]
    world = _kept(begun(setting, {"seated": "fresh", "dealt": "seated"}.get(how, "dealt")))
    if how == "seated":
        for seat in world.seats:
            world.join(seat, mail=f"{seat}@players.test")
    elif how == "dealt":
        for seat in world.seats:
            world.ready(seat)
    elif how == "middle":
        world.play(7)
    elif how == "idle":
        return _idle(world)
    elif how == "full":
        return _full(world)
    return world


@cache
def _first_epoch(setting: Setting) -> dict[str, World]:
    """``late``: shortly before the first epoch is over; ``second``: shortly after."""
    world = _kept(begun(setting, "middle"))
    before = [_kept(world)] * 3
    while sum(line.kind == "open" for line in world.record.lines) < 2 and world.move():
        before = [*before[1:], _kept(world)]
    return {"late": before[0], "second": world.play(2)}


def _kept(world: World) -> World:
    """The match as it is now, while ``world`` goes on."""
    kept = copy.copy(world)
    kept.numbers = dict(world.numbers)
    return kept


def _full(world: World) -> World:
    """Some moves; then whoever is awaited has sealed so much that only the space for choices is left."""
    match = Match(world.play(2))
    waiting = match.record.waiting
    if waiting is not None:
        fill(match, Seat(waiting["seat"]))
    return match.world


def _idle(world: World) -> World:
    """Way Out West: orders alone play everybody's turn, so that between two epochs all links are missing."""
    if world.game != "way-out-west":
        return world.play(3)
    for _ in range(200):
        waiting = world.record.waiting
        if waiting is None:
            break
        seat = Seat(waiting["seat"])
        world.turn(
            seat,
            world.record.rules.action_to_json(world.record.rules.suggest(world.view(seat).view)),
            orders=IDLE,
        )
    return world
