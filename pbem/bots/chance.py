"""Numbers for imagining: they follow from a seed, the same on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import count
from struct import unpack
from typing import Final

_BLOCK: Final = 64
"""Numbers made at once."""


def _numbers(seed: bytes) -> Iterator[int]:
    """Make numbers of 32 bits: SHAKE128 (FIPS 202) of the seed and the number of the block."""
    for block in count():
        raw = hashlib.shake_128(seed + block.to_bytes(4, "big")).digest(4 * _BLOCK)
        yield from unpack(f">{_BLOCK}I", raw)


class FastRandom:
    """Numbers that follow from a text. Good enough to imagine with."""

    __slots__ = ("_next",)

    def __init__(self, seed: str) -> None:
        self._next = _numbers(seed.encode()).__next__

    def below(self, limit: int) -> int:
        """Draw a number from 0 to ``limit`` - 1."""
        return self._next() * limit >> 32

    def part(self) -> float:
        """Draw a number from 0 up to, not including, 1."""
        return self._next() / (1 << 32)

    def shuffle(self, items: list[int]) -> None:
        """Put ``items`` into a random order."""
        after = self._next
        items.sort(key=lambda _: after())
