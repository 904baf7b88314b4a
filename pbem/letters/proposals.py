"""What is proposed about a seat, as letters tell it: a function of the lines, like all that they say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pbem.game import JsonObject, Seat
from pbem.letters.source import Line


@dataclass(frozen=True, slots=True)
class Proposed:
    """An open proposal: ``what`` by whom, from when on it may be carried out."""

    seq: int
    kind: str
    seat: Seat
    by: tuple[Seat, ...]
    until: str


def open_proposals(lines: Sequence[Line]) -> tuple[Proposed, ...]:
    """The proposals that are open after these lines."""
    return tuple(_read(line) for line in _fold(lines).values())


def undone(lines: Sequence[Line], since: int) -> tuple[Seat, ...]:
    """Seats whose own word, in a record after ``since``, undid what was proposed about them."""
    found: list[Seat] = []
    proposed = _fold(lines[: since + 1])
    for line in lines[since + 1 :]:
        found += [seat for seat in _words(line) if seat in proposed]
        _take(proposed, line)
    return tuple(dict.fromkeys(found))


def _fold(lines: Sequence[Line]) -> dict[Seat, Line]:
    proposed: dict[Seat, Line] = {}
    for line in lines:
        _take(proposed, line)
    return proposed


def _take(proposed: dict[Seat, Line], line: Line) -> None:
    for seat in _words(line):
        proposed.pop(seat, None)
    if line.kind == "propose":
        proposed[Seat(line.body["what"]["seat"])] = line
    for seat, one in tuple(proposed.items()):
        if one.seq == line.body.get("proposal"):
            del proposed[seat]


def _words(line: Line) -> Iterator[Seat]:
    """The seats that speak in this record; a newcomer's join is no word of his forerunner's."""
    files: list[JsonObject] = list(line.body.get("consents", ()))
    if "msg" in line.body and line.kind != "substitute":
        files.append(line.body["msg"])
    for file in files:
        yield Seat(file["body"]["seat"])


def _read(line: Line) -> Proposed:
    body = line.body
    by = tuple(dict.fromkeys(Seat(file["body"]["seat"]) for file in body["consents"]))
    return Proposed(line.seq, body["what"]["kind"], Seat(body["what"]["seat"]), by, body["until"])
