"""HPKE (RFC 9180) base mode, one shot, from its parts, for providers that have none of their own.

DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM; no associated data. The sealed bytes are enc (32) ‖ ciphertext ‖
tag (16).
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import Final

from pbem.protocol.crypto.primitives import Provider, SealKey, Unfit

ENC_SIZE: Final = 32

_KEM: Final = b"KEM" + (0x20).to_bytes(2, "big")
_SUITE: Final = b"HPKE" + b"\x00\x20\x00\x01\x00\x01"
_KEY_SIZE: Final = 16
_NONCE_SIZE: Final = 12

GcmSeal = Callable[[bytes, bytes, bytes, bytes], bytes]
"""Key, nonce, text, associated data: ``Provider.gcm_seal`` or ``gcm_open``."""


def seal_with(provider: Provider, once: bytes, plaintext: bytes, public: bytes, info: bytes) -> bytes:
    """``plaintext`` sealed to ``public``; ``once`` is the scalar of the one-time key, 32 bytes never used before.

    Raises:
        Unfit: nothing can be sealed to ``public``.
    """
    key = provider.seal_key(once)
    secret = _decapsulated(key.agree(public), key.public, public)
    return key.public + _with_keys(provider.gcm_seal, secret, info, plaintext)


def open_with(provider: Provider, key: SealKey, sealed: bytes, info: bytes) -> bytes:
    """The plaintext that was sealed to this key.

    Raises:
        Unfit: it does not open.
    """
    return open_shared(provider, shared_with(key, sealed), sealed, info)


def shared_with(key: SealKey, sealed: bytes) -> bytes:
    """The shared secret (RFC 9180 §4.1) of what was sealed to this key: it opens this text, and no other.

    Raises:
        Unfit: nothing was sealed so.
    """
    if len(sealed) < ENC_SIZE:
        raise Unfit("shorter than a public key")
    return _decapsulated(key.agree(sealed[:ENC_SIZE]), sealed[:ENC_SIZE], key.public)


def open_shared(provider: Provider, secret: bytes, sealed: bytes, info: bytes) -> bytes:
    """The plaintext, by the shared secret alone.

    Raises:
        Unfit: it does not open.
    """
    return _with_keys(provider.gcm_open, secret, info, sealed[ENC_SIZE:])


def _decapsulated(agreed: bytes, enc: bytes, public: bytes) -> bytes:
    """The shared secret (RFC 9180 §4.1)."""
    return _expand(_KEM, _extract(_KEM, b"", b"eae_prk", agreed), b"shared_secret", enc + public, 32)


def _with_keys(gcm: GcmSeal, shared: bytes, info: bytes, text: bytes) -> bytes:
    """The one message under the keys of the schedule (RFC 9180 §5.1)."""
    hashes = _extract(_SUITE, b"", b"psk_id_hash", b"") + _extract(_SUITE, b"", b"info_hash", info)
    secret = _extract(_SUITE, shared, b"secret", b"")
    context = b"\x00" + hashes
    key = _expand(_SUITE, secret, b"key", context, _KEY_SIZE)
    return gcm(key, _expand(_SUITE, secret, b"base_nonce", context, _NONCE_SIZE), text, b"")


def _extract(suite: bytes, salt: bytes, label: bytes, ikm: bytes) -> bytes:
    return hmac.digest(salt, b"HPKE-v1" + suite + label + ikm, "sha256")


def _expand(suite: bytes, key: bytes, label: bytes, info: bytes, length: int) -> bytes:
    labeled = length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    return hmac.digest(key, labeled + b"\x01", "sha256")[:length]
