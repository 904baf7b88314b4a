"""A letter: what one seat learns, ready to be put into a mail; and who gets one after a batch of records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import Final, assert_never
from urllib.parse import quote

from pbem.base.values import dataclass
from pbem.game import Seat
from pbem.player.letters.rendering import LetterContext
from pbem.player.letters.source import Line, Source, messages, undone
from pbem.player.letters.standing import waiting_at
from pbem.player.pictures import Picture
from pbem.protocol.crypto.digest import short_id, unb64
from pbem.protocol.record.check_messages import called_by, only_reacts
from pbem.protocol.record.deadlines import (
    Answer,
    Consents,
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
from pbem.protocol.record.kind import Kind as RecordKind
from pbem.protocol.record.kinds import KINDS

SHORT: Final = 8
"""Characters of a match's short name."""


class Kind(StrEnum):
    """Why a letter is written. It decides the subject and the first sentences; the rest follows from the record."""

    INVITATION = "invitation"
    ROSTER = "roster"
    STARTED = "started"
    ACCEPTED = "receipt-accepted"
    STOPPED = "receipt-stopped"
    REFUSED = "refused"
    ASKED = "asked"
    TURN_END = "turn-end"
    HAND_END = "hand-end"
    MATCH_END = "match-end"
    TALK = "talk"
    REMINDER = "reminder"
    PROPOSED = "proposed"
    """Somebody else is to have the reader's seat, or new keys in it, unless he writes."""
    NOTICE = "notice"
    """The host recorded something that is nobody's turn: a pause, an absence, an extension, a substitute."""

    @property
    def answers(self) -> bool:
        """Whether the letter answers a mail of its reader (RFC 3834 ``auto-replied``)."""
        return self in (Kind.ACCEPTED, Kind.STOPPED, Kind.REFUSED)

    @property
    def pictured(self) -> bool:
        """Whether the letter shows the table as a picture: not a receipt, nor where nothing has changed there."""
        return self in (Kind.STARTED, Kind.ASKED, Kind.TURN_END, Kind.HAND_END, Kind.MATCH_END)


@dataclass(frozen=True, slots=True)
class Link:
    """The way into a match by browser: the ``page`` (empty if there is none), and what it must know.

    ``code`` is for somebody who is still to join: with it the page takes the seat. Emails after that hold no secret:
    on a device without the seat the page asks for it, and the seat's keys open the API. ``word`` opens it for
    whoever the host gives it to by hand.
    """

    page: str
    api: str
    match: str
    seat: str
    word: str = ""
    code: str = ""

    @property
    def fragment(self) -> str:
        """What stands behind the page's address; no browser sends it to a server.

        The API is left out where the page lies beside it, and the match goes by its short name: a link is to be
        short enough for a QR code that a phone reads off a terminal.
        """
        match = short_id(unb64(self.match, 32)) if len(self.match) > SHORT else self.match
        query = f"join={match}&seat={self.seat}" if self.code else f"match={match}&seat={self.seat}"
        api = "" if self.is_beside else f"&door={quote(self.api, safe=':/')}"
        secret = f"&code={self.code}" if self.code else f"&word={self.word}" if self.word else ""
        return f"#{query}{api}{secret}"

    @property
    def is_beside(self) -> bool:
        """Whether the page is one folder below the API."""
        return bool(self.page) and self.page.removesuffix("/").rpartition("/")[0] == self.api

    @property
    def url(self) -> str:
        """The whole address; empty if the release has no page."""
        return self.page + self.fragment if self.page else ""


WaysIn = Callable[[Seat], Link | None]
"""A seat's way in by browser."""


def no_links(_: Seat) -> Link | None:
    """Nobody has one."""
    return None


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes with a letter."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Letter:
    """Subject, text and HTML for one seat, and the new lines of the game file.

    ``attachment`` holds whole lines, each with its line feed, and is packed on its way if its name says so; it is
    empty when there is nothing new. ``extra`` are further files (a refusal's signed ``reject``). ``upto`` is the record
    that the letter speaks up to: with ``seat`` and ``kind`` it names the letter, as everything in it is a function of
    the record.
    """

    seat: Seat
    kind: Kind
    subject: str
    text: str
    html: str
    attachment_name: str
    attachment: bytes
    upto: int
    extra: tuple[Attachment, ...] = ()
    pictures: tuple[Picture, ...] = ()
    """What the HTML shows by ``cid:``."""
    deadline: Deadline | None = None
    """What the reader's calendar gets, if it needs anything."""


PACKED_FROM: Final = 64 * 1024
"""Bytes of records from which on a letter brings them packed; fewer can be read as they are."""


def attachment_name(game: bytes, first: int, last: int, size: int) -> str:
    """``game-7q3kdw1x-12-15.jsonl``: records 12 to 15; ``size`` bytes of them may be so many that they are packed."""
    return f"game-{short_id(game)}-{first}-{last}.jsonl{'.gz' if size >= PACKED_FROM else ''}"


# --- what a letter tells its reader's calendar: until when he is awaited, or that it no longer holds ------
#
# A seat has one entry a match, under one UID; it moves with the deadline and goes when nobody waits for
# the seat any more. A letter speaks of it only where its records changed it, so most letters bring
# nothing; a reminder says it again, for a letter that was lost. The number of the entry is that of the
# letter's newest record, so a later one always counts.


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
        waiting.told(),
        holds=holds,
    )


# --- extras -----------------------------------------------------------------------------------------------
#
# What a host lays beside the record when he writes letters: how he calls the match, and the season it
# belongs to.
#
# Both come from the note that he keeps with the match, so a letter stays a function of the record and of
# this note.


@dataclass(frozen=True, slots=True)
class SeasonRow:
    """One player over the matches of a season.

    ``luck`` is hits beyond the chance each try had, in thousandths; ``answer`` the middle time of an answer in seconds.
    """

    name: str
    matches: int
    wins: int
    total: int
    tries: int
    luck: int
    answer: int


@dataclass(frozen=True, slots=True)
class Season:
    """The table of a season: so many ``matches``, the name and unit of the score, a row for each player, best first."""

    matches: int
    title: str
    unit: str
    rows: tuple[SeasonRow, ...]


@dataclass(frozen=True, slots=True)
class LetterExtras:
    """How the host calls the match (empty: he does not), and the season that it closes, if there is one.

    ``discreet``: the reader wants no result in a subject.
    """

    title: str = ""
    season: Season | None = None
    discreet: bool = False


NOTHING_BESIDE = LetterExtras()


def ranked(rows: Sequence[SeasonRow]) -> tuple[SeasonRow, ...]:
    """Most wins first, then the highest score."""
    return tuple(sorted(rows, key=lambda row: (-row.wins, -row.total)))


# --- who gets a letter after a batch of records: one letter a seat and batch at most ----------------------
#
# The sender gets his receipt; whoever is asked now is asked; everybody hears of the end of a seat's turn, of
# an epoch's worth of play (a hand, a turn of the game) and of the match, and of what the host recorded that
# concerns all. A mere draw is sent to its sender only. A letter that is both receipt and anything else is the
# receipt, and says the rest too.

_RANK = (
    Kind.MATCH_END,
    Kind.HAND_END,
    Kind.STARTED,
    Kind.ROSTER,
    Kind.TURN_END,
    Kind.NOTICE,
    Kind.INVITATION,
)
"""Why all are written to, the most important reason first."""


def who_hears(source: Source, seq_from: int, seq_to: int, sender: Seat | None) -> list[tuple[Seat, Kind]]:
    """Each seat that gets a letter, with its kind, in seat order."""
    batch = source.lines[seq_from : seq_to + 1]
    standing = source.moment(seq_to).standing
    everybody = _everybody(batch, source.seats)
    if everybody is None and undone(source, seq_from - 1, seq_to):
        everybody = Kind.NOTICE
    concerned = {Seat(line.body["what"]["seat"]) for line, kind in _kinds(batch) if kind.proposes}
    heard = []
    for seat in source.seats:
        kind = _receipt(batch, sender) if seat == sender else None
        kind = Kind.PROPOSED if seat in concerned else kind or everybody
        kind = kind or _asked(standing, seat, batch) or _single(batch, seat)
        kind = kind or _nudged(source, batch, seat, standing)
        if kind is not None:
            heard.append((seat, kind))
    return heard


def asks_nothing(source: Source, seq_from: int, seq_to: int, sender: Seat) -> bool:
    """Whether the receipt for these records only says that the file was recorded.

    Its sender is not to act, nothing begins or ends but the sender's own turn, and nothing concerns the sender alone.
    """
    batch = source.lines[seq_from : seq_to + 1]
    return (
        _receipt(batch, sender) is Kind.ACCEPTED
        and _everybody(batch, source.seats) in (None, Kind.TURN_END)
        and _asked(source.moment(seq_to).standing, sender, batch) is None
        and _single(batch, sender) is None
        and not undone(source, seq_from - 1, seq_to)
    )


def _receipt(batch: Sequence[Line], sender: Seat | None) -> Kind | None:
    for line, body in messages(batch):
        if body["seat"] == sender and not only_reacts(body):
            return Kind.STOPPED if "stopped" in line.body else Kind.ACCEPTED
    return None


def _everybody(batch: Sequence[Line], seats: Sequence[Seat]) -> Kind | None:
    """The kind of a letter that goes to all seats, by the most important thing that happened."""
    reasons = {
        Kind(kind.letter) for line, kind in _kinds(batch) if len(kind.audience(line, seats)) == len(seats)
    }
    if any(_ends_turn(line) for line in batch):
        reasons.add(Kind.TURN_END)
    return next((kind for kind in _RANK if kind in reasons), None)


def _kinds(batch: Sequence[Line]) -> Iterator[tuple[Line, RecordKind]]:
    for line in batch:
        yield line, KINDS[line.kind]


def _ends_turn(line: Line) -> bool:
    return any(
        event["event"] == "turn-ended" for step in line.body.get("steps", ()) for event in step["events"]
    )


def _asked(standing: Standing, seat: Seat, batch: Sequence[Line]) -> Kind | None:
    """A seat is asked when the batch left it to act, or left a link of it to wait for."""
    match standing:
        case Decision() | Answer():
            asks = standing.seat == seat and any("steps" in line.body for line in batch)
        case ReadyFiles() | Links():
            asks = seat in standing.seats and any(kind.asks_links for _, kind in _kinds(batch))
        case Joins() | Host() | Paused() | Consents() | Over():
            asks = False
        case _:
            assert_never(standing)
    return Kind.ASKED if asks else None


def _nudged(source: Source, batch: Sequence[Line], seat: Seat, standing: Standing) -> Kind | None:
    """A seat is called by a nudge if the match still waits for it."""
    waits = isinstance(standing, Decision | Answer) and standing.seat == seat
    called = waits and any(called_by(source.lines, line) == seat for line in batch)
    return Kind.TALK if called else None


def _single(batch: Sequence[Line], seat: Seat) -> Kind | None:
    if any(seat in kind.audience(line, (seat,)) for line, kind in _kinds(batch)):
        return Kind.NOTICE
    for line, body in messages(batch):
        addressed = any(tell["to"] == seat for tell in body.get("tell", ()))
        said = "say" in body and "steps" not in line.body  # with a result, the letter about that says it
        if body["seat"] != seat and (addressed or said):
            return Kind.TALK
    return None
