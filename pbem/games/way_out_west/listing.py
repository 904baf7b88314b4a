"""The list of legal actions: short forms, ordered by the bytes of their canonical JSON.

``usable`` finds the forms of the action phase by counting; ``moving`` holds the ways to move cowboys, of which there
can be thousands, without making them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, combinations, combinations_with_replacement
from typing import Final, overload

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
from pbem.games.way_out_west.moving import MoveSets
from pbem.games.way_out_west.shop import NO_BOX
from pbem.games.way_out_west.state import NOBODY, UNLIMITED, Fight, Match, Position
from pbem.games.way_out_west.usable import Counted, anything_usable, usable


def legal_actions(match: Match, position: Position) -> Sequence[Action]:
    """What the seat to decide may do, in order; empty if nobody is to decide."""
    seat = position.decider
    if seat == NOBODY:
        return ()
    if position.phase == "actions":
        return _box_actions(Counted(match, position, seat))
    if position.phase == "setup":
        return _placings(match.town_ids)
    if position.phase == "auction":
        return _bids(max(position.bids) + 1, position.cash[seat])
    assert position.fight is not None  # noqa: S101 (the phase says so)
    return _answers(match, position, position.fight)


def first_listed(match: Match, position: Position, wishes: Iterable[Action]) -> Action:
    """The first of ``wishes`` that is on the list, else the first action of the list: of a seat that is to decide."""
    listed = legal_actions(match, position)
    return next((wish for wish in wishes if wish in listed), listed[0])


def _ordered(actions: Iterable[Action]) -> tuple[Action, ...]:
    return tuple(sorted(actions, key=sort_key))


@lru_cache(maxsize=32)
def _placings(towns: tuple[str, ...]) -> tuple[Action, ...]:
    return _ordered(map(PlaceCowboy, towns))


@lru_cache(maxsize=4096)
def _bids(least: int, cash: int) -> tuple[Action, ...]:
    return _ordered([DropOut(), *map(Bid, range(least, cash + 1))])


def can_act(counted: Counted) -> bool:
    """Has the seat anything to do but pass (C10)? With hidden money: whatever its cash may be."""
    match, position, seat = counted.match, counted.position, counted.seat
    if not match.options.box_must_act and len(position.used) < len(match.boxes):
        return True
    if not match.options.money_public:
        plenty = tuple(UNLIMITED if at == seat else cash for at, cash in enumerate(position.cash))
        counted = Counted(match, position._replace(cash=plenty), seat)
    return anything_usable(counted)


def _box_actions(counted: Counted) -> Sequence[Action]:
    forms, actions = counted.match.forms, counted.match.forms.actions
    places = [*usable(counted), forms.no_action]  # to pass stands behind all others
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
    value, match = counted.till.moves, counted.match
    if value == NO_BOX:
        return ()
    moves = MoveSets(match.town_ids, counted.there, value)
    return moves if match.options.box_must_act else Joined(((MoveCowboys(()),), moves))


# --- answers ----------------------------------------------------------------------------------------------


def _answers(match: Match, position: Position, fight: Fight) -> Sequence[Action]:
    if fight.asks == "ask-sheriff":
        return _ASK
    if fight.asks == "lend-sheriff":
        return _LEND
    if fight.asks == "take-wanted":
        rich = (seat for seat, count in enumerate(position.wanted) if count and seat != fight.seat)
        return _ordered(TakeWanted(match.seats[seat]) for seat in rich)
    cowboys = position.towns[fight.town].cowboys
    if fight.asks == "fire":
        return _moments(match.town_ids, fight.town, cowboys[fight.seat])
    return _leavings(match.town_ids, fight.town, cowboys[fight.attacker])


_ASK: Final = (AskSheriff(ask=False), AskSheriff(ask=True))
_LEND: Final = (LendSheriff(lend=False), LendSheriff(lend=True))


@lru_cache(maxsize=1024)
def _moments(towns: tuple[str, ...], town: int, cowboys: int) -> tuple[Action, ...]:
    """To fire, or to retreat from a town with so many cowboys."""
    others = sorted(towns[:town] + towns[town + 1 :])
    return _ordered([Fire(), *map(Retreat, combinations(others, min(cowboys, len(others))))])


@lru_cache(maxsize=64)
def _leavings(towns: tuple[str, ...], town: int, cowboys: int) -> tuple[Action, ...]:
    """Where the robbers may ride to."""
    others = sorted(towns[:town] + towns[town + 1 :])
    return _ordered(map(_together, combinations_with_replacement(others, cowboys)))


def _together(where: tuple[str, ...]) -> LeaveTown:
    return LeaveTown(tuple((town, where.count(town)) for town in dict.fromkeys(where)))
