"""Reactions under records and nudges: signed with a turn, judged by both verifiers, and by whom they are written to."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from pbem.game import JsonObject, Seat
from pbem.player.letters.letter import Kind
from pbem.protocol.audit import audit
from pbem.protocol.crypto.digest import b64
from pbem.protocol.formats.envelopes import make_entry, make_file
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.check_messages import REACTIONS, reactions
from pbem.protocol.record.line import write_line
from pbem.protocol.referee import Accepted
from tests.letters.batch import letters_for
from tests.verifier.node import verify_all
from tests.verifier.verdicts import codes_of_last
from tests.world import World, accepted

SEATS = ("anna", "burt", "curt")


def signed(world: World, seat: str, **gestures: Any) -> JsonObject:
    """A turn of nothing else, whatever it says."""
    who = world.people[Seat(seat)]
    head = {"game": b64(world.record.game), "seat": seat, "n": world.number(seat), "seen": world.head.seen}
    return make_file("turn", {**head, "actions": [], **gestures}, who.sign_key, who.sign_public)


@pytest.fixture
def world() -> World:
    """A match that waits for Anna or another one; whoever that is, is asked."""
    return World("wyatt-earp", SEATS, seed="gestures").start()


def under(seq: int, word: str = "clap") -> dict[str, Any]:
    """One reaction."""
    return {"react": [{"to": seq, "with": word}]}


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        (lambda world: under(world.head.seq + 1), "gesture"),
        (lambda _: {"react": [{"to": 2, "with": "wow"}, {"to": 2, "with": "ouch"}]}, "gesture"),
        (lambda _: {"nudge": "burt"}, "gesture"),
        (lambda _: {"nudge": "zoe"}, "gesture"),
        (lambda _: under(1, "boo"), "malformed"),
        (lambda _: {"react": []}, "malformed"),
        (lambda _: {"react": [{"to": seq, "with": "wow"} for seq in range(9)]}, "malformed"),
    ],
    ids=["not seen", "twice", "oneself", "a stranger", "a seventh", "none", "nine"],
)
def test_what_no_gesture_is_is_taken_by_no_host_and_no_reader(world: World, wrong: Any, code: str) -> None:
    file = signed(world, "burt", **wrong(world))
    with suppress(ValueError):  # of some the form is none: a host reads no such file
        assert not isinstance(world.judge(file), Accepted)
    good = {"msg": signed(world, "burt", **under(1))}
    line = write_line("turn", good, world.host, game=world.record.game, after=world.head, at=world.now)
    who = world.host
    raw = canon(make_entry(line.body | {"msg": file}, who.sign_key, who.sign_public, world.record.game))
    lines = [*world.lines, raw]
    assert codes_of_last(lines) == {code}


def test_both_readers_take_all_six_and_a_seats_newest_counts(world: World) -> None:
    for word in REACTIONS:
        accepted(world.send(signed(world, "curt", **under(1, word))))
    accepted(world.send(signed(world, "burt", react=[{"to": 0, "with": "wow"}, {"to": 1, "with": "ouch"}])))
    assert audit(world.lines).ok
    assert verify_all({"gestures": world.lines})["gestures"]["faults"] == []
    assert reactions(world.record.lines) == {1: {"curt": REACTIONS[-1], "burt": "ouch"}, 0: {"burt": "wow"}}


def written_to(world: World, sender: str) -> dict[str, Kind]:
    """Who gets an email for the newest record."""
    seq = world.head.seq
    return {letter.seat: letter.kind for letter in letters_for(world.record, seq, seq, Seat(sender))}


def test_nobody_is_written_to_for_reactions_alone(world: World) -> None:
    accepted(world.turn("curt", react={1: "laugh"}))
    body = world.head.body["msg"]["body"]
    assert not {"sealed", "orders"} & set(body)
    assert written_to(world, "curt") == {}
    accepted(world.turn("curt", react={1: "laugh"}, say="What a start"))
    assert set(written_to(world, "curt")) == set(SEATS)


def test_a_nudge_writes_to_who_is_waited_for_once_a_day(world: World) -> None:
    waiting = world.record.waiting
    assert waiting is not None
    asked = waiting["seat"]
    first, other = (seat for seat in SEATS if seat != asked)
    accepted(world.turn(first, nudge=asked))
    seq = world.head.seq
    letter = next(
        letter for letter in letters_for(world.record, seq, seq, Seat(first)) if letter.seat == asked
    )
    assert letter.text.startswith(f"{world.record.names[Seat(first)]} nudges you")
    assert letter.subject.startswith("Your turn")
    accepted(world.turn(other, nudge=asked))
    assert asked not in written_to(world, other)
    accepted(world.turn(other, nudge=first))
    assert first not in written_to(world, other)  # the match does not wait for it
    world.tick(25)
    accepted(world.turn(other, nudge=asked))
    assert written_to(world, other)[asked] is Kind.TALK
    assert audit(world.lines).ok
    assert verify_all({"nudges": world.lines})["nudges"]["faults"] == []
