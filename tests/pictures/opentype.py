"""A font's advances, read from the font itself (OpenType ``cmap`` and ``hmtx``): ``python -m tests.pictures.opentype``
writes them beside each font of ours, where pictures and the page read them.
"""

from __future__ import annotations

import json
import struct

from pbem.player.pictures import Font
from pbem.player.pictures.picture import WIDTHS


def advances(raw: bytes) -> dict[str, float]:
    """The advance of each character, in thousandths of the size."""
    tables = _tables(raw)
    units = int(struct.unpack_from(">H", raw, tables["head"] + 18)[0])
    long_metrics = struct.unpack_from(">H", raw, tables["hhea"] + 34)[0]
    hmtx = tables["hmtx"]

    def advance(glyph: int) -> float:
        at = hmtx + 4 * min(glyph, long_metrics - 1)
        return float(struct.unpack_from(">H", raw, at)[0]) * 1000 / units

    return {chr(code): advance(glyph) for code, glyph in _characters(raw, tables["cmap"]).items()}


def _tables(raw: bytes) -> dict[str, int]:
    count = struct.unpack_from(">H", raw, 4)[0]
    rows = (struct.unpack_from(">4sLLL", raw, 12 + 16 * number) for number in range(count))
    return {tag.decode("ascii"): offset for tag, _, offset, _ in rows}


def _characters(raw: bytes, cmap: int) -> dict[int, int]:
    """Code point → glyph, from the Unicode subtable of format 4 (OpenType, cmap)."""
    count = struct.unpack_from(">H", raw, cmap + 2)[0]
    for number in range(count):
        platform, _, offset = struct.unpack_from(">HHL", raw, cmap + 4 + 8 * number)
        if platform in (0, 3) and struct.unpack_from(">H", raw, cmap + offset)[0] == 4:
            return _format_4(raw, cmap + offset)
    raise ValueError("a font of ours needs a Unicode character map of format 4")


def _format_4(raw: bytes, at: int) -> dict[int, int]:
    segments = struct.unpack_from(">H", raw, at + 6)[0] // 2
    ends = struct.unpack_from(f">{segments}H", raw, at + 14)
    starts = struct.unpack_from(f">{segments}H", raw, at + 16 + 2 * segments)
    deltas = struct.unpack_from(f">{segments}H", raw, at + 16 + 4 * segments)
    ranges_at = at + 16 + 6 * segments
    ranges = struct.unpack_from(f">{segments}H", raw, ranges_at)
    glyphs: dict[int, int] = {}
    for number, (start, end, delta, skip) in enumerate(zip(starts, ends, deltas, ranges, strict=True)):
        for code in range(start, min(end, 0xFFFE) + 1):
            glyph = code
            if skip:
                glyph = struct.unpack_from(">H", raw, ranges_at + 2 * number + skip + 2 * (code - start))[0]
            if glyph or not skip:
                glyphs[code] = (glyph + delta) % 65536
    return {code: glyph for code, glyph in glyphs.items() if glyph}


def main() -> None:
    """Write the widths of every font."""
    for font in Font:
        widths = json.dumps(
            advances(font.path.read_bytes()), ensure_ascii=False, sort_keys=True, separators=(",", ":")
        )
        font.path.with_suffix(WIDTHS).write_text(f"{widths}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
