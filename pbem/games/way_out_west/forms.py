"""Every short form of the action phase but moving cowboys, made once for a table, each with its place in the order.

Towns and seats are numbers in the keys, so that ``usable`` reaches a form without building it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final, TypeAlias

from pbem.games.way_out_west.actions import (
    Action,
    AssetTarget,
    Build,
    Cattle,
    CattleTarget,
    Cowboys,
    Farmer,
    FarmerTarget,
    Gunfight,
    MoveCattle,
    Pass,
    sort_key,
)
from pbem.games.way_out_west.board import ASSETS

Ranked: TypeAlias = tuple[int, Action]
"""A form and its place among all forms, in the order of canonical JSON."""
Key: TypeAlias = tuple[object, ...]

ANYBODY: Final = -1
"""In place of a seat's number: the form names none."""
MOVE_COWBOYS: Final = '{"do":"move-cowboys"'
"""What the canonical JSON of every form of that kind begins with."""


@dataclass(frozen=True, slots=True)
class Forms:
    """The forms of a table with these towns and seats.

    The keys, towns and seats by number: ``("cattle" | "cowboys", town, …)``, ``("build", asset, town)``,
    ``("move_cattle", origin, to, seat)``, ``("gunfight", town, what, …)`` with ``what`` one of ``asset``, ``cattle``
    (then seat and count) and ``farmer``, ``("farmer", town, seat)``, ``("pass",)``.
    """

    by_key: dict[Key, Ranked]
    before_moves: int
    """The place of the first form that stands behind all moves of cowboys."""


@lru_cache(maxsize=32)
def forms_of(towns: tuple[str, ...], seats: tuple[str, ...]) -> Forms:
    """All forms of this table, ranked."""
    made = _all(towns, seats)
    order = sorted(made, key=lambda key: sort_key(made[key]))
    before = sum(sort_key(action) < MOVE_COWBOYS for action in made.values())
    return Forms({key: (rank, made[key]) for rank, key in enumerate(order)}, before)


def _all(towns: tuple[str, ...], seats: tuple[str, ...]) -> dict[Key, Action]:
    made: dict[Key, Action] = {("pass",): Pass()}
    numbers = range(len(towns))
    lists = [(), *product(numbers), *product(numbers, repeat=2)]
    for at in lists:
        names = tuple(towns[town] for town in at)
        made["cattle", *at] = Cattle(names)
        made["cowboys", *at] = Cowboys(names)
    for asset, town in product(ASSETS, numbers):
        made["build", asset, town] = Build(asset, towns[town])
        made["gunfight", town, "asset", asset] = Gunfight(towns[town], AssetTarget(asset))
    whose = [(ANYBODY, None), *enumerate(seats)]
    for origin, to, (seat, name) in product(numbers, numbers, whose):
        made["move_cattle", origin, to, seat] = MoveCattle(towns[origin], towns[to], name)
    for town, (seat, name) in product(numbers, whose):
        made["farmer", town, seat] = Farmer(towns[town], name)
    for town in numbers:
        made["gunfight", town, "farmer"] = Gunfight(towns[town], FarmerTarget())
        for (seat, name), count in product(enumerate(seats), (1, 2)):
            made["gunfight", town, "cattle", seat, count] = Gunfight(towns[town], CattleTarget(count, name))
    return made
