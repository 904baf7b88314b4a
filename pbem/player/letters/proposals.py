"""What is proposed about a seat, as letters tell it: a function of the lines, like all that they say."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.player.letters.source import Line, Source

_ENDS = ("rekey", "substitute", "withdraw")
"""Records that may name the proposal that they end."""


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
    if not source.index.of_kinds(("propose",), upto):
        return ()
    found: list[Seat] = []
    proposed = _open(source, since)
    for line in source.lines[since + 1 : upto + 1]:
        found += [seat for seat in _words(line) if seat in proposed]
        _take(proposed, line)
    return tuple(dict.fromkeys(found))


def _open(source: Source, upto: int) -> dict[Seat, Line]:
    """By seat, in the order in which they were proposed."""
    made = [source.lines[seq] for seq in source.index.of_kinds(("propose",), upto)]
    ends = [source.lines[seq] for seq in source.index.of_kinds(_ENDS, upto)] if made else []
    ended = {line.body.get("proposal") for line in ends}
    proposed: dict[Seat, Line] = {}
    for line in made:
        seat = Seat(line.body["what"]["seat"])
        proposed.pop(seat, None)
        if line.seq not in ended and not source.index.spoke(seat, line.seq, upto):
            proposed[seat] = line
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
