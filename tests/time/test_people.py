"""People come and go: substitutes, lost keys, and the link that nobody can give any more."""

from __future__ import annotations

import pytest

from pbem.base.errors import RefusedError, UsageProblem
from pbem.game import Seat
from pbem.host.letter_mail import batches_of
from pbem.protocol.audit import audit
from pbem.protocol.client import compose_ready
from pbem.protocol.crypto.digest import sha
from pbem.protocol.crypto.identity import Identity, recovery_key
from pbem.protocol.record import Deadlines, Record
from pbem.protocol.record.takeover import excused_left
from pbem.protocol.referee import burn
from tests.world import World, accepted, refusal, secret

DRAW = {"do": "draw", "from": "supply"}
ANNA = Seat("anna")


def started(**more: object) -> World:
    return World("wyatt-earp", ("anna", "burt", "curt"), **more).start()  # type: ignore[arg-type]


def clean(world: World) -> None:
    Record.load(world.lines)
    report = audit(world.lines)
    assert report.ok, report.faults


def test_a_substitute_has_a_full_turns_time_and_a_full_stock() -> None:
    world = started(deadlines=Deadlines(excused=1))
    terms = {
        "kind": "absence",
        "seat": "anna",
        "from": "2026-12-01T00:00:00Z",
        "until": "2027-01-19T00:00:00Z",
    }
    accepted(world.send(world.consent("anna", terms)))
    world.tick(100)
    assert excused_left(world.record.as_of(world.now).ledger, ANNA) == 0
    world.put("anna", "dora")
    assert world.now == "2026-11-29T22:00:00Z"  # the resignation was held; the absence begins later
    assert world.record.due == "2026-12-02T22:00:00Z"  # 72 hours from now; the absence was another person's
    assert excused_left(world.record.ledger, ANNA) == 1
    accepted(world.turn("anna", DRAW))
    assert world.record.due == "2026-12-02T22:00:00Z"
    clean(world)


def test_a_substitute_whose_forerunner_gave_no_link_can_play_at_once() -> None:
    world = started()
    assert "anna" in world.record.missing_links
    ruling = world.put("anna", "dora")
    assert [line.kind for line in ruling.lines] == ["substitute"]
    accepted(world.turn("anna", DRAW))
    hand = world.view("anna").view_json["hands"]["anna"]
    accepted(world.turn("anna", {"do": "discard", "card": hand[0]}))
    with pytest.raises(RefusedError, match="the part of the shuffle from anna is not overdue"):
        burn(world.record, world.host, world.now)
    world.tick(96)
    ruling = world.take(burn(world.record, world.host, world.now))
    assert [line.kind for line in ruling.lines] == ["burn", "announce"]
    assert ruling.lines[0].body["missing"] == ["anna"]
    assert ruling.lines[1].body["seats"] == ["burt", "curt"]
    assert batches_of(world.record.lines)[-1].first == ruling.lines[0].seq
    assert [epoch.again for epoch in world.record.ledger.epochs.values()] == [(), (), (ANNA,)]
    world.play(60)
    clean(world)


def test_a_substitute_of_a_seat_that_was_burned_needs_no_second_burn() -> None:
    world = started()
    accepted(world.turn("anna", DRAW))  # her link travels along
    ruling = world.put("anna", "dora")
    assert [line.kind for line in ruling.lines] == ["substitute"]
    world.play(200)
    clean(world)


def test_nobody_takes_a_seat_over_while_the_first_epoch_waits_for_it() -> None:
    world = World("wyatt-earp", ("anna", "burt", "curt"))
    for seat in world.seats:
        accepted(world.join(seat))
    with pytest.raises(RefusedError, match="start a new match"):
        world.put("anna", "dora")


def test_the_old_key_gives_its_last_link_before_it_goes() -> None:
    world = started()
    new = Identity(secret("anna's new one"))
    old = world.people[ANNA]
    assert refusal(world.send(world.rekey_file("anna", old.sign_key, new))).code == "link-missing"
    accepted(world.ready("anna"))
    accepted(world.send(world.rekey_file("anna", old.sign_key, new)))
    world.people[ANNA] = new
    world.play(60)
    clean(world)


def test_a_lost_key_found_by_the_recovery_key_costs_no_burn() -> None:
    key = recovery_key(secret("anna's paper"))
    world = World("wyatt-earp", ("anna", "burt"))
    accepted(world.join("anna", recovery=sha(key.public)))
    accepted(world.join("burt"))
    for seat in world.seats:
        accepted(world.ready(seat))
    old, new = world.people[ANNA], Identity(secret("found again"))
    ruling = accepted(world.send(world.rekey_file("anna", key, new)))
    assert [line.kind for line in ruling.lines] == ["rekey"]
    world.people[ANNA] = new
    with pytest.raises(UsageProblem, match="still waits for the part of the shuffle of your old key"):
        world.turn("anna", DRAW)
    accepted(world.turn("anna", say="I am here"))  # talk needs no link
    with pytest.raises(UsageProblem, match="belongs to another identity"):
        world.ready("anna")
    accepted(world.send(compose_ready(world.copy(), new, ANNA, world.number("anna"), old=old)))
    assert world.record.ledger.newest is not None
    assert ANNA in world.record.ledger.newest.links
    world.play(60)
    clean(world)


def test_a_lost_key_by_the_consent_of_all_other_seats() -> None:
    world = started()
    new = Identity(secret("both keys lost"))
    ruling = accepted(world.agree(world.new_keys("anna", new), "burt", "curt"))
    assert [line.kind for line in ruling.lines] == ["propose"]
    ruling = world.carry_out("anna")
    assert [line.kind for line in ruling.lines] == ["rekey"]
    world.people[ANNA] = new
    assert len(world.view("anna").view_json["hands"]["anna"]) == 10
    world.tick(96)
    world.take(burn(world.record, world.host, world.now))
    world.play(60)
    clean(world)
