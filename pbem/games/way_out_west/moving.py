"""Every way to move cowboys, as a sequence that makes only the items that are looked at (rules G1, G2).

There can be thousands of ways, and most readers want one of them. So the items are not listed but counted: how many
ways go on behind each first move follows from binomial coefficients, and the i-th way is found by going down.
The order is that of canonical JSON: a longer list stands before the list that it begins with, since ``,`` comes
before ``]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from math import comb
from typing import overload

from pbem.games.way_out_west.actions import Move, MoveCowboys


class MoveSets(Sequence[MoveCowboys]):
    """Every way to move up to ``value`` cowboys of which ``there`` stand in ``towns``; never the empty one."""

    __slots__ = ("_names", "_size", "_there", "_value")

    def __init__(self, towns: tuple[str, ...], there: tuple[int, ...], value: int) -> None:
        self._names, order = _by_name(towns)
        self._there = tuple([min(there[at], value) for at in order])
        self._value = value
        self._size = _ways(len(towns), self._there, value) - 1

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, at: int) -> MoveCowboys: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[MoveCowboys, ...]: ...
    def __getitem__(self, at: int | slice) -> MoveCowboys | tuple[MoveCowboys, ...]:
        if isinstance(at, slice):
            return tuple(self._nth(place) for place in range(*at.indices(self._size)))
        place = at + self._size if at < 0 else at
        if not 0 <= place < self._size:
            raise IndexError(f"there is no way {at} among {self._size}")
        return self._nth(place)

    def __iter__(self) -> Iterator[MoveCowboys]:
        return self._behind((), 0, -1, self._value, 0)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(_same, self, other))

    __hash__ = None  # type: ignore[assignment]

    def _behind(
        self, moves: tuple[Move, ...], origin: int, to: int, left: int, used: int
    ) -> Iterator[MoveCowboys]:
        """Every way that begins with ``moves`` and goes on, in order; the last move was from ``origin`` to ``to``."""
        for move, at in self._next(origin, to, left, used):
            longer = (*moves, move)
            spent = move.count + (used if at[0] == origin else 0)
            if left > move.count:
                yield from self._behind(longer, *at, left - move.count, spent)
            yield MoveCowboys(longer)

    def _next(self, origin: int, to: int, left: int, used: int) -> Iterator[tuple[Move, tuple[int, int]]]:
        """The moves that may come next, in order of their JSON, which begins with the count."""
        names = self._names
        for count in _counts(left):
            for start in range(origin, len(names)):
                if count > self._there[start] - (used if start == origin else 0):
                    continue
                for end in range(to + 1 if start == origin else 0, len(names)):
                    if end != start:
                        yield _move(names[start], names[end], count), (start, end)

    def _nth(self, place: int) -> MoveCowboys:
        moves: tuple[Move, ...] = ()
        origin, to, left, used = 0, -1, self._value, 0
        while True:
            for move, (start, end) in self._next(origin, to, left, used):
                spent = move.count + (used if start == origin else 0)
                size = self._going_on(start, end, left - move.count, spent)
                if place < size:
                    break
                place -= size
            moves = (*moves, move)
            if place == size - 1:  # the list that ends here stands behind all that go on
                return MoveCowboys(moves)
            origin, to, left, used = start, end, left - move.count, spent

    def _going_on(self, origin: int, to: int, left: int, used: int) -> int:
        """How many ways there are behind a move, the one that stops there included."""
        others = len(self._names) - 1 - to - (origin > to)
        return _behind(others, self._there[origin] - used, len(self._names), self._there[origin + 1 :], left)


@cache
def _counts(most: int) -> list[int]:
    """The numbers up to ``most`` as JSON sorts them."""
    return sorted(range(1, most + 1), key=str)


@lru_cache(maxsize=4096)
def _move(origin: str, to: str, count: int) -> Move:
    return Move(origin, to, count)


@lru_cache(maxsize=256)
def _by_name(towns: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The towns in the order of their names, and their numbers."""
    order = sorted(range(len(towns)), key=towns.__getitem__)
    return tuple(towns[at] for at in order), tuple(order)


def _same(one: object, other: object) -> bool:
    return one == other


def _spread(count: int, towns: int) -> int:
    """In how many ways ``count`` equal cowboys go to ``towns`` towns."""
    if not towns:
        return int(count == 0)
    return comb(count + towns - 1, towns - 1)


@lru_cache(maxsize=4096)
def _ways(towns: int, there: tuple[int, ...], left: int) -> int:
    """How many ways there are to move up to ``left`` of the cowboys ``there`` to other towns; to move none is one."""
    if not there or not left:
        return 1
    return sum(
        _spread(count, towns - 1) * _ways(towns, there[1:], left - count)
        for count in range(min(there[0], left) + 1)
    )


@lru_cache(maxsize=4096)
def _behind(others: int, rest: int, towns: int, behind: tuple[int, ...], left: int) -> int:
    """How many ways go on with ``rest`` cowboys to ``others`` towns, then with those ``behind`` to all others."""
    return sum(
        _spread(count, others) * _ways(towns, behind, left - count) for count in range(min(left, rest) + 1)
    )
