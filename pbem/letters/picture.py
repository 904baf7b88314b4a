"""A picture of the table for the HTML letter, where a game has one: SVG from its template, PNG for the mail.

Made without a browser by resvg, with our own lettering and no system fonts, so that the same table gives the same
bytes on every machine. The picture travels inside the mail (``cid:``, RFC 2392); the same content stands in words
beside it, and its ``alt`` text says so.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from jinja2 import TemplateNotFound
from markupsafe import Markup

from pbem.letters.environment import Style, environment, one_line
from pbem.letters.letter import Picture
from pbem.resources import data_dir

ZOOM = 2
"""Pixels for each pixel of the letter, for screens with a high resolution."""
_SIZE = re.compile(r'<svg[^>]* width="(\d+)" height="(\d+)"')


def picture_of(game: str, cid: str, context: Mapping[str, Any]) -> Picture | None:
    """The picture of this table; None if the game has no ``picture.svg.jinja``."""
    env = environment(Style.HTML)
    try:
        template = env.get_template(f"{game}/picture.svg.jinja")
    except TemplateNotFound:
        return None
    svg = str(template.render(context)).strip()
    size = _SIZE.search(svg)
    if size is None:
        raise ValueError(f"{game}/picture.svg.jinja: the svg element needs width and height")
    words = env.get_template(f"{game}/picture.alt.jinja").render(context)
    alt = one_line(str(Markup(words).striptags()))  # noqa: S704 - rendered with escaping on
    return Picture(cid, to_png(svg), int(size[1]), int(size[2]), alt)


@lru_cache(maxsize=8)
def to_png(svg: str) -> bytes:
    """The picture as PNG; all seats of a batch get the same one, so it is kept for a while."""
    import resvg_py

    font = str(data_dir("templates") / "fonts" / "pbem-map.ttf")
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=ZOOM, skip_system_fonts=True, font_files=[font]))
