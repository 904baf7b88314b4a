"""The owner's check of every use of his orders, as soon as a record comes (schemas/README.md §3.2, §11).

Each record of the running epoch is followed step by step in a full state that agrees with what this seat knew before
and with what the record then showed. At each of his decisions his own copy of the orders is asked what it answers. A
use that differs, a use that was not ordered, and an answer left out are named at once, long before the close proves
them to everybody.

Where no such state is found (somebody's secret search, a reshuffle of unknown cards), the steps of that record are left
to the close; whether the orders should answer the question that stands at its end is always judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import field
from typing import Any

from pbem.base.errors import PbemError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import (
    JsonObject,
    NotHeld,
    Seat,
)
from pbem.player.seat.walk import TRIED, Dealt, Walk, fills, told_to
from pbem.protocol.client import SeatView
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Epoch, Line
from pbem.protocol.record.open_play import public_value
from pbem.protocol.record.play import answer_of
from pbem.protocol.record.table import after_events, first_turn


@dataclass(frozen=True, slots=True)
class OwnOrder:
    """Orders of this seat: the file they came in, and the player's own copy; None where he has none."""

    n: int
    content: JsonObject | None


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
    orders: Callable[[int], JsonObject | None]
    since: int = 0
    violations: list[Violation] = field(default_factory=list)
    judged: int = 0
    open: int = 0

    def run(self) -> CheckedUses:
        """Check every epoch that has records since then."""
        for epoch in self.view.record.ledger.epochs.values():
            closed = epoch.closed is not None and epoch.closed < self.since
            if epoch.results and not closed and not self._resealed(epoch):
                with suppress(NotHeld):  # opening the hand says what is wrong with it
                    self._check_epoch(epoch)
        return CheckedUses(tuple(self.violations), self.judged, self.open)

    def _resealed(self, epoch: Epoch) -> bool:
        """Whether this seat's key or player changed in the epoch: its earlier packets are then another's."""
        return any(self.view.seat in line.body.get("packets", {}) for line in epoch.resealed)

    def _check_epoch(self, epoch: Epoch) -> None:
        rules, seat = self.view.record.rules, self.view.seat
        own, turn = rules.knowledge(seat), first_turn(epoch.number)
        memory: JsonObject = {}
        for at, line in enumerate(epoch.results):
            body = self._told(epoch, line)
            if body is None or self._rewound(epoch, line):
                return
            before = own
            own = rules.learn(own, line.body["steps"], body)
            told = told_to(seat, line.body, body)
            if line.seq >= self.since:
                self._check(self._walk(line, before, body, memory, told), line, own, turn)
            memory = self._remembered(memory, told)
            for step in line.body["steps"]:
                turn = after_events(rules, turn, step["events"])
            later = epoch.results[at + 1].seq if at + 1 < len(epoch.results) else epoch.closed
            self._check_quiet(line, later, own, turn)

    def _remembered(self, memory: JsonObject, told: JsonObject) -> JsonObject:
        rules: Any = self.view.record.rules
        with suppress(*TRIED):  # what cannot be followed is judged at the close
            return rules.remembered(memory, told) if fills(rules) else memory
        return {}

    def _rewound(self, epoch: Epoch, line: Line) -> bool:
        """Whether the match went back before this record: from there on the close judges."""
        lines = self.view.record.lines[epoch.results[0].seq : line.seq]
        return any(one.kind == "rewind" for one in lines)

    def _check_quiet(self, result: Line, later: int | None, own: Any, turn: JsonObject) -> None:
        """New orders in own files without actions, while ``result`` was the last word (schemas/README.md §6)."""
        for line in self.view.record.lines[max(result.seq + 1, self.since) : later]:
            if line.kind in ("pause", "rewind"):
                return
            body = line.body["msg"]["body"] if line.kind == "turn" else {}
            order = self._in_force(line) if body.get("seat") == self.view.seat and "orders" in body else None
            if order is not None and order.content is not None:
                self._check_question(line.seq, result, own, order, order.content, turn)

    def _told(self, epoch: Epoch, line: Line) -> JsonObject | None:
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
            if earlier.kind == "substitute" and body["seat"] == self.view.seat:
                return None
            if body.get("seat") == self.view.seat and "orders" in body:
                return OwnOrder(body["n"], self.orders(body["n"]))
        return None

    def _check(self, walk: Walk, line: Line, own: Any, turn: JsonObject) -> None:
        order = self._in_force(line)
        if order is None or order.content is None:
            return
        content, steps = order.content, line.body["steps"]
        found: list[Violation] = []
        judged = 0
        for index, step in enumerate(steps):
            ordered = step["by"] == "order" and step["seat"] == self.view.seat
            if walk.asked() and (ordered or not self._by_owner(step)):
                judged += 1
                found += self._compare(
                    line, index, walk.state, order, content, turn, step if ordered else None
                )
            elif ordered and walk.state is not None:
                found.append(
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
            self.violations += found
            self.judged += judged
        else:
            self.open += uses
        if "stopped" not in line.body:
            self._check_question(line.seq, line, own, order, content, turn)

    def _by_owner(self, step: JsonObject) -> bool:
        """His own action, or a default of his: orders have no say there."""
        return bool(step.get("seat") == self.view.seat and step["by"] in ("file", "sealed", "default"))

    def _walk(self, line: Line, before: Any, body: JsonObject, memory: JsonObject, told: JsonObject) -> Walk:
        rules, seat = self.view.record.rules, self.view.seat
        facts = [fact for fact in body["facts"] if "stopped" not in fact]
        earlier = self._public_before(line)
        if earlier is None:
            state = rules.initial_state()
        else:
            state = rules.imagine(rules.view_of(public_value(rules, earlier), before))
        dealt = Dealt.of(seat, line.body["steps"], body)
        return Walk(rules, seat, state, rules.span(state), dealt, facts, memory, told)

    def _public_before(self, line: Line) -> JsonObject | None:
        """The public view before this record."""
        for earlier in reversed(self.view.record.lines[: line.seq]):
            if earlier.kind == "rewind":
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
        content: JsonObject,
        turn: JsonObject,
        used: JsonObject | None,
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
        self, seq: int, line: Line, own: Any, order: OwnOrder, content: JsonObject, turn: JsonObject
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
            told = sentence(
                "{whose} should have answered {text} at the end",
                whose=_whose(seat, order),
                text=_text(rules.public_action(answer)),
            )
            self.violations.append(Violation(seq, told))

    def _span(self, line: Line) -> int:
        """The span of the epoch of a record: that of what came of its opening."""
        record = self.view.record
        epoch = record.ledger.epochs[line.body["epoch"]]
        opening = public_value(record.rules, epoch.results[0].body["public"])
        return record.rules.span(record.rules.imagine(opening))


def _whose(seat: Seat, order: OwnOrder) -> str:
    return sentence("the order of {seat} (message {n})", seat=seat, n=order.n)


def _text(action: JsonObject) -> str:
    return canon(action).decode()
