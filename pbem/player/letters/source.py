"""What a letter is written from: the read-only face of a record, and nothing else.

``Source`` is a ``Protocol``: the record of ``pbem.protocol.record`` fits it, and so does a fake in a test. It holds
public things only. Packets pass through as sealed bytes inside ``Line.raw``; no module of this package opens one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from pbem.base.language import Clock, clock_of
from pbem.base.values import dataclass
from pbem.game import AnyRules, GameInfo, JsonObject, Seat
from pbem.protocol.record.deadlines import Moment
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.kinds.propose import PROPOSE
from pbem.protocol.record.kinds.resign import RESIGN
from pbem.protocol.record.line import Index, Indexed
from pbem.protocol.record.record import Label


class Line(Indexed, Protocol):
    """One record of the game file."""

    @property
    def hash(self) -> bytes:
        """SHA-256 of ``raw``."""

    @property
    def raw(self) -> bytes:
        """The line as it stands in the file, without its line feed."""


class Source(Protocol):
    """A verified record, as far as letters need it."""

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
"""Records with a join: it names the player, his language and his zone."""


def messages(lines: Sequence[Line]) -> list[tuple[Line, JsonObject]]:
    """Every record that holds a player's message, with the body he signed."""
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
    """The language tag that the player of this seat wrote into his join; ``en`` before there is one."""
    return joined_in(source, seat, upto)[1]


def joined_in(source: Source, seat: Seat, upto: int) -> tuple[str, str]:
    """When the player of this seat joined, and the language tag of that join; empty and ``en`` if nobody has."""
    joins = [(line, body) for line, body in _joins(source, upto) if body["seat"] == seat]
    return (str(joins[-1][0].body["at"]), str(joins[-1][1]["lang"])) if joins else ("", "en")


def last_seen(source: Source, seat: Seat, upto: int) -> int:
    """The newest record that this seat has signed to have seen; −1 if it has signed nothing yet.

    What a seat surely holds is what it signed to have seen, whatever became of earlier letters.
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
    """The clock of a reader after record ``upto``: in his zone, or that of the match, or UTC."""
    return clock_of(zone_of(source, reader if reader is not None else Seat(""), upto))


def zone_of(source: Source, seat: Seat, upto: int) -> str:
    """The zone in which this seat's player reads times: his own, else that of the match; empty if nobody named one."""
    own = [str(body.get("zone", "")) for _, body in _joins(source, upto) if body["seat"] == seat]
    return (own[-1] if own else "") or str(source.genesis["deadlines"].get("zone", ""))


def _joins(source: Source, upto: int) -> list[tuple[Line, JsonObject]]:
    lines = source.lines
    return messages([lines[seq] for seq in source.index.of_kinds(_ARRIVALS, upto)])


# --- what is proposed about a seat: a function of the lines, like all that letters say ---------------------

HELD = (PROPOSE.name, RESIGN.name)
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
    return tuple(_read(line) for line in _open(source, upto).values())


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
        counts = proposal.body["what"]["kind"] == proposal.kind and line.body["at"] >= proposal.body["until"]
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


def _read(line: Line) -> Proposed:
    body = line.body
    by = tuple(dict.fromkeys(Seat(file["body"]["seat"]) for file in body["consents"]))
    return Proposed(line.seq, body["what"]["kind"], Seat(body["what"]["seat"]), by, body["until"])
