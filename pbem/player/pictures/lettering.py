"""Lettering: what our fonts can draw and how wide it comes out, so that no text is lost or cut off.

resvg leaves a character that no font has out without a word, and SVG text does not wrap. So every text of a picture
goes through ``text_element``: what the font lacks becomes a plain letter or a visible box, and what is too wide gets
smaller and then shorter, with an ellipsis. Widths are read from the fonts themselves (OpenType ``cmap`` and ``hmtx``).
"""

from __future__ import annotations

import json
import struct
import unicodedata
from collections.abc import Mapping
from enum import Enum
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup, escape

from pbem.base.resources import data_dir
from pbem.base.values import dataclass

if TYPE_CHECKING:
    from PIL.Image import Image as Drawing

BOX = "□"
"""Stands for a character that the font does not have."""
WIDTHS = ".json"
"""The ending of a file that holds a font's advances alone, by character."""
_SMALLEST = 0.72
"""A text is made this much smaller before it is made shorter."""
_ELLIPSIS = "…"


class Font(Enum):
    """The two faces that travel with the package; the value is the family's name and that of its file."""

    TEXT = "Pbem Text"
    POSTER = "Pbem Poster"

    @property
    def path(self) -> Path:
        """Where the font lies."""
        return data_dir("templates") / "fonts" / f"{self.value.lower().replace(' ', '-')}.ttf"


@dataclass(frozen=True, slots=True)
class FontMetrics:
    """Advance of each character, in thousandths of the size."""

    advances: Mapping[str, float]

    def width(self, text: str) -> float:
        """The width of ``text`` at size 1; kerning is left out, it only makes it narrower."""
        return float(sum(self.advances.get(character, 1000.0) for character in text)) / 1000


@cache
def metrics(font: Font) -> FontMetrics:
    """The metrics of a font, read from its file once; the page, whose browser has the font, brings the widths alone."""
    widths = font.path.with_suffix(WIDTHS)
    if widths.is_file():
        return FontMetrics(json.loads(widths.read_text(encoding="utf-8")))
    raw = font.path.read_bytes()
    tables = _tables(raw)
    units = int(struct.unpack_from(">H", raw, tables["head"] + 18)[0])
    long_metrics = struct.unpack_from(">H", raw, tables["hhea"] + 34)[0]
    hmtx = tables["hmtx"]

    def advance(glyph: int) -> float:
        at = hmtx + 4 * min(glyph, long_metrics - 1)
        return float(struct.unpack_from(">H", raw, at)[0]) * 1000 / units

    return FontMetrics(
        {chr(code): advance(glyph) for code, glyph in _characters(raw, tables["cmap"]).items()}
    )


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
    found: dict[int, int] = {}
    for number, (start, end, delta, skip) in enumerate(zip(starts, ends, deltas, ranges, strict=True)):
        for code in range(start, min(end, 0xFFFE) + 1):
            glyph = code
            if skip:
                glyph = struct.unpack_from(">H", raw, ranges_at + 2 * number + skip + 2 * (code - start))[0]
            if glyph or not skip:
                found[code] = (glyph + delta) % 65536
    return {code: glyph for code, glyph in found.items() if glyph}


# --- text ---------------------------------------------------------------------------------------------------


def drawable(text: str, font: Font = Font.TEXT) -> str:
    """``text`` with nothing in it that the font cannot draw: a base letter instead, else a box."""
    known = metrics(font).advances
    if all(character in known for character in text):
        return text
    box = BOX if BOX in known else "?"
    out = []
    for character in unicodedata.normalize("NFC", text):
        if character in known:
            out.append(character)
        elif character.isspace() or unicodedata.category(character)[0] == "C":
            out.append(" ")
        elif not unicodedata.combining(character):
            base = unicodedata.normalize("NFKD", character)[:1]
            out.append(base if base in known else box)
    return "".join(out)


def width_of(text: str, size: float, font: Font = Font.TEXT) -> float:
    """How wide ``text`` comes out at most."""
    return metrics(font).width(text) * size


def fitted(
    text: str, size: float, width: float | None, font: Font = Font.TEXT, least: float = _SMALLEST
) -> tuple[str, float]:
    """The text and the size with which it fits into ``width``: smaller first, down to ``least``, then shorter."""
    text = drawable(text, font)
    if width is None or width_of(text, size, font) <= width:
        return text, size
    smaller = size * width / width_of(text, size, font)
    if smaller >= size * least:
        return text, smaller
    size *= least
    ellipsis = drawable(_ELLIPSIS, font)
    while text and width_of(text.rstrip() + ellipsis, size, font) > width:
        text = text[:-1]
    return text.rstrip() + ellipsis, size


def text_element(
    content: object,
    x: float,
    y: float,
    size: float,
    *,
    width: float | None = None,
    poster: bool = False,
    anchor: str = "start",
    fill: str = "#2b2118",
    least: float = _SMALLEST,
    floor: float = 0,
) -> Markup:
    """An SVG ``text`` whose baseline begins (or is centred, or ends) at ``x``, ``y``, no wider than ``width``.

    A ``size`` under ``floor`` is raised to it; the text gets as small as without, before it is cut.
    """
    font = Font.POSTER if poster else Font.TEXT
    raised = max(size, floor)
    words, size = fitted(" ".join(str(content).split()), raised, width, font, least * size / raised)
    return Markup(  # noqa: S704 - every part is a number of ours, a constant of a template, or escaped
        f'<text x="{x:.2f}" y="{y:.2f}" font-family="{font.value}" font-size="{size:.2f}" '
        f'text-anchor="{escape(anchor)}" fill="{escape(fill)}">{escape(words)}</text>'
    )


# --- make a PNG of resvg's small: the same picture with a palette instead of four bytes for each pixel ----
#
# A drawing has few colours, most of them the blends at the edges of letters. With at most 256 of them
# nothing is lost; of more, flat areas keep theirs, to a hair, and blends come near.

_MOST_COLOURS: Final = 256
_FLAT: Final = 64
"""The commonest colours of a drawing that has more: they are kept as they are."""
_BLENDS: Final = 64
"""For all its other colours; more of them make the picture larger and hardly better."""
_COLUMNS: Final = 3
_ROWS: Final = 2
"""Colours are counted in every third pixel of every other row: nothing drawn is as small."""
_LEVEL: Final = 6
"""Of zlib: 9 takes six times as long and saves a tenth of the bytes."""


@cache
def pillow() -> Any:
    """Pillow, which takes longer to import than most commands take."""
    from PIL import Image

    return Image


def shrink(png: bytes) -> bytes:
    """The same picture with a palette; one that is partly transparent stays as it is."""
    with pillow().open(BytesIO(png)) as opened:
        if "A" in opened.getbands() and opened.getchannel("A").getextrema()[0] != 255:
            return png
        return with_palette(opened.convert("RGB"))


def in_colours(png: bytes) -> Drawing:
    """The pixels of a PNG in RGB."""
    with pillow().open(BytesIO(png)) as opened:
        drawing: Drawing = opened.convert("RGB")
    return drawing


def with_palette(drawing: Drawing) -> bytes:
    """A drawing in RGB as a PNG with a palette."""
    colours = drawing.getcolors(_MOST_COLOURS)
    if colours:
        reduced = drawing.quantize(len(colours), pillow().Quantize.MEDIANCUT, dither=pillow().Dither.NONE)
    else:
        reduced = drawing.quantize(palette=_palette(drawing), dither=pillow().Dither.NONE)
    buffer = BytesIO()
    reduced.save(buffer, "PNG", compress_level=_LEVEL)
    return buffer.getvalue()


def _palette(drawing: Drawing) -> Drawing:
    """The commonest colours of a drawing in RGB, and some between all others."""
    size = max(drawing.width // _COLUMNS, 1), max(drawing.height // _ROWS, 1)
    sample = drawing.resize(size, pillow().Resampling.NEAREST)
    counted = sorted(sample.getcolors(sample.width * sample.height) or (), reverse=True)
    found = [bytes(colour) for _, colour in counted if isinstance(colour, tuple)]
    flat, others = b"".join(found[:_FLAT]), b"".join(found[_FLAT:])
    blends = b""
    if others:
        each = pillow().frombytes("RGB", (len(others) // 3, 1), others)
        blends = bytes(each.quantize(_BLENDS, pillow().Quantize.MEDIANCUT).getpalette() or ())[: 3 * _BLENDS]
    palette: Drawing = pillow().new("P", (1, 1))
    palette.putpalette(flat + blends)
    return palette
