"""The list of legal actions: short forms, ordered by the bytes of their canonical JSON.

``usable`` finds the forms of the action phase by counting; ``moving`` holds the ways to move cowboys, of which there
can be thousands, without making them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain, combinations, combinations_with_replacement
from typing import overload

from pbem.games.way_out_west.actions import (
    Action,
    AskSheriff,
    Bid,
    DropOut,
    Fire,
    LeaveTown,
    LendSheriff,
    MoveCowboys,
    PlaceCowboy,
    Retreat,
    TakeWanted,
    sort_key,
)
from pbem.games.way_out_west.forms import forms_of
from pbem.games.way_out_west.moving import MoveSets
from pbem.games.way_out_west.position import NOBODY, UNLIMITED, Fight, Match, Position
from pbem.games.way_out_west.usable import Counted, anything_usable, usable


def legal_actions(match: Match, position: Position) -> Sequence[Action]:
    """What the seat to decide may do, in order; empty if nobody is to decide."""
    seat = position.decider
    if seat == NOBODY:
        return ()
    if position.phase == "setup":
        return _placings(match.town_ids)
    if position.phase == "auction":
        return _bids(max(position.bids) + 1, position.cash[seat])
    if position.phase == "gunfight":
        assert position.fight is not None  # noqa: S101 (the phase says so)
        return _ordered(_answers(match, position, position.fight))
    return _box_actions(match, position, seat)


def _ordered(actions: Iterable[Action]) -> tuple[Action, ...]:
    return tuple(sorted(actions, key=sort_key))


@lru_cache(maxsize=32)
def _placings(towns: tuple[str, ...]) -> tuple[Action, ...]:
    return _ordered(map(PlaceCowboy, towns))


@lru_cache(maxsize=4096)
def _bids(least: int, cash: int) -> tuple[Action, ...]:
    return _ordered([DropOut(), *map(Bid, range(least, cash + 1))])


def can_act(match: Match, position: Position, seat: int) -> bool:
    """Has the seat anything to do but pass (C10)? With hidden money: whatever its cash may be."""
    if not match.options.box_must_act and len(position.used) < len(match.boxes):
        return True
    if not match.options.money_public:
        plenty = tuple(UNLIMITED if at == seat else cash for at, cash in enumerate(position.cash))
        position = replace(position, cash=plenty)
    return anything_usable(Counted(match, position, seat))


def _box_actions(match: Match, position: Position, seat: int) -> Sequence[Action]:
    counted = Counted(match, position, seat)
    forms = forms_of(match.town_ids, match.seats)
    places = usable(counted)
    places.append(forms.no_action)  # it stands behind all others
    actions = forms.actions
    few = tuple([actions[place] for place in places])
    moves = _moves(counted)
    if not moves:
        return few
    at = bisect_left(places, forms.before_moves)
    return Joined((few[:at], moves, few[at:]))


class Joined(Sequence[Action]):
    """Lists one behind the other, none of them copied: the moves of cowboys stay uncounted until they are read."""

    __slots__ = ("_parts",)

    def __init__(self, parts: Iterable[Sequence[Action]]) -> None:
        self._parts = tuple(parts)

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    @overload
    def __getitem__(self, at: int) -> Action: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Action, ...]: ...
    def __getitem__(self, at: int | slice) -> Action | tuple[Action, ...]:
        if isinstance(at, slice):
            return tuple(self[place] for place in range(*at.indices(len(self))))
        place = at + len(self) if at < 0 else at
        for part in self._parts:
            if 0 <= place < len(part):
                return part[place]
            place -= len(part)
        raise IndexError(f"there is no action {at} among {len(self)}")

    def __iter__(self) -> Iterator[Action]:
        return chain.from_iterable(self._parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]


# --- moving cowboys ---------------------------------------------------------------------------------------


def _moves(counted: Counted) -> Sequence[Action]:
    if "move_cowboys" not in counted.free:
        return ()
    match, seat = counted.match, counted.seat
    there = tuple([town.cowboys[seat] for town in counted.position.towns])
    moves = MoveSets(match.town_ids, there, counted.moves)
    return moves if match.options.box_must_act else Joined(((MoveCowboys(()),), moves))


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
