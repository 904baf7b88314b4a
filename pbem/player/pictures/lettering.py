"""Lettering: what our fonts can draw and how wide it comes out, so that no text is lost or cut off.

resvg leaves a character that no font has out without a word, and SVG text does not wrap. So every text of a picture
goes through ``text_element``: what the font lacks becomes a plain letter or a visible box, and what is too wide gets
smaller and then shorter, with an ellipsis. Widths are those of the fonts themselves.
"""

from __future__ import annotations

import json
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
"""The ending of the file of a font's advances."""
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
    """The metrics of a font, from the file beside it that holds its advances alone, by character.

    ``tests/pictures/opentype.py`` writes that file when a font changes.
    """
    return FontMetrics(json.loads(font.path.with_suffix(WIDTHS).read_text(encoding="utf-8")))


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
    colours = [bytes(colour) for _, colour in counted if isinstance(colour, tuple)]
    flat, others = b"".join(colours[:_FLAT]), b"".join(colours[_FLAT:])
    blends = b""
    if others:
        each = pillow().frombytes("RGB", (len(others) // 3, 1), others)
        blends = bytes(each.quantize(_BLENDS, pillow().Quantize.MEDIANCUT).getpalette() or ())[: 3 * _BLENDS]
    palette: Drawing = pillow().new("P", (1, 1))
    palette.putpalette(flat + blends)
    return palette
