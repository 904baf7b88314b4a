"""Between two epochs: who is awaited for a link, until when, what may be burned (schemas/README.md §5, §10.3)."""

from __future__ import annotations

import pytest

from pbem.base.errors import RefusedError
from pbem.game import JsonObject, Seat
from pbem.host.acts import next_act
from pbem.protocol.audit import audit
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.record.line import write_line
from pbem.protocol.record.takeover import awaited_seats, overdue_from
from pbem.protocol.referee import burn, extend, perform_default
from tests.verifier.matches import by_orders, curt_idle
from tests.verifier.node import verify_all
from tests.world import World, accepted, refusal

DRAW: JsonObject = {"do": "draw", "from": "supply"}
ANNA, BURT, CURT = Seat("anna"), Seat("burt"), Seat("curt")
AGAIN = 24
"""Hours that who came back by talk has for its link, in these matches."""
reveals = pytest.mark.parametrize("reveal", ["epoch", "match"])


def clean(world: World) -> None:
    Record.load(world.lines)
    report = audit(world.lines)
    assert report.ok, report.faults


def between(reveal: str) -> World:
    world = curt_idle(reveal)
    running = world.record.ledger.running
    assert running is not None
    assert (running.number, running.closed is None) == (2, reveal == "match")
    return world


@reveals
def test_between_epochs_those_are_awaited_whose_link_is_missing(reveal: str) -> None:
    world = between(reveal)
    ledger = world.record.ledger
    assert ledger.waiting is not None
    first = Seat(ledger.waiting["seat"])  # who begins the next turn is known, but is not to act yet
    assert first != CURT
    assert refusal(world.turn(first, {"do": "bid", "amount": 1})).code == "not-your-turn"
    assert awaited_seats(ledger) == (CURT,)
    assert world.record.due == plus_hours(world.now, 72)
    with pytest.raises(RefusedError, match="does not wait for"):
        extend(world.record, world.host, first, "2026-12-24T00:00:00Z", world.now)
    with pytest.raises(RefusedError, match="waits for nobody"):
        perform_default(world.record, world.host, first, "2026-12-24T00:00:00Z")
    world.take(extend(world.record, world.host, CURT, "2026-12-24T00:00:00Z", world.now))
    assert world.record.due == "2026-12-24T00:00:00Z"
    accepted(world.ready(CURT))
    assert world.head.kind == "announce"
    clean(world)


@reveals
def test_a_link_between_epochs_may_be_burned_when_its_time_is_up_and_not_before(reveal: str) -> None:
    world = between(reveal)
    world.tick(95)
    with pytest.raises(RefusedError, match="the part of the shuffle from curt is not overdue"):
        burn(world.record, world.host, world.now)
    assert next_act(world.record, world.host, world.now) is None
    world.tick(1)
    ruling = world.take(burn(world.record, world.host, world.now))
    assert [line.kind for line in ruling.lines] == ["burn", "announce"]
    assert ruling.lines[0].body["missing"] == ["curt"]
    assert ruling.lines[1].body["seats"] == ["anna", "burt"]
    assert world.record.due == ruling.lines[1].body["due"] == plus_hours(world.now, 72)
    with pytest.raises(RefusedError, match="the part of the shuffle from anna is not overdue"):
        burn(world.record, world.host, world.now)  # anna and burt have a full time again
    for seat in (ANNA, BURT):
        accepted(world.ready(seat))
    assert [line.kind for line in world.record.lines].count("open") == 3
    clean(world)


def back(reveal: str) -> World:
    """Curt was burned out and talks while only burt's link is missing: all are asked again."""
    world = between(reveal)
    world.tick(96)
    world.take(burn(world.record, world.host, world.now))
    accepted(world.ready(ANNA))
    world.tick(10)
    ruling = accepted(world.turn(CURT, say="Here I am"))
    assert [line.kind for line in ruling.lines] == ["turn", "burn", "announce"]
    assert ruling.lines[1].body["back"] == ["curt"]
    assert world.record.due == plus_hours(world.now, 72)
    for seat in (ANNA, BURT):
        accepted(world.ready(seat))
    return world


@reveals
def test_who_came_back_by_talk_has_no_second_full_period_for_its_link(reveal: str) -> None:
    world = back(reveal)
    assert awaited_seats(world.record.ledger) == (CURT,)
    limit = overdue_from(world.record.ledger, CURT)
    assert limit == plus_hours(world.now, AGAIN)
    world.now = plus_hours(limit, -1)
    assert next_act(world.record, world.host, world.now) is None
    with pytest.raises(RefusedError, match="the part of the shuffle from curt is not overdue"):
        burn(world.record, world.host, world.now)
    world.now = limit
    act = next_act(world.record, world.host, world.now)
    assert act is not None
    assert [line.kind for line in world.take(act).lines] == ["burn", "announce"]
    assert world.head.body["seats"] == ["anna", "burt"]
    assert [line.kind for line in accepted(world.turn(CURT, say="Here again")).lines] == ["turn"]
    for seat in (ANNA, BURT):
        accepted(world.ready(seat))
    assert world.record.ledger.running is not None
    assert (world.record.ledger.running.left_out, world.record.ledger.running.thrown_away) == ((CURT,), 3)
    clean(world)
    assert verify_all({"back": world.lines})["back"]["faults"] == []


@reveals
def test_who_came_back_has_the_time_that_the_host_gives_or_a_pause_took(reveal: str) -> None:
    world = back(reveal)
    assert world.record.due is not None
    later = plus_hours(world.record.due, 5)
    world.take(extend(world.record, world.host, CURT, later, world.now))
    assert overdue_from(world.record.ledger, CURT) == later
    world = back(reveal)
    due = world.record.due
    assert due is not None
    files = [
        world.consent(seat, {"kind": "pause", "until": plus_hours(world.now, 50)}) for seat in world.seats
    ]
    world.tick(10)
    accepted(world.send(files[0], files[1:]))
    assert overdue_from(world.record.as_of(plus_hours(world.now, 40)).ledger, CURT) == plus_hours(due, 40)
    world.tick(40)
    accepted(world.ready(CURT))
    assert world.record.ledger.returned == frozenset()
    assert world.record.ledger.running is not None
    assert world.record.ledger.running.left_out == ()
    clean(world)
    assert verify_all({"back": world.lines})["back"]["faults"] == []


@reveals
def test_a_word_in_a_pause_asks_again_without_a_longer_time(reveal: str) -> None:
    world = between(reveal)
    world.tick(96)
    world.take(burn(world.record, world.host, world.now))
    until = plus_hours(world.now, 50)
    files = [world.consent(seat, {"kind": "pause", "until": until}) for seat in (ANNA, BURT)]
    accepted(world.send(world.consent(CURT, {"kind": "pause", "until": until}), files))
    assert world.head.kind == "announce"  # their consent is a word
    accepted(world.ready(CURT))
    clean(world)
    assert verify_all({"back": world.lines})["back"]["faults"] == []


@reveals
def test_an_epoch_of_one_seat_is_burned_once_somebody_else_is_back(reveal: str) -> None:
    world = by_orders(reveal)
    world.tick(96)
    accepted(world.ready(ANNA))
    world.take(burn(world.record, world.host, world.now))
    assert world.record.missing_links == (ANNA,)
    world.tick(96)
    with pytest.raises(RefusedError, match="at least one seat"):
        burn(world.record, world.host, world.now)
    ruling = accepted(world.turn(BURT, say="Anna? Anybody?"))
    assert [line.kind for line in ruling.lines] == ["turn", "burn", "announce"]  # they have a part again
    assert world.head.body["seats"] == ["anna", "burt"]
    accepted(world.ready(BURT))
    world.tick(96)
    act = next_act(world.record, world.host, world.now)
    assert act is not None
    assert [line.kind for line in world.take(act).lines] == ["burn", "announce"]
    assert world.head.body["seats"] == ["burt"]
    accepted(world.ready(BURT))
    clean(world)


def test_who_takes_over_the_only_seat_of_an_epoch_plays_once_somebody_else_is_back() -> None:
    world = by_orders()
    world.tick(96)
    accepted(world.ready(ANNA))
    world.take(burn(world.record, world.host, world.now))
    ruling = world.put("anna", "dora")
    assert [line.kind for line in ruling.lines] == ["substitute", "burn", "announce"]
    assert ruling.lines[1].body["back"] == ["burt", "curt"]  # they had been left out, and agreed
    assert world.head.body["seats"] == ["anna", "burt", "curt"]
    clean(world)


@reveals
def test_while_an_epoch_runs_a_missing_link_is_not_burned_for_want_of_time(reveal: str) -> None:
    world = World("way-out-west", ("anna", "burt", "curt"), reveal=reveal).start()
    world.tick(1000)
    with pytest.raises(RefusedError, match="is not overdue"):
        burn(world.record, world.host, world.now)


def test_the_last_action_of_an_epoch_that_is_not_closed_may_be_taken_back() -> None:
    world = between("match")
    before = [line for line in world.record.lines if "due" in line.body and "steps" in line.body][-1]
    terms: JsonObject = {"kind": "rewind", "to": before.reference}
    files = [world.consent(seat, terms) for seat in world.seats]
    world.tick(5)
    accepted(world.send(files[0], files[1:]))
    asked = before.body["public"]["waiting"]
    assert world.record.waiting == asked
    assert awaited_seats(world.record.ledger) == (asked["seat"],)
    assert world.record.due == plus_hours(world.now, 72)
    world.move()
    clean(world)


@reveals
def test_when_every_link_is_missing_nothing_is_burned_until_somebody_writes(reveal: str) -> None:
    world = by_orders(reveal)
    assert awaited_seats(world.record.ledger) == (ANNA, BURT, CURT)
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


def test_who_was_left_out_of_the_next_epoch_still_plays_in_the_running_one_and_has_it_committed_again() -> (
    None
):
    world = World("wyatt-earp", ("anna", "burt", "curt")).start()
    world.tick(96)
    ruling = world.take(perform_default(world.record, world.host, ANNA, world.now))
    assert [line.kind for line in ruling.lines] == ["default", "burn", "announce"]
    assert world.head.body["seats"] == ["burt", "curt"]
    while world.record.waiting != {"seat": "anna", "phase": "draw"}:
        assert world.move()
    ruling = accepted(world.turn("anna", DRAW))
    assert "link" not in ruling.lines[0].body["msg"]["body"]
    assert [line.kind for line in ruling.lines] == ["turn", "burn", "announce"]
    assert world.head.body["seats"] == ["anna", "burt", "curt"]
    clean(world)


def test_a_link_that_is_there_is_never_burned_whatever_its_seat_missed() -> None:
    world = World("wyatt-earp", ("anna", "burt", "curt")).start()
    accepted(world.ready(ANNA))
    world.tick(96)
    ruling = world.take(perform_default(world.record, world.host, ANNA, world.now))
    assert [line.kind for line in ruling.lines] == ["default"]
    body: JsonObject = {"epoch": 2, "missing": ["anna"]}
    forged = write_line(
        "burn", body, world.host, game=world.record.game, after=world.record.lines[-1], at=world.now
    )
    (fault,) = audit([*world.lines, forged.raw]).faults
    assert (fault.step, fault.code) == (4, "burn")
    assert "the parts of the shuffle from burt, curt are missing, not those from anna" in fault.sentence
