"""Make a PNG of resvg's small: the same picture with a palette instead of four bytes for each pixel.

A drawing has few colours, most of them the blends at the edges of letters. With at most 256 of them nothing is lost;
of more, flat areas keep theirs, to a hair, and blends come near.
"""

from __future__ import annotations

from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from PIL.Image import Image as Drawing

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
