"""Keys, names and numbers of files by which somebody would get into a seat or keep others out of it.

Known members: a leaver's number that blocks the seat, one identity in two seats, keys that are none, names that look
alike. Further members, found by asking whose key counts in which seat: the host's old key as a player's; one key as
two kinds; keys that somebody else took while they were proposed; a join of somebody who was in the seat before, or
never got in.
"""

from __future__ import annotations

import pytest

from pbem.base.errors import RefusedError
from pbem.game import JsonObject
from pbem.player.seat.check import check_file
from pbem.protocol.client import compose_join
from pbem.protocol.crypto.digest import b64, fingerprint, unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import message_of
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.referee import carry_out, substitute
from tests.hostile.seats import ANNA, BURT, NO_KEY, THIEF, clean, forged, packets, three, two
from tests.world import World, accepted, refusal, secret

# --- numbers ------------------------------------------------------------------------------------------------


def test_a_leaver_cannot_lock_others_out_with_a_high_number() -> None:
    world = three()
    join = world.newcomer("anna", "dora")
    world.numbers[ANNA] += 200  # as far ahead as anybody may sign
    accepted(world.turn("anna", say="Good luck"))
    world.resign("anna")
    terms: JsonObject = world.substitute_terms("anna", "dora")
    consents = [world.consent(seat, terms) for seat in ("burt", "curt")]
    highest = world.record.ledger.players[ANNA].n
    assert join.n < highest
    world.take(substitute(world.record, world.host, join, consents, world.now))
    world.people[ANNA] = Identity(secret("dora three"))
    assert world.record.ledger.players[ANNA].n == highest
    accepted(world.turn("anna", say="Hello"))
    clean(world)


def test_a_join_that_brought_its_sender_in_before_or_never_did_brings_nobody_in() -> None:
    world = three()
    lost = message_of(compose_join(world.copy(), Identity(secret("emil")), "anna", name="Emil"))
    world.put("anna", "dora")
    first = next(line for line in world.record.lines if line.kind == "substitute").body["msg"]
    world.put("anna", "fred")
    world.resign("anna")
    for join in (message_of(first), lost):
        newcomer = fingerprint(unb64(join.body["sign"], 32))
        terms: JsonObject = {"kind": "substitute", "seat": "anna", "newcomer": newcomer}
        consents = [world.consent(seat, terms) for seat in ("burt", "curt")]
        members = {"what": terms, "consents": consents, "msg": join.file, **packets(world, ANNA)}
        assert forged(world, "substitute", members) == "number"
        with pytest.raises(RefusedError, match="the join of the new player of anna is refused"):
            substitute(world.record, world.host, join, consents, world.now)


# --- keys ---------------------------------------------------------------------------------------------------


def test_one_identity_sits_in_one_seat_and_the_hosts_in_none() -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="one")
    accepted(world.join("anna"))
    for identity in (world.people[ANNA], world.host):
        file = compose_join(world.copy(), identity, "burt", name="Burt")
        assert refusal(world.send(file)).code == "malformed"
        assert forged(world, "join", {"msg": file}) == "key"


def test_a_key_of_one_kind_is_not_somebody_elses_of_the_other() -> None:
    world = three()
    terms = world.new_keys("anna", THIEF)
    taken = {
        "the host's": b64(world.host.seal_public),
        "burt's": b64(world.people[BURT].seal_public),
        "his own": terms["sign"],
        "none": NO_KEY,
    }
    for key in taken.values():
        bad = terms | {"seal": key}
        assert refusal(world.send(world.consent("burt", bad))).code == "illegal"
        consents = [world.consent(seat, bad) for seat in ("burt", "curt")]
        members: JsonObject = {"what": bad, "consents": consents, "until": plus_hours(world.now, 96)}
        assert forged(world, "propose", members) == "propose"


@pytest.mark.parametrize("part", ["sign", "seal"])
def test_a_key_that_is_none_is_never_proposed(part: str) -> None:
    """Not raised out of a ruling, and not written into a seat that could do nothing from then on."""
    world = three()
    terms = world.new_keys("anna", THIEF) | {part: NO_KEY}
    assert refusal(world.send(world.consent("burt", terms))).code == "illegal"


def test_keys_that_another_seat_took_while_they_were_proposed_are_not_given() -> None:
    world = three()
    accepted(world.agree(world.new_keys("anna", THIEF), "burt", "curt"))
    seq = world.head.seq
    accepted(world.ready("burt"))
    accepted(world.send(world.rekey_file("burt", world.people[BURT].sign_key, THIEF)))
    world.hold("anna")
    assert forged(world, "rekey", {"proposal": seq, **packets(world, ANNA)}) == "key"
    with pytest.raises(RefusedError, match="burt's already"):
        carry_out(world.record, world.host, ANNA, world.now)


ALIKE = ("An\u0274a", "Anna.")
"""A small capital; a stop behind."""


@pytest.mark.parametrize(
    "name", ["anna", "ANNA", "\u0410nn\u0430", "A nna", "\uff21\uff4e\uff4e\uff41", *ALIKE]
)
def test_a_name_that_looks_like_anothers_is_refused_by_the_hosts_program(name: str) -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="names")
    accepted(world.join("anna"))
    file = compose_join(world.copy(), world.people[BURT], "burt", name=name)
    said = refusal(world.send(file)).sentence
    assert "looks like that of anna" in said
    assert check_file(world.copy(), canon(file)).sentence == said
    accepted(world.join("burt"))


def test_nor_is_whoever_takes_a_seat_over_called_like_another_player() -> None:
    world = two()
    with pytest.raises(RefusedError, match="looks like that of burt"):
        world.put("anna", "bu rt")
    world.put("anna", "anna")
    assert world.record.ledger.players[ANNA].name == "Anna"
