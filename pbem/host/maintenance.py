"""A rest: the host says that nobody's time runs for a while, in any of his matches (schemas/README.md §10.7).

It is an outage that is announced. Everybody is written to, and whoever is awaited gets that time by an ``extend``: at
once if he was asked before the rest, or if his time would be up in it; else when it is over, if he is still awaited. So
time that somebody does not need brings him no second letter. Files are ruled on all the while; what only time makes
due waits. The rest ends by itself, or by a person's word.
"""

from __future__ import annotations

from typing import Final

from pbem.host.match import MatchHost
from pbem.host.outage import Outage
from pbem.host.store import KeyValueStore, Outcome
from pbem.protocol.record import Record
from pbem.protocol.record.takeover import asked_at, awaited_seats, overdue_from

_REST: Final = "rest"


class Rest:
    """The newest rest of a host, by what he remembers."""

    def __init__(self, memory: KeyValueStore) -> None:
        self._memory = memory

    def span(self) -> Outage | None:
        """From when until when it is, or was; None if there never was one."""
        words = self._memory.get(_REST).split()
        return Outage(*words) if len(words) == 2 else None

    def set(self, since: str, until: str) -> None:
        """There is one."""
        self._memory.set(_REST, f"{since} {until}")

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
        """The rest that this moment lies in."""
        span = self.span()
        return span if span is not None and span.since <= now < span.until else None

    def swallow(self, outage: Outage) -> Outage | None:
        """What of an outage was no rest. One that began in the rest makes it longer: the whole of it is one rest."""
        span = self.span()
        if span is None or span.until <= outage.since or outage.until <= span.since:
            return outage
        self.set(span.since, max(span.until, outage.until))
        return Outage(outage.since, span.since) if outage.since < span.since else None

    def give(self, host: MatchHost, record: Record, now: str, name: str) -> Outcome | None:
        """Give whoever is awaited in a match the time of the rest that he has not got yet; None if nothing is to give.

        ``name`` is the match's: what was given is remembered under it.
        """
        span = self.span()
        ledger = record.as_of(max(now, record.head.at)).ledger
        seats = awaited_seats(ledger)
        if span is None or not seats:
            return None
        asked, noted = asked_at(ledger), f"{_REST}/{name}"
        number, _, given = self._memory.get(noted).partition(" ")
        since = max(span.since, asked, given if number == str(ledger.asked) else "")
        waits = asked > span.since and now < span.until
        if since >= span.until or (waits and _lasts(record, span.until)):
            return None
        outcome = host.give_time(since, span.until)
        if outcome is not None:
            self._memory.set(noted, f"{ledger.asked} {span.until}")
        return outcome


def _lasts(record: Record, until: str) -> bool:
    """Whether the time of nobody who is awaited is up before then."""
    ledger = record.ledger
    return all((overdue_from(ledger, seat) or until) >= until for seat in awaited_seats(ledger))
