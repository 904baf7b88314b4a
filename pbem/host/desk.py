"""The host's desk: one match folder, one identity, a clock and a source of entropy.

Every call goes the same way: lock the folder, repair and mend it, load the record once, rule, append
(the append is the commit), then write the letters. A crash at any point loses nothing: before the append nothing
happened, after it the letters are made again from the record by ``mend``, which every call begins with.

::

    desk = HostDesk.create(path, host, plan, clock, entropy)      # genesis and invitations
    desk = HostDesk(path, host, clock)                            # later
    outcome = desk.take(raw)                                      # one file of a player
    desk.default(seat); desk.extend(seat, due); desk.burn()       # refused unless due
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pbem import referee
from pbem.crypto.identity import Identity
from pbem.errors import RefusedError, StoreError, UsageProblem
from pbem.formats.messages import Message, read_message
from pbem.formats.strict_json import MAX_FILE
from pbem.game import JsonObject, Seat
from pbem.host.again import circle_again, plan_again
from pbem.host.batches import Batch, batches_of
from pbem.host.circle import Circle
from pbem.host.consents import Consents
from pbem.host.on_time import next_act
from pbem.host.outage import LIMIT, MOST, Heartbeat, check_clock, mend_outage
from pbem.host.post import Post
from pbem.host.reminders import ReminderNotes
from pbem.host.status import last_file, status_of
from pbem.record import HostOpenings, Record
from pbem.record.check_messages import has_seen
from pbem.record.line import read_line
from pbem.referee import (
    Accepted,
    Departed,
    Held,
    Ignored,
    MatchPlan,
    PutAside,
    Refused,
    Repeated,
    Ruling,
    Unchanged,
)
from pbem.store import Mark, MatchFolder, find_match_folder

Clock = Callable[[], str]
Entropy = Callable[[int], bytes]

_GIVEN_UP = "given-up"
_LETTERS_FROM = "letters-from"
_SHOWN = "shown"
_NONCE_SIZE = 32


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a file or an act of the host: the ruling, and the letters that now lie in the outbox."""

    ruling: Ruling
    letters: tuple[str, ...] = ()


class HostDesk:
    """A host at work on one match."""

    def __init__(self, path: Path, host: Identity, clock: Clock) -> None:
        self.folder: MatchFolder = find_match_folder(path)
        self.host = host
        self.clock = clock
        self.told: list[str] = []
        """What was mended, in words for the host; the caller prints and forgets it."""
        self.heartbeat = Heartbeat(self.folder.host)
        self._consents = Consents(self.folder.host)
        self._record: Record | None = None
        self._mark = Mark.EMPTY
        self._mended = False

    @classmethod
    def create(
        cls,
        path: Path,
        host: Identity,
        plan: MatchPlan,
        clock: Clock,
        entropy: Entropy,
        circle: Circle | None = None,
    ) -> HostDesk:
        """A new match in a new folder: its genesis, and an invitation to every seat in the outbox.

        ``circle`` holds what letters say and no record does: who the host is, where everybody is reached.

        Raises:
            UsageProblem: the folder holds a match already, or the plan does not fit.
        """
        genesis = referee.create_match(plan, host, entropy(_NONCE_SIZE), clock())
        folder = MatchFolder.create(path)
        if circle is not None:
            circle.write(folder.host)
        folder.game.append([genesis.raw], expected=Mark.EMPTY)
        desk = cls(path, host, clock)
        with desk.at_work():
            pass  # mending an empty outbox writes the invitations
        return desk

    def again(self, path: Path, entropy: Entropy, title: str) -> HostDesk:
        """The next match of the same people, in a new folder: seats and first place turned by one.

        Raises:
            RefusedError: this match is not over.
        """
        with self.at_work() as record:
            circle = circle_again(record, Circle.read(self.folder.host), self.host, title)
            plan = plan_again(record)
        return HostDesk.create(path, self.host, plan, self.clock, entropy, circle)

    # --- one call -----------------------------------------------------------------------------------------

    @contextmanager
    def at_work(self) -> Iterator[Record]:
        """The match under its lock, repaired, loaded and with all letters of the last commit written."""
        with self.folder.lock():
            if not self._mended:
                self.told += self.folder.repair()
                self.told += self.folder.warnings()
            record = self._load()
            if not self._mended:
                self.mend(record)
                self._mended = True
            yield record

    def _load(self) -> Record:
        """The record of what the file holds now; only lines that are new to this process are verified."""
        loaded = self.folder.game.read(self._mark)
        if loaded.torn or loaded.unfinished:
            raise StoreError(
                f"{self.folder.game.path} ends in half a line; another process has just been killed",
                hint="Run the command again: it repairs the file first.",
            )
        if self._record is None:
            self._record = self._begin(loaded.lines)
        elif loaded.lines:
            fork = self._record.fork()
            fork.extend(loaded.lines)
            self._record = fork
            self._mended = False
        self._mark = loaded.end
        return self._record

    def _begin(self, lines: Sequence[bytes]) -> Record:
        if not lines:
            raise UsageProblem(f"{self.folder.game.path} is empty", hint="Make a match with: pbem host new")
        genesis = read_line(lines[0])
        if genesis.body.get("host", {}).get("sign") != _b64(self.host.sign_public):
            raise UsageProblem(
                "this identity is not the host of this match",
                hint="Only the host's own identity can go on with it; choose it with --id.",
            )
        return Record.load(lines, HostOpenings(self.host, genesis))

    def _commit(self, accepted: Accepted) -> tuple[str, ...]:
        """Append, then write the letters: the append is the commit."""
        first = self._now().head.seq + 1
        self._mark = self.folder.game.append([line.raw for line in accepted.lines], expected=self._mark)
        self._record = accepted.record
        batch = Batch(first, accepted.record.head.seq, accepted.sender)
        letters = self._post(accepted.record).letters(accepted.record, batch)
        self.folder.outbox.write(letters)
        return tuple(letters)

    def _now(self) -> Record:
        if self._record is None:
            raise LookupError("nothing is loaded; work inside at_work()")
        return self._record

    # --- letters ------------------------------------------------------------------------------------------

    def _post(self, record: Record) -> Post:
        return Post(self.host, record, Circle.read(self.folder.host))

    def mend(self, record: Record) -> tuple[str, ...]:
        """Write the letters that a crash kept from being written, newest batch first until one is complete."""
        made: list[str] = []
        post = self._post(record)
        since = self._letters_from()
        for batch in reversed(batches_of(record.lines)):
            names = post.names(record, batch)
            missing = self.folder.outbox.missing(names)
            if batch.first < since or (names and not missing):
                break
            letters = post.letters(record, batch)
            made += self.folder.outbox.write({name: letters[name] for name in missing})
        if made and len(record.lines) > 1:
            least, most = min(made), max(made)
            which = least if least == most else f"{least} to {most}"
            self.told.append(f"{len(made)} letters were missing and have been written: {which}")
        return tuple(made)

    def _letters_from(self) -> int:
        """The record from which on letters are this folder's business: not 0 after a recovery."""
        if _LETTERS_FROM not in self.folder.host.names():
            return 0
        return int(json.loads(self.folder.host.read(_LETTERS_FROM)))

    def skip_letters_before(self, seq: int) -> None:
        """After a recovery: the letters of records before ``seq`` were sent long ago."""
        self.folder.host.write(_LETTERS_FROM, str(seq).encode(), replace=True)

    def rewrite_letters(self, seats: Sequence[Seat] = ()) -> tuple[str, ...]:
        """Make the letters of the last commit again (for these seats, else all), as far as they are not sent."""
        with self.at_work() as record:
            batch = batches_of(record.lines)[-1]
            letters = self._post(record).letters(record, batch)
            wanted = {n: raw for n, raw in letters.items() if not seats or any(f"-{s}-" in n for s in seats)}
            self.folder.outbox.write(wanted)
            return tuple(wanted)

    # --- files of players ---------------------------------------------------------------------------------

    def take(self, raw: bytes) -> Outcome:
        """Rule on one file: keep it, rule, commit, write the letters."""
        with self.at_work() as record:
            if len(raw) <= MAX_FILE:
                self.folder.inbox.keep(raw)  # before anything parses it
            self._check_clock(record)
            ruling = referee.receive(record, self.host, raw, self.clock(), self._consents.usable(record))
            return Outcome(ruling, self._answer(record, ruling, raw))

    def gave_up(self, upto: int) -> None:
        """After a recovery: other records with a number up to this one belong to a history that was given up."""
        self.folder.host.write(_GIVEN_UP, str(upto).encode(), replace=True)

    def _given_up(self) -> int:
        if _GIVEN_UP not in self.folder.host.names():
            return -1
        return int(json.loads(self.folder.host.read(_GIVEN_UP)))

    def _check_newest(self, record: Record) -> None:
        """Sign nothing while a record is missing here that was shown to be the host's own."""
        if _SHOWN not in self.folder.host.names():
            return
        seen = json.loads(self.folder.host.read(_SHOWN))
        if not has_seen(record.ledger, seen):
            raise RefusedError(
                f"this folder is not the newest: record {seen['seq']}, which you have signed, is not in it;"
                " nothing is signed here until it is",
                hint=f"Take in the players' copies: pbem host recover -o {self.folder.path} GAME...",
            )

    def _depart(self, ruling: Departed) -> None:
        if ruling.seen["seq"] > self._given_up():
            self.folder.host.write(_SHOWN, json.dumps(ruling.seen).encode(), replace=True)

    def _answer(self, record: Record, ruling: Ruling, raw: bytes) -> tuple[str, ...]:
        if isinstance(ruling, Accepted):
            return self._commit(ruling)
        if isinstance(ruling, (Held, Refused, PutAside, Unchanged)) and ruling.withdrawn is not None:
            told = self._commit(ruling.withdrawn)
            return told + self._answer(self._now(), replace(ruling, withdrawn=None), raw)
        if isinstance(ruling, Held):
            self._consents.keep(read_message(raw))
        elif isinstance(ruling, (Repeated, Unchanged)):
            return self._again(record, ruling)
        elif isinstance(ruling, Refused):
            return self._refuse(record, ruling)
        elif isinstance(ruling, Departed):
            self._depart(ruling)
        elif isinstance(ruling, Ignored):
            self.folder.host.write("ignored.log", self._log(ruling.reason), replace=True)
        elif isinstance(ruling, PutAside):  # the file lies in the inbox
            self.folder.host.write("ignored.log", self._log(ruling.fault), replace=True)
        return ()

    def _refuse(self, record: Record, ruling: Refused) -> tuple[str, ...]:
        if ruling.reject is None:
            return ()
        name, raw = self._post(record).refusal(record, ruling.reject, ruling.in_clear)
        return self.folder.outbox.write({name: raw}) or (name,)

    def _again(self, record: Record, ruling: Repeated | Unchanged) -> tuple[str, ...]:
        batch = next(b for b in batches_of(record.lines) if b.first <= ruling.line.seq <= b.last)
        made = self._post(record).again(record, batch, ruling.seat)
        if made is None:
            return ()
        self.folder.outbox.write({made[0]: made[1]})
        return (made[0],)

    def _log(self, reason: str) -> bytes:
        """The log of what was ignored, with one entry more; the oldest are dropped."""
        there = "ignored.log" in self.folder.host.names()
        before = self.folder.host.read("ignored.log").splitlines() if there else []
        entry = f"{self.clock()} {reason}".encode("utf-8", "replace")
        return b"\n".join([*before[-999:], entry]) + b"\n"

    # --- acts of the host ---------------------------------------------------------------------------------

    def default(self, seat: Seat) -> Outcome:
        """Play the default of an overdue seat; ``RefusedError`` unless due."""
        return self._act(lambda record: referee.perform_default(record, self.host, seat, self.clock()))

    def extend(self, seat: Seat, due: str) -> Outcome:
        """Give the awaited seat time until ``due``."""
        return self._act(lambda record: referee.extend(record, self.host, seat, due, self.clock()))

    def burn(self) -> Outcome:
        """Burn the announced epoch of a missing seat; ``RefusedError`` unless due."""
        return self._act(lambda record: referee.burn(record, self.host, self.clock()))

    def end(self, why: str = "") -> Outcome:
        """End the match by the consents that were sent in."""
        return self._act(
            lambda record: referee.end_early(
                record, self.host, why, self._consents.usable(record), self.clock()
            )
        )

    def reseal(self, seat: Seat) -> Outcome:
        """Seal again what a seat was told in the running epoch."""
        return self._act(lambda record: referee.reseal(record, self.host, seat, self.clock()))

    def carry_out(self, seat: Seat) -> Outcome:
        """Give the seat the keys that are proposed for it, once the hold is over."""
        return self._act(lambda record: referee.carry_out(record, self.host, seat, self.clock()))

    def withdraw(self, seat: Seat) -> Outcome:
        """Take back what is proposed about a seat."""
        return self._act(lambda record: referee.withdraw(record, self.host, seat, self.clock()))

    def substitute(self, raw: bytes) -> Outcome:
        """Put the signer of this join into his seat, or propose it; the others have consented."""
        message = _join(raw)

        def put(record: Record) -> Accepted:
            if message.game != record.game or message.seat not in record.seats:
                raise UsageProblem("this join is for another match or seat")
            consents = self._consents.usable(record)
            return referee.substitute(record, self.host, message, consents, self.clock())

        return self._act(put)

    def _act(self, act: Callable[[Record], Accepted]) -> Outcome:
        with self.at_work() as record:
            self._check_clock(record)
            accepted = act(record)
            return Outcome(accepted, self._commit(accepted))

    # --- time ---------------------------------------------------------------------------------------------

    def _check_clock(self, record: Record) -> None:
        self._check_newest(record)
        check_clock(record, self.heartbeat.last(), self.clock())

    def beat(self, *, clock_is_right: bool = False) -> Outcome | None:
        """Note that the host is at work; after an outage, first give back the time of it (schemas/README.md §10.7).

        Args:
            clock_is_right: a person has looked at the clock, however far ahead of the last sign of life it is.

        Raises:
            ClockProblem: the clock went back or jumped ahead; nothing was noted.
        """
        with self.at_work() as record:
            now = self.clock()
            self._check_newest(record)
            check_clock(record, self.heartbeat.last(), now, MOST if clock_is_right else LIMIT)
            accepted = mend_outage(record, self.host, self.heartbeat.last(), now)
            outcome = Outcome(accepted, self._commit(accepted)) if accepted is not None else None
            self.heartbeat.beat(now)
            return outcome

    def on_time(self) -> tuple[Outcome, ...]:
        """Record everything that the clock makes due now: what a pause held up, defaults, burns."""
        done: list[Outcome] = []
        with self.at_work() as record:
            self._check_clock(record)
            now = self.clock()
            while (accepted := next_act(self._now(), self.host, now)) is not None:
                done.append(Outcome(accepted, self._commit(accepted)))
        return tuple(done)

    # --- who is told --------------------------------------------------------------------------------------

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats of the match."""
        with self.at_work() as record:
            return record.seats

    def where(self, letter: str) -> str:
        """Where a letter lies."""
        return str(self.folder.outbox.path(letter))

    def wishes(self) -> dict[Seat, tuple[int, ...]]:
        """When each seat that has said so is reminded."""
        return ReminderNotes(self.folder.host).read()

    def wish(self, seat: Seat, hours: Sequence[int]) -> None:
        """Change when a seat is reminded."""
        ReminderNotes(self.folder.host).write(seat, hours)

    # --- looking ------------------------------------------------------------------------------------------

    def status(self) -> JsonObject:
        """The status, with what only the host's folder knows: consents that wait, letters not sent."""
        with self.at_work() as record:
            status = status_of(record, self.clock())
            status["consents"] = self._consents.waiting(record)
            status["mail"] = last_file(self.folder.inbox)
            status["outbox"] = {
                "folder": str(self.folder.outbox.folder),
                "unsent": list(self.folder.outbox.unsent()),
            }
            return status


def _join(raw: bytes) -> Message:
    message = read_message(raw)
    if message.kind != "join":
        raise UsageProblem(f"expected the join of the new player, found a {message.kind}")
    return message


def _b64(data: bytes) -> str:
    from pbem.crypto.digest import b64

    return b64(data)
