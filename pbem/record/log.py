"""A list that only grows and is shared by everybody who holds a shorter or equal part of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class Log(Sequence[T], Generic[T]):
    """An immutable sequence; ``plus`` gives one that is longer by one item, without copying the others.

    Forks share one list: each sees the part that was there when it was made. Only where two of them grow from the
    same place does the second take a copy.
    """

    __slots__ = ("_items", "_size")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items = list(items)
        self._size = len(self._items)

    def plus(self, item: T) -> Log[T]:
        """The same sequence with one item more."""
        grown: Log[T] = Log.__new__(Log)
        grown._items = self._items if len(self._items) == self._size else self._items[: self._size]
        grown._items.append(item)
        grown._size = self._size + 1
        return grown

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[T]:
        return islice(self._items, self._size)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            start, stop, step = at.indices(self._size)
            return self._items[start : stop if stop >= 0 else None : step]
        place = at + self._size if at < 0 else at
        if not 0 <= place < self._size:
            raise IndexError(f"there is no item {at} among {self._size}")
        return self._items[place]

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Log) else NotImplemented

    __hash__ = None  # type: ignore[assignment]
