"""The characters that no string of signed or sealed JSON holds: one table by code point (schemas/README.md §1.1).

They are invisible, turn the direction of what stands around them, are controls of a terminal, or are no characters at
all. Text that a person pastes is full of them (emoji are glued together by U+200D), so a client takes the
invisible ones out (``spoken``) and a reader refuses whatever is left (``forbidden``).
"""

from __future__ import annotations

import re
from typing import Final

from pbem.protocol.formats.unicode import nfc

RANGES: Final = (
    (0x0000, 0x001F),  # C0
    (0x007F, 0x009F),  # delete, C1
    (0x00AD, 0x00AD),
    (0x034F, 0x034F),
    (0x061C, 0x061C),
    (0x115F, 0x1160),
    (0x17B4, 0x17B5),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0x3164, 0x3164),
    (0xD800, 0xDFFF),
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF0, 0xFFFB),
    *((plane << 16 | 0xFFFE, plane << 16 | 0xFFFF) for plane in range(0x11)),
    (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)
"""First and last code point of each range."""

FORBIDDEN: Final = re.compile("[" + "".join(f"{chr(first)}-{chr(last)}" for first, last in RANGES) + "]")
_BREAKS: Final = re.compile("[\t\n\v\f\r\x85\u2028\u2029]+")
_SEEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufff0-\uffff]")
"""Those of the table that nobody pastes without knowing: they stay, to be refused with their code point."""


def forbidden(text: str) -> str:
    """The first character of ``text`` that is in the table; empty if there is none."""
    match = FORBIDDEN.search(text)
    return match[0] if match else ""


def harmless(text: str) -> str:
    """Foreign text as one line for people and databases: a blank for every character of the table."""
    return FORBIDDEN.sub(" ", text)


def spoken(text: str) -> str:
    """What a person typed or pasted, as it may be signed: line breaks and tabs are blanks, joiners are gone, NFC."""
    flat = _BREAKS.sub(" ", text)
    if not flat.isascii():
        flat = FORBIDDEN.sub(lambda found: found[0] if _SEEN.match(found[0]) else "", flat)
    return nfc(flat)
