"""What a match waits for, in words for one reader: emails, screens, status emails and commands all say it from here.

The sentences stand in ``templates/standing.jinja``; here is chosen which one a standing needs. Nothing but the public
view is looked at, so the words are the same for whatever a hand holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, assert_never

from pbem.base.language import ENGLISH, UTC_CLOCK, Clock, Language
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat, Setup
from pbem.player.letters.letter import Deadline, Source, clock_at, names_at
from pbem.player.letters.rendering import LetterContext, Style, one_line, standing_macros
from pbem.protocol.crypto.digest import short_id
from pbem.protocol.record.deadlines import (
    Answer,
    Decision,
    Host,
    Joins,
    Links,
    Over,
    Paused,
    ReadyFiles,
    Standing,
    awaited_in,
    due_in,
)


@dataclass(frozen=True)
class WaitingWords:
    """The words for ``reader`` (None: for nobody's seat) on what a match waits for, as of ``now``."""

    standing: Standing
    game: str
    setup: Setup
    names: Mapping[Seat, str]
    public: JsonObject | None
    now: str
    reader: Seat | None = None
    language: Language = ENGLISH
    clock: Clock = UTC_CLOCK
    style: Style = Style.TEXT
    letter_context: LetterContext | None = field(default=None, compare=False, repr=False)
    """What the emails about this record share, if the words are for one of them."""

    @cached_property
    def _said(self) -> Any:
        """The macros, bound to this match; nobody asks the words of a style that is not shown."""
        if self.letter_context is not None:
            return self.letter_context.waiting(self.style)
        return standing_macros(
            self.style, self.game, self.setup, self.names, self.public or {}, self.language
        )

    @cached_property
    def mine(self) -> bool:
        """Whether it is the reader who can do something now so that the match goes on."""
        return self.reader is not None and self.reader in awaited_in(self.standing)

    @property
    def asked(self) -> bool:
        """Whether the reader is to decide or to answer."""
        return self.mine and isinstance(self.standing, Decision | Answer)

    @property
    def must_be_ready(self) -> bool:
        """Whether the reader's ready file is awaited."""
        return self.mine and isinstance(self.standing, ReadyFiles | Links)

    @cached_property
    def _due(self) -> str | None:
        return due_in(self.standing)

    @property
    def late(self) -> bool:
        """Whether the time of whoever is awaited was up at ``now``."""
        return self._due is not None and self._due <= self.now

    def described(self) -> str:
        """The whole of it, in sentences: who is to do what, and what the rules let anybody in that place do."""
        said, standing = self._said, self.standing
        match standing:
            case Joins():
                return one_line(said.joins(self._others(standing.seats), self.mine))
            case ReadyFiles():
                return one_line(said.ready_files(self._others(standing.seats), self.mine))
            case Links():
                return one_line(said.links(self._others(standing.seats), self.mine, standing.lost))
            case Decision():
                return one_line(said.decision(standing.seat, standing.phase, self.mine))
            case Answer():
                return one_line(said.answer(standing.seat, standing.phase, self.mine, standing.active))
            case Host():
                return one_line(said.burn(standing.lost) if standing.lost else said.host())
            case Paused():
                return one_line(said.paused(self.language.moment(standing.until, self.now, self.clock)))
            case Over():
                return one_line(said.over(standing.outcome.get("winners", ())))
            case _:
                assert_never(standing)

    def line(self) -> str:
        """The same in one line without a full stop, for a frame or a prompt."""
        said, standing = self._said, self.standing
        match standing:
            case Joins():
                return one_line(said.joins_line(self._others(standing.seats), self.mine))
            case ReadyFiles() | Links():
                return one_line(said.ready_line(self._others(standing.seats), self.mine))
            case Decision() | Answer():
                return one_line(said.decision_line(standing.seat, standing.phase, self.mine))
            case Host():
                return one_line(said.host_line())
            case Paused():
                return one_line(said.paused_line(self.soon(standing.until)))
            case Over():
                return one_line(said.over_line())
            case _:
                assert_never(standing)

    def by(self) -> str:
        """By when, and what may happen then; empty where no time runs."""
        return " ".join(part for part in (self.deadline(), self.after()) if part)

    def deadline(self) -> str:
        """By when whoever is awaited must answer, with what is left for the reader; empty where no time runs."""
        said, standing, due = self._said, self.standing, self._due
        if due is None:
            return ""
        time, left = (
            self.language.moment(due, self.now, self.clock),
            "" if self.late else self.language.left(self.now, due),
        )
        if isinstance(standing, Decision | Answer):
            return one_line(said.by(standing.seat, self.mine, time, left))
        return one_line(said.by_all(self.mine, time, left))

    def after(self) -> str:
        """What may be recorded once the time is up; empty where nobody is to decide."""
        standing = self.standing
        if not isinstance(standing, Decision | Answer) or standing.due is None:
            return ""
        if standing.limit is None:
            return one_line(self._said.no_limit())
        time = self.language.moment(standing.limit, self.now, self.clock)
        return one_line(self._said.limit(standing.seat, standing.phase, self.mine, time))

    def until(self) -> str:
        """``until Tuesday 19:00``; empty where no time runs, or it is up."""
        due = self._due
        return "" if due is None or self.late else one_line(self._said.soon(self.soon(due)))

    def duty(self) -> str:
        """What the reader is to do, for a subject: ``Your turn: draw``; empty if nothing."""
        if not self.mine:
            return ""
        said, standing = self._said, self.standing
        match standing:
            case Joins():
                return one_line(said.join_todo())
            case ReadyFiles() | Links():
                return one_line(said.ready_todo())
            case Decision() | Answer():
                return one_line(said.decision_todo(standing.phase))
            case Host() | Paused() | Over():
                return ""
            case _:
                assert_never(standing)

    def task(self) -> str:
        """The same without whose turn it is: ``draw``."""
        standing = self.standing
        if isinstance(standing, Decision | Answer) and self.mine:
            return one_line(self._said.task(standing.phase))
        return self.duty()

    def todo(self) -> str:
        """The duty with the time: ``Your turn: draw, by Tuesday 19:00``; empty if nothing."""
        return ", ".join(part for part in (self.duty(), self.until()) if part) if self.mine else ""

    def brief(self) -> str:
        """``by Tue 19:00 CET``, for a subject; empty where the reader has nothing to do or the time is up."""
        return self._briefly() if self.mine else ""

    def _briefly(self) -> str:
        due = self._due
        if due is None or self.late:
            return ""
        return one_line(self._said.soon(self.language.brief(due, self.now, self.clock)))

    def others(self) -> str:
        """Whom the match waits for and by when, in few letters; empty if for the reader, or when it is over."""
        if self.mine or isinstance(self.standing, Over):
            return ""
        return ", ".join(part for part in (self.line(), self._briefly()) if part)

    def pressing(self) -> str:
        """How much is left, for the subject of a reminder: ``24 hours left``, ``your time is up``."""
        due = self._due
        if due is None:
            return ""
        if self.late:
            return one_line(self._said.late_todo())
        return one_line(self._said.left_todo(self.language.left(self.now, due)))

    def soon(self, time: str) -> str:
        """A time in few letters."""
        return self.language.until(time, self.now, self.clock)

    def at(self, time: str) -> str:
        """When something happened, in few letters; the zone is said where it matters."""
        return self.language.day_hour(time, self.now, self.clock)

    def _others(self, seats: Sequence[Seat]) -> tuple[Seat, ...]:
        return tuple(seat for seat in seats if seat != self.reader)


def waiting_at(
    source: Source,
    reader: Seat | None,
    upto: int,
    language: Language = ENGLISH,
    *,
    now: str | None = None,
    style: Style = Style.TEXT,
    letter_context: LetterContext | None = None,
) -> WaitingWords:
    """The words on how the match stood after record ``upto``, as of ``now``: the time of that record if None.

    They are in the reader's time zone, or that of the match, or UTC. What passed of itself since the record (a pause
    that ended, an excused miss) is in it only if the caller gives ``record.as_of(now)``.
    """
    moment = source.moment(upto)
    return WaitingWords(
        moment.standing,
        source.game_info.id,
        source.rules.setup,
        names_at(source, upto) if letter_context is None else letter_context.names,
        moment.public,
        now or str(source.lines[upto].body["at"]),
        reader,
        language,
        clock_at(source, reader, upto),
        style,
        letter_context,
    )


# --- what an email shows its reader's calendar: until when they are awaited, or that it no longer holds ------
#
# A seat has one entry a match, under one UID; it moves with the deadline and goes when nobody waits for
# the seat any more. An email speaks of it only where its records changed it, so most emails bring
# nothing; a reminder says it again, for an email that was lost. The number of the entry is that of the
# email's newest record, so a later one always counts.


def due_of(source: Source, seat: Seat, upto: int) -> str:
    """Until when this seat was awaited after record ``upto``; empty if it was not, or no time ran."""
    if upto < 0:
        return ""
    standing = source.moment(upto).standing
    return due_in(standing) or "" if seat in awaited_in(standing) else ""


def deadline_change(
    letter_context: LetterContext, seat: Seat, before: int, title: str = ""
) -> Deadline | None:
    """What the records after ``before`` changed for the calendar of this seat; None if nothing."""
    source, upto = letter_context.source, letter_context.upto
    was, due = due_of(source, seat, before), due_of(source, seat, upto)
    return None if was == due else _entry(letter_context, seat, title, due or was, holds=bool(due))


def deadline_at(letter_context: LetterContext, seat: Seat, title: str = "") -> Deadline | None:
    """The entry as it is after the record; None where no time runs for this seat."""
    due = due_of(letter_context.source, seat, letter_context.upto)
    return _entry(letter_context, seat, title, due, holds=True) if due else None


def _entry(letter_context: LetterContext, seat: Seat, title: str, due: str, *, holds: bool) -> Deadline:
    source, upto = letter_context.source, letter_context.upto
    waiting = waiting_at(source, seat, upto, letter_context.language, letter_context=letter_context)
    named = title or source.game_info.title
    summary = f"{named}: {waiting.todo()}" if holds else named
    return Deadline(
        f"{seat}.{short_id(source.game)}@deadline.pbem.invalid",
        upto,
        due,
        summary,
        waiting.described(),
        holds=holds,
    )
