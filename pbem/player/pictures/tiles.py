"""A drawing in tiles: what did not change since it was drawn last is not drawn again.

A template divides its drawing with ``tile``: what stands before the first mark is the ground, what follows a mark lies
wholly in that mark's rectangle, as far as the next mark. The marks are comments: for everybody else the drawing is one
SVG. A tile with the ground under it gives the same pixels alone as in the whole, so a table of which one group changed
costs one tile, and like tiles of all matches are drawn once.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from zlib import compress, decompress

from markupsafe import Markup

from pbem.player.pictures.lettering import Font, in_colours, pillow

if TYPE_CHECKING:
    from PIL.Image import Image as Drawing

ZOOM: Final = 2
"""Pixels for each unit of the drawing, for screens with a high resolution."""
_MARK: Final = re.compile(r"<!--tile (\S+) (\S+) (\S+) (\S+)-->")
_OPENING: Final = re.compile(r"<svg[^<>]*>")
_END: Final = "</svg>"
_KEPT: Final = 2048
"""Tiles, packed: some 30 MB, the tables of a hundred matches in both formats."""
_OPEN: Final = 32
"""Tiles as they are: those of the last tables, some 10 MB."""


def tile(x: float, y: float, width: float, height: float) -> Markup:
    """The mark of a rectangle, in units of the drawing; its edges are moved to the nearest whole pixel.

    Rectangles whose edges touch do not overlap after that either.
    """
    left, top, right, bottom = (round(edge * ZOOM) for edge in (x, y, x + width, y + height))
    return Markup(f"<!--tile {left} {top} {right - left} {bottom - top}-->")  # noqa: S704 - whole numbers


def raster(svg: str) -> bytes:
    """The drawing as a PNG in RGBA, by resvg with our own fonts only."""
    import resvg_py

    fonts = [str(font.path) for font in Font]
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=ZOOM, skip_system_fonts=True, font_files=fonts))


def assembled(svg: str) -> Drawing | None:
    """The drawing put together from its tiles, in RGB; None if no tile is marked in it."""
    first, *parts = _MARK.split(svg)
    if not parts:
        return None
    opening = _OPENING.search(first)
    if opening is None:
        raise ValueError("expected an svg element before the first tile")
    ground = first[opening.end() :]
    whole = _drawn(first + _END).copy()
    for at in range(0, len(parts), 5):
        left, top, width, height = map(int, parts[at : at + 4])
        content = parts[at + 4].removesuffix(_END)
        whole.paste(_drawn(_alone(left, top, width, height, ground + content)), (left, top))
    return whole


def _alone(left: int, top: int, width: int, height: int, content: str) -> str:
    """A drawing that shows this rectangle (in pixels) of ``content`` and no more."""
    x, y, wide, high = (edge / ZOOM for edge in (left, top, width, height))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{high}" '
        f'viewBox="{x} {y} {wide} {high}">{content}{_END}'
    )


@lru_cache(maxsize=_OPEN)
def _drawn(svg: str) -> Drawing:
    width, height, packed = _kept(svg)
    drawing: Drawing = pillow().frombytes("RGB", (width, height), decompress(packed))
    return drawing


@lru_cache(maxsize=_KEPT)
def _kept(svg: str) -> tuple[int, int, bytes]:
    """Width and height in pixels, and the pixels in RGB, packed: that is read in a third of the time of a PNG."""
    drawing = in_colours(raster(svg))
    return *drawing.size, compress(drawing.tobytes(), 1)
