"""The byte notation of schemas/README.md §1: SHA, MAC, u32, LP, KDF, b64, and the fingerprint that people compare.

Everything that is hashed, keyed or bound in pbem goes through ``lp``: each part is written with its length,
so no two different lists of parts give the same bytes. Text is UTF-8; hashes and keys are raw bytes.
"""

from __future__ import annotations

import binascii
import hmac
from hashlib import sha256

from pbem.base.errors import FormatError
from pbem.protocol.crypto import base32

HASH_SIZE = 32
SALT_SIZE = 16

_URL_SAFE = bytes.maketrans(b"+/", b"-_")
_PLAIN = bytes.maketrans(b"-_+/=", b"+/***")  # what is no letter of ours becomes one that no reader takes
_ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
_LAST = {0: _ALPHABET, 1: _ALPHABET[::16], 2: _ALPHABET[::4]}
"""By bytes left over: the letters a text may end in; any other carries stray bits."""

_SHORTS = 256
_SHORT = tuple(length.to_bytes(4, "big") for length in range(_SHORTS))

_SHORT_ID = 8
_FINGERPRINT_GROUPS = 4
_FINGERPRINT_GROUP = 5


def sha(data: bytes) -> bytes:
    """SHA-256."""
    return sha256(data).digest()


def mac(key: bytes, data: bytes) -> bytes:
    """HMAC-SHA-256 (RFC 2104)."""
    return hmac.digest(key, data, "sha256")


def u32(number: int) -> bytes:
    """``number`` as 4 bytes, big-endian."""
    return number.to_bytes(4, "big")


def lp(*parts: bytes | str) -> bytes:
    """Length-prefixed concatenation: for each part its length as u32, then the part."""
    out = []
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        length = len(raw)
        out.append(_SHORT[length] if length < _SHORTS else length.to_bytes(4, "big"))
        out.append(raw)
    return b"".join(out)


def kdf(key: bytes, *parts: bytes | str) -> bytes:
    """HKDF-SHA-256 (RFC 5869) with empty salt and ``info = lp(parts)``: 32 bytes, which is one block."""
    return mac(mac(b"", key), lp(*parts) + b"\x01")


def b64(data: bytes) -> str:
    """Base64url without padding (RFC 4648 §5)."""
    return binascii.b2a_base64(data, newline=False).rstrip(b"=").translate(_URL_SAFE).decode("ascii")


def unb64(text: str, size: int | None = None) -> bytes:
    """The bytes of ``text``, which must be spelled exactly as ``b64`` spells them.

    Raises:
        FormatError: foreign characters, padding, stray bits, or not ``size`` bytes.
    """
    if not isinstance(text, str):
        raise FormatError(f"expected base64url text, found {type(text).__name__}")
    try:
        plain = text.encode("ascii").translate(_PLAIN)
        data = binascii.a2b_base64(plain + b"=" * (-len(plain) % 4), strict_mode=True)
    except (binascii.Error, ValueError):
        data = None
    if data is None or (text and text[-1] not in _LAST[len(data) % 3]):
        raise FormatError(f"expected canonical base64url without padding, found {_shortened(text)}")
    if size is not None and len(data) != size:
        raise FormatError(f"expected {size} bytes in base64url, found {len(data)}")
    return data


def fingerprint(data: bytes) -> str:
    """A short name of a key or a head that two people can compare by phone: ``7Q3KD-W1XNB-0HT5E-RM2C9``.

    The first 100 bits of SHA(data) in Crockford base32, most significant bit first, in four groups of five.
    """
    text = base32.encode(sha(data))[: _FINGERPRINT_GROUPS * _FINGERPRINT_GROUP]
    return "-".join(base32.groups(text, _FINGERPRINT_GROUP))


def short_id(game: bytes) -> str:
    """The match's name in subjects and file names: the first 40 bits of its id, in lower-case Crockford base32.

    Lower case and digits only, so that it also survives in an address (RFC 5321 local parts get lower-cased).
    """
    return base32.encode(game)[:_SHORT_ID].lower()


def _shortened(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")
