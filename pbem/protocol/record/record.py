"""The verified match: lines, ledger, and (with openings) the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pbem.base.errors import VerificationError
from pbem.game import AnyRules, GameInfo, JsonObject, Seat, Terminal
from pbem.protocol.record.label import Label, labels_of
from pbem.protocol.record.ledger import Index, Ledger
from pbem.protocol.record.line import Line
from pbem.protocol.record.replay import Openings, Replay
from pbem.protocol.record.standing import Moment, Standing
from pbem.protocol.record.stands import moment_of, standing_of
from pbem.protocol.record.table import Table
from pbem.protocol.record.takeover import link_lost
from pbem.protocol.record.verifier import Verifier, start_ledger
from pbem.protocol.record.waiting import awaited_seat, missing_links, pass_time, passes


class Record:
    """A game file that was checked from its first byte to its last."""

    def __init__(self, ledger: Ledger, replay: Replay | None = None) -> None:
        self.ledger = ledger
        self.replay = replay
        self._verifier = Verifier(ledger, strict=True)

    # --- making -------------------------------------------------------------------------------------------

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
            raise VerificationError("empty", "the game file has no records")
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
        if not passes(self.ledger, at):
            return self
        record = self.fork()
        pass_time(record.ledger, at)
        return record

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
        if self.replay is None:
            return
        _, faults = self.replay.follow(self.ledger, line)
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
    def game(self) -> bytes:
        """The match's id: the name of record 0."""
        return self.ledger.game

    @property
    def genesis(self) -> JsonObject:
        """The body of record 0."""
        return self.ledger.genesis

    @property
    def game_info(self) -> GameInfo:
        """Static facts of the game."""
        return self.ledger.info

    @property
    def rules(self) -> AnyRules:
        """The engine bound to this match."""
        return self.ledger.rules

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats, clockwise."""
        return self.ledger.seats

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
    def index(self) -> Index:
        """Where things stand among them."""
        return self.ledger.index

    @property
    def head(self) -> Line:
        """The last record."""
        return self.ledger.head

    @property
    def public(self) -> JsonObject | None:
        """The newest public view."""
        return self.ledger.public

    @property
    def waiting(self) -> JsonObject | None:
        """Who is asked what: ``{"seat","phase"}``; None while links, joins or nobody is awaited."""
        return None if awaited_seat(self.ledger) is None else self.ledger.waiting

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
        return missing_links(self.ledger)

    @property
    def standing(self) -> Standing:
        """What the match waits for; at another time than the newest record's: ``record.as_of(time).standing``."""
        return standing_of(self.ledger)

    def moment(self, seq: int) -> Moment:
        """How the match stood after record ``seq``."""
        return moment_of(self.ledger) if seq == self.head.seq else self.ledger.moments[seq]

    def can_be_ready(self, seat: Seat) -> bool:
        """Whether the next epoch waits for a link of this seat that somebody can still give."""
        newest = self.ledger.newest
        lost = newest is not None and link_lost(self.ledger, newest, seat)
        return seat in self.missing_links and not lost

    def labels(self, seq: int) -> list[Label]:
        """Every draw of a record with its proof status (schemas/README.md §4.4)."""
        line = self.ledger.lines[seq]
        epoch = self.ledger.epochs.get(line.body.get("epoch", 0))
        return list(labels_of(line, epoch, proven=epoch is not None and epoch.closed is not None))

    def earlier_line(self, message: bytes) -> Line | None:
        """The record that holds the message with this hash, if it was ruled on before."""
        seq = self.ledger.messages.get(message)
        return None if seq is None else self.ledger.lines[seq]

    def told(self, seq: int, seat: Seat) -> JsonObject:
        """The packet body of a seat in a record of an epoch that is not closed yet (the host's knowledge)."""
        if self.replay is None:
            raise LookupError("this record was loaded without openings")
        return self.replay.told[seq][seat]

    @property
    def outcome(self) -> JsonObject | None:
        """The outcome by the rules, once the match is decided."""
        node = self.table.node
        return node.outcome if isinstance(node, Terminal) else None
