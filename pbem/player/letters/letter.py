"""An email: what it is written from, what it is, and who gets one after a batch of records.

It is written from ``Source``, the read-only face of a record: a ``Protocol``, so the record of ``pbem.protocol.record``
fits it, and so does a fake in a test. It holds public things only. Packets pass through as sealed bytes inside
``Line.raw``; no module of this package opens one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Protocol, assert_never
from urllib.parse import quote

from pbem.base.language import Clock, clock_of
from pbem.base.values import dataclass
from pbem.game import AnyRules, GameInfo, JsonObject, Seat
from pbem.protocol.crypto.digest import short_id, unb64
from pbem.protocol.record.check_messages import nudged_by, only_reacts
from pbem.protocol.record.deadlines import (
    Answer,
    Decision,
    Host,
    Joins,
    Links,
    Moment,
    Over,
    Paused,
    ReadyFiles,
    Standing,
)
from pbem.protocol.record.kind import Kind as RecordKind
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.kinds.propose import PROPOSE
from pbem.protocol.record.kinds.resign import RESIGN
from pbem.protocol.record.line import Index, Indexed
from pbem.protocol.record.record import Label

if TYPE_CHECKING:
    from pbem.player.pictures import Picture


class Line(Indexed, Protocol):
    """One record of the game file."""

    @property
    def hash(self) -> bytes:
        """SHA-256 of ``raw``."""

    @property
    def raw(self) -> bytes:
        """The line as it stands in the file, without its line feed."""


class Source(Protocol):
    """A verified record, as far as emails need it."""

    @property
    def game(self) -> bytes:
        """The match's id: the hash of record 0."""

    @property
    def genesis(self) -> JsonObject:
        """The body of record 0."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats, clockwise."""

    @property
    def lines(self) -> Sequence[Line]:
        """All records; ``lines[i].seq == i``."""

    @property
    def index(self) -> Index:
        """Where things stand among the records."""

    @property
    def game_info(self) -> GameInfo:
        """Static facts of the game."""

    @property
    def rules(self) -> AnyRules:
        """The engine bound to this match."""

    def moment(self, seq: int) -> Moment:
        """What the match waited for after record ``seq``, and what everybody saw then."""

    def labels(self, seq: int) -> Sequence[Label]:
        """The labels of that record's draws."""


# --- who the readers are, by the records up to one of them ------------------------------------------------
#
# Names, languages, zones, and what each has signed to have seen.

_ARRIVALS = tuple(name for name, kind in KINDS.items() if kind.newcomer)
"""Records with a join: it names the player, their language and their zone."""


def messages(lines: Sequence[Line]) -> list[tuple[Line, JsonObject]]:
    """Every record that holds a player's message, with the body they signed."""
    return [(line, line.body["msg"]["body"]) for line in lines if line.body.get("msg") is not None]


def names_at(source: Source, upto: int) -> dict[Seat, str]:
    """The players' names after record ``upto``; a seat that nobody has taken yet is called by its id."""
    names = {seat: str(seat) for seat in source.seats}
    names.update({Seat(body["seat"]): body["name"] for _, body in _joins(source, upto)})
    return names


def names_joined(source: Source, upto: int) -> list[str]:
    """The names of those who have joined up to this record."""
    return list({body["seat"]: str(body["name"]) for _, body in _joins(source, upto)}.values())


def tag_of(source: Source, seat: Seat, upto: int) -> str:
    """The language tag that the player of this seat wrote into their join; ``en`` before there is one."""
    return joined_in(source, seat, upto)[1]


def joined_in(source: Source, seat: Seat, upto: int) -> tuple[str, str]:
    """When the player of this seat joined, and the language tag of that join; empty and ``en`` if nobody has."""
    joins = [(line, body) for line, body in _joins(source, upto) if body["seat"] == seat]
    return (str(joins[-1][0].body["at"]), str(joins[-1][1]["lang"])) if joins else ("", "en")


def last_seen(source: Source, seat: Seat, upto: int) -> int:
    """The newest record that this seat has signed to have seen; −1 if it has signed nothing yet.

    What a seat surely holds is what it signed to have seen, whatever became of earlier emails.
    """
    return source.index.seen_by(seat, upto)


def last_own_turn(source: Source, seat: Seat, upto: int) -> int:
    """The newest record with a result that came from this seat's own file; −1 if there is none."""
    own = source.index.files_of(seat, upto)
    return next((seq for seq in own if "steps" in source.lines[seq].body), -1)


def defaulted(source: Source, seat: Seat, upto: int) -> int | None:
    """The newest record, if nobody has written since it, in which a default was played for this seat."""
    for seq in range(upto, -1, -1):
        line = source.lines[seq]
        if "msg" in line.body:
            return None
        if KINDS[line.kind].lapses and line.body["seat"] == seat:
            return line.seq
    return None


def clock_at(source: Source, reader: Seat | None, upto: int) -> Clock:
    """The clock of a reader after record ``upto``: in their zone, or that of the match, or UTC."""
    return clock_of(zone_of(source, reader if reader is not None else Seat(""), upto))


def zone_of(source: Source, seat: Seat, upto: int) -> str:
    """The zone in which this seat's player reads times: of the join, else of the match; empty if nobody named one."""
    own = [str(body.get("zone", "")) for _, body in _joins(source, upto) if body["seat"] == seat]
    return (own[-1] if own else "") or str(source.genesis["deadlines"].get("zone", ""))


def _joins(source: Source, upto: int) -> list[tuple[Line, JsonObject]]:
    lines = source.lines
    return messages([lines[seq] for seq in source.index.of_kinds(_ARRIVALS, upto)])


# --- what is proposed about a seat: a function of the lines, like all that emails say ---------------------

HELD = (PROPOSE.name,)
"""Records by which something about a seat is held."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """An open proposal: ``what`` by whom, from when on it may be carried out."""

    seq: int
    kind: str
    seat: Seat
    by: tuple[Seat, ...]
    until: str


def open_proposals(source: Source, upto: int) -> tuple[Proposed, ...]:
    """The proposals that are open after record ``upto``."""
    return tuple(_proposed(line) for line in _open(source, upto).values())


def undone(source: Source, since: int, upto: int) -> tuple[Seat, ...]:
    """Seats whose own word, in a record after ``since`` and not after ``upto``, undid what was proposed about them."""
    if not source.index.of_kinds(HELD, upto):
        return ()
    seats: list[Seat] = []
    proposed = _open(source, since)
    for line in source.lines[since + 1 : upto + 1]:
        seats += [seat for seat in _words(line) if seat in proposed]
        _take(proposed, line)
    return tuple(dict.fromkeys(seats))


def _open(source: Source, upto: int) -> dict[Seat, Line]:
    """By seat, in the order in which they were proposed."""
    first = source.index.of_kinds(HELD, upto)[:1]
    proposed: dict[Seat, Line] = {}
    for line in source.lines[first[0] : upto + 1] if first else ():
        _take(proposed, line)
    return proposed


def _take(proposed: dict[Seat, Line], line: Line) -> None:
    for seat in _words(line):
        proposed.pop(seat, None)
    for seat, proposal in tuple(proposed.items()):
        counts = proposal.body["what"]["kind"] == RESIGN.name and line.body["at"] >= proposal.body["until"]
        if counts or proposal.seq == line.body.get("proposal"):
            del proposed[seat]
    if line.kind in HELD:
        proposed[Seat(line.body["what"]["seat"])] = line


def _words(line: Line) -> Iterator[Seat]:
    """The seats that speak in this record, or that somebody new takes."""
    files: list[JsonObject] = list(line.body.get("consents", ()))
    if "msg" in line.body:
        files.append(line.body["msg"])
    for file in files:
        yield Seat(file["body"]["seat"])


def _proposed(line: Line) -> Proposed:
    body = line.body
    by = tuple(dict.fromkeys(Seat(file["body"]["seat"]) for file in body["consents"]))
    return Proposed(line.seq, body["what"]["kind"], Seat(body["what"]["seat"]), by, body["until"])


# --- what an email is -------------------------------------------------------------------------------------

SHORT: Final = 8
"""Characters of a match's short name."""


class Kind(StrEnum):
    """Why an email is written. It decides the subject and the first sentences; the rest follows from the record."""

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
    """Somebody else is to have the reader's seat, or new keys in it, unless they write."""
    NOTICE = "notice"
    """The host recorded something that is nobody's turn: a pause, an absence, an extension, a substitute."""

    @property
    def answers(self) -> bool:
        """Whether it answers an email of its reader (RFC 3834 ``auto-replied``)."""
        return self in (Kind.ACCEPTED, Kind.STOPPED, Kind.REFUSED)

    @property
    def pictured(self) -> bool:
        """Whether the email shows the table as a picture: not a receipt, nor where nothing has changed there."""
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
        api = "" if self.is_below_api else f"&api={quote(self.api, safe=':/')}"
        secret = f"&code={self.code}" if self.code else f"&word={self.word}" if self.word else ""
        return f"#{query}{api}{secret}"

    @property
    def is_below_api(self) -> bool:
        """Whether the page is one folder below the API."""
        return bool(self.page) and self.page.removesuffix("/").rpartition("/")[0] == self.api

    @property
    def url(self) -> str:
        """The whole address; empty if the release has no page."""
        return self.page + self.fragment if self.page else ""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that goes with an email."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Deadline:
    """One entry of a calendar; ``due`` is UTC as records write it, ``holds`` is false if the entry is to go."""

    uid: str
    number: int
    due: str
    summary: str
    text: str
    holds: bool = True


@dataclass(frozen=True, slots=True)
class Letter:
    """Subject, text and HTML for one seat, and the new lines of the game file.

    ``attachment`` holds whole lines, each with its line feed, and is packed on its way if its name says so; it is
    empty when there is nothing new. ``extra`` are further files (a refusal's signed ``reject``). ``upto`` is the record
    that the email speaks up to: with ``seat`` and ``kind`` it names the email, as everything in it is a function of
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
"""Bytes of records from which on an email brings them packed; fewer can be read as they are."""


def attachment_name(game: bytes, first: int, last: int, size: int) -> str:
    """``game-7q3kdw1x-12-15.jsonl``: records 12 to 15; ``size`` bytes of them may be so many that they are packed."""
    return f"game-{short_id(game)}-{first}-{last}.jsonl{'.gz' if size >= PACKED_FROM else ''}"


# --- extras -----------------------------------------------------------------------------------------------
#
# What a host lays beside the record when they write emails: how they call the match, and the season it
# belongs to.
#
# Both come from the note that they keep with the match, so an email stays a function of the record and of
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
    """How the host calls the match (empty: they do not), and the season that it closes, if there is one.

    ``discreet``: the reader wants no result in a subject.
    """

    title: str = ""
    season: Season | None = None
    discreet: bool = False


NO_EXTRAS = LetterExtras()


def ranked(rows: Sequence[SeasonRow]) -> tuple[SeasonRow, ...]:
    """Most wins first, then the highest score."""
    return tuple(sorted(rows, key=lambda row: (-row.wins, -row.total)))


# --- who gets an email after a batch of records: one email a seat and batch at most ----------------------
#
# The sender gets their receipt; whoever is asked now is asked; everybody hears of the end of a seat's turn, of
# an epoch's worth of play (a hand, a turn of the game) and of the match, and of what the host recorded that
# concerns all. A mere draw is sent to its sender only. An email that is both receipt and anything else is the
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
    """Each seat that gets an email, with its kind, in seat order."""
    batch = source.lines[seq_from : seq_to + 1]
    standing = source.moment(seq_to).standing
    everybody = _everybody(batch, source.seats)
    if everybody is None and undone(source, seq_from - 1, seq_to):
        everybody = Kind.NOTICE
    concerned = {Seat(line.body["what"]["seat"]) for line, kind in _kinds(batch) if kind.proposes(line)}
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
    """The kind of an email that goes to all seats, by the most important thing that happened."""
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
        case Joins() | Host() | Paused() | Over():
            asks = False
        case _:
            assert_never(standing)
    return Kind.ASKED if asks else None


def _nudged(source: Source, batch: Sequence[Line], seat: Seat, standing: Standing) -> Kind | None:
    """A seat is called by a nudge if the match still waits for it."""
    waits = isinstance(standing, Decision | Answer) and standing.seat == seat
    called = waits and any(nudged_by(source.lines, line) == seat for line in batch)
    return Kind.TALK if called else None


def _single(batch: Sequence[Line], seat: Seat) -> Kind | None:
    if any(seat in kind.audience(line, (seat,)) for line, kind in _kinds(batch)):
        return Kind.NOTICE
    for line, body in messages(batch):
        addressed = any(tell["to"] == seat for tell in body.get("tell", ()))
        said = "say" in body and "steps" not in line.body  # with a result, the email about that says it
        if body["seat"] != seat and (addressed or said):
            return Kind.TALK
    return None
