"""Time in the service: what a clock makes due, reminders, outages (schemas/README.md §10).

Each thing is one transaction: the records, the letters about them, and that it is done. So a crash at any point
loses nothing and does nothing twice. What is due follows from the record; ``wake`` in the database only says when to
look again.

A round that reached the mail servers **beats**: it notes the time. A gap of more than ``PATIENCE`` minutes between two
beats is an outage: every match is marked in the transaction that notes the new beat, and has its time given back
before anything else is done with it. With a clock that went back or jumped ahead nothing is done at all. A process that
ran all the time knows that no outage was: it does not believe a clock that was moved ahead for as long as an outage
lasts at least, so whoever sets it right within that time finds nothing signed. A clock that was believed and is set
back stays suspect until a person has spoken: records never go back, so a match keeps the time of its last record until
the clock has come there.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import Enum
from typing import Final

from pbem import referee
from pbem.crypto.digest import b64
from pbem.errors import StoreError
from pbem.game import Seat
from pbem.host.on_time import next_act
from pbem.host.outage import LIMIT, MOST, PATIENCE, is_behind, outage_of, refuse
from pbem.host.reminders import USUAL, Reminder, Wishes, reminder_moments, reminders_due
from pbem.host.service.alarms import program_fault
from pbem.host.service.books import DatabaseBooks
from pbem.host.service.letters import Letterbox
from pbem.host.service.office import Office
from pbem.host.service.send import RELEASED
from pbem.record import Record
from pbem.record.deadlines import clock_jumped, format_time, parse_time, plus_hours
from pbem.record.takeover import lost_link_overdue
from pbem.record.waiting import awaited_seats, overdue_from
from pbem.referee import Accepted
from pbem.sentences import sentence
from pbem.store.database import Transaction
from pbem.store.database_mail import InboxRows, MailNotes, OutboxRows
from pbem.store.database_matches import Matches, MatchRow
from pbem.store.database_times import Times

BEAT: Final = "heartbeat"
LEASE: Final = 60
"""Seconds for which the mailbox is one process's own."""
_EVERY: Final = 15
"""Seconds between two beats that are written down."""
_HOURLY: Final = 1
"""Every match that runs is looked at at least once in so many hours."""


class ClockAnswer(Enum):
    """What it means that the clock is right."""

    NO_OUTAGE = "There was no outage."
    OUTAGE = "Every match has that time given back."
    WAS_AHEAD = "It was ahead. A match keeps the time of its last record until the clock has come there."


class Timekeeper:
    """Keeps the time of all matches of a service."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self._trusted: tuple[datetime, float] | None = None
        """When a clock was last believed by this process, by both clocks."""

    # --- the clock ----------------------------------------------------------------------------------------

    def check(self, limit: int = LIMIT) -> None:
        """Refuse to work with a clock that went back or jumped ahead.

        Raises:
            ClockProblem: nothing may be processed.
        """
        with self._office.database.transaction() as transaction:
            last = MailNotes(transaction).get(BEAT)
        self._check(last, self._office.now(), limit)

    def _check(self, last: str, now: str, limit: int) -> None:
        refuse((clock_jumped(last, now, limit) if last else "") or self._moved_ahead(last), "go-on")

    def _moved_ahead(self, last: str) -> str:
        """Why what looks like an outage is none, in words: this process ran on, and the clock did more than that."""
        now, ran = self._office.clock(), self._office.elapsed()
        before, ran_before = self._trusted or (now, ran)
        patience = timedelta(minutes=PATIENCE)
        really = timedelta(seconds=ran - ran_before)
        away = outage_of(last or None, format_time(now)) is not None
        if away and really < patience < now - before - really:
            return sentence(
                "the clock was moved from {before} to {now} while this program ran; in an hour it is believed",
                before=format_time(before + really),
                now=format_time(now),
            )
        self._trusted = now, ran
        return ""

    def clock_is_right(self) -> ClockAnswer:
        """A person has looked at the clock: the time since the last beat was an outage, or the clock was ahead."""
        office = self._office
        self._trusted = None
        with office.database.transaction() as transaction:
            notes, now = MailNotes(transaction), office.now()
            if is_behind(notes.locked(BEAT), now):
                notes.set(BEAT, now)
                if notes.get(RELEASED) > now:
                    notes.set(RELEASED, now)
                notes.shorten(office.later(LEASE))
                Times(transaction).set_back(now)
                OutboxRows(transaction).set_back(now)
                return ClockAnswer.WAS_AHEAD
        self.check(MOST)
        return ClockAnswer.OUTAGE if self.mark_outage() else ClockAnswer.NO_OUTAGE

    # --- outages ------------------------------------------------------------------------------------------

    def away(self) -> bool:
        """Whether the host has just come back from an outage that is not dealt with yet."""
        office = self._office
        with office.database.transaction() as transaction:
            return outage_of(MailNotes(transaction).get(BEAT) or None, office.now()) is not None

    def mark_outage(self) -> bool:
        """If there was an outage, mark every match as one that lost time, and beat; whether there was one."""
        office = self._office
        with office.database.transaction() as transaction:
            notes, now = MailNotes(transaction), office.now()
            found = outage_of(notes.locked(BEAT) or None, now)
            if found is None:
                return False
            Times(transaction).lose(found.since, found.until)
            notes.set(BEAT, now)
            told = sentence(
                "nobody could be reached from {since} to {until}: all deadlines move by that",
                since=found.since,
                until=found.until,
            )
            Letterbox(office, transaction).tell_operator("outage", told)
            office.steps("outage")
        office.steps("outage-marked")
        return True

    def mend_one(self) -> bool:
        """Give one match the time of the outage back; False if none waits for it."""
        office = self._office
        with office.database.transaction() as transaction:
            times = Times(transaction)
            match = times.claim_lost()
            lost = times.row(match.game).lost if match is not None else None
            if match is None or lost is None:
                return False
            books = DatabaseBooks(office, transaction, match)
            done = None if books.record.over else self._after(books.record, lost)
            if done is not None:
                books.host().commit(done)
            times.give_back(match.game)
            office.steps("mending")
        office.steps("mended")
        books.keep()
        return True

    def _after(self, record: Record, lost: tuple[str, str]) -> Accepted | None:
        begin, end = lost
        now = max(self._office.now(), end)
        return (
            referee.after_outage(record, self._office.host, begin, end, now) if end > record.head.at else None
        )

    def beat(self) -> None:
        """Note that this round reached everybody; not more often than needed."""
        office = self._office
        with office.database.transaction() as transaction:
            notes, now = MailNotes(transaction), office.now()
            last = notes.get(BEAT)
            if not last or parse_time(now) - parse_time(last) >= timedelta(seconds=_EVERY):
                notes.set(BEAT, now)

    # --- what is due --------------------------------------------------------------------------------------

    def act_one(self) -> bool:
        """One thing that time makes due, in one match; False if nothing is.

        Mail comes first: what is not sorted yet, or waits for the match, may be the answer that is missed.
        """
        office = self._office
        match: MatchRow | None = None
        try:
            with office.database.transaction() as transaction:
                if InboxRows(transaction).unsorted():
                    return False
                match = Times(transaction).claim_due(office.now())
                if match is None:
                    return False
                books = DatabaseBooks(office, transaction, match)
                record = books.record
                done = next_act(record, office.host, office.now(), _newcomers(transaction, match, record))
                if done is not None:
                    books.host().commit(done)
                else:
                    self._remind(transaction, record)
                office.steps("timing")
        except StoreError:
            raise
        except Exception as fault:  # a fault of this program must not stop the others' matches
            if match is None:
                raise
            self._give_up(match, fault)
            return True
        office.steps("timed")
        books.keep()
        return True

    def _give_up(self, match: MatchRow, fault: Exception) -> None:
        office = self._office
        with office.database.transaction() as transaction:
            Times(transaction).look_again(match.game, plus_hours(office.now(), _HOURLY))
            told = sentence("match {short}: {fault}", short=match.short, fault=program_fault(fault))
            Letterbox(office, transaction).tell_operator("program-fault", told, match.game)

    def _remind(self, transaction: Transaction, record: Record) -> None:
        """Write the reminders that came up since the last look, each seat's newest, and say when to look again."""
        times, now, game = Times(transaction), self._office.now(), b64(record.game)
        wishes = {Seat(seat): hours for seat, hours in times.wishes(game).items()}
        since = times.row(game).reminded or record.lines[0].at
        newest: dict[Seat, Reminder] = {one.seat: one for one in reminders_due(record, wishes, since, now)}
        for reminder in newest.values():
            Letterbox(self._office, transaction).reminder(record.as_of(now), reminder)
        times.look_again(game, next_look(record, wishes, now), max(since, now))


def _newcomers(transaction: Transaction, match: MatchRow, record: Record) -> dict[Seat, bytes]:
    """The joins of newcomers that have come for seats which are proposed for somebody else."""
    proposals = record.ledger.proposals
    if not proposals:
        return {}
    rows = Matches(transaction).seats(match.game)
    return {seat: pending for seat in proposals if (pending := rows[str(seat)].pending) is not None}


def next_look(record: Record, wishes: Wishes, now: str) -> str:
    """When something may be due in a match of which nobody hears anything; an hour from now at the latest."""
    at = max(now, record.head.at)
    ledger = record.as_of(at).ledger
    moments = [plus_hours(now, _HOURLY)]
    if ledger.paused is not None:
        moments.append(ledger.paused.body["what"].get("until", ""))
    moments += [proposal.until for proposal in ledger.proposals.values()]
    for seat in awaited_seats(ledger):
        moments.append(lost_link_overdue(ledger, seat) or "")
        moments.append(overdue_from(ledger, seat) or "")
        moments += reminder_moments(ledger, seat, wishes.get(seat, USUAL))
    return min(moment for moment in moments if moment > now)
