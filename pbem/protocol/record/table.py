"""The table: the engine's state together with the decks and tapes of the running epoch.

One action at a time is carried out together with all the chance that follows from it; what comes back is data in the
form of a record: the chance list, the events in their public form, and what single seats were told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Any, TypeGuard

from pbem.base.values import dataclass, replace
from pbem.game import (
    PUBLIC,
    TABLE,
    AnyRules,
    AnyStep,
    Chance,
    Decision,
    JsonObject,
    Node,
    Outcome,
    Roll,
    Seat,
    Shuffle,
    Terminal,
)
from pbem.games.ordering import Ordering
from pbem.protocol.crypto.digest import b64
from pbem.protocol.record.chance import ChanceSource, LaidDeck


@dataclass(frozen=True, slots=True)
class DeckOnTable:
    """The newest generation of a deck and the number of the next draw."""

    gen: int
    laid: LaidDeck
    k: int


@dataclass(slots=True)
class Happened:
    """What one or more transitions did, in the form of a record."""

    chance: list[JsonObject] = field(default_factory=list)
    events: list[JsonObject] = field(default_factory=list)
    draws: dict[Seat, list[JsonObject]] = field(default_factory=dict)
    facts: dict[Seat, list[JsonObject]] = field(default_factory=dict)
    reveals: bool = False


@dataclass(frozen=True, slots=True)
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

    @property
    def node(self) -> Node:
        """Who or what must answer next."""
        return self.rules.node(self.state)

    @property
    def epoch_over(self) -> bool:
        """Whether what comes next belongs to the next epoch (or nothing comes next)."""
        return self.rules.span(self.state) != self.span or isinstance(self.node, Terminal)

    @property
    def asks(self) -> Decision | None:
        """The decision that the running epoch waits for."""
        node = self.node
        return node if isinstance(node, Decision) and not self.epoch_over else None

    @property
    def public(self) -> JsonObject:
        """The public view, as records hold it."""
        return self.rules.view_to_json(self.rules.observe(self.state, PUBLIC))

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

    def with_source(self, source: ChanceSource) -> Table:
        """The same table, its chance answered from elsewhere."""
        return replace(self, source=source)

    def settle(self, happened: Happened) -> Table:
        """Answer chance until somebody must decide, the epoch is over, or the match is."""
        table = self
        while not table.epoch_over and isinstance(node := table.node, Chance):
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
    return rules.turn_so_far(turn, events) if events and _tells_turns(rules) else turn


def _tells_turns(rules: AnyRules) -> TypeGuard[Ordering]:
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
