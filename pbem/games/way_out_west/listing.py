"""The list of legal actions: short forms, ordered by the bytes of their canonical JSON (spec, "one spelling").

Moving cowboys is the one kind with thousands of forms; those are made once for each pattern of own cowboys.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, product

from pbem.games.way_out_west.actions import (
    Action,
    AskSheriff,
    AssetTarget,
    Bid,
    BoxAction,
    Build,
    Cattle,
    CattleTarget,
    Cowboys,
    DropOut,
    Farmer,
    FarmerTarget,
    Fire,
    Gunfight,
    LeaveTown,
    LendSheriff,
    Move,
    MoveCattle,
    MoveCowboys,
    Pass,
    PlaceCowboy,
    Retreat,
    TakeWanted,
    sort_key,
)
from pbem.games.way_out_west.board import ASSETS
from pbem.games.way_out_west.legality import can_use_box
from pbem.games.way_out_west.position import NOBODY, UNLIMITED, Fight, Match, Position


def legal_actions(match: Match, position: Position) -> tuple[Action, ...]:
    """What the seat to decide may do, in order; empty if nobody is to decide."""
    seat = position.decider
    if seat == NOBODY:
        return ()
    if position.phase == "setup":
        return _ordered(PlaceCowboy(town.id) for town in match.board.towns)
    if position.phase == "auction":
        bids = (Bid(amount) for amount in range(max(position.bids) + 1, position.cash[seat] + 1))
        return _ordered([DropOut(), *bids])
    if position.phase == "gunfight":
        assert position.fight is not None  # noqa: S101 (the phase says so)
        return _ordered(_answers(match, position, position.fight))
    return _box_actions(match, position, seat)


def _ordered(actions: Iterable[Action]) -> tuple[Action, ...]:
    return tuple(sorted(actions, key=sort_key))


def can_act(match: Match, position: Position, seat: int) -> bool:
    """Has the seat anything to do but pass (C10)? With hidden money: whatever its cash may be."""
    if not match.options.box_must_act and len(position.used) < len(match.boxes):
        return True
    if not match.options.money_public:
        plenty = tuple(UNLIMITED if at == seat else cash for at, cash in enumerate(position.cash))
        position = replace(position, cash=plenty)
    if moving_value(match, position, seat) and any(town.cowboys[seat] for town in position.towns):
        return True
    return any(can_use_box(match, position, seat, action) for action in _candidates(match, position))


def _box_actions(match: Match, position: Position, seat: int) -> tuple[Action, ...]:
    few = [action for action in _candidates(match, position) if can_use_box(match, position, seat, action)]
    before = _ordered(few)
    moves = _moves(match, position, seat)
    if not moves:
        return _ordered([*before, Pass()])
    at = sum(sort_key(action) < '{"do":"move-cowboys"' for action in before)
    return (*before[:at], *moves, *_ordered([*before[at:], Pass()]))


def _candidates(match: Match, position: Position) -> Iterator[BoxAction]:
    """Short forms that may be legal, all kinds but moving cowboys, for boxes that are free."""
    towns = [town.id for town in match.board.towns]
    free = {box.kind for box in match.boxes if box.id not in position.used}
    pairs = [*((town,) for town in towns), *product(towns, repeat=2)]
    if not match.options.box_must_act:
        pairs = [(), *pairs]
    if "cattle" in free:
        yield from (Cattle(towns_) for towns_ in pairs)
    if "cowboys" in free:
        yield from (Cowboys(towns_) for towns_ in pairs)
    if "build" in free:
        yield from (Build(asset, town) for asset in ASSETS for town in towns)
    if "move_cattle" in free:
        yield from _cattle_moves(match, towns)
    if "gunfight" in free:
        yield from (Gunfight(town, target) for town in towns for target in _targets(match))
    if "farmer" in free:
        seats: list[str | None] = [None, *match.seats]
        yield from (Farmer(town, displaced) for town in towns for displaced in seats)


def _cattle_moves(match: Match, towns: list[str]) -> Iterator[MoveCattle]:
    seats: list[str | None] = [None]
    if match.options.move_cattle_owner == "any":
        seats += match.seats
    yield from (MoveCattle(origin, to, seat) for origin, to in product(towns, repeat=2) for seat in seats)


def _targets(match: Match) -> Iterator[AssetTarget | CattleTarget | FarmerTarget]:
    yield from (AssetTarget(asset) for asset in ASSETS)
    yield from (CattleTarget(count, seat) for seat in match.seats for count in (1, 2))
    yield FarmerTarget()


# --- moving cowboys ---------------------------------------------------------------------------------------


def moving_value(match: Match, position: Position, seat: int) -> int:
    """Most cowboys that the free boxes let this seat move; 0 if none does."""
    cash = position.cash[seat]
    values = [
        min(box.value, cash // box.per_counter if box.per_counter else box.value)
        for box in match.boxes
        if box.kind == "move_cowboys" and box.id not in position.used and box.price <= cash
    ]
    return max(values, default=0)


def _moves(match: Match, position: Position, seat: int) -> tuple[Action, ...]:
    value = moving_value(match, position, seat)
    free = any(box.kind == "move_cowboys" and box.id not in position.used for box in match.boxes)
    nothing = () if match.options.box_must_act or not free else (MoveCowboys(()),)
    there = tuple(min(town.cowboys[seat], value) for town in position.towns)
    if not any(there):
        return nothing
    return (*nothing, *move_sets(tuple(town.id for town in match.board.towns), there, value))


@lru_cache(maxsize=128)
def move_sets(towns: tuple[str, ...], there: tuple[int, ...], value: int) -> tuple[MoveCowboys, ...]:
    """Every way to move up to ``value`` cowboys that stand ``there``, in order of canonical JSON."""
    found: list[tuple[str, MoveCowboys]] = []
    ways = [
        (origin, to, there[at])
        for at, origin in enumerate(towns)
        if there[at]
        for to in towns
        if to != origin
    ]
    ways.sort()
    entries = {
        (origin, to, count): (Move(origin, to, count), f'{{"count":{count},"from":"{origin}","to":"{to}"}}')
        for origin, to, most in ways
        for count in range(1, most + 1)
    }

    def extend(start: int, moves: tuple[Move, ...], text: str, left: int, spent: int) -> None:
        for at in range(start, len(ways)):
            origin, to, most = ways[at]
            used = spent if moves and moves[-1].origin == origin else 0
            for count in range(1, min(left, most - used) + 1):
                move, entry = entries[origin, to, count]
                longer = f"{text},{entry}" if text else entry
                found.append((longer + "]", MoveCowboys((*moves, move))))
                if left > count:
                    extend(at + 1, (*moves, move), longer, left - count, used + count)

    extend(0, (), "", value, 0)
    found.sort(key=lambda pair: pair[0])
    return tuple(action for _, action in found)


# --- answers ----------------------------------------------------------------------------------------------


def _answers(match: Match, position: Position, fight: Fight) -> Iterator[Action]:
    others = match.town_names(match.other_towns(fight.town))
    if fight.asks == "ask-sheriff":
        yield from (AskSheriff(ask) for ask in (False, True))
    elif fight.asks == "lend-sheriff":
        yield from (LendSheriff(lend) for lend in (False, True))
    elif fight.asks == "fire":
        yield Fire()
        cowboys = position.towns[fight.town].cowboys[fight.seat]
        yield from (Retreat(to) for to in combinations(sorted(others), min(cowboys, len(others))))
    elif fight.asks == "leave-town":
        cowboys = position.towns[fight.town].cowboys[fight.attacker]
        yield from (_together(where) for where in combinations_with_replacement(sorted(others), cowboys))
    else:
        rich = (seat for seat, count in enumerate(position.wanted) if count and seat != fight.seat)
        yield from (TakeWanted(match.seats[seat]) for seat in rich)


def _together(where: tuple[str, ...]) -> LeaveTown:
    return LeaveTown(tuple((town, where.count(town)) for town in dict.fromkeys(where)))
