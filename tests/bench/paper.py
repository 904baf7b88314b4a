"""A match on paper: the host's steps without signatures, seals and mail, to count files by the hundred.

What decides how many files a match takes is real: ``Play`` with standing orders, the table, epochs, and links that
travel with turns (schemas/README.md §5). ``tests/ordering/test_mails_per_turn.py``: the same of a match really sent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from pbem.game import AnyRules, JsonObject, Seat, Terminal
from pbem.games.ordering import Offer, Offering
from pbem.host.demo import Chosen, choose_actions, choose_orders
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.play import ChanceSource, CommittedDeck, FileAction, OrderInForce, Play, Table
from tests.conformance.keyed import Keyed


@dataclass(frozen=True)
class KeyedChance:
    """Shuffles and dice that follow from a text; nothing is committed to, since nobody looks."""

    keyed: Keyed

    def shuffle(self, deck: str, gen: int, cards: tuple[str, ...]) -> CommittedDeck:  # noqa: ARG002
        order = self.keyed.shuffled(range(len(cards)))
        nothing = (b"",) * len(cards)
        return CommittedDeck(
            tuple(order), tuple(cards[at] for at in order), tuple(range(len(cards))), nothing, nothing
        )

    def roll(self, tape: str, j: int, sides: int) -> tuple[int, bytes]:  # noqa: ARG002
        return 1 + self.keyed.below(sides), b""


@dataclass
class Watched(Play):
    """A play that compares every answer of an order with what the player would have said if asked."""

    answers: int = 0
    alike: int = 0

    def _answer(self, seat: Seat, order: OrderInForce) -> Any:
        answer = super()._answer(seat, order)
        if answer is not None:
            rules = self.table.rules
            wish = rules.suggest(rules.observe(self.table.state, seat))
            self.answers += 1
            self.alike += short(rules, answer) == short(rules, wish)
        return answer


def short(rules: AnyRules, action: Any) -> JsonObject:
    """An action without what it may name in advance besides its target."""
    obj = rules.action_to_json(action)
    return {name: value for name, value in obj.items() if name not in ("plan", "take", "box")}


@dataclass(frozen=True)
class Sent:
    """A moment of the match: these seats each send one file, in any order."""

    seats: tuple[Seat, ...]


class Given(Enum):
    """Which orders a player sends along."""

    NONE = "without"
    OFFERED = "only what is offered"
    ADVISED = "with"


@dataclass
class Paper:
    """One match; ``sent`` is what it took after the first cards were dealt."""

    rules: AnyRules
    source: Callable[[int], ChanceSource]
    given: Given
    sent: list[Sent] = field(default_factory=list)
    steps: list[JsonObject] = field(default_factory=list)
    epochs: int = 0
    readies: int = 0
    answers: int = 0
    alike: int = 0
    longest: int = 0
    """The most bytes that orders took."""

    def run(self, most: int = 20_000) -> Paper:
        """Play to the end."""
        self._orders: dict[Seat, OrderInForce] = {}
        self._linked: set[Seat] = set(self.rules.setup.seats)
        self._table = Table.fresh(self.rules)
        if self.given is Given.OFFERED and isinstance(self.rules, Offering):
            for seat in self.rules.setup.seats:  # with the ready file
                offers = self.rules.common_orders(None, seat, {}, ())
                self._orders[seat] = OrderInForce(0, _rules_of(offers))
        self._open()
        for _ in range(most):
            if isinstance(self._table.node, Terminal):
                return self
            if self._table.epoch_over:
                self._ready()
                self._open()
            else:
                self._file()
        raise AssertionError(f"no end after {most} files")

    @property
    def files(self) -> int:
        """All files of all seats."""
        return sum(len(moment.seats) for moment in self.sent)

    def _take(self, play: Watched) -> None:
        self._table = play.table
        self.steps += play.steps
        self.answers += play.answers
        self.alike += play.alike

    def _open(self) -> None:
        self.epochs += 1
        table = self._table.with_epoch(self.epochs, self.source(self.epochs))
        play = Watched(table, self._orders)
        play.opening()
        self._take(play)
        self._linked = set()

    def _ready(self) -> None:
        """Who sent nothing in this epoch gives its link alone."""
        missing = tuple(seat for seat in self.rules.setup.seats if seat not in self._linked)
        if missing:
            self.readies += len(missing)
            self.sent.append(Sent(missing))

    def _file(self) -> None:
        rules, table = self.rules, self._table
        assert table.asks is not None
        seat = table.asks.seat
        chosen = choose_actions(rules, rules.observe(table.state, seat), seat)
        self.sent.append(Sent((seat,)))
        self._linked.add(seat)
        orders = self._orders_of(seat, chosen)
        if orders is not None:
            rules.check_order(orders)
            self.longest = max(self.longest, sealed_size(orders))
            self._orders[seat] = OrderInForce(len(self.sent), orders)
        play = Watched(table, self._orders)
        play.file(seat, [_written(rules, action) for action in chosen.actions])
        self._take(play)

    def _orders_of(self, seat: Seat, chosen: Chosen) -> JsonObject | None:
        rules, table = self.rules, self._table
        if self.given is Given.ADVISED:
            return choose_orders(rules, chosen.view, table.turn)
        if self.given is Given.NONE or not isinstance(rules, Offering):
            return None
        public = rules.public_from_json(table.public)
        offers = rules.common_orders(public, seat, table.turn, chosen.actions)
        return _rules_of(offers)


def _rules_of(offers: Sequence[Offer]) -> JsonObject:
    return {"rules": [rule for offer in reversed(offers) for rule in offer.rules]}


def _written(rules: AnyRules, action: JsonObject) -> FileAction:
    return FileAction("sealed" if rules.is_secret(rules.action_from_json(action)) else "file", action)


def sealed_size(orders: JsonObject) -> int:
    """Bytes of orders in their envelope before padding: ``{"order","salt"}`` and the 0x80 (schemas/README.md §3)."""
    return len(canon({"salt": "A" * 22, "order": orders})) + 1


def days(sent: list[Sent], seats: tuple[Seat, ...]) -> int:
    """Days until the last file, if each player reads and writes once a day, one file at most, in seat order.

    Who is awaited at their hour sends; who has been has to wait for the next day.
    """
    count, clock = len(seats), 0
    for moment in sent:
        waiting = set(moment.seats)
        while waiting:
            waiting.discard(seats[clock % count])
            clock += 1
    return -(-clock // count)
