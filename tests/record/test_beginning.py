"""Record 0: what does not begin as a match must is no match, whoever reads it."""

from __future__ import annotations

import pytest

from pbem.base.errors import FormatError, PbemError
from pbem.game import JsonObject, Seat
from pbem.player.seat.check import check_file
from pbem.protocol.audit import audit
from pbem.protocol.client import compose_join
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.draws import LENGTH, chain, seat_label
from pbem.protocol.formats.messages import build_ready, build_rekey, message_of
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import HostOpenings, Record
from pbem.protocol.record.line import write_line
from pbem.protocol.referee import MatchPlan, create_match, substitute
from tests.forge import Forge
from tests.world import World, accepted, refusal, secret


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"_seq": 1}, "seq: expected 0"),
        ({"_prev": b64(bytes(32))}, "prev: expected"),
        ({"_key": Identity(secret("a stranger"))}, "another key than the host's"),
        ({"rules": {"id": "poker", "version": 1}}, "poker"),
        ({"rules": {"id": "wyatt-earp", "version": 99}}, "99"),
        ({"seats": ["anna"]}, "seats"),
        ({"options": {"tie_payment": "half"}}, "options: member 'hideout_reward' is missing"),
        ({"setup": {"dealer": "zed"}}, "zed"),
        ({"deadlines": {"hours": -1, "grace": 0, "again": 0, "then": "default"}}, "hours"),
    ],
)
def test_a_file_that_begins_wrongly_is_no_match(members: JsonObject, says: str) -> None:
    forge = Forge(World("wyatt-earp", ("anna", "burt")))
    lines = forge.edited(lambda bodies: bodies[0].update(members))
    with pytest.raises(PbemError, match=says):
        Record.load(lines)
    (fault,) = audit(lines).faults
    assert (fault.seq, fault.step, fault.code) == (0, 1, "genesis")
    assert says in fault.sentence


def test_a_file_that_begins_with_another_record_is_no_match() -> None:
    world = World("wyatt-earp", ("anna", "burt"))
    world.join("anna")
    with pytest.raises(PbemError, match="does not begin with a genesis record"):
        Record.load(world.lines[1:])
    assert [(fault.step, fault.code) for fault in audit(world.lines[1:]).faults] == [(1, "genesis")]
    with pytest.raises(PbemError, match="no records"):
        Record.load([])


def test_a_link_before_anything_was_announced_is_refused_by_everybody() -> None:
    world = World("wyatt-earp", ("anna", "burt"))
    accepted(world.join("anna"))
    anna, head = world.people[Seat("anna")], world.head.seen
    link = chain(seat_label("anna"), world.record.game, anna.chain_seed(world.record.game))[1]
    file = build_ready(anna, world.record.game, "anna", 1, head, epoch=1, link=link)
    says = "anna sent a part of the shuffle for deal 1; the newest announced deal is none"
    refused = refusal(world.send(file))
    assert (refused.code, refused.sentence) == ("bad-link", says)
    checked = check_file(world.copy(), canon(file))
    assert (checked.code, checked.sentence) == ("bad-link", says)
    forged = write_line(
        "ready", {"msg": file}, world.host, game=world.record.game, after=world.head, at=world.now
    )
    (fault,) = audit([*world.lines, forged.raw]).faults
    assert (fault.step, fault.code, fault.sentence) == (3, "link", says)


def test_who_has_new_keys_before_everybody_has_joined_gives_the_first_link_from_the_new_chain() -> None:
    world = World("wyatt-earp", ("anna", "burt"))
    accepted(world.join("anna"))
    old, new = world.people[Seat("anna")], Identity(secret("anna's new keys"))
    anchor = chain(seat_label("anna"), world.record.game, new.chain_seed(world.record.game))[0]
    head = world.head.seen
    rekey = build_rekey(
        old.sign_key, world.record.game, "anna", 1, head, new=new, anchor=anchor, length=LENGTH
    )
    accepted(world.send(rekey))
    world.people[Seat("anna")], world.numbers[Seat("anna")] = new, 1
    _joined_and_dealt(world, "burt")


def test_who_takes_a_seat_over_before_everybody_has_joined_gives_the_first_link() -> None:
    """Where the host alone may say so; else the seats that are still free would have to agree."""
    world = World("wyatt-earp", ("anna", "burt"))
    plan = MatchPlan("wyatt-earp", world.seats, consent={"substitute": "host"})
    genesis = create_match(plan, world.host, secret("another nonce")[:16], world.now)
    world.record = Record.begin(genesis.raw, HostOpenings(world.host, genesis))
    accepted(world.join("anna"))
    dora = Identity(secret("dora"))
    join = compose_join(world.copy(), dora, "anna", name="Dora", n=1)
    world.take(substitute(world.record, world.host, message_of(join), [], world.now))  # proposed
    world.hold("anna")
    world.take(substitute(world.record, world.host, message_of(join), [], world.now))
    world.people[Seat("anna")], world.numbers[Seat("anna")] = dora, 1
    _joined_and_dealt(world, "burt")


def _joined_and_dealt(world: World, last: str) -> None:
    accepted(world.join(last))
    for seat in world.seats:
        accepted(world.ready(seat))
    assert world.record.waiting is not None
    world.play(2)
    Record.load(world.lines)
    assert audit(world.lines).ok


def test_after_an_unreadable_line_the_records_keep_their_places() -> None:
    lines = World("wyatt-earp", ("anna", "burt")).start().lines
    whole = audit(lines)
    assert whole.ok
    lines[3] = lines[3].replace(b'":', b'": ', 1)
    report = audit(lines)
    assert report.records == whole.records
    assert [(fault.seq, fault.code) for fault in report.faults if fault.step == 1] == [
        (3, "malformed"),  # it has no name, so nothing is held against the record after it
    ]


def test_a_record_without_its_form_is_not_signed() -> None:
    world = World("wyatt-earp", ("anna", "burt"))
    with pytest.raises(FormatError, match="due"):
        write_line(
            "extend", {"seat": "anna"}, world.host, game=world.record.game, after=world.head, at=world.now
        )
