"""Which forms of the action phase are legal, found by counting what lies on the table (rules C to J, N).

``legality`` says why something is refused, in words and rows; that is far too dear for three hundred forms at each
decision. Here the same rules are asked once for each town, and only legal forms come out, by their places in ``Forms``.
The two are held against each other on every form of thousands of positions
(``tests/games/way_out_west/test_legality.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Final

from pbem.games.way_out_west.actions import Action
from pbem.games.way_out_west.board import ASSETS
from pbem.games.way_out_west.declaring import sheriff_attacks
from pbem.games.way_out_west.forms import Forms, Row
from pbem.games.way_out_west.state import (
    BANK,
    JAIL,
    NOBODY,
    UNLIMITED,
    Match,
    Position,
    stock,
)

NO_BOX: Final = -1
"""Every box of a kind holds a token."""


class Counted:
    """One seat's action phase: what the free boxes do for its cash."""

    __slots__ = ("_vacant", "found", "match", "position", "seat")

    def __init__(self, match: Match, position: Position, seat: int) -> None:
        self.match = match
        self.position = position
        self.seat = seat
        self._vacant: list[int] | None = None
        self.found: list[Sequence[int]] = []
        """The places of the legal forms of the first kinds, as far as ``anything_usable`` had to look."""

    def pays(self, what: str) -> int:
        """How many counters, up to two, a free box for it gives for the seat's cash; or NO_BOX (C3 to C9)."""
        used, most = self.position.used, NO_BOX
        for name, one, two in self.match.prices[what]:
            if name not in used:
                cash = self.position.cash[self.seat]
                counters = 2 if two <= cash else 1 if one <= cash else 0
                if counters > most:
                    most = counters
        return most

    @property
    def moves(self) -> int:
        """Most cowboys that the free boxes let the seat move; 0 if none does."""
        return moving_value(self.match, self.position, self.seat)

    def stocked(self, what: str) -> int:
        """How many counters the seat has left (A10)."""
        return stock(self.match, self.position, self.seat, what)

    def assets_left(self) -> Sequence[int]:
        """The same for every kind of asset."""
        match, seat = self.match, self.seat
        if match.options.counter_limit == "off":
            return (UNLIMITED,) * len(ASSETS)
        left = list(match.asset_counters)
        for town in self.position.towns:
            if seat in town.assets:
                for number, owner in enumerate(town.assets):
                    left[number] -= owner == seat
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
    cash, used, most = position.cash[seat], position.used, 0
    for box in match.boxes_for["move_cowboys"]:
        if box.value > most and box.id not in used and box.price <= cash:
            value, each = box.value, box.per_counter
            most = max(most, min(value, (cash - box.price) // each) if each else value)
    return most


def usable(counted: Counted) -> list[int]:
    """The places of the legal short forms, in order; moves of cowboys and the pass left out."""
    known, forms = counted.found, counted.match.forms
    return sorted(chain(*known, *[find(counted, forms) for find in _FINDERS[len(known) :]]))


def anything_usable(counted: Counted) -> bool:
    """Whether ``usable`` finds anything, or cowboys can be moved; what was looked for is kept in ``counted``."""
    counted.found = []
    for find in _FINDERS:
        counted.found.append(find(counted, counted.match.forms))
        if counted.found[-1]:
            return True
    return counted.moves > 0 and any(town.cowboys[counted.seat] for town in counted.position.towns)


def usable_actions(match: Match, position: Position, seat: int) -> Iterator[Action]:
    """The same as actions, in the order of the free boxes that they need."""
    counted, forms = Counted(match, position, seat), match.forms
    for kind in dict.fromkeys(box.kind for box in match.boxes if box.id not in position.used):
        if kind in _KINDS:
            yield from map(forms.actions.__getitem__, _KINDS[kind](counted, forms))


def _cowboys(counted: Counted, forms: Forms) -> Sequence[int]:
    """E1 to E5: wherever the buyer likes."""
    paid = counted.pays("cowboys")
    if paid == NO_BOX:
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
    paid = counted.pays("cattle")
    if paid == NO_BOX:
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
    seat, kinds, position = counted.seat, len(ASSETS), counted.position
    cash, used = position.cash[seat], position.used
    paid = {asset for box, asset, price in counted.match.sites if price <= cash and box not in used}
    if not paid:
        return []
    places = [
        (at, town.assets)
        for at, (plan, town) in enumerate(zip(counted.match.board.towns, position.towns, strict=True))
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
    if counted.pays("move_cattle") < 1:
        return []
    seat, anybodys = counted.seat, counted.match.options.move_cattle_owner == "any"
    found: list[int] = []
    vacant = [to for to, room in enumerate(counted.vacant()) if room > 0]
    for origin, town in enumerate(counted.position.towns):
        if town.cattle[seat] or (anybodys and any(town.cattle)):
            movers = [owner for owner, there in enumerate(town.cattle) if there] if anybodys else []
            movers.append(-1)
            to_towns = forms.move_cattle[origin]
            found += [to_towns[to][mover] for to in vacant for mover in movers]
    return found


def _gunfight(counted: Counted, forms: Forms) -> list[int]:
    """J1 to J19, without plans."""
    if counted.pays("gunfight") < 1:
        return []
    options, seat = counted.match.options, counted.seat
    alone = not options.attack_needs_cowboy
    mine = (NOBODY, seat)
    takeable: Sequence[bool] = ()
    cattle = 0
    found: list[int] = []
    for at, town in enumerate(counted.position.towns):
        if town.cowboys[seat] or (alone and sheriff_attacks(counted.match, town, seat, farmer=False)):
            if not takeable and (town.assets != _NO_ASSETS or any(town.cattle)):
                takeable, cattle = _winnings(counted)
            if town.assets != _NO_ASSETS:
                foreign = [number for number, owner in enumerate(town.assets) if owner not in mine]
                found += [forms.take_asset[at][number] for number in foreign if takeable[number]]
            if cattle > 0 and any(town.cattle):
                for owner, there in enumerate(town.cattle):
                    if there and owner != seat:
                        found += forms.take_cattle[at][owner][: min(there, cattle)]
        if (
            town.farmer != NOBODY
            and (town.farmer != seat or options.own_farmer_attackable)
            and (town.cowboys[seat] or (alone and sheriff_attacks(counted.match, town, seat, farmer=True)))
        ):
            found.append(forms.take_farmer[at])
    return found


_NO_ASSETS: Final = (NOBODY,) * len(ASSETS)


def _winnings(counted: Counted) -> tuple[list[bool], int]:
    """J5, J19: which assets the seat has a counter for or needs none, and how many cattle it could take over."""
    if counted.match.options.takeover_without_counter == "remove":
        return [True] * len(ASSETS), UNLIMITED
    takeable = [left > 0 for left in counted.assets_left()]
    takeable[BANK] = takeable[JAIL] = True  # a winner robs or breaks these
    return takeable, counted.stocked("cattle")


def _farmer(counted: Counted, forms: Forms) -> list[int]:
    """N1 to N10."""
    if counted.position.farmers[counted.seat] < 1 or counted.pays("farmer") < 1:
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
_FINDERS: Final = tuple(_KINDS.values())
