"""Decks: laid face down under one commitment per place, then cut by everybody's links (schemas/README.md §4.2).

The host lays with ``lay`` before the links are out; ``entropy`` of the links decides the ``cut``; draw k
takes place ``cut[k]``. Cards are opaque text; the engine sees a permutation of the cards sorted by their
bytes (``permutation``). Places, draws and generations count from 0, epochs from 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import pairwise

from pbem.base.values import dataclass
from pbem.protocol.crypto.digest import SALT_SIZE, kdf, lp, mac, sha, u32
from pbem.protocol.draws.roll import shuffle


def epoch_seed(master: bytes, game: bytes, epoch: int) -> bytes:
    """``seed_e``: from which everything hidden of an epoch follows; the close reveals it."""
    return kdf(master, "pbem/1 host seed", game, u32(epoch))


def seed_commit(game: bytes, epoch: int, seed: bytes) -> bytes:
    """``commit_e``: what the announcement says of the seed."""
    return sha(lp("pbem/1 seed commit", game, u32(epoch), seed))


@dataclass(frozen=True, slots=True)
class SealedDeck:
    """One generation of a deck, face down: place i holds ``cards[order[i]]`` of the cards sorted by bytes."""

    order: tuple[int, ...]
    salts: tuple[bytes, ...]
    leaves: tuple[bytes, ...]


def lay(seed: bytes, game: bytes, epoch: int, deck: str, gen: int, cards: Sequence[str]) -> SealedDeck:
    """Lay ``cards`` (sorted by their bytes) as the epoch's seed alone decides."""
    if any(a.encode() > b.encode() for a, b in pairwise(cards)):
        raise ValueError("the cards of a deck are laid from a list sorted by bytes")
    where = (game, u32(epoch), deck, u32(gen))
    order = tuple(shuffle(kdf(seed, "pbem/1 hide", *where), range(len(cards))))
    salt_key = kdf(seed, "pbem/1 salt", *where)
    salts = tuple(mac(salt_key, u32(place))[:SALT_SIZE] for place in range(len(cards)))
    head = b"\x00" + lp("pbem/1 card", *where)
    leaves = tuple(
        sha256(head + lp(u32(place), salts[place], cards[index])).digest()
        for place, index in enumerate(order)
    )
    return SealedDeck(order, salts, leaves)


def leaf(game: bytes, epoch: int, deck: str, gen: int, place: int, salt: bytes, card: str) -> bytes:
    """The commitment to one card at one place."""
    return sha(b"\x00" + lp("pbem/1 card", game, u32(epoch), deck, u32(gen), u32(place), salt, card))


def entropy(game: bytes, epoch: int, links: Mapping[str, bytes]) -> bytes:
    """``entropy_e`` of the announced seats' links, taken in byte order of the seats."""
    parts: list[bytes | str] = []
    for seat in sorted(links, key=str.encode):
        parts += (seat, links[seat])
    return sha(lp("pbem/1 entropy", game, u32(epoch), *parts))


def cut(entropy: bytes, deck: str, gen: int, size: int) -> tuple[int, ...]:
    """Draw k takes place ``cut[k]``; match and epoch are bound by the entropy already."""
    return tuple(shuffle(kdf(entropy, "pbem/1 cut", deck, u32(gen)), range(size)))


def permutation(order: Sequence[int], cut: Sequence[int]) -> tuple[int, ...]:
    """What the engine is told of a shuffle: draw k is card ``p[k]`` of the list sorted by bytes."""
    return tuple(order[place] for place in cut)


# --- Merkle tree (RFC 6962 §2.1): names a deck ------------------------------------------------


def merkle_root(leaves: Sequence[bytes]) -> bytes:
    """The root over ``leaves``, which are leaf hashes already (0x00 is inside ``leaf``)."""
    if len(leaves) <= 1:
        return leaves[0] if leaves else sha(b"")
    split = _split(len(leaves))
    return _node(merkle_root(leaves[:split]), merkle_root(leaves[split:]))


def _split(size: int) -> int:
    """The largest power of two smaller than ``size``."""
    return 1 << (size - 1).bit_length() - 1


def _node(left: bytes, right: bytes) -> bytes:
    return sha(b"\x01" + left + right)
