"""How a file, default or opening is played out: step by step, with standing orders answering (schemas/README.md §8).

The referee makes results with this, and replay makes them again with the same code: what it yields is compared, so
an order ignored, misapplied or invented shows as a difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property, lru_cache
from typing import Any, Protocol, TypeGuard

from pbem.base.values import dataclass, replace
from pbem.game import (
    PUBLIC,
    TABLE,
    AnyRules,
    AnyStep,
    Chance,
    Decision,
    IllegalAction,
    Json,
    JsonObject,
    MalformedAction,
    Node,
    Outcome,
    Roll,
    Seat,
    Shuffle,
    Terminal,
)
from pbem.games.ordering import NOW, Ordering
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.draws import chain, cut, lay, permutation, roll, tape_label
from pbem.protocol.record.line import Fault, Line


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
    bulk: bool = True
    """It stands in a record, or its form was judged as the message came."""


class RefusedAction(Exception):
    """A fault before anything was revealed: the whole file is refused (schemas/README.md §8)."""

    def __init__(self, code: str, index: int, by: str, rules: tuple[str, ...], sentence: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.index = index
        self.by = by
        self.rules = rules

    def fault(self, line: Line) -> Fault:
        """The fault of a record that holds the file (schemas/README.md §12)."""
        n, error = self.index + 1, self
        return line.fault(
            12, "should-be-refused", "the rules do not allow move {n}: {error}", n=n, error=error
        )


def answer_of(rules: AnyRules, view: Any, order: JsonObject, turn: JsonObject) -> Any:
    """What an order answers in the seat's view and the running turn; None if it does not."""
    return rules.order_action(view, {**order, NOW: turn})


@dataclass(slots=True)
class Play:
    """A result in the making. ``recorded`` are a record's steps: they answer for orders that nobody may read yet."""

    table: Table
    orders: Mapping[Seat, OrderInForce]
    recorded: Sequence[JsonObject] = ()
    steps: list[JsonObject] = field(default_factory=list)
    draws: dict[Seat, list[JsonObject]] = field(default_factory=dict)
    facts: dict[Seat, list[JsonObject]] = field(default_factory=dict)
    applied: int = 0
    stopped: JsonObject | None = None
    revealed: bool = False

    # --- the ways a result begins -------------------------------------------------------------------------

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

    # --- inside -------------------------------------------------------------------------------------------

    def ready(self) -> None:
        """Called before each step: the table is such that the step can be played. Here it always is."""

    def meant(self, step: JsonObject) -> Any:
        """The action of a step that a record shows, by an order that nobody may read.

        Raises:
            LookupError: its public form says too little.
        """
        try:
            return self.table.rules.action_from_json(step["action"], bulk=True)
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
        parsed = rules.action_from_json(action.written, bulk=action.bulk)
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
            stopped = {"stopped": {"action": index, "code": code, "rules": broken}}
            self.facts.setdefault(seat, []).append(stopped)
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
        step = self.recorded[index] if index < len(self.recorded) else {}
        if step.get("by") == "order" and step.get("seat") == seat and step.get("n") == order.n:
            return self.meant(step)
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


# --- the table: the engine's state together with the decks and tapes of the running epoch -----------------
#
# One action at a time is carried out together with all the chance that follows from it; what comes back
# is data in the form of a record: the chance list, the events in their public form, and what single seats
# were shown.


@dataclass(frozen=True, slots=True)
class DeckOnTable:
    """The newest generation of a deck and the number of the next draw."""

    gen: int
    laid: CommittedDeck
    k: int


@dataclass(slots=True)
class Happened:
    """What one or more transitions did, in the form of a record."""

    chance: list[JsonObject] = field(default_factory=list)
    events: list[JsonObject] = field(default_factory=list)
    draws: dict[Seat, list[JsonObject]] = field(default_factory=dict)
    facts: dict[Seat, list[JsonObject]] = field(default_factory=dict)
    reveals: bool = False


@dataclass(frozen=True)
class Table:
    """A position in play. ``span`` is the epoch's worth that the running epoch serves; 0 before the first.

    ``turn`` is what the public events so far say of the running turn (``pbem.games.ordering``): standing orders may
    ask it.
    """

    rules: AnyRules
    state: Any
    epoch: int = 0
    span: int = 0
    source: ChanceSource | None = None
    decks: Mapping[str, DeckOnTable] = field(default_factory=dict)
    tapes: Mapping[str, int] = field(default_factory=dict)
    turn: JsonObject = field(default_factory=dict)

    @classmethod
    def fresh(cls, rules: AnyRules) -> Table:
        """The table before the first epoch."""
        return cls(rules, rules.initial_state())

    @cached_property
    def node(self) -> Node:
        """Who or what must answer next."""
        return self.rules.node(self.state)

    @property
    def epoch_over(self) -> bool:
        """Whether what comes next belongs to the next epoch (or nothing comes next)."""
        return self._over(self.node)

    def _over(self, node: Node) -> bool:
        return isinstance(node, Terminal) or self.rules.span(self.state) != self.span

    @cached_property
    def asks(self) -> Decision | None:
        """The decision that the running epoch waits for."""
        node = self.node
        return node if isinstance(node, Decision) and not self._over(node) else None

    @cached_property
    def view(self) -> Any:
        """What everybody sees, as the game's own value."""
        return self.rules.observe(self.state, PUBLIC)

    @property
    def public(self) -> JsonObject:
        """The same as records hold it."""
        return self.rules.view_to_json(self.view)

    def with_epoch(self, number: int, source: ChanceSource) -> Table:
        """The table at the start of an epoch: fresh decks, fresh tapes."""
        return replace(
            self,
            epoch=number,
            span=self.rules.span(self.state),
            source=source,
            decks={},
            tapes={},
            turn=first_turn(number),
        )

    def settle(self, happened: Happened) -> Table:
        """Answer chance until somebody must decide, the epoch is over, or the match is."""
        table = self
        while isinstance(node := table.node, Chance) and not table._over(node):
            table = _answer(table, node.draw, happened)
        return table

    def act(self, action: Any, happened: Happened) -> Table:
        """Carry out an action and the chance that follows; raises ``IllegalAction`` and changes nothing."""
        step = self.rules.apply(self.state, action)
        return self.take(step, happened).settle(happened)

    # --- one transition -----------------------------------------------------------------------------------

    def shuffle(self, draw: Shuffle, happened: Happened) -> tuple[Table, Outcome]:
        """Lay the next generation of a deck; the first of an epoch was announced and is no news."""
        before = self.decks.get(draw.deck)
        gen = 0 if before is None else before.gen + 1
        laid = self._source.shuffle(draw.deck, gen, draw.cards)
        if before is not None:
            happened.chance.append(
                {"shuffle": draw.deck, "gen": gen, "leaves": [b64(leaf) for leaf in laid.leaves]}
            )
        return self._with_deck(draw.deck, DeckOnTable(gen, laid, 0)), laid.permutation

    def roll(self, draw: Roll, happened: Happened) -> tuple[Table, Outcome]:
        """Roll dice, each with the tape's next link."""
        used = self.tapes.get(draw.tape, 0)
        values = []
        for j, sides in enumerate(draw.sides, start=used + 1):
            value, link = self._source.roll(draw.tape, j, sides)
            values.append(value)
            happened.chance.append(
                {
                    "roll": draw.tape,
                    "j": j,
                    "sides": sides,
                    "value": value,
                    "link": b64(link),
                    "for": draw.label,
                }
            )
        tapes = {**self.tapes, draw.tape: used + len(draw.sides)}
        return replace(self, tapes=tapes), tuple(values)

    @property
    def _source(self) -> ChanceSource:
        if self.source is None:
            raise LookupError("no epoch is open")
        return self.source

    def _with_deck(self, name: str, deck: DeckOnTable) -> Table:
        return replace(self, decks={**self.decks, name: deck})

    def take(self, step: AnyStep, happened: Happened) -> Table:
        """Take a step of the engine: deal its cards, note its events and facts."""
        table = self
        for deal in step.deals:
            table = table._deal(deal.deck, deal.to, happened)
        events = [self.rules.event_to_json(event, PUBLIC) for event in step.events]
        happened.events += events
        for fact in step.facts:
            happened.facts.setdefault(fact.seat, []).append(fact.body)
        happened.reveals |= step.reveals or bool(step.deals) or bool(step.facts)
        return replace(table, state=step.state, turn=after_events(self.rules, self.turn, events))

    def _deal(self, name: str, to: Any, happened: Happened) -> Table:
        deck = self.decks[name]
        k, laid = deck.k, deck.laid
        entry: JsonObject = {"draw": name, "gen": deck.gen, "k": k}
        card, place, salt = laid.cards[k], laid.places[k], b64(laid.salts[k])
        if to is TABLE:
            happened.chance.append({**entry, "to": "table", "place": place, "card": card, "salt": salt})
        else:
            happened.chance.append({**entry, "to": to})
            happened.draws.setdefault(to, []).append(
                {"card": card, "deck": name, "gen": deck.gen, "k": k, "place": place, "salt": salt}
            )
        return self._with_deck(name, replace(deck, k=k + 1))


def first_turn(epoch: int) -> JsonObject:
    """The running turn at the start of an epoch."""
    return {"epoch": epoch, "number": 1}


def after_events(rules: AnyRules, turn: JsonObject, events: Sequence[JsonObject]) -> JsonObject:
    """The running turn after these public events; the same for referee, audit and every player."""
    return rules.turn_so_far(turn, events) if events and _knows_turns(rules) else turn


def _knows_turns(rules: AnyRules) -> TypeGuard[Ordering]:
    """Whether these rules are ``Ordering``: asked after every step, and a protocol takes long to look at a value."""
    return _is_ordering(type(rules))


@lru_cache(maxsize=64)
def _is_ordering(rules: type) -> bool:
    return issubclass(rules, Ordering)


def _answer(table: Table, draw: Shuffle | Roll, happened: Happened) -> Table:
    after, outcome = (
        table.shuffle(draw, happened) if isinstance(draw, Shuffle) else table.roll(draw, happened)
    )
    happened.reveals = True
    return after.take(table.rules.resolve(table.state, outcome), happened)


# --- chance -----------------------------------------------------------------------------------------------
#
# Where the answers to chance come from: the seed of an epoch, or the record of one
# (schemas/README.md §4.1).
#
# ``SeedChance`` is used by the host, who has the seed, and by the audit after the close, which has it
# too: the same code, so a replay cannot come out otherwise. ``RecordedChance`` takes the values of dice from
# a record whose links were checked; a match that only rolls can so be replayed while it runs.


@dataclass(frozen=True, slots=True)
class CommittedDeck:
    """One generation in the order of its draws: card, place and salt of draw k, and the leaves by place."""

    permutation: tuple[int, ...]
    cards: tuple[str, ...]
    places: tuple[int, ...]
    salts: tuple[bytes, ...]
    leaves: tuple[bytes, ...]


class ChanceSource(Protocol):
    """Answers the draws of one epoch."""

    def shuffle(self, deck: str, gen: int, cards: tuple[str, ...]) -> CommittedDeck:
        """Lay and cut ``cards`` (sorted by bytes) as generation ``gen`` of ``deck``."""

    def roll(self, tape: str, j: int, sides: int) -> tuple[int, bytes]:
        """Value and link of roll ``j`` (from 1)."""


@dataclass(frozen=True, slots=True)
class SeedChance:
    """Everything follows from the seed of the epoch and the entropy of its links."""

    game: bytes
    epoch: int
    seed: bytes
    entropy: bytes

    def shuffle(self, deck: str, gen: int, cards: tuple[str, ...]) -> CommittedDeck:
        """Lay by the seed, cut by the entropy."""
        laid = lay(self.seed, self.game, self.epoch, deck, gen, cards)
        places = cut(self.entropy, deck, gen, len(cards))
        order = permutation(laid.order, places)
        return CommittedDeck(
            order,
            tuple(cards[index] for index in order),
            places,
            tuple(laid.salts[place] for place in places),
            laid.leaves,
        )

    def roll(self, tape: str, j: int, sides: int) -> tuple[int, bytes]:
        """Open the tape's next link."""
        link = chain(tape_label(tape, self.epoch), self.game, self.seed)[j]
        return roll(link, self.entropy, tape, j, sides), link


class RecordedChance:
    """Dice as the record shows them, in order; it cannot shuffle."""

    def __init__(self, entries: Iterable[JsonObject]) -> None:
        self._rolls: Iterator[JsonObject] = (entry for entry in entries if "roll" in entry)

    def shuffle(self, deck: str, gen: int, cards: tuple[str, ...]) -> CommittedDeck:  # noqa: ARG002  # a protocol's
        """Not possible without the seed."""
        raise LookupError(f"deck {deck} cannot be read before its epoch is closed")

    def roll(self, tape: str, j: int, sides: int) -> tuple[int, bytes]:
        """The next die of the record."""
        entry = next(self._rolls, None)
        if entry is None or (entry["roll"], entry["j"], entry["sides"]) != (tape, j, sides):
            raise LookupError(f"the record does not roll die {j} of {tape} with {sides} sides here")
        return int(entry["value"]), unb64(entry["link"], 32)
