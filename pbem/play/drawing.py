"""Tables for the client's panels: a glance in few lines, and the whole table, both from the game's templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pbem.game import AnyRules, GameInfo, JsonObject, Seat
from pbem.language import ENGLISH, Language
from pbem.letters.environment import Style, game_template, macros, marks, one_line, speaker
from pbem.letters.terminal import Screen, render_table

if TYPE_CHECKING:
    from rich.console import JustifyMethod


class Glance(Screen):
    """A screen whose tables have no frames: every line counts in a small window."""

    def table(self, head: Sequence[str], rows: Sequence[Sequence[object]], align: str = "") -> None:
        """A table without a frame."""
        from rich.table import Table

        sides = (align + "l" * len(head))[: len(head)]
        table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
        for at, (name, side) in enumerate(zip(head, sides, strict=True)):
            justify: JustifyMethod = "right" if side == "r" else "left"
            table.add_column(name, justify=justify, overflow="fold", no_wrap=at == 0)
        for row in rows:
            table.add_row(*(str(cell).strip("\n") for cell in row))
        wanted = self._console.measure(table, options=self._console.options.update(max_width=400))
        if wanted.maximum > self._width:
            table.padding = (0, 1, 0, 0)
        self._console.print(table)

    def flow(self, lead: str, parts: Sequence[str]) -> None:
        """Parts one after the other, none broken at the end of a line."""
        from rich.text import Text

        indent = "  " if lead else ""
        line = Text.from_markup(lead + " " if lead else "")
        for part in map(Text.from_markup, parts):
            if line.plain.strip() and line.cell_len + part.cell_len > self._width:
                self._console.print(line)
                line = Text(indent)
            line.append_text(part).append("  ")
        self._console.print(line)


class Drawing:
    """How one match is drawn for one viewer."""

    def __init__(
        self,
        info: GameInfo,
        rules: AnyRules,
        names: Mapping[Seat, str],
        viewer: Seat | None,
        language: Language = ENGLISH,
    ) -> None:
        self._language = language
        self._info = info
        self._rules = rules
        self._names = names
        self._viewer = viewer

    def glance(self, view: JsonObject, width: int, *, roomy: bool = False) -> str:
        """The table in few lines, as text with terminal colours."""
        screen = Glance(width, colour=True)
        seats = self._rules.setup.seats
        context: dict[str, Any] = {
            "view": view,
            "summary": self._rules.summary(view),
            "setup": self._rules.setup,
            "seats": seats,
            "who": speaker(Style.TERMINAL, self._names),
            "marks": marks(seats),
            "viewer": self._viewer,
            "screen": screen,
            "roomy": roomy,
        }
        game_template(Style.TERMINAL, self._info.id, "glance.term.jinja", self._language).render(context)
        return screen.text().rstrip("\n")

    def whole(self, view: JsonObject, width: int) -> str:
        """The whole table, as ``pbem show`` draws it."""
        text = render_table(
            self._info.id,
            view,
            self._rules.setup,
            self._names,
            self._rules.summary(view),
            width=width,
            viewer=self._viewer,
            language=self._language,
        )
        return text.rstrip("\n")

    def chapter(self, view: JsonObject) -> str:
        """``hand 3`` or ``space 5``."""
        return self._phase(view, "chapter")

    def short(self, view: JsonObject, phase: str) -> str:
        """What a phase asks, in few words."""
        return self._phase(view, "short", phase)

    def _phase(self, view: JsonObject, name: str, *given: str) -> str:
        context = {
            "view": view,
            "setup": self._rules.setup,
            "seats": self._rules.setup.seats,
            "who": speaker(Style.TEXT, self._names),
        }
        module = macros(Style.TEXT, self._info.id, "phases.jinja", context, self._language)
        return one_line(getattr(module, name)(*given))

    def cards(self, names: Sequence[str]) -> str:
        """Cards by their names."""
        context = {"setup": self._rules.setup, "seats": self._rules.setup.seats, "who": str}
        module = macros(Style.TEXT, self._info.id, "words.jinja", context, self._language)
        named = getattr(module, "card", None)
        return ", ".join(one_line(named(name)) if named else name for name in names)
