"""The byte notation of schemas/README.md §1: SHA, MAC, u32, LP, KDF, b64, and the fingerprint that people compare.

Everything that is hashed, keyed or bound in pbem goes through ``lp``: each part is written with its length,
so no two different lists of parts give the same bytes. Text is UTF-8; hashes and keys are raw bytes.
"""

from __future__ import annotations

import binascii
import hmac
from functools import lru_cache
from hashlib import sha256
from typing import TypeAlias

from pbem.base.errors import FormatError
from pbem.base.sentences import sentence

Part: TypeAlias = bytes | str | int
"""What ``lp`` takes: bytes, text as UTF-8, a number as u32."""

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


def lp(*parts: Part) -> bytes:
    """Length-prefixed concatenation: for each part its length as u32, then the part; a number is its u32."""
    out = []
    for part in parts:
        raw = part.encode() if isinstance(part, str) else part
        if isinstance(raw, int):
            raw = raw.to_bytes(4, "big")
        length = len(raw)
        out.append(_SHORT[length] if length < _SHORTS else length.to_bytes(4, "big"))
        out.append(raw)
    return b"".join(out)


def sha_lp(*parts: Part) -> bytes:
    """SHA-256 over ``lp(parts)``: what every commitment is."""
    return sha256(lp(*parts)).digest()


def kdf(key: bytes, *parts: Part) -> bytes:
    """HKDF-SHA-256 (RFC 5869) with empty salt and ``info = lp(parts)``: 32 bytes, which is one block."""
    return mac(mac(b"", key), lp(*parts) + b"\x01")


def macs(key: bytes, count: int) -> list[bytes]:
    """The HMAC-SHA-256 of each number below ``count``, as u32."""
    return [hmac.digest(key, number.to_bytes(4, "big"), "sha256") for number in range(count)]


def b64(data: bytes) -> str:
    """Base64url without padding (RFC 4648 §5)."""
    return binascii.b2a_base64(data, newline=False).rstrip(b"=").translate(_URL_SAFE).decode("ascii")


def unb64(text: str, size: int | None = None) -> bytes:
    """The bytes of ``text``, which must be spelled exactly as ``b64`` spells them.

    Raises:
        FormatError: characters of no base64url, padding, stray bits, or not ``size`` bytes.
    """
    if not isinstance(text, str):
        raise FormatError(sentence("expected base64url text, found something else"))
    try:
        plain = text.encode("ascii").translate(_PLAIN)
        data = binascii.a2b_base64(plain + b"=" * (-len(plain) % 4), strict_mode=True)
    except (binascii.Error, ValueError):
        data = None
    if data is None or (text and text[-1] not in _LAST[len(data) % 3]):
        raise FormatError(
            sentence("expected canonical base64url without padding, found {text!r}", text=_shortened(text))
        )
    if size is not None and len(data) != size:
        raise FormatError(
            sentence("expected {size} bytes in base64url, found {count}", size=size, count=len(data))
        )
    return data


known64 = lru_cache(maxsize=4096)(unb64)
"""``unb64`` of a key or a hash, cached: a match has few of them, and every record and file repeats them."""
name64 = lru_cache(maxsize=4096)(b64)
"""``b64`` of the same, cached."""


def fingerprint(data: bytes) -> str:
    """A short name of a key or a head that two people can compare by phone: ``7Q3KD-W1XNB-0HT5E-RM2C9``.

    The first 100 bits of SHA(data) in Crockford base32, most significant bit first, in four groups of five.
    """
    text = encode(sha(data))[: _FINGERPRINT_GROUPS * _FINGERPRINT_GROUP]
    return "-".join(groups(text, _FINGERPRINT_GROUP))


def short_id(game: bytes) -> str:
    """The match's name in subjects and file names: the first 40 bits of its id, in lower-case Crockford base32.

    Lower case and digits only, so that it also survives in an address (RFC 5321 local parts get lower-cased).
    """
    return encode(game)[:_SHORT_ID].lower()


def _shortened(text: str) -> str:
    return text if len(text) <= 40 else text[:40] + "…"


# --- crockford base32: what a person may have to read aloud or type ---------------------------------------
#
# Most significant bit first; the last character is filled with zero bits. The reader maps what is easily
# confused: O is read as 0, I and L as 1; the letter U is in no text. Hyphens and blanks are left to the
# caller.

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

_VALUE = {ord(character): value for value, character in enumerate(ALPHABET)}
_LOOKALIKE = str.maketrans("OIL", "011")


def encode(data: bytes) -> str:
    """``data`` as ⌈8n/5⌉ characters."""
    size = -(-len(data) * 8 // 5)
    padded = data + bytes(-len(data) % 5)
    words = (int.from_bytes(padded[start : start + 5], "big") for start in range(0, len(padded), 5))
    return "".join(ALPHABET[word >> shift & 31] for word in words for shift in range(35, -1, -5))[:size]


def tidy(text: str) -> str:
    """Upper case, with O read as 0 and I, L as 1."""
    return text.upper().translate(_LOOKALIKE)


def decode(text: str) -> bytes:
    """The bytes of tidied ``text``.

    Raises:
        FormatError: a character of no base32, a length no bytes encode to, or fill bits that are not zero.
    """
    unknown = next((character for character in text if ord(character) not in _VALUE), None)
    if unknown is not None:
        raise FormatError(
            sentence(
                "{character!r} is not a character of this code (Crockford base32 has no U)", character=unknown
            )
        )
    size = len(text) * 5 // 8
    out = bytearray()
    for part in groups(text + "0" * (-len(text) % 8), 8):
        word = 0
        for character in part:
            word = word << 5 | _VALUE[ord(character)]
        out += word.to_bytes(5, "big")
    if len(text) * 5 - size * 8 >= 5 or any(out[size:]):
        raise FormatError(
            sentence("the last character does not fit: the text was cut off or something was added")
        )
    return bytes(out[:size])


def groups(text: str, size: int) -> list[str]:
    """``text`` cut into pieces of ``size`` characters, the last one shorter if need be."""
    return [text[start : start + size] for start in range(0, len(text), size)]
