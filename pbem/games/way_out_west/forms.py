"""Every short form of the action phase but moving cowboys, made once for a table and put in order.

The tables of ``Forms`` are asked with towns, seats and assets by number, and answer with the place of a form among all
forms: so ``usable`` finds what is legal without building, comparing or hashing a single form.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Final, TypeAlias

from pbem.base.values import dataclass
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
    Target,
    sort_key,
)
from pbem.games.way_out_west.board import ASSETS

Row: TypeAlias = tuple[int, ...]
"""Places of forms among all forms, in the order of canonical JSON."""

MOVE_COWBOYS: Final = '{"do":"move-cowboys"'
"""What the canonical JSON of every form of that kind begins with."""


FARMER: Final = len(ASSETS)
"""The place of the farmer among the targets in a town; before it stand the assets."""
MOST_CATTLE: Final = 2
"""Cattle counters of one seat that a gunfight can be about (J2)."""
CATTLE: Final = FARMER + 1
"""The place of one cattle counter of the first seat, then two of it, one of the next seat …"""


@dataclass(frozen=True, slots=True)
class Forms:
    """The forms of a table with these towns and seats; where a form names no seat, -1 stands for it."""

    actions: tuple[Action, ...]
    """All of them, in order; what follows holds places in it."""
    before_moves: int
    """The place of the first form that stands behind all moves of cowboys."""
    no_action: int
    no_cattle: int
    cattle: Row
    """By town."""
    two_cattle: tuple[Row, ...]
    """By first and second town."""
    no_cowboys: int
    cowboys: Row
    two_cowboys: Row
    """All pairs of towns."""
    build: tuple[Row, ...]
    """By asset and town."""
    move_cattle: tuple[tuple[Row, ...], ...]
    """By origin, destination and seat, or -1."""
    gunfight: tuple[Row, ...]
    """By town and target: the assets by number, FARMER, from CATTLE on those of each seat."""
    farmer: tuple[Row, ...]
    """By town and seat, or -1."""


@lru_cache(maxsize=32)
def forms_of(towns: tuple[str, ...], seats: tuple[str, ...]) -> Forms:
    """All forms of this table, ranked."""
    names: list[str | None] = [*seats, None]
    pairs = list(product(towns, repeat=2))
    made: list[Action] = [Pass(), Cattle(()), Cowboys(())]
    made += [kind(at) for kind in (Cattle, Cowboys) for at in [*product(towns), *pairs]]
    made += [Build(asset, town) for asset, town in product(ASSETS, towns)]
    made += [MoveCattle(origin, to, name) for (origin, to), name in product(pairs, names)]
    made += [Farmer(town, name) for town, name in product(towns, names)]
    targets: list[Target] = [*map(AssetTarget, ASSETS), FarmerTarget()]
    targets += [CattleTarget(count, seat) for seat, count in product(seats, range(1, MOST_CATTLE + 1))]
    made += [Gunfight(town, target) for town, target in product(towns, targets)]
    made.sort(key=sort_key)
    place = {action: at for at, action in enumerate(made)}
    return Forms(
        actions=tuple(made),
        before_moves=sum(sort_key(action) < MOVE_COWBOYS for action in made),
        no_action=place[Pass()],
        no_cattle=place[Cattle(())],
        cattle=tuple(place[Cattle((town,))] for town in towns),
        two_cattle=tuple(tuple(place[Cattle((one, two))] for two in towns) for one in towns),
        no_cowboys=place[Cowboys(())],
        cowboys=tuple(place[Cowboys((town,))] for town in towns),
        two_cowboys=tuple(place[Cowboys(pair)] for pair in pairs),
        build=tuple(tuple(place[Build(asset, town)] for town in towns) for asset in ASSETS),
        move_cattle=tuple(
            tuple(tuple(place[MoveCattle(origin, to, name)] for name in names) for to in towns)
            for origin in towns
        ),
        gunfight=tuple(tuple(place[Gunfight(town, target)] for target in targets) for town in towns),
        farmer=tuple(tuple(place[Farmer(town, name)] for name in names) for town in towns),
    )
