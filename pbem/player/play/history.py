"""Back and forth through the match: the position after each record that tells something, as one seat saw it.

The seat's own view of an old record is folded again from the packets up to it; each packet is opened and checked once.
Where that is not enough (packets that were sealed again, a match taken back) the record is cut and read anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from textwrap import shorten
from typing import Any, Final

from pbem.base.language import ENGLISH, Clock, Language
from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.player.letters import story_text
from pbem.player.letters.environment import Style
from pbem.player.letters.letter_context import LetterContext
from pbem.player.letters.story import StoryEntry
from pbem.protocol.client import SeatView
from pbem.protocol.record import Epoch, Line, Record
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.open_play import public_value

MOST_LINES: Final = 5
LONGEST_LINE: Final = 74
"""Letters of a line of news: with a frame it fits into 80 columns."""


@dataclass(frozen=True, slots=True)
class PastRecord:
    """One record as it is shown: what happened, what the seat alone was told, and the table after it."""

    seq: int
    at: str
    story: str
    view: JsonObject | None
    cards: tuple[str, ...]
    words: tuple[tuple[str, str], ...]
    """Private words to this seat: from whom, and what."""


class History:
    """The moments of a verified record for the seat of ``seat_view``; times on ``clock``, else as files have them.

    Without ``timed`` the story leaves out when a record was written.
    """

    def __init__(
        self,
        seat_view: SeatView,
        language: Language = ENGLISH,
        clock: Clock | None = None,
        *,
        timed: bool = True,
    ) -> None:
        self._timed = timed
        self._language = language
        self._clock = clock
        self._own = seat_view
        self.record: Record = seat_view.record
        self._bodies: dict[int, JsonObject] = {}

    @cached_property
    def seqs(self) -> list[int]:
        """The records that tell something."""
        return [line.seq for line in self.record.lines if _tells(line)]

    @cached_property
    def _private(self) -> dict[int, list[tuple[str, str]]]:
        found: dict[int, list[tuple[str, str]]] = {}
        for seq, who, text in self._own.private_words():
            found.setdefault(seq, []).append((who, text))
        return found

    def private(self, seq: int) -> list[tuple[str, str]]:
        """Private words to this seat in record ``seq``: from whom, and what."""
        return self._private.get(seq, [])

    def since(self, seq: int) -> list[int]:
        """The records after ``seq`` that tell something."""
        return [number for number in self.seqs if number > seq]

    def story(self, since: int, upto: int) -> str:
        """What happened after record ``since`` up to record ``upto``, in sentences."""
        text = story_text(self.record, since, upto, self._language, self._clock, timed=self._timed)
        return _unwrapped(text.strip("\n"))

    def entry(self, seq: int) -> StoryEntry | None:
        """Record ``seq`` as a title and sentences; None if it tells nothing."""
        letter_context = LetterContext(self.record, self.record.head.seq, self._language)
        return letter_context.renderer(Style.TEXT, self._clock, self.record.head.at).entry(
            self.record.lines[seq]
        )

    def when(self, at: str) -> str:
        """A time of a record as it is told here."""
        return (
            self._language.when(at)
            if self._clock is None
            else self._language.moment(at, self.record.head.at, self._clock)
        )

    def lines(self, since: int) -> list[str]:
        """What happened after record ``since``, a line a turn: the last ``MOST_LINES`` of them."""
        told = [" ".join(self.story(seq - 1, seq).split()) for seq in self.since(since)]
        return [shorten(line, LONGEST_LINE, placeholder=" …") for line in told if line][-MOST_LINES:]

    def latest(self, count: int = 4) -> str:
        """The last records that tell something."""
        return self.story(self.seqs[-count] - 1, self.seqs[-1]) if len(self.seqs) >= count else ""

    def cards(self, seq: int) -> tuple[str, ...]:
        """What record ``seq`` gave to this seat alone."""
        return tuple(self._cards(self.record.lines[seq]))

    def at(self, seq: int) -> PastRecord:
        """The moment of record ``seq``."""
        line = self.record.lines[seq]
        return PastRecord(
            seq,
            line.body["at"],
            self.story(seq - 1, seq),
            self.view(seq),
            tuple(self._cards(line)),
            tuple(self.private(seq)),
        )

    # --- the own view of an old record --------------------------------------------------------------------

    def view(self, seq: int) -> JsonObject | None:
        """The position after record ``seq`` with what the seat knew; None before the first ``open``."""
        record, rules = self.record, self.record.rules
        moment = record.moment(seq)
        if moment.public is None:
            return None
        if self._needs_reading(seq):
            cut = Record.load([line.raw for line in record.lines[: seq + 1]])
            return SeatView(cut, self._own.identity, self._own.seat).view_json
        public = public_value(rules, moment.public)
        shown: JsonObject = rules.view_to_json(rules.view_of(public, self._knowledge(seq)))
        return shown

    def _needs_reading(self, seq: int) -> bool:
        lines = self.record.lines[: seq + 1]
        return any(_whole(line) or line.kind == "rewind" for line in lines)

    def _epoch_at(self, seq: int) -> Epoch | None:
        opened = [
            epoch
            for epoch in self.record.ledger.epochs.values()
            if epoch.opened is not None and epoch.opened <= seq
        ]
        return max(opened, key=lambda epoch: epoch.number, default=None)

    def _knowledge(self, seq: int) -> Any:
        rules, seat = self.record.rules, self._own.seat
        own = rules.knowledge(seat)
        epoch = self._epoch_at(seq)
        ended = self.record.ledger.ended
        over = ended is not None and ended.seq <= seq
        if epoch is None or (epoch.closed is not None and epoch.closed <= seq and not over):
            return own
        for line in epoch.results:
            if line.seq <= seq:
                own = rules.learn(own, line.body["steps"], self._body(epoch, line))
        return own

    def _body(self, epoch: Epoch, line: Line) -> JsonObject:
        if not self.record.rules.has_secrets:
            return {"draws": [], "facts": []}
        if line.seq not in self._bodies:
            self._bodies[line.seq] = self._own.open_packet(epoch, line)
        return self._bodies[line.seq]

    def _cards(self, line: Line) -> Sequence[str]:
        """What this record put into the seat's hand, unseen by the others."""
        epoch = self._epoch_at(line.seq)
        if "steps" not in line.body or epoch is None or self._needs_reading(line.seq):
            return []
        body = self._body(epoch, line)
        found = [fact["found"] for fact in body["facts"] if "found" in fact]
        return [draw["card"] for draw in body["draws"]] + found


def _unwrapped(text: str) -> str:
    """Sentences as one line each: a panel has a width of its own."""
    lines: list[str] = []
    for line in text.split("\n"):
        if line.startswith("    ") and lines:
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    return "\n".join(lines)


def _tells(line: Line) -> bool:
    """Whether a person wants to stop here."""
    if line.kind == "turn":
        message = line.body["msg"]["body"]
        return "steps" in line.body or any(map(message.get, ("say", "tell", "react", "nudge")))
    return bool(line.body.get("steps")) or bool(KINDS[line.kind].text)


def _whole(line: Line) -> bool:
    """Whether it holds packets with all that a seat was told before."""
    return "packets" in line.body and "steps" not in line.body
