"""Every member that the host writes is bound, or it is the host's word, and then it is named here.

schemas/README.md §11.1 has the table. One match has each kind of record; each member in turn gets another value of its
own form, and the host signs that and all that follows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

import pytest

from pbem.game import Json, JsonObject
from pbem.protocol.audit import audit
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.record.deadlines import plus_hours
from tests.forge import Forge, body_of
from tests.verifier.matches import PAPER, match

Path: TypeAlias = tuple[str | int, ...]

WORDS: Final = {
    ("extend", "due"): "how much more time the host gives",
    ("announce", "commit"): "of a deal that never comes it commits to nothing",
    ("announce", "decks", "main", "leaves"): "the same",
    ("announce", "tapes", "public", "anchor"): "the same",
    ("announce", "tapes", "public", "length"): "the same",
    ("burn", "missing"): "of several who are late, which the host names",
    ("rekey", "packets", "anna", "commit"): "before the first deal only its seat can check what it is told",
    ("rewind", "what", "to", "seq"): "the forge names the record that stands there, in the consents too",
}
"""The members that may be otherwise and not everybody can say so, and why."""
MATCHES: Final = (
    "wyatt-earp-agreed", "wyatt-earp-rewound", "wyatt-earp-fresh", "wyatt-earp-early", "way-out-west-burned"
)  # fmt: skip
"""Between them they have each kind of record."""
SIGNED: Final = frozenset({"msg", "consents"})
"""What players signed stays theirs: another value has no signature."""
PLACED: Final = frozenset({"kind", "seq", "prev", "at"})
"""Every record has these: the chain and the order of times."""


def leaves(value: Json, path: Path = ()) -> Iterator[Path]:
    """The paths to all that is no container, what players signed left out."""
    if isinstance(value, dict):
        for name, inside in value.items():
            if not (not path and name in SIGNED | PLACED | {"_was"}):
                yield from leaves(inside, (*path, name))
    elif isinstance(value, list):
        for index, inside in enumerate(value):
            yield from leaves(inside, (*path, index))
    else:
        yield path


def member(kind: str, path: Path) -> tuple[str, ...]:
    """What the path is called, whichever of a list or of several seats it is."""
    return (kind, *(name for name in path if isinstance(name, str)))


def get(body: JsonObject, path: Path) -> Json:
    value: Json = body
    for name in path:
        value = value[name]
    return value


def put(body: JsonObject, path: Path, value: Json) -> None:
    inside = get(body, path[:-1])
    inside[path[-1]] = value


def another(value: Json, seats: tuple[str, ...]) -> Json:
    """Another value of the same form."""
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case str() if value in seats:
            return seats[(seats.index(value) + 1) % len(seats)]
        case str() if value[-1:] == "Z" and value[4:5] == "-":
            return plus_hours(value, 1)
        case str() if len(value) in (22, 43, 86):
            raw = bytearray(unb64(value))
            raw[0] ^= 1
            return b64(bytes(raw))
        case _:
            return f"{value}x"


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if at else []) for at, name in enumerate(MATCHES)]
)
def test_every_member_of_the_host_is_bound_or_named_as_the_hosts_word(name: str) -> None:
    world = match(name)
    forge = Forge(world, [PAPER])
    places: dict[tuple[str, ...], tuple[int, Path]] = {}
    for seq, raw in enumerate(world.lines[1:], start=1):
        body = body_of(raw)
        for path in leaves(body):
            places[member(body["kind"], path)] = (seq, path)  # the last one: least is signed again
    loose = set()
    for place, (seq, path) in places.items():
        bodies = forge.bodies()
        put(bodies[seq], path, another(get(bodies[seq], path), tuple(world.seats)))
        if audit(forge.write(bodies)).ok:
            loose.add(place)
    assert {place for place in loose if place not in WORDS} == set()


def test_a_why_of_the_host_and_a_profile_are_no_members() -> None:
    """What a host could write beside what all agreed to."""
    forge = Forge(match("wyatt-earp-agreed"), [PAPER])
    for kind, members in (("end", {"why": "burt was caught cheating"}), ("genesis", {"profile": "french"})):
        bodies = forge.bodies()
        next(body for body in bodies if body["kind"] == kind).update(members)
        assert {(fault.step, fault.code) for fault in audit(forge.write(bodies)).faults} <= {
            (1, "malformed"),
            (1, "genesis"),
        }
