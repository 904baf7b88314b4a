"""Following one record step by step, in a full state that agrees with what a seat knew and with what the record shows.

The state is only imagined; but where every event comes out as the record tells it, what this seat is asked, and what it
sees when it is asked, is what the host saw too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, Final

from pbem.base.values import dataclass
from pbem.game import (
    PUBLIC,
    AnyRules,
    AnyStep,
    Chance,
    Decision,
    Filling,
    Foresight,
    IllegalAction,
    JsonObject,
    MalformedAction,
    NoFilling,
    NotHeld,
    Outcome,
    Roll,
    Seat,
    Shuffle,
    Terminal,
)
from pbem.protocol.formats.strict_json import canon

TRIED = (IllegalAction, MalformedAction, ValueError, LookupError, NotHeld, NoFilling)
"""What an imagined state may come to where it does not fit."""


@dataclass
class Dealt:
    """What the record shows of the chance in it: cards (None where only others saw them) and dice, in order."""

    cards: list[tuple[int, str | None]]
    rolls: list[JsonObject]
    at: int = 0

    @classmethod
    def of(cls, seat: Seat, steps: Sequence[JsonObject], body: JsonObject) -> Dealt:
        """What a record's public part and the packet of ``seat`` tell."""
        entries = [entry for step in steps for entry in step["chance"]]
        mine = iter([draw["card"] for draw in body["draws"]])
        cards = [
            (e["gen"], next(mine, None) if e["to"] == seat else e.get("card")) for e in entries if "draw" in e
        ]
        return cls(cards, [entry for entry in entries if "roll" in entry])

    def outcome(self, draw: Shuffle | Roll) -> Outcome:
        """The answer to a draw that agrees with what comes next in the record."""
        if isinstance(draw, Roll):
            values = [int(entry["value"]) for entry in self.rolls[: len(draw.sides)]]
            del self.rolls[: len(draw.sides)]
            return tuple(values)
        return self._order(draw.cards)

    def _order(self, cards: Sequence[str]) -> Outcome:
        """A permutation whose draws are those the record shows; unknown cards take what is left."""
        coming = self.cards[self.at :]
        same = [card for gen, card in coming if gen == coming[0][0]] if coming else []
        left = dict.fromkeys(range(len(cards)))
        order: list[int | None] = []
        for card in same:
            index = None if card is None else next(i for i in left if cards[i] == card)
            if index is not None:
                del left[index]
            order.append(index)
        spare = iter(left)
        head = [next(spare) if index is None else index for index in order]
        return (*head, *spare)


def fills(rules: Any) -> bool:
    """Whether these rules fill in what is unknown from what is remembered of the running epoch."""
    return isinstance(rules, Filling) and not rules.remembers_all()


def told_to(seat: Seat, record: JsonObject, body: JsonObject) -> JsonObject:
    """A record with what only this seat was told in it: the cards dealt to it, and what an event of its own hides."""
    mine = iter([draw["card"] for draw in body["draws"]])
    facts = {name: iter([fact[name] for fact in body["facts"] if name in fact]) for name in _HIDDEN}

    def event_told(event: JsonObject) -> JsonObject:
        name = event["event"]
        if name not in _HIDDEN or event["seat"] != seat or "card" in event:
            return event
        card = next(facts[name], None)
        return event if card is None else {**event, "card": card}

    def card_told(entry: JsonObject) -> JsonObject:
        card = next(mine, None) if "draw" in entry and entry["to"] == seat else None
        return entry if card is None else {**entry, "card": card}

    steps = [
        {
            **step,
            "chance": list(map(card_told, step["chance"])),
            "events": list(map(event_told, step["events"])),
        }
        for step in record["steps"]
    ]
    return {**record, "steps": steps}


_HIDDEN: Final = ("found",)
"""Events whose card is a fact of this name in the packet of their seat."""


@dataclass
class Walk:
    """One record on the way through a state that fits it; ``state`` is None where none is known.

    Before each step the unknown is filled in again around what the seat knows, so that it agrees with what that step
    shows (``pbem.game.Filling``); ``told`` is the record with what only this seat was told, ``memory`` from before it.
    """

    rules: AnyRules
    seat: Seat
    state: Any
    span: int
    dealt: Dealt
    facts: list[JsonObject]
    memory: JsonObject
    told: JsonObject
    at: int = 0

    def asked(self) -> bool:
        """Whether this seat is to decide now."""
        if self.state is None or self._over(self.state):
            return False
        node = self.rules.node(self.state)
        return isinstance(node, Decision) and node.seat == self.seat

    def _over(self, state: Any) -> bool:
        return self.rules.span(state) != self.span or isinstance(self.rules.node(state), Terminal)

    def go(self, step: JsonObject) -> None:
        """Go through a step of the record; the state is lost where it does not fit."""
        at, self.at = self.at, self.at + 1
        if self.state is None:
            return
        try:
            self.state = next(self._fitting(step, self._filled(at, step)), None)
        except (*TRIED, StopIteration):
            self.state = None

    def _filled(self, at: int, step: JsonObject) -> Any:
        """Fill in what this seat does not see; what the step does, where its public form does not say it."""
        rules: Any = self.rules
        if step["by"] == "game" or not fills(rules):
            return None
        view = rules.observe(self.state, self.seat)
        self.state, action, _ = rules.filled(view, self.memory, self.told, at)
        if rules.observe(self.state, self.seat) != view:
            raise ValueError("the filling does not agree with what this seat sees")
        return action

    def _fitting(self, step: JsonObject, known: Any) -> Iterator[Any]:
        if step["by"] == "game":
            yield from self._settled(None, self.state, step)
            return
        for action in chain([] if known is None else [known], self._meant(step)):
            try:
                made = self.rules.apply(self.state, action)
            except TRIED:
                continue
            yield from self._settled(made, made.state, step)

    def _meant(self, step: JsonObject) -> Iterator[Any]:
        """The actions that look like this in public: most are what they look like, some have a secret part."""
        rules, shown = self.rules, step["action"]
        legal = rules.legal_actions(rules.observe(self.state, Seat(step["seat"])))
        secret = [action for action in legal if rules.is_secret(action)]
        if isinstance(rules, Foresight):
            view = rules.observe(self.state, Seat(step["seat"]))
            secret += [more for one in legal for more in rules.extras(view, one) if rules.is_secret(more)]
        with suppress(MalformedAction):
            yield rules.action_from_json(shown)
        yield from (action for action in secret if canon(rules.public_action(action)) == canon(shown))

    def _settled(self, made: AnyStep | None, state: Any, step: JsonObject) -> Iterator[Any]:
        """The state after the chance that follows, if all that happened is what the record says."""
        at, rolls = self.dealt.at, list(self.dealt.rolls)
        done = [made] if made is not None else []
        try:
            self.dealt.at += len(made.deals) if made is not None else 0
            while not self._over(state) and isinstance(node := self.rules.node(state), Chance):
                done.append(self.rules.resolve(state, self.dealt.outcome(node.draw)))
                state = done[-1].state
                self.dealt.at += len(done[-1].deals)
        except (*TRIED, StopIteration):
            done = []
        if done and self._is_told(done, step):
            yield state
        self.dealt.at, self.dealt.rolls = at, rolls

    def _is_told(self, done: Sequence[AnyStep], step: JsonObject) -> bool:
        events = [self.rules.event_to_json(event, PUBLIC) for one in done for event in one.events]
        facts = [fact.body for one in done for fact in one.facts if fact.seat == self.seat]
        if canon(events) != canon(step["events"]) or canon(facts) != canon(self.facts[: len(facts)]):
            return False
        del self.facts[: len(facts)]
        return True
