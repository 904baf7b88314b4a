"""Draw: a view's JSON and a game's figures in, SVG and PNG out.

No text is lost or cut off: resvg leaves a character that no font has out without a word, and SVG text does not wrap.
So every text of a picture goes through ``text_element``: what the font lacks becomes a plain letter or a visible box,
and what is too wide gets smaller and then shorter, with an ellipsis. Widths are those of the fonts themselves.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import cache, lru_cache, partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from zlib import compress, decompress

from jinja2 import Environment, StrictUndefined, TemplateNotFound
from markupsafe import Markup, escape

from pbem.base.language import ENGLISH, Language
from pbem.base.language.templates import template_cache, template_loader
from pbem.base.resources import data_dir
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat, Setup

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
    minimum: float = 0,
) -> Markup:
    """An SVG ``text`` whose baseline begins (or is centred, or ends) at ``x``, ``y``, no wider than ``width``.

    A ``size`` under ``minimum`` is raised to it; the text gets as small as without, before it is cut.
    """
    font = Font.POSTER if poster else Font.TEXT
    raised = max(size, minimum)
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


# --- tiles: what did not change since it was drawn last is not drawn again --------------------------------
#
# A template divides its drawing with ``tile``: what stands before the first mark is the ground, what follows a
# mark lies wholly in that mark's rectangle, as far as the next mark. The marks are comments: for everybody else
# the drawing is one SVG. A tile with the ground under it gives the same pixels alone as in the whole, so a table
# of which one group changed costs one tile, and like tiles of all matches are drawn once.

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

    return bytes(
        resvg_py.svg_to_bytes(svg_string=svg, zoom=ZOOM, skip_system_fonts=True, font_files=_font_files())
    )


@cache
def _font_files() -> list[str]:
    return [str(font.path) for font in Font]


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


# --- pictures ---------------------------------------------------------------------------------------------

Paint: TypeAlias = Callable[[str], bytes]
"""Makes the PNG of a drawing's SVG, as ``to_png`` does."""
_SIZE = re.compile(r'<svg[^<>]* width="(\d+)" height="(\d+)"')
_NAME_LIMIT = 60
LEGIBLE = 11.2
"""The size of the smallest words of a portrait in its own width: 11 on a phone of 360 pixels, which shows 358."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing: its SVG, its size in the email, and ``alt``, which says it in words.

    ``cid`` is how the HTML of an email refers to it (RFC 2392); empty for a picture that goes into a file.
    """

    svg: str
    width: int
    height: int
    alt: str
    cid: str = ""

    @property
    def png(self) -> bytes:
        """The picture as PNG, ``ZOOM`` times as many pixels as its size."""
        return to_png(self.svg)


def draw(
    game: str,
    view: JsonObject,
    setup: Setup,
    names: Mapping[Seat, str],
    summary: JsonObject,
    *,
    viewer: Seat | None = None,
    cid: str = "",
    language: Language = ENGLISH,
    portrait: bool = False,
    form: str = "picture",
) -> Picture | None:
    """The table of ``game`` (its id) as a picture; None if the game has no template of this form.

    Args:
        game: whose templates are used.
        view: the public view; for ``viewer`` that seat's own.
        setup: seats and options of the match.
        names: how the players are called.
        summary: the game's figures for this view.
        viewer: whose hand is drawn too; without it no hand is, whatever the view holds.
        cid: for an email, how its HTML refers to the picture.
        language: what its words are in.
        portrait: 364 wide instead of 600, for a phone: every word is at least ``LEGIBLE`` high there.
        form: ``picture``, or ``board``: the table in tiles, 360 by 204, without the hand.
    """
    given: dict[str, Any] = {
        "view": view,
        "summary": summary,
        "setup": setup,
        "seats": setup.seats,
        "names": {seat: name_of(names, seat) for seat in setup.seats},
        "marks": marks(setup.seats),
        "viewer": viewer,
        "portrait": portrait,
    }
    if portrait or form == "board":
        given["text"] = partial(text_element, minimum=LEGIBLE)
    try:
        svg = environment(language).get_template(f"{game}/{form}.svg.jinja").render(given).strip()
    except TemplateNotFound as missing:
        if missing.name == f"{game}/{form}.svg.jinja":
            return None
        raise
    alt = " ".join(environment(language).get_template(f"{game}/picture.alt.jinja").render(given).split())
    return Picture(svg, *_size(svg, game), alt, cid)


def draw_chart(name: str, given: Mapping[str, Any], language: Language = ENGLISH) -> Picture:
    """A chart from ``templates/charts/``."""
    svg = environment(language).get_template(f"charts/{name}.svg.jinja").render(given).strip()
    return Picture(svg, *_size(svg, name), "")


def draw_ending(
    title: str,
    game: str,
    rows: Sequence[Mapping[str, Any]],
    table: Picture | None,
    names: Mapping[Seat, str],
    language: Language = ENGLISH,
) -> Picture:
    """The end of a match to show others: 600 wide, everybody's place above the table as it stood.

    Args:
        title: who won, in words.
        game: the game's title.
        rows: by place: ``seat``, ``place``, ``figure`` in words, ``won``.
        table: the public table of a width of 600, if the game draws one.
        names: how the players are called, by seats in their order.
        language: what its words are in.
    """
    seats = tuple(names)
    called = {seat: name_of(names, seat) for seat in seats}
    given: dict[str, Any] = {
        "title": title,
        "game": game,
        "rows": rows,
        "table": table,
        "seats": seats,
        "names": called,
        "marks": marks(seats),
    }
    svg = environment(language).get_template("pictures/ending.svg.jinja").render(given).strip()
    lines = [f"{row['place']}. {called[row['seat']]} {row['figure']}" for row in rows]
    return Picture(svg, *_size(svg, "ending"), "; ".join((title, *lines)))


def _size(svg: str, name: str) -> tuple[int, int]:
    size = _SIZE.search(svg)
    if size is None:
        raise ValueError(f"{name}: the svg element needs width and height, as whole numbers")
    return int(size[1]), int(size[2])


@lru_cache(maxsize=8)
def to_png(svg: str) -> bytes:
    """The drawing as PNG; all seats of a batch get the same one, so it is kept for a while.

    Of a drawing in tiles only those are drawn that nobody has drawn before.
    """
    whole = assembled(svg)
    return shrink(raster(svg)) if whole is None else with_palette(whole)


# --- what templates can use ---------------------------------------------------------------------------------


@cache
def environment(language: Language = ENGLISH) -> Environment:
    """The templates of pictures: what is not marked as safe is escaped, a missing value is an error."""
    env = Environment(
        loader=template_loader(),
        autoescape=lambda name: name is None or ".alt." not in name,  # noqa: S701 - alt is plain text
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        extensions=["jinja2.ext.do"],
        bytecode_cache=template_cache("picture"),
    )
    language.speak(env)
    env.globals.update(text=text_element, text_width=_text_width, tile=tile)
    env.filters.update(n=number, copies=copies, words=plain_words)
    return env


def number(value: float) -> str:
    """A coordinate with two decimals at most: ``91.333333`` → ``91.33``."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def copies(cards: Iterable[str]) -> list[tuple[str, int]]:
    """Each different card with its number, in the order of first appearance."""
    return list(Counter(cards).items())


def plain_words(identifier: str) -> str:
    """``move-cattle`` → ``move cattle``: the last resort for an id that has no wording of its own."""
    return identifier.replace("-", " ").replace("_", " ")


def _text_width(text: str, size: float, poster: bool = False) -> float:
    return width_of(text, size, Font.POSTER if poster else Font.TEXT)


def name_of(names: Mapping[Seat, str], seat: Seat) -> str:
    """The player's name on one line, or the seat's id where our font has few of its letters."""
    name = " ".join(names.get(seat, seat).split())[:_NAME_LIMIT]
    shown = drawable(name)
    lost = sum(a != b for a, b in zip(name, shown, strict=False)) + abs(len(name) - len(shown))
    return shown if shown.strip() and 2 * lost < len(name) else str(seat)


def marks(seats: Sequence[str]) -> dict[str, str]:
    """The shortest beginning of each seat's id that no other seat shares: ``anna``, ``burt`` → ``A``, ``B``."""
    shown = {}
    for seat in seats:
        others = [other for other in seats if other != seat]
        size = 1
        while size < len(seat) and any(other.startswith(seat[:size]) for other in others):
            size += 1
        shown[seat] = seat[:size].capitalize()
    return shown
