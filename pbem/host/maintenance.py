"""Maintenance: the host says that nobody's time runs for a while, in any of their matches (schemas/README.md §10.7).

It is an outage that is announced. Everybody is written to, and whoever is awaited gets that time by an ``extend``: at
once if asked before it began, or if the time would be up in it; else when it is over, if still awaited. So
time that somebody does not need brings no second email. Files are ruled on all the while; what only time makes
due waits. Maintenance ends by itself, or by a person's word.
"""

from __future__ import annotations

from typing import Final

from pbem.host.match import MatchHost
from pbem.host.store import KeyValueStore, Outage, Outcome
from pbem.protocol.record import Record
from pbem.protocol.record.takeover import asked_at, awaited_seats, overdue_from

_KEY: Final = "maintenance"
"""What it is remembered under."""


class Maintenance:
    """The newest maintenance of a host, by what is remembered of it."""

    def __init__(self, memory: KeyValueStore) -> None:
        self._memory = memory

    def span(self) -> Outage | None:
        """From when until when it is, or was; None if there never was one."""
        words = self._memory.get(_KEY).split()
        return Outage(*words) if len(words) == 2 else None

    def set(self, since: str, until: str) -> None:
        """There is one."""
        self._memory.set(_KEY, f"{since} {until}")

    def begin(self, now: str, until: str) -> Outage:
        """One that begins now; one that is running lasts at least as long as it did."""
        span = self.running(now)
        outage = Outage(now, until) if span is None else Outage(span.since, max(span.until, until))
        self.set(outage.since, outage.until)
        return outage

    def end(self, now: str) -> bool:
        """It is over now; whether there was one."""
        span = self.running(now)
        if span is not None:
            self.set(span.since, now)
        return span is not None

    def running(self, now: str) -> Outage | None:
        """The maintenance that this moment lies in."""
        span = self.span()
        return span if span is not None and span.since <= now < span.until else None

    def swallow(self, outage: Outage) -> Outage | None:
        """What of an outage was no maintenance; one that began in maintenance makes that longer by all it lasted."""
        span = self.span()
        if span is None or span.until <= outage.since or outage.until <= span.since:
            return outage
        self.set(span.since, max(span.until, outage.until))
        return Outage(outage.since, span.since) if outage.since < span.since else None

    def extend_awaited(self, host: MatchHost, record: Record, now: str, name: str) -> Outcome | None:
        """Give whoever is awaited in a match the time of the maintenance that they have not got yet.

        None if there is nothing to give. ``name`` is the match's: what was given is remembered under it.
        """
        span = self.span()
        ledger = record.as_of(max(now, record.head.at)).ledger
        seats = awaited_seats(ledger)
        if span is None or not seats:
            return None
        asked_time, memory_key = asked_at(ledger), f"{_KEY}/{name}"
        given_for, _, given_until = self._memory.get(memory_key).partition(" ")
        since = max(span.since, asked_time, given_until if given_for == str(ledger.asked) else "")
        if since >= span.until:  # all of it was given already
            return None
        if asked_time > span.since and now < span.until and _lasts(record, span.until):
            return None  # the caller may not need it
        outcome = host.give_time(since, span.until)
        if outcome is not None:
            self._memory.set(memory_key, f"{ledger.asked} {span.until}")
        return outcome


def _lasts(record: Record, until: str) -> bool:
    """Whether the time of nobody who is awaited is up before then."""
    ledger = record.ledger
    return all((overdue_from(ledger, seat) or until) >= until for seat in awaited_seats(ledger))
