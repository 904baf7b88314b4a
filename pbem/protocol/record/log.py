"""What grows with a match and is shared by its forks: a list that only grows, and a dictionary in two layers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence, ValuesView
from itertools import chain, islice
from typing import Any, Final, Generic, TypeVar, overload

K = TypeVar("K")
T = TypeVar("T")
_SHORT: Final = 64
"""So much is copied for a fork rather than shared."""


class Log(Sequence[T], Generic[T]):
    """An immutable sequence; ``plus`` gives one that is longer by one item, without copying the others.

    Forks share one list: each sees the part that was there when it was made. Where two of them grow from the same
    place, the second begins a list of its own behind the shared part.
    """

    __slots__ = ("_before", "_cut", "_items", "_size")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._before: list[T] = []
        self._cut = 0
        """So many of ``_before`` come first."""
        self._items = list(items)
        self._size = len(self._items)

    def plus(self, item: T) -> Log[T]:
        """The same sequence with one item more."""
        grown: Log[T] = Log.__new__(Log)
        grown._before, grown._cut, grown._items = self._before, self._cut, self._items
        own = self._size - self._cut
        if len(self._items) > own:
            if own <= _SHORT:
                grown._items = self._items[:own]
            else:
                grown._before = self._items if not self._cut else list(self)
                grown._cut, grown._items = self._size, []
        grown._items.append(item)
        grown._size = self._size + 1
        return grown

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[T]:
        return chain(islice(self._before, self._cut), islice(self._items, self._size - self._cut))

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            start, stop, step = at.indices(self._size)
            if self._cut:
                return [self[place] for place in range(start, stop, step)]
            return self._items[start : stop if stop >= 0 else None : step]
        place = at + self._size if at < 0 else at
        if not 0 <= place < self._size:
            raise IndexError(f"there is no item {at} among {self._size}")
        return self._before[place] if place < self._cut else self._items[place - self._cut]

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Log) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        """Written without what only others see."""
        return Log, (list(self),)


class Layered(MutableMapping[K, T], Generic[K, T]):
    """A dictionary whose forks share what was there; a fork costs as much as what changed since the last few."""

    __slots__ = ("_base", "_own")

    def __init__(self, items: Mapping[K, T] | None = None) -> None:
        self._base: Mapping[K, T] = {}
        """Never changed: others hold it, too."""
        self._own: dict[K, T] = dict(items or {})

    def fork(self) -> Layered[K, T]:
        """An independent copy."""
        if len(self._own) > _SHORT:
            self._base, self._own = {**self._base, **self._own}, {}
        copy = Layered(self._own)
        copy._base = self._base
        return copy

    def __getitem__(self, key: K) -> T:
        found = self._own.get(key, self)
        return self._base[key] if found is self else found  # type: ignore[return-value]

    def __setitem__(self, key: K, value: T) -> None:
        self._own[key] = value

    def __delitem__(self, key: K) -> None:
        if key in self._base:
            self._base, self._own = {}, {**self._base, **self._own}
        del self._own[key]

    def __contains__(self, key: object) -> bool:
        return key in self._own or key in self._base

    def __iter__(self) -> Iterator[K]:
        return chain(self._base, (key for key in self._own if key not in self._base))

    def values(self) -> ValuesView[T]:
        """What it holds."""
        return {**self._base, **self._own}.values() if self._base else self._own.values()

    def __len__(self) -> int:
        return len(self._base) + sum(key not in self._base for key in self._own)

    def __reduce__(self) -> tuple[Any, ...]:
        """Written in one layer."""
        return Layered, (dict(self),)

    def clear(self) -> None:
        """Forget everything at once."""
        self._base, self._own = {}, {}
