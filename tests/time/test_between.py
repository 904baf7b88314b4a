"""Between two epochs: who is awaited when a link is missing, until when, and what may be burned (schemas §5, §10.3)."""

from __future__ import annotations

import pytest

from pbem.audit import audit
from pbem.errors import RefusedError
from pbem.game import Seat
from pbem.host.on_time import next_act
from pbem.record import Record
from pbem.record.waiting import awaited_seats
from pbem.referee import burn, extend
from tests.verifier.matches import by_orders
from tests.world import World, accepted

ANNA, BURT, CURT = Seat("anna"), Seat("burt"), Seat("curt")
DUE = "2026-11-24T18:00:00Z"


def clean(world: World) -> None:
    Record.load(world.lines)
    report = audit(world.lines)
    assert report.ok, report.faults


def between() -> World:
    """Standing orders have played a whole turn of the game: curt alone has not given his next link."""
    world = by_orders()
    for seat in (ANNA, BURT):
        accepted(world.ready(seat))
    return world


def test_between_epochs_those_are_awaited_whose_link_is_missing() -> None:
    world = between()
    ledger = world.record.ledger
    assert ledger.waiting is not None
    assert ledger.waiting["seat"] != CURT  # who begins the next turn is known, but is not to act yet
    assert world.record.waiting is None
    assert awaited_seats(ledger) == (CURT,)
    assert world.record.due == DUE
    with pytest.raises(RefusedError, match="does not wait for"):
        extend(world.record, world.host, Seat(ledger.waiting["seat"]), "2026-12-24T00:00:00Z", world.now)
    world.take(extend(world.record, world.host, CURT, "2026-12-24T00:00:00Z", world.now))
    assert world.record.due == "2026-12-24T00:00:00Z"
    clean(world)


def test_a_link_between_epochs_may_be_burned_when_its_time_is_up_and_not_before() -> None:
    world = between()
    world.tick(95)
    with pytest.raises(RefusedError, match="the link of curt is not overdue"):
        burn(world.record, world.host, world.now)
    world.tick(1)
    ruling = world.take(burn(world.record, world.host, world.now))
    assert [line.kind for line in ruling.lines] == ["burn", "announce"]
    assert ruling.lines[0].body["missing"] == ["curt"]
    assert ruling.lines[1].body["seats"] == ["anna", "burt"]
    assert world.record.due == ruling.lines[1].body["due"] == "2026-11-28T18:00:00Z"
    with pytest.raises(RefusedError, match="the link of anna is not overdue"):
        burn(world.record, world.host, world.now)  # anna and burt have a full time again
    for seat in (ANNA, BURT):
        accepted(world.ready(seat))
    assert [line.kind for line in world.record.lines].count("open") == 3
    clean(world)


def test_when_every_link_is_missing_nothing_is_burned_until_somebody_writes() -> None:
    world = by_orders()
    world.tick(96)
    assert next_act(world.record, world.host, world.now) is None
    with pytest.raises(RefusedError, match="at least one seat"):
        burn(world.record, world.host, world.now)
    accepted(world.ready(ANNA))
    act = next_act(world.record, world.host, world.now)
    assert act is not None
    ruling = world.take(act)
    assert ruling.lines[0].body["missing"] == ["burt", "curt"]
    clean(world)
