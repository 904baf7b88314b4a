"""Standing orders on the screen."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
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
from pbem.base.values import dataclass
from pbem.game import Game, JsonObject
from pbem.games import find_game
from pbem.games.ordering import OrderWords
from pbem.player.play.matters import TextDialog
from pbem.player.play.session import Session
from pbem.player.play.words import Words, label
from pbem.player.seat.orders import (
    FORM,
    NO_ORDERS,
    Told,
    fact_help,
    may_stay_silent,
    told_rules,
    with_preset,
    with_rule,
    without_rule,
    would_do,
)


class OrdersDialog(ModalScreen[bool]):
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
            TextDialog(self._words, self._words("orders-words"), self._standing.vocabulary())
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


# --- orders -----------------------------------------------------------------------------------------------
#
# Standing orders as rows: the rules of the next file, what each comes to now, what is offered to
# everybody.
#
# A change is planned: it waits beside the copy and leaves, sealed, with the next file, or at once in a
# file of its own. The offered answers to a reaction stand here for every seat in every hand, in the same
# words, whatever it holds.


@dataclass(frozen=True, slots=True)
class OrderRow:
    """One row: what it says, and what the orders are once it is taken; None: it is only there to be read."""

    label: str
    effect: str = ""
    change: Callable[[], JsonObject] | None = None
    send: bool = False


class StandingOrders:
    """The rows over the orders of one session."""

    def __init__(self, session: Session) -> None:
        self.session = session

    @property
    def order(self) -> JsonObject:
        """What the next file carries."""
        return self.session.orders or NO_ORDERS

    @property
    def game(self) -> Game:
        """The game played here."""
        return find_game(self.session.record.game_info.id)

    def lines(self) -> list[OrderRow]:
        """Rules, the way to send them, then everything that is ready-made."""
        rows_in_words = told_rules(self.session.view, self.order)
        rules = [
            OrderRow(
                f"{one.number}. {one.words}",
                _state(one, self.session.words),
                partial(self._without, one.number),
            )
            for one in rows_in_words
        ]
        rows = [OrderRow("", self.session.words("orders-rules" if rules else "orders-none")), *rules]
        if rules:
            rows.append(OrderRow(self.session.words("orders-withdraw"), "", lambda: NO_ORDERS))
        if self.session.orders_changed:
            rows.append(
                OrderRow(
                    self.session.words("orders-send"), self.session.words("orders-send-effect"), send=True
                )
            )
        return rows + self._ready_made()

    def _ready_made(self) -> list[OrderRow]:
        game = self.game
        presets = game.order_forms.presets if isinstance(game, OrderWords) else {}
        offered = [OrderRow("", self.session.words("orders-offered"))]
        others = [OrderRow("", self.session.words("orders-presets"))]
        for name, preset in presets.items():
            line = OrderRow(f"+ {self.session.language.tell(preset.sentence)}", "", partial(self._with, name))
            (offered if preset.offered else others).append(line)
        return [row for group in (offered, others) if len(group) > 1 for row in group]

    def _without(self, number: int) -> JsonObject:
        return without_rule(self.order, number)

    def _with(self, preset: str) -> JsonObject:
        return with_preset(self.session.record, self.order, preset)

    def typed(self, text: str) -> JsonObject:
        """The orders with one more rule in words; ``UsageProblem`` says what may be typed."""
        return with_rule(self.session.record, self.order, text)

    def answers(self) -> str:
        """What they would answer if this or that were asked now, and where they may betray that they are silent."""
        found = would_do(self.session.view, self.order) if self.order["rules"] else []
        lines = [self.session.words("orders-would", asked=asked, answer=answer) for asked, answer in found]
        open_ones = may_stay_silent(self.session.record, self.order) if self.order["rules"] else []
        lines += [self.session.words("orders-silent", question=question) for question in open_ones]
        return "\n".join(lines)

    def vocabulary(self) -> str:
        """Everything that may be typed."""
        game = self.game
        if not isinstance(game, OrderWords):
            return ""
        forms = game.order_forms
        parts = [
            f"when {when} do {does}\n  "
            + fact_help({name: form for name, form in forms.facts.items() if when in form.whens})
            for when, does in forms.whens.items()
        ]
        return "\n\n".join([FORM, *parts])


def _state(one: Told, words: Words) -> str:
    if one.state == "waits":
        return ""
    return words(f"orders-{one.state}", why=one.why)
