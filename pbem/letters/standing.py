"""Where a match stands after a given record: a function of the lines up to it, so that an old letter can be made again.

At the head the record itself knows better when an answer is due (it takes in pauses and absences); for any earlier
record the newest ``due`` of the lines decides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pbem.game import JsonObject, Seat
from pbem.letters.source import Line, Source


@dataclass(frozen=True, slots=True)
class Standing:
    """Who or what the match waits for."""

    public: JsonObject | None
    seat: Seat | None
    phase: str
    due: str | None
    over: bool
    paused: bool
    unjoined: tuple[Seat, ...]
    """Seats without a player, before the first announcement."""
    unready: tuple[Seat, ...]
    """Seats whose link the next epoch waits for while nobody has to act."""
    lost: tuple[Seat, ...] = ()
    """Those of them whose link nobody can give any more: the seat was taken over after the epoch was laid."""


def standing_at(source: Source, upto: int) -> Standing:
    """The standing after record ``upto``."""
    lines = source.lines[: upto + 1]
    head = upto == source.lines[-1].seq
    result = None if head else _result(lines)
    public = source.public if head else result.body["public"] if result else None
    over = any(line.kind == "end" for line in lines)
    waiting = (source.waiting if head else _waiting(lines, result)) or {}
    seat = None if over or not waiting else Seat(waiting["seat"])
    return Standing(
        public=public,
        seat=seat,
        phase=str(waiting.get("phase", "")),
        due=None if over else (source.due if head else None) or _due(lines, seat),
        over=over,
        paused=_paused(lines),
        unjoined=_unjoined(lines, source.seats),
        unready=() if over or seat else _unready(lines),
        lost=() if over or seat else _lost(lines),
    )


def messages(lines: Sequence[Line]) -> Iterator[tuple[Line, JsonObject]]:
    """Every record that holds a player's message, with the body he signed."""
    for line in lines:
        message = line.body.get("msg")
        if message is not None:
            yield line, message["body"]


def names_at(lines: Sequence[Line], seats: Sequence[Seat]) -> dict[Seat, str]:
    """The players' names as these lines have them; a seat that nobody has taken yet is called by its id."""
    names = {seat: str(seat) for seat in seats}
    names.update({Seat(body["seat"]): body["name"] for _, body in messages(lines) if "name" in body})
    return names


def tag_of(lines: Sequence[Line], seat: Seat) -> str:
    """The language tag that the player of this seat wrote into his join; ``en`` before there is one."""
    return next(
        (
            str(body["lang"])
            for _, body in reversed(list(messages(lines)))
            if body["seat"] == seat and "lang" in body
        ),
        "en",
    )


def joined_in(lines: Sequence[Line], seat: Seat) -> tuple[str, str]:
    """When the player of this seat joined, and the language tag of that join; empty and ``en`` if nobody has."""
    joins = [line for line, body in messages(lines) if body["seat"] == seat and "lang" in body]
    return (str(joins[-1].body["at"]), tag_of(lines, seat)) if joins else ("", "en")


def last_seen(lines: Sequence[Line], seat: Seat) -> int:
    """The newest record that this seat has signed to have seen; −1 if it has signed nothing yet.

    What a seat surely holds is what it signed to have seen, whatever became of earlier letters.
    """
    seen = [body["seen"]["seq"] for _, body in messages(lines) if body["seat"] == seat and "seen" in body]
    return max(seen, default=-1)


def last_own_turn(lines: Sequence[Line], seat: Seat) -> int:
    """The newest record with a result that came from this seat's own file; −1 if there is none."""
    own = [line.seq for line, body in messages(lines) if body["seat"] == seat and "steps" in line.body]
    return max(own, default=-1)


def _waiting(lines: Sequence[Line], result: Line | None) -> JsonObject | None:
    """Nobody is awaited between two epochs, whatever the view says: after a close, or a result without ``due``."""
    spans = [line.kind for line in lines if line.kind in ("open", "close")]
    if result is None or "due" not in result.body or not spans or spans[-1] == "close":
        return None
    waiting: JsonObject | None = result.body["public"].get("waiting")
    return waiting


def _result(lines: Sequence[Line]) -> Line | None:
    """The newest record whose public view holds."""
    results: dict[int, Line] = {}
    latest: Line | None = None
    for line in lines:
        if line.kind == "rewind":
            latest = results.get(line.body["what"]["to"]["seq"], latest)
        elif "public" in line.body:
            latest = results[line.seq] = line
    return latest


def _due(lines: Sequence[Line], seat: Seat | None) -> str | None:
    """Untold, where the newest result asks for links by having none itself (schemas/README.md §10.3)."""
    due: str | None = None
    for line in lines:
        if seat is None and "public" in line.body:
            due = None  # a close tells it anew
        wanted = "steps" in line.body if seat else line.kind in ("announce", "close")
        extended = line.kind == "extend" and line.body["seat"] == seat
        if "due" in line.body and (wanted or extended):
            due = line.body["due"]
    return due


def _paused(lines: Sequence[Line]) -> bool:
    turns = [line for line in lines if line.kind in ("pause", "resume")]
    if not turns or turns[-1].kind == "resume":
        return False
    until = turns[-1].body["what"].get("until")  # a pause with an end is over then, without a record
    return until is None or str(until) > str(lines[-1].body["at"])


def _unjoined(lines: Sequence[Line], seats: Sequence[Seat]) -> tuple[Seat, ...]:
    joined = {line.body["msg"]["body"]["seat"] for line in lines if line.kind == "join"}
    return tuple(seat for seat in seats if seat not in joined)


def _lost(lines: Sequence[Line]) -> tuple[Seat, ...]:
    """The seats that were taken over with a new chain since the newest announcement, without their link in it."""
    newest = max((line.seq for line in lines if line.kind == "announce"), default=len(lines))
    bodies = {line.seq: line.body for line in lines}
    taken = [
        line.body["msg"]["body"]["seat"]
        if "msg" in line.body
        else bodies[line.body["proposal"]]["what"]["seat"]
        for line in lines[newest:]
        if line.kind == "substitute" or (line.kind == "rekey" and "proposal" in line.body)
    ]
    return tuple(seat for seat in _unready(lines) if seat in taken)


def _unready(lines: Sequence[Line]) -> tuple[Seat, ...]:
    announced = next((line.body for line in reversed(lines) if line.kind == "announce"), None)
    if announced is None:
        return ()
    epoch = announced["epoch"]
    if any(line.kind in ("open", "burn") and line.body["epoch"] == epoch for line in lines):
        return ()
    linked = {body["seat"] for _, body in messages(lines) if body.get("link", {}).get("epoch") == epoch}
    return tuple(Seat(seat) for seat in announced["seats"] if seat not in linked)
