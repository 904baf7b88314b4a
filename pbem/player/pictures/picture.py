"""Draw: a view's JSON and a game's figures in, SVG and PNG out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache, partial
from typing import Any, TypeAlias

from jinja2 import Environment, StrictUndefined, TemplateNotFound

from pbem.base.language import ENGLISH, Language
from pbem.base.language.bytecode import keep_compiled
from pbem.base.language.loader import template_loader
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat, Setup
from pbem.player.pictures.lettering import Font, drawable, shrink, text_element, width_of, with_palette
from pbem.player.pictures.tiles import assembled, raster, tile

Paint: TypeAlias = Callable[[str], bytes]
"""Makes the PNG of a drawing's SVG, as ``to_png`` does."""
_SIZE = re.compile(r'<svg[^<>]* width="(\d+)" height="(\d+)"')
_NAME_LIMIT = 60
LEGIBLE = 11.2
"""The size of the smallest words of a portrait in its own width: 11 on a phone of 360 pixels, which shows 358."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing: its SVG, its size in the letter, and ``alt``, which says it in words.

    ``cid`` is how the HTML of a mail refers to it (RFC 2392); empty for a picture that goes into a file.
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
        cid: for a mail, how its HTML refers to the picture.
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
        given["text"] = partial(text_element, floor=LEGIBLE)
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

    Of a drawing in tiles only those are drawn that nobody has drawn before (``tiles``).
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
    )
    language.speak(env)
    env.globals.update(text=text_element, text_width=_text_width, tile=tile)
    env.filters.update(n=number, copies=copies, words=_plain_words)
    keep_compiled(env, f"picture-{language.code}")
    return env


def number(value: float) -> str:
    """A coordinate with two decimals at most: ``91.333333`` → ``91.33``."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def copies(cards: Iterable[str]) -> list[tuple[str, int]]:
    """Each different card with its number, in the order of first appearance."""
    return list(Counter(cards).items())


def _plain_words(identifier: str) -> str:
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
