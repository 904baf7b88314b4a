"""The owner's check of every use of their orders, as soon as a record comes (schemas/README.md §3.2, §11).

Each record of the running epoch is followed step by step in a full state that agrees with what this seat knew before
and with what the record then showed. At each decision the owner's copy of the orders is asked what it answers. A
use that differs, a use that was not ordered, and an answer left out are named at once, long before the close proves
them to everybody.

Where no such state is found (somebody's secret search, a reshuffle of unknown cards), the steps of that record are left
to the close; whether the orders should answer the question that stands at its end is always judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import field
from functools import cached_property
from itertools import chain
from typing import Any, Final

from pbem import game
from pbem.base.errors import PbemError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.protocol.client import SeatView
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Epoch, Line
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.open_play import public_value
from pbem.protocol.record.play import after_events, answer_of, first_turn


@dataclass(frozen=True, slots=True)
class OwnOrder:
    """Orders of this seat: the file they came in, and the player's own copy; None where they have none."""

    n: int
    content: game.JsonObject | None


@dataclass(frozen=True, slots=True)
class Violation:
    """A record in which the host did not do with an order what it says."""

    seq: int
    sentence: str


@dataclass(frozen=True, slots=True)
class CheckedUses:
    """What came of a check: misuses, and how many own decisions were judged and how many were not."""

    violations: tuple[Violation, ...] = ()
    judged: int = 0
    open: int = 0


@dataclass
class UsesCheck:
    """Checks records from ``since`` on. ``orders`` gives the own orders by the number of their file."""

    view: SeatView
    orders: Callable[[int], game.JsonObject | None]
    since: int = 0
    violations: list[Violation] = field(default_factory=list)
    judged: int = 0
    open: int = 0

    def run(self) -> CheckedUses:
        """Check every epoch that has records since then."""
        for epoch in self.view.record.ledger.epochs.values():
            closed = epoch.closed is not None and epoch.closed < self.since
            if epoch.results and not closed and not self._resealed(epoch):
                with suppress(game.NotHeld):  # opening the hand says what is wrong with it
                    self._check_epoch(epoch)
        return CheckedUses(tuple(self.violations), self.judged, self.open)

    def _resealed(self, epoch: Epoch) -> bool:
        """Whether this seat's key or player changed in the epoch: its earlier packets are then another's."""
        return any(self.view.seat in line.body.get("packets", {}) for line in epoch.resealed)

    def _check_epoch(self, epoch: Epoch) -> None:
        rules, seat = self.view.record.rules, self.view.seat
        own, turn = rules.knowledge(seat), first_turn(epoch.number)
        memory: game.JsonObject = {}
        for at, line in enumerate(epoch.results):
            body = self._packet_of(epoch, line)
            if body is None or self._rewound(epoch, line):
                return
            before = own
            own = rules.learn(own, line.body["steps"], body)
            shown = as_learned(seat, line.body, body)
            if line.seq >= self.since:
                self._check(self._walk(line, before, body, memory, shown), line, own, turn)
            memory = self._remembered(memory, shown)
            for step in line.body["steps"]:
                turn = after_events(rules, turn, step["events"])
            later = epoch.results[at + 1].seq if at + 1 < len(epoch.results) else epoch.closed
            self._check_quiet(line, later, own, turn)

    def _remembered(self, memory: game.JsonObject, shown: game.JsonObject) -> game.JsonObject:
        rules: Any = self.view.record.rules
        with suppress(*TRIED):  # what cannot be followed is judged at the close
            return rules.follow(memory, shown).remembered if fills(rules) else memory
        return {}

    def _rewound(self, epoch: Epoch, line: Line) -> bool:
        """Whether the match went back before this record: from there on the close judges."""
        lines = self.view.record.lines[epoch.results[0].seq : line.seq]
        return any(KINDS[line.kind].goes_back for line in lines)

    def _check_quiet(self, result: Line, later: int | None, own: Any, turn: game.JsonObject) -> None:
        """New orders in own files without actions, while ``result`` was the last word (schemas/README.md §6)."""
        for line in self.view.record.lines[max(result.seq + 1, self.since) : later]:
            if KINDS[line.kind].halts or KINDS[line.kind].goes_back:
                return
            body = line.body.get("msg", {}).get("body", {})
            order = self._in_force(line) if body.get("seat") == self.view.seat and "orders" in body else None
            if order is not None and order.content is not None:
                self._check_question(line.seq, result, own, order, order.content, turn)

    def _packet_of(self, epoch: Epoch, line: Line) -> game.JsonObject | None:
        if not self.view.record.rules.has_secrets:
            return {"draws": [], "facts": []}
        try:
            return self.view.open_packet(epoch, line)
        except PbemError:
            return None

    def _in_force(self, line: Line) -> OwnOrder | None:
        """The own orders that hold in this record: of the last own file up to it that has some."""
        for earlier in reversed(self.view.record.lines[: line.seq + 1]):
            body = earlier.body.get("msg", {}).get("body", {})
            if KINDS[earlier.kind].newcomer and body["seat"] == self.view.seat:
                return None
            if body.get("seat") == self.view.seat and "orders" in body:
                return OwnOrder(body["n"], self.orders(body["n"]))
        return None

    def _check(self, walk: Walk, line: Line, own: Any, turn: game.JsonObject) -> None:
        order = self._in_force(line)
        if order is None or order.content is None:
            return
        content, steps = order.content, line.body["steps"]
        violations: list[Violation] = []
        judged = 0
        for index, step in enumerate(steps):
            ordered = step["by"] == "order" and step["seat"] == self.view.seat
            if walk.asked() and (ordered or not self._by_owner(step)):
                judged += 1
                violations += self._compare(
                    line, index, walk.state, order, content, turn, step if ordered else None
                )
            elif ordered and walk.state is not None:
                violations.append(
                    Violation(
                        line.seq,
                        sentence(
                            "{whose} answered, but nothing was asked", whose=_whose(self.view.seat, order)
                        ),
                    )
                )
            walk.go(step)
            turn = after_events(walk.rules, turn, step["events"])
        uses = sum(step["by"] == "order" and step["seat"] == self.view.seat for step in steps)
        if self._ends_right(line, walk, own):
            self.violations += violations
            self.judged += judged
        else:
            self.open += uses
        if "stopped" not in line.body:
            self._check_question(line.seq, line, own, order, content, turn)

    def _by_owner(self, step: game.JsonObject) -> bool:
        """The owner's action, or a default: orders have no say there."""
        return bool(step.get("seat") == self.view.seat and step["by"] in ("file", "sealed", "default"))

    def _walk(
        self, line: Line, before: Any, body: game.JsonObject, memory: game.JsonObject, shown: game.JsonObject
    ) -> Walk:
        rules, seat = self.view.record.rules, self.view.seat
        facts = [fact for fact in body["facts"] if "stopped" not in fact]
        earlier = self._public_before(line)
        if earlier is None:
            state = rules.initial_state()
        else:
            state = rules.imagine(rules.view_of(public_value(rules, earlier), before))
        dealt = Dealt.of(seat, line.body["steps"], body)
        return Walk(rules, seat, state, rules.span(state), dealt, facts, memory, shown)

    def _public_before(self, line: Line) -> game.JsonObject | None:
        """The public view before this record."""
        for earlier in reversed(self.view.record.lines[: line.seq]):
            if KINDS[earlier.kind].goes_back:
                target = self.view.record.lines[earlier.body["what"]["to"]["seq"]]
                return dict(target.body["public"])
            if "public" in earlier.body:
                return dict(earlier.body["public"])
        return None

    def _ends_right(self, line: Line, walk: Walk, own: Any) -> bool:
        """Whether the walk ended where this seat now is; what it judged counts only then."""
        if walk.state is None:
            return False
        rules = walk.rules
        seen = rules.view_to_json(rules.observe(walk.state, self.view.seat))
        right = rules.view_to_json(rules.view_of(public_value(rules, line.body["public"]), own))
        return canon(seen) == canon(right)

    def _compare(
        self,
        line: Line,
        index: int,
        state: Any,
        order: OwnOrder,
        content: game.JsonObject,
        turn: game.JsonObject,
        used: game.JsonObject | None,
    ) -> Iterator[Violation]:
        rules = self.view.record.rules
        answer = answer_of(rules, rules.observe(state, self.view.seat), content, turn)
        right = None if answer is None else rules.public_action(answer)
        whose = _whose(self.view.seat, order)
        if used is None:
            if right is not None:
                yield Violation(
                    line.seq,
                    sentence(
                        "{whose} should have answered {text} at step {index}",
                        whose=whose,
                        text=_text(right),
                        index=index,
                    ),
                )
        elif used.get("n") != order.n:
            yield Violation(
                line.seq,
                sentence(
                    "step {index} names message {n}; {whose} is in force",
                    index=index,
                    n=used.get("n"),
                    whose=whose,
                ),
            )
        elif right is None:
            yield Violation(
                line.seq,
                sentence(
                    "{whose} does not answer {text} at step {index}",
                    whose=whose,
                    text=_text(used["action"]),
                    index=index,
                ),
            )
        elif canon(right) != canon(used["action"]):
            yield Violation(
                line.seq,
                sentence(
                    "{whose} answers {text} at step {index}, not {text2}",
                    whose=whose,
                    text=_text(right),
                    index=index,
                    text2=_text(used["action"]),
                ),
            )

    def _check_question(
        self, seq: int, line: Line, own: Any, order: OwnOrder, content: game.JsonObject, turn: game.JsonObject
    ) -> None:
        """Where the result in ``line`` stops with a question to this seat, its orders do not answer it."""
        rules, seat = self.view.record.rules, self.view.seat
        waiting = line.body["public"].get("waiting")
        if waiting is None or waiting["seat"] != seat:
            return
        view = rules.view_of(public_value(rules, line.body["public"]), own)
        if rules.span(rules.imagine(view)) != self._span(line):
            return  # the question belongs to the next epoch, which is not open yet
        self.judged += 1
        answer = answer_of(rules, view, content, turn)
        if answer is not None:
            text = sentence(
                "{whose} should have answered {text} at the end",
                whose=_whose(seat, order),
                text=_text(rules.public_action(answer)),
            )
            self.violations.append(Violation(seq, text))

    def _span(self, line: Line) -> int:
        """The span of the epoch of a record: that of what came of its opening."""
        record = self.view.record
        epoch = record.ledger.epochs[line.body["epoch"]]
        opening = public_value(record.rules, epoch.results[0].body["public"])
        return record.rules.span(record.rules.imagine(opening))


def _whose(seat: game.Seat, order: OwnOrder) -> str:
    return sentence("the order of {seat} (message {n})", seat=seat, n=order.n)


def _text(action: game.JsonObject) -> str:
    return canon(action).decode()


# --- walk -------------------------------------------------------------------------------------------------
#
# Following one record step by step, in a full state that agrees with what a seat knew and with what the
# record shows.
#
# The state is only imagined; but where every event comes out as the record shows it, what this seat is
# asked, and what it sees when it is asked, is what the host saw too.

TRIED = (game.IllegalAction, game.MalformedAction, ValueError, LookupError, game.NotHeld, game.NoFilling)
"""What an imagined state may become where it does not fit."""


@dataclass
class Dealt:
    """What the record shows of the chance in it: cards (None where only others saw them) and dice, in order."""

    cards: list[tuple[int, str | None]]
    rolls: list[game.JsonObject]
    at: int = 0

    @classmethod
    def of(cls, seat: game.Seat, steps: Sequence[game.JsonObject], body: game.JsonObject) -> Dealt:
        """What a record's public part and the packet of ``seat`` show."""
        entries = [entry for step in steps for entry in step["chance"]]
        mine = iter([draw["card"] for draw in body["draws"]])
        cards = [
            (e["gen"], next(mine, None) if e["to"] == seat else e.get("card")) for e in entries if "draw" in e
        ]
        return cls(cards, [entry for entry in entries if "roll" in entry])

    def outcome(self, draw: game.Shuffle | game.Roll) -> game.Outcome:
        """The answer to a draw that agrees with what comes next in the record."""
        if isinstance(draw, game.Roll):
            values = [int(entry["value"]) for entry in self.rolls[: len(draw.sides)]]
            del self.rolls[: len(draw.sides)]
            return tuple(values)
        return self._order(draw.cards)

    def _order(self, cards: Sequence[str]) -> game.Outcome:
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
    return isinstance(rules, game.Filling) and not rules.remembers_all()


def as_learned(seat: game.Seat, record: game.JsonObject, body: game.JsonObject) -> game.JsonObject:
    """A record with what only this seat learned in it: the cards dealt to it, and what an event of its own hides."""
    mine = iter([draw["card"] for draw in body["draws"]])
    facts = {name: iter([fact[name] for fact in body["facts"] if name in fact]) for name in _HIDDEN}

    def with_card(event: game.JsonObject) -> game.JsonObject:
        name = event["event"]
        if name not in _HIDDEN or event["seat"] != seat or "card" in event:
            return event
        card = next(facts[name], None)
        return event if card is None else {**event, "card": card}

    def with_deal(entry: game.JsonObject) -> game.JsonObject:
        card = next(mine, None) if "draw" in entry and entry["to"] == seat else None
        return entry if card is None else {**entry, "card": card}

    steps = [
        {
            **step,
            "chance": list(map(with_deal, step["chance"])),
            "events": list(map(with_card, step["events"])),
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
    shows (``pbem.game.Filling``); ``learned`` is the record with what this seat learned, ``memory`` from before it.
    """

    rules: game.AnyRules
    seat: game.Seat
    state: Any
    span: int
    dealt: Dealt
    facts: list[game.JsonObject]
    memory: game.JsonObject
    learned: game.JsonObject
    at: int = 0

    @cached_property
    def _followed(self) -> game.Followed:
        rules: Any = self.rules
        followed: game.Followed = rules.follow(self.memory, self.learned)
        return followed

    def asked(self) -> bool:
        """Whether this seat is to decide now."""
        if self.state is None or self._over(self.state):
            return False
        node = self.rules.node(self.state)
        return isinstance(node, game.Decision) and node.seat == self.seat

    def _over(self, state: Any) -> bool:
        return self.rules.span(state) != self.span or isinstance(self.rules.node(state), game.Terminal)

    def go(self, step: game.JsonObject) -> None:
        """Go through a step of the record; the state is lost where it does not fit."""
        at, self.at = self.at, self.at + 1
        if self.state is None:
            return
        try:
            self.state = next(self._fitting(step, self._filled(at, step)), None)
        except (*TRIED, StopIteration):
            self.state = None

    def _filled(self, at: int, step: game.JsonObject) -> Any:
        """Fill in what this seat does not see; what the step does, where its public form does not say it."""
        rules: Any = self.rules
        if step["by"] == "game" or not fills(rules):
            return None
        view = rules.observe(self.state, self.seat)
        self.state, action = self._followed.filled(view, at)
        if rules.observe(self.state, self.seat) != view:
            raise ValueError("the filling does not agree with what this seat sees")
        return action

    def _fitting(self, step: game.JsonObject, known: Any) -> Iterator[Any]:
        if step["by"] == "game":
            yield from self._settled(None, self.state, step)
            return
        for action in chain([] if known is None else [known], self._meant(step)):
            try:
                result = self.rules.apply(self.state, action)
            except TRIED:
                continue
            yield from self._settled(result, result.state, step)

    def _meant(self, step: game.JsonObject) -> Iterator[Any]:
        """The actions that look like this in public: most are what they look like, some have a secret part."""
        rules, shown = self.rules, step["action"]
        legal = rules.legal_actions(rules.observe(self.state, game.Seat(step["seat"])))
        secret = [action for action in legal if rules.is_secret(action)]
        if isinstance(rules, game.Foresight):
            view = rules.observe(self.state, game.Seat(step["seat"]))
            secret += [more for form in legal for more in rules.extras(view, form) if rules.is_secret(more)]
        with suppress(game.MalformedAction):
            yield rules.action_from_json(shown, bulk=True)
        yield from (action for action in secret if canon(rules.public_action(action)) == canon(shown))

    def _settled(self, result: game.AnyStep | None, state: Any, step: game.JsonObject) -> Iterator[Any]:
        """The state after the chance that follows, if all that happened is what the record says."""
        at, rolls = self.dealt.at, list(self.dealt.rolls)
        done = [result] if result is not None else []
        try:
            self.dealt.at += len(result.deals) if result is not None else 0
            while not self._over(state) and isinstance(node := self.rules.node(state), game.Chance):
                done.append(self.rules.resolve(state, self.dealt.outcome(node.draw)))
                state = done[-1].state
                self.dealt.at += len(done[-1].deals)
        except (*TRIED, StopIteration):
            done = []
        if done and self._agrees(done, step):
            yield state
        self.dealt.at, self.dealt.rolls = at, rolls

    def _agrees(self, done: Sequence[game.AnyStep], step: game.JsonObject) -> bool:
        events = [self.rules.event_to_json(event, game.PUBLIC) for result in done for event in result.events]
        facts = [fact.body for result in done for fact in result.facts if fact.seat == self.seat]
        if canon(events) != canon(step["events"]) or canon(facts) != canon(self.facts[: len(facts)]):
            return False
        del self.facts[: len(facts)]
        return True
