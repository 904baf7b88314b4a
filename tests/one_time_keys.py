"""Sealing with fixed one-time keys, for matches that are kept: providers take new ones each time (RFC 9180 §5, §6).

For TEST files only. Whoever seals so reveals when the same text is sealed to the same key under the same ``info``.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from pbem.protocol.crypto import identity as hpke
from pbem.protocol.crypto.primitives import Provider
from pbem.protocol.crypto.provider import provider, use


def seal_fixed(plaintext: bytes, public: bytes, info: bytes, once: bytes) -> bytes:
    """``plaintext`` sealed to ``public`` with the one-time secret key ``once``."""
    return hpke.seal_with(provider(), once, plaintext, public, info)


class Fixed:
    """A provider whose HPKE has one-time keys that follow from what is sealed, to whom, and what for."""

    def __init__(self, real: Provider) -> None:
        self.sign_key, self.verifies, self.seal_key = real.sign_key, real.verifies, real.seal_key
        self.gcm_seal, self.gcm_open, self.scrypt = real.gcm_seal, real.gcm_open, real.scrypt

    def seal(self, plaintext: bytes, public: bytes, info: bytes) -> bytes:
        once = hashlib.sha256(
            b"TEST one-time key" + public + hashlib.sha256(info).digest() + plaintext
        ).digest()
        return seal_fixed(plaintext, public, info, once)


@contextmanager
def fixed() -> Iterator[None]:
    """Within it a match played again is the same byte for byte."""
    before = provider()
    use(Fixed(before))
    try:
        yield
    finally:
        use(before)
