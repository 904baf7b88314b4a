"""Chains of links: what a seat or a tape committed to with one anchor and reveals one by one (schemas/README.md §4.1).

``link_L = KDF(seed, "pbem/1 chain seed", label, game)`` and ``link_{i−1} = SHA(LP("pbem/1 chain", label,
game, u32 i, link_i))``; the anchor is link_0. Who knows a link can hash down to every earlier one and to
none that comes later.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import Final

from pbem.protocol.crypto.digest import HASH_SIZE, kdf, lp, u32

LENGTH: Final = 1024
"""Links of every chain that we make; others may announce other lengths."""
MAX_LENGTH: Final = 65_536
"""The longest chain that a reader follows: one hash for each link, so a cap on foreign work."""

_LINK_HEAD: Final = u32(HASH_SIZE)
_INDEX_HEAD: Final = u32(4)


def seat_label(seat: str) -> str:
    """The label of a player's chain."""
    return f"seat {seat}"


def tape_label(tape: str, epoch: int) -> str:
    """The label of the chain under one epoch's tape of dice."""
    return f"tape {tape} {epoch}"


@lru_cache(maxsize=64)
def chain(label: str, game: bytes, seed: bytes, length: int = LENGTH) -> tuple[bytes, ...]:
    """All links by their index: ``[0]`` is the anchor, ``[length]`` comes straight from the seed."""
    prefix = lp("pbem/1 chain", label, game)
    link = kdf(seed, "pbem/1 chain seed", label, game)
    links = [link]
    for index in range(length, 0, -1):
        link = _before(prefix, index, link)
        links.append(link)
    links.reverse()
    return tuple(links)


def step_down(label: str, game: bytes, index: int, link: bytes, to: int) -> bytes:
    """Link ``to`` of the chain whose link ``index`` is ``link``; ``to`` may equal ``index``."""
    if not 0 <= to <= index:
        raise ValueError(f"cannot hash from link {index} to link {to}")
    prefix = lp("pbem/1 chain", label, game)
    for i in range(index, to, -1):
        link = _before(prefix, i, link)
    return link


def _before(prefix: bytes, index: int, link: bytes) -> bytes:
    """Link ``index − 1`` from link ``index``; ``prefix`` is the LP of the first three parts."""
    return sha256(prefix + _INDEX_HEAD + index.to_bytes(4, "big") + _LINK_HEAD + link).digest()
