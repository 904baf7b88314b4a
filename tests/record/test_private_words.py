"""A private word goes to a seat of the match and to nobody else (schemas/README.md §6, fault 2)."""

from __future__ import annotations

import pytest

from pbem.game import JsonObject
from pbem.protocol.audit import audit
from pbem.protocol.crypto.digest import b64
from pbem.protocol.formats.envelopes import make_entry, make_file
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.line import write_line
from pbem.protocol.referee import Accepted
from tests.verifier.node import verify_all
from tests.world import World, accepted

NOBODY = (
    "zoe",
    "dora",
    "anna-2",
    "a",
    "anna-",
    "burtt",
    "x" * 16,
    "table",
    "public",
    "supply",
    "nobody",
    "both",
)
"""Names that could be seats of another match, almost a seat of this one, and words that are none."""


def word(world: World, to: str, **more: object) -> JsonObject:
    """A word of Burt's in the form that every private word has."""
    who = world.people[world.record.seats[1]]
    head = {
        "game": b64(world.record.game),
        "seat": "burt",
        "n": world.number("burt"),
        "seen": world.head.seen,
    }
    body = {**head, "actions": [], "tell": [{"to": to, "ct": b64(bytes(560))}], **more}
    return make_file("turn", body, who.sign_key, who.sign_public)


@pytest.mark.parametrize("to", NOBODY)
def test_a_word_to_nobody_is_taken_by_no_host_and_no_reader(to: str) -> None:
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="words").start()
    file = word(world, to)
    ruling = world.judge(file)
    assert not isinstance(ruling, Accepted)
    line = write_line(
        "turn",
        {"msg": word(world, "anna")},
        world.host,
        game=world.record.game,
        after=world.head,
        at=world.now,
    )
    who = world.host
    raw = canon(make_entry(line.body | {"msg": file}, who.sign_key, who.sign_public, world.record.game))
    lines = [*world.lines, raw]
    assert not audit(lines).ok
    assert verify_all({"word": lines})["word"]["faults"]


@pytest.mark.parametrize("to", ["anna", "curt"])
def test_a_word_to_a_seat_is_taken(to: str) -> None:
    """Whatever is in it: only its owner can open it."""
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="words").start()
    accepted(world.send(word(world, to)))
    assert audit(world.lines).ok
    assert verify_all({"word": world.lines})["word"]["faults"] == []
