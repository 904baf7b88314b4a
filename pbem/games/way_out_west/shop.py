"""What the free boxes do for a purse (rules C3 to C9), looked up by the boxes that hold a token and by the cash.

In a match the same few sets of boxes and sums of cash come again and again, so the answers are kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from pbem.games.way_out_west.board import ASSETS, KINDS, Box

NO_BOX: Final = -1
"""Every box of a kind holds a token."""


class Shop:
    """The boxes of a board for so many players; one object for equal boxes, so that it is a key by itself."""

    __slots__ = ("boxes", "boxes_for", "numbers")

    def __init__(self, boxes: tuple[Box, ...], players: int) -> None:
        self.numbers: Mapping[str, int] = {box.id: at for at, box in enumerate(boxes)}
        """Box id → its place on the board."""
        self.boxes: tuple[Box, ...] = tuple(box for box in boxes if box.min_players <= players)
        """Those that exist with this number of players (C6)."""
        self.boxes_for: Mapping[str, tuple[Box, ...]] = {
            what: tuple(box for box in self.boxes if box.purpose == what) for what in (*KINDS, *ASSETS)
        }
        """The same by the asset or the kind that they are for."""


class Till(NamedTuple):
    """What the free boxes do for some cash: how many counters, up to two, one of a kind gives, or NO_BOX."""

    cowboys: int
    cattle: int
    move_cattle: int
    gunfight: int
    farmer: int
    moves: int
    """Most cowboys that a box moves, or NO_BOX."""
    assets: tuple[int, ...]
    """The numbers of the assets that can be built."""


@lru_cache(maxsize=64)
def shop_of(boxes: tuple[Box, ...], players: int) -> Shop:
    """The shop of a board."""
    return Shop(boxes, players)


@lru_cache(maxsize=4096)
def till_of(shop: Shop, used: tuple[str, ...], cash: int) -> Till:
    """What the boxes do that are not ``used``."""
    free = _free(shop, used)
    return Till(
        cowboys=_counters(free["cowboys"], cash),
        cattle=_counters(free["cattle"], cash),
        move_cattle=_counters(free["move_cattle"], cash),
        gunfight=_counters(free["gunfight"], cash),
        farmer=_counters(free["farmer"], cash),
        moves=max([_moved(box, cash) for box in free["move_cowboys"]], default=NO_BOX),
        assets=tuple([number for number, asset in enumerate(ASSETS) if _counters(free[asset], cash) > 0]),
    )


@lru_cache(maxsize=4096)
def _free(shop: Shop, used: tuple[str, ...]) -> Mapping[str, Sequence[Box]]:
    """The boxes without a token by what they are for."""
    return {what: [box for box in boxes if box.id not in used] for what, boxes in shop.boxes_for.items()}


def _counters(boxes: Sequence[Box], cash: int) -> int:
    return max([2 if box.cost(2) <= cash else int(box.cost(1) <= cash) for box in boxes], default=NO_BOX)


def _moved(box: Box, cash: int) -> int:
    if box.price > cash:
        return 0
    return min(box.value, (cash - box.price) // box.per_counter) if box.per_counter else box.value


@lru_cache(maxsize=4096)
def first_box(
    shop: Shop, what: str, used: tuple[str, ...], cash: int, counters: int, value: int
) -> Box | None:
    """The first free box for this kind or asset that has the value and does not cost more than the cash."""
    for box in shop.boxes_for[what]:
        price = box.cost(counters) if counters else 0
        if box.id not in used and box.value >= value and price <= cash:
            return box
    return None


@lru_cache(maxsize=4096)
def with_token(shop: Shop, used: tuple[str, ...], box: str) -> tuple[str, ...]:
    """The used boxes, in the order of the board, with one more."""
    return tuple(sorted((*used, box), key=shop.numbers.__getitem__))
