"""No text is lost and none is cut off: what our fonts can draw, and how wide it comes out."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
import resvg_py
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.player.pictures import Font, drawable, fitted, shrink, width_of
from pbem.player.pictures.picture import metrics, text_element
from tests.pictures.opentype import advances
from tests.pictures.pixels import Pixels

EUROPE = "Æðelstan Çağrı Đặng Dvořák Grœnland Łukasz Müller Nuño Ștefan Žižek Ελένη Ирина Ќоста ’—„“"


def _ink(words: str, font: Font, size: float = 20) -> tuple[int, int]:
    """From which to which pixel anything is drawn, on a white strip that is wide enough."""
    element = text_element(words, 10, 30, size, poster=font is Font.POSTER, fill="#000000")
    sheet = '<rect width="900" height="40" fill="#fff"/>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="900" height="40">{sheet}{element}</svg>'
    fonts = [str(font.path) for font in Font]
    pixels = Pixels(
        shrink(bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=2, skip_system_fonts=True, font_files=fonts)))
    )
    inked = [x for x in range(1800) if any(pixels.at(x / 2, y / 2) != "#ffffff" for y in range(80))]
    return (min(inked), max(inked)) if inked else (0, 0)


@pytest.mark.parametrize("font", Font)
def test_a_font_is_where_it_should_be_and_has_all_of_ascii_and_of_four_languages(font: Font) -> None:
    known = metrics(font).advances
    assert set(map(chr, range(32, 127))) <= set(known)
    assert set("ÀÂÄÇÈÉÊËÎÏÔÖÙÛÜßàâäçèéêëîïìòôöùûüœŒ«»’") <= set(known)


@pytest.mark.parametrize("font", Font)
def test_the_widths_beside_a_font_are_its_own(font: Font) -> None:
    assert metrics(font).advances == advances(font.path.read_bytes())


def test_names_of_europe_are_drawn_as_they_are_written() -> None:
    assert drawable(EUROPE) == EUROPE


@pytest.mark.parametrize(
    ("written", "shown"),
    [("Ａｎｎａ", "Anna"), ("a\u200bb\tc", "a b c"), ("王五", "□□"), ("x🤠", "x□"), ("", "")],
)
def test_what_the_font_lacks_becomes_a_plain_letter_or_a_visible_box(written: str, shown: str) -> None:
    assert drawable(written) == shown


@settings(deadline=None)
@given(st.text(max_size=30))
def test_whatever_is_drawn_is_in_the_font(text: str) -> None:
    for font in Font:
        assert set(drawable(text, font)) <= set(metrics(font).advances)


@pytest.mark.parametrize("font", Font)
def test_the_widths_are_those_that_come_out(font: Font) -> None:
    for words in ("WANTED", "Butch Cassidy $12,000", "illilli", "Müller & Söhne"):
        left, right = _ink(words, font)
        measured = 2 * width_of(words, 20, font)
        assert left >= 18
        assert 0.9 * measured - 8 <= right - 20 <= measured + 2


@settings(deadline=None)
@given(st.text(min_size=1, max_size=60), st.floats(8, 30), st.floats(20, 300))
def test_a_fitted_text_is_no_wider_than_its_place(text: str, size: float, width: float) -> None:
    for font in Font:
        words, fitted_text = fitted(text, size, width, font)
        assert fitted_text <= size
        assert width_of(words, fitted_text, font) <= width + 1e-6 or words.strip("…").strip() == ""


def test_a_long_text_gets_smaller_and_only_then_shorter() -> None:
    assert fitted("Butch Cassidy", 10, 1000) == ("Butch Cassidy", 10)
    words, size = fitted("Butch Cassidy", 10, width_of("Butch Cassidy", 8))
    assert (words, round(size, 6)) == ("Butch Cassidy", 8)
    words, size = fitted("Butch Cassidy", 10, 30)
    assert words.endswith("…")
    assert 7 < size < 8


def test_what_a_player_wrote_is_no_markup() -> None:
    element = text_element('<b>"&', 1, 2, 10, width=500)
    assert ElementTree.fromstring(element).text == '<b>"&'  # noqa: S314 - our own
    assert re.match(r'<text x="1.00" y="2.00" font-family="Pbem Text" font-size="10.00"', element)


def test_without_fonts_the_renderer_would_have_dropped_the_text_silently() -> None:
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="90" height="40">{text_element("WANTED", 5, 30, 20)}</svg>'
    bare = bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=2, skip_system_fonts=True))
    fonts = [str(font.path) for font in Font]
    drawn = bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=2, skip_system_fonts=True, font_files=fonts))
    assert len(drawn) > len(bare) + 300
