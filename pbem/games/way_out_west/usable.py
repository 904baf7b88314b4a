"""Which forms of the action phase are legal, found by counting what lies on the table (rules C to J, N).

``legality`` says why something is refused, in words and rows; that is far too dear for three hundred forms at each
decision. Here the same rules are asked once for each town, and only legal forms come out. The two are held against
each other on every form of thousands of positions (``tests/games/way_out_west/test_legality.py``).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from pbem.games.way_out_west.board import ASSETS
from pbem.games.way_out_west.declaring import sheriff_attacks
from pbem.games.way_out_west.forms import ANYBODY, Forms, Ranked, forms_of
from pbem.games.way_out_west.position import (
    NOBODY,
    Match,
    Position,
    Town,
    is_open,
    more_than_half,
    stock,
    vacant_corrals,
)


class Counted:
    """One seat's action phase: the free boxes it can pay, and the counters it has in stock."""

    __slots__ = ("_paid", "forms", "kinds", "match", "position", "seat")

    def __init__(self, match: Match, position: Position, seat: int) -> None:
        self.match = match
        self.position = position
        self.seat = seat
        self.forms: Forms = forms_of(match.town_ids, match.seats)
        cash, used = position.cash[seat], position.used
        free = [box for box in match.boxes if box.id not in used]
        self.kinds = dict.fromkeys(box.kind for box in free)
        self._paid = {(box.kind, 1, box.asset) for box in free if box.price + box.per_counter <= cash}
        self._paid |= {(box.kind, 2, box.asset) for box in free if box.price + 2 * box.per_counter <= cash}

    def pays(self, kind: str, counters: int, asset: str | None = None) -> bool:
        """Whether a free box carries out one or two counters of this kind for the seat's cash (C3 to C9)."""
        return (kind, counters, asset) in self._paid

    def stocked(self, what: str, count: int) -> bool:
        """Whether the seat has so many counters left (A10)."""
        return stock(self.match, self.position, self.seat, what) >= count


def usable(match: Match, position: Position, seat: int) -> Iterator[Ranked]:
    """The legal short forms, moves of cowboys and the pass left out, each with its rank; in no order."""
    counted = Counted(match, position, seat)
    for kind in counted.kinds:
        find = _KINDS.get(kind)
        if find is not None:
            yield from find(counted)


def _cattle(counted: Counted) -> Iterator[Ranked]:
    """D1 to D9."""
    match, position, seat, forms = counted.match, counted.position, counted.seat, counted.forms.by_key
    if not match.options.box_must_act:
        yield forms["cattle",]
    towns = position.towns
    if not counted.pays("cattle", 1) or not counted.stocked("cattle", 1):
        return
    vacant = [vacant_corrals(match, towns, town) for town in range(len(towns))]
    mine = [town for town in range(len(towns)) if towns[town].cowboys[seat] and vacant[town] > 0]
    first = [town for town in mine if is_open(match, towns, town)]
    yield from (forms["cattle", town] for town in first)
    if not counted.pays("cattle", 2) or not counted.stocked("cattle", 2):
        return
    for town in first:
        after = (*towns[:town], towns[town].add_cattle(seat, 1), *towns[town + 1 :])
        opened = not more_than_half(match, towns, town) and more_than_half(match, after, town)
        for second in mine if match.options.cattle_two_towns else [town]:
            if second == town:
                fits = vacant[town] > 1
            else:
                fits = second in first or (opened and second > town and is_open(match, after, second))
            if fits:
                yield forms["cattle", town, second]


def _cowboys(counted: Counted) -> Iterator[Ranked]:
    """E1 to E5: wherever the buyer likes."""
    forms, towns = counted.forms.by_key, range(len(counted.position.towns))
    if not counted.match.options.box_must_act:
        yield forms["cowboys",]
    if counted.pays("cowboys", 1) and counted.stocked("cowboy", 1):
        yield from (forms["cowboys", town] for town in towns)
    if counted.pays("cowboys", 2) and counted.stocked("cowboy", 2):
        yield from (forms["cowboys", first, second] for first in towns for second in towns)


def _build(counted: Counted) -> Iterator[Ranked]:
    """F1 to F7."""
    forms, seat = counted.forms.by_key, counted.seat
    plans = counted.match.board.towns
    places = [
        (at, town.assets)
        for at, town in enumerate(counted.position.towns)
        if town.size < plans[at].buildings and town.holdings(seat) < 2
    ]
    if not places:
        return
    for number, asset in enumerate(ASSETS):
        if counted.pays("build", 1, asset) and counted.stocked(asset, 1):
            yield from (forms["build", asset, at] for at, assets in places if assets[number] == NOBODY)


def _move_cattle(counted: Counted) -> Iterator[Ranked]:
    """H1 to H4."""
    match, towns, forms = counted.match, counted.position.towns, counted.forms.by_key
    if not counted.pays("move_cattle", 1):
        return
    anybodys = match.options.move_cattle_owner == "any"
    vacant = [to for to in range(len(towns)) if vacant_corrals(match, towns, to) >= 1]
    for origin, town in enumerate(towns):
        movers = [seat for seat, there in enumerate(town.cattle) if there] if anybodys else []
        if movers or town.cattle[counted.seat]:
            movers.append(ANYBODY)
        yield from (forms["move_cattle", origin, to, seat] for to in vacant for seat in movers)


def _gunfight(counted: Counted) -> Iterator[Ranked]:
    """J1 to J19, without plans."""
    if not counted.pays("gunfight", 1):
        return
    match, position, seat, forms = counted.match, counted.position, counted.seat, counted.forms.by_key
    removes = match.options.takeover_without_counter == "remove"
    takes = partial(stock, match, position, seat)
    for at, town in enumerate(position.towns):
        if _attacks(counted, town, farmer=False):
            for asset, owner in zip(ASSETS, town.assets, strict=True):
                free = removes or asset in ("bank", "jail")
                if owner not in (NOBODY, seat) and (free or takes(asset) >= 1):
                    yield forms["gunfight", at, "asset", asset]
            for owner, there in enumerate(town.cattle):
                for count in range(1, min(there, 2) + 1) if owner != seat else ():
                    if removes or takes("cattle") >= count:
                        yield forms["gunfight", at, "cattle", owner, count]
        foreign = town.farmer != NOBODY and (town.farmer != seat or match.options.own_farmer_attackable)
        if foreign and _attacks(counted, town, farmer=True):
            yield forms["gunfight", at, "farmer"]


def _attacks(counted: Counted, town: Town, *, farmer: bool) -> bool:
    """J1: with a cowboy, or with the sheriff alone (``attack_needs_cowboy``)."""
    if town.cowboys[counted.seat]:
        return True
    match = counted.match
    return not match.options.attack_needs_cowboy and sheriff_attacks(match, town, counted.seat, farmer=farmer)


def _farmer(counted: Counted) -> Iterator[Ranked]:
    """N1 to N10."""
    match, position, forms = counted.match, counted.position, counted.forms.by_key
    if position.farmers[counted.seat] < 1 or not counted.pays("farmer", 1):
        return
    for at, town in enumerate(position.towns):
        if town.farmer != NOBODY:
            continue
        if vacant_corrals(match, position.towns, at) >= 1:
            yield forms["farmer", at, ANYBODY]
        yield from (forms["farmer", at, seat] for seat, there in enumerate(town.cattle) if there)


_KINDS = {
    "cattle": _cattle,
    "cowboys": _cowboys,
    "build": _build,
    "move_cattle": _move_cattle,
    "gunfight": _gunfight,
    "farmer": _farmer,
}
