"""The provider of a session of tests: each signature is verified once by a process, each key read once.

Tests audit the same records hundreds of times, each time with another one falsified. Whether a signature holds follows
from the key, the message and the signature alone; what is another in any byte is verified by itself.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import Final

from pbem.protocol.crypto.native import Native, NativeSealKey, NativeSignKey
from pbem.protocol.crypto.primitives import SealKey, SignKey

_MOST: Final = 50_000
"""Signatures that are kept; then it begins again. They are six megabytes."""
_VERIFIED: Final[dict[bytes, bool]] = {}
"""Whether it holds, by the hash of key, signature and message."""

_sign_key = lru_cache(maxsize=512)(NativeSignKey)
_seal_key = lru_cache(maxsize=512)(NativeSealKey)


class Once(Native):
    """The provider of every ordinary Python; what it was asked before it knows."""

    def sign_key(self, seed: bytes) -> SignKey:
        """See ``Provider``."""
        return _sign_key(seed)

    def seal_key(self, scalar: bytes) -> SealKey:
        """See ``Provider``."""
        return _seal_key(scalar)

    def verifies(self, public: bytes, message: bytes, signature: bytes) -> bool:
        """See ``Provider``; what raises is kept nowhere."""
        lengths = b"%d %d " % (len(public), len(signature))
        asked = sha256(b"".join((lengths, public, signature, message))).digest()
        if asked not in _VERIFIED:
            if len(_VERIFIED) >= _MOST:
                _VERIFIED.clear()
            _VERIFIED[asked] = super().verifies(public, message, signature)
        return _VERIFIED[asked]
