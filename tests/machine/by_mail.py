"""One match at a service that runs on mail in memory, beside the referee alone: after every step both say the same.

What people send goes by mail; the service keeps its database, its clock and its emails as in earnest, and is started
again in between, also in the middle of its work. The referee alone is given the same files at the same times.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Collection
from contextlib import suppress
from email.message import EmailMessage
from pathlib import Path

from pbem.base.errors import FormatError, RefusedError
from pbem.game import Seat
from pbem.host.acts import next_act
from pbem.host.database.mail import QUEUED, SENDING
from pbem.host.database.notes import MailNotes
from pbem.host.service.service import Done
from pbem.protocol.formats.messages import Message, message_of, read_message
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import parse_time, plus_hours
from pbem.protocol.record.line import read_line
from pbem.protocol.referee import Accepted, Refused, Ruling, after_outage
from tests.machine.match import Act, Broken, Match, unbroken
from tests.machine.settings import BEGUN
from tests.service.fakes import HOST, FakeClock, FakeMail, fake_service
from tests.service.people import lines_in, parse
from tests.world import World

BY_THE_HOUR = 100
"""Hours that pass while the service runs; when more pass it was away, and gives the lost time back."""
STEP = 6.0
"""Hours from one look at a running service to the next; it has beaten in between."""
LONGEST_AWAY = 24 * 30
TROUBLES = frozenset(
    {"program-fault", "mail-that-broke", "copies-do-not-hold", "lost-match", "suspended", "brake"}
)
"""What an operator is never shown in a sound match."""
ENDS = ("", "sorted", "ruled", "committed", "kept", "timing", "taken", "keeping", "marking-sent", "moved")
"""Where the service ends the next time it comes there; once, nowhere."""


BY_MAIL = tuple(how for how in BEGUN if how != "fresh")
"""Where its walks begin: a join by mail needs the word of an invitation, so all seats are taken."""


class Died(BaseException):
    """The service's process ends here."""


class ByMail(Match):
    """A match at the service. Its own record is that of the referee alone, and comes from nothing but files."""

    alone = True
    exits = False
    restart_every = 4
    """After so many mails the service is started again, whatever comes."""

    def __init__(self, world: World, without: Collection[str] = (), likely: Collection[str] = ()) -> None:
        super().__init__(world, without, likely)
        self._folder = tempfile.TemporaryDirectory()
        self.mail, self.clock = FakeMail(), FakeClock()
        self._refused: set[bytes] = set()
        self._mails = 0
        self._read = 0
        self._kill = ""
        self.copies = {self._address(seat): self.reader.fork() for seat in self.record.seats}
        """What each player has, from emails alone."""
        self._start()
        self.short = self.service.matches.bring_back(self.record.lines, self.record)
        self._round()
        self._due()
        self._compare("the service has the match")

    # --- the service ----------------------------------------------------------------------------------------

    def _start(self) -> None:
        self.service = fake_service(
            Path(self._folder.name), self.mail, self.clock, host=self.host, steps=self._step
        )

    def _step(self, name: str) -> None:
        if name == self._kill:
            self._kill = ""
            raise Died

    def _round(self) -> None:
        """The service works until there is nothing left; then both must stand alike."""
        for _ in range(4):
            try:
                with unbroken("the service works"):
                    done: Done = self.service.run_once()
            except Died:
                self._again()
                continue
            if done.troubles:
                raise Broken(f"the service is in trouble: {done.troubles}")
            if not done.anything:
                break
        self._deliver()

    def _again(self) -> None:
        self.service.close()
        self._start()

    def close(self) -> None:
        """Nothing more happens: every mail is dealt with, and no email was sent twice."""
        left = [state for state in self._states(1000) if not state.startswith(("done", "quarantined"))]
        if left:
            raise Broken(f"a mail was left lying: {left}")
        names = Counter(parse(raw)["Message-ID"] for _, raw in self.mail.delivered)
        if any(count > 1 for count in names.values()):
            raise Broken("a letter was sent twice")
        self.service.close()
        self._folder.cleanup()

    # --- what happens to it -----------------------------------------------------------------------------------

    def send_raw(self, raw: bytes) -> Ruling:
        """A file arrives by mail, and the referee alone is given it at the same time."""
        self._catch_up()
        if self._mails % self.restart_every == self.restart_every - 1:
            self._again()
        self.mail.arrive(self._mail(raw))
        self._round()
        ruling = self._alone(raw)
        self._compare("a file came")
        return ruling

    def act(self, name: str, act: Act) -> str:
        """The operator does something at their service, and the referee alone does it too."""
        self._catch_up()
        mine = self._try(act)
        reason, said = mine if isinstance(mine, str) else "", self._operate(act)
        if said != reason:
            raise Broken(f"{name}: the referee alone says {reason!r}, the service {said!r}")
        if not isinstance(mine, Accepted):
            return reason
        self._take(mine)
        self._round()
        self._due()
        self._compare(name)
        return ""

    def restart(self) -> None:
        """The service ends, in order or in the middle of what it does next, and is started again."""
        self._again()
        self._catch_up()
        self._kill = ENDS[len(self.raws) % len(ENDS)]

    # --- the referee alone -------------------------------------------------------------------------------------

    def _alone(self, raw: bytes) -> Ruling:
        """A file that was refused once stays refused; every other one is ruled on."""
        try:
            message: Message | None = read_message(raw)
        except FormatError:
            message = None
        if message is not None and message.hash in self._refused:
            return Refused("again", "it was refused before")
        ruling = super().send_raw(raw)
        if message is not None and isinstance(ruling, Refused) and ruling.reject is not None:
            self._refused.add(message.hash)
            self.held = [file for file in self.held if message_of(file).hash != message.hash]
        self._due()
        return ruling

    def _due(self) -> None:
        """What time makes due, as the referee alone sees it."""
        while (done := next_act(self.record, self.host, self.world.now)) is not None:
            self._take(done)

    def _try(self, act: Act) -> Accepted | str | None:
        try:
            return act(self.record)
        except RefusedError as error:
            return str(error)

    def _operate(self, act: Act) -> str:
        def once(record: Record, _: str, __: object) -> Accepted:
            done = act(record)
            if done is None:
                raise RefusedError("")
            return done

        try:
            self.service.matches.act(self.short, once)
        except RefusedError as error:
            return str(error)
        return ""

    # --- time ---------------------------------------------------------------------------------------------------

    def _catch_up(self) -> None:
        """The clock moves to where the walk wants it; it never goes back."""
        now = self.service.context.now()
        wanted = min(max(self.world.now, now), plus_hours(now, LONGEST_AWAY))
        hours = (parse_time(wanted) - parse_time(now)).total_seconds() / 3600
        if hours > BY_THE_HOUR:
            self._away(hours)
        while BY_THE_HOUR >= hours > 0:
            self._pass(min(hours, STEP))
            hours -= STEP
        self.clock.tick(60)
        self.world.now = self.service.context.now()

    def _pass(self, hours: float) -> None:
        self.clock.tick(hours * 3600)
        self.world.now = self.service.context.now()
        self.service.time.beat()
        self._round()
        self._due()
        self._compare(f"it is {self.world.now}")

    def _away(self, hours: float) -> None:
        with self.service.context.database.transaction() as transaction:
            beat = MailNotes(transaction).get("heartbeat")
        self.clock.tick(hours * 3600)
        now = self.world.now = self.service.context.now()
        self._round()
        if not self.record.over:
            done = after_outage(self.record, self.host, beat, now, now)
            if done is not None:
                self._take(done)
        self._due()
        self._compare(f"the host was away for {hours:.0f} hours")

    # --- what must hold -----------------------------------------------------------------------------------------

    def _compare(self, when: str) -> None:
        theirs = self.service.matches.lines(self.short)
        if theirs != self.lines:
            alike = sum(1 for first, other in zip(theirs, self.lines, strict=False) if first == other)
            raise Broken(
                f"{when}: the service has {len(theirs)} records and the referee alone {len(self.lines)},"
                f" the first {alike} alike; mails: {self._states()}"
            )
        troubles = [kind for _, kind, _, _ in self._notes() if kind in TROUBLES]
        if troubles:
            raise Broken(f"{when}: the operator is told {self._notes()[0]}")
        for seat in self._awaited(self.record) if self._all_sent() else ():
            copy = self.copies[self._address(seat)]
            if seat not in self._awaited(copy):
                raise Broken(f"{when}: {seat} is awaited, and is not told: has {len(copy.lines)} records")

    @staticmethod
    def _awaited(record: Record) -> list[Seat]:
        if record.over:
            return []
        waiting = record.waiting
        return [Seat(waiting["seat"])] if waiting is not None else list(record.missing_links)

    def _deliver(self) -> None:
        fresh = self.mail.delivered[self._read :]
        self._read = len(self.mail.delivered)
        for address, raw in fresh:
            copy = self.copies.get(address)
            lines = lines_in(raw)
            if copy is None or not lines:
                continue
            first = read_line(lines[0]).seq
            with unbroken(f"{address} reads a letter"):
                copy.extend(lines[len(copy.lines) - first :])

    def _all_sent(self) -> bool:
        counts = self.service.counts()
        return not (counts.get(QUEUED) or counts.get(SENDING))

    def _states(self, most: int = 3) -> list[str]:
        with self.service.context.database.transaction() as transaction:
            rows = transaction.run("SELECT state, reason FROM inbox ORDER BY id DESC LIMIT ?", most)
            return [f"{state}: {reason}" for state, reason in rows]

    def _notes(self) -> list[tuple[str, str, str, str]]:
        with self.service.context.database.transaction() as transaction:
            return list(MailNotes(transaction).newest())

    def _has_seen(self, message: Message) -> None:
        """Whoever says what they have seen has it: walks write files from the whole record, emails bring less."""
        copy = self.copies.get(self._address(message.seat))
        if copy is not None:
            copy.extend(self.lines[len(copy.lines) : message.seen_seq + 1])

    # --- mail -------------------------------------------------------------------------------------------------

    @staticmethod
    def _address(seat: str) -> str:
        return f"{seat}@players.test"

    def _mail(self, raw: bytes) -> bytes:
        seat = "somebody"
        with suppress(FormatError):
            message = read_message(raw)
            seat = message.seat
            self._has_seen(message)
        self._mails += 1
        mail = EmailMessage()
        mail["From"], mail["To"], mail["Subject"] = self._address(seat), HOST, "my turn"
        mail["Message-ID"] = f"<walk.{self._mails}@players.test>"
        mail.set_content("here it is\n")
        mail.add_attachment(raw, maintype="application", subtype="octet-stream", filename="turn.pbem")
        return mail.as_bytes()
