"""One match read three ways, and what must hold whenever something was ruled on or recorded.

The running host keeps what it has read; the restarted one reads everything again from the bytes before each ruling; the
stranger has no key and is fed line by line. All three must say the same.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace

from pbem.base.errors import RefusedError
from pbem.game import JsonObject, Seat
from pbem.host.acts import still_counts
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import read_message
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import HostOpenings, Line, Record
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Layered, difference
from pbem.protocol.referee import Accepted, Held, Quarantined, Ruling, receive
from tests.machine.fate import Fate
from tests.machine.owners import keys_kept
from tests.machine.sealed import SealedBytes
from tests.world import World, secret

Act = Callable[[Record], "Accepted | None"]
"""Something that the host does of their own accord."""

_NOT_COMPARED = {"lines", "entry", "rules", "remembered"}
"""The last is a memory that whoever has none makes again from the lines."""
_COMPARED = [field.name for field in fields(Ledger) if field.name not in _NOT_COMPARED]


class Broken(AssertionError):
    """Something that must always hold does not."""


@contextmanager
def unbroken(claim: str) -> Iterator[None]:
    """Whatever is raised inside breaks the machine; ``claim`` says what must have been possible."""
    try:
        yield
    except Broken:
        raise
    except Exception as error:
        raise Broken(f"{claim}: {type(error).__name__}: {error}") from error


class Match:
    """A match in play, from a world that others go on from as well: it is not changed."""

    alone = False
    """Whether no restarted host rules as well: so on forks, where it would double the cost."""
    exits = True
    """Whether every way out is tried after each step."""

    def __init__(self, world: World, without: Collection[str] = (), likely: Collection[str] = ()) -> None:
        self.without = without
        self.likely = likely
        self.world = copy.copy(world)
        self.world.numbers = dict(world.numbers)
        self.world.people = dict(world.people)
        self.world.files = []
        self.host = world.host
        self.reader = Record(world.record.ledger.fork())
        self.sealed = SealedBytes(len(world.record.seats))
        for line in world.record.lines:
            self.sealed.take(line)
        self.twin = fresh_host(world.record, self.host)
        self.world.record = fresh_host(world.record, self.host)
        self.keys = {who.sign_public: who for who in world.people.values()}
        self.held: list[JsonObject] = []
        self.raws: list[bytes] = []
        """Every file that was sent."""
        self.seens: list[JsonObject] = []
        """What earlier files had seen."""
        self.story: list[str] = []
        self.strangers = 0

    def close(self) -> None:
        """The walk is over."""

    # --- reading ------------------------------------------------------------------------------------------

    @property
    def record(self) -> Record:
        """The running host's record."""
        return self.world.record

    @property
    def ledger(self) -> Ledger:
        """What it says."""
        return self.world.record.ledger

    @property
    def joined(self) -> list[Seat]:
        """The seats that somebody holds."""
        return [seat for seat in self.record.seats if seat in self.ledger.players]

    @property
    def lines(self) -> list[bytes]:
        """The game file."""
        return self.world.lines

    def who(self, seat: Seat) -> Identity:
        """Who holds a seat, by the key in the record."""
        player = self.ledger.players.get(seat)
        if player is None:
            return self.world.people[seat]
        if player.sign not in self.keys:
            raise Broken(f"the seat of {seat} has a key that nobody holds")
        return self.keys[player.sign]

    def stranger(self) -> Identity:
        """Somebody new, with keys of their own."""
        self.strangers += 1
        who = Identity(secret(f"stranger {self.strangers}"))
        self.keys[who.sign_public] = who
        return who

    def number(self, seat: Seat) -> int:
        """The next number of a seat's file, above every one in the record."""
        player = self.ledger.players.get(seat)
        last = max(self.world.numbers[seat], player.n if player else 0)
        self.world.numbers[seat] = min(last + 1, 2**32 - 1)
        return self.world.numbers[seat]

    def choose(self, fate: Fate, names: Iterable[str]) -> str:
        """One of these names of moves and what belongs to them; three times of four one that is likely here."""
        allowed = [name for name in names if name not in self.without]
        favoured = [name for name in allowed if name in self.likely]
        return fate.pick(favoured if favoured and fate.number(0, 3) else allowed)

    def tell(self, sentence: str) -> None:
        """Remember what was done, for whoever reads a failure."""
        self.story.append(sentence)

    # --- ruling -------------------------------------------------------------------------------------------

    def send(self, file: JsonObject) -> Ruling:
        """A signed file arrives."""
        return self.send_raw(canon(file))

    def send_raw(self, raw: bytes) -> Ruling:
        """Bytes arrive; both hosts rule on them alike, and what was accepted is recorded."""
        if len(raw) < 20_000:
            self.raws.append(raw)
        now, kept = self.world.now, self._usable()
        with unbroken("the host rules on a file"):
            ruling = receive(self.record, self.host, raw, now, kept)
        if not self.alone:
            with unbroken("a restarted host rules on a file"):
                again = receive(fresh_host(self.twin, self.host), self.host, raw, now, kept)
            self._alike(ruling, again)
        if isinstance(ruling, Held):
            self.held.append(read_message(raw).file)
        if isinstance(ruling, Quarantined):
            raise Broken(f"a good file was quarantined: {ruling.fault}")
        recorded = ruling if isinstance(ruling, Accepted) else getattr(ruling, "withdrawn", None)
        if recorded is not None:
            self._take(recorded)
        return ruling

    def act(self, name: str, act: Act) -> str:
        """The host does something of their own accord; the reason if it is not due."""
        done = _tried(act, fresh_host(self.record, self.host, reread=False))
        again = done if self.alone else _tried(act, fresh_host(self.twin, self.host))
        if isinstance(done, str) or isinstance(again, str):
            if done != again:
                raise Broken(f"{name}: the running host says {done!r}, a restarted one {again!r}")
            return str(done)
        self._alike(done, again)
        if done is not None:
            self._take(done)
        return ""

    def restart(self) -> None:
        """The host's program ends and is started again: it knows nothing but the file."""
        with unbroken("the host reads its own file again"):
            self.world.record = Record.load(self.lines, HostOpenings(self.host, self.record.lines[0]))
        self._same_state(self.twin, "a restarted host")

    def usable(self) -> list[JsonObject]:
        """The consents that the host has kept and that may still count."""
        return self._usable()

    def _usable(self) -> list[JsonObject]:
        return [file for file in self.held if still_counts(self.record, read_message(canon(file)))]

    def _alike(self, ruling: Ruling | None, again: Ruling | None) -> None:
        first, other = _said(ruling), _said(again)
        if first != other:
            raise Broken(f"running and restarted host rule differently: {difference(first, other, 'ruling')}")

    def _take(self, ruling: Accepted) -> None:
        self.world.record = ruling.record
        for line in ruling.lines:
            before = self.reader.ledger.fork()
            with unbroken(f"a stranger reads record {line.seq} ({line.kind})"):
                self.reader.extend([line.raw])
            if not self.alone:
                with unbroken(f"a restarted host reads record {line.seq} ({line.kind})"):
                    self.twin.extend([line.raw])
            reason = keys_kept(before, self.reader.ledger) or self.sealed.take(line)
            if reason:
                raise Broken(f"record {line.seq} ({line.kind}): {reason}")
        self._same_state(self.reader, "a stranger")
        if not self.alone:
            self._same_state(self.twin, "a restarted host")

    def _same_state(self, other: Record, who: str) -> None:
        if [line.raw for line in other.lines] != self.lines:
            raise Broken(f"{who} has other lines")
        for name in _COMPARED:
            mine, theirs = getattr(self.ledger, name), getattr(other.ledger, name)
            if mine != theirs:
                raise Broken(f"{who} has another {name}: {_short(theirs)}, not {_short(mine)}")
        if other.replay is not None and other.table.state != self.record.table.state:
            raise Broken(f"{who} stands in another position")

    # --- forks --------------------------------------------------------------------------------------------

    def fork(self) -> Match:
        """The same match, to try something on."""
        other = copy.copy(self)
        other.world = copy.copy(self.world)
        other.world.numbers, other.world.people = dict(self.world.numbers), dict(self.world.people)
        other.reader, other.sealed = self.reader.fork(), self.sealed.fork()
        other.alone = True
        other.held, other.raws, other.story = list(self.held), [], []
        other.keys = dict(self.keys)
        return other


def fresh_host(record: Record, host: Identity, *, reread: bool = True) -> Record:
    """A copy of the host's record; ``reread``: with nothing read before but the file."""
    copied = record.fork()
    if reread and copied.replay is not None:
        copied.replay = replace(
            copied.replay, openings=HostOpenings(host, record.lines[0]), contents=Layered()
        )
    return copied


def _tried(act: Act, record: Record) -> Accepted | str | None:
    try:
        with unbroken("the host acts"):
            return act(record)
    except Broken as error:
        if isinstance(error.__cause__, RefusedError):
            return str(error.__cause__)
        raise


# --- what is compared ------------------------------------------------------------------------------------------


def _said(ruling: Ruling | None) -> JsonObject:
    """A ruling without what is new each time: one-time keys of envelopes, and the chain that follows from them."""
    if ruling is None:
        return {}
    said: JsonObject = {"ruling": type(ruling).__name__}
    for field in fields(ruling):
        value = getattr(ruling, field.name)
        if field.name == "lines":
            said["lines"] = [_plain(line) for line in value]
        elif isinstance(value, Line):
            said[field.name] = value.seq
        elif isinstance(value, Accepted):
            said[field.name] = _said(value)
        elif not isinstance(value, Record):
            said[field.name] = value
    return said


def _plain(line: Line) -> JsonObject:
    body = {name: value for name, value in line.body.items() if name != "prev"}
    if "packets" in body:
        body["packets"] = {seat: packet["commit"] for seat, packet in body["packets"].items()}
    return body


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) < 600 else f"{text[:600]}…"
