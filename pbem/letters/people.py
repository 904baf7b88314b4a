"""Who the readers are, from the lines up to a record.

Names, languages, zones, and what each has signed to have seen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.game import JsonObject, Seat
from pbem.letters.source import Line


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


def zone_of(lines: Sequence[Line], seat: Seat) -> str:
    """The zone in which this seat's player reads times: his own, else that of the match; empty if nobody named one."""
    own = [
        str(body.get("zone", "")) for _, body in messages(lines) if body["seat"] == seat and "lang" in body
    ]
    return (own[-1] if own else "") or str(lines[0].body["deadlines"].get("zone", ""))
