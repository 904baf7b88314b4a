"""Nobody takes a seat behind its owner's back.

Known members: a key proposed by the others of a match of two (the opponent alone), a re-roll through the recovery key,
absences without end. Further members, found by asking who may make a ``rekey``, ``substitute``, ``absence`` or ``burn``
count, at which moment and with which consents: a substitute for a seat that is only silent; a proposal in a pause,
which would run while nobody can write a turn; consents kept from before the owner wrote, or from before a
withdrawal; a record that carries out what was undone, or as the other kind, or twice; a proposal against the owner's
own rekey; a thief who undoes everything, against the recovery key; the first epoch, whose link only the owner has; a
burn at once after a takeover; a veto by a file that is refused. What keys, names and numbers do is in ``test_keys``.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbem.base.errors import RefusedError
from pbem.game import JsonObject
from pbem.host.acts import next_act
from pbem.protocol.audit import audit
from pbem.protocol.client import compose_ready
from pbem.protocol.crypto.digest import sha
from pbem.protocol.crypto.identity import Identity, recovered, recovery_key
from pbem.protocol.formats.messages import Message
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.referee import (
    Accepted,
    Held,
    Ignored,
    Quarantined,
    Repeated,
    burn,
    carry_out,
    substitute,
    withdraw,
)
from tests.hostile.seats import (
    ANNA,
    BURT,
    CURT,
    DRAW,
    THIEF,
    clean,
    forged,
    joined_with_paper,
    packets,
    three,
    two,
)
from tests.world import World, accepted, refusal, secret

# --- the opponent of a match of two -------------------------------------------------------------------------


def test_the_opponents_consent_alone_gives_him_no_key_to_the_seat() -> None:
    world = two()
    hers = world.record.ledger.players[ANNA].sign
    ruling = accepted(world.agree(world.new_keys("anna", THIEF), "burt"))
    assert [line.kind for line in ruling.lines] == ["propose"]
    assert world.record.ledger.players[ANNA].sign == hers
    accepted(world.turn("anna", DRAW))  # her own key counts, and her turn is a word of hers
    assert world.record.ledger.proposals == {}
    clean(world)


def test_in_a_match_of_two_no_program_carries_a_proposal_out() -> None:
    world = two()
    accepted(world.agree(world.new_keys("anna", THIEF), "burt"))
    world.hold("anna")
    world.tick(1000)
    act = next_act(world.record, world.host, world.now)
    assert act is None or act.lines[0].kind == "default"
    done = world.carry_out("anna")
    assert done.lines[0].body["act"] == "host"
    clean(world)


def test_the_hosts_act_is_said_there_and_only_there() -> None:
    for world, wanted in ((two(), {}), (three(), {"act": "host"})):
        others = [seat for seat in world.seats if seat != "anna"]
        accepted(world.agree(world.new_keys("anna", THIEF), *others))
        world.hold("anna")
        members = {"proposal": world.head.seq, **packets(world, ANNA), **wanted}
        assert forged(world, "rekey", members) == "act"


def test_a_substitute_for_a_seat_that_is_only_silent_is_proposed_first() -> None:
    world = three()
    terms: JsonObject = world.substitute_terms("anna", "dora")
    consents = [world.consent(seat, terms) for seat in ("burt", "curt")]
    join = world.newcomer("anna", "dora")
    members = {"what": terms, "consents": consents, "msg": join.file, **packets(world, ANNA)}
    assert forged(world, "substitute", members) == "proposal"
    done = world.take(substitute(world.record, world.host, join, consents, world.now))
    assert [line.kind for line in done.lines] == ["propose"]
    with pytest.raises(RefusedError, match="is held until"):
        substitute(world.record, world.host, join, (), world.now)
    world.hold("anna")
    assert world.take(substitute(world.record, world.host, join, (), world.now)).lines[0].kind == "substitute"
    clean(world)


# --- the hold -----------------------------------------------------------------------------------------------


def test_a_proposal_is_not_carried_out_a_second_too_early() -> None:
    world = three()
    accepted(world.agree(world.new_keys("anna", THIEF), "burt", "curt"))
    seq = world.head.seq
    members = {"proposal": seq, **packets(world, ANNA)}
    world.hold("anna")
    until, world.now = world.now, "2026-11-25T17:59:59Z"
    assert until == "2026-11-25T18:00:00Z"
    assert forged(world, "rekey", members) == "hold"


def test_a_shorter_hold_than_the_rules_give_is_a_fault() -> None:
    world = three()
    terms = world.new_keys("anna", THIEF)
    consents = [world.consent(seat, terms) for seat in ("burt", "curt")]
    members: JsonObject = {"what": terms, "consents": consents, "until": plus_hours(world.now, 95)}
    assert forged(world, "propose", members) == "hold"


def test_a_proposal_in_a_pause_waits_for_its_end() -> None:
    world = three()
    pause = {"kind": "pause", "until": plus_hours(world.now, 500)}
    accepted(world.agree(pause, *world.seats))
    accepted(world.agree(world.new_keys("anna", THIEF), "burt", "curt"))
    world.tick(499)
    with pytest.raises(RefusedError, match="paused"):
        carry_out(world.record, world.host, ANNA, world.now)
    world.tick(1 + 95)
    with pytest.raises(RefusedError, match="is held until"):
        carry_out(world.record, world.host, ANNA, world.now)
    world.tick(1)
    world.take(carry_out(world.record, world.host, ANNA, world.now))
    clean(world)


@pytest.mark.parametrize("word", ["talk", "consent", "rekey", "recovery"])
def test_any_word_of_the_owner_undoes_a_proposal(word: str) -> None:
    paper = secret("anna's paper")
    hers = recovery_key(paper)
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="words")
    world.people[ANNA] = recovered(paper)
    for seat in world.seats:
        more = {"recovery": sha(hers.public)} if seat == "anna" else {}
        accepted(world.join(seat, **more))
    for seat in world.seats:
        accepted(world.ready(seat))
    accepted(world.ready("anna"))
    accepted(world.agree(world.new_keys("anna", THIEF), "burt", "curt"))
    seq = world.head.seq
    new = Identity(secret("anna's own new key"))
    words = {
        "talk": lambda: world.turn_file("anna", say="I am here"),
        "consent": lambda: world.consent("anna", {"kind": "absence", "seat": "anna", **_week(world)}),
        "rekey": lambda: world.rekey_file("anna", world.people[ANNA].sign_key, new),
        "recovery": lambda: world.rekey_file("anna", hers, new),
    }
    accepted(world.send(words[word]()))
    assert world.record.ledger.proposals == {}
    world.tick(500)
    with pytest.raises(RefusedError, match="nothing is proposed"):
        carry_out(world.record, world.host, ANNA, world.now)
    assert forged(world, "rekey", {"proposal": seq, **packets(world, ANNA)}) == "proposal"
    clean(world)


def _week(world: World) -> JsonObject:
    return {"from": world.now, "until": plus_hours(world.now, 24 * 7)}


def test_a_file_of_the_owner_that_is_refused_withdraws_what_was_proposed() -> None:
    world = three()
    stale = world.turn_file("burt", DRAW)
    accepted(world.agree(world.new_keys("burt", THIEF), "anna", "curt"))
    refused = refusal(world.send(stale))  # it is not their turn
    assert refused.withdrawn is not None
    world.take(refused.withdrawn)
    assert world.head.kind == "withdraw"
    assert world.record.ledger.proposals == {}
    clean(world)


def test_the_end_of_a_match_ends_what_is_proposed() -> None:
    """A word of the seat after it is refused like any other: there is nothing left to withdraw."""
    world = three()
    accepted(world.agree(world.new_keys("burt", THIEF), "anna", "curt"))
    late = world.turn_file("burt", say="No!")
    files = [world.consent(seat, {"kind": "end"}) for seat in world.seats]
    accepted(world.send(files[-1], files[:-1]))
    assert world.record.ledger.proposals == {}
    refused = refusal(world.send(late))
    assert (refused.code, refused.withdrawn) == ("match-over", None)
    assert next_act(world.record, world.host, plus_hours(world.now, 24 * 30)) is None
    clean(world)


def test_a_withdrawal_that_nobody_could_read_puts_the_file_aside() -> None:
    """As a fault of this program would have it: a proposal is still open after the end."""
    world = three()
    accepted(world.agree(world.new_keys("burt", THIEF), "anna", "curt"))
    open_still = world.record.ledger.proposals[BURT]
    late = world.turn_file("burt", say="No!")
    files = [world.consent(seat, {"kind": "end"}) for seat in world.seats]
    accepted(world.send(files[-1], files[:-1]))
    world.record.ledger.proposals[BURT] = open_still
    before = world.lines
    ruling = world.send(late)
    assert isinstance(ruling, Quarantined)
    assert "would not be readable again" in ruling.fault
    assert world.lines == before


def test_an_old_file_that_anybody_can_send_again_is_no_word_of_its_owner() -> None:
    world = three()
    old = world.turn_file("burt", say="Hello")
    accepted(world.send(old))
    accepted(world.agree(world.new_keys("burt", THIEF), "anna", "curt"))
    assert isinstance(world.send(old), Repeated)
    assert BURT in world.record.ledger.proposals


def test_who_stole_the_key_undoes_everything_but_the_recovery_key() -> None:
    """They veto what the others propose, and even have new keys; the paper takes the seat back from them."""
    world, hers = joined_with_paper("anna", "stolen")
    accepted(world.agree(world.substitute_terms("anna", "dora"), "burt", "curt"))
    accepted(world.turn("anna", say="All is well"))  # the thief, who has her chain, too
    accepted(world.send(world.rekey_file("anna", world.people[ANNA].sign_key, THIEF)))
    new = Identity(secret("anna's new key"))
    accepted(world.send(world.rekey_file("anna", hers, new)))
    world.people[ANNA] = THIEF
    assert isinstance(world.send(world.turn_file("anna", say="It is me")), Ignored)
    world.people[ANNA] = new
    accepted(world.turn("anna", say="It is me"))
    clean(world)


# --- consents that are too old ------------------------------------------------------------------------------


def test_consents_from_before_the_owner_undid_a_proposal_do_not_count_again() -> None:
    world = three()
    terms: JsonObject = world.substitute_terms("anna", "dora")
    accepted(world.agree(terms, "burt", "curt"))
    kept = world.consent("burt", terms)
    accepted(world.turn("anna", say="I am back"))
    held = world.send(world.consent("curt", terms), [kept])
    assert isinstance(held, Held)
    assert held.missing == (BURT,)
    assert "agree again" in refusal(world.send(kept)).sentence
    fresh = world.consent("curt", terms)
    members: JsonObject = {"what": terms, "consents": [kept, fresh], "until": plus_hours(world.now, 96)}
    assert forged(world, "propose", members) == "consent"


def test_consents_signed_in_stock_do_not_survive_a_withdrawal() -> None:
    world = three()
    terms: JsonObject = world.substitute_terms("anna", "dora")
    first = [world.consent(seat, terms) for seat in ("burt", "curt")]
    stock = [world.consent(seat, terms) for seat in ("burt", "curt")]
    world.send(first[0])
    accepted(world.send(first[1], first))
    world.take(withdraw(world.record, world.host, ANNA, world.now))
    members: JsonObject = {"what": terms, "until": plus_hours(world.now, 96)}
    assert forged(world, "propose", members | {"consents": stock}) == "consent"
    assert forged(world, "propose", members | {"consents": first}) == "number"


def test_what_was_withdrawn_done_or_never_proposed_is_not_carried_out() -> None:
    world = three()
    accepted(world.agree(world.new_keys("anna", THIEF), "burt", "curt"))
    seq = world.head.seq
    join = world.newcomer("anna", "dora")
    world.hold("anna")
    whole = packets(world, ANNA)
    assert forged(world, "substitute", {"proposal": seq, "msg": join.file, **whole}) == "proposal"
    assert forged(world, "rekey", {"proposal": seq - 1, **whole}) == "proposal"
    assert forged(world, "rekey", {"proposal": 9999, **whole}) == "proposal"
    world.carry_out("anna")
    assert forged(world, "rekey", {"proposal": seq, **whole}) == "proposal"
    assert forged(world, "withdraw", {"proposal": seq}) == "proposal"


def test_about_one_seat_one_thing_is_proposed_at_a_time() -> None:
    world = three()
    accepted(world.agree(world.new_keys("anna", THIEF), "burt", "curt"))
    terms: JsonObject = world.substitute_terms("anna", "dora")
    assert "one at a time" in refusal(world.send(world.consent("burt", terms))).sentence
    consents = [world.consent(seat, terms) for seat in ("burt", "curt")]
    members: JsonObject = {"what": terms, "consents": consents, "until": plus_hours(world.now, 96)}
    assert forged(world, "propose", members) == "propose"


def test_nothing_is_proposed_while_the_first_epoch_waits_for_the_owners_link() -> None:
    world = World("wyatt-earp", ("anna", "burt", "curt"), seed="first")
    for seat in world.seats:
        accepted(world.join(seat))
    for seat in ("burt", "curt"):
        accepted(world.ready(seat))
    terms = world.new_keys("anna", THIEF)
    assert "the first deal waits" in refusal(world.send(world.consent("burt", terms))).sentence
    consents = [world.consent(seat, terms) for seat in ("burt", "curt")]
    members: JsonObject = {"what": terms, "consents": consents, "until": plus_hours(world.now, 96)}
    assert forged(world, "propose", members) == "propose"


# --- re-rolls -----------------------------------------------------------------------------------------------


def test_a_rekey_by_the_recovery_key_gives_no_re_roll() -> None:
    """A player and the host who work together: they owe the link of the old chain, and it is burned for no sooner."""
    world, key = joined_with_paper("burt", "colluders")
    old = world.people[BURT]
    for seat in ("anna", "curt"):
        accepted(world.ready(seat))  # now host and burt can compute the next deal
    ruling = accepted(world.send(world.rekey_file("burt", key, Identity(secret("burt again")))))
    assert [line.kind for line in ruling.lines] == ["rekey"]
    with pytest.raises(RefusedError, match="not overdue"):
        burn(world.record, world.host, world.now)
    assert forged(world, "burn", {"epoch": 2, "missing": ["burt"]}) == "burn"
    world.people[BURT] = Identity(secret("burt again"))
    ready = compose_ready(world.copy(), world.people[BURT], BURT, world.number("burt"), old=old)
    accepted(world.send(ready))
    assert world.record.ledger.newest is not None
    assert world.record.ledger.newest.missing == ()
    clean(world)


@pytest.mark.parametrize("way", ["substitute", "rekey"])
def test_a_link_that_a_takeover_lost_is_burned_for_after_a_full_time_and_the_draws_say_so(way: str) -> None:
    world = three()
    for seat in ("anna", "curt"):
        accepted(world.ready(seat))
    if way == "substitute":
        world.put("burt", "dora")
    else:
        accepted(world.agree(world.new_keys("burt", THIEF), "anna", "curt"))
        world.carry_out("burt")
        world.people[BURT] = THIEF
    world.tick(95)
    assert forged(world, "burn", {"epoch": 2, "missing": ["burt"]}) == "burn"
    world.tick(1)
    world.take(burn(world.record, world.host, world.now))
    assert world.record.lines[-2].body["missing"] == ["burt"]
    while world.record.ledger.running is None or world.record.ledger.running.number < 3:
        assert world.move()
    again = {label.again for line in world.record.lines for label in world.copy().labels(line.seq)}
    assert again == {(), ("burt",)}
    report = audit(world.lines)
    repeated = {epoch.number: (epoch.again, epoch.left_out) for epoch in report.epochs if epoch.again}
    assert repeated == {
        3: (("burt",), ("burt",)),
        4: (("burt",), ()),
    }  # they play on before the deal, and have a part again
    clean(world)


# --- absences -----------------------------------------------------------------------------------------------


def test_absences_by_ones_own_word_come_to_1440_hours_and_more_needs_everybody() -> None:
    world = three()
    hours = 720
    for part in range(2):
        accepted(world.send(world.consent("anna", _away(world, part * hours, hours))))
    more = _away(world, 2 * hours, 1)
    held = world.send(world.consent("anna", more))
    assert isinstance(held, Held)
    assert held.missing == (BURT, CURT)
    members: JsonObject = {"what": more, "consents": [world.consent("anna", more)]}
    assert forged(world, "absence", members) == "consent"
    accepted(world.agree(_away(world, 2 * hours, 8784), "anna", "burt", "curt"))
    assert world.record.ledger.absent == {ANNA: 1440}
    clean(world)


def _away(world: World, begin: int, hours: int) -> JsonObject:
    span = {"from": plus_hours(world.now, begin), "until": plus_hours(world.now, begin + hours)}
    return {"kind": "absence", "seat": "anna", **span}


def test_a_newcomer_has_not_taken_his_forerunners_absences() -> None:
    world = three()
    accepted(world.send(world.consent("anna", _away(world, 0, 1440))))
    world.put("anna", "dora")
    assert world.record.ledger.absent == {}
    accepted(world.send(world.consent("anna", _away(world, 0, 1440))))


# --- what nobody consented to -------------------------------------------------------------------------------


def test_the_host_alone_proposes_nothing_where_others_must_agree() -> None:
    world = three()
    terms = world.new_keys("anna", THIEF)
    members: JsonObject = {"what": terms, "consents": [], "until": plus_hours(world.now, 96)}
    assert forged(world, "propose", members) == "consent"
    half = [world.consent("burt", terms)]
    assert forged(world, "propose", members | {"consents": half}) == "consent"
    other = [world.consent(seat, terms | {"length": 7}) for seat in ("burt", "curt")]
    assert forged(world, "propose", members | {"consents": other}) == "consent"


def test_a_proposal_about_one_seat_brings_nobody_into_another() -> None:
    world = three()
    accepted(world.agree(world.substitute_terms("curt", "dora"), "anna", "burt"))
    seq = world.head.seq
    join = world.newcomer("anna", "dora")
    world.hold("curt")
    members = {"proposal": seq, "msg": join.file, **packets(world, CURT)}
    assert forged(world, "substitute", members) == "substitute"
    with pytest.raises(RefusedError, match="is for another seat"):
        carry_out(world.record, world.host, CURT, world.now, join)


def test_a_newcomer_signs_his_own_join() -> None:
    world = three()
    accepted(world.agree(world.substitute_terms("anna", "dora"), "burt", "curt"))
    join = world.newcomer("anna", "dora")
    world.hold("anna")
    body = join.file["body"] | {"name": "Somebody else"}
    altered: Message = replace(join, file=join.file | {"body": body}, body=body)
    with pytest.raises(Exception, match="does not hold"):
        carry_out(world.record, world.host, ANNA, world.now, altered)
    accepted_lines: Accepted = carry_out(world.record, world.host, ANNA, world.now, join)
    assert accepted_lines.lines[0].kind == "substitute"
