"""A thief of a key takes nothing for good: what cannot be undone is held, as takeovers are, in both verifiers alike."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.base.errors import RefusedError
from pbem.game import JsonObject, Seat
from pbem.protocol.audit import audit
from pbem.protocol.crypto.digest import fingerprint, sha, unb64
from pbem.protocol.crypto.identity import Identity, recovery_key
from pbem.protocol.crypto.primitives import SignKey
from pbem.protocol.formats.messages import message_of
from pbem.protocol.record import Ledger
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.record.kinds.absence import ALONE
from pbem.protocol.record.kinds.consent import usable
from pbem.protocol.referee import Accepted, Ignored, Refused, perform_default, substitute
from tests.hostile.seats import forged, forged_fault
from tests.verifier.node import verify_all
from tests.verifier.verdicts import codes_of_last, with_record
from tests.world import World, accepted, secret

ANNA, BURT, CURT = Seat("anna"), Seat("burt"), Seat("curt")
THREE = ("anna", "burt", "curt")
OLD, NEW, THIEFS = (recovery_key(secret(f"paper {name}")) for name in ("old", "new", "of a thief"))
THIEF = Identity(secret("a thief of keys"))


def hashed(key: SignKey) -> bytes:
    return sha(key.public)


def playing() -> World:
    """The first hand is dealt, everybody has a paper, and all parts of the next shuffle are there."""
    world = World("wyatt-earp", THREE, seed="thief")
    for seat in THREE:
        accepted(world.join(seat, recovery=hashed(OLD)))
    for _ in range(2):
        for seat in THREE:
            accepted(world.ready(seat))
    return world


def holds(world: World) -> None:
    assert audit(world.lines).faults == []
    assert verify_all({"match": world.lines})["match"]["faults"] == []


def rekeyed(world: World, seat: str, key: SignKey, name: str, recovery: bytes | None = None) -> Identity:
    new = Identity(secret(f"{seat} {name}"))
    accepted(world.send(world.rekey_file(seat, key, new, recovery)))
    world.people[Seat(seat)] = new
    return new


def ledger(world: World) -> Ledger:
    """As it stands now."""
    return world.record.as_of(max(world.now, world.head.at)).ledger


# --- resigning ----------------------------------------------------------------------------------------------


def resigns(world: World, seat: str) -> None:
    accepted(world.send(world.consent(seat, {"kind": "resign", "seat": seat})))


def test_a_thief_resigns_and_the_owner_undoes_it() -> None:
    world = playing()
    resigns(world, "anna")
    assert world.head.body["until"] == plus_hours(world.head.at, 96)
    with pytest.raises(RefusedError, match="due from"):
        perform_default(world.record, world.host, ANNA, world.now)
    terms = world.substitute_terms("anna", "dora")
    consents = [world.consent(seat, terms) for seat in ("burt", "curt")]
    with pytest.raises(RefusedError, match="counts by itself"):
        substitute(world.record, world.host, world.newcomer("anna", "dora"), consents, world.now)
    rekeyed(world, "anna", OLD, "again")
    world.tick(120)
    assert ANNA not in ledger(world).resigned
    holds(world)


def talks(world: World) -> None:
    accepted(world.turn("anna", say="not me"))


def plays(world: World) -> None:
    accepted(world.turn("anna", {"do": "draw", "from": "supply"}))


def orders(world: World) -> None:
    accepted(world.turn("anna", orders={"rules": [{"when": "draw", "do": {"do": "draw", "from": "supply"}}]}))


def whispers(world: World) -> None:
    accepted(world.turn("anna", tell={BURT: "it was not me"}))


def is_away(world: World) -> None:
    span = {"from": plus_hours(world.now, 1), "until": plus_hours(world.now, 2)}
    accepted(world.send(world.consent("anna", {"kind": "absence", "seat": "anna", **span})))


def agrees_with_all(world: World) -> None:
    accepted(world.agree({"kind": "pause", "until": plus_hours(world.now, 1)}, *THREE))


def agrees_about_another(world: World) -> None:
    accepted(world.agree(world.substitute_terms("curt", "dora"), "anna", "burt"))


def has_new_keys(world: World) -> None:
    rekeyed(world, "anna", world.people[ANNA].sign_key, "another browser")


def comes_by_the_paper(world: World) -> None:
    rekeyed(world, "anna", OLD, "found again")


WORDS = (
    talks, plays, orders, whispers, is_away, agrees_with_all, agrees_about_another, has_new_keys, comes_by_the_paper
)  # fmt: skip


@pytest.mark.parametrize("undo", WORDS)
def test_any_later_file_of_the_seat_undoes_it(undo: Callable[[World], None]) -> None:
    world = playing()
    resigns(world, "anna")
    undo(world)
    assert ANNA not in ledger(world).proposals
    world.tick(200)
    assert ANNA not in ledger(world).resigned
    holds(world)


def test_a_file_that_is_refused_undoes_it_by_a_withdrawal() -> None:
    world = playing()
    seq = world.head.seq + 1
    resigns(world, "burt")
    ruling = world.turn("burt", {"do": "draw", "from": "supply"})  # it is anna's turn
    assert isinstance(ruling, Refused)
    assert ruling.withdrawn is not None
    world.take(ruling.withdrawn)
    assert world.head.body["proposal"] == seq
    world.tick(200)
    assert BURT not in ledger(world).resigned
    holds(world)


def test_after_the_hold_it_counts_by_itself_and_the_deadline_went_on() -> None:
    world = playing()
    due = world.record.due
    resigns(world, "anna")
    assert world.record.due == due
    world.hold("anna")
    assert ledger(world).resigned == {ANNA}
    assert world.take(perform_default(world.record, world.host, ANNA, world.now)).lines[0].kind == "default"
    world.put("anna", "dora")
    accepted(world.turn("anna", say="hello"))
    holds(world)


def test_a_pause_stands_still_in_it() -> None:
    world = playing()
    resigns(world, "curt")
    until = world.head.body["until"]
    terms = {"kind": "pause", "until": plus_hours(world.now, 24)}
    accepted(world.agree(terms, "anna", "burt", "curt"))  # curt's word undoes it, so he resigns again
    resigns(world, "curt")
    world.now = plus_hours(world.now, 24)
    held = ledger(world).proposals[CURT]
    assert held.until == plus_hours(until, 24)
    world.hold("curt")
    assert CURT in ledger(world).resigned
    accepted(world.turn("burt", say="he is gone"))
    holds(world)


@pytest.mark.parametrize("hours", [0, 95, 97])
def test_both_verifiers_know_the_hold(hours: int) -> None:
    world = playing()
    terms = {"kind": "resign", "seat": "anna"}
    members = {
        "what": terms,
        "consents": [world.consent("anna", terms)],
        "until": plus_hours(world.now, hours),
    }
    assert forged(world, "propose", members) == "hold"


def test_the_others_make_nobody_resign_past_an_open_proposal() -> None:
    world = playing()
    accepted(world.agree(world.substitute_terms("curt", "dora"), "anna", "burt"))
    resigns(world, "curt")  # their own word undoes what was proposed, and is held itself
    assert ledger(world).proposals[CURT].counts
    holds(world)


# --- at once, and only by the recovery key ------------------------------------------------------------------


def two() -> World:
    """One opponent; the first hand is dealt, and both have a paper."""
    world = World("wyatt-earp", ("anna", "burt"), seed="thief of two")
    for seat in world.seats:
        accepted(world.join(seat, recovery=hashed(OLD)))
    for _ in range(2):
        for seat in world.seats:
            accepted(world.ready(seat))
    return world


TABLES = pytest.mark.parametrize("table", [two, playing], ids=["one opponent", "two opponents"])


def replaced(world: World, consents: list[JsonObject], name: str = "dora") -> Accepted:
    return world.take(substitute(world.record, world.host, world.newcomer("anna", name), consents, world.now))


def yes(world: World, name: str = "dora", key: SignKey | None = None) -> list[JsonObject]:
    """All others agree to a new player for anna, and she does, by her own key or this one."""
    terms = world.substitute_terms("anna", name)
    others = [world.consent(seat, terms) for seat in world.seats if seat != "anna"]
    return [*others, world.consent("anna", terms, key)]


@TABLES
def test_the_recovery_key_gives_the_seat_up_in_that_record(table: Callable[[], World]) -> None:
    world = table()
    resigns(world, "anna")  # the thief, to be in the way
    done = accepted(world.send(world.consent("anna", {"kind": "resign", "seat": "anna"}, OLD)))
    assert [line.kind for line in done.lines] == ["resign"]
    assert ledger(world).resigned == {ANNA}
    assert not ledger(world).proposals
    accepted(world.turn("anna", say="this is the thief"))
    assert ledger(world).resigned == {ANNA}
    assert world.take(perform_default(world.record, world.host, ANNA, world.now)).lines[0].kind == "default"
    holds(world)


@TABLES
def test_with_the_recovery_keys_word_somebody_new_comes_in_that_record(table: Callable[[], World]) -> None:
    world = table()
    resigns(world, "anna")  # the thief, to be in the way
    done = replaced(world, yes(world, key=OLD))
    assert [line.kind for line in done.lines] == ["substitute"]
    assert "act" not in done.lines[0].body
    assert ledger(world).proposals == {}
    holds(world)


@TABLES
def test_without_the_recovery_key_nothing_is_done_at_once(table: Callable[[], World]) -> None:
    """The thief of a key with all the others: by their consents, and by a host who helps."""
    world = table()
    consents = yes(world)
    asked = replaced(world, consents)
    assert [line.kind for line in asked.lines] == ["propose"]
    world = table()
    named = {"what": world.substitute_terms("anna", "dora"), "consents": yes(world)}
    joins = {"msg": world.newcomer("anna", "dora").file, **_whole(world, ANNA, _dora(world))}
    assert forged(world, "substitute", named | joins) == "proposal"
    terms = {"kind": "resign", "seat": "anna"}
    assert forged(world, "resign", {"what": terms, "consents": [world.consent("anna", terms)]}) == "resign"
    assert (
        forged(world, "resign", {"what": terms, "consents": [world.consent("anna", terms, THIEFS)]})
        == "signature"
    )


def _dora(world: World) -> Identity:
    return Identity(secret(f"dora {world.seed}"))


def test_what_counts_at_once_is_not_held() -> None:
    world = playing()
    terms = {"kind": "resign", "seat": "anna"}
    held = {"what": terms, "consents": [world.consent("anna", terms, OLD)], "until": world.later(96)}
    assert forged_fault(world, "propose", held).sentence == "this needs no proposal"


def test_a_seat_without_a_recovery_key_is_held() -> None:
    world = World("wyatt-earp", THREE, seed="no paper").start()
    ruling = world.send(world.consent("anna", {"kind": "resign", "seat": "anna"}, OLD))
    assert isinstance(ruling, Ignored)  # no seat's signature
    resigns(world, "anna")
    assert world.head.kind == "propose"


def test_the_recovery_key_agrees_to_nothing_else() -> None:
    world = playing()
    for terms in (world.pause(24), {"kind": "end"}, {"kind": "resign", "seat": "burt"}):
        assert isinstance(world.send(world.consent("anna", terms, OLD)), Ignored)


def test_the_thief_makes_no_word_of_the_recovery_key_stale() -> None:
    """Whatever number the seat's key signs, and whatever it undoes."""
    world = playing()
    own = world.consent("anna", world.substitute_terms("anna", "dora"), OLD)
    accepted(world.turn("anna", say="this is the thief"))
    resigns(world, "anna")
    accepted(world.turn("anna", say="and it undoes that"))
    others = [file for file in yes(world) if file["body"]["seat"] != "anna"]
    done = replaced(world, [*others, own])
    assert [line.kind for line in done.lines] == ["substitute"]
    holds(world)


def test_the_recovery_key_signs_nothing_twice_over() -> None:
    world = playing()
    early = world.rekey_file("anna", OLD, Identity(secret("anna early")))
    rekeyed(world, "anna", OLD, "late")
    assert isinstance(world.send(early), Refused)
    members = {"msg": early, **_whole(world, ANNA, Identity(secret("anna early")))}
    assert forged(world, "rekey", members) == "number"


@pytest.mark.parametrize(("hours", "counts"), [(336, True), (337, False)])
def test_its_word_waits_fourteen_days_for_the_others(hours: int, counts: bool) -> None:
    world = playing()
    own = world.consent("anna", world.substitute_terms("anna", "dora"), OLD)
    world.tick(hours)
    consents = [*(file for file in yes(world) if file["body"]["seat"] != "anna"), own]
    assert usable(world.record.ledger, message_of(own), world.now) == counts
    if counts:
        replaced(world, consents)
        holds(world)
        return
    joins = {"msg": world.newcomer("anna", "dora").file, **_whole(world, ANNA, _dora(world))}
    members = {"what": world.substitute_terms("anna", "dora"), "consents": consents, **joins}
    assert forged(world, "substitute", members) == "consent"


def test_the_others_yes_is_not_older_than_the_end_of_the_last_proposal() -> None:
    world = playing()
    consents = yes(world, key=OLD)
    accepted(world.agree(world.substitute_terms("anna", "emil"), "burt", "curt"))
    accepted(world.turn("anna", say="not emil"))
    fresh = [file for file in yes(world) if file["body"]["seat"] == "curt"]
    mixed = [file for file in consents if file["body"]["seat"] != "curt"] + fresh
    joins = {"msg": world.newcomer("anna", "dora").file, **_whole(world, ANNA, _dora(world))}
    lines = with_record(
        world, "substitute", {"what": world.substitute_terms("anna", "dora"), "consents": mixed, **joins}
    )
    assert "consent" in codes_of_last(lines)


def test_nobody_is_replaced_while_the_first_deal_waits_for_that_seats_part() -> None:
    """But it may be given up."""
    world = World("wyatt-earp", THREE, seed="thief")
    for seat in THREE:
        accepted(world.join(seat, recovery=hashed(OLD)))
    with pytest.raises(RefusedError, match="the first deal waits"):
        replaced(world, yes(world, key=OLD))
    accepted(world.send(world.consent("anna", {"kind": "resign", "seat": "anna"}, OLD)))
    assert ledger(world).resigned == {ANNA}
    holds(world)


def test_the_old_recovery_key_undoes_another_one_by_any_word() -> None:
    world = playing()
    rekeyed(world, "anna", world.people[ANNA].sign_key, "of the thief", hashed(THIEFS))
    accepted(world.send(world.consent("anna", {"kind": "resign", "seat": "anna"}, OLD)))
    assert not ledger(world).replacing
    assert ledger(world).frozen == {ANNA}
    holds(world)


# --- the recovery key ---------------------------------------------------------------------------------------


def test_a_recovery_key_is_replaced_after_the_hold_while_its_owner_plays_on() -> None:
    world = playing()
    new = rekeyed(world, "anna", OLD, "new keys", hashed(NEW))
    accepted(world.turn("anna", say="still here"))  # what the new keys sign is with the act
    assert ledger(world).players[ANNA].recovery == hashed(OLD)
    world.tick(97)
    assert ledger(world).players[ANNA].recovery == hashed(NEW)
    accepted(world.turn("burt", say="time passes"))
    old_paper = Identity(secret("by the old paper"))
    with pytest.raises(Exception, match="neither the key"):
        world.rekey_file("anna", OLD, old_paper)
    rekeyed(world, "anna", NEW, "by the new paper")
    assert world.people[ANNA].sign_public != new.sign_public
    holds(world)


def test_a_thief_of_the_key_who_replaces_the_paper_is_undone_by_the_paper() -> None:
    world = playing()
    rekeyed(world, "anna", world.people[ANNA].sign_key, "of the thief", hashed(THIEFS))
    accepted(world.turn("anna", say="this is the thief"))
    rekeyed(world, "anna", OLD, "of the owner")
    assert ledger(world).replacing == {}
    assert ledger(world).frozen == {ANNA}
    world.tick(200)
    assert ledger(world).players[ANNA].recovery == hashed(OLD)
    ruling = world.send(world.rekey_file("anna", OLD, Identity(secret("once more")), hashed(NEW)))
    assert isinstance(ruling, Refused)
    assert "claimed twice" in ruling.sentence
    holds(world)


def test_two_different_replacements_cancel_each_other_until_somebody_new_sits_there() -> None:
    world = playing()
    rekeyed(world, "anna", OLD, "one", hashed(NEW))
    rekeyed(world, "anna", world.people[ANNA].sign_key, "two", hashed(THIEFS))
    assert not ledger(world).replacing
    assert ledger(world).frozen == {ANNA}
    world.put("anna", "dora")
    assert ledger(world).frozen == frozenset()
    holds(world)


@pytest.mark.parametrize("wrong", ["frozen", "the same"])
def test_both_verifiers_refuse_a_replacement_that_cannot_be(wrong: str) -> None:
    world = playing()
    key = world.people[ANNA].sign_key
    if wrong == "frozen":
        rekeyed(world, "anna", key, "of the thief", hashed(THIEFS))
        rekeyed(world, "anna", OLD, "of the owner")
    new = Identity(secret("and again"))
    named = hashed(NEW) if wrong == "frozen" else hashed(OLD)
    file = world.rekey_file("anna", world.people[ANNA].sign_key, new, named)
    accepted_body = _whole(world, ANNA, new)
    assert forged(world, "rekey", {"msg": file, **accepted_body}) == "recovery"


def _whole(world: World, seat: Seat, new: Identity) -> JsonObject:
    from pbem.protocol.referee.draft import Draft  # the host's own tools, for what they must not write

    return Draft(world.record, world.host, world.now).whole_packet(seat, new.seal_public)


# --- who comes ----------------------------------------------------------------------------------------------


def test_a_substitute_is_who_the_consents_name() -> None:
    world = playing()
    world.resign("anna")
    terms = world.substitute_terms("anna", "dora")
    assert terms["newcomer"] == fingerprint(unb64(world.newcomer("anna", "dora").body["sign"], 32))
    consents = [world.consent(seat, terms) for seat in ("burt", "curt")]
    emil = world.newcomer("anna", "emil")
    with pytest.raises(RefusedError, match="must agree to"):
        substitute(world.record, world.host, emil, consents, world.now)
    members = {"what": terms, "consents": consents, "msg": emil.file, **_whole(world, ANNA, THIEF)}
    fault = forged_fault(world, "substitute", members)
    assert fault.code == "newcomer"
    assert fault.sentence.startswith("key of the new player: expected ")
    proposed = {"what": terms, "consents": consents, "until": plus_hours(world.now, 72)}
    assert forged_fault(world, "propose", proposed).sentence == "this needs no proposal"
    far = world.newcomer("anna", "dora", n=2**31)
    with pytest.raises(RefusedError, match="above the newest number"):
        substitute(world.record, world.host, far, consents, world.now)
    assert forged(world, "substitute", {**members, "msg": far.file}) == "number"


def test_nobody_is_replaced_by_consents_from_before_the_seat_undid_a_proposal() -> None:
    world = playing()
    terms = world.substitute_terms("anna", "dora")
    old = [world.consent(seat, terms) for seat in ("burt", "curt")]
    world.agree(terms, "burt", "curt")
    accepted(world.turn("anna", say="I am here"))
    proposed = {"what": terms, "until": world.later(72 + 24)}
    fresh = [world.consent(seat, terms) for seat in ("burt", "curt")]
    assert forged(world, "propose", {**proposed, "consents": old}) == "number"
    asked = codes_of_last(with_record(world, "propose", {**proposed, "consents": [old[0], fresh[1]]}))
    assert "consent" in asked
    assert "consent" not in codes_of_last(with_record(world, "propose", {**proposed, "consents": fresh}))


def test_nobody_takes_a_seat_at_once_that_is_not_given_up() -> None:
    world = playing()
    terms = world.substitute_terms("anna", "dora")
    consents = [world.consent(seat, terms) for seat in ("burt", "curt")]
    join = world.newcomer("anna", "dora").file
    members = {"what": terms, "consents": consents, "msg": join, **_whole(world, ANNA, THIEF)}
    fault = forged_fault(world, "substitute", members)
    assert fault.code == "proposal"
    assert fault.sentence == "anna has not resigned: a replacement player must be proposed first"


def test_a_proposal_is_carried_out_for_nobody_else() -> None:
    world = playing()
    accepted(world.agree(world.substitute_terms("anna", "dora"), "burt", "curt"))
    seq = world.head.seq
    world.hold("anna")
    members = {"proposal": seq, "msg": world.newcomer("anna", "emil").file, **_whole(world, ANNA, THIEF)}
    assert forged(world, "substitute", members) == "newcomer"


# --- time ---------------------------------------------------------------------------------------------------


def test_a_rekey_that_the_others_agreed_to_asks_the_turn_again() -> None:
    world = playing()
    assert world.record.ledger.awaited == ANNA
    new = Identity(secret("new keys"))
    accepted(world.agree(world.new_keys("anna", new), "burt", "curt"))
    world.carry_out("anna")
    world.people[ANNA] = new
    assert world.record.due == plus_hours(world.now, 72)
    holds(world)


def test_one_by_the_recovery_key_does_so_once_an_epoch_out_of_the_seats_own_absence() -> None:
    world = playing()
    world.tick(30)
    rekeyed(world, "anna", OLD, "first")
    assert world.record.due == plus_hours(world.now, 72)
    assert world.record.ledger.absent[ANNA] == 30
    due = world.record.due
    world.tick(10)
    rekeyed(world, "anna", OLD, "second")
    assert world.record.due == due, "once an epoch"
    holds(world)


def test_and_not_beyond_what_a_seat_may_be_away_alone() -> None:
    world = playing()
    terms = {
        "kind": "absence",
        "seat": "anna",
        "from": plus_hours(world.now, 1000),
        "until": plus_hours(world.now, 1000 + ALONE - 20),
    }
    accepted(world.send(world.consent("anna", terms)))
    world.tick(30)
    due = world.record.due
    rekeyed(world, "anna", OLD, "first")
    assert world.record.due == due
    assert world.record.ledger.absent[ANNA] == ALONE - 20
    holds(world)


def test_one_by_the_seats_own_key_gives_no_time() -> None:
    world = playing()
    world.tick(30)
    due = world.record.due
    rekeyed(world, "anna", world.people[ANNA].sign_key, "new keys")
    assert world.record.due == due
    holds(world)
