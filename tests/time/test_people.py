"""People come and go: substitutes, lost keys, and the link that nobody can give any more."""

from __future__ import annotations

import pytest

from pbem.audit import audit
from pbem.client import compose_join
from pbem.crypto.digest import b64, sha
from pbem.crypto.identity import Identity, recovery_key
from pbem.draws.chain import LENGTH, chain, seat_label
from pbem.errors import RefusedError
from pbem.formats.messages import build_rekey, message_of
from pbem.game import JsonObject, Seat
from pbem.host.batches import batches_of
from pbem.record import Deadlines, Record
from pbem.record.waiting import excused_left
from pbem.referee import Accepted, substitute
from tests.world import World, accepted, refusal, secret

DRAW = {"do": "draw", "from": "supply"}
ANNA = Seat("anna")


def started(**more: object) -> World:
    return World("wyatt-earp", ("anna", "burt", "curt"), **more).start()  # type: ignore[arg-type]


def clean(world: World) -> None:
    Record.load(world.lines)
    report = audit(world.lines)
    assert report.ok, report.faults


def put(world: World, seat: str, name: str) -> Accepted:
    """Put a newcomer into a seat, with the consent of the others."""
    new = Identity(secret(name))
    others = [one for one in world.seats if one != seat]
    consents = [world.consent(one, {"kind": "substitute", "seat": seat}) for one in others]
    join = compose_join(world.copy(), new, seat, name=name.title(), n=world.number(seat))
    ruling = world.take(substitute(world.record, world.host, message_of(join), consents, world.now))
    world.people[Seat(seat)] = new
    return ruling


def rekey_file(world: World, seat: str, key: object, new: Identity) -> JsonObject:
    anchor = chain(seat_label(seat), world.record.game, new.chain_seed(world.record.game))[0]
    head = (world.head.seq, world.head.hash)
    number = world.number(seat)
    return build_rekey(key, world.record.game, seat, number, head, new=new, anchor=anchor, length=LENGTH)  # type: ignore[arg-type]


def test_a_substitute_has_a_full_turns_time_and_a_full_stock() -> None:
    world = started(deadlines=Deadlines(excused=1))
    what = {
        "kind": "absence",
        "seat": "anna",
        "from": "2026-11-21T00:00:00Z",
        "until": "2027-01-21T00:00:00Z",
    }
    accepted(world.send(world.consent("anna", what)))
    world.tick(100)
    assert excused_left(world.record.as_of(world.now).ledger, ANNA) == 0
    put(world, "anna", "dora")
    assert world.record.due == "2026-11-28T22:00:00Z"  # 72 hours from now; the absence was another person's
    assert excused_left(world.record.ledger, ANNA) == 1
    accepted(world.turn("anna", DRAW))
    assert world.record.due == "2026-11-28T22:00:00Z"
    clean(world)


def test_a_substitute_whose_forerunner_gave_no_link_can_play_at_once() -> None:
    world = started()
    assert "anna" in world.record.missing_links
    ruling = put(world, "anna", "dora")
    assert [line.kind for line in ruling.lines] == ["substitute", "burn", "announce"]
    assert ruling.lines[1].body["missing"] == ["anna"]
    assert ruling.lines[2].body["seats"] == ["burt", "curt"]
    assert batches_of(world.record.lines)[-1].first == ruling.lines[0].seq
    accepted(world.turn("anna", DRAW))
    hand = world.view("anna").view_json["hands"]["anna"]
    accepted(world.turn("anna", {"do": "discard", "card": hand[0]}))
    world.play(60)
    clean(world)


def test_a_substitute_of_a_seat_that_was_burned_needs_no_second_burn() -> None:
    world = started()
    accepted(world.turn("anna", DRAW))  # her link travels along
    ruling = put(world, "anna", "dora")
    assert [line.kind for line in ruling.lines] == ["substitute"]
    world.play(200)
    clean(world)


def test_nobody_takes_a_seat_over_while_the_first_epoch_waits_for_it() -> None:
    world = World("wyatt-earp", ("anna", "burt", "curt"))
    for seat in world.seats:
        accepted(world.join(seat))
    with pytest.raises(RefusedError, match="begin a new match"):
        put(world, "anna", "dora")


def test_the_old_key_gives_its_last_link_before_it_goes() -> None:
    world = started()
    new = Identity(secret("anna's new one"))
    old = world.people[ANNA]
    assert refusal(world.send(rekey_file(world, "anna", old.sign_key, new))).code == "link-missing"
    accepted(world.ready("anna"))
    accepted(world.send(rekey_file(world, "anna", old.sign_key, new)))
    world.people[ANNA] = new
    world.play(60)
    clean(world)


def test_a_lost_key_found_by_the_recovery_key_costs_one_burn() -> None:
    key = recovery_key(secret("anna's paper"))
    world = World("wyatt-earp", ("anna", "burt"))
    accepted(world.join("anna", recovery=sha(key.public_key().public_bytes_raw())))
    accepted(world.join("burt"))
    for seat in world.seats:
        accepted(world.ready(seat))
    new = Identity(secret("found again"))
    ruling = accepted(world.send(rekey_file(world, "anna", key, new)))
    assert [line.kind for line in ruling.lines] == ["rekey", "burn", "announce"]
    world.people[ANNA] = new
    world.play(60)
    clean(world)


def test_a_lost_key_by_the_consent_of_all_other_seats() -> None:
    world = started()
    new = Identity(secret("both keys lost"))
    anchor = chain(seat_label("anna"), world.record.game, new.chain_seed(world.record.game))[0]
    what: JsonObject = {
        "kind": "rekey",
        "seat": "anna",
        "sign": b64(new.sign_public),
        "seal": b64(new.seal_public),
        "anchor": b64(anchor),
        "length": LENGTH,
    }
    first = world.consent("burt", what)
    world.send(first)
    ruling = accepted(world.send(world.consent("curt", what), [first]))
    assert [line.kind for line in ruling.lines] == ["rekey", "burn", "announce"]
    world.people[ANNA] = new
    assert len(world.view("anna").view_json["hands"]["anna"]) == 10
    world.play(60)
    clean(world)
