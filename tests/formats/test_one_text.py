"""A string that two honest readers could judge otherwise (schemas/README.md §1.1), wherever it is put.

The first of each kind stood in a record, and the match was good for one Python and broken for another.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import pytest

from pbem.game import JsonObject
from pbem.protocol.audit import audit
from pbem.protocol.client import compose_join
from pbem.protocol.crypto.digest import b64
from pbem.protocol.formats.envelopes import make_entry, make_file
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.line import write_line
from pbem.protocol.referee import Accepted
from tests.formats.test_unicode import compare
from tests.verifier.node import verify_all
from tests.world import World

REFUSED: Final = {
    "a mark of 15.0 behind one that belongs after it": "b\u0301\U00010efd",
    "a mark of 15.0 before one that belongs before it": "e\U0001e08f\u0323",
    "another mark of 15.0, of another class": "n\U0001e4ec\u0323",
    "a mark that a later release brings": "\u0628\u0897\u064d",
    "a letter and its mark that a later release makes one": "\U000105d2\u0307",
    "an emoji of a later release": "well \U0001fae9",
    "a character for private use": "\ue000",
    "a code point that never is a character": "\ufdd0",
    "the last code point of all": "\U0010ffff",
}
TAKEN: Final = {
    "the same mark where it belongs": "b\U00010efd\u0301",
    "an emoji of 15.0": "\U0001f6dc",
    "a character of 15.0 in another plane": "\U00031350",
    "a character of the pinned release": "\u2ffc",
}


@cache
def begun() -> World:
    return World("wyatt-earp", ("anna", "burt", "curt"), seed="one text").start()


@cache
def invited() -> World:
    return World("wyatt-earp", ("anna", "burt", "curt"), seed="one text")


def talk(text: str) -> tuple[World, str, JsonObject]:
    """Burt says it."""
    world = begun()
    head = {
        "game": b64(world.record.game),
        "seat": "burt",
        "n": world.number("burt"),
        "seen": world.head.seen,
    }
    who = world.people[world.record.seats[1]]
    body = {**head, "actions": [], "say": text}
    return world, "turn", make_file("turn", body, who.sign_key, who.sign_public)


def name(text: str) -> tuple[World, str, JsonObject]:
    """Anna joins under it."""
    world = invited()
    who = world.people[world.record.seats[0]]
    file = compose_join(world.copy(), who, "anna", name="Anna")
    return world, "join", make_file("join", {**file["body"], "name": text}, who.sign_key, who.sign_public)


PLACES: Final = {"talk": talk, "a name": name}


def signed(world: World, kind: str, file: JsonObject, honest: JsonObject) -> list[bytes]:
    """The match with this file in it, by a host who signs whatever comes."""
    host = world.host
    line = write_line(kind, {"msg": honest}, host, game=world.record.game, after=world.head, at=world.now)
    entry = make_entry(line.body | {"msg": file}, host.sign_key, host.sign_public, world.record.game)
    return [*world.lines, canon(entry)]


@cache
def files() -> dict[tuple[str, str], list[bytes]]:
    members = {}
    for place, at in PLACES.items():
        for title, text in {**REFUSED, **TAKEN}.items():
            world, kind, file = at(text)
            members[place, title] = signed(world, kind, file, at("well")[2])
    return members


@cache
def by_js() -> dict[str, JsonObject]:
    return verify_all({f"{place}: {title}": lines for (place, title), lines in files().items()})


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("title", REFUSED)
def test_what_divides_readers_is_taken_by_no_host_and_no_reader(title: str, place: str) -> None:
    world, _, file = PLACES[place](REFUSED[title])
    assert not isinstance(world.judge(file), Accepted)
    lines = files()[place, title]
    assert {fault.seq for fault in audit(lines).faults} == {len(lines) - 1}
    assert {fault["record"] for fault in by_js()[f"{place}: {title}"]["faults"]} == {len(lines) - 1}


@pytest.mark.parametrize("title", TAKEN)
def test_and_what_the_pinned_release_has_is_taken_by_all(title: str) -> None:
    world, _, file = talk(TAKEN[title])
    assert isinstance(world.judge(file), Accepted)
    assert audit(files()["talk", title]).ok
    assert by_js()[f"talk: {title}"]["faults"] == []


def test_every_python_and_node_say_the_same_of_all_of_them() -> None:
    strings = [*REFUSED.values(), *TAKEN.values()]
    for said in compare(strings).values():
        assert said == [0] * len(REFUSED) + [1] * len(TAKEN)
