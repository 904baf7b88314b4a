"""What a cheat is, the list of them, and how to find the place where one can be put.

A **cheat** is a function from a ``Forge`` (an honest match in dishonest hands) to changed lines, or None where this
match offers no occasion. ``CHEATS`` lists them all. ``step`` and ``code`` name the fault that it must cause
(schemas/README.md §11, codes as in ``pbem.protocol.record``; a forged file has others too, from what follows).
``seen`` says when it is found: ``at once``, or at the ``close`` of the epoch. ``by`` says who must cheat: the
``host`` (he signs records), an ``editor`` of the file without any key, or a ``player`` together with the host.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64, unb64
from tests.forge import Bodies, Forge

Lines = list[bytes]
Make = Callable[[Forge], "Lines | None"]


@dataclass(frozen=True, slots=True)
class Cheat:
    """One way to falsify a match."""

    name: str
    step: int
    code: str
    by: str
    seen: str
    make: Make


@dataclass(frozen=True, slots=True)
class Tampered:
    """A falsified file."""

    cheat: Cheat
    lines: Lines

    @property
    def name(self) -> str:
        """What was done."""
        return self.cheat.name


CHEATS: Final[list[Cheat]] = []


def cheat(
    name: str, step: int, code: str, *, by: str = "host", seen: str = "at once"
) -> Callable[[Make], Make]:
    """Register a cheat under its name in plain words."""

    def register(make: Make) -> Make:
        CHEATS.append(Cheat(name, step, code, by, seen, make))
        return make

    return register


# --- finding a place -----------------------------------------------------------------------------------------


def first(bodies: Bodies, test: Callable[[JsonObject], object], after: int = 0) -> JsonObject | None:
    return next((body for body in bodies[after:] if test(body)), None)


def of_kind(kind: str) -> Callable[[JsonObject], bool]:
    return lambda body: body["kind"] == kind


def record_with(kind: str, member: str = "kind") -> Callable[[Bodies], JsonObject | None]:
    """Finds the first record of a kind that has a member."""
    return lambda bodies: first(bodies, lambda b: b["kind"] == kind and member in b)


def chance_where(bodies: Bodies, test: Callable[[JsonObject], object]) -> JsonObject | None:
    entries = (e for b in bodies for step in b.get("steps", ()) for e in step["chance"])
    return next((entry for entry in entries if test(entry)), None)


def changed(
    forge: Forge, find: Callable[[Bodies], JsonObject | None], change: Callable[[JsonObject], None]
) -> Lines | None:
    """The file in which the thing that ``find`` finds was changed."""
    bodies = forge.bodies()
    body = find(bodies)
    if body is None:
        return None
    change(body)
    return forge.write(bodies)


def flipped(text: str) -> str:
    """Another value of the same length, in base64url."""
    raw = bytearray(unb64(text))
    raw[0] ^= 1
    return b64(bytes(raw))


_ACTIONS: Final[dict[str, list[JsonObject]]] = {
    "wyatt-earp": [{"do": "draw", "from": "supply"}, {"do": "draw", "from": "discard"}],
    "way-out-west": [{"do": "pass"}, {"do": "drop-out"}],
}
"""Two actions of each game: a record may hold them anywhere, so what a lie about them is found by is never the form."""


def other_action(forge: Forge, than: JsonObject | None = None) -> JsonObject:
    """A proper action of this match's game that is not ``than``."""
    actions = _ACTIONS[forge.world.game]
    return dict(next(action for action in actions if action != than))


def face_up(entry: JsonObject) -> bool:
    return entry.get("to") == "table"


def acting(body: JsonObject) -> bool:
    return body["kind"] == "turn" and "steps" in body


def without(bodies: Bodies, body: JsonObject) -> Bodies:
    return [other for other in bodies if other is not body]


def the_announce(bodies: Bodies) -> JsonObject | None:
    return first(bodies, of_kind("announce"))


def the_close(bodies: Bodies) -> JsonObject | None:
    return first(bodies, of_kind("close"))


def some_packets(bodies: Bodies) -> JsonObject | None:
    body = first(bodies, lambda b: acting(b) and "packets" in b)
    return body["packets"] if body else None


def in_last_record(forge: Forge, change: Callable[[JsonObject], None]) -> Lines | None:
    return changed(forge, lambda bodies: bodies[-1], change)


def is_roll(entry: JsonObject) -> bool:
    return "roll" in entry
