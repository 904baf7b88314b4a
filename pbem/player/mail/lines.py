"""Lines of a game file, known by how they begin; plain, or packed as in long letters (schemas/README.md §13.1)."""

from __future__ import annotations

import re
import struct
import zlib
from functools import lru_cache
from typing import Final

from pbem.protocol.formats.envelopes import SHORTEST_LINE

_RECORD: Final = re.compile(rb'"prev":"[A-Za-z0-9_-]{0,43}"')
_MAIL: Final = re.compile(rb"(?:From [^\n]*+\n)?[A-Za-z][A-Za-z0-9-]{0,60}:[ \t\r\n]")
_GZIP: Final = b"\x1f\x8b\x08"
_HEADER: Final = _GZIP + bytes([0, 0, 0, 0, 0, 0, 255])
"""Without a name, a time and a system (RFC 1952)."""
_LAST_BLOCK: Final = b"\x03\x00"
"""An empty block that says it is the last one (RFC 1951)."""
_WITH_HEADER: Final = 31
"""zlib's word for gzip (RFC 1952)."""
_MOST_TIMES: Final = 16
"""So many times its packed length is unpacked; records, which are mostly keys and seals, have less than twice."""


def is_mail(raw: bytes) -> bool:
    """Whether these bytes begin with a header, as a mail does."""
    return _MAIL.match(raw) is not None


def lines_in(data: bytes) -> tuple[bytes, ...] | None:
    """The records of a game file or a part of one; None if the bytes do not begin like one.

    It costs no more than ``data`` is worth, whatever it says it unfolds into.
    """
    if is_packed(data):
        plain = _unpacked(data)
        return _in_plain(plain) if plain.count(b"\n") * SHORTEST_LINE <= len(plain) + SHORTEST_LINE else None
    return _in_plain(data)


def is_packed(data: bytes) -> bool:
    """Whether these bytes begin as a packed file."""
    return data.startswith(_GZIP)


def pack_lines(lines: bytes) -> bytes:
    """Records with their line feeds as a gzip file that names neither a time nor a file.

    Every record is packed by itself, once for all letters that bring it: a packed record refers to nothing before it
    and ends on a whole byte, so that they can stand behind each other. That is a fourteenth longer than packing
    them together.
    """
    packed = map(_packed, lines.splitlines(keepends=True))
    return b"".join(
        (_HEADER, *packed, _LAST_BLOCK, struct.pack("<II", zlib.crc32(lines), len(lines) & 0xFFFFFFFF))
    )


@lru_cache(maxsize=512)
def _packed(line: bytes) -> bytes:
    """A line in blocks of DEFLATE (RFC 1951), of which none is the last one."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return packer.compress(line) + packer.flush(zlib.Z_FULL_FLUSH)


def _unpacked(data: bytes) -> bytes:
    """What was packed; nothing if it is damaged, unfolds into too much, or something stands behind it."""
    unpacker, most = zlib.decompressobj(_WITH_HEADER), _MOST_TIMES * len(data)
    try:
        plain = unpacker.decompress(data, most)
    except zlib.error:
        return b""
    return plain if unpacker.eof and not unpacker.unused_data else b""


def _in_plain(data: bytes) -> tuple[bytes, ...] | None:
    clean = data.lstrip(b" \t\r\n\xef\xbb\xbf")
    if not clean.startswith(b'{"body":{'):
        return None
    clean = clean.replace(b"\r\n", b"\n")
    first = clean.partition(b"\n")[0]
    if not first.endswith(b"}}") or b'"sig":{' not in first or _RECORD.search(first) is None:
        return None
    return tuple(line for line in clean.split(b"\n") if line)
