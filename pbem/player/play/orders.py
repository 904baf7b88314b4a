"""Standing orders as rows: the rules of the next file, the result of each now, what is offered to everybody.

A change is planned: it waits beside the copy and leaves, sealed, with the next file, or at once in a file of its own.
The offered answers to a reaction stand here for every seat in every hand, in the same words, whatever it holds.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pbem.base.values import dataclass
from pbem.game import Game, JsonObject
from pbem.games import find_game
from pbem.games.ordering import OrderWords
from pbem.player.play.session import Session
from pbem.player.play.words import Words
from pbem.player.seat import orders


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
        return self.session.orders or orders.NO_ORDERS

    @property
    def game(self) -> Game:
        """The game played here."""
        return find_game(self.session.record.game_info.id)

    def lines(self) -> list[OrderRow]:
        """Rules, the way to send them, then everything that is ready-made."""
        rows_in_words = orders.told_rules(self.session.view, self.order)
        rules = [
            OrderRow(
                f"{rule.number}. {rule.words}",
                _state(rule, self.session.words),
                partial(self._without, rule.number),
            )
            for rule in rows_in_words
        ]
        rows = [OrderRow("", self.session.words("orders-rules" if rules else "orders-none")), *rules]
        if rules:
            rows.append(OrderRow(self.session.words("orders-withdraw"), "", lambda: orders.NO_ORDERS))
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
            line = OrderRow(
                f"+ {self.session.language.translate(preset.sentence)}", "", partial(self._with, name)
            )
            (offered if preset.offered else others).append(line)
        return [row for group in (offered, others) if len(group) > 1 for row in group]

    def _without(self, number: int) -> JsonObject:
        return orders.without_rule(self.order, number)

    def _with(self, preset: str) -> JsonObject:
        return orders.with_preset(self.session.record, self.order, preset)

    def typed(self, text: str) -> JsonObject:
        """The orders with one more rule in words; ``UsageProblem`` says what may be typed."""
        return orders.with_rule(self.session.record, self.order, text)

    def answers(self) -> str:
        """What they would answer if this or that were asked now, and where they may betray that they are silent."""
        answers = orders.would_do(self.session.view, self.order) if self.order["rules"] else []
        lines = [self.session.words("orders-would", asked=asked, answer=answer) for asked, answer in answers]
        open_ones = orders.may_stay_silent(self.session.record, self.order) if self.order["rules"] else []
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
            + orders.fact_help({name: form for name, form in forms.facts.items() if when in form.whens})
            for when, does in forms.whens.items()
        ]
        return "\n\n".join([orders.FORM, *parts])


def _state(rule: orders.Told, words: Words) -> str:
    if rule.state == "waits":
        return ""
    return words(f"orders-{rule.state}", why=rule.why)
