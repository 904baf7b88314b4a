"""Text armour: a signed file as letters and digits that survive any mail program (``schemas/README.md`` §13).

::

    z      = zlib (RFC 1950) of canon(file)
    block  = PBEM1BEGIN, Crockford base32 of (z ‖ first 4 bytes of SHA(z)) in groups of ten, PBEM1END

The reader works on decoded text (MIME, HTML tags and entities undone). It upper-cases, drops everything
that is not a letter or digit, reads O as 0 and I, L as 1 (in the markers too: it looks for PBEM1BEG1N),
refuses all other letters, caps the length before decoding and the size while inflating. Quoting that
adds letters or digits breaks the checksum and is refused, with that said.
"""

from __future__ import annotations

import re
import string
import zlib
from collections.abc import Callable
from typing import Final

from pbem.base.errors import FormatError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.protocol.crypto import digest as base32
from pbem.protocol.crypto.digest import sha
from pbem.protocol.formats.strict_json import MAX_FILE, canon, parse_line

MAX_TEXT: Final = 4 * 1024 * 1024
"""Characters of text that are looked through for blocks."""
MAX_BLOCK: Final = 120_000
"""Characters of one block; more cannot hold 64 KiB of JSON, even if it does not compress."""
MAX_BLOCKS: Final = 32

_BEGIN: Final = "PBEM1BEGIN"
_END: Final = "PBEM1END"
_BEGIN_TIDY: Final = base32.tidy(_BEGIN)
_END_TIDY: Final = base32.tidy(_END)
_BETWEEN: Final = re.compile(r"[\W_]+")
_SPELLING: Final = {ord(letter): base32.tidy(letter) for letter in string.ascii_letters}
_CHECK_SIZE: Final = 4
_COST: Final = 8
"""A character of a block, and one of its JSON, takes as long as so many that are only looked through."""
_GROUP: Final = 10
_GROUPS_PER_LINE: Final = 6


def armour(file: JsonObject) -> str:
    """``file`` as a block of text, ending with a line feed."""
    packed = zlib.compress(canon(file), 9)
    groups = base32.groups(base32.encode(packed + sha(packed)[:_CHECK_SIZE]), _GROUP)
    lines = [
        " ".join(groups[start : start + _GROUPS_PER_LINE])
        for start in range(0, len(groups), _GROUPS_PER_LINE)
    ]
    return "\n".join([_BEGIN, *lines, _END]) + "\n"


@dataclass(frozen=True, slots=True)
class FoundBlocks:
    """What a text holds: the canonical JSON of each readable block, and what is wrong with the others."""

    blocks: tuple[bytes, ...]
    damages: tuple[FormatError, ...]


def scan(text: str, spend: Callable[[int], object] = int) -> FoundBlocks:
    """All blocks of ``text``, readable or not, in order; the same block twice (a quoted reply) counts once.

    ``spend`` is called with every amount of characters before they are looked at; what it raises ends the search.

    Raises:
        FormatError: if the text is too long to be looked through, or has too many blocks.
    """
    if len(text) > MAX_TEXT:
        raise FormatError(
            sentence(
                "too long: at most {most} characters are searched for a text block, found {count}",
                most=MAX_TEXT,
                count=len(text),
            )
        )
    spend(len(text))
    pieces = _tidied(text).split(_BEGIN_TIDY)
    if len(pieces) - 1 > MAX_BLOCKS:
        raise FormatError(
            sentence(
                "at most {most} text blocks are read at once, found {count}",
                most=MAX_BLOCKS,
                count=len(pieces) - 1,
            )
        )
    blocks: dict[bytes, None] = {}
    damages = []
    if _END_TIDY in pieces[0]:
        damages.append(
            FormatError(sentence("a text block was cut off: {end} without {begin}", end=_END, begin=_BEGIN))
        )
    for piece in pieces[1:]:
        try:
            blocks[_read(piece, spend)] = None
        except FormatError as fault:
            damages.append(fault)
    return FoundBlocks(tuple(blocks), tuple(damages))


def _tidied(text: str) -> str:
    """Letters and digits only, in the spelling of the code; letters of other alphabets stay what they are."""
    pieces = (text[start : start + _AT_ONCE] for start in range(0, len(text), _AT_ONCE))
    return "".join([_BETWEEN.sub("", piece).translate(_SPELLING) for piece in pieces])


def _read(piece: str, spend: Callable[[int], object]) -> bytes:
    """The canonical JSON of what follows a begin marker."""
    code, end, _ = piece.partition(_END_TIDY)
    if not end:
        raise FormatError(
            sentence("a text block was cut off: {begin} without {end}", begin=_BEGIN, end=_END), hint=_AGAIN
        )
    if len(code) > MAX_BLOCK:
        raise FormatError(
            sentence(
                "the text block is too long: at most {most} characters, found {count}",
                most=MAX_BLOCK,
                count=len(code),
            )
        )
    spend(len(code) * _COST)
    try:
        data = base32.decode(code)
    except FormatError as fault:
        raise _damaged(fault) from None
    packed, check = data[:-_CHECK_SIZE], data[-_CHECK_SIZE:]
    if sha(packed)[:_CHECK_SIZE] != check:
        raise _damaged(sentence("its checksum does not fit"))
    line = _inflated(packed)
    spend(len(line) * _COST)
    parse_line(line)
    return line


def _damaged(why: object) -> FormatError:
    return FormatError(
        sentence(
            "the text block is damaged: {why}. A character was changed, lost or added, perhaps by quoting that"
            " puts a name or a number before each line",
            why=why,
        ),
        hint=_AGAIN,
    )


def _inflated(packed: bytes) -> bytes:
    inflater = zlib.decompressobj()
    try:
        line = inflater.decompress(packed, MAX_FILE + 1)
    except zlib.error:
        raise FormatError(sentence("the text block is damaged: it does not unpack")) from None
    if len(line) > MAX_FILE:
        raise FormatError(sentence("the text block holds more than {most} bytes", most=MAX_FILE))
    if not inflater.eof or inflater.unused_data:
        raise FormatError(
            sentence("the text block is damaged: something is missing or left over after unpacking")
        )
    return line


_AT_ONCE: Final = 8192
"""Characters that are tidied in one go: every word between is a string of its own until they are joined."""
_AGAIN: Final = sentence(
    "Copy the whole text block again, from PBEM1BEGIN to PBEM1END, or attach the file itself."
)
