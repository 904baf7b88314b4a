"""The list of legal actions: short forms, ordered by the bytes of their canonical JSON.

``usable`` finds the forms of the action phase by counting; ``moving`` holds the ways to move cowboys, of which there
can be thousands, without making them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, combinations_with_replacement
from operator import itemgetter
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
from pbem.games.way_out_west.usable import usable


def legal_actions(match: Match, position: Position) -> Sequence[Action]:
    """What the seat to decide may do, in order; empty if nobody is to decide."""
    seat = position.decider
    if seat == NOBODY:
        return ()
    if position.phase == "setup":
        return _ordered(PlaceCowboy(town) for town in match.town_ids)
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
    return next(usable(match, position, seat), None) is not None


def _box_actions(match: Match, position: Position, seat: int) -> Sequence[Action]:
    forms = forms_of(match.town_ids, match.seats)
    few = sorted([*usable(match, position, seat), forms.by_key["pass",]], key=itemgetter(0))
    moves = _moves(match, position, seat)
    if not moves:
        return tuple(action for _, action in few)
    at = sum(rank < forms.before_moves for rank, _ in few)
    actions = [action for _, action in few]
    return Joined((actions[:at], moves, actions[at:]))


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


def moving_value(match: Match, position: Position, seat: int) -> int:
    """Most cowboys that the free boxes let this seat move; 0 if none does."""
    cash = position.cash[seat]
    values = [
        min(box.value, (cash - box.price) // box.per_counter if box.per_counter else box.value)
        for box in match.boxes
        if box.kind == "move_cowboys" and box.id not in position.used and box.price <= cash
    ]
    return max(values, default=0)


def _moves(match: Match, position: Position, seat: int) -> Sequence[Action]:
    free = any(box.kind == "move_cowboys" and box.id not in position.used for box in match.boxes)
    if not free:
        return ()
    value = moving_value(match, position, seat)
    moves = MoveSets(match.town_ids, tuple(town.cowboys[seat] for town in position.towns), value)
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
