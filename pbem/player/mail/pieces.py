"""Records of a game file as files that fit into emails (schemas/README.md §13.1).

The lines are packed together and cut into numbered pieces. Every piece names all of them by their hashes, so that an
altered one is noticed by itself, and pieces of different packings never mix.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Final

from pbem.base.errors import FormatError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.player.mail.gate import MAX_MESSAGE
from pbem.protocol.crypto.digest import b64, sha, unb64
from pbem.protocol.formats.envelopes import SHORTEST_LINE
from pbem.protocol.formats.strict_json import canon, parse

MAGIC: Final = b"PBEM1LINES\n"
PIECE: Final = MAX_MESSAGE * 3 // 8
"""Bytes of packed lines in one piece: as an attachment it takes half of what an email may have."""
MOST_PIECES: Final = 256
_MOST_HEAD: Final = 64 * 1024
MOST_LINES: Final = 64 * 1024 * 1024
"""Bytes of lines in all pieces together."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece: ``number`` of ``count``, counted from 1; ``bundle`` names the pieces that belong together."""

    game: str
    bundle: str
    number: int
    count: int
    data: bytes


def pack(game: bytes, lines: Sequence[bytes], size: int = PIECE) -> list[bytes]:
    """These lines of a match (without line feeds) as pieces of at most ``size`` bytes of packed lines.

    Raises:
        FormatError: more than fits into the pieces that are taken.
    """
    packed = zlib.compress(b"".join(line + b"\n" for line in lines), 9)
    parts = [packed[start : start + size] for start in range(0, len(packed), size)]
    if len(parts) > MOST_PIECES:
        raise FormatError(
            sentence(
                "the records take {count} pieces; at most {most_pieces} are taken",
                count=len(parts),
                most_pieces=MOST_PIECES,
            )
        )
    names = [b64(sha(part)) for part in parts]
    return [
        MAGIC + canon({"game": b64(game), "piece": number, "pieces": names}) + b"\n" + part
        for number, part in enumerate(parts, 1)
    ]


def read_piece(raw: bytes) -> Piece | None:
    """The piece in these bytes; None if they do not claim to be one.

    Raises:
        FormatError: they do, and are none, or were altered.
    """
    if not raw.startswith(MAGIC):
        return None
    head, newline, data = raw[len(MAGIC) :].partition(b"\n")
    if not newline or len(head) > _MOST_HEAD:
        raise FormatError(sentence("a piece of a match file begins with one line that says which one it is"))
    value = parse(head, limit=_MOST_HEAD)
    if not isinstance(value, dict) or value.keys() != {"game", "piece", "pieces"}:
        raise FormatError(sentence("a piece of a match file says game, piece and pieces"))
    game, number, names = value["game"], value["piece"], value["pieces"]
    if not isinstance(names, list) or not 0 < len(names) <= MOST_PIECES:
        raise FormatError(sentence("a match file has 1 to {most_pieces} pieces", most_pieces=MOST_PIECES))
    if type(number) is not int or not 0 < number <= len(names) or not isinstance(game, str):
        raise FormatError(sentence("a piece of a match file has a number among the pieces"))
    if names[number - 1] != b64(sha(data)):
        raise FormatError(
            sentence("piece {number} of {count} was altered on its way", number=number, count=len(names))
        )
    unb64(game, 32)
    bundle = sha(canon({"game": game, "pieces": names})).hex()
    return Piece(game, bundle, number, len(names), data)


def unpack(pieces: Mapping[int, bytes]) -> list[bytes]:
    """The lines in all pieces of a bundle, by number.

    Raises:
        FormatError: it holds something else, or too much.
    """
    packed = b"".join(pieces[number] for number in sorted(pieces))
    inflater = zlib.decompressobj()
    try:
        plain = inflater.decompress(packed, MOST_LINES)
    except zlib.error:
        raise FormatError(
            sentence("the pieces do not hold packed lines: they were altered on their way")
        ) from None
    if not inflater.eof or inflater.unused_data:
        raise FormatError(
            sentence("the pieces do not hold packed lines: too much, too little, or something behind")
        )
    # Else 64 KiB would unfold into 32 million lines.
    if (plain.count(b"\n") - 1) * SHORTEST_LINE > len(plain):
        raise FormatError(sentence("the pieces do not hold packed lines: they are too short for records"))
    return [line for line in plain.split(b"\n") if line]
