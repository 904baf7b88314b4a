"""What the vectors are made from: fixed text, and the two kinds of cases. Secrets begin with ``TEST``."""

from __future__ import annotations

import copy
import hashlib

from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import Identity

Cases = tuple[str, list[JsonObject]]


def secret(text: str) -> bytes:
    """32 bytes from text."""
    return hashlib.sha256(f"TEST {text}".encode()).digest()


GAME = secret("a match")
ANNA, BURT, HOST = Identity(secret("anna")), Identity(secret("burt")), Identity(secret("host"))
SEED = secret("the seed of epoch 1")
SALT = secret("a salt")[:16]
CARDS = sorted(["ace", "deuce", "deuce", "trey", "four", "five", "six", "joker"])


def good(name: str, op: str, given: JsonObject) -> JsonObject:
    """A case that holds."""
    return {"name": name, "op": op, "in": given}


def bad(name: str, op: str, given: JsonObject, fails: str, **change: object) -> JsonObject:
    """A case that must fail: ``given`` with some members changed."""
    return {"name": name, "op": op, "in": {**copy.deepcopy(given), **change}, "fails": fails}


def flipped(text: str, at: int = 0) -> str:
    """Base64url of other bytes, equally long."""
    raw = bytearray(unb64(text))
    raw[at] ^= 1
    return b64(bytes(raw))
