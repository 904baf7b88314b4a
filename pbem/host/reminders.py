"""Reminders: when whoever is awaited is reminded, and how a seat tunes that.

A seat's wish is a list of hours before its time is up: ``[24, 0]`` is a day before and at the moment itself, a number
below 0 is after it (in the grace), an empty list is silence. Wishes are the host's notes, not the match's: they stand
in the store. Nothing here reads a clock; a caller asks what came up in a span of time, so a reminder is due in exactly
one of the spans that follow each other.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Final

from pbem.base.errors import UsageProblem
from pbem.base.sentences import joined, sentence
from pbem.base.values import dataclass
from pbem.game import Seat
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import format_time, parse_time, plus_hours
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.takeover import answer_by, asked_at, awaited_seats, lost_link_overdue, overdue_from

USUAL: Final = (24, 0)
"""Hours before the time is up, for who has not said otherwise."""
HOURLY: Final = 1
"""Every match that runs is looked at at least once in so many hours."""
_MOST: Final = 10
_WIDEST: Final = 24 * 31

Wishes = Mapping[Seat, Sequence[int]]


@dataclass(frozen=True, slots=True, order=True)
class Reminder:
    """At ``moment``, ``seat`` is reminded: its answer is due at ``due``; a default is possible from ``limit`` on."""

    moment: str
    seat: Seat
    due: str
    limit: str


def reminders_due(record: Record, wishes: Wishes, since: str, until: str) -> list[Reminder]:
    """The reminders of moments after ``since`` and not after ``until``, oldest first.

    A seat that is silent or has resigned is not reminded, nor is anybody in a pause, nor of what it was asked after
    the moment would have been.
    """
    reminders: set[Reminder] = set()
    for moment in (since, until):  # a period that an excused miss began may lie in between
        now = record.as_of(max(moment, record.head.at))
        ledger = now.ledger
        if now.over or ledger.paused is not None or ledger.due is None:
            continue
        asked = asked_at(ledger)
        for seat in awaited_seats(ledger):
            if seat not in ledger.silent and seat not in ledger.resigned:
                reminders.update(_of(ledger, seat, wishes.get(seat, USUAL), max(since, asked), until))
    return sorted(reminders)


def _of(ledger: Ledger, seat: Seat, hours: Sequence[int], since: str, until: str) -> list[Reminder]:
    due = ledger.due or answer_by(ledger, seat, ledger.head.at)
    limit = overdue_from(ledger, seat) or due
    moments = reminder_moments(ledger, seat, hours)
    return [Reminder(moment, seat, due, limit) for moment in moments if since < moment <= until]


def reminder_moments(ledger: Ledger, seat: Seat, hours: Sequence[int]) -> list[str]:
    """When an awaited seat with this wish is reminded, past moments too."""
    due = ledger.due or answer_by(ledger, seat, ledger.head.at)
    return [format_time(parse_time(due) - timedelta(hours=count)) for count in hours]


def next_look(record: Record, wishes: Wishes, now: str) -> str:
    """When something may be due in a match of which nobody hears anything; an hour from now at the latest."""
    at = max(now, record.head.at)
    ledger = record.as_of(at).ledger
    moments = [plus_hours(now, HOURLY), record.head.at]
    if ledger.paused is not None:
        moments.append(ledger.paused.until)
    moments += [proposal.until for proposal in ledger.proposals.values()]
    for seat in awaited_seats(ledger):
        moments.append(lost_link_overdue(ledger, seat) or "")
        moments.append(overdue_from(ledger, seat) or "")
        moments += reminder_moments(ledger, seat, wishes.get(seat, USUAL))
    return min(moment for moment in moments if moment > now)


def read_wish(words: Sequence[str]) -> tuple[int, ...]:
    """A wish as a person types it: ``48 24 0``, ``usual``, or ``never``.

    Raises:
        UsageProblem: it is something else.
    """
    text = " ".join(words).replace(",", " ").lower().split()
    if text == ["usual"]:
        return USUAL
    if text in (["never"], ["off"], ["none"]):
        return ()
    if not text or len(text) > _MOST or not all(re.fullmatch(r"-?[0-9]{1,3}h?", word) for word in text):
        raise UsageProblem(
            sentence(
                "expected hours before the time is up (48 24 0), usual or never; found {words!r}",
                words=" ".join(words),
            ),
            hint=sentence("A number below 0 means after it."),
        )
    wish = sorted({int(word.rstrip("h")) for word in text}, reverse=True)
    if any(abs(hours) > _WIDEST for hours in wish):
        raise UsageProblem(
            sentence("a reminder comes at most {hours} hours before or after the time", hours=_WIDEST)
        )
    return tuple(wish)


def words_of_wish(hours: Sequence[int]) -> str:
    """A wish in words."""
    return joined(map(_hour_words, hours), ", ") if hours else sentence("never reminded")


def _hour_words(hours: int) -> str:
    if hours > 0:
        return sentence("{hours} h before", hours=hours)
    return sentence("{hours} h after", hours=-hours) if hours < 0 else sentence("when the time is up")
