"""A match goes from one host to another: announced to all, held, sealed to the new one; in both verifiers alike."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from pbem.base.errors import RefusedError, UsageProblem
from pbem.game import JsonObject, Seat
from pbem.player.letters.hosting import host_plays
from pbem.protocol.audit import audit
from pbem.protocol.audit.compare import compare_copies
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import open_contact
from pbem.protocol.formats.messages import build_consent, message_of
from pbem.protocol.record import HostOpenings, Line, Record
from pbem.protocol.record.check_messages import sealed_to_another
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.record.line import write_line
from pbem.protocol.record.openings import hosts_of
from pbem.protocol.referee import Departed, Held, Refused, hand_over, offer, retire, rule_message, stay
from tests.verifier.node import verify_all
from tests.verifier.verdicts import codes_of_last, with_record
from tests.world import World, accepted, refusal, secret

ANNA, BURT, CURT = Seat("anna"), Seat("burt"), Seat("curt")
THREE = ("anna", "burt", "curt")


def holds(world: World) -> None:
    """Both verifiers find nothing wrong, and say the same of who could see what."""
    report = audit(world.lines)
    theirs = verify_all({"match": world.lines})["match"]
    assert (report.faults, theirs["faults"]) == ([], [])
    assert report.hidden_from == theirs.get("hidden_from")


def playing(game: str = "wyatt-earp", files: int = 7, plays: str | None = None) -> World:
    """Some files into a match, with sealed parts of everybody under way."""
    return World(game, THREE, seed="hand-over", plays=plays).start().play(files)


def on_for_two_hands(world: World) -> None:
    """Until the second hand from here is dealt."""
    last = max(world.record.ledger.epochs) + 1
    while max(world.record.ledger.epochs) <= last and world.move():
        pass


def to_come(world: World) -> JsonObject:
    """What the word of a seat about the hand-over names."""
    assert world.record.ledger.retiring is not None
    return world.record.ledger.retiring.line.reference


def test_what_goes_sealed_to_the_new_host_has_the_length_that_public_facts_give() -> None:
    """What is in it only they can read; that something is left out everybody sees."""
    world = playing()
    world.retire("dora")
    retiring = world.record.ledger.retiring
    assert retiring is not None
    world.now = retiring.until
    members = dict(hand_over(world.record, world.host, {}, (), world.now).lines[-1].body)
    due = {name: members[name] for name in ("proposal", "ct", "contacts")}
    assert codes_of_last(with_record(world, "handover", due)) == set()
    short = {**due, "ct": b64(unb64(due["ct"])[:-512])}
    assert codes_of_last(with_record(world, "handover", short)) == {"handed"}
    assert (
        audit(with_record(world, "handover", short))
        .faults[0]
        .sentence.startswith("bytes handed over: expected ")
    )
    more = {**due, "ct": b64(unb64(due["ct"]) + bytes(512))}
    assert codes_of_last(with_record(world, "handover", more)) == {"handed"}


# --- the way it goes ----------------------------------------------------------------------------------------


def test_the_new_host_plays_it_to_the_end_and_all_is_proven() -> None:
    world = playing()
    before = world.host
    world.retire("dora")
    assert world.record.ledger.retiring is not None
    assert world.record.ledger.retiring.until == plus_hours(world.head.at, 96)
    world.play(2)  # the match goes on meanwhile
    world.hand_over("dora")
    assert world.record.ledger.host_sign == world.host.sign_public != before.sign_public
    assert [host["sign"] for _, host in hosts_of(world.lines)] == [
        b64(before.sign_public),
        b64(world.host.sign_public),
    ]
    world.play()
    assert world.record.over
    holds(world)
    assert audit(world.lines).hidden_from == (
        f"all players; from record {next(x.seq for x in world.record.lines if x.kind == 'handover')} on all players"
    )
    assert Record.load(world.lines, HostOpenings.of(world.host, world.lines)).over, (
        "loaded again from the file alone"
    )


def test_it_goes_on_to_a_third_host_with_what_was_sealed_to_the_first() -> None:
    world = playing()
    orders = dict(world.record.ledger.orders)
    assert orders
    world.retire("dora")
    world.hand_over("dora")
    world.retire("emil")
    world.hand_over("emil")
    openings = HostOpenings.of(world.host, world.lines)
    assert {seat for seat, part in orders.items() if openings.content(part) is not None} == set(orders)
    world.play(12)
    holds(world)


def test_the_addresses_go_sealed_to_the_new_host_and_to_nobody_else() -> None:
    world = playing()
    world.retire("dora")
    world.hand_over("dora")
    for seat in THREE:
        contact = world.record.ledger.players[Seat(seat)].contact
        assert contact is not None
        key, public = world.host.seal_key, world.host.seal_public
        assert open_contact(world.record.game, seat, key, public, contact) == f"{seat}@example.org"
    assert b"@example.org" in b"".join(world.lines), "the new host's own, in the offer, for everybody"
    assert not any(f"{seat}@example.org".encode() in raw for seat in THREE for raw in world.lines)


def test_what_was_under_way_is_signed_again_and_what_is_open_is_taken() -> None:
    world = playing()
    world.retire("dora")
    late = world.next_file()
    assert late is not None
    spoken = world.turn_file("anna" if late["body"]["seat"] != "anna" else "burt", say="good luck")
    world.hand_over("dora")
    for file in (late, spoken):
        ruling = world.send(file)
        assert isinstance(ruling, Refused)
        assert ruling.code == "stale"
    world.play(3)
    holds(world)


def test_any_sealed_part_of_a_file_was_for_the_host_before_and_what_is_open_never() -> None:
    """schemas/README.md §10.11: of a file with sealed actions alone, with orders alone, and with neither."""
    world = playing()
    world.retire("dora")
    body = world.turn_file("anna")["body"]
    world.hand_over("dora")
    bare = {name: value for name, value in body.items() if name not in ("sealed", "orders")}
    for part in ("sealed", "orders"):
        assert sealed_to_another(world.record.ledger, {**bare, part: body["sealed"]})
    assert not sealed_to_another(world.record.ledger, bare)


# --- who stops it -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", THREE)
def test_any_seats_no_stops_it(seat: str) -> None:
    world = playing()
    world.retire("dora")
    world.agree({"kind": "object", "seat": seat, "to": to_come(world)}, seat)
    assert world.head.kind == "object"
    assert world.record.ledger.retiring is None
    world.tick(200)
    with pytest.raises(RefusedError, match="nobody gives this match"):
        hand_over(world.record, world.host, {}, (), world.now)
    holds(world)


def test_nobody_objects_for_another_seat_and_nobody_to_an_old_offer() -> None:
    world = playing()
    world.retire("dora")
    first = to_come(world)
    assert isinstance(world.agree({"kind": "object", "seat": "burt", "to": first}, "anna"), Held)
    world.take(stay(world.record, world.host, world.now))
    holds(world)
    world.retire("emil")
    ruling = world.agree({"kind": "object", "seat": "burt", "to": first}, "burt")
    assert isinstance(ruling, Refused)
    assert ruling.code == "illegal"


def test_a_pause_is_no_time_to_object_in() -> None:
    world = playing()
    world.retire("dora")
    until = world.record.ledger.retiring.until if world.record.ledger.retiring else ""
    world.tick(1)
    world.agree({"kind": "pause", "until": world.later(24)}, *THREE)
    with pytest.raises(RefusedError, match="paused"):
        hand_over(world.record, world.host, {}, (), world.now)
    world.tick(25)
    world.play(1)
    assert world.record.ledger.retiring is not None
    assert world.record.ledger.retiring.until == plus_hours(until, 24)
    world.hand_over("dora")
    holds(world)


def test_it_is_not_done_before_the_hold_is_over() -> None:
    world = playing()
    world.retire("dora")
    with pytest.raises(RefusedError, match="is held until"):
        hand_over(world.record, world.host, {}, (), world.now)
    members = {"proposal": world.head.seq, "ct": b64(bytes(560)), "contacts": {}}
    assert codes_of_last(with_record(world, "handover", members)) == {"hold", "handed"}


def test_it_is_not_done_by_another_record_than_the_offer() -> None:
    world = playing()
    world.retire("dora")
    members = {"proposal": world.head.seq - 1, "ct": b64(bytes(560)), "contacts": {}}
    assert codes_of_last(with_record(world, "handover", members)) == {"proposal"}


# --- a new host who plays -----------------------------------------------------------------------------------


def test_a_new_host_who_plays_needs_everybody_and_has_no_part_in_later_shuffles() -> None:
    world = playing()
    world.retire("dora", plays="burt")
    terms = {"kind": "handover", "to": to_come(world)}
    consents = [world.consent(seat, terms) for seat in THREE]
    assert isinstance(world.send(consents[0]), Held)
    with pytest.raises(RefusedError, match="must agree to"):
        world.hand_over("dora", consents[:2])
    while world.record.ledger.newest is not None and BURT in world.record.ledger.newest.missing:
        world.play(1)
    consents = [world.consent(seat, terms) for seat in THREE]
    world.hand_over("dora", consents)
    taken = world.head.seq
    used = consents[0]["body"]  # it stands in the record: no other message of this seat has its number
    other = build_consent(
        world.people[Seat(used["seat"])],
        world.record.game,
        used["seat"],
        used["n"],
        world.head.seen,
        terms={"kind": "pause"},
    )
    assert refusal(world.send(other)).code == "stale"
    on_for_two_hands(world)
    holds(world)
    after = [epoch for epoch in world.record.ledger.epochs.values() if epoch.announced.seq > taken]
    assert after
    assert all(epoch.seats == (ANNA, CURT) and epoch.left_out == () for epoch in after)
    assert world.record.ledger.hidden_from == f"all players; from record {taken} on all but burt"
    words = str(host_plays(world.record, {BURT: "Burt"}))
    assert "Burt hosts and plays" in words
    assert re.search(r"Since \w+ [^.]*\d\d:\d\d UTC another host", words)


def test_a_new_host_who_plays_gives_his_link_before_he_learns_what_is_laid() -> None:
    world = playing(files=1)
    world.retire("dora", plays="burt")
    newest = world.record.ledger.newest
    assert newest is not None
    assert BURT in newest.missing
    consents = [world.consent(seat, {"kind": "handover", "to": to_come(world)}) for seat in THREE]
    with pytest.raises(RefusedError, match="burt must send a part"):
        world.hand_over("dora", consents)


def test_a_host_who_played_plays_on_as_anybody() -> None:
    world = playing(plays="anna")
    world.retire("dora")
    world.hand_over("dora")
    taken = world.head.seq
    on_for_two_hands(world)
    holds(world)
    after = [epoch for epoch in world.record.ledger.epochs.values() if epoch.announced.seq > taken]
    assert after
    assert all(epoch.seats == (ANNA, BURT, CURT) for epoch in after)
    assert "anna, who hosted before and plays, knows" in str(host_plays(world.record, {}))


# --- keys and offers ----------------------------------------------------------------------------------------


def test_no_key_that_has_another_use_is_a_hosts() -> None:
    world = playing()
    for identity in (world.people[BURT], world.host):
        with pytest.raises(RefusedError, match="another use"):
            retire(world.record, world.host, offer(world.record.game, identity), world.now)
    world.retire("dora")
    world.hand_over("dora")
    with pytest.raises(RefusedError, match="another use"):
        world.retire("hand-over")  # the first host's
    new = Identity(secret("host dora"))
    assert world.host.sign_public == new.sign_public
    with pytest.raises(UsageProblem, match="used in this match already"):
        world.rekey_file("anna", world.people[ANNA].sign_key, new)


def test_a_key_that_a_seat_has_taken_since_is_no_hosts() -> None:
    """The offer was good when it was shown; who hands over looks again, and so does every reader."""
    world = playing()
    world.retire("dora")
    retired = world.head
    new = Identity(secret("host dora"))
    accepted(world.send(world.rekey_file("anna", world.people[ANNA].sign_key, new)))
    with pytest.raises(RefusedError, match="another use"):
        world.hand_over("dora")
    members = {"proposal": retired.seq, "ct": b64(bytes(560)), "contacts": {"zoe": b64(bytes(560))}}
    assert codes_of_last(with_record(world, "handover", members)) == {"hold", "handed", "no-seat"}


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda members: members["host"].__setitem__("mail", "mallory@example.org"), "retire"),
        (lambda members: members.__setitem__("until", "2026-11-21T18:00:00Z"), "hold"),
        (lambda members: members["host"].__setitem__("seat", "zoe"), "retire"),
    ],
    ids=["another address", "no hold", "a seat that is none"],
)
def test_a_false_offer_is_a_fault_for_everybody(spoil: Callable[[JsonObject], None], code: str) -> None:
    world = playing()
    line = retire(
        world.record,
        world.host,
        offer(world.record.game, Identity(secret("x")), mail="dora@example.org"),
        world.now,
    ).lines[0]
    members = {name: json.loads(json.dumps(line.body[name])) for name in ("host", "accept", "until")}
    spoil(members)
    assert codes_of_last(with_record(world, "retire", members)) == {code}


def test_an_offer_for_another_match_is_refused() -> None:
    world = playing()
    with pytest.raises(RefusedError, match="for another match"):
        retire(world.record, world.host, offer(bytes(32), Identity(secret("x"))), world.now)


# --- the host who gave it away ------------------------------------------------------------------------------


def gone() -> tuple[World, Identity, Line]:
    """A match that went to another host, the host before, and what that one signs all the same."""
    world = playing()
    before = world.host
    world.retire("dora")
    world.hand_over("dora")
    members = {"seat": "anna", "due": world.later(999)}
    line = write_line("extend", members, before, game=world.record.game, after=world.head, at=world.now)
    return world, before, line


def test_what_the_host_before_signs_later_is_a_proof_of_two_histories() -> None:
    world, _, line = gone()
    lines = [*world.lines, line.raw]
    said = {fault.code: fault.sentence for fault in audit(lines).faults}
    assert "signed by the host before, who gave the match away in record" in said["two-histories"]
    assert "two-histories" in {fault["code"] for fault in verify_all({"match": lines})["match"]["faults"]}
    world.play(1)
    comparison = compare_copies(world.lines, lines)
    assert comparison.verdict == "forked"
    assert comparison.proof is not None
    assert "given the match away" in comparison.sentence


def test_the_host_before_signs_nothing_with_our_program_and_says_where_the_match_is() -> None:
    world, before, _ = gone()
    with pytest.raises(RefusedError, match="another host has this match") as refused:
        retire(world.record, before, offer(world.record.game, Identity(secret("x"))), world.now)
    assert "dora@example.org" in str(refused.value)


def test_a_host_with_an_older_state_stands_still_when_a_file_shows_that_it_has_gone() -> None:
    world = playing()
    world.retire("dora")
    older = Record.load(world.lines, HostOpenings.of(world.host, world.lines))
    before = world.host
    world.hand_over("dora")
    world.play(1)
    file = world.next_file()
    assert file is not None
    assert isinstance(rule_message(older, before, message_of(file), world.now), Departed)
