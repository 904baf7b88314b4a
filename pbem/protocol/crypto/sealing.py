"""Sealing to one recipient: HPKE (RFC 9180) base mode, one shot, and the padding (schemas/README.md §3).

DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM; the sealed bytes are enc (32) ‖ ciphertext ‖ tag (16).
``info`` binds what the bytes are for: match, place and recipient. HPKE takes its one-time key from the
operating system, so sealing twice never gives the same bytes; what can be compared later is the commitment
beside it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from pbem.base.errors import VerificationError
from pbem.protocol.crypto.hpke import open_shared, shared_with
from pbem.protocol.crypto.primitives import SealKey, Unfit
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
        raise VerificationError("seal", "the sealed text opens, but its padding is broken")
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


_CLOSED: Final = "the sealed text does not open: altered, or sealed to another key, place or match"
_BAD_KEY: Final = "this is no seal key: not 32 bytes, not canonical, or of small order"


@lru_cache(maxsize=1024)
def _proper(public: bytes) -> bool:
    if len(public) != KEY_SIZE or int.from_bytes(public, "little") >= _PRIME:
        return False
    try:
        provider().seal_key(_PROBE).agree(public)
    except Unfit:  # an all-zero shared secret: a point of small order (RFC 7748 §6.1)
        return False
    return True
