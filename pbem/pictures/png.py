"""Make a PNG of resvg's small: the same picture with a palette instead of four bytes for each pixel.

A drawing has few colours, most of them the blends at the edges of letters. With at most 256 of them nothing is lost;
of more, flat areas keep theirs and blends come near.
"""

from __future__ import annotations

from io import BytesIO
from typing import Final

_MOST_COLOURS: Final = 256
_LEVEL: Final = 9
"""Of zlib: a picture is written once and mailed to everybody."""


def shrink(png: bytes) -> bytes:
    """The same picture with a palette; one that is partly transparent stays as it is."""
    from PIL import Image  # takes longer to import than most commands take

    with Image.open(BytesIO(png)) as opened:
        if "A" in opened.getbands() and opened.getchannel("A").getextrema()[0] != 255:
            return png
        drawing = opened.convert("RGB")
    colours = drawing.getcolors(_MOST_COLOURS) or range(_MOST_COLOURS)
    reduced = drawing.quantize(len(colours), Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    made = BytesIO()
    reduced.save(made, "PNG", compress_level=_LEVEL)
    return made.getvalue()
