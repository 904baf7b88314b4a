"""Sealing with fixed one-time keys, for matches that are kept: the library takes new ones each time (RFC 9180 §5, §6).

For TEST files only. Whoever seals so reveals when the same text is sealed to the same key under the same ``info``.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from contextlib import contextmanager
from unittest import mock

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from pbem.crypto import sealing

_KEM = b"KEM" + (0x20).to_bytes(2, "big")
_SUITE = b"HPKE" + b"\x00\x20\x00\x01\x00\x01"


def _extract(suite: bytes, salt: bytes, label: bytes, ikm: bytes) -> bytes:
    return hmac.digest(salt or bytes(32), b"HPKE-v1" + suite + label + ikm, hashlib.sha256)


def _expand(suite: bytes, key: bytes, label: bytes, info: bytes, length: int) -> bytes:
    labeled = length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    return hmac.digest(key, labeled + b"\x01", hashlib.sha256)[:length]


def seal_fixed(plaintext: bytes, public: bytes, info: bytes, once: bytes) -> bytes:
    """``plaintext`` sealed to ``public`` with the one-time secret key ``once``."""
    key = X25519PrivateKey.from_private_bytes(once)
    enc = key.public_key().public_bytes_raw()
    dh = key.exchange(X25519PublicKey.from_public_bytes(public))
    shared = _expand(_KEM, _extract(_KEM, b"", b"eae_prk", dh), b"shared_secret", enc + public, 32)
    hashes = _extract(_SUITE, b"", b"psk_id_hash", b"") + _extract(_SUITE, b"", b"info_hash", info)
    secret = _extract(_SUITE, shared, b"secret", b"")
    context = b"\x00" + hashes
    aead = AESGCM(_expand(_SUITE, secret, b"key", context, 16))
    return enc + aead.encrypt(_expand(_SUITE, secret, b"base_nonce", context, 12), plaintext, b"")


class _Fixed:
    """HPKE whose one-time key follows from what is sealed, to whom, and what for."""

    decrypt = staticmethod(sealing._SUITE.decrypt)

    @staticmethod
    def encrypt(plaintext: bytes, key: X25519PublicKey, info: bytes) -> bytes:
        public = key.public_bytes_raw()
        once = hashlib.sha256(
            b"TEST one-time key" + public + hashlib.sha256(info).digest() + plaintext
        ).digest()
        return seal_fixed(plaintext, public, info, once)


@contextmanager
def fixed() -> Iterator[None]:
    """Within it a match played again is the same byte for byte."""
    with mock.patch.object(sealing, "_SUITE", _Fixed()):
        yield
