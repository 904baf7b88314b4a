"""Who chooses what happens: hypothesis in the machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")


class Fate(Protocol):
    """Chooses among what is offered; the first of each is the simplest, to which a failure shrinks."""

    def pick(self, options: Sequence[T]) -> T:
        """One of these."""
        ...

    def some(self, options: Sequence[T]) -> list[T]:
        """Any of these, in their order."""
        ...

    def number(self, first: int, last: int) -> int:
        """A number of this span."""
        ...


class Drawn:
    """The choices of a hypothesis run."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def pick(self, options: Sequence[T]) -> T:
        """See ``Fate``."""
        return options[self.number(0, len(options) - 1)]

    def some(self, options: Sequence[T]) -> list[T]:
        """See ``Fate``."""
        return [option for option in options if self.number(0, 1)]

    def number(self, first: int, last: int) -> int:
        """See ``Fate``."""
        return first if first == last else self._data.draw(st.integers(first, last))
