"""Reading a PNG of ours back: what colour a point of the drawing has."""

from __future__ import annotations

from io import BytesIO

from PIL import Image

from pbem.player.pictures import ZOOM


class Pixels:
    """A palette PNG."""

    def __init__(self, png: bytes) -> None:
        with Image.open(BytesIO(png)) as opened:
            assert (opened.format, opened.mode) == ("PNG", "P")
            self._picture = opened.convert("RGB")
        self.width, self.height = self._picture.size

    def at(self, x: float, y: float) -> str:
        """The colour at a point of the drawing, as ``#rrggbb``."""
        pixel = self._picture.getpixel((round(x * ZOOM), round(y * ZOOM)))
        assert isinstance(pixel, tuple)
        return "#" + bytes(pixel).hex()

    def share(self, colour: str, left: float, top: float, right: float, bottom: float) -> float:
        """How much of a rectangle of the drawing has this colour."""
        part = self._picture.crop(tuple(round(edge * ZOOM) for edge in (left, top, right, bottom)))  # type: ignore[arg-type]
        counts = {colour: count for count, colour in part.getcolors(part.width * part.height) or ()}
        return counts.get(tuple(bytes.fromhex(colour[1:])), 0) / (part.width * part.height)
