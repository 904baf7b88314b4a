"""Every way to move cowboys, as a sequence that makes only the items that are looked at (rules G1, G2).

There can be thousands of ways, and most readers want one of them. So the items are not listed but counted: how many
ways go on behind each first move follows from binomial coefficients, and the i-th way is found by going down. The
order is that of canonical JSON: a longer list stands before the list that it begins with, since ``,`` comes before
``]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from math import comb
from operator import mul
from typing import TypeAlias, overload

from pbem.games.way_out_west import actions

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
