"""Make a PNG of resvg's small: the same picture with a palette instead of four bytes for each pixel.

A drawing has few colours, most of them the blends at the edges of letters. With at most 256 of them nothing is lost;
of more, flat areas keep theirs, to a hair, and blends come near.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from PIL.Image import Image as Drawing

_MOST_COLOURS: Final = 256
_FLAT: Final = 64
"""The commonest colours of a drawing that has more: they are kept as they are."""
_BLENDS: Final = 64
"""For all its other colours; more of them make the picture larger and hardly better."""
_STEP: Final = 5
"""Colours are counted in every fifth pixel of every other row, row after row as one: nothing drawn is as small."""
_LEVEL: Final = 6
"""Of zlib: 9 takes six times as long and saves a tenth of the bytes."""


def shrink(png: bytes) -> bytes:
    """The same picture with a palette; one that is partly transparent stays as it is."""
    from PIL import Image  # takes longer to import than most commands take

    with Image.open(BytesIO(png)) as opened:
        if "A" in opened.getbands() and opened.getchannel("A").getextrema()[0] != 255:
            return png
        whole = opened if opened.mode == "RGBA" else opened.convert("RGBA")
        drawing = opened.convert("RGB")
    colours = drawing.getcolors(_MOST_COLOURS)
    if colours:
        reduced = drawing.quantize(len(colours), Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    else:
        reduced = drawing.quantize(palette=_palette(whole), dither=Image.Dither.NONE)
    made = BytesIO()
    reduced.save(made, "PNG", compress_level=_LEVEL)
    return made.getvalue()


def _palette(drawing: Drawing) -> Drawing:
    """The commonest colours of a drawing in RGBA, and some between all others."""
    from PIL import Image

    half = drawing.resize((drawing.width, max(drawing.height // 2, 1)), Image.Resampling.NEAREST)
    some = memoryview(half.tobytes()).cast("I")[::_STEP]
    sample = Image.frombytes("RGBA", (len(some), 1), some.tobytes()).convert("RGB")
    counted = sorted(sample.getcolors(len(some)) or (), reverse=True)
    found = [bytes(colour) for _, colour in counted if isinstance(colour, tuple)]
    flat, others = b"".join(found[:_FLAT]), b"".join(found[_FLAT:])
    blends = b""
    if others:
        each = Image.frombytes("RGB", (len(others) // 3, 1), others)
        blends = bytes(each.quantize(_BLENDS, Image.Quantize.MEDIANCUT).getpalette() or ())[: 3 * _BLENDS]
    palette = Image.new("P", (1, 1))
    palette.putpalette(flat + blends)
    return palette
