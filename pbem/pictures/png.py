"""Make a PNG of resvg's small: the same pixels with a palette instead of four bytes each (PNG, ISO/IEC 15948).

A drawing has few colours, most of them the blends at the edges of letters. With at most 256 of them nothing is lost;
of more, the rarest are replaced by the nearest that stays. Standard library only: filters that add whole rows (Sub,
Up) are undone on long integers, the others pixel by pixel with a memory, since a drawing repeats itself.
"""

from __future__ import annotations

import struct
import zlib
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import compress

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGBA_8 = (8, 6, 0, 0, 0)
"""Bit depth, colour type, compression, filter and interlace method: what resvg writes."""
_NONE, _SUB, _UP, _AVERAGE, _PAETH = range(5)
_MOST_COLOURS = 256
_FLAT = 48
_SAMPLE = 4
"""Which colours are common is judged by every fourth row."""
_LEVEL = 6


class NotOurPng(ValueError):
    """Not the kind of PNG that resvg writes."""


def shrink(png: bytes) -> bytes:
    """The same picture with a palette; one that is partly transparent stays as it is."""
    width, height, raw = _read(png)
    rows = _unfiltered(raw, width, height)
    different = list(dict.fromkeys(rows))
    colours: set[int] = set()
    for row in different:
        colours.update(memoryview(row).cast("I"))
    if any(_bytes(colour)[3] != 255 for colour in colours):
        return png
    palette, index = _palette(list(colours), rows)
    made = {row: b"\0" + bytes(map(index.__getitem__, memoryview(row).cast("I"))) for row in different}
    body = b"".join([made[row] for row in rows])
    return b"".join(
        (
            _SIGNATURE,
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            _chunk(b"PLTE", b"".join(_bytes(colour)[:3] for colour in palette)),
            _chunk(b"IDAT", zlib.compress(body, _LEVEL)),
            _chunk(b"IEND", b""),
        )
    )


def rows_of(png: bytes) -> tuple[int, int, list[bytes]]:
    """Width, height and rows of RGBA pixels of a picture that resvg wrote."""
    width, height, raw = _read(png)
    return width, height, _unfiltered(raw, width, height)


# --- palette ------------------------------------------------------------------------------------------------


def _palette(colours: list[int], rows: Sequence[bytes]) -> tuple[list[int], dict[int, int]]:
    """The colours that stay, and which of them stands for each colour.

    The commonest colours, those of the flat areas, stay as they are. Of the others, the blends at edges, those that
    share their upper bits become the one that most pixels have.
    """
    if len(colours) <= _MOST_COLOURS:
        kept = sorted(colours, key=_bytes)
        return kept, {colour: number for number, colour in enumerate(kept)}
    count = Counter(memoryview(b"".join(rows[::_SAMPLE])).cast("I"))
    ranked = sorted(colours, key=lambda colour: (-count[colour], _bytes(colour)))
    flat = ranked[:_FLAT]
    for bits in (4, 3, 2):
        leader: dict[bytes, int] = {}
        for colour in ranked:
            leader.setdefault(_coarse(colour, bits), colour)
        stays = dict.fromkeys([*flat, *leader.values()])
        if len(stays) <= _MOST_COLOURS:
            break
    number = {colour: at for at, colour in enumerate(sorted(stays, key=_bytes))}
    index = {colour: number[leader[_coarse(colour, bits)]] for colour in colours}
    index.update((colour, number[colour]) for colour in flat)
    return list(number), index


def _coarse(colour: int, bits: int) -> bytes:
    return bytes(channel >> (8 - bits) for channel in _bytes(colour))


def _bytes(colour: int) -> bytes:
    """Red, green, blue, alpha of a pixel as a native word holds it."""
    return struct.pack("=I", colour)


# --- reading ------------------------------------------------------------------------------------------------


def _read(png: bytes) -> tuple[int, int, bytes]:
    if png[:8] != _SIGNATURE:
        raise NotOurPng("no PNG signature")
    width = height = 0
    parts = []
    for kind, data in _chunks(png):
        if kind == b"IHDR":
            width, height, *form = struct.unpack(">IIBBBBB", data)
            if tuple(form) != _RGBA_8:
                raise NotOurPng(f"expected 8-bit RGBA without interlace, found {form}")
        elif kind == b"IDAT":
            parts.append(data)
    return width, height, zlib.decompress(b"".join(parts))


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 8
    while at < len(png):
        size, kind = struct.unpack_from(">I4s", png, at)
        yield kind, png[at + 8 : at + 8 + size]
        at += 12 + size


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _unfiltered(raw: bytes, width: int, height: int) -> list[bytes]:
    size = 4 * width
    adder = _RowAdder(size)
    rows: list[bytes] = []
    before = bytes(size)
    if len(_MEMORY) > _MOST_REMEMBERED:
        _MEMORY.clear()
    for at in range(0, height * (size + 1), size + 1):
        kind, line = raw[at], raw[at + 1 : at + 1 + size]
        if kind == _NONE:
            row = line
        elif kind == _UP:
            row = adder.sum(line, before) if any(line) else before
        elif kind == _SUB:
            row = adder.running_sum(line)
        elif kind in (_AVERAGE, _PAETH):
            row = _by_pixel(kind, line, before)
        else:
            raise NotOurPng(f"unknown filter {kind}")
        rows.append(row)
        before = row
    return rows


class _RowAdder:
    """Adds rows byte by byte, modulo 256, as long integers: carries are kept from crossing into the next byte."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.whole = (1 << (8 * size)) - 1
        self.low = int.from_bytes(b"\x7f" * size, "little")
        self.high = self.whole ^ self.low

    def _add(self, a: int, b: int) -> int:
        return ((a & self.low) + (b & self.low)) ^ ((a ^ b) & self.high)

    def sum(self, line: bytes, before: bytes) -> bytes:
        """The filter Up undone."""
        total = self._add(int.from_bytes(line, "little"), int.from_bytes(before, "little"))
        return total.to_bytes(self.size, "little")

    def running_sum(self, line: bytes) -> bytes:
        """The filter Sub undone: each pixel plus all to its left, by doubling."""
        total = int.from_bytes(line, "little")
        shift = 32
        while shift < 8 * self.size:
            total = self._add(total, (total << shift) & self.whole)
            shift *= 2
        return total.to_bytes(self.size, "little")


_Neighbours = tuple[int, int, int, int, int]
_MEMORY: dict[_Neighbours, int] = {}
"""What became of a filter, the pixels left, above and at the corner, and a change: edges of letters recur."""
_MOST_REMEMBERED = 150_000


def _by_pixel(kind: int, line: bytes, before: bytes) -> bytes:
    """The filters Average and Paeth undone, which need the pixel to the left.

    Where nothing changes and the row above is flat, Paeth repeats the pixel to the left; such runs are skipped.
    """
    paeth = kind == _PAETH
    changes, above = memoryview(line).cast("I"), memoryview(before).cast("I")
    out = array("I", bytes(len(line)))
    left = corner = end = 0
    for at in _places(line, before) if paeth else range(len(changes)):
        if at > end:
            out[end:at] = array("I", [left]) * (at - end)
            corner = above[at - 1]
        up, change = above[at], changes[at]
        key = (kind, left, up, corner, change)
        found = _MEMORY.get(key)
        if found is None:
            found = _MEMORY[key] = _pixel(paeth, left, up, corner, change)
        out[at] = left = found
        corner = up
        end = at + 1
    out[end:] = array("I", [left]) * (len(out) - end)
    return out.tobytes()


def _places(line: bytes, before: bytes) -> list[int]:
    """The pixels of a Paeth row that may differ from the one to their left."""
    above = int.from_bytes(before, "little")
    marked = int.from_bytes(line, "little") | (above ^ (above << 32) & ((1 << 8 * len(before)) - 1))
    words = memoryview(marked.to_bytes(len(line), "little")).cast("I")
    return list(compress(range(len(words)), words))


def _pixel(paeth: bool, left: int, above: int, corner: int, change: int) -> int:
    made = 0
    for shift in (0, 8, 16, 24):
        a, b = left >> shift & 255, above >> shift & 255
        guess = _predicted(a, b, corner >> shift & 255) if paeth else (a + b) // 2
        made |= ((change >> shift) + guess & 255) << shift
    return made


def _predicted(a: int, b: int, c: int) -> int:
    """Paeth's choice between left, above and corner (§9.4)."""
    from_a, from_b, from_c = abs(b - c), abs(a - c), abs(a + b - 2 * c)
    if from_a <= from_b and from_a <= from_c:
        return a
    return b if from_b <= from_c else c
