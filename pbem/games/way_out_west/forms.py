"""Every short form of the action phase but moving cowboys, cached for each table and put in order.

The tables of ``Forms`` are asked with towns, seats and assets by number, and answer with the place of a form among all
forms: so ``usable`` finds what is legal without building, comparing or hashing a single form.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Final, TypeAlias

from pbem.base.values import dataclass
from pbem.games.way_out_west import actions
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

    actions: tuple[actions.Action, ...]
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
    listed: list[actions.Action] = [actions.Pass(), actions.Cattle(()), actions.Cowboys(())]
    listed += [kind(at) for kind in (actions.Cattle, actions.Cowboys) for at in [*product(towns), *pairs]]
    listed += [actions.Build(asset, town) for asset, town in product(ASSETS, towns)]
    listed += [actions.MoveCattle(origin, to, name) for (origin, to), name in product(pairs, names)]
    listed += [actions.Farmer(town, name) for town, name in product(towns, names)]
    targets: list[actions.Target] = [*map(actions.AssetTarget, ASSETS), actions.FarmerTarget()]
    targets += [
        actions.CattleTarget(count, seat) for seat, count in product(seats, range(1, MOST_CATTLE + 1))
    ]
    listed += [actions.Gunfight(town, target) for town, target in product(towns, targets)]
    listed.sort(key=actions.sort_key)
    place = {action: at for at, action in enumerate(listed)}
    return Forms(
        actions=tuple(listed),
        before_moves=sum(actions.sort_key(action) < MOVE_COWBOYS for action in listed),
        no_action=place[actions.Pass()],
        no_cattle=place[actions.Cattle(())],
        cattle=tuple(place[actions.Cattle((town,))] for town in towns),
        two_cattle=tuple(
            tuple(place[actions.Cattle((first, second))] for second in towns) for first in towns
        ),
        no_cowboys=place[actions.Cowboys(())],
        cowboys=tuple(place[actions.Cowboys((town,))] for town in towns),
        two_cowboys=tuple(place[actions.Cowboys(pair)] for pair in pairs),
        build=tuple(tuple(place[actions.Build(asset, town)] for town in towns) for asset in ASSETS),
        move_cattle=tuple(
            tuple(tuple(place[actions.MoveCattle(origin, to, name)] for name in names) for to in towns)
            for origin in towns
        ),
        gunfight=tuple(tuple(place[actions.Gunfight(town, target)] for target in targets) for town in towns),
        farmer=tuple(tuple(place[actions.Farmer(town, name)] for name in names) for town in towns),
    )
