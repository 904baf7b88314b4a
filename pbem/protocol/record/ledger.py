"""The ledger: everything the lines of a game file say, computed without rules engine and without keys.

It is filled line by line by ``pbem.protocol.record.verifier``, which checks each line against it first. ``fork``
gives an independent copy that shares what never changes, so that a ruling can be tried without touching the record it
is about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pbem.base.values import dataclass, replace
from pbem.game import AnyRules, Game, GameInfo, JsonObject, Seat
from pbem.protocol.crypto.digest import known64
from pbem.protocol.record.deadlines import Deadlines, Moment
from pbem.protocol.record.line import Index, Layered, Line, Log


@dataclass(frozen=True, slots=True)
class ChainRun:
    """A player's chain: its anchor, the first epoch it counts for, and the highest element known so far."""

    anchor: bytes
    length: int
    since: int
    index: int = 0
    value: bytes = b""
    served: bool = False
    """Whether a page that the host serves made it or held it, as its seat says (schemas/README.md §4.4)."""


@dataclass(frozen=True, slots=True)
class Player:
    """Who sits in a seat: keys, name, chains, and the number of the last file in the record."""

    seat: Seat
    name: str
    lang: str
    sign: bytes
    seal: bytes
    n: int
    chains: tuple[ChainRun, ...]
    recovery: bytes | None = None
    contact: str | None = None
    zone: str | None = None
    recovered: int = -1
    """The number of the newest file that the recovery key signed; -1 if it signed none."""

    def chain_for(self, epoch: int) -> ChainRun | None:
        """The chain that this epoch's link comes from: a new anchor counts for epochs announced later."""
        usable = [chain for chain in self.chains if chain.since <= epoch]
        return usable[-1] if usable else None

    def with_link(self, epoch: int, value: bytes) -> Player:
        """The player after the link of ``epoch`` is known."""
        chain = self.chain_for(epoch)
        if chain is None or epoch <= chain.index:
            return self
        known = replace(chain, index=epoch, value=value)
        return replace(self, chains=tuple(known if c is chain else c for c in self.chains))

    def in_page(self) -> Player:
        """The player after a file that was made in a page that the host serves: that page has all their chains."""
        return replace(self, chains=tuple(replace(chain, served=True) for chain in self.chains))


@dataclass(frozen=True, slots=True)
class Generation:
    """One laid deck: its leaves (b64), the cut once the entropy is known, and how many cards were drawn."""

    number: int
    leaves: tuple[str, ...]
    cut: tuple[int, ...] | None = None
    drawn: int = 0
    seq: int = 0


@dataclass(frozen=True, slots=True)
class TapeRun:
    """A tape of dice: anchor, length, and the last link that was opened."""

    anchor: bytes
    length: int
    used: int
    link: bytes


@dataclass(frozen=True, slots=True)
class DrawEntry:
    """A draw of the public chance list: who got draw ``k`` of which generation, in which record."""

    seq: int
    deck: str
    gen: int
    k: int
    to: str
    card: str | None = None
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Epoch:
    """The span that one entropy serves (schemas/README.md §5)."""

    number: int
    commit: bytes
    seats: tuple[Seat, ...]
    announced: Line
    decks: Mapping[str, tuple[Generation, ...]]
    tapes: Mapping[str, TapeRun]
    links: Mapping[Seat, bytes]
    opened: int | None = None
    entropy: bytes = b""
    closed: int | None = None
    burned: bool = False
    burned_for: tuple[Seat, ...] = ()
    """For whose missing links it was burned."""
    results: Log[Line] = field(default_factory=Log)
    draws: tuple[DrawEntry, ...] = ()
    defaulted: frozenset[Seat] = frozenset()
    seed: bytes | None = None
    resealed: tuple[Line, ...] = ()
    taken_back: frozenset[int] = frozenset()
    """Results that a rewind took back: they were sealed and signed, but no hand follows from them."""
    again: tuple[Seat, ...] = ()
    """Seats for whose missing links epochs right before were burned: this one was laid again for them."""
    retaken: bool = False
    """Whether that was since they were taken again before the first deal (schemas/README.md §10.10)."""
    thrown_away: int = 0
    """How many epochs right before it were laid and burned."""
    left_out: tuple[Seat, ...] = ()
    """Seats that gave no link to it: they were burned out when it was announced. Never the host's own."""
    page: bool = False
    """Whether the match was known to have a page of its host's when this was dealt."""
    served: tuple[Seat, ...] = ()
    """Seats whose part of the cut a page of the host made, as they say."""
    sound: bool = True
    """False once something about its laying, links or opening did not hold: its draws are then bound only."""

    @property
    def missing(self) -> tuple[Seat, ...]:
        """Announced seats whose link is not in the record."""
        return tuple(seat for seat in self.seats if seat not in self.links)

    @property
    def unknown(self) -> tuple[Seat, ...]:
        """Where the host serves a page: seats of whose parts no record can show what made them."""
        return tuple(seat for seat in self.seats if seat not in self.served) if self.page else ()

    @property
    def honest(self) -> bool:
        """Whether a part of the cut is there that a program of the host did not make, for all that is said."""
        return len(self.served) < len(self.seats)


@dataclass(frozen=True, slots=True)
class Proposal:
    """What is held about a seat, unless it is undone: a takeover, carried out from ``until`` on, or a resignation."""

    line: Line
    until: str

    @property
    def counts(self) -> bool:
        """Whether it counts of itself from ``until`` on, as a resignation does; else a record carries it out."""
        return bool(self.what["kind"] == "resign")

    @property
    def what(self) -> JsonObject:
        """What was agreed to."""
        terms: JsonObject = self.line.body["what"]
        return terms

    @property
    def seat(self) -> Seat:
        """The seat concerned."""
        return Seat(self.what["seat"])


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause that lasts since ``since``, until ``until`` or until a newer record ends it; ``seq`` gave it that end."""

    since: str
    until: str
    seq: int


@dataclass(frozen=True, slots=True)
class Replacement:
    """Another recovery key for a seat: in force from ``until`` on, unless the one before it undoes that."""

    line: Line
    until: str
    recovery: bytes


@dataclass(frozen=True, slots=True)
class OpenMemory:
    """What everybody remembers of the running epoch beyond the public view (``open_play``), after result ``seq``."""

    seq: int
    span: int
    """Of the epoch (``Rules.span``)."""
    memory: JsonObject
    view: Any = field(default=None, compare=False, repr=False)
    """The public view after it as the game's own value, if it is cached."""


@dataclass(frozen=True, slots=True)
class SealedPart:
    """Something a player sealed to the host: ``part`` is ``sealed`` or ``orders``.

    ``seq`` is -1 before a record holds it, ``size`` the length of its ciphertext. Of a part whose record was verified
    before (``known_part``), ``sealed`` is read from its ``line`` when it is first asked for.
    """

    seat: Seat
    n: int
    part: str
    sealed: JsonObject
    seq: int
    epoch: int | None
    size: int = 0
    line: Line | None = field(default=None, compare=False, repr=False)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Read what was not read yet; called only for a member that is not there."""
            if name != "sealed":
                raise AttributeError(name)
            sealed = next(
                file["body"][self.part]
                for file in self.line.messages
                if (file["body"]["seat"], file["body"]["n"]) == (self.seat, self.n)
                and self.part in file["body"]
            )
            object.__setattr__(self, "sealed", sealed)
            return sealed


def known_part(line: Line, seat: Seat, n: int, part: str, epoch: int | None, size: int) -> SealedPart:
    """Something sealed in a record that was verified before; the record is read when somebody asks what it is."""
    sealed_part = object.__new__(SealedPart)
    members = {
        "seat": seat,
        "n": n,
        "part": part,
        "seq": line.seq,
        "epoch": epoch,
        "size": size,
        "line": line,
    }
    for name, value in members.items():
        object.__setattr__(sealed_part, name, value)
    return sealed_part


@dataclass
class Ledger:
    """What the file says so far. Only the verifier changes it."""

    lines: Log[Line]
    game: bytes
    entry: Game
    rules: AnyRules
    deadlines: Deadlines
    players: dict[Seat, Player] = field(default_factory=dict)
    epochs: dict[int, Epoch] = field(default_factory=dict)
    shown: Line | None = None
    """The record whose public view holds: the last result, or the one that a rewind went back to."""
    result: Line | None = None
    remembered: OpenMemory | None = None
    """Belongs to ``shown``, or is of no use."""
    asks: bool = False
    """Whether the last result asks somebody: it says until when."""
    due: str | None = None
    silent: frozenset[Seat] = frozenset()
    resigned: frozenset[Seat] = frozenset()
    burned_out: frozenset[Seat] = frozenset()
    returned: frozenset[Seat] = frozenset()
    """Seats because of whose files an announcement was burned, and that have given no link since."""
    orders: dict[Seat, SealedPart] = field(default_factory=dict)
    unopened: Layered[tuple[Seat, int, str], SealedPart] = field(default_factory=Layered)
    opened_parts: Layered[tuple[Seat, int, str], int] = field(default_factory=Layered)
    """What was sealed and has been opened: the record that brought it."""
    messages: Layered[bytes, int] = field(default_factory=Layered)
    index: Index = field(default_factory=Index)
    """Where things stand in the file."""
    paused: Pause | None = None
    resumed: str = ""
    """When the newest pause ended."""
    absences: tuple[Line, ...] = ()
    asked: int = 0
    """The record since which ``due`` counts: only absences recorded before it move it."""
    missed: dict[Seat, int] = field(default_factory=dict)
    """Excused misses that a seat has used up."""
    alone: dict[Seat, int] = field(default_factory=dict)
    """Records of one seat alone since the last result, open or close (``check_messages.count``)."""
    recoveries: dict[Seat, int] = field(default_factory=dict)
    """Of these, a seat's rekeys by its recovery key, which are counted for themselves."""
    proposals: dict[Seat, Proposal] = field(default_factory=dict)
    """Open proposals, by the seat they are about."""
    settled: dict[Seat, int] = field(default_factory=dict)
    """The newest record by which a proposal about the seat ended."""
    replacing: dict[Seat, Replacement] = field(default_factory=dict)
    """Recovery keys that are held, by seat."""
    frozen: frozenset[Seat] = frozenset()
    """Seats whose recovery key two have claimed: it is not replaced any more."""
    renewed: dict[Seat, int] = field(default_factory=dict)
    """The newest epoch in which a seat was asked again for a rekey by its recovery key."""
    lost: dict[Seat, Line] = field(default_factory=dict)
    """The newest record that took a seat over with a new chain alone."""
    absent: dict[Seat, int] = field(default_factory=dict)
    """Hours of absence that a seat has taken by its own consent alone."""
    paged: bool = False
    """Whether the host serves a page to play in, as genesis or a file that was made in it has said: then for good."""
    ended: Line | None = None
    moments: Log[Moment] = field(default_factory=Log)
    """How the match stood after each record, so that an old email can be made again."""

    def fork(self) -> Ledger:
        """An independent copy; lines and values are shared, since they never change."""
        return replace(
            self,
            players=dict(self.players),
            epochs=dict(self.epochs),
            orders=dict(self.orders),
            unopened=self.unopened.fork(),
            opened_parts=self.opened_parts.fork(),
            messages=self.messages.fork(),
            index=self.index.fork(),
            missed=dict(self.missed),
            alone=dict(self.alone),
            recoveries=dict(self.recoveries),
            proposals=dict(self.proposals),
            settled=dict(self.settled),
            replacing=dict(self.replacing),
            renewed=dict(self.renewed),
            lost=dict(self.lost),
            absent=dict(self.absent),
        )

    @property
    def public(self) -> JsonObject | None:
        """The newest public view; None before the first ``open``."""
        return None if self.shown is None else self.shown.body["public"]

    @property
    def genesis(self) -> JsonObject:
        """The body of record 0."""
        return self.lines.first.body

    @property
    def head(self) -> Line:
        """The last record."""
        return self.lines.last

    @property
    def info(self) -> GameInfo:
        """Static facts of the game played here."""
        return self.entry.info

    @cached_property
    def seats(self) -> tuple[Seat, ...]:
        """The seats, clockwise."""
        return self.rules.setup.seats

    @property
    def host(self) -> JsonObject:
        """The host: ``sign`` and ``seal``, and ``seat`` if they play."""
        host: JsonObject = self.genesis["host"]
        return host

    @property
    def host_keys(self) -> frozenset[bytes]:
        """Both keys of the host; nobody else has one of them."""
        return frozenset((self.host_sign, self.host_seal))

    @property
    def host_sign(self) -> bytes:
        """The host's public signing key."""
        return known64(self.host["sign"], 32)

    @property
    def host_seal(self) -> bytes:
        """The key that players seal to."""
        return known64(self.host["seal"], 32)

    @property
    def host_seat(self) -> Seat | None:
        """The seat that the host plays; None if the host does not play."""
        seat = self.host.get("seat")
        return None if seat is None else Seat(seat)

    @property
    def hidden_from(self) -> str:
        """From whom hands, orders and draws to come are hidden (schemas/README.md §5)."""
        return hidden_from(self.host)

    @property
    def linking(self) -> tuple[Seat, ...]:
        """The seats whose links make cuts, clockwise: all but the host's own."""
        own = self.host_seat
        return tuple(seat for seat in self.seats if seat != own)

    @property
    def reveal(self) -> str:
        """``epoch`` or ``match``: when the seeds are opened."""
        return str(self.genesis["draw"]["reveal"])

    @property
    def newest(self) -> Epoch | None:
        """The epoch announced last, burned or not."""
        return self.epochs[max(self.epochs)] if self.epochs else None

    @property
    def left_out(self) -> tuple[Seat, ...]:
        """The seats that the waiting announcement leaves out; nobody if none waits."""
        epoch = self.newest
        return () if epoch is None or epoch.opened is not None or epoch.burned else epoch.left_out

    @property
    def running(self) -> Epoch | None:
        """The epoch opened last; the one whose draws are being used."""
        running: Epoch | None = None
        for epoch in self.epochs.values():
            if epoch.opened is not None and (running is None or epoch.number > running.number):
                running = epoch
        return running

    @property
    def waiting(self) -> JsonObject | None:
        """Who is asked what, as the last result says: ``{"seat","phase"}``."""
        public = self.public
        return public.get("waiting") if public else None

    @property
    def awaited(self) -> Seat | None:
        """The seat that is to act; None while links, joins or nobody is awaited."""
        waiting = self.waiting
        if self.ended is not None or waiting is None or self.between_epochs:
            return None
        return Seat(waiting["seat"])

    @property
    def between_epochs(self) -> bool:
        """Whether no epoch runs: none is open, or nobody is asked any more in one that is closed only at the end.

        A public view may name who begins the next epoch; then only the missing ``due`` shows that they are not asked.
        """
        running = self.running
        if running is None or running.closed is not None:
            return True
        return self.reveal == "match" and not self.asks

    @property
    def complete(self) -> bool:
        """Whether every seat has joined."""
        return all(seat in self.players for seat in self.seats)

    def sealed_in(self, seat: Seat, n: int, part: str) -> Line | None:
        """The record that holds this part of the seat's file ``n``, opened or not."""
        unopened = self.unopened.get((seat, n, part))
        seq = self.opened_parts.get((seat, n, part)) if unopened is None else unopened.seq
        return None if seq is None else self.lines[seq]

    def earlier_line(self, message: bytes) -> Line | None:
        """The record that holds the message with this hash, if it was ruled on before."""
        seq = self.messages.get(message)
        return None if seq is None else self.lines[seq]

    def line_at(self, seq: int) -> Line | None:
        """The record with this number, if it is there."""
        return self.lines[seq] if 0 <= seq < self.lines.size else None


def hidden_from(host: JsonObject) -> str:
    """From whom hands, orders and draws to come are hidden: ``all players``, or all but the seat of this host."""
    return "all players" if "seat" not in host else f"all but {host['seat']}"
