"""Who waited for whom: how long each seat took when it was awaited, from the times in the records.

A seat is awaited from the record that asked it to the record that its answer, or the default in its place, made. Time
in which the match was paused counts for nobody. The times are the host's own and within what was agreed
(schemas/README.md §10): good enough to see who keeps a match waiting, no proof of anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from pbem.game import JsonObject, Seat
from pbem.record import Line

FILE, DEFAULT, READY, BURN = "file", "default", "ready", "burn"


@dataclass(frozen=True, slots=True)
class Wait:
    """One answer: ``seat`` was awaited from record ``asked`` to record ``answered``.

    ``after`` is whose file had handed over to it, None for the host (an opening, a rewind, a laid deck). ``how``:
    ``file``, ``default``, ``ready`` or ``burn``.
    """

    seat: Seat
    after: Seat | None
    asked: int
    answered: int
    seconds: int
    how: str


def waits_of(lines: Iterable[Line]) -> list[Wait]:
    """Every answer of these records, in the order in which they came."""
    clerk = _Clerk()
    for line in lines:
        clerk.take(line)
    return clerk.waits


def seconds_between(earlier: str, later: str) -> int:
    """Seconds from one time of a record to another; never negative."""
    passed = datetime.fromisoformat(later) - datetime.fromisoformat(earlier)
    return max(0, int(passed.total_seconds()))


@dataclass(frozen=True, slots=True)
class _Asked:
    seq: int
    at: str
    after: Seat | None = None


@dataclass(slots=True)
class _Clerk:
    """Reads line by line who is awaited, and notes each answer."""

    waits: list[Wait] = field(default_factory=list)
    running: bool = False
    unclosed: bool = False
    """Whether epochs are closed only at the end, so that a result asks for the links, not a close."""
    asked: dict[int, JsonObject | None] = field(default_factory=dict)
    """Whom each result asks."""
    awaited: tuple[Seat, _Asked] | None = None
    linkless: dict[Seat, _Asked] = field(default_factory=dict)
    announced: Line | None = None
    linked: set[Seat] = field(default_factory=set)
    paused_at: str | None = None
    pauses: list[tuple[str, str]] = field(default_factory=list)

    def take(self, line: Line) -> None:
        """Take the next record."""
        if line.kind == "genesis":
            self.unclosed = line.body["draw"]["reveal"] == "match"
        self._times(line)
        self._answers(line)
        self._links(line)
        self._asks(line)

    def _times(self, line: Line) -> None:
        if line.kind == "pause" and self.paused_at is None:
            self.paused_at = line.at
        elif line.kind == "resume" and self.paused_at is not None:
            self.pauses.append((self.paused_at, line.at))
            self.paused_at = None

    def _answers(self, line: Line) -> None:
        if self.awaited is None or "steps" not in line.body:
            return
        seat, asked = self.awaited
        if line.kind == "default" and line.body["seat"] == seat:
            self._note(seat, asked, line, DEFAULT)
        elif line.kind == "turn" and _sender(line) == seat:
            self._note(seat, asked, line, FILE)

    def _links(self, line: Line) -> None:
        """The links that a laid deck waits for while nobody is to act."""
        body = line.body.get("msg", {}).get("body", {})
        if self.announced is not None and body.get("link", {}).get("epoch") == self.announced.body["epoch"]:
            seat = Seat(body["seat"])
            self.linked.add(seat)
            asked = self.linkless.pop(seat, None)
            if asked is not None:
                self._note(seat, asked, line, READY)
        if line.kind == "burn":
            for seat in line.body["missing"]:
                asked = self.linkless.pop(Seat(seat), None)
                if asked is not None:
                    self._note(Seat(seat), asked, line, BURN)
        if line.kind in ("open", "burn"):
            self.announced, self.linked, self.linkless = None, set(), {}
        if line.kind == "announce":
            self.announced, self.linked, self.linkless = line, set(), {}

    def _asks(self, line: Line) -> None:
        if line.kind in ("open", "close", "end"):
            self.running = line.kind == "open"
        if "public" in line.body:
            # A result without a time asks nobody, whoever its view says begins the next epoch (schemas/README.md §5).
            self.asked[line.seq] = line.body["public"].get("waiting") if "due" in line.body else None
            self._ask(line, self.asked[line.seq])
        elif line.kind == "rewind":
            self._ask(line, self.asked.get(line.body["what"]["to"]["seq"]))
        if not self.running:
            self.awaited = None
        if self.awaited is None:
            self._ask_for_links(line)

    def _ask(self, line: Line, waiting: JsonObject | None) -> None:
        after = _sender(line) if line.kind == "turn" else None
        self.awaited = (Seat(waiting["seat"]), _Asked(line.seq, line.at, after)) if waiting else None

    def _ask_for_links(self, line: Line) -> None:
        asks = line.kind in ("announce", "close") or (self.unclosed and "public" in line.body)
        if self.announced is None or not asks:
            return
        for name in self.announced.body["seats"]:
            seat = Seat(name)
            if seat not in self.linked:
                self.linkless.setdefault(seat, _Asked(line.seq, line.at))

    def _note(self, seat: Seat, asked: _Asked, line: Line, how: str) -> None:
        seconds = seconds_between(asked.at, line.at) - self._paused(asked.at, line.at)
        self.waits.append(Wait(seat, asked.after, asked.seq, line.seq, max(0, seconds), how))

    def _paused(self, start: str, end: str) -> int:
        every = [*self.pauses, *([(self.paused_at, end)] if self.paused_at is not None else [])]
        return sum(seconds_between(max(start, begin), min(end, stop)) for begin, stop in every)


def _sender(line: Line) -> Seat | None:
    message = line.body.get("msg")
    return Seat(message["body"]["seat"]) if message else None
