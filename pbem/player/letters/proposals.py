"""What is proposed about a seat, as letters tell it: a function of the lines, like all that they say."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.player.letters.source import Line, Source
from pbem.protocol.record.kinds.propose import PROPOSE
from pbem.protocol.record.kinds.resign import RESIGN

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
    found: list[Seat] = []
    proposed = _open(source, since)
    for line in source.lines[since + 1 : upto + 1]:
        found += [seat for seat in _words(line) if seat in proposed]
        _take(proposed, line)
    return tuple(dict.fromkeys(found))


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
    for seat, one in tuple(proposed.items()):
        counts = one.body["what"]["kind"] == one.kind and line.body["at"] >= one.body["until"]
        if counts or one.seq == line.body.get("proposal"):
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
