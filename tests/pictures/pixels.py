"""Reading a PNG of ours back: what colour a point of the drawing has."""

from __future__ import annotations

import struct
import zlib

from pbem.pictures import ZOOM


class Pixels:
    """A palette PNG, read by the letter of the format and not with the code under test."""

    def __init__(self, png: bytes) -> None:
        assert png[:8] == b"\x89PNG\r\n\x1a\n"
        at, packed, palette = 8, b"", b""
        while at < len(png):
            size, kind = struct.unpack_from(">I4s", png, at)
            data = png[at + 8 : at + 8 + size]
            assert struct.unpack_from(">I", png, at + 8 + size)[0] == zlib.crc32(kind + data)
            if kind == b"IHDR":
                self.width, self.height, *form = struct.unpack(">IIBBBBB", data)
                assert form == [8, 3, 0, 0, 0]
            elif kind == b"PLTE":
                palette = data
            elif kind == b"IDAT":
                packed += data
            at += 12 + size
        raw = zlib.decompress(packed)
        self._palette = palette
        self._rows = [raw[y * (self.width + 1) :][: self.width + 1] for y in range(self.height)]
        assert all(row[0] == 0 for row in self._rows)

    def at(self, x: float, y: float) -> str:
        """The colour at a point of the drawing, as ``#rrggbb``."""
        number = self._rows[round(y * ZOOM)][1 + round(x * ZOOM)]
        return "#" + self._palette[3 * number : 3 * number + 3].hex()

    def share(self, colour: str, left: float, top: float, right: float, bottom: float) -> float:
        """How much of a rectangle of the drawing has this colour."""
        wanted = bytes.fromhex(colour[1:])
        number = next(n for n in range(256) if self._palette[3 * n : 3 * n + 3] == wanted)
        rows = [row[1:] for row in self._rows[round(top * ZOOM) : round(bottom * ZOOM)]]
        cut = [row[round(left * ZOOM) : round(right * ZOOM)] for row in rows]
        return sum(row.count(number) for row in cut) / sum(map(len, cut))
