"""Cards and dice as pictures: each face is drawn once, as an SVG symbol, and used wherever it was turned up.

A card is drawn by the game's own art (macro ``face`` of ``art.svg.jinja``), else as a plain card with its name; dice
are ours (``templates/report/faces.svg.jinja``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from jinja2 import TemplateError, TemplateNotFound
from markupsafe import Markup

from pbem.game import JsonObject
from pbem.player.pictures.picture import environment

_PLAIN = re.compile(r"[^a-z0-9-]+")


def symbol_name(draw: JsonObject) -> str:
    """The id of the symbol of a draw: ``card-jesse-james``, ``die-6-4``."""
    if draw["kind"] == "card":
        return "card-" + _PLAIN.sub("-", draw["card"].lower())
    return f"die-{draw['sides']}-{draw['value']}"


def symbols(game: str, draws: Iterable[JsonObject]) -> Markup:
    """The symbols that these draws need."""
    needed = {symbol_name(draw): draw for draw in draws}
    if not needed:
        return Markup("")
    faces: Any = environment().get_template("report/faces.svg.jinja").make_module({})
    art = _art(game)
    return Markup("\n").join(_symbol(faces, art, name, draw) for name, draw in sorted(needed.items()))


def _symbol(faces: Any, art: Any, name: str, draw: JsonObject) -> Markup:
    if draw["kind"] == "roll":
        return Markup(faces.die(name, draw["value"], draw["sides"]))  # noqa: S704 - a template escaped it
    try:
        face = art.face(draw["card"], 0, 0) if art else faces.plain(draw["shown"])
    except (TemplateError, LookupError, TypeError):  # a card that the game does not have
        face = faces.plain(draw["shown"])
    return Markup(faces.card(name, face))  # noqa: S704 - a template escaped it


def _art(game: str) -> Any:
    """The game's macros that draw cards; None if it has none."""
    try:
        module: Any = (
            environment().get_template(f"{game}/art.svg.jinja").make_module({"seats": (), "marks": {}})
        )
    except TemplateNotFound:
        return None
    return module if hasattr(module, "face") else None
