"""The table in a terminal, for ``pbem show``: drawn with rich from a view's JSON and the game's figures.

A game's ``table.term.jinja`` says what is drawn, with the calls of ``Screen``; it needs no code here.
``view`` may be a seat's own view: then its hand is drawn too. Without colour the same picture comes out in plain
characters. rich is imported only when something is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple

from pbem.base.language import ENGLISH, Language
from pbem.game import JsonObject, Seat, Setup
from pbem.player.letters.rendering import Style, escape_markup, game_template, marks, one_line, speaker

if TYPE_CHECKING:
    from rich.console import JustifyMethod


def render_table(
    game: str,
    view: JsonObject,
    setup: Setup,
    names: Mapping[Seat, str],
    summary: JsonObject,
    *,
    width: int = 80,
    colour: bool = True,
    viewer: Seat | None = None,
    everything: bool = False,
    language: Language = ENGLISH,
) -> str:
    """The table of ``game`` (its id), and the hand of ``viewer`` if ``view`` is that seat's own.

    With ``everything`` every hand that ``view`` holds is drawn: for a match whose cards were opened. Who is awaited is
    not said here, but by ``pbem.player.letters.standing``.
    """
    screen = Screen(width, colour)
    context: dict[str, Any] = {
        "view": view,
        "summary": summary,
        "setup": setup,
        "seats": setup.seats,
        "who": speaker(Style.TERMINAL, names),
        "marks": marks(setup.seats),
        "viewer": viewer,
        "everything": everything,
        "screen": screen,
    }
    game_template(Style.TERMINAL, game, "table.term.jinja", language).render(context)
    return screen.text()


_FIXED, _HELD = "\u00a0", "\ue000"
"""A blank that holds ``4.000 $`` together, and what stands for it while rich, which would break a line there, draws."""


def held(text: str) -> str:
    """``text`` with fixed blanks that no line is broken at."""
    return text.replace(_FIXED, _HELD)


class _Rich(NamedTuple):
    box: Any
    columns: Any
    console: Any
    panel: Any
    rule: Any
    table: Any
    text: Any


@cache
def rich_parts() -> _Rich:
    """Rich, where something is drawn: the browser page shows the same views and has none."""
    from rich import box, columns, console, panel, rule, table, text

    return _Rich(box, columns, console, panel, rule, table, text)


class Screen:
    """What a terminal template can draw. Texts are rich markup; ``who`` gives escaped names."""

    def __init__(self, width: int, colour: bool) -> None:
        self._buffer = StringIO()
        self._console = rich_parts().console.Console(
            file=self._buffer,
            width=width,
            force_terminal=colour,
            color_system="256" if colour else None,
            no_color=not colour,
            highlight=False,
            emoji=False,
            legacy_windows=False,
            _environ={},
        )
        self._width = width

    def text(self) -> str:
        """All that was drawn; no line ends in blanks."""
        drawn = self._buffer.getvalue().replace(_HELD, _FIXED)
        return "\n".join(line.rstrip() for line in drawn.splitlines()).strip("\n") + "\n"

    def title(self, text: str) -> None:
        """A heading across the screen."""
        self._console.print(rich_parts().rule.Rule(f"[bold]{text}[/]", style="yellow", align="left"))

    def note(self, text: str) -> None:
        """A paragraph."""
        self._console.print(held(one_line(text)), soft_wrap=False)

    def quiet(self, text: str) -> None:
        """A paragraph of less weight."""
        self._console.print(held(one_line(text)), style="dim")

    def table(
        self, head: Sequence[str], rows: Sequence[Sequence[object]], align: str = "", whole: int | None = None
    ) -> None:
        """A table; ``align`` has ``l`` or ``r`` for each column. No line of the column ``whole`` is broken."""
        sides = (align + "l" * len(head))[: len(head)]
        table = rich_parts().table.Table(
            box=rich_parts().box.ROUNDED if self._width >= 60 else rich_parts().box.SIMPLE,
            border_style="yellow",
            header_style="bold",
        )
        for at, (name, side) in enumerate(zip(head, sides, strict=True)):
            justify: JustifyMethod = "right" if side == "r" else "left"
            table.add_column(held(name), justify=justify, overflow="fold", no_wrap=at == whole)
        for row in rows:
            table.add_row(*(held(str(cell).strip("\n")) for cell in row))
        self._console.print(table)

    def cards(self, cards: Sequence[Mapping[str, Any]]) -> None:
        """Cards side by side; each has ``mark``, ``name``, ``count`` and ``colour``."""
        self._console.print(
            rich_parts().columns.Columns([self._card(card) for card in cards], padding=(0, 0))
        )

    def _card(self, card: Mapping[str, Any]) -> Any:
        count = f"  [bold]× {card['count']}[/]" if card["count"] > 1 else ""
        lines = [f"[bold reverse {card['colour']}] {card['mark']} [/]{count}"]
        name = escape_markup(card["name"])
        lines += [name, ""] if len(name) <= 12 else list(_halves(name))
        box = rich_parts().box.HEAVY if card.get("special") else rich_parts().box.ROUNDED
        return rich_parts().panel.Panel("\n".join(lines), box=box, border_style=card["colour"], width=16)


def _halves(name: str) -> tuple[str, str]:
    words = name.split()
    cut = next((at for at in range(len(words), 0, -1) if len(" ".join(words[:at])) <= 12), 1)
    return " ".join(words[:cut]), " ".join(words[cut:])
