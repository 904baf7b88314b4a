"""Back and forth through the match: the position after each record that shows something, as one seat saw it.

The seat's own view of an old record is folded again from the packets up to it; each packet is opened and checked once.
Where that is not enough (packets that were sealed again, a match taken back) the record is cut and read again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Final

from pbem.base.language import ENGLISH, Clock, Language
from pbem.base.values import dataclass
from pbem.game import AnyRules, GameInfo, JsonObject, Seat
from pbem.player.letters.rendering import (
    LetterContext,
    StoryEntry,
    Style,
    game_template,
    macros,
    marks,
    one_line,
    speaker,
    story_text,
)
from pbem.player.letters.terminal import Screen, held, render_table, rich_parts
from pbem.protocol.client import SeatView
from pbem.protocol.record import Epoch, Line, Record
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.open_play import public_value

if TYPE_CHECKING:
    from rich.console import JustifyMethod
    from rich.text import Text

MOST_LINES: Final = 5
LONGEST_LINE: Final = 74
"""Letters of a line of news: with a frame it fits into 80 columns."""


@dataclass(frozen=True, slots=True)
class PastRecord:
    """One record as it is shown: what happened, what the seat alone was shown, and the table after it."""

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
        """The records that show something."""
        return [line.seq for line in self.record.lines if _is_shown(line)]

    @cached_property
    def _private(self) -> dict[int, list[tuple[str, str]]]:
        messages: dict[int, list[tuple[str, str]]] = {}
        for seq, who, text in self._own.private_messages():
            messages.setdefault(seq, []).append((who, text))
        return messages

    def private(self, seq: int) -> list[tuple[str, str]]:
        """Private words to this seat in record ``seq``: from whom, and what."""
        return self._private.get(seq, [])

    def since(self, seq: int) -> list[int]:
        """The records after ``seq`` that show something."""
        return [number for number in self.seqs if number > seq]

    def story(self, since: int, upto: int) -> str:
        """What happened after record ``since`` up to record ``upto``, in sentences."""
        text = story_text(self.record, since, upto, self._language, self._clock, timed=self._timed)
        return _unwrapped(text.strip("\n"))

    def entry(self, seq: int) -> StoryEntry | None:
        """Record ``seq`` as a title and sentences; None if it shows nothing."""
        letter_context = LetterContext(self.record, self.record.head.seq, self._language)
        return letter_context.renderer(Style.TEXT, self._clock, self.record.head.at).entry(
            self.record.lines[seq]
        )

    def when(self, at: str) -> str:
        """A time of a record as it is shown here."""
        return (
            self._language.when(at)
            if self._clock is None
            else self._language.moment(at, self.record.head.at, self._clock)
        )

    def lines(self, since: int) -> list[str]:
        """What happened after record ``since``, a line a turn: the last ``MOST_LINES`` of them."""
        lines = [" ".join(self.story(seq - 1, seq).split()) for seq in self.since(since)]
        return [shorten(line, LONGEST_LINE, placeholder=" …") for line in lines if line][-MOST_LINES:]

    def latest(self, count: int = 4) -> str:
        """The last records that show something."""
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
        return any(_whole(line) or KINDS[line.kind].goes_back for line in lines)

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
        cards = [fact["found"] for fact in body["facts"] if "found" in fact]
        return [draw["card"] for draw in body["draws"]] + cards


def _unwrapped(text: str) -> str:
    """Sentences as one line each: a panel has a width of its own."""
    lines: list[str] = []
    for line in text.split("\n"):
        if line.startswith("    ") and lines:
            lines[-1] += " " + line.strip()
        else:
            lines.append(line)
    return "\n".join(lines)


def _is_shown(line: Line) -> bool:
    """Whether a person wants to stop here."""
    if line.kind == "turn":
        message = line.body["msg"]["body"]
        return "steps" in line.body or any(map(message.get, ("say", "tell", "react", "nudge")))
    return bool(line.body.get("steps")) or bool(KINDS[line.kind].text)


def _whole(line: Line) -> bool:
    """Whether it holds packets with all that a seat learned before."""
    return "packets" in line.body and "steps" not in line.body


# --- drawing ----------------------------------------------------------------------------------------------
#
# Tables for the client's panels: a compact view in few lines, and the whole table, both from the game's
# templates.


class CompactView(Screen):
    """A screen whose tables have no frames: every line counts in a small window."""

    def table(
        self, head: Sequence[str], rows: Sequence[Sequence[object]], align: str = "", whole: int | None = 0
    ) -> None:
        """A table without a frame."""
        sides = (align + "l" * len(head))[: len(head)]
        table = rich_parts().table.Table(box=None, header_style="bold", padding=(0, 2, 0, 0), pad_edge=False)
        for at, (name, side) in enumerate(zip(head, sides, strict=True)):
            justify: JustifyMethod = "right" if side == "r" else "left"
            table.add_column(held(name), justify=justify, overflow="fold", no_wrap=at == whole)
        for row in rows:
            table.add_row(*(held(str(cell).strip("\n")) for cell in row))
        wanted = self._console.measure(table, options=self._console.options.update(max_width=400))
        if wanted.maximum > self._width:
            table.padding = (0, 1, 0, 0)
        self._console.print(table)

    def flow(self, lead: str, parts: Sequence[str]) -> None:
        """Parts one after the other, none broken at the end of a line; in another order if that saves a line."""
        text = rich_parts().text.Text
        texts = [text.from_markup(held(part)) for part in parts]
        first = text.from_markup(held(lead) + " " if lead else "")
        rest = text("  " if lead else "")
        ways = [_lines(texts, first, rest, self._width, ahead=ahead) for ahead in (False, True)]
        for line in min(ways, key=len):
            self._console.print(line)


def _lines(parts: Sequence[Text], first: Text, rest: Text, width: int, *, ahead: bool) -> list[Text]:
    """The parts in lines; with ``ahead`` a later part may fill what is left of a line."""
    lines, left = [first.copy()], list(parts)
    while left:
        line = lines[-1]
        fits = [at for at, part in enumerate(left) if line.cell_len + part.cell_len <= width]
        at = next(iter(fits), None) if ahead else (0 if 0 in fits else None)
        if at is None and line.plain.strip():
            lines.append(rest.copy())
            continue
        line.append_text(left.pop(at or 0)).append("  ")
    return lines


class Drawing:
    """How one match is drawn for one viewer."""

    def __init__(
        self,
        info: GameInfo,
        rules: AnyRules,
        names: Mapping[Seat, str],
        viewer: Seat | None,
        language: Language = ENGLISH,
    ) -> None:
        self._language = language
        self._info = info
        self._rules = rules
        self._names = names
        self._viewer = viewer

    def compact_view(
        self, view: JsonObject, width: int, *, roomy: bool = False, fresh: Collection[str] = ()
    ) -> str:
        """The table in few lines, as text with terminal colours; cards of the hand that are ``fresh`` are marked."""
        screen = CompactView(width, colour=True)
        context = self._context(Style.TERMINAL, view) | {
            "summary": self._rules.summary(view),
            "marks": marks(self._rules.setup.seats),
            "viewer": self._viewer,
            "screen": screen,
            "roomy": roomy,
            "fresh": fresh,
        }
        game_template(Style.TERMINAL, self._info.id, "glance.term.jinja", self._language).render(context)
        return screen.text().rstrip("\n")

    def whole(self, view: JsonObject, width: int) -> str:
        """The whole table, as ``pbem show`` draws it."""
        text = render_table(
            self._info.id,
            view,
            self._rules.setup,
            self._names,
            self._rules.summary(view),
            width=width,
            viewer=self._viewer,
            language=self._language,
        )
        return text.rstrip("\n")

    def in_words(self, public: JsonObject) -> str:
        """The open table as an email shows it: lines of text in columns."""
        context = self._context(Style.TEXT, public) | {
            "summary": self._rules.summary(public),
            "marks": marks(self._rules.setup.seats),
        }
        template = game_template(Style.TEXT, self._info.id, "table.txt.jinja", self._language)
        return template.render(context).strip()

    def held(self, view: JsonObject) -> str:
        """The own hand by names; empty where the game has none."""
        own = view.get("hands", {}).get(self._viewer)
        return self.cards(own) if isinstance(own, list) else ""

    def chapter(self, view: JsonObject) -> str:
        """``hand 3`` or ``space 5``."""
        return self._phase(view, "chapter")

    def ended(self, view: JsonObject) -> str:
        """What is said where a hand or a turn of the game is over."""
        return self._phase(view, "ended", "title")

    def short(self, view: JsonObject, phase: str) -> str:
        """What a phase asks, in few words."""
        return self._phase(view, "short", phase)

    def _context(self, style: Style, view: JsonObject) -> dict[str, Any]:
        """What every template of a game is given."""
        setup = self._rules.setup
        return {"view": view, "setup": setup, "seats": setup.seats, "who": speaker(style, self._names)}

    def _phase(self, view: JsonObject, name: str, *given: str) -> str:
        context = self._context(Style.TEXT, view)
        module = macros(Style.TEXT, self._info.id, "phases.jinja", context, self._language)
        return one_line(getattr(module, name)(*given))

    def cards(self, names: Sequence[str]) -> str:
        """Cards by their names."""
        context = {"setup": self._rules.setup, "seats": self._rules.setup.seats, "who": str}
        module = macros(Style.TEXT, self._info.id, "words.jinja", context, self._language)
        named = getattr(module, "card", None)
        return ", ".join(one_line(named(name)) if named else name for name in names)
