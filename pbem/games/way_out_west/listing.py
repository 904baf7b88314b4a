"""The list of legal actions: short forms, ordered by the bytes of their canonical JSON.

Of the forms of the action phase those stay that ``legality`` allows; ``MoveSets`` holds the ways to move cowboys, of
which there can be thousands, without making them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain, combinations, combinations_with_replacement, product
from math import comb
from operator import mul
from typing import Final, TypeAlias, overload

from pbem.game import Seat
from pbem.games.way_out_west import actions
from pbem.games.way_out_west.board import ASSETS
from pbem.games.way_out_west.legality import can_use_box, most_moved
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


# --- moving cowboys ---------------------------------------------------------------------------------------
#
# Every way to move cowboys, as a sequence that makes only the items that are looked at (rules G1, G2).
#
# There can be thousands of ways, and most readers want one of them. So the items are not listed but
# counted: how many ways go on behind each first move follows from binomial coefficients, and the i-th way
# is found by going down. The order is that of canonical JSON: a longer list stands before the list that it
# begins with, since ``,`` comes before ``]``.

Row: TypeAlias = tuple[int, ...]


class MoveSets(Sequence[actions.MoveCowboys]):
    """Every way to move up to ``value`` cowboys of which ``present`` stand in ``towns``; never the empty one."""

    __slots__ = ("_names", "_present", "_size", "_spreads", "_value", "_ways")

    def __init__(self, towns: tuple[str, ...], present: tuple[int, ...], value: int) -> None:
        self._names, order = _by_name(towns)
        self._present = tuple([min(present[at], value) for at in order])
        self._value = value
        self._spreads = _spreads(len(towns), value)
        self._ways = _ways(len(towns), self._present, value)
        self._size = self._ways[0][0] - 1

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, at: int) -> actions.MoveCowboys: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[actions.MoveCowboys, ...]: ...
    def __getitem__(self, at: int | slice) -> actions.MoveCowboys | tuple[actions.MoveCowboys, ...]:
        if isinstance(at, slice):
            return tuple(self._nth(place) for place in range(*at.indices(self._size)))
        place = at + self._size if at < 0 else at
        if not 0 <= place < self._size:
            raise IndexError(f"there is no way {at} among {self._size}")
        return self._nth(place)

    def __iter__(self) -> Iterator[actions.MoveCowboys]:
        return self._behind((), 0, -1, self._value, 0)

    def __contains__(self, action: object) -> bool:
        return isinstance(action, actions.MoveCowboys) and super().__contains__(action)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(_same, self, other))

    __hash__ = None  # type: ignore[assignment]

    def _behind(
        self, moves: tuple[actions.Move, ...], origin: int, to: int, left: int, used: int
    ) -> Iterator[actions.MoveCowboys]:
        """Every way that begins with ``moves`` and goes on, in order; the last move was from ``origin`` to ``to``."""
        for count, start, ends, staying in self._next(origin, to, left, used):
            for end in ends:
                longer = (*moves, _move(self._names[start], self._names[end], count))
                if left > count:
                    yield from self._behind(longer, start, end, left - count, self._present[start] - staying)
                yield actions.MoveCowboys(longer)

    def _next(self, origin: int, to: int, left: int, used: int) -> Iterator[tuple[int, int, Row, int]]:
        """The moves that may come next in order of their JSON: count, origin, destinations; how many stay there."""
        towns = len(self._names)
        for count in _counts(left):
            for start in range(origin, towns):
                staying = self._present[start] - count - (used if start == origin else 0)
                if staying >= 0:
                    yield count, start, _ends(towns, start, to if start == origin else -1), staying

    def _nth(self, place: int) -> actions.MoveCowboys:
        moves: tuple[actions.Move, ...] = ()
        names, spreads = self._names, self._spreads
        origin, to, left, used = 0, -1, self._value, 0
        while True:
            for count, start, ends, staying in self._next(origin, to, left, used):
                first = self._value - left + count
                ways = self._ways[start + 1][first : first + min(left - count, staying) + 1]
                size = sum(map(mul, spreads[1][len(ends)], ways))
                if place < size:
                    break
                place -= size
            others = len(ends)
            for end in ends:  # noqa: B007 (it is the destination where the search ends)
                others -= 1
                size = sum(map(mul, spreads[0][others], ways))
                if place < size:
                    break
                place -= size
            moves = (*moves, _move(names[start], names[end], count))
            if place == size - 1:  # the list that ends here stands behind all that go on
                return actions.MoveCowboys(moves)
            origin, to, left, used = start, end, left - count, self._present[start] - staying


@cache
def _counts(most: int) -> list[int]:
    """The numbers up to ``most`` as JSON sorts them."""
    return sorted(range(1, most + 1), key=str)


@lru_cache(maxsize=4096)
def _move(origin: str, to: str, count: int) -> actions.Move:
    return actions.Move(origin, to, count)


@lru_cache(maxsize=256)
def _by_name(towns: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The towns in the order of their names, and their numbers."""
    order = sorted(range(len(towns)), key=towns.__getitem__)
    return tuple(towns[at] for at in order), tuple(order)


def _same(first: object, other: object) -> bool:
    return first == other


@cache
def _ends(towns: int, origin: int, to: int) -> Row:
    """Where one may move from ``origin`` after a move from there to ``to``."""
    return tuple(end for end in range(to + 1, towns) if end != origin)


@lru_cache(maxsize=256)
def _spreads(towns: int, most: int) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """In how many ways 0, 1 … ``most`` equal cowboys go to no town, to one, to two … fewer than ``towns``.

    Then the sums of these: for no numbers of towns, for none, for none and one …
    """
    nowhere = (1,) + (0,) * most
    some = [tuple(comb(count + to - 1, to - 1) for count in range(most + 1)) for to in range(1, towns)]
    spreads = (nowhere, *some)
    sums = [tuple(map(sum, zip(*spreads[:ends], strict=True))) for ends in range(towns + 1)]
    return spreads, tuple(sums)


@lru_cache(maxsize=4096)
def _ways(towns: int, present: Row, most: int) -> tuple[Row, ...]:
    """How many ways there are to move up to ``most``, ``most`` - 1 … 0 cowboys to other towns; to move none is one.

    The first row counts all of those ``present``, the next one those behind the first town, the last one nobody.
    """
    if not present:
        return ((1,) * (most + 1),)
    behind = _ways(towns, present[1:], most)
    spread = _spreads(towns, most)[0][-1]
    ways = [
        sum(map(mul, spread, behind[0][first : first + min(most - first, present[0]) + 1]))
        for first in range(most + 1)
    ]
    return (tuple(ways), *behind)
