"""Time in the service: what a clock makes due, reminders, outages (schemas/README.md §10).

Each thing is one transaction: the records, the emails about them, and that it is done. So a crash at any point
loses nothing and does nothing twice. What is due follows from the record; ``wake`` in the database only says when to
look again.

A round that reached the mail servers **beats**: it notes the time. A gap of more than ``PATIENCE`` minutes between two
beats is an outage: every match is marked in the transaction that notes the new beat, and has its time given back
before anything else is done with it. With a clock that went back or jumped ahead nothing is done at all. A process that
ran all the time knows that no outage was: it does not believe a clock that was moved ahead for as long as an outage
lasts at least, so whoever sets it right within that time finds nothing signed. After a smaller step ahead work goes on,
but for that hour nobody's time is up by it: what is due is due by both clocks. A clock that was believed and is set
back stays suspect until a person has spoken: records never go back, so a match keeps the time of its last record until
the clock has come there.
"""

from __future__ import annotations

from datetime import timedelta
from enum import Enum
from typing import Final

from pbem.base.errors import StoreError, UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import Seat
from pbem.host.database.database import Transaction
from pbem.host.database.joins import WaitingJoins
from pbem.host.database.mail import InboxRows, OutboxRows
from pbem.host.database.matches import Matches, MatchRow
from pbem.host.database.notes import MailNotes
from pbem.host.database.times import Times
from pbem.host.maintenance import Maintenance
from pbem.host.reminders import HOURLY, next_look
from pbem.host.service.alarms import program_fault
from pbem.host.service.context import ServiceContext
from pbem.host.service.letters import Letterbox
from pbem.host.service.send import RELEASED
from pbem.host.service.store import DatabaseStore
from pbem.host.store import LIMIT, MOST, PATIENCE, Answered, Heartbeat, Outage, outage_of, refuse
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import format_time, parse_time, plus_hours

_EVERY: Final = 15
"""Seconds between two beats that are written down."""
_PATIENT: Final = timedelta(minutes=PATIENCE)
_SLACK: Final = timedelta(seconds=120)
"""What a clock that is kept right may be moved by at once."""


class ClockAnswer(Enum):
    """What it means that the clock is right."""

    NO_OUTAGE = sentence("There was no outage.")
    OUTAGE = sentence("Every match has that time given back.")
    WAS_AHEAD = sentence(
        "It was ahead. A match keeps the time of its last record until the clock has come there."
    )


@dataclass(frozen=True, slots=True)
class ClockStep:
    """A clock that was moved ahead ``by`` so much, and that in words; nothing, if it was not."""

    by: timedelta = timedelta()
    words: str = ""


class Steady:
    """The clock of the machine beside one that nobody sets: what it did more than that, for an hour.

    After that hour it is believed: a machine that was halted looks the same, or it is right now and was not before.
    """

    def __init__(self, context: ServiceContext) -> None:
        self._context = context
        self.believe()

    def believe(self) -> None:
        """What the clock says now is right."""
        self._anchor = self._context.clock(), self._context.elapsed()
        self._since: tuple[bool, float] | None = None
        """Whether the clock had been moved ahead, and when that was first seen."""

    def look(self) -> ClockStep:
        """By how much the clock was moved ahead within the hour."""
        now, ran = self._context.clock(), self._context.elapsed()
        before, ran_before = self._anchor
        right = before + timedelta(seconds=ran - ran_before)
        if abs(now - right) <= _SLACK:
            if ran - ran_before >= _PATIENT.total_seconds():
                self.believe()  # clocks that are kept right are slowly moved all the time
            self._since = None
            return ClockStep()
        ahead = now > right
        if self._since is None or self._since[0] is not ahead:
            self._since = ahead, ran
        if ran - self._since[1] >= _PATIENT.total_seconds():
            self.believe()
            return ClockStep()
        if not ahead:  # whoever sets it right again has moved nothing ahead
            return ClockStep()
        words = sentence(
            "the clock was moved from {before} to {now} while this program ran; in an hour it is believed",
            before=format_time(right),
            now=format_time(now),
        )
        return ClockStep(now - right, words)


class Timekeeper:
    """Keeps the time of all matches of a service."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context
        self._steady = Steady(context)
        self._last: str | None = None
        """When the service beat last, by the newest look; None before the first."""
        self.more = True
        """Whether there was more to do behind the last match that was looked at."""

    def check(self, limit: int = LIMIT) -> None:
        """Refuse to work with a clock that went back or jumped ahead.

        Raises:
            ClockProblem: nothing may be processed.
        """
        with self._context.database.transaction() as transaction:
            fault = self.look(transaction, limit)
        refuse(fault, "go-on")

    def look(self, transaction: Transaction, limit: int = LIMIT) -> str:
        """Why the clock is not to be believed, in words; empty if it is. It notes when the service beat last."""
        beat = Heartbeat(MailNotes(transaction))
        self._last = beat.last()
        shift, now = self._steady.look(), self._context.now()
        moved = shift.words if shift.by > _PATIENT and outage_of(self._last or None, now) is not None else ""
        return beat.fault(now, limit) or moved

    def moved(self) -> str:
        """That the clock was moved ahead a little, in words; empty if it was not. Work goes on meanwhile."""
        return self._steady.look().words

    def certain(self) -> str:
        """What the clock would say if nobody had moved it within the hour: by it time is up, and the service beats."""
        return format_time(self._context.clock() - self._steady.look().by)

    def clock_is_right(self) -> ClockAnswer:
        """A person has looked at the clock: the time since the last beat was an outage, or the clock was ahead."""
        context = self._context
        self._steady.believe()
        with context.database.transaction() as transaction:
            notes, now = MailNotes(transaction), context.now()
            self._last = None
            if Heartbeat(notes).set_back(now):
                if notes.get(RELEASED) > now:
                    notes.set(RELEASED, now)
                notes.shorten(context.later(context.limits.lease))
                Times(transaction).set_back(now)
                OutboxRows(transaction).set_back(now)
                return ClockAnswer.WAS_AHEAD
        self.check(MOST)
        return ClockAnswer.OUTAGE if self.mark_outage() else ClockAnswer.NO_OUTAGE

    def away(self) -> bool:
        """Whether the host has just come back from an outage that is not dealt with yet."""
        if self._last is None:
            with self._context.database.reading() as transaction:
                self._last = Heartbeat(MailNotes(transaction)).last()
        return outage_of(self._last or None, self.certain()) is not None

    def mark_outage(self) -> bool:
        """If there was an outage, mark every match as one that lost time, and beat; whether there was one."""
        context = self._context
        with context.database.transaction() as transaction:
            beat, now = Heartbeat(MailNotes(transaction)), self.certain()
            outage = beat.outage(now, locked=True)
            if outage is None:
                self._last = beat.last()
                return False
            lost = Maintenance(MailNotes(transaction)).swallow(outage)
            if lost is not None:
                Times(transaction).lose(lost.since, lost.until)
            beat.beat(now)
            self._last = now
            text = sentence(
                "nobody could be reached from {since} to {until}: all deadlines move by that",
                since=outage.since,
                until=outage.until,
            )
            Letterbox(context, transaction).notify_operator("outage", text)
            context.steps("outage")
        context.steps("outage-marked")
        return True

    def repair_one(self) -> bool:
        """Give one match the time of the outage back; False if none waits for it."""
        context = self._context
        with context.database.transaction() as transaction:
            times = Times(transaction)
            match = times.claim_lost()
            lost = times.row(match.game).lost if match is not None else None
            if match is None or lost is None:
                return False
            store = DatabaseStore(context, transaction, match)
            if not store.record.over and lost[1] > store.record.head.at:
                store.host().give_back(*lost)
            times.give_back(match.game)
            context.steps("mending")
        context.steps("mended")
        store.keep()
        return True

    def beat(self) -> None:
        """Note that this round reached everybody; not more often than needed."""
        now, last = self.certain(), self._last or ""
        if last and plus_seconds(last, _EVERY) > now >= last:
            return
        with self._context.database.transaction() as transaction:
            Heartbeat(MailNotes(transaction)).beat(now, _EVERY)
            self._last = now

    def begin_maintenance(self, until: str) -> Outage:
        """From now on until then nobody's time runs; everybody is written to. What is running then."""
        self.check()
        with self._context.database.transaction() as transaction:
            now = self._context.now()
            if until <= now:
                raise UsageProblem(sentence("{until} has passed already", until=until))
            outage = Maintenance(MailNotes(transaction)).begin(now, until)
            Times(transaction).look_at_all()
            words = sentence("the host is away, nobody's time runs")
            self._announce(transaction, f"{outage.since}/{outage.until}", words, outage.until)
        return outage

    def go_on(self) -> bool:
        """Maintenance is over; everybody is written to. Whether there was one."""
        with self._context.database.transaction() as transaction:
            now = self._context.now()
            if not Maintenance(MailNotes(transaction)).end(now):
                return False
            Times(transaction).look_at_all()
            self._announce(transaction, f"{now}/over", sentence("time runs again"), "")
        return True

    def maintenance(self) -> Outage | None:
        """The one that is running."""
        with self._context.database.reading() as transaction:
            return Maintenance(MailNotes(transaction)).running(self._context.now())

    def _announce(self, transaction: Transaction, name: str, words: str, until: str) -> None:
        """One email to each person, in how many matches they may play."""
        letters = Letterbox(self._context, transaction)
        for address in Matches(transaction).everybody():
            letters.answer(address, "rest", name, Answered(), words, until=until)

    def act_one(self, now: str) -> bool:
        """One thing that is due at the time ``now``, in one match; False if nothing is.

        Mail comes first: what is not sorted yet, or waits for the match, may be the answer that is missed.
        """
        context = self._context
        match: MatchRow | None = None
        try:
            with context.database.transaction() as transaction:
                if InboxRows(transaction).unsorted():
                    return False
                times = Times(transaction)
                match = times.claim_due(now)
                if match is None:
                    return False
                store = DatabaseStore(context, transaction, match)
                host = store.host(now)
                maintenance = Maintenance(MailNotes(transaction))
                given = maintenance.extend_awaited(host, store.record, now, match.game)
                running = maintenance.running(now)
                if given is None and running is not None:
                    times.look_again(match.game, min(running.until, plus_hours(now, HOURLY)))
                elif given is None and host.on_time(_newcomers(transaction, match, store.record)) is None:
                    times.look_again(match.game, next_look(store.record, store.wishes(), now))
                self.more = times.due(now)
                context.steps("timing")
        except StoreError:
            raise
        except Exception as fault:  # a fault of this program must not stop the others' matches
            if match is None:
                raise
            self._give_up(match, fault)
            self.more = True
            return True
        context.steps("timed")
        store.keep()
        return True

    def _give_up(self, match: MatchRow, fault: Exception) -> None:
        context = self._context
        with context.database.transaction() as transaction:
            Times(transaction).look_again(match.game, plus_hours(context.now(), HOURLY))
            text = sentence("match {short}: {fault}", short=match.short, fault=program_fault(fault))
            Letterbox(context, transaction).notify_operator("program-fault", text, match.game)


def plus_seconds(moment: str, seconds: int) -> str:
    """A time so many seconds later."""
    return format_time(parse_time(moment) + timedelta(seconds=seconds))


def _newcomers(transaction: Transaction, match: MatchRow, record: Record) -> dict[Seat, bytes]:
    """The joins of newcomers that have come for seats which are proposed for somebody else."""
    joins = WaitingJoins(transaction)
    return {
        seat: join.file
        for seat, proposal in record.ledger.proposals.items()
        for join in joins.of(match.game, seat)
        if join.key == proposal.what.get("newcomer")
    }
