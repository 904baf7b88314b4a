"""Numbers for imagining: they follow from a seed, the same on every machine."""

from __future__ import annotations

import hashlib
from typing import Final

_MASK: Final = (1 << 64) - 1


class FastRandom:
    """SplitMix64 (Steele, Lea, Flood 2014), begun with a hash of a text. Good enough to imagine with."""

    __slots__ = ("_state",)

    def __init__(self, seed: str) -> None:
        self._state = int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big")

    def below(self, limit: int) -> int:
        """A number from 0 to ``limit`` - 1."""
        self._state = state = self._state + 0x9E3779B97F4A7C15 & _MASK
        state = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & _MASK
        state = (state ^ state >> 27) * 0x94D049BB133111EB & _MASK
        return (state ^ state >> 31) * limit >> 64

    def part(self) -> float:
        """A number from 0 up to, not including, 1."""
        return self.below(1 << 53) / (1 << 53)

    def shuffle(self, items: bytearray) -> None:
        """Put ``items`` into a random order."""
        below = self.below
        for last in range(len(items) - 1, 0, -1):
            other = below(last + 1)
            items[last], items[other] = items[other], items[last]
