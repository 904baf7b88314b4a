"""Standing orders on the screen."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from pbem.base.errors import PbemError
from pbem.game import JsonObject
from pbem.player.play.matters import TextScreen
from pbem.player.play.orders import OrderRow, StandingOrders
from pbem.player.play.session import Session
from pbem.player.play.words import label


class OrdersScreen(ModalScreen[bool]):
    """Standing orders, over the screen; the answer is whether a file with them is to leave now."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", label("key-close")),
        Binding("f1", "vocabulary", label("key-help")),
    ]

    def __init__(self, session: Session) -> None:
        super().__init__()
        session.words.in_language(self._bindings)
        self._words = session.words
        self._standing = StandingOrders(session)
        self._lines: list[OrderRow] = []

    def compose(self) -> ComposeResult:
        """Rules, a line to type one, what they would answer."""
        with Vertical(classes="box", id="orders-box") as box:
            box.border_title = self._words("orders-title")
            box.border_subtitle = self._words("orders-keys")
            yield OptionList(id="orders-list")
            yield Input(placeholder=self._words("orders-type"), id="orders-type")
            yield Static("", id="orders-fault", classes="fault")
            with VerticalScroll(can_focus=False, id="orders-answers-pane"):
                yield Static("", id="orders-answers")

    def on_mount(self) -> None:
        """Show the rules, ready to choose."""
        self._show()
        self.query_one("#orders-list").focus()

    def _show(self, at: int | None = None) -> None:
        listed = self.query_one("#orders-list", OptionList)
        self._lines = self._standing.lines()
        listed.clear_options()
        listed.add_options([Option(_line_text(line), disabled=not _active(line)) for line in self._lines])
        first = next((number for number, line in enumerate(self._lines) if _active(line)), None)
        usable = at is not None and at < len(self._lines) and _active(self._lines[at])
        listed.highlighted = at if usable else first
        self.query_one("#orders-answers", Static).update(Text(self._standing.answers()))

    def _plan(self, change: Callable[[], JsonObject], at: int | None = None) -> bool:
        fault = self.query_one("#orders-fault", Static)
        try:
            self._standing.session.plan_orders(change())
        except PbemError as problem:
            fault.update(Text(self._words.language.fault(problem)))
            return False
        fault.update("")
        self._show(at)
        return True

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take out a rule, put in a ready-made one, or send."""
        event.stop()
        line = self._lines[event.option_index]
        if line.send:
            self.dismiss(True)
        elif line.change is not None:
            self._plan(line.change, event.option_index)

    @on(Input.Submitted, "#orders-type")
    def add(self, event: Input.Submitted) -> None:
        """Add what was typed."""
        text = event.value.strip()
        if text and self._plan(lambda: self._standing.typed(text)):
            event.input.clear()

    def action_vocabulary(self) -> None:
        """What may be typed."""
        self.app.push_screen(
            TextScreen(self._words, self._words("orders-words"), self._standing.vocabulary())
        )

    def action_leave(self) -> None:
        """Close; what was changed waits for the next file."""
        self.dismiss(False)


def _active(line: OrderRow) -> bool:
    return line.send or line.change is not None


def _line_text(line: OrderRow) -> Text:
    text = Text(line.label, style="bold" if line.label else "")
    if line.effect:
        text.append(("  " if line.label else "") + line.effect, style="not bold")
    return text
