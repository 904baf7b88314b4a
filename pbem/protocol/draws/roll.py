"""Dice: each die is a roll of its own and opens the tape's next link (schemas/README.md §4.3)."""

from __future__ import annotations

from pbem.protocol.crypto.digest import kdf, u32
from pbem.protocol.draws.stream import Stream


def roll(link: bytes, entropy: bytes, tape: str, j: int, sides: int) -> int:
    """The value 1…``sides`` of roll ``j`` (counted from 1) of ``tape``, whose link j is ``link``."""
    return 1 + Stream(kdf(link, "pbem/1 roll", entropy, tape, u32(j))).below(sides)
