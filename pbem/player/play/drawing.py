"""Tables for the client's panels: a glance in few lines, and the whole table, both from the game's templates."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pbem.base.language import ENGLISH, Language
from pbem.game import AnyRules, GameInfo, JsonObject, Seat
from pbem.player.letters.environment import Style, game_template, macros, marks, one_line, speaker
from pbem.player.letters.terminal import Screen, held, render_table

if TYPE_CHECKING:
    from rich.console import JustifyMethod
    from rich.text import Text


class CompactView(Screen):
    """A screen whose tables have no frames: every line counts in a small window."""

    def table(
        self, head: Sequence[str], rows: Sequence[Sequence[object]], align: str = "", whole: int | None = 0
    ) -> None:
        """A table without a frame."""
        from rich.table import Table

        sides = (align + "l" * len(head))[: len(head)]
        table = Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
        for at, (name, side) in enumerate(zip(head, sides, strict=True)):
            justify: JustifyMethod = "right" if side == "r" else "left"
            table.add_column(held(name), justify=justify, overflow="fold", no_wrap=at == whole)
        for row in rows:
            table.add_row(*(held(str(cell).strip("\n")) for cell in row))
        wanted = self._console.measure(table, options=self._console.options.update(max_width=400))
        if wanted.maximum > self._width:
            table.padding = (0, 1, 0, 0)
        self._console.print(table)

    def flow(self, lead: str, parts: Sequence[str]) -> None:
        """Parts one after the other, none broken at the end of a line; in another order if that saves a line."""
        from rich.text import Text

        made = [Text.from_markup(held(part)) for part in parts]
        first = Text.from_markup(held(lead) + " " if lead else "")
        rest = Text("  " if lead else "")
        ways = [_lines(made, first, rest, self._width, ahead=ahead) for ahead in (False, True)]
        for line in min(ways, key=len):
            self._console.print(line)


def _lines(parts: Sequence[Text], first: Text, rest: Text, width: int, *, ahead: bool) -> list[Text]:
    """The parts in lines; with ``ahead`` a later part may fill what is left of a line."""
    lines, left = [first.copy()], list(parts)
    while left:
        line = lines[-1]
        fits = [at for at, part in enumerate(left) if line.cell_len + part.cell_len <= width]
        at = next(iter(fits), None) if ahead else (0 if 0 in fits else None)
        if at is None and line.plain.strip():
            lines.append(rest.copy())
            continue
        line.append_text(left.pop(at or 0)).append("  ")
    return lines


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

    def compact_view(
        self, view: JsonObject, width: int, *, roomy: bool = False, fresh: Collection[str] = ()
    ) -> str:
        """The table in few lines, as text with terminal colours; cards of the hand that are ``fresh`` are marked."""
        screen = CompactView(width, colour=True)
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
            "fresh": fresh,
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

    def in_words(self, public: JsonObject) -> str:
        """The open table as a letter tells it: lines of text in columns."""
        seats = self._rules.setup.seats
        context: dict[str, Any] = {
            "view": public,
            "summary": self._rules.summary(public),
            "setup": self._rules.setup,
            "seats": seats,
            "who": speaker(Style.TEXT, self._names),
            "marks": marks(seats),
        }
        return (
            game_template(Style.TEXT, self._info.id, "table.txt.jinja", self._language)
            .render(context)
            .strip()
        )

    def held(self, view: JsonObject) -> str:
        """The own hand by names; empty where the game has none."""
        own = view.get("hands", {}).get(self._viewer)
        return self.cards(own) if isinstance(own, list) else ""

    def chapter(self, view: JsonObject) -> str:
        """``hand 3`` or ``space 5``."""
        return self._phase(view, "chapter")

    def ended(self, view: JsonObject) -> str:
        """What is said where a hand or a turn of the game is over."""
        return self._phase(view, "ended", "title")

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
