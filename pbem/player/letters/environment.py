"""The Jinja environments: one for each way of showing things, all over the same templates.

``TEXT`` escapes nothing, ``HTML`` escapes everything that is not marked as safe, ``TERMINAL`` builds rich markup. A
missing value is an error in all of them. A game's templates are found by its id as a folder name; where a game has
none of its own, those of ``generic`` serve.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from enum import Enum
from functools import cache
from typing import Any

from jinja2 import Environment, StrictUndefined, Template, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from pbem.base.language import ENGLISH, UTC_CLOCK, Language
from pbem.base.language.templates import keep_compiled, template_loader
from pbem.player.letters.layout import BLANKS, alone, clean, clean_name, grid, held
from pbem.player.pictures import marks as marks  # pictures and words call a seat by the same letters

_GENERIC = "generic"


class Style(Enum):
    """A way of showing things."""

    TEXT = "txt"
    HTML = "html"
    TERMINAL = "term"


class _Room(Environment):
    """An environment whose templates have no globals of their own."""

    def make_globals(self, d: MutableMapping[str, Any] | None) -> MutableMapping[str, Any]:
        """Those of the environment as they are: every import would go through a chain of one link name by name."""
        return super().make_globals(d) if d else self.globals


@cache
def environment(style: Style, language: Language = ENGLISH) -> Environment:
    """The environment of this style and language; built once."""
    env = _Room(
        loader=template_loader(),
        autoescape=style is Style.HTML,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        extensions=["jinja2.ext.do"],
    )
    env.filters.update(
        clean=clean,
        words=words,
        flat=one_line,
        held=held,
        alone=alone,
        copies=copies,
        markup=escape_markup,
        capitalize_first=capitalize_first,
    )

    @pass_context
    def listed(context: Context, seats: Iterable[str]) -> str:
        """``Anna, Burt and Curt``."""
        return language.listed([context["who"](seat) for seat in seats])

    @pass_context
    def when(context: Context, time: str) -> str:
        """On the reader's clock where a letter has a reader, else as files have it."""
        clock = context.get("clock")
        return language.when(time) if clock is None else language.moment(time, str(context["now"]), clock)

    @pass_context
    def soonest(context: Context, time: str) -> str:
        """The same in the fewest letters, for a headline or a subject."""
        clock = context.get("clock") or UTC_CLOCK
        return language.brief(time, str(context["now"]), clock) if time[-1:] == "Z" else time

    env.globals.update(grid=grid, style=style.value, listed=listed)
    language.speak(env)
    env.filters |= {"when": when, "soonest": soonest}
    keep_compiled(env, f"{style.value}-{language.code}")
    return env


def game_template(style: Style, game: str, name: str, language: Language = ENGLISH) -> Template:
    """The template ``name`` of this game, else the generic one."""
    return environment(style, language).select_template([f"{game}/{name}", f"{_GENERIC}/{name}"])


def macros(
    style: Style, game: str, name: str, context: Mapping[str, Any], language: Language = ENGLISH
) -> Any:
    """The module of a game's macro file, bound to ``context``; its macros can be called."""
    return game_template(style, game, name, language).make_module(dict(context))


def one_line(text: str) -> str:
    """The output of a macro without the line breaks of its source; still ``Markup`` if it was.

    A blank that holds a number and its sign together stays one.
    """
    flat = BLANKS.sub(" ", text).strip(" ")
    return Markup(flat) if isinstance(text, Markup) else flat  # noqa: S704 - it was safe before


def words(identifier: str) -> str:
    """``move-cattle`` → ``move cattle``: the last resort for an id that has no wording of its own."""
    return identifier.replace("-", " ").replace("_", " ")


def capitalize_first(text: str) -> str:
    """With a capital; the rest stays as it is."""
    return text[:1].upper() + text[1:]


def copies(cards: Iterable[str]) -> list[tuple[str, int]]:
    """Each different card with its number, in the order of first appearance."""
    return list(Counter(cards).items())


def speaker(style: Style, names: Mapping[Any, str]) -> Callable[[str], str]:
    """How a seat is named: by its player, else by its id."""

    @cache
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
