"""Crockford base32: what a person may have to read aloud or type.

Most significant bit first; the last character is filled with zero bits. The reader maps what is easily
confused: O is read as 0, I and L as 1; the letter U is in no text. Hyphens and blanks are the caller's
business.
"""

from __future__ import annotations

from pbem.errors import FormatError

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

_VALUE = {ord(character): value for value, character in enumerate(ALPHABET)}
_LOOKALIKE = str.maketrans("OIL", "011")


def encode(data: bytes) -> str:
    """``data`` as ⌈8n/5⌉ characters."""
    size = -(-len(data) * 8 // 5)
    number = int.from_bytes(data, "big") << (size * 5 - len(data) * 8)
    return "".join(ALPHABET[number >> shift & 31] for shift in range((size - 1) * 5, -1, -5))


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
    fill = len(text) * 5 - size * 8
    number = 0
    for start in range(0, len(text), 12):  # twelve at a time: 60 bits, then one big shift
        part = text[start : start + 12]
        word = 0
        for character in part:
            word = word << 5 | _VALUE[ord(character)]
        number = number << 5 * len(part) | word
    if fill >= 5 or number & (1 << fill) - 1:
        raise FormatError("the last character does not fit: the text was cut off or something was added")
    return (number >> fill).to_bytes(size, "big")


def groups(text: str, size: int) -> list[str]:
    """``text`` cut into pieces of ``size`` characters, the last one shorter if need be."""
    return [text[start : start + size] for start in range(0, len(text), size)]
