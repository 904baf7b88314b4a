"""The list of legal actions: short forms, ordered by the bytes of their canonical JSON.

Of the forms of the action phase those stay that ``legality`` allows; ``MoveSets`` holds the ways to move cowboys, of
which there can be thousands, without making them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, combinations, combinations_with_replacement, product
from typing import Final, overload

from pbem.game import Seat
from pbem.games.way_out_west import actions
from pbem.games.way_out_west.board import ASSETS
from pbem.games.way_out_west.boxes import most_moved
from pbem.games.way_out_west.legality import can_use_box
from pbem.games.way_out_west.moves import MoveSets
from pbem.games.way_out_west.options import Options
from pbem.games.way_out_west.state import NOBODY, UNLIMITED, Fight, Match, Position


def legal_actions(match: Match, position: Position) -> Sequence[actions.Action]:
    """What the seat to decide may do, in order; empty if nobody is to decide."""
    seat = position.decider
    if seat == NOBODY:
        return ()
    if position.phase == "actions":
        return _box_actions(match, position, seat)
    if position.phase == "setup":
        return _placings(match.town_ids)
    if position.phase == "auction":
        return _bids(max(position.bids) + 1, position.cash[seat])
    assert position.fight is not None  # noqa: S101 (the phase says so)
    return _answers(match, position, position.fight)


def first_listed(match: Match, position: Position, wishes: Iterable[actions.Action]) -> actions.Action:
    """The first of ``wishes`` that is on the list, else the first action of the list: of a seat that is to decide."""
    listed = legal_actions(match, position)
    return next((wish for wish in wishes if wish in listed), listed[0])


def _ordered(unordered: Iterable[actions.Action]) -> tuple[actions.Action, ...]:
    return tuple(sorted(unordered, key=actions.sort_key))


@lru_cache(maxsize=32)
def _placings(towns: tuple[str, ...]) -> tuple[actions.Action, ...]:
    return _ordered(map(actions.PlaceCowboy, towns))


@lru_cache(maxsize=4096)
def _bids(least: int, cash: int) -> tuple[actions.Action, ...]:
    return _ordered([actions.DropOut(), *map(actions.Bid, range(least, cash + 1))])


@lru_cache(maxsize=64)
def _forms(
    towns: tuple[str, ...], seats: tuple[Seat, ...], options: Options
) -> Mapping[str, Sequence[actions.BoxAction]]:
    """Make every short form by its kind of box, legal or not; moves of cowboys are left out (``MoveSets``)."""
    placed: list[tuple[str, ...]] = [(town,) for town in towns]
    placed += product(towns, repeat=2)
    placed += [()] * (not options.box_must_act)
    whose = seats if options.move_cattle_owner == "any" else ()
    targets: list[actions.Target] = [
        *map(actions.AssetTarget, ASSETS),
        *(actions.CattleTarget(count, seat) for seat in seats for count in (1, 2)),
        actions.FarmerTarget(),
    ]
    return {
        "cowboys": [actions.Cowboys(where) for where in placed],
        "cattle": [actions.Cattle(where) for where in placed],
        "build": [actions.Build(asset, town) for asset in ASSETS for town in towns],
        "move_cattle": [
            actions.MoveCattle(origin, to, seat)
            for origin, to in product(towns, repeat=2)
            for seat in (*whose, None)
        ],
        "gunfight": [actions.Gunfight(town, target) for town in towns for target in targets],
        "farmer": [actions.Farmer(town, seat) for town in towns for seat in (None, *seats)],
    }


@lru_cache(maxsize=64)
def _in_order(
    towns: tuple[str, ...], seats: tuple[Seat, ...], options: Options
) -> tuple[actions.BoxAction, ...]:
    """Sort the same forms; all of them stand before the moves of cowboys, and these before the pass."""
    return tuple(sorted(chain.from_iterable(_forms(towns, seats, options).values()), key=actions.sort_key))


def usable_forms(match: Match, position: Position, seat: int) -> Iterator[actions.BoxAction]:
    """Find the legal short forms, moves of cowboys left out, in the order of the free boxes that they need."""
    forms = _forms(match.town_ids, match.seats, match.options)
    for kind in dict.fromkeys(box.kind for box in match.boxes if box.id not in position.used):
        yield from (form for form in forms.get(kind, ()) if can_use_box(match, position, seat, form))


def single_moves(match: Match, position: Position, seat: int) -> Iterator[actions.MoveCowboys]:
    """Find the ways to move cowboys from one town to one other (G1, G2): the plainest of ``MoveSets``."""
    value = most_moved(match, position, seat)
    for origin, town in zip(match.town_ids, position.towns, strict=True):
        for count in range(1, min(value, town.cowboys[seat]) + 1):
            for to in match.town_ids:
                if to != origin:
                    yield actions.MoveCowboys((actions.Move(origin, to, count),))


def can_act(match: Match, position: Position, seat: int) -> bool:
    """Whether the seat has anything to do but pass (C10). With hidden money: whatever its cash may be."""
    if not match.options.box_must_act and len(position.used) < len(match.boxes):
        return True
    if not match.options.money_public:
        plenty = tuple(UNLIMITED if at == seat else cash for at, cash in enumerate(position.cash))
        position = position._replace(cash=plenty)
    acts = chain(single_moves(match, position, seat), usable_forms(match, position, seat))
    return next(acts, None) is not None


def _box_actions(match: Match, position: Position, seat: int) -> Sequence[actions.Action]:
    forms = _in_order(match.town_ids, match.seats, match.options)
    few = tuple([form for form in forms if can_use_box(match, position, seat, form)])
    return Joined((few, *_moves(match, position, seat), (actions.Pass(),)))


class Joined(Sequence[actions.Action]):
    """Lists one behind the other, none of them copied: the moves of cowboys stay uncounted until they are read."""

    __slots__ = ("_parts",)

    def __init__(self, parts: Iterable[Sequence[actions.Action]]) -> None:
        self._parts = tuple(parts)

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    @overload
    def __getitem__(self, at: int) -> actions.Action: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[actions.Action, ...]: ...
    def __getitem__(self, at: int | slice) -> actions.Action | tuple[actions.Action, ...]:
        if isinstance(at, slice):
            return tuple(self[place] for place in range(*at.indices(len(self))))
        place = at + len(self) if at < 0 else at
        for part in self._parts:
            if 0 <= place < len(part):
                return part[place]
            place -= len(part)
        raise IndexError(f"there is no action {at} among {len(self)}")

    def __iter__(self) -> Iterator[actions.Action]:
        return chain.from_iterable(self._parts)

    def __contains__(self, action: object) -> bool:
        return any(action in part for part in self._parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]


def _moves(match: Match, position: Position, seat: int) -> Iterator[Sequence[actions.Action]]:
    none = actions.MoveCowboys(())
    if not match.options.box_must_act and can_use_box(match, position, seat, none):
        yield (none,)
    present = tuple([town.cowboys[seat] for town in position.towns])
    yield MoveSets(match.town_ids, present, most_moved(match, position, seat))


def _answers(match: Match, position: Position, fight: Fight) -> Sequence[actions.Action]:
    if fight.asks == "ask-sheriff":
        return _ASK
    if fight.asks == "lend-sheriff":
        return _LEND
    if fight.asks == "take-wanted":
        rich = (seat for seat, count in enumerate(position.wanted) if count and seat != fight.seat)
        return _ordered(actions.TakeWanted(match.seats[seat]) for seat in rich)
    cowboys = position.towns[fight.town].cowboys
    if fight.asks == "fire":
        return _moments(match.town_ids, fight.town, cowboys[fight.seat])
    return _leavings(match.town_ids, fight.town, cowboys[fight.attacker])


_ASK: Final = (actions.AskSheriff(ask=False), actions.AskSheriff(ask=True))
_LEND: Final = (actions.LendSheriff(lend=False), actions.LendSheriff(lend=True))


@lru_cache(maxsize=1024)
def _moments(towns: tuple[str, ...], town: int, cowboys: int) -> tuple[actions.Action, ...]:
    """To fire, or to retreat from a town with so many cowboys."""
    others = sorted(towns[:town] + towns[town + 1 :])
    return _ordered([actions.Fire(), *map(actions.Retreat, combinations(others, min(cowboys, len(others))))])


@lru_cache(maxsize=64)
def _leavings(towns: tuple[str, ...], town: int, cowboys: int) -> tuple[actions.Action, ...]:
    """Where the robbers may ride to."""
    others = sorted(towns[:town] + towns[town + 1 :])
    return _ordered(map(_together, combinations_with_replacement(others, cowboys)))


def _together(where: tuple[str, ...]) -> actions.LeaveTown:
    return actions.LeaveTown(tuple((town, where.count(town)) for town in dict.fromkeys(where)))
