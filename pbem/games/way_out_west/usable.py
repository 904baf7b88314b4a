"""Which forms of the action phase are legal, found by counting what lies on the table (rules C to J, N).

``legality`` says why something is refused, in words and rows; that is far too slow for three hundred forms at each
decision. Here the same rules are asked once for each town, and only legal forms come out, by their places in ``Forms``.
The two are compared on every form of thousands of positions
(``tests/games/way_out_west/test_legality.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from pbem.games.way_out_west.actions import Action, Move, MoveCowboys
from pbem.games.way_out_west.board import ASSETS, NO_BOX, affordable
from pbem.games.way_out_west.forms import CATTLE, FARMER, MOST_CATTLE, Forms, Row
from pbem.games.way_out_west.legality import sheriff_attacks
from pbem.games.way_out_west.state import BANK, JAIL, NOBODY, UNLIMITED, Match, Position


class Counted:
    """One seat's action phase: what the free boxes do for its cash, what it has on the map and in stock."""

    __slots__ = (
        "_left",
        "affordable",
        "assets",
        "cattle",
        "corrals",
        "farmers",
        "match",
        "position",
        "present",
        "seat",
    )

    def __init__(self, match: Match, position: Position, seat: int) -> None:
        self.match = match
        self.position = position
        self.seat = seat
        self.affordable = affordable(match.box_index, position.used, position.cash[seat])
        cowboys: tuple[Row, ...]
        self.assets: tuple[Row, ...]
        self.cattle: tuple[Row, ...]
        self.farmers: Row
        cowboys, self.cattle, self.assets, self.farmers, _ = zip(*position.towns, strict=True)
        """What lies in the towns, each kind of thing by itself."""
        self.present: Row = tuple([count[seat] for count in cowboys])
        """The seat's cowboys by town."""
        options = match.options
        self.corrals = _corrals(
            match.corrals,
            options.farmer_fills,
            options.cattle_gate == "all_lower",
            self.cattle,
            self.farmers,
        )
        self._left: Sequence[int] | None = None

    def stocked_cowboys(self) -> int:
        """How many cowboys the seat has left (A10)."""
        match = self.match
        if match.options.counter_limit == "off":
            return UNLIMITED
        return match.board.counters["cowboy"] - sum(self.present)

    def stocked_cattle(self) -> int:
        """How many cattle counters the seat has left (A10)."""
        match = self.match
        if match.options.counter_limit == "off":
            return UNLIMITED
        return match.board.counters["cattle"] - self.corrals.herds[self.seat]

    def assets_left(self) -> Sequence[int]:
        """How many counters of each kind of asset the seat has left (A10)."""
        if self._left is None:
            self._left = self._count_assets()
        return self._left

    def _count_assets(self) -> Sequence[int]:
        match, seat = self.match, self.seat
        if match.options.counter_limit == "off":
            return (UNLIMITED,) * len(ASSETS)
        left = list(match.asset_counters)
        for assets in self.assets:
            if seat in assets:
                for number, owner in enumerate(assets):
                    left[number] -= owner == seat
        left[JAIL] -= self.position.jails_lost[seat]
        return left


class Corrals(NamedTuple):
    """The corrals of all towns, with what cattle and farmers stand in them."""

    vacant: Row
    """Corral boxes with neither cattle nor farmer, by town (D2, H1)."""
    full: Row
    """Above 0 for a town of whose corral boxes more than half are filled (D3, D5)."""
    roomy: Row
    """The towns with a vacant corral box."""
    open: Row
    """Those of them into which cattle may be bought (D3, D4)."""
    grazed: Row
    """The towns with cattle."""
    herds: Row
    """Cattle on the map by seat."""
    farms: tuple[tuple[int, int], ...]
    """Where a farmer may be placed, as pairs of town and seat whose counter it displaces, or -1 (N)."""


@lru_cache(maxsize=4096)
def _corrals(corrals: Row, fills: bool, all_lower: bool, cattle: tuple[Row, ...], farmers: Row) -> Corrals:
    filled = [sum(herd) + (farmer != NOBODY) for herd, farmer in zip(cattle, farmers, strict=True)]
    vacant = [boxes - taken for boxes, taken in zip(corrals, filled, strict=True)]
    counting = filled if fills else map(sum, cattle)
    full = [2 * taken - boxes for boxes, taken in zip(corrals, counting, strict=True)]
    roomy = [at for at, boxes_left in enumerate(vacant) if boxes_left > 0]
    farms: list[tuple[int, int]] = []
    for at, farmer in enumerate(farmers):
        if farmer == NOBODY:
            if vacant[at] > 0:
                farms.append((at, -1))
            farms += [(at, owner) for owner, count in enumerate(cattle[at]) if count]
    return Corrals(
        vacant=tuple(vacant),
        full=tuple(full),
        roomy=tuple(roomy),
        open=tuple([at for at in roomy if _open(full, at, all_lower=all_lower)]),
        grazed=tuple([at for at, herd in enumerate(cattle) if any(herd)]),
        herds=tuple(map(sum, zip(*cattle, strict=True))),
        farms=tuple(farms),
    )


def _open(full: Sequence[int], town: int, *, all_lower: bool) -> bool:
    """D3, D4: the one or all lower towns are more than half filled."""
    lower = full[:town] if all_lower else full[max(0, town - 1) : town]
    return min(lower, default=1) > 0


def single_moves(match: Match, position: Position, seat: int) -> Iterator[MoveCowboys]:
    """The ways to move cowboys from one town to one other (G1, G2): the plainest of ``listing.MoveSets``."""
    value = affordable(match.box_index, position.used, position.cash[seat]).moves
    for origin, town in zip(match.town_ids, position.towns, strict=True):
        for count in range(1, min(value, town.cowboys[seat]) + 1):
            yield from (MoveCowboys((Move(origin, to, count),)) for to in match.town_ids if to != origin)


def usable(counted: Counted) -> Sequence[int]:
    """The places of the legal short forms, in order; moves of cowboys and the pass left out."""
    forms = counted.match.forms
    return sorted(chain.from_iterable([find(counted, forms) for find in _KINDS.values()]))


def anything_usable(counted: Counted) -> bool:
    """Whether cowboys can be moved, or ``usable`` finds anything."""
    forms = counted.match.forms
    return (counted.affordable.moves > 0 and any(counted.present)) or any(
        find(counted, forms) for find in _KINDS.values()
    )


def usable_actions(match: Match, position: Position, seat: int) -> Iterator[Action]:
    """``usable`` as actions, in the order of the free boxes that they need."""
    counted, forms = Counted(match, position, seat), match.forms
    for kind in dict.fromkeys(box.kind for box in match.boxes if box.id not in position.used):
        if kind in _KINDS:
            yield from map(forms.actions.__getitem__, _KINDS[kind](counted, forms))


def _cowboys(counted: Counted, forms: Forms) -> Sequence[int]:
    """E1 to E5: wherever the buyer likes."""
    paid = counted.affordable.cowboys
    if paid == NO_BOX:
        return ()
    if paid:
        paid = min(paid, counted.stocked_cowboys())
    numbers: Row = () if counted.match.options.box_must_act else (forms.no_cowboys,)
    if paid > 0:
        numbers += forms.cowboys
    return numbers + forms.two_cowboys if paid > 1 else numbers


def _cattle(counted: Counted, forms: Forms) -> Sequence[int]:
    """D1 to D9."""
    options, present, paid = counted.match.options, counted.present, counted.affordable.cattle
    if paid == NO_BOX:
        return ()
    numbers = [] if options.box_must_act else [forms.no_cattle]
    corrals = counted.corrals
    first = [at for at in corrals.open if present[at]]
    if not first or (paid := min(paid, counted.stocked_cattle())) < 1:
        return numbers
    numbers += [forms.cattle[at] for at in first]
    if paid < 2:
        return numbers
    for at in first:
        seconds = [at] if corrals.vacant[at] > 1 else []
        if options.cattle_two_towns:
            seconds += [second for second in first if second != at]
            full = corrals.full
            if full[at] <= 0 < full[at] + 2:  # the first counter fills more than half: it opens a town above
                after = (*full[:at], 1, *full[at + 1 :])
                all_lower = options.cattle_gate == "all_lower"
                above = [town for town in corrals.roomy if town > at and present[town] and town not in first]
                seconds += [town for town in above if _open(after, town, all_lower=all_lower)]
        numbers += [forms.two_cattle[at][second] for second in sorted(seconds)]
    return numbers


def _build(counted: Counted, forms: Forms) -> Sequence[int]:
    """F1 to F7."""
    paid = counted.affordable.assets
    if not paid:
        return ()
    seat, kinds, match = counted.seat, len(ASSETS), counted.match
    places = [
        (at, assets)
        for at, (plan, assets) in enumerate(zip(match.board.towns, counted.assets, strict=True))
        if kinds - assets.count(NOBODY) < plan.buildings and assets.count(seat) < 2
    ]
    if not places:
        return ()
    left = counted.assets_left()
    return [
        forms.build[number][at]
        for number in paid
        if left[number] > 0
        for at, assets in places
        if assets[number] == NOBODY
    ]


def _move_cattle(counted: Counted, forms: Forms) -> Sequence[int]:
    """H1 to H4."""
    if counted.affordable.move_cattle < 1:
        return ()
    seat, anybodys = counted.seat, counted.match.options.move_cattle_owner == "any"
    corrals = counted.corrals
    numbers: list[int] = []
    for origin in corrals.grazed:
        cattle, to_towns = counted.cattle[origin], forms.move_cattle[origin]
        if anybodys:
            movers = [*[owner for owner, count in enumerate(cattle) if count], -1]
            numbers += [to_towns[to][mover] for to in corrals.roomy for mover in movers]
        elif cattle[seat]:
            numbers += [to_towns[to][-1] for to in corrals.roomy]
    return numbers


def _gunfight(counted: Counted, forms: Forms) -> Sequence[int]:
    """J1 to J19, without plans."""
    if counted.affordable.gunfight < 1:
        return ()
    options, seat, present = counted.match.options, counted.seat, counted.present
    own_farmer, alone = options.own_farmer_attackable, not options.attack_needs_cowboy
    numbers: list[int] = []
    lacking: Sequence[int] | None = None
    for at, placed in enumerate(counted.farmers):
        farmer = placed
        if not present[at]:
            town = counted.position.towns[at]
            if not (alone and sheriff_attacks(counted.match, town, seat, farmer=False)):
                continue
            if not options.attacker_sheriff_vs_farmer:
                farmer = NOBODY
        targets = _targets(counted.assets[at], counted.cattle[at], farmer, seat, own_farmer)
        if targets:
            if lacking is None:
                lacking = _lacking(counted)
            row = forms.gunfight[at]
            numbers += [row[target] for target in targets if target not in lacking]
    return numbers


def _lacking(counted: Counted) -> Sequence[int]:
    """J5, J19: the targets that the seat would need a counter for and has none."""
    if counted.match.options.takeover_without_counter == "remove":
        return ()
    left = counted.assets_left()
    lacking = []
    if min(left) < 1:  # a winner robs a bank and breaks a jail
        lacking += [number for number, count in enumerate(left) if count < 1 and number not in (BANK, JAIL)]
    cattle = max(0, counted.stocked_cattle())
    if cattle < MOST_CATTLE:
        for owner in counted.match.everybody:
            lacking += range(CATTLE + MOST_CATTLE * owner + cattle, CATTLE + MOST_CATTLE * (owner + 1))
    return lacking


@lru_cache(maxsize=4096)
def _targets(assets: Row, cattle: Row, farmer: int, seat: int, own_farmer: bool) -> Row:
    """What in a town is not the seat's own (J2 to J4), as ``Forms.gunfight`` counts targets."""
    targets = [number for number, owner in enumerate(assets) if owner not in (NOBODY, seat)]
    for owner, count in enumerate(cattle):
        if owner != seat:
            first = CATTLE + MOST_CATTLE * owner
            targets += range(first, first + min(count, MOST_CATTLE))
    if farmer != NOBODY and (own_farmer or farmer != seat):
        targets.append(FARMER)
    return tuple(targets)


def _farmer(counted: Counted, forms: Forms) -> Sequence[int]:
    """N1 to N10."""
    if counted.position.farmers[counted.seat] < 1 or counted.affordable.farmer < 1:
        return ()
    return [forms.farmer[at][displaced] for at, displaced in counted.corrals.farms]


_KINDS: Final[dict[str, Callable[[Counted, Forms], Sequence[int]]]] = {
    "cowboys": _cowboys,
    "build": _build,
    "farmer": _farmer,
    "gunfight": _gunfight,
    "cattle": _cattle,
    "move_cattle": _move_cattle,
}
