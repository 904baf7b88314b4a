"""Replay: the fold of a verified file through the engine, for whoever may read what is hidden.

The host may, with his secret; anybody may for epochs that were closed; for games without decks anybody may at once.
``Openings`` says what may be read. Every result is made again and compared (schemas/README.md §11, "with the
engine").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Protocol

from pbem.base.errors import PbemError
from pbem.base.values import dataclass
from pbem.game import Json, JsonObject, MalformedAction, Seat, Terminal
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.chance import ChanceSource, SeedChance, ToldChance
from pbem.protocol.record.check_messages import link_missing
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.ledger import Ledger, SealedPart
from pbem.protocol.record.line import Fault, Line
from pbem.protocol.record.log import Layered
from pbem.protocol.record.open_play import difference, differences, shown_value
from pbem.protocol.record.openings import agreed_end
from pbem.protocol.record.play import FileAction, OrderInForce, Play, RefusedAction, answer_of
from pbem.protocol.record.table import Table


class Openings(Protocol):
    """What may be read of what is hidden."""

    def seed(self, epoch: int) -> bytes | None:
        """The seed of an epoch, if it is known."""
        ...

    def content(self, part: SealedPart) -> Json | None:
        """What a player sealed, if it may be read."""
        ...


class NotReadable(PbemError):
    """Replay cannot go on, because something it needs is still sealed; nothing is wrong with the file."""


@dataclass(slots=True)
class Replay:
    """Follows a ledger line by line. ``table`` is the position after the last line that was followed."""

    table: Table
    openings: Openings
    states: Layered[int, Table] = field(default_factory=Layered)
    contents: Layered[tuple[Seat, int, bytes], JsonObject | None] = field(default_factory=Layered)
    """Orders that were read, by seat, number and commitment; what was sealed as actions is read anew each time."""
    told: Layered[int, dict[Seat, JsonObject]] = field(default_factory=Layered)
    """What the packets of each record hold, until the epoch is closed."""
    malformed: list[Fault] = field(default_factory=list)
    """Orders read since the last line was followed that are none: the host should have refused their file."""

    def fork(self) -> Replay:
        """An independent copy."""
        copied = self.states.fork(), self.contents.fork(), self.told.fork()
        return Replay(self.table, self.openings, *copied, list(self.malformed))

    def follow(self, ledger: Ledger, line: Line) -> tuple[Play | None, list[Fault]]:
        """Play out ``line``, which ``ledger`` has just taken; returns the play and what differs.

        Raises:
            NotReadable: if something this line needs is still sealed; the table is then as before.
        """
        play, faults = self._followed(ledger, line)
        found, self.malformed = [*self.malformed, *faults], []
        return play, found

    def _followed(self, ledger: Ledger, line: Line) -> tuple[Play | None, list[Fault]]:
        kind = KINDS.get(line.kind)  # none of a line that is no record: whoever read it has said so
        if kind is not None and kind.goes_back:
            self.table = self.states[line.body["what"]["to"]["seq"]]
            self.states[line.seq] = self.table
            return None, []
        if kind is not None and kind.ends == "match":
            return None, list(self._compare_end(line))
        if kind is not None and kind.ends == "epoch":
            return None, list(self._compare_facts(ledger, line))
        if "steps" not in line.body:
            return None, list(self._unanswered(ledger, line))
        return self._follow_result(ledger, line)

    def _unanswered(self, ledger: Ledger, line: Line) -> Iterator[Fault]:
        """New orders in a file without actions answer at once if their seat is asked (schemas/README.md §6)."""
        body = line.body.get("msg", {}).get("body", {})
        asks = self.table.asks
        if "orders" not in body or asks is None or asks.seat != body["seat"]:
            return
        order = self.orders(ledger).get(asks.seat)
        if order is None or order.content is None or ledger.paused is not None or link_missing(ledger, body):
            return
        rules = self.table.rules
        view = rules.observe(self.table.state, asks.seat)
        answer = answer_of(rules, view, order.content, self.table.turn)
        if answer is not None:
            whose = f"the order of {asks.seat} (message {order.n})"
            sentence = (
                f"{whose} should have answered {shown_value(rules.public_action(answer))}; it stands nowhere"
            )
            yield Fault(line.seq, 12, "order", sentence)

    def _follow_result(self, ledger: Ledger, line: Line) -> tuple[Play | None, list[Fault]]:
        play = self.play_for(ledger, line)
        try:
            self._play(ledger, line, play)
        except RefusedAction as error:
            return None, [Fault(line.seq, 12, "should-be-refused", f"action {error.index + 1}: {error}")]
        except LookupError as error:
            raise NotReadable(str(error)) from error
        self.take(line, play)
        return play, differences(line, play)

    def take(self, line: Line, play: Play) -> None:
        """Stand where the play of ``line`` led."""
        if line.kind == "open":
            self.states.clear()
        self.table = play.table
        self.states[line.seq] = play.table
        self.told[line.seq] = play.bodies(play.table.rules.setup.seats)

    def play_for(self, ledger: Ledger, line: Line) -> Play:
        """The play of this record before its first step, with the orders in force."""
        table = self.table
        if line.kind == "open":
            table = table.with_epoch(line.body["epoch"], self.source(ledger, line.body["epoch"], line))
        elif isinstance(table.source, ToldChance):
            table = table.with_source(ToldChance(_entries(line)))
        return Play(table, self.orders(ledger), told=line.body["steps"])

    def source(self, ledger: Ledger, number: int, line: Line | None = None) -> ChanceSource:
        """Where the chance of an epoch comes from."""
        seed = self.openings.seed(number)
        if seed is not None:
            return SeedChance(ledger.game, number, seed, ledger.epochs[number].entropy)
        if ledger.info.decks or line is None:
            raise NotReadable(f"epoch {number} is not closed yet")
        return ToldChance(_entries(line))

    def orders(self, ledger: Ledger) -> dict[Seat, OrderInForce]:
        """The standing orders in force, read where they may be read."""
        return {seat: OrderInForce(part.n, self._order(part)) for seat, part in ledger.orders.items()}

    def _order(self, part: SealedPart) -> JsonObject | None:
        key = (part.seat, part.n, unb64(part.sealed["commit"], 32))
        if key not in self.contents:
            content = self.openings.content(part)
            self.contents[key] = content if isinstance(content, dict) else None
            if isinstance(content, dict) and not self._is_order(part, content):
                self.contents[key] = None
        return self.contents[key]

    def _is_order(self, part: SealedPart, content: JsonObject) -> bool:
        """What is no order answers nothing; nobody should have recorded it."""
        try:
            self.table.rules.check_order(content)
        except MalformedAction as error:
            sentence = f"the orders of {part.seat} (message {part.n}) are none: {error}"
            self.malformed.append(Fault(part.seq, 12, "order", sentence))
            return False
        return True

    def _play(self, ledger: Ledger, line: Line, play: Play) -> None:
        how = KINDS[line.kind].play
        if how is not None:
            how(play, line, lambda line: self._actions(ledger, line))

    def _actions(self, ledger: Ledger, line: Line) -> list[FileAction]:
        body = line.body["msg"]["body"]
        actions = [FileAction("file", action) for action in body["actions"]]
        if "sealed" not in body:
            return actions
        seat, n = Seat(body["seat"]), body["n"]
        part = ledger.unopened.get((seat, n, "sealed"))
        content = self.openings.content(part) if part else None
        if not isinstance(content, list):
            raise NotReadable(f"the sealed actions of {seat} in record {line.seq} are not opened yet")
        return actions + [FileAction("sealed", action) for action in content]

    def _compare_facts(self, ledger: Ledger, line: Line) -> Iterator[Fault]:
        """The epoch is over, or all agreed to end; every private fact of it, as the rules give it, is opened."""
        if not self.table.epoch_over and agreed_end(ledger) is None:
            yield Fault(line.seq, 12, "early", f"epoch {line.body['epoch']} is not over by the rules")
        epoch = ledger.epochs[line.body["epoch"]]
        opened = {(f["seq"], f["seat"]): f["facts"] for f in line.body["facts"]}
        for record in epoch.results if ledger.rules.has_secrets else ():
            told = self.told.pop(record.seq, {})
            for seat, body in told.items():
                found = opened.get((record.seq, seat), [])
                if canon(found) != canon(body["facts"]):
                    where = f"facts of {seat} in record {record.seq}"
                    yield Fault(line.seq, 12, "facts", f"{where}: {difference(body['facts'], found)}")

    def _compare_end(self, line: Line) -> Sequence[Fault]:
        node = self.table.node
        if "what" in line.body:
            return []
        if not isinstance(node, Terminal):
            return [Fault(line.seq, 12, "outcome", "the match is not over by the rules")]
        if canon(node.outcome) != canon(line.body["outcome"]):
            return [Fault(line.seq, 12, "outcome", difference(node.outcome, line.body["outcome"]))]
        return []


def _entries(line: Line) -> list[JsonObject]:
    return [entry for step in line.body["steps"] for entry in step["chance"]]
