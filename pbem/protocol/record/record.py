"""The verified match: lines, ledger, how sure each draw is, and (with openings) the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Literal, Protocol

from pbem.base.errors import PbemError, VerificationError
from pbem.base.sentences import joined, plain, sentence
from pbem.base.values import dataclass, replace
from pbem.game import GameInfo, Json, JsonObject, MalformedAction, Seat, Terminal
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import takeover
from pbem.protocol.record.check_messages import link_missing
from pbem.protocol.record.deadlines import Moment, Standing
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.ledger import Epoch, Ledger, SealedPart
from pbem.protocol.record.line import Fault, Index, Layered, Line, difference, differs
from pbem.protocol.record.open_play import differences, order_of
from pbem.protocol.record.openings import agreed_end
from pbem.protocol.record.play import (
    ChanceSource,
    FileAction,
    OrderInForce,
    Play,
    RecordedChance,
    RefusedAction,
    SeedChance,
    Table,
    answer_of,
)
from pbem.protocol.record.verifier import Verifier, start_ledger


class Record:
    """A game file that was checked from its first byte to its last."""

    def __init__(self, ledger: Ledger, replay: Replay | None = None) -> None:
        self.ledger = ledger
        self.replay = replay
        self._verifier = Verifier(ledger, strict=True)
        self.game = ledger.game
        """The match's id: the name of record 0."""
        self.game_info: GameInfo = ledger.entry.info
        """Static facts of the game."""
        self.rules = ledger.rules
        """The engine bound to this match."""
        self.seats = ledger.seats
        """The seats, clockwise."""
        self.index: Index = ledger.index
        """Where things stand among its lines."""
        self._moment: Moment | None = None
        """How the match stands after its newest line, once somebody has asked."""

    @classmethod
    def load(cls, lines: Sequence[bytes], openings: Openings | None = None) -> Record:
        """Verify a game file, given as its lines without newlines.

        Args:
            lines: the file; record 0 first.
            openings: who may read the hidden part (``HostOpenings``); then the match is replayed too.

        Raises:
            FormatError, VerificationError: naming the first record that does not hold, and why.
            NotReadable: if ``openings`` do not open something that the replay needs.
        """
        if not lines:
            raise VerificationError("empty", sentence("the match file has no records"))
        record = cls.begin(lines[0], openings)
        record.extend(lines[1:])
        return record

    @classmethod
    def begin(cls, genesis: bytes, openings: Openings | None = None) -> Record:
        """The record of a match that holds nothing but its genesis."""
        ledger = start_ledger(genesis)
        return cls(ledger, Replay(Table.fresh(ledger.rules), openings) if openings else None)

    def fork(self) -> Record:
        """An independent copy to try something on."""
        return Record(self.ledger.fork(), self.replay.fork() if self.replay else None)

    def as_of(self, at: str) -> Record:
        """The record as it stands at the time ``at``: pauses that ended and excused misses that came up taken in."""
        if not takeover.passes(self.ledger, at):
            return self
        record = self.fork()
        record.pass_time(at)
        return record

    def pass_time(self, at: str, *, extends: bool = False) -> None:
        """``as_of`` in place; ``extends``: for a record that gives more time (``takeover.pass_time``)."""
        takeover.pass_time(self.ledger, at, extends=extends)
        self._moment = None

    def extend(self, raws: Iterable[bytes]) -> None:
        """Take more lines, whoever wrote them, checked like on loading; after a raise the record is spent."""
        for raw in raws:
            self.take(raw)

    def take(self, raw: bytes) -> None:
        """Take one line; who may read what is hidden replays it with that, who may not plays on what is public."""
        self._verifier.openly = self.replay is None
        self._verifier.feed_raw(raw)
        self._follow(self.ledger.head)

    def take_read(self, line: Line) -> None:
        """Take a line that ``read_line`` has just read from its bytes, with every check that anybody makes later."""
        self._verifier.openly = True
        self._verifier.feed_raw(line.raw, read=line)
        self._follow(self.ledger.head)

    def _follow(self, line: Line) -> None:
        self._moment = None
        if self.replay is None:
            return
        faults = self.replay.follow(self.ledger, line)
        if faults:
            raise faults[0].error()

    # --- reading ------------------------------------------------------------------------------------------

    @property
    def table(self) -> Table:
        """The position in play; only for who may read the hidden part."""
        if self.replay is None:
            raise LookupError("this record was loaded without openings")
        return self.replay.table

    @property
    def genesis(self) -> JsonObject:
        """The body of record 0."""
        return self.ledger.lines.first.body

    @property
    def names(self) -> Mapping[Seat, str]:
        """The players' names; a seat nobody has taken yet is called by its id."""
        players = self.ledger.players
        return {seat: players[seat].name if seat in players else str(seat) for seat in self.seats}

    @property
    def lines(self) -> Sequence[Line]:
        """All records."""
        return self.ledger.lines

    @property
    def head(self) -> Line:
        """The last record."""
        return self.ledger.lines.last

    @property
    def public(self) -> JsonObject | None:
        """The newest public view."""
        return self.ledger.public

    @property
    def waiting(self) -> JsonObject | None:
        """Who is asked what: ``{"seat","phase"}``; None while links, joins or nobody is awaited."""
        return None if self.ledger.awaited is None else self.ledger.waiting

    @property
    def due(self) -> str | None:
        """By when whoever is awaited must answer."""
        return None if self.over else self.ledger.due

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self.ledger.ended is not None

    @property
    def missing_links(self) -> tuple[Seat, ...]:
        """Seats whose ``ready`` (or link with a turn) the next epoch still needs."""
        return takeover.missing_links(self.ledger)

    @property
    def standing(self) -> Standing:
        """What the match waits for; at another time than the newest record's: ``record.as_of(time).standing``."""
        return self.moment(self.head.seq).standing

    def moment(self, seq: int) -> Moment:
        """How the match stood after record ``seq``."""
        if seq != self.head.seq:
            return self.ledger.moments[seq]
        self._moment = self._moment or takeover.moment_of(self.ledger)
        return self._moment

    def can_be_ready(self, seat: Seat) -> bool:
        """Whether the next epoch waits for a link of this seat that somebody can still give."""
        newest = self.ledger.newest
        lost = newest is not None and takeover.link_lost(self.ledger, newest, seat)
        return seat in self.missing_links and not lost

    def labels(self, seq: int) -> list[Label]:
        """Every draw of a record with its proof status (schemas/README.md §4.4)."""
        line = self.ledger.lines[seq]
        epoch = self.ledger.epochs.get(line.body.get("epoch", 0))
        return list(labels_of(line, epoch, proven=epoch is not None and epoch.closed is not None))

    def packet_body(self, seq: int, seat: Seat) -> JsonObject:
        """The packet body of a seat in a record of an epoch that is not closed yet (the host's knowledge)."""
        if self.replay is None:
            raise LookupError("this record was loaded without openings")
        return self.replay.packet_bodies[seq][seat]

    @property
    def outcome(self) -> JsonObject | None:
        """The outcome by the rules, once the match is decided."""
        node = self.table.node
        return node.outcome if isinstance(node, Terminal) else None


# --- how sure a draw is: ``fair``, ``fair after reveal`` or ``bound only`` (schemas/README.md §4.4) -------

FAIR = "fair"
AFTER_REVEAL = "fair after reveal"
BOUND = "bound only"
REFUTED = "refuted"
"""The record says something else than what was laid or rolled."""


@dataclass(frozen=True, slots=True)
class Label:
    """One draw of a record with its proof status; members that do not apply are empty."""

    seq: int
    step: int
    index: int
    kind: str
    """``card`` (face up), ``hand`` (into a hand, nobody else knows which) or ``roll``."""
    label: str
    seat: str
    text: str
    source: str
    gen: int = 0
    number: int = 0
    place: int | None = None
    salt: str = ""
    link: str = ""
    sides: int = 0
    purpose: str = ""
    again: tuple[str, ...] = ()
    """Seats for whose missing links the deck or tape was laid again: the draw is a re-roll that everybody saw."""
    retaken: bool = False
    """Whether that was since these seats were taken again by their invitation: who held it could compare as well."""
    thrown_away: int = 0
    """How many epochs were laid and burned for it; the host and the seats of ``again`` together could compare them."""
    left_out: tuple[str, ...] = ()
    """Seats without a link in the cut: for them the host and all seats of ``cut_by`` could have chosen the draw."""
    cut_by: tuple[str, ...] = ()
    """Seats whose links made the cut."""
    served: tuple[str, ...] = ()
    """Seats of the cut whose part was made in a page that the host serves, as they say: it counts for nothing."""
    unknown: tuple[str, ...] = ()
    """Where the host serves a page, the other seats of the cut: what made their parts no record can show."""


def labels_of(line: Line, epoch: Epoch | None, *, proven: bool, refuted: bool = False) -> Iterator[Label]:
    """Every draw of a record, labelled.

    Args:
        line: the record.
        epoch: its epoch, if there is one.
        proven: the close of the epoch was checked and held.
        refuted: a draw of this record did not hold; none of its draws is believed then.
    """
    for number, step in enumerate(line.body.get("steps", ())):
        for index, entry in enumerate(step["chance"]):
            if "shuffle" in entry:
                continue
            status = REFUTED if refuted else _status(entry, epoch, proven=proven)
            label = _label(line.seq, number, index, status, step.get("seat", ""), entry)
            yield label if epoch is None else aimable(label, epoch)


def aimable(label: Label, epoch: Epoch) -> Label:
    """The label with who could have chosen the draw beside the host with every seat (schemas/README.md §4.4)."""
    if not (epoch.again or epoch.left_out or epoch.page):
        return label
    return replace(
        label,
        again=epoch.again,
        retaken=epoch.retaken,
        thrown_away=epoch.thrown_away,
        left_out=epoch.left_out,
        cut_by=epoch.seats if epoch.left_out else (),
        served=epoch.served,
        unknown=epoch.unknown,
    )


def _status(entry: JsonObject, epoch: Epoch | None, *, proven: bool) -> str:
    if epoch is None or not epoch.sound or not epoch.honest:
        return BOUND
    if entry.get("gen", 0) == 0:
        return FAIR
    return AFTER_REVEAL if proven and epoch.closed is not None else BOUND


def _label(seq: int, step: int, index: int, status: str, seat: str, entry: JsonObject) -> Label:
    if "roll" in entry:
        return Label(
            seq,
            step,
            index,
            "roll",
            status,
            seat,
            str(entry["value"]),
            entry["roll"],
            number=entry["j"],
            link=entry["link"],
            sides=entry["sides"],
            purpose=entry["for"],
        )
    open_card = entry["to"] == "table"
    return Label(
        seq,
        step,
        index,
        "card" if open_card else "hand",
        status,
        seat if open_card else entry["to"],
        entry.get("card", ""),
        entry["draw"],
        gen=entry["gen"],
        number=entry["k"],
        place=entry.get("place"),
        salt=entry.get("salt", ""),
    )


# --- replay: a verified file played through the engine, for whoever may read what is hidden ---------------
#
# The host may, with their secret; anybody may for epochs that were closed; for games without decks anybody
# may at once. ``Openings`` says what may be read. Every result is made again and compared
# (schemas/README.md §11, "with the engine").


class Openings(Protocol):
    """What may be read of what is hidden."""

    def seed(self, epoch: int) -> bytes | None:
        """The seed of an epoch, if it is known."""

    def content(self, part: SealedPart) -> Json | None:
        """What a player sealed, if it may be read."""


class NotReadable(PbemError):
    """Replay cannot go on, because something it needs is still sealed; nothing is wrong with the file."""


@dataclass(slots=True)
class Replay:
    """Follows a ledger line by line. ``table`` is the position after the last line that was followed."""

    table: Table
    openings: Openings
    states: Layered[int, Table] = field(default_factory=Layered)
    contents: Layered[tuple[Seat, int, str], JsonObject | None] = field(default_factory=Layered)
    """Orders that were read, by seat, number and commitment; what was sealed as actions is read again each time."""
    packet_bodies: Layered[int, dict[Seat, JsonObject]] = field(default_factory=Layered)
    """What the packets of each record hold, until the epoch is closed."""
    malformed: list[Fault] = field(default_factory=list)
    """Orders read since the last line was followed that are none: the host should have refused their file."""

    def fork(self) -> Replay:
        """An independent copy."""
        copied = self.states.fork(), self.contents.fork(), self.packet_bodies.fork()
        return Replay(self.table, self.openings, *copied, list(self.malformed))

    def follow(self, ledger: Ledger, line: Line) -> list[Fault]:
        """Play out ``line``, which ``ledger`` has just taken; returns what differs.

        Raises:
            NotReadable: if something this line needs is still sealed; the table is then as before.
        """
        faults = self._followed(ledger, line)
        reported, self.malformed = [*self.malformed, *faults], []
        return reported

    def _followed(self, ledger: Ledger, line: Line) -> list[Fault]:
        kind = KINDS.get(line.kind)  # none of a line that is no record: whoever read it has said so
        if kind is not None and kind.goes_back:
            self.table = self.states[line.body["what"]["to"]["seq"]]
            self.states[line.seq] = self.table
            return []
        if kind is not None and kind.ends == "match":
            return self._compare_end(line)
        if kind is not None and kind.ends == "epoch":
            return list(self._compare_facts(ledger, line))
        if "steps" not in line.body:
            return list(self._unanswered(ledger, line))
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
            whose = order_of(asks.seat, order.n)
            words = differs(whose, plain(rules.public_action(answer)), None)
            yield line.fault(12, "order", words)

    def _follow_result(self, ledger: Ledger, line: Line) -> list[Fault]:
        play = self.play_for(ledger, line)
        try:
            self._play(ledger, line, play)
        except RefusedAction as error:
            return [error.fault(line)]
        except LookupError as error:
            raise NotReadable(str(error)) from error
        self.take(line, play)
        return differences(line, play)

    def take(self, line: Line, play: Play) -> None:
        """Take over the position that the play of ``line`` led to."""
        if line.kind == "open":
            self.states.clear()
        self.table = play.table
        self.states[line.seq] = play.table
        self.packet_bodies[line.seq] = play.bodies(play.table.rules.setup.seats)

    def play_for(self, ledger: Ledger, line: Line) -> Play:
        """The play of this record before its first step, with the orders in force."""
        table = self.table
        if line.kind == "open":
            table = table.with_epoch(line.body["epoch"], self.source(ledger, line.body["epoch"], line))
        elif isinstance(table.source, RecordedChance):
            table = replace(table, source=RecordedChance(_entries(line)))
        return Play(table, self.orders(ledger), recorded=line.body["steps"])

    def source(self, ledger: Ledger, number: int, line: Line | None = None) -> ChanceSource:
        """Where the chance of an epoch comes from."""
        seed = self.openings.seed(number)
        if seed is not None:
            return SeedChance(ledger.game, number, seed, ledger.epochs[number].entropy)
        if ledger.info.decks or line is None:
            raise NotReadable(f"epoch {number} is not closed yet")
        return RecordedChance(_entries(line))

    def orders(self, ledger: Ledger) -> dict[Seat, OrderInForce]:
        """The standing orders in force, read where they may be read."""
        return {seat: OrderInForce(part.n, self._order(part)) for seat, part in ledger.orders.items()}

    def _order(self, part: SealedPart) -> JsonObject | None:
        key = (part.seat, part.n, part.sealed["commit"])
        known: JsonObject | Literal[False] | None = self.contents.get(key, False)
        if known is False:
            content = self.openings.content(part)
            known = content if isinstance(content, dict) and self._is_order(part, content) else None
            self.contents[key] = known
        return known

    def _is_order(self, part: SealedPart, content: JsonObject) -> bool:
        """Whether this is an order of the game; if not, that is noted as a fault: the host should have refused it."""
        try:
            self.table.rules.check_order(content, bulk=True)
        except MalformedAction as error:
            words = joined((order_of(part.seat, part.n), str(error)), ": ")
            self.malformed.append(Fault(part.seq, 12, "order", words))
            return False
        return True

    def _play(self, ledger: Ledger, line: Line, play: Play) -> None:
        play_result = KINDS[line.kind].play
        if play_result is not None:
            play_result(play, line, lambda line: self._actions(ledger, line))

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
            yield line.fault(12, "early", "deal {number} is not over", number=line.body["epoch"])
        epoch = ledger.epochs[line.body["epoch"]]
        opened = {(f["seq"], f["seat"]): f["facts"] for f in line.body["facts"]}
        for record in epoch.results if ledger.rules.has_secrets else ():
            bodies = self.packet_bodies.pop(record.seq, {})
            for seat, body in bodies.items():
                facts = opened.get((record.seq, seat), [])
                if canon(facts) != canon(body["facts"]):
                    where = sentence("what {seat} was told in record {record}", seat=seat, record=record.seq)
                    yield line.fault(12, "facts", difference(body["facts"], facts, where))

    def _compare_end(self, line: Line) -> list[Fault]:
        node = self.table.node
        if "what" in line.body:
            return []
        if not isinstance(node, Terminal):
            return [line.fault(12, "outcome", "the match is not over")]
        if canon(node.outcome) != canon(line.body["outcome"]):
            return [
                line.fault(
                    12, "outcome", difference(node.outcome, line.body["outcome"], sentence("the result"))
                )
            ]
        return []


def _entries(line: Line) -> list[JsonObject]:
    return [entry for step in line.body["steps"] for entry in step["chance"]]
