"""A PNG of resvg's made small: the same picture."""

from __future__ import annotations

from io import BytesIO

import resvg_py
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from pbem.player.pictures import shrink
from tests.pictures.pixels import Pixels

Colour = tuple[int, int, int]


def _png(width: int, pixels: list[Colour], alpha: int = 255) -> bytes:
    picture = Image.new("RGBA", (width, len(pixels) // width))
    picture.putdata([(*colour, alpha) for colour in pixels])
    stream = BytesIO()
    picture.save(stream, "PNG")
    return stream.getvalue()


SHADES = st.sampled_from([(0, 0, 0), (255, 0, 16), (127, 128, 129), (254, 255, 1), (255, 255, 1)])
ANY = st.tuples(*[st.integers(0, 255)] * 3)


@st.composite
def _pictures(draw: st.DrawFn) -> tuple[int, list[Colour]]:
    width, height = draw(st.integers(1, 16)), draw(st.integers(1, 16))
    pixel = draw(st.sampled_from([SHADES, ANY]))
    return width, draw(st.lists(pixel, min_size=width * height, max_size=width * height))


@settings(deadline=None)
@given(_pictures())
def test_few_colours_lose_nothing(picture: tuple[int, list[Colour]]) -> None:
    width, colours = picture
    pixels = Pixels(shrink(_png(width, colours)))
    assert (pixels.width, pixels.height) == (width, len(colours) // width)
    for at, (red, green, blue) in enumerate(colours):
        assert pixels.at(at % width / 2, at // width / 2) == f"#{red:02x}{green:02x}{blue:02x}"


def test_of_many_colours_the_flat_ones_stay_and_the_others_come_near() -> None:
    blend = [(n * 37 % 256, n * 91 % 256, n * 13 % 256) for n in range(4000)]
    pixels = Pixels(shrink(_png(4000, [(0x33, 0x66, 0x99)] * 4000 * 9 + blend)))
    assert pixels.at(0, 0) == "#336699"
    for n in range(0, 4000, 7):
        colour = bytes.fromhex(pixels.at(n / 2, 4.5)[1:])
        assert all(abs(a - b) < 64 for a, b in zip(colour, blend[n], strict=True))


def test_a_picture_with_holes_stays_as_it_is() -> None:
    png = _png(1, [(1, 2, 3)], alpha=128)
    assert shrink(png) is png


def test_what_resvg_draws_is_read_back() -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="#123456"/>'
    svg += '<circle cx="10" cy="10" r="8" fill="#fedcba"/></svg>'
    pixels = Pixels(shrink(bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=2, skip_system_fonts=True))))
    assert (pixels.at(10, 10), pixels.at(30, 10)) == ("#fedcba", "#123456")


def test_a_palette_is_much_smaller() -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300">'
    svg += "".join(
        f'<circle cx="{n * 7 % 300}" cy="{n * 13 % 300}" r="9" fill="#fe{n:02x}ba"/>' for n in range(99)
    )
    png = bytes(resvg_py.svg_to_bytes(svg_string=svg + "</svg>", zoom=2, background="#fff"))
    assert len(shrink(png)) < len(png) / 2
