"""A seat whose packets are sealed again in the middle of something can go on: it is given all that it had been shown.

Found by the state machine: in the middle of a search a new key, a newcomer or a packet sealed again lost the stack that
had been shown, so nothing could be chosen and the seat could only be passed over. Members: ``reseal`` on a complaint, a
``rekey`` by the own key, a newcomer after a resignation, a newcomer after a hold, a search after a search in one epoch,
and hidden cash, which a packet states as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from pbem.game import JsonObject, Seat
from pbem.protocol.audit import audit
from pbem.protocol.client import compose_join
from pbem.protocol.crypto.digest import fingerprint
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import message_of
from pbem.protocol.referee import reseal, substitute
from tests.machine import files
from tests.machine.match import Match
from tests.verifier.node import verify_all
from tests.world import World, accepted, secret

MOST = 300


@cache
def _played() -> World:
    """A match at which somebody is asked for the first time which card of the stack they take."""
    world = _world()
    for _ in range(MOST):
        waiting = world.record.waiting
        if waiting is not None and waiting["phase"] == "choose":
            return world
        if waiting is not None and _search(world, waiting["seat"]):
            continue
        world.move()
    raise AssertionError("nobody ever searches")


def _world() -> World:
    return World("wyatt-earp", ("anna", "burt", "curt"), seed="search").start()


def searching() -> Match:
    """That match, to go on from there: it is played once."""
    played, world = _played(), _world()
    world.record, world.now = played.record.fork(), played.now
    world.numbers, world.ordered = dict(played.numbers), dict(played.ordered)
    return Match(world)


def _search(world: World, seat: str) -> bool:
    search: JsonObject = {"do": "wyatt-earp", "mode": "search"}
    return search in world.view(seat).legal and bool(accepted(world.turn(seat, search)))


def _reseal(match: Match, seat: Seat) -> None:
    assert match.act("reseal", lambda record: reseal(record, match.host, seat, match.world.now)) == ""


def _rekey(match: Match, seat: Seat) -> None:
    new = match.stranger()
    body = {**files.head(match, seat), **files.keys(match, seat, new)}
    accepted(match.send(files.signed("rekey", body, match.who(seat))))


def _agreed(seat: Seat) -> JsonObject:
    newcomer = fingerprint(Identity(secret("a newcomer")).sign_public)
    return {"kind": "substitute", "seat": seat, "newcomer": newcomer}


def _newcomer(match: Match, seat: Seat, n: int) -> None:
    who = Identity(secret("a newcomer"))
    match.keys[who.sign_public] = who
    join = message_of(compose_join(match.world.copy(), who, seat, name="New", n=n))
    kept, now = match.usable(), match.world.now
    assert match.act("newcomer", lambda record: substitute(record, match.host, join, kept, now)) == ""


def _after_resigning(match: Match, seat: Seat) -> None:
    accepted(match.send(files.consent(match, seat, {"kind": "resign", "seat": seat})))
    match.world.now = match.ledger.proposals[seat].until
    for other in match.record.seats:
        if other != seat:
            match.send(files.consent(match, other, _agreed(seat)))
    _newcomer(match, seat, match.number(seat))


def _after_a_hold(match: Match, seat: Seat) -> None:
    for other in match.record.seats:
        if other != seat:
            match.send(files.consent(match, other, _agreed(seat)))
    match.world.now = match.ledger.proposals[seat].until
    _newcomer(match, seat, match.number(seat))


@pytest.mark.parametrize("renew", [_reseal, _rekey, _after_resigning, _after_a_hold])
def test_who_is_sealed_to_again_in_a_search_still_sees_the_stack(
    renew: Callable[[Match, Seat], None],
) -> None:
    match = searching()
    assert match.record.waiting is not None
    seat = Seat(match.record.waiting["seat"])
    before = match.world.view(seat).legal
    renew(match, seat)
    match.world.people[seat] = match.who(seat)
    assert before
    assert match.world.view(seat).legal == before
    while not any(line.kind == "close" for line in match.record.lines):
        assert match.world.move()
    assert audit(match.lines).ok
    assert verify_all({"file": match.lines})["file"]["ok"]


def test_a_second_search_of_one_epoch_keeps_its_own_stack() -> None:
    match = searching()
    world = match.world
    for _ in range(MOST):
        waiting = world.record.waiting
        searches = [e for line in world.record.lines for s in line.body.get("steps", ()) for e in s["events"]]
        count = sum(e["event"] == "searching" for e in searches)
        if waiting is not None and waiting["phase"] == "choose" and count > 1:
            break
        if waiting is None or not _search(world, waiting["seat"]):
            world.move()
    assert waiting is not None
    seat = Seat(waiting["seat"])
    before = world.view(seat).legal
    world.take(reseal(world.record, world.host, seat, world.now))
    assert world.view(seat).legal == before != []


def test_hidden_cash_is_shown_again() -> None:
    world = World("way-out-west", ("anna", "burt", "curt"), options={"money_public": False}).start().play(20)
    seat = Seat("anna")
    before = world.view(seat).view_json["cash"][seat]
    world.take(reseal(world.record, world.host, seat, world.now))
    assert world.view(seat).view_json["cash"][seat] == before
    world.play(60)
    assert audit(world.lines).ok
    assert verify_all({"file": world.lines})["file"]["ok"]
