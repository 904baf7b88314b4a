"""How a file, default or opening is played out: step by step, with standing orders answering (schemas/README.md §8).

The referee makes results with this, and replay makes them again with the same code: what it yields is compared, so
an order ignored, misapplied or invented shows as a difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any

from pbem.base.values import dataclass
from pbem.game import AnyRules, IllegalAction, Json, JsonObject, MalformedAction, Seat
from pbem.games.ordering import NOW
from pbem.protocol.record.table import Happened, Table


@dataclass(frozen=True, slots=True)
class OrderInForce:
    """A seat's standing orders: the message they came in; ``content`` is None while nobody may read them."""

    n: int
    content: JsonObject | None


@dataclass(frozen=True, slots=True)
class FileAction:
    """One action of a file: ``by`` is ``file`` for an open one, ``sealed`` for a sealed one."""

    by: str
    written: Json


class RefusedAction(Exception):
    """A fault before anything was revealed: the whole file is refused (schemas/README.md §8)."""

    def __init__(self, code: str, index: int, by: str, rules: tuple[str, ...], sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.index = index
        self.by = by
        self.rules = rules


def answer_of(rules: AnyRules, view: Any, order: JsonObject, turn: JsonObject) -> Any:
    """What an order answers in the seat's view and the running turn; None if it does not."""
    return rules.order_action(view, {**order, NOW: turn})


@dataclass(slots=True)
class Play:
    """A result in the making. ``told`` are a record's steps: they answer for orders that nobody may read yet."""

    table: Table
    orders: Mapping[Seat, OrderInForce]
    told: Sequence[JsonObject] = ()
    steps: list[JsonObject] = field(default_factory=list)
    draws: dict[Seat, list[JsonObject]] = field(default_factory=dict)
    facts: dict[Seat, list[JsonObject]] = field(default_factory=dict)
    applied: int = 0
    stopped: JsonObject | None = None
    revealed: bool = False

    # --- the four ways a result begins ----------------------------------------------------------------------

    def opening(self) -> None:
        """An epoch opens: the deal and other chance before the first decision, then standing orders."""
        happened = Happened()
        self.ready()
        self.table = self.table.settle(happened)
        if happened.chance or happened.events:
            self._add({"by": "game"}, happened)
        self.answer_orders()

    def file(self, seat: Seat, actions: Iterable[FileAction]) -> None:
        """A player's file: its actions one by one, others' orders in between, all orders when it is used up.

        Raises:
            RefusedAction: for a fault before anything was revealed; the play is then to be thrown away.
        """
        for index, action in enumerate(actions):
            why = self._kept_waiting(seat)
            if why:
                self.stopped = {"at": index, "why": why}
                return
            try:
                self.act_by_file(seat, action)
            except (IllegalAction, MalformedAction) as error:
                self.stop(seat, index, action, error)
                return
            self.applied += 1
        self.answer_orders()

    def default(self, seat: Seat) -> None:
        """The default actions of ``seat`` until somebody else is to act, then standing orders."""
        rules = self.table.rules
        while (asks := self.table.asks) is not None and asks.seat == seat:
            self.ready()
            action = rules.default_action(rules.observe(self.table.state, seat))
            self.act("default", seat, action, rules.public_action(action))
        self.answer_orders()

    def orders_only(self) -> None:
        """New orders came without actions: they may answer at once."""
        self.answer_orders()

    # --- inside -------------------------------------------------------------------------------------------

    def ready(self) -> None:
        """Called before each step: the table is such that the step can be played. Here it always is."""

    def meant(self, step: JsonObject) -> Any:
        """The action of a step that a record tells, by an order that nobody may read.

        Raises:
            LookupError: its public form says too little.
        """
        try:
            return self.table.rules.action_from_json(step["action"])
        except MalformedAction as fault:  # the secret part is read when the order is opened
            raise LookupError(
                f"what the order of {step['seat']} answered stands nowhere yet: {fault}"
            ) from fault

    def _kept_waiting(self, seat: Seat) -> str:
        self.answer_orders(but=seat)
        asks = self.table.asks
        if asks is None:
            return "epoch"
        return "" if asks.seat == seat else "waiting"

    def act_by_file(self, seat: Seat, action: FileAction) -> None:
        """Carry out one action of a file; raises ``IllegalAction`` or ``MalformedAction``."""
        rules = self.table.rules
        parsed = rules.action_from_json(action.written)
        shown = action.written if action.by == "file" else rules.public_action(parsed)
        self.act(action.by, seat, parsed, shown)

    def stop(
        self, seat: Seat, index: int, action: FileAction, error: IllegalAction | MalformedAction
    ) -> None:
        """Refuse the file, or stop in it if something was revealed already."""
        code = "illegal" if isinstance(error, IllegalAction) else "malformed"
        broken = list(error.rules) if isinstance(error, IllegalAction) else []
        if not self.revealed:
            raise RefusedAction(code, index, action.by, tuple(broken), str(error)) from error
        self.stopped = {"at": index, "why": "illegal"}
        if self.table.rules.has_secrets:
            told = {"stopped": {"action": index, "code": code, "rules": broken}}
            self.facts.setdefault(seat, []).append(told)
        else:
            self.stopped |= {"code": code, "rules": broken}

    def answer_orders(self, *, but: Seat | None = None) -> None:
        """Let standing orders decide as long as the seat to act has one that answers (not for seat ``but``)."""
        while (asks := self.table.asks) is not None and asks.seat != but:
            order = self.orders.get(asks.seat)
            answer = self._answer(asks.seat, order) if order else None
            if order is None or answer is None:
                return
            shown = self.table.rules.public_action(answer)
            self.act("order", asks.seat, answer, shown, n=order.n)
            self.revealed = True

    def _answer(self, seat: Seat, order: OrderInForce) -> Any:
        rules = self.table.rules
        if order.content is not None:
            return answer_of(rules, rules.observe(self.table.state, seat), order.content, self.table.turn)
        index = len(self.steps)
        told = self.told[index] if index < len(self.told) else {}
        if told.get("by") == "order" and told.get("seat") == seat and told.get("n") == order.n:
            return self.meant(told)
        return None

    def act(self, by: str, seat: Seat, action: Any, shown: Json, *, n: int | None = None) -> None:
        """One step: an action, the chance that follows, what happened."""
        happened = Happened()
        self.ready()
        self.table = self.table.act(action, happened)
        head: JsonObject = {"by": by, "seat": seat, "action": shown}
        if n is not None:
            head["n"] = n
        self._add(head, happened)

    def _add(self, head: JsonObject, happened: Happened) -> None:
        self.steps.append({**head, "chance": happened.chance, "events": happened.events})
        for seat, draws in happened.draws.items():
            self.draws.setdefault(seat, []).extend(draws)
        for seat, facts in happened.facts.items():
            self.facts.setdefault(seat, []).extend(facts)
        self.revealed |= happened.reveals

    # --- what a record says of it -------------------------------------------------------------------------

    def bodies(self, seats: Sequence[Seat]) -> dict[Seat, JsonObject]:
        """The packet body of every seat (schemas/README.md §3.1)."""
        standing: dict[Seat, list[JsonObject]] = {}
        for fact in self.table.rules.standing_facts(self.table.state):
            standing.setdefault(fact.seat, []).append(fact.body)
        return {
            seat: {
                "draws": self.draws.get(seat, []),
                "facts": self.facts.get(seat, []) + standing.get(seat, []),
            }
            for seat in seats
        }
