"""Crockford base32: what a person may have to read aloud or type.

Most significant bit first; the last character is filled with zero bits. The reader maps what is easily
confused: O is read as 0, I and L as 1; the letter U is in no text. Hyphens and blanks are the caller's
business.
"""

from __future__ import annotations

from pbem.base.errors import FormatError

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
        FormatError: a foreign character, a length no bytes encode to, or fill bits that are not zero.
    """
    foreign = next((character for character in text if ord(character) not in _VALUE), None)
    if foreign is not None:
        raise FormatError(f"{foreign!r} is not a character of this code (Crockford base32 has no U)")
    size = len(text) * 5 // 8
    out = bytearray()
    for part in groups(text + "0" * (-len(text) % 8), 8):
        word = 0
        for character in part:
            word = word << 5 | _VALUE[ord(character)]
        out += word.to_bytes(5, "big")
    if len(text) * 5 - size * 8 >= 5 or any(out[size:]):
        raise FormatError("the last character does not fit: the text was cut off or something was added")
    return bytes(out[:size])


def groups(text: str, size: int) -> list[str]:
    """``text`` cut into pieces of ``size`` characters, the last one shorter if need be."""
    return [text[start : start + size] for start in range(0, len(text), size)]
