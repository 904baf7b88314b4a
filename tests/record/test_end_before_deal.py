"""A match in which nothing was dealt yet is ended by those who are there, once who is gone has had their time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.base.errors import RefusedError
from pbem.game import JsonObject, Seat
from pbem.protocol.audit import audit
from pbem.protocol.record import Deadlines
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.record.kinds.agreements import must_agree
from pbem.protocol.referee import Held, end_early, extend
from tests.hostile.seats import clean, forged
from tests.verifier.node import verify_all
from tests.verifier.verdicts import codes_of_last, with_record
from tests.world import START, World, accepted

THREE = ("anna", "burt", "curt")
END: JsonObject = {"kind": "end", "why": "nobody comes"}
LIMIT = 96
"""Hours to answer, and those of grace."""


def nobody_else_joins(world: World) -> str:
    accepted(world.join("anna"))
    return START


def two_join_and_one_falls_silent(world: World) -> str:
    world.tick(5)
    accepted(world.join("burt"))
    asked = world.now
    accepted(world.join("anna"))
    return asked


def one_gives_no_part_of_the_shuffle(world: World) -> str:
    for seat in THREE:
        accepted(world.join(seat))
    for seat in ("anna", "burt"):
        accepted(world.ready(seat))
    return world.now


def all_others_have_given_theirs_and_are_gone(world: World) -> str:
    for seat in THREE:
        accepted(world.join(seat))
    world.tick(7)
    accepted(world.ready("burt"))
    return world.now


GONE = pytest.mark.parametrize(
    "gone",
    [
        nobody_else_joins,
        two_join_and_one_falls_silent,
        one_gives_no_part_of_the_shuffle,
        all_others_have_given_theirs_and_are_gone,
    ],
)


@GONE
@pytest.mark.parametrize("then", ["default", "wait"])
def test_who_is_left_ends_it_when_the_time_of_the_others_is_over(
    gone: Callable[[World], str], then: str
) -> None:
    world = World("wyatt-earp", THREE, deadlines=Deadlines(then=then), seed="nobody comes")
    since = gone(world)
    world.now = plus_hours(since, LIMIT - 1)
    early = world.send(world.consent("anna", END))
    assert isinstance(early, Held)
    world.now = plus_hours(since, LIMIT)
    done = accepted(world.send(world.consent("anna", END)))
    assert [line.kind for line in done.lines] == ["end"]
    assert done.lines[0].body["outcome"] == {"winners": []}
    clean(world)


def test_who_has_written_lately_must_agree() -> None:
    world = World("wyatt-earp", THREE, seed="talking")
    for seat in ("anna", "burt"):
        accepted(world.join(seat))
    world.tick(LIMIT)
    accepted(world.turn("burt", say="I am still here"))
    assert isinstance(world.send(world.consent("anna", END)), Held)
    assert must_agree(world.record.ledger, END, world.now) == ("burt",)  # anna is late herself
    kept = [world.consent("anna", END)]
    accepted(world.send(world.consent("burt", END), kept))
    clean(world)


def test_more_time_and_a_pause_are_counted() -> None:
    world = World("wyatt-earp", THREE, seed="paused before the deal")
    for seat in THREE:
        accepted(world.join(seat))
    accepted(world.ready("anna"))
    world.take(extend(world.record, world.host, Seat("curt"), world.later(500), world.now))
    world.tick(LIMIT)
    assert must_agree(world.record.ledger, END, world.now) == ("burt", "curt")
    accepted(world.agree(world.pause(240), *THREE))
    world.tick(239)
    assert must_agree(world.record.ledger, END, world.now) == THREE
    world.tick(1 + LIMIT - 1)
    assert set(must_agree(world.record.as_of(world.now).ledger, END, world.now)) == set(THREE)
    world.tick(1)
    assert "anna" not in must_agree(world.record.as_of(world.now).ledger, END, world.now)


@pytest.mark.parametrize("hours", [LIMIT - 1, LIMIT])
def test_both_verifiers_know_whose_time_is_over(hours: int) -> None:
    world = World("wyatt-earp", THREE, seed="verified")
    accepted(world.join("anna"))
    world.now = plus_hours(START, hours)
    members = {
        "what": END,
        "consents": [world.consent("anna", END)],
        "outcome": {"winners": []},
        "opened": [],
    }
    lines = with_record(world, "end", members)
    assert [fault.code for fault in audit(lines).faults] == ([] if hours == LIMIT else ["consent", "consent"])
    assert codes_of_last(lines) == (set() if hours == LIMIT else {"consent"})


def test_the_host_alone_ends_nothing() -> None:
    world = World("wyatt-earp", THREE, seed="alone")
    accepted(world.join("anna"))
    world.tick(LIMIT * 10)
    bare = {"outcome": {"winners": []}, "opened": []}
    assert forged(world, "end", {"what": END, "consents": [], **bare}) == "consent"
    (fault, _) = audit(with_record(world, "end", bare)).faults
    assert (fault.step, fault.code) == (10, "early")
    theirs = verify_all({"ends": with_record(world, "end", bare)})["ends"]["faults"]
    assert [(fault["step"], fault["code"]) for fault in theirs] == [(10, "early")]


def test_once_a_hand_was_dealt_all_must_agree() -> None:
    world = World("wyatt-earp", THREE, seed="dealt").start()
    world.tick(LIMIT * 10)
    assert must_agree(world.record.ledger, END, world.now) == THREE


def test_where_everybody_is_gone_the_host_still_needs_somebody() -> None:
    world = World("wyatt-earp", THREE, seed="all gone")
    accepted(world.join("anna"))
    world.tick(LIMIT * 10)
    assert must_agree(world.record.ledger, END, world.now) == ()
    with pytest.raises(RefusedError, match="nobody has agreed"):
        end_early(world.record, world.host, END["why"], [], world.now)
    world.take(end_early(world.record, world.host, END["why"], [world.consent("anna", END)], world.now))
    clean(world)
