"""What a letter tells its reader's calendar: until when he is awaited, or that it no longer holds.

A seat has one entry a match, under one UID; it moves with the deadline and goes when nobody waits for the seat any
more. A letter speaks of it only where its records changed it, so most letters bring nothing; a reminder says it again,
for a letter that was lost. The number of the entry is that of the letter's newest record, so a later one always counts.
"""

from __future__ import annotations

from pbem.base.language import Language
from pbem.base.values import dataclass
from pbem.game import Seat
from pbem.player.letters.source import Source
from pbem.player.letters.standing import waiting_at
from pbem.protocol.crypto.digest import short_id
from pbem.protocol.record.standing import awaited_in, due_in


@dataclass(frozen=True, slots=True)
class Deadline:
    """One entry of a calendar; ``due`` is UTC as records write it, ``holds`` is false if the entry is to go."""

    uid: str
    number: int
    due: str
    summary: str
    told: str
    holds: bool = True


def due_of(source: Source, seat: Seat, upto: int) -> str:
    """Until when this seat was awaited after record ``upto``; empty if it was not, or no time ran."""
    if upto < 0:
        return ""
    standing = source.moment(upto).standing
    return due_in(standing) or "" if seat in awaited_in(standing) else ""


def deadline_change(
    source: Source, seat: Seat, before: int, upto: int, language: Language, title: str = ""
) -> Deadline | None:
    """What the records after ``before`` up to ``upto`` changed for the calendar of this seat; None if nothing."""
    was, due = due_of(source, seat, before), due_of(source, seat, upto)
    if was == due:
        return None
    return _entry(source, seat, upto, language, title, due or was, holds=bool(due))


def deadline_at(
    source: Source, seat: Seat, upto: int, language: Language, title: str = ""
) -> Deadline | None:
    """The entry as it is after record ``upto``; None where no time runs for this seat."""
    due = due_of(source, seat, upto)
    return _entry(source, seat, upto, language, title, due, holds=True) if due else None


def _entry(
    source: Source, seat: Seat, upto: int, language: Language, title: str, due: str, *, holds: bool
) -> Deadline:
    waiting = waiting_at(source, seat, upto, language)
    named = title or source.game_info.title
    summary = f"{named}: {waiting.todo()}" if holds else named
    return Deadline(
        f"{seat}.{short_id(source.game)}@deadline.pbem.invalid",
        upto,
        due,
        summary,
        waiting.told(),
        holds=holds,
    )
