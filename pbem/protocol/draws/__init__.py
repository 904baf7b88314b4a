"""Verifiable randomness: links of a cut, decks committed before the cut, dice sequences (schemas/README.md §4).

Decks are laid face down under one commitment per place, then cut by everybody's links. The host lays
with ``lay`` before the links are out; ``entropy`` of the links decides the ``cut``; draw k takes place
``cut[k]``. Cards are opaque text; the engine sees a permutation of the cards sorted by their bytes
(``permutation``). Places, draws and generations count from 0, epochs from 1.

In: chains, the cut, the tape of dice. Out: which draws a game asks for (``pbem.game``), when they
are opened and by whom (``pbem.protocol.record``), entropy. Called by: client, letters, record.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise
from typing import Final, TypeVar

from pbem.base.values import dataclass
from pbem.protocol.crypto.digest import HASH_SIZE, SALT_SIZE, Part, kdf, lp, mac, macs, sha, sha_lp, u32

_LINK_HEAD: Final = u32(HASH_SIZE)
_SALT_HEAD: Final = u32(SALT_SIZE)
_INDEX_HEAD: Final = u32(4)


def epoch_seed(master: bytes, game: bytes, epoch: int) -> bytes:
    """``seed_e``: from which everything hidden of an epoch follows; the close reveals it."""
    return kdf(master, "pbem/1 host seed", game, epoch)


def seed_commit(game: bytes, epoch: int, seed: bytes) -> bytes:
    """``commit_e``: what the announcement says of the seed."""
    return sha_lp("pbem/1 seed commit", game, epoch, seed)


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
    where = (game, epoch, deck, gen)
    order = tuple(shuffle(kdf(seed, "pbem/1 hide", *where), range(len(cards))))
    salt_key = kdf(seed, "pbem/1 salt", *where)
    salts = tuple([code[:SALT_SIZE] for code in macs(salt_key, len(cards))])
    leaves = _leaves(where, salts, [cards[index] for index in order])
    return SealedDeck(order, salts, leaves)


def _leaves(where: tuple[Part, ...], salts: Sequence[bytes], cards: Sequence[str]) -> tuple[bytes, ...]:
    """``leaf`` of every place; what is alike in all of them is hashed once."""
    head = sha256(b"\x00" + lp("pbem/1 card", *where))
    leaves = []
    for place, (salt, card) in enumerate(zip(salts, cards, strict=True)):
        hashed, name = head.copy(), card.encode()
        hashed.update(
            _INDEX_HEAD + place.to_bytes(4, "big") + _SALT_HEAD + salt + len(name).to_bytes(4, "big") + name
        )
        leaves.append(hashed.digest())
    return tuple(leaves)


def leaf(game: bytes, epoch: int, deck: str, gen: int, place: int, salt: bytes, card: str) -> bytes:
    """The commitment to one card at one place."""
    return sha(b"\x00" + lp("pbem/1 card", game, epoch, deck, gen, place, salt, card))


def entropy(game: bytes, epoch: int, links: Mapping[str, bytes]) -> bytes:
    """``entropy_e`` of the announced seats' links, taken in byte order of the seats."""
    parts: list[bytes | str] = []
    for seat in sorted(links, key=str.encode):
        parts += (seat, links[seat])
    return sha_lp("pbem/1 entropy", game, epoch, *parts)


def cut(entropy: bytes, deck: str, gen: int, size: int) -> tuple[int, ...]:
    """Draw k takes place ``cut[k]``; match and epoch are bound by the entropy already."""
    return tuple(shuffle(kdf(entropy, "pbem/1 cut", deck, gen), range(size)))


def permutation(order: Sequence[int], cut: Sequence[int]) -> tuple[int, ...]:
    """What the engine learns of a shuffle: draw k is card ``p[k]`` of the list sorted by bytes."""
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


# --- dice: each die is a roll of its own and opens the tape's next link (schemas/README.md §4.3) ----------


def roll(link: bytes, entropy: bytes, tape: str, j: int, sides: int) -> int:
    """The value 1…``sides`` of roll ``j`` (counted from 1) of ``tape``, whose link j is ``link``."""
    return 1 + Stream(kdf(link, "pbem/1 roll", entropy, tape, j)).below(sides)


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


# --- chain ------------------------------------------------------------------------------------------------
#
# Chains of links: what a seat or a tape committed to with one anchor and reveals one by one
# (schemas/README.md §4.1).
#
# ``link_L = KDF(seed, "pbem/1 chain seed", label, game)`` and ``link_{i−1} = SHA(LP("pbem/1 chain",
# label, game, u32 i, link_i))``; the anchor is link_0. Who knows a link can hash down to every earlier
# one and to none that comes later.

LENGTH: Final = 1024
"""Links of every chain that we make; others may announce other lengths."""
MAX_LENGTH: Final = 65_536
"""The longest chain that a reader follows, also in the schemas: it caps the hashes that a file can ask for."""


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
