"""Dice: each die is a roll of its own and opens the tape's next link (schemas/README.md §4.3)."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import TypeVar

from pbem.protocol.crypto.digest import kdf, mac, u32


def roll(link: bytes, entropy: bytes, tape: str, j: int, sides: int) -> int:
    """The value 1…``sides`` of roll ``j`` (counted from 1) of ``tape``, whose link j is ``link``."""
    return 1 + Stream(kdf(link, "pbem/1 roll", entropy, tape, u32(j))).below(sides)


# --- from a key to integers without bias: stream, below, shuffle (schemas/README.md §4.1) -----------------
#
# ``stream(k) = MAC(k, u32 0) MAC(k, u32 1) …`` read as big-endian 32-bit words. ``below(n)`` takes words
# until one is under the greatest multiple of n, so no value is favoured; ``shuffle`` is Fisher and Yates
# from the top down.

T = TypeVar("T")

_WORDS = struct.Struct(">8I")


class Stream:
    """The words of one key, taken in order; ``blocks`` says how many MACs that took."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._words: list[int] = []
        self.blocks = 0

    def below(self, bound: int) -> int:
        """The next integer of ``range(bound)``, each equally likely; 1 ≤ bound ≤ 2^32."""
        if not 1 <= bound <= 2**32:
            raise ValueError(f"a bound lies within 1 and 2^32, found {bound}")
        limit = 2**32 - 2**32 % bound
        while True:
            if not self._words:
                self._words = list(reversed(_WORDS.unpack(mac(self._key, u32(self.blocks)))))
                self.blocks += 1
            word = self._words.pop()
            if word < limit:
                return word % bound


def shuffle(key: bytes, items: Iterable[T]) -> list[T]:
    """``items`` in the order that ``key`` alone decides."""
    stream = Stream(key)
    order = list(items)
    for i in range(len(order) - 1, 0, -1):
        j = stream.below(i + 1)
        order[i], order[j] = order[j], order[i]
    return order
