"""Standing orders above the games: what a game adds so that they can be typed, explained, bound to one turn.

A game's orders are ``{"rules":[{"when": question, "turn": {"epoch","number"}?, "if": facts?, "do": answer}, …]}``
(schemas/README.md §14.3). The vocabulary is the game's own (``schemas/<game>/orders.schema.json``). A rule with
``turn`` holds in that turn alone, so that a player can say now what they do after a hit, and not next time too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import IllegalAction, Json, JsonObject, Seat

NOW = "now"
"""The member of orders that whoever evaluates them adds: what ``Ordering.turn_so_far`` says of the running turn."""


@dataclass(frozen=True, slots=True)
class RuleState:
    """The result of one rule of a standing order in a view; see ``Ordering.rule_states``.

    ``state`` is ``answers`` (``action`` is what it answers), ``waits`` (something else is asked, or it is for a turn
    to come), ``untrue`` (a fact does not hold), ``off`` (it fits, but what it wants cannot be done: it is passed over)
    or ``past`` (the turn it was for is over). ``why`` is a sentence for its owner alone.
    """

    state: str
    why: str = ""
    action: Any = None


@runtime_checkable
class Ordering(Protocol):
    """What rules add so that standing orders can hold for one turn, be explained, and be given by computer players.

    Where orders are evaluated they have beside ``rules`` the member ``now``: what ``turn_so_far`` says of the running
    turn. Players never write it, and ``check_order`` refuses it.
    """

    def turn_so_far(self, turn: JsonObject, events: Sequence[JsonObject]) -> JsonObject:
        """``turn`` after these public events. It holds ``epoch``, ``number`` (turns of the epoch, from 1), and more."""

    def rule_states(self, view: Any, order: JsonObject) -> tuple[RuleState, ...]:
        """The result of each rule in the seat's view; the first that ``answers`` is what ``order_action`` gives."""

    def suppose(self, view: Any) -> tuple[tuple[str, Any], ...]:
        """Views in which this seat were asked something now, each with what would be asked, in words."""

    def advise_orders(self, view: Any, turn: JsonObject) -> JsonObject:
        """Standing orders that a computer player would send along with its actions in this view."""


@dataclass(frozen=True, slots=True)
class FactForm:
    """How a fact of standing orders is typed: its words, then a value of this ``kind``.

    ``number``; ``numbers``; ``name``; ``names`` (one or more); ``counted`` (number and name: ``{"card","at_least"}``);
    ``flag`` (true; with ``no`` before the words false). ``names``: what may be named; empty if only a match knows.
    """

    words: str
    kind: str
    whens: tuple[str, ...]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FactKind:
    """One fact: how it is typed, and whether it holds at a moment of its game."""

    form: FactForm
    test: Callable[[Any, Json], bool]


@dataclass(frozen=True, slots=True)
class Preset:
    """Ready-made rules: they take the place of all rules for the same questions."""

    sentence: str
    rules: tuple[JsonObject, ...]
    offered: bool = False
    """Whether a client offers it to every seat, always, in the same words (the reaction window)."""


@dataclass(frozen=True, slots=True)
class OrderForms:
    """Everything a person may type about standing orders: questions, facts, presets."""

    whens: Mapping[str, str]
    """Question → the ``do`` words that may follow, for help."""
    facts: Mapping[str, FactForm]
    presets: Mapping[str, Preset]


@runtime_checkable
class OrderWords(Protocol):
    """What a game adds so that standing orders can be typed and read."""

    @property
    def order_forms(self) -> OrderForms:
        """The vocabulary."""

    def do_from_words(self, when: str, words: Sequence[str]) -> JsonObject:
        """The ``do`` of a rule; ``MalformedAction`` says what may be typed."""

    def do_to_words(self, when: str, do: JsonObject) -> str:
        """The words that ``do_from_words`` reads back."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Orders that most people would give at a moment: a short name to type, the words, the rules."""

    name: str
    sentence: str
    rules: tuple[JsonObject, ...]


@runtime_checkable
class Offering(Protocol):
    """What rules add so that a client can offer orders after every choice."""

    def common_orders(
        self, public: Any, seat: Seat, turn: JsonObject, done: Sequence[JsonObject]
    ) -> tuple[Offer, ...]:
        """Two or three orders that most people at ``seat`` would give now.

        From what is public alone: no hand reaches this function, so no offer depends on one. An offer for a
        question that others put is there at every moment, and its rules always answer.

        Args:
            public: the public view; None before there is one.
            seat: whose orders they would be.
            turn: the running turn (``Ordering.turn_so_far``); empty where none runs.
            done: the actions that leave with the same file.
        """


# --- how rules are tried, the same in every game ----------------------------------------------------------

Answering: TypeAlias = Callable[[JsonObject], "tuple[Any, str]"]
"""From the ``do`` of a rule to the legal action that it means here; or None, and why there is none."""


@dataclass(frozen=True, slots=True)
class RuleTrial:
    """Where rules are tried: what is asked of the seat (None: nothing), the running turn, and how its game answers."""

    moment: Any
    question: str | None
    now: JsonObject
    facts: Mapping[str, FactKind]
    answer: Answering

    def state(self, rule: JsonObject) -> RuleState:
        """The result of one rule."""
        turn = rule.get("turn")
        running = (self.now.get("epoch", 0), self.now.get("number", 0))
        if turn is not None and (turn["epoch"], turn["number"]) < running:
            return RuleState("past", "the turn it was for is over")
        if turn is not None and (turn["epoch"], turn["number"]) > running:
            return RuleState("waits", "it is for a turn to come")
        if self.question is None or rule["when"] != self.question:
            return RuleState("waits")
        for name, value in rule.get("if", {}).items():
            if not self.facts[name].test(self.moment, value):
                return RuleState("untrue", name)
        action, why = self.answer(rule["do"])
        return RuleState("off", why) if action is None else RuleState("answers", "", action)

    def states(self, order: JsonObject) -> tuple[RuleState, ...]:
        """The result of each rule; for its owner alone."""
        return tuple(map(self.state, order["rules"]))

    def first_answer(self, order: JsonObject) -> Any | None:
        """The action of the first rule that answers."""
        answers = (self.state(rule).action for rule in order.get("rules", ()))
        return next((action for action in answers if action is not None), None)


def why_illegal(check: Callable[[], None]) -> str:
    """What ``check`` raises, with its rows; empty if it raises nothing."""
    try:
        check()
    except IllegalAction as error:
        return sentence("{fault} ({rows})", fault=error, rows=", ".join(error.rules))
    return ""


def with_after(turn: JsonObject, news: Mapping[str, str]) -> JsonObject:
    """The running turn, with the result of these seats' last card or gunfight."""
    return {**turn, "after": {**turn.get("after", {}), **news}}


def next_turn(turn: JsonObject) -> JsonObject:
    """The turn behind this one in the same epoch."""
    return {"epoch": turn["epoch"], "number": turn["number"] + 1}


def rule(when: str, do: JsonObject, **facts: Json) -> JsonObject:
    """A rule for every turn."""
    return {"when": when, **({"if": facts} if facts else {}), "do": do}
