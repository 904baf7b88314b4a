"""A PNG of resvg's made small: the same picture, whatever its filters were."""

from __future__ import annotations

import struct
import zlib

import pytest
import resvg_py
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.pictures import NotOurPng, shrink
from pbem.pictures.png import rows_of
from tests.pictures.pixels import Pixels


def _png(rows: list[bytes], filters: list[int], *, form: tuple[int, ...] = (8, 6, 0, 0, 0)) -> bytes:
    """A PNG of these rows of RGBA, each filtered as asked: the format's own rules, byte by byte."""
    out, before = b"", bytes(len(rows[0]))
    for row, kind in zip(rows, filters, strict=True):
        line = bytearray()
        for at, value in enumerate(row):
            a, c = (row[at - 4], before[at - 4]) if at >= 4 else (0, 0)
            b = before[at]
            guess = (0, a, b, (a + b) // 2, _paeth(a, b, c))[kind]
            line.append((value - guess) % 256)
        out, before = out + bytes([kind]) + bytes(line), row
    head = struct.pack(">IIBBBBB", len(rows[0]) // 4, len(rows), *form)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(out)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )


def _paeth(a: int, b: int, c: int) -> int:
    guess = a + b - c
    return min((abs(guess - a), 0, a), (abs(guess - b), 1, b), (abs(guess - c), 2, c))[2]


SHADES = st.sampled_from([b"\x00\x00\x00\xff", b"\xff\x00\x10\xff", b"\x7f\x80\x81\xff", b"\xfe\xff\x01\xff"])
ANY = st.binary(min_size=3, max_size=3).map(lambda rgb: rgb + b"\xff")


@st.composite
def _pictures(draw: st.DrawFn) -> tuple[list[bytes], list[int]]:
    width, height = draw(st.integers(1, 9)), draw(st.integers(1, 6))
    pixel = draw(st.sampled_from([SHADES, ANY]))
    row = st.lists(pixel, min_size=width, max_size=width).map(b"".join)
    rows = draw(st.lists(row, min_size=height, max_size=height))
    return rows, draw(st.lists(st.integers(0, 4), min_size=height, max_size=height))


@settings(deadline=None)
@given(_pictures())
def test_every_filter_is_undone_and_few_colours_lose_nothing(made: tuple[list[bytes], list[int]]) -> None:
    rows, filters = made
    png = _png(rows, filters)
    assert rows_of(png) == (len(rows[0]) // 4, len(rows), rows)
    pixels = Pixels(shrink(png))
    assert (pixels.width, pixels.height) == (len(rows[0]) // 4, len(rows))
    for y, row in enumerate(rows):
        for x in range(pixels.width):
            assert pixels.at(x / 2, y / 2) == "#" + row[4 * x : 4 * x + 3].hex()


def test_of_many_colours_the_flat_ones_stay_and_the_others_come_near() -> None:
    flat = b"\x33\x66\x99\xff" * 4000
    blend = b"".join(bytes([n * 37 % 256, n * 91 % 256, n * 13 % 256, 255]) for n in range(4000))
    made = Pixels(shrink(_png([flat, blend], [1, 4])))
    assert made.at(0, 0) == "#336699"
    for n in range(0, 4000, 7):
        found = bytes.fromhex(made.at(n / 2, 0.5)[1:])
        assert all(abs(a - b) < 64 for a, b in zip(found, blend[4 * n : 4 * n + 3], strict=True))


def test_a_picture_with_holes_stays_as_it_is() -> None:
    png = _png([b"\x01\x02\x03\x80"], [0])
    assert shrink(png) is png


def test_what_resvg_draws_is_read_back() -> None:
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="#123456"/>'
    svg += '<circle cx="10" cy="10" r="8" fill="#fedcba"/></svg>'
    made = Pixels(shrink(bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=2, skip_system_fonts=True))))
    assert (made.at(10, 10), made.at(30, 10)) == ("#fedcba", "#123456")


@pytest.mark.parametrize("bad", [b"GIF89a", _png([b"\x01\x02\x03\xff"], [0], form=(8, 2, 0, 0, 0))])
def test_another_kind_of_picture_is_refused(bad: bytes) -> None:
    with pytest.raises(NotOurPng):
        shrink(bad)
