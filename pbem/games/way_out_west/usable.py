"""Which forms of the action phase are legal, found by counting what lies on the table (rules C to J, N).

``legality`` says why something is refused, in words and rows; that is far too dear for three hundred forms at each
decision. Here the same rules are asked once for each town, and only legal forms come out, by their places in ``Forms``.
The two are held against each other on every form of thousands of positions
(``tests/games/way_out_west/test_legality.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from pbem.games.way_out_west.actions import Action
from pbem.games.way_out_west.board import ASSETS
from pbem.games.way_out_west.declaring import sheriff_attacks
from pbem.games.way_out_west.forms import Forms, Row, forms_of
from pbem.games.way_out_west.position import (
    JAIL,
    NOBODY,
    UNLIMITED,
    Match,
    Position,
    Town,
    stock,
)


class Counted:
    """One seat's action phase: what the free boxes do for its cash."""

    __slots__ = ("_vacant", "free", "match", "moves", "position", "seat")

    def __init__(self, match: Match, position: Position, seat: int) -> None:
        self.match = match
        self.position = position
        self.seat = seat
        self._vacant: list[int] | None = None
        cash, used = position.cash[seat], set(position.used)
        free: dict[str, int] = {}
        for name, what, one, two in match.prices:
            if name not in used:
                counters = 2 if two <= cash else 1 if one <= cash else 0
                if counters >= free.get(what, 0):
                    free[what] = counters
        self.free = free
        """What a free box is for (a kind or an asset) → two, one or no counters that the cash pays (C3 to C9)."""
        self.moves = moving_value(match, position, seat) if "move_cowboys" in free else 0
        """Most cowboys that the free boxes let the seat move; 0 if none does."""

    def pays(self, what: str) -> int:
        """How many counters, up to two, a free box buys or moves for the seat's cash; 0 for none."""
        return self.free.get(what, 0)

    def stocked(self, what: str) -> int:
        """How many counters the seat has left (A10)."""
        return stock(self.match, self.position, self.seat, what)

    def assets_left(self) -> Sequence[int]:
        """The same for every kind of asset."""
        match, seat = self.match, self.seat
        if match.options.counter_limit == "off":
            return (UNLIMITED,) * len(ASSETS)
        columns = zip(*[town.assets for town in self.position.towns], strict=True)
        left = [most - column.count(seat) for most, column in zip(match.asset_counters, columns, strict=True)]
        left[JAIL] -= self.position.jails_lost[seat]
        return left

    def vacant(self) -> list[int]:
        """Corral boxes with neither cattle nor farmer, by town (D2, H1)."""
        if self._vacant is None:
            self._vacant = [
                plan.corrals - sum(town.cattle) - (town.farmer != NOBODY)
                for plan, town in zip(self.match.board.towns, self.position.towns, strict=True)
            ]
        return self._vacant


def moving_value(match: Match, position: Position, seat: int) -> int:
    """Most cowboys that the free boxes let this seat move; 0 if none does."""
    cash, most = position.cash[seat], 0
    for box in match.moving_boxes:
        if box.price <= cash and box.id not in position.used:
            most = max(
                most, min(box.value, (cash - box.price) // box.per_counter) if box.per_counter else box.value
            )
    return most


def usable(counted: Counted) -> list[int]:
    """The places of the legal short forms, in order; moves of cowboys and the pass left out."""
    forms = forms_of(counted.match.town_ids, counted.match.seats)
    found: list[int] = []
    for find in _KINDS.values():
        found += find(counted, forms)
    found.sort()
    return found


def anything_usable(counted: Counted) -> bool:
    """Whether ``usable`` finds anything, or cowboys can be moved."""
    if counted.moves and any(town.cowboys[counted.seat] for town in counted.position.towns):
        return True
    forms = forms_of(counted.match.town_ids, counted.match.seats)
    return any(find(counted, forms) for find in _KINDS.values())


def usable_actions(match: Match, position: Position, seat: int) -> Iterator[Action]:
    """The same as actions, in the order of the free boxes that they need."""
    counted, forms = Counted(match, position, seat), forms_of(match.town_ids, match.seats)
    for kind in dict.fromkeys(box.kind for box in match.boxes if box.id not in position.used):
        if kind in _KINDS:
            yield from (forms.actions[place] for place in _KINDS[kind](counted, forms))


def _cowboys(counted: Counted, forms: Forms) -> Sequence[int]:
    """E1 to E5: wherever the buyer likes."""
    paid = counted.free.get("cowboys")
    if paid is None:
        return ()
    if paid:
        paid = min(paid, counted.stocked("cowboy"))
    found: Row = () if counted.match.options.box_must_act else (forms.no_cowboys,)
    if paid > 0:
        found += forms.cowboys
    return found + forms.two_cowboys if paid > 1 else found


def _cattle(counted: Counted, forms: Forms) -> list[int]:
    """D1 to D9."""
    match, towns, seat = counted.match, counted.position.towns, counted.seat
    options = match.options
    paid = counted.free.get("cattle")
    if paid is None:
        return []
    found = [] if options.box_must_act else [forms.no_cattle]
    if paid:
        paid = min(paid, counted.stocked("cattle"))
    if paid < 1:
        return found
    vacant = counted.vacant()
    mine = [at for at, town in enumerate(towns) if town.cowboys[seat] and vacant[at] > 0]
    if not mine:
        return found
    full = [
        2 * (sum(town.cattle) + (options.farmer_fills and town.farmer != NOBODY)) - plan.corrals
        for plan, town in zip(match.board.towns, towns, strict=True)
    ]
    first = [at for at in mine if _open(match, full, at)]
    found += [forms.cattle[at] for at in first]
    if paid < 2:
        return found
    for at in first:
        seconds = [at] if vacant[at] > 1 else []
        if options.cattle_two_towns:
            seconds += [second for second in first if second != at]
            if full[at] <= 0 < full[at] + 2:  # the first counter fills more than half: it opens a town above
                after = [*full[:at], 1, *full[at + 1 :]]
                above = [second for second in mine if second > at and second not in first]
                seconds += [second for second in above if _open(match, after, second)]
        found += [forms.two_cattle[at][second] for second in sorted(seconds)]
    return found


def _open(match: Match, full: Sequence[int], town: int) -> bool:
    """D3, D4; ``full`` is above 0 where more than half of a town's corral boxes are filled."""
    lower = full[:town] if match.options.cattle_gate == "all_lower" else full[max(0, town - 1) : town]
    return all(value > 0 for value in lower)


def _build(counted: Counted, forms: Forms) -> list[int]:
    """F1 to F7."""
    free = counted.free
    paid = [number for number, asset in enumerate(ASSETS) if free.get(asset)]
    if not paid:
        return []
    seat, kinds = counted.seat, len(ASSETS)
    places = [
        (at, town.assets)
        for at, (plan, town) in enumerate(zip(counted.match.board.towns, counted.position.towns, strict=True))
        if kinds - town.assets.count(NOBODY) < plan.buildings and town.assets.count(seat) < 2
    ]
    if not places:
        return []
    left = counted.assets_left()
    return [
        forms.build[number][at]
        for number in paid
        if left[number] > 0
        for at, assets in places
        if assets[number] == NOBODY
    ]


def _move_cattle(counted: Counted, forms: Forms) -> list[int]:
    """H1 to H4."""
    if not counted.pays("move_cattle"):
        return []
    seat, anybodys = counted.seat, counted.match.options.move_cattle_owner == "any"
    found: list[int] = []
    vacant = [to for to, room in enumerate(counted.vacant()) if room > 0]
    for origin, town in enumerate(counted.position.towns):
        movers = [owner for owner, there in enumerate(town.cattle) if there] if anybodys else []
        if movers or town.cattle[seat]:
            movers.append(-1)
            to_towns = forms.move_cattle[origin]
            found += [to_towns[to][mover] for to in vacant for mover in movers]
    return found


def _gunfight(counted: Counted, forms: Forms) -> list[int]:
    """J1 to J19, without plans."""
    if not counted.pays("gunfight"):
        return []
    options, seat = counted.match.options, counted.seat
    removes = options.takeover_without_counter == "remove"
    left: Sequence[int] = ()
    cattle = 0
    found: list[int] = []
    for at, town in enumerate(counted.position.towns):
        if _attacks(counted, town, farmer=False):
            if not left:
                left = (UNLIMITED,) * len(ASSETS) if removes else counted.assets_left()
                cattle = UNLIMITED if removes else counted.stocked("cattle")
            for number, owner in enumerate(town.assets):
                if owner not in (NOBODY, seat) and (left[number] > 0 or number in _NO_COUNTER):
                    found.append(forms.take_asset[at][number])
            for owner, there in enumerate(town.cattle):
                if there and owner != seat and cattle > 0:
                    found += forms.take_cattle[at][owner][: min(there, cattle)]
        foreign = town.farmer != NOBODY and (town.farmer != seat or options.own_farmer_attackable)
        if foreign and _attacks(counted, town, farmer=True):
            found.append(forms.take_farmer[at])
    return found


_NO_COUNTER: Final = (ASSETS.index("bank"), JAIL)
"""Assets that a winner robs or breaks instead of taking them over."""


def _attacks(counted: Counted, town: Town, *, farmer: bool) -> bool:
    """J1: with a cowboy, or with the sheriff alone (``attack_needs_cowboy``)."""
    if town.cowboys[counted.seat]:
        return True
    match = counted.match
    return not match.options.attack_needs_cowboy and sheriff_attacks(match, town, counted.seat, farmer=farmer)


def _farmer(counted: Counted, forms: Forms) -> list[int]:
    """N1 to N10."""
    if counted.position.farmers[counted.seat] < 1 or not counted.pays("farmer"):
        return []
    found: list[int] = []
    vacant = counted.vacant()
    for at, town in enumerate(counted.position.towns):
        if town.farmer == NOBODY:
            by_seat = forms.farmer[at]
            if vacant[at] > 0:
                found.append(by_seat[-1])
            found += [by_seat[seat] for seat, there in enumerate(town.cattle) if there]
    return found


_KINDS: Final[dict[str, Callable[[Counted, Forms], Sequence[int]]]] = {
    "cowboys": _cowboys,
    "build": _build,
    "farmer": _farmer,
    "gunfight": _gunfight,
    "cattle": _cattle,
    "move_cattle": _move_cattle,
}
"""The cheapest to ask first."""
