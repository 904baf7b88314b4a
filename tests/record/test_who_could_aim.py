"""No draw is called fair that somebody could have chosen (schemas/README.md §4.4, §5)."""

from __future__ import annotations

import json

import pytest

from pbem.base.errors import RefusedError
from pbem.game import Seat
from pbem.protocol.audit import audit
from pbem.protocol.crypto.digest import b64
from pbem.protocol.formats.signed import make_file
from pbem.protocol.record.check_epochs import seats_to_burn
from pbem.protocol.referee import burn, perform_default
from pbem.protocol.referee.draft import Draft
from tests.verifier.node import verify_all
from tests.world import World, accepted


def defaulted(*, burned: bool) -> tuple[World, Seat]:
    """A hand of three in which the first to act misses its time while it owes a link; ``burned``: as a program does."""
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="aim").start()
    assert world.record.waiting is not None
    late = Seat(world.record.waiting["seat"])
    assert late in world.record.missing_links
    world.tick(96)
    if burned:
        world.take(perform_default(world.record, world.host, late, world.now))
        return world, late
    draft = Draft(world.record, world.host, world.now)
    play = draft.play()
    play.default(late)
    draft.add("default", {"epoch": play.table.epoch, "seat": late, **draft.result(play, failed=late)})
    world.take(draft.accepted())
    return world, late


def talk(world: World, seat: Seat) -> None:
    """A word of this seat, without the link that it owes."""
    who = world.people[seat]
    body = {
        "game": b64(world.record.game),
        "seat": seat,
        "n": world.number(seat),
        "seen": world.head.seen,
        "actions": [],
    }
    accepted(world.send(make_file("turn", {**body, "say": "I am back"}, who.sign_key, who.sign_public)))


def test_a_seat_that_wrote_after_its_default_is_not_overdue() -> None:
    """Else a host waits until he and the others know the next cut, burns, and lays the deck that he likes."""
    world, late = defaulted(burned=False)
    assert seats_to_burn(world.record.ledger, world.now) == (late,)
    talk(world, late)
    assert seats_to_burn(world.record.ledger, world.now) == ()
    with pytest.raises(RefusedError, match=f"the link of {late} is not overdue"):
        burn(world.record, world.host, world.now)


def test_a_draw_tells_who_could_have_chosen_it() -> None:
    world, late = defaulted(burned=True)
    others = tuple(seat for seat in world.record.seats if seat != late)
    assert [line.kind for line in world.record.lines[-3:]] == ["default", "burn", "announce"]
    while len([line for line in world.record.lines if line.kind == "open"]) < 2:
        waiting = world.record.waiting
        if waiting is not None and waiting["seat"] == late:
            world.tick(96)
            world.take(perform_default(world.record, world.host, late, world.now))
        elif not world.move():
            accepted(world.ready(world.record.missing_links[0]))
    opened = [line for line in world.record.lines if line.kind == "open"][-1]
    label = world.record.labels(opened.seq)[0]
    assert (label.label, label.again, label.thrown_away) == ("fair", (late,), 1)
    assert (label.left_out, label.cut_by) == ((late,), others)
    first = next(line for line in world.record.lines if line.kind == "open")
    assert world.record.labels(first.seq)[0].left_out == ()
    ours = {epoch["epoch"]: epoch for epoch in audit(world.lines).to_json()["epochs"]}
    laid = opened.body["epoch"]
    assert (ours[laid]["again"], ours[laid]["thrown_away"], ours[laid]["left_out"]) == ([late], 1, [late])
    theirs = {epoch["number"]: epoch for epoch in verify_all({"aim": world.lines})["aim"]["epochs"]}
    assert (theirs[laid]["again"], theirs[laid]["thrownAway"], theirs[laid]["leftOut"]) == ([late], 1, [late])
    assert theirs[laid]["cutBy"] == json.loads(json.dumps(others))
