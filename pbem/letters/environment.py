"""The Jinja environments: one for each way of showing things, all over the same templates.

``TEXT`` escapes nothing, ``HTML`` escapes everything that is not marked as safe, ``TERMINAL`` builds rich markup. A
missing value is an error in all of them. A game's templates are found by its id as a folder name; where a game has
none of its own, those of ``generic`` serve.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cache
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from pbem.letters.layout import clean, clean_name, grid
from pbem.pictures import marks as marks  # pictures and words call a seat by the same letters
from pbem.resources import data_dir

_GENERIC = "generic"


class Style(Enum):
    """A way of showing things."""

    TEXT = "txt"
    HTML = "html"
    TERMINAL = "term"


@cache
def environment(style: Style) -> Environment:
    """The environment of this style; built once."""
    env = Environment(
        loader=FileSystemLoader(data_dir("templates")),
        autoescape=style is Style.HTML,  # noqa: S701 - plain text is not escaped
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        extensions=["jinja2.ext.do"],
    )
    env.filters.update(
        dollars=dollars,
        when=when,
        clean=clean,
        words=words,
        flat=one_line,
        copies=copies,
        markup=escape_markup,
    )
    env.globals.update(grid=grid, style=style.value)
    return env


def game_template(style: Style, game: str, name: str) -> Template:
    """The template ``name`` of this game, else the generic one."""
    return environment(style).select_template([f"{game}/{name}", f"{_GENERIC}/{name}"])


def macros(style: Style, game: str, name: str, context: Mapping[str, Any]) -> Any:
    """The module of a game's macro file, bound to ``context``; its macros can be called."""
    return game_template(style, game, name).make_module(dict(context))


def one_line(text: str) -> str:
    """The output of a macro without the line breaks of its source; still ``Markup`` if it was."""
    flat = " ".join(text.split())
    return Markup(flat) if isinstance(text, Markup) else flat  # noqa: S704 - it was safe before


def dollars(amount: int) -> str:
    """``4000`` → ``$4,000``."""
    return f"${amount:,}"


def when(time: str) -> str:
    """``2026-11-24T18:00:00Z`` → ``2026-11-24 18:00 UTC``."""
    return f"{time[:10]} {time[11:16]} UTC" if time[-1:] == "Z" else time


def words(identifier: str) -> str:
    """``move-cattle`` → ``move cattle``: the last resort for an id that has no wording of its own."""
    return identifier.replace("-", " ").replace("_", " ")


def copies(cards: Iterable[str]) -> list[tuple[str, int]]:
    """Each different card with its number, in the order of first appearance."""
    return list(Counter(cards).items())


def speaker(style: Style, names: Mapping[Any, str]) -> Callable[[str], str]:
    """How a seat is named: by its player, else by its id."""

    def who(seat: str) -> str:
        name = clean_name(names.get(seat, seat)) or seat
        if style is Style.HTML:
            return Markup("<b>{}</b>").format(name)
        if style is Style.TERMINAL:
            return "[bold]" + escape_markup(name) + "[/]"
        return name

    return who


def escape_markup(text: str) -> str:
    """``text`` with nothing in it that rich would read as markup."""
    from rich.markup import escape

    return escape(text)
