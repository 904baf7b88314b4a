"""No draw is called fair that somebody could have chosen (schemas/README.md §4.4, §5)."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from pbem.base.errors import RefusedError
from pbem.game import Seat
from pbem.protocol.audit import audit
from pbem.protocol.record.kinds.burn import seats_to_burn
from pbem.protocol.referee import burn, perform_default
from tests.record.late import WORDS, defaulted, talk
from tests.verifier.node import verify_all
from tests.world import World, accepted


def test_a_seat_that_wrote_after_its_default_is_not_overdue() -> None:
    """Else a host waits until they and the others know the next cut, burns, and lays the deck that they like."""
    world, late = defaulted(burned=False)
    assert seats_to_burn(world.record.ledger, world.now) == (late,)
    talk(world, late)
    assert seats_to_burn(world.record.ledger, world.now) == ()
    with pytest.raises(RefusedError, match=f"the part of the shuffle from {late} is not overdue"):
        burn(world.record, world.host, world.now)


@pytest.mark.parametrize("word", WORDS)
def test_whatever_it_wrote_it_is_not_overdue_at_once(word: Callable[[World, Seat], None]) -> None:
    """Every kind of file that a seat can send without its link; with the link nothing is missing."""
    world, late = defaulted(burned=False)
    word(world, late)
    assert late not in seats_to_burn(world.record.ledger, world.now)
    with pytest.raises(RefusedError):
        burn(world.record, world.host, world.now)


def test_nobody_is_burned_out_in_a_pause_or_before_the_first_deal() -> None:
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="aim")
    for seat in world.seats:
        accepted(world.join(seat))
    world.tick(24 * 365)
    with pytest.raises(RefusedError, match="never voided"):
        burn(world.record, world.host, world.now)
    world, late = defaulted(burned=False)
    kept = [world.consent(seat, world.pause(24 * 60)) for seat in world.seats if seat != late]
    kept.append(world.consent(late, world.pause(24 * 60)))
    accepted(world.send(kept[-1], kept))
    world.tick(24 * 60 - 1)
    assert seats_to_burn(world.record.ledger, world.now) == ()


def test_a_draw_shows_who_could_have_chosen_it() -> None:
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
