"""One place of a deck proven without the rest (RFC 6962 §2.1.1): allowed by the format, needed by nobody here."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.protocol.crypto.digest import sha
from pbem.protocol.draws import merkle_root


def merkle_path(leaves: Sequence[bytes], place: int) -> tuple[bytes, ...]:
    """The audit path of ``place``, from the leaf's neighbour up (RFC 6962 §2.1.1)."""
    if not 0 <= place < len(leaves):
        raise ValueError(f"no place {place} among {len(leaves)}")
    if len(leaves) == 1:
        return ()
    split = _split(len(leaves))
    if place < split:
        return (*merkle_path(leaves[:split], place), merkle_root(leaves[split:]))
    return (*merkle_path(leaves[split:], place - split), merkle_root(leaves[:split]))


def verify_path(leaf: bytes, place: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Whether ``leaf`` stands at ``place`` of the ``size`` leaves under ``root``."""
    if not 0 <= place < size or any(len(part) != len(root) for part in (leaf, *path)):
        return False
    sides: list[bool] = []  # from the root down: is the leaf in the right half
    at, width = place, size
    while width > 1:
        split = _split(width)
        sides.append(at >= split)
        at, width = (at - split, width - split) if at >= split else (at, split)
    if len(path) != len(sides):
        return False
    node = leaf
    for right, sibling in zip(reversed(sides), path, strict=True):
        node = _node(sibling, node) if right else _node(node, sibling)
    return node == root


def _split(size: int) -> int:
    """The largest power of two smaller than ``size``."""
    return 1 << (size - 1).bit_length() - 1


def _node(left: bytes, right: bytes) -> bytes:
    return sha(b"\x01" + left + right)
