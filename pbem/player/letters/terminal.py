"""The table in a terminal, for ``pbem show``: drawn from a view's JSON and the game's figures.

A game's ``table.term.jinja`` says what is drawn, with the calls of ``Screen``; it needs no code here.
``view`` may be a seat's own view: then its hand is drawn too. Colours are drawn with rich; without them, as in a pipe,
``PlainScreen`` draws the same picture in plain characters, for a small part of the time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple

from pbem.base.language import ENGLISH, Language
from pbem.game import JsonObject, Seat, Setup
from pbem.player.letters.layout import cells, column_widths, grid, wrap
from pbem.player.letters.rendering import (
    MARKUP,
    Style,
    escape_markup,
    game_template,
    marks,
    one_line,
    speaker,
)

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
    screen = screen_of(width, colour=colour)
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
            box=rich_parts().box.ROUNDED if self._width >= _FRAMED else rich_parts().box.SIMPLE,
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
        lines += [name, ""] if len(name) <= _NAME else list(_halves(name))
        box = rich_parts().box.HEAVY if card.get("special") else rich_parts().box.ROUNDED
        return rich_parts().panel.Panel("\n".join(lines), box=box, border_style=card["colour"], width=_CARD)


def screen_of(width: int, *, colour: bool) -> Screen | PlainScreen:
    """Where a template draws: with colours, or plainly."""
    return Screen(width, colour) if colour else PlainScreen(width)


class PlainScreen:
    """The same calls without colours: plain characters, measured once."""

    def __init__(self, width: int) -> None:
        self._lines: list[str] = []
        self._width = width

    def text(self) -> str:
        """All that was drawn; no line ends in blanks."""
        drawn = "\n".join(line.rstrip() for line in self._lines)
        return drawn.replace(_HELD, _FIXED).strip("\n") + "\n"

    def title(self, text: str) -> None:
        """A heading across the screen."""
        title = plain_of(text)
        self._lines.append(f"{title} {'─' * (self._width - cells(title) - 1)}")

    def note(self, text: str) -> None:
        """A paragraph."""
        self._lines += _fitted(plain_of(held(one_line(text))), self._width)

    def quiet(self, text: str) -> None:
        """A paragraph of less weight, which looks the same without colours."""
        self.note(text)

    def table(
        self, head: Sequence[str], rows: Sequence[Sequence[object]], align: str = "", whole: int | None = None
    ) -> None:
        """A table; ``align`` has ``l`` or ``r`` for each column. No line of the column ``whole`` is broken."""
        table = [[plain_of(held(str(cell).strip("\n"))) for cell in row] for row in (head, *rows)]
        sides = (align + "l" * len(head))[: len(head)]
        if self._width < _FRAMED:
            self._lines += ["", *grid(table[1:], sides, table[0], self._width, indent=2).splitlines(), ""]
            return
        widths = column_widths(table, self._width - 4, 3, whole)
        bars = ["─" * (size + 2) for size in widths]
        self._lines.append(f"╭{'┬'.join(bars)}╮")
        for number, row in enumerate(table):
            wrapped = [_fitted(cell, size) for cell, size in zip(row, widths, strict=True)]
            high = max(map(len, wrapped))
            for level in range(high):
                at = [level if number else level - high + len(cell) for cell in wrapped]  # a head stands low
                parts = [cell[i] if 0 <= i < len(cell) else "" for i, cell in zip(at, wrapped, strict=True)]
                padded = [_padded(*part) for part in zip(parts, widths, sides, strict=True)]
                self._lines.append(f"│ {' │ '.join(padded)} │")
            if not number:
                self._lines.append(f"├{'┼'.join(bars)}┤")
        self._lines.append(f"╰{'┴'.join(bars)}╯")

    def cards(self, cards: Sequence[Mapping[str, Any]]) -> None:
        """Cards side by side; each has ``mark``, ``name``, ``count`` and ``colour``."""
        many = max(1, self._width // _CARD)
        for start in range(0, len(cards), many):
            row = [(card, _words_on(card)) for card in cards[start : start + many]]
            high = max(len(words) for _, words in row)
            drawn = [_framed([*words, *[""] * (high - len(words))], card) for card, words in row]
            self._lines += ["".join(parts) for parts in zip(*drawn, strict=True)]


def plain_of(markup: str) -> str:
    """The text that rich would show, without its colours."""
    return MARKUP.sub(lambda tag: "\\" * (len(tag[1]) // 2) + (tag[2] if len(tag[1]) % 2 else ""), markup)


def _fitted(text: str, width: int) -> list[str]:
    return [text] if cells(text) <= width else wrap(text, width)


def _padded(text: str, width: int, side: str) -> str:
    space = " " * (width - cells(text))
    return space + text if side == "r" else text + space


def _words_on(card: Mapping[str, Any]) -> list[str]:
    """The lines of a card: its mark and how many there are, and its name in two."""
    first = f" {card['mark']} " + (f"  × {card['count']}" if card["count"] > 1 else "")
    names = [card["name"]] if len(card["name"]) <= _NAME else _halves(card["name"])
    lines = [first, *(line for name in names for line in _fitted(name, _CARD - 4))]
    return [*lines, *[""] * (3 - len(lines))]


def _framed(lines: Sequence[str], card: Mapping[str, Any]) -> list[str]:
    across, down, corners = ("━", "┃", "┏┓┗┛") if card.get("special") else ("─", "│", "╭╮╰╯")
    bar = across * (_CARD - 2)
    inside = [f"{down} {_padded(line, _CARD - 4, 'l')} {down}" for line in lines]
    return [corners[0] + bar + corners[1], *inside, corners[2] + bar + corners[3]]


_NAME = 12
"""Letters of a card's name that fit into one line."""
_CARD = 16
"""Columns of a card."""
_FRAMED = 60
"""Columns from which on a table has a frame."""


def _halves(name: str) -> tuple[str, str]:
    words = name.split()
    cut = next((at for at in range(len(words), 0, -1) if len(" ".join(words[:at])) <= _NAME), 1)
    return " ".join(words[:cut]), " ".join(words[cut:])
