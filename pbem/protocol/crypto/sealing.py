"""Sealing to one recipient: HPKE (RFC 9180) base mode, one shot, and the padding (schemas/README.md §3).

DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM; the sealed bytes are enc (32) ‖ ciphertext ‖ tag (16).
``info`` binds what the bytes are for: match, place and recipient. HPKE takes its one-time key from the
operating system, so sealing twice never gives the same bytes; what can be compared later is the commitment
beside it.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from pbem.base.errors import VerificationError
from pbem.base.sentences import sentence
from pbem.protocol.crypto.primitives import Provider, SealKey, Unfit
from pbem.protocol.crypto.provider import provider

KEY_SIZE: Final = 32
OVERHEAD: Final = 48
"""Bytes by which the sealed text is longer than what was sealed: enc and tag."""
PAD_STEP: Final = 512

_PRIME: Final = 2**255 - 19
_PROBE: Final = bytes(31) + b"\x01"


def pad(data: bytes, size: int) -> bytes:
    """``data``, 0x80 and zeros (ISO 7816-4) up to ``size``, or, if that is too short, a multiple of 512."""
    if len(data) >= size:
        size = (len(data) // PAD_STEP + 1) * PAD_STEP
    return (data + b"\x80").ljust(size, b"\0")


def unpad(data: bytes) -> bytes:
    """What was padded.

    Raises:
        VerificationError: code ``seal``, if there is no padding.
    """
    raw = data.rstrip(b"\0")
    if not raw.endswith(b"\x80"):
        raise VerificationError("seal", sentence("the sealed text opens, but its padding is broken"))
    return raw[:-1]


def seal(plaintext: bytes, public: bytes, info: bytes) -> bytes:
    """``plaintext`` sealed to ``public`` under ``info``.

    Raises:
        VerificationError: code ``key``, if ``public`` is no seal key.
    """
    check_seal_key(public)
    return provider().seal(plaintext, public, info)


def unseal(ct: bytes, private: SealKey, info: bytes) -> bytes:
    """The plaintext of ``ct``, if it was sealed to this key under exactly this ``info``.

    Raises:
        VerificationError: code ``seal``.
    """
    try:
        return private.open(ct, info)
    except Unfit:
        raise VerificationError("seal", _CLOSED) from None


def shared_secret(ct: bytes, private: SealKey) -> bytes:
    """What opens ``ct``, which was sealed to this key, and nothing else that was: for whoever takes over.

    Raises:
        VerificationError: code ``seal``; nothing was sealed so.
    """
    try:
        return shared_with(private, ct)
    except Unfit:
        raise VerificationError("seal", _CLOSED) from None


def unseal_shared(ct: bytes, secret: bytes, info: bytes) -> bytes:
    """The plaintext of ``ct`` by its shared secret, if it was sealed under exactly this ``info``.

    Raises:
        VerificationError: code ``seal``.
    """
    try:
        return open_shared(provider(), secret, ct, info)
    except Unfit:
        raise VerificationError("seal", _CLOSED) from None


def check_seal_key(public: bytes) -> None:
    """Return if ``public`` may be a seal key: 32 bytes, canonical (u < 2^255 − 19), not of small order.

    Raises:
        VerificationError: code ``key``.
    """
    if not _proper(public):
        raise VerificationError("key", _BAD_KEY)


_CLOSED: Final = sentence("the sealed text does not open: altered, or sealed to another key, place or match")
_BAD_KEY: Final = sentence("this is not a seal key: not 32 bytes, not canonical, or of small order")


@lru_cache(maxsize=1024)
def _proper(public: bytes) -> bool:
    if len(public) != KEY_SIZE or int.from_bytes(public, "little") >= _PRIME:
        return False
    try:
        provider().seal_key(_PROBE).agree(public)
    except Unfit:  # an all-zero shared secret: a point of small order (RFC 7748 §6.1)
        return False
    return True


# --- HPKE (RFC 9180) base mode, one shot, from its parts, for providers that have none of their own -------
#
# DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM; no associated data. The sealed bytes are enc (32) ‖
# ciphertext ‖ tag (16).

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
