"""A host who plays: the host's seat has no part in any shuffle, and a match without that member is as it was."""

from __future__ import annotations

import json

import pytest

from pbem.base.errors import UsageProblem, VerificationError
from pbem.game import Seat
from pbem.protocol.audit import audit
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from pbem.protocol.record.ledger import hidden_from
from pbem.protocol.record.line import write_line
from pbem.protocol.referee import Accepted, MatchPlan, burn, create_match, perform_default
from tests.verifier.node import verify_all
from tests.world import START, World, accepted, secret

ANNA, BURT = Seat("anna"), Seat("burt")
THREE = ("anna", "burt", "curt")


@pytest.mark.parametrize("game", ["wyatt-earp", "way-out-west"])
@pytest.mark.parametrize("seats", [("anna", "burt"), THREE], ids=["two", "three"])
def test_every_shuffle_is_cut_by_the_others_alone_and_both_verifiers_agree(
    game: str, seats: tuple[str, ...]
) -> None:
    if game == "way-out-west" and len(seats) < 3:
        seats = (*THREE, "dora")
    world = World(game, seats, plays="anna").start()
    while max(world.record.ledger.epochs) < 3 and world.move():
        pass
    epochs = world.record.ledger.epochs.values()
    assert len(epochs) == 3
    assert {epoch.seats for epoch in epochs} == {tuple(seats[1:])}
    assert {epoch.left_out for epoch in epochs} == {()}
    report = audit(world.lines)
    assert (report.faults, report.hidden_from) == ([], "all but anna")
    assert {label.label for label in report.labels} <= {"fair", "fair after reveal"}
    theirs = verify_all({"match": world.lines})["match"]
    assert (theirs["faults"], theirs["hidden_from"]) == ([], "all but anna")


def test_the_match_waits_for_the_only_other_player() -> None:
    """With nobody else's part no deck is laid again, however long it takes: else the host could choose every card."""
    world = World("wyatt-earp", ("anna", "burt"), plays="anna").start()
    for _ in range(200):
        waiting = world.record.waiting
        if waiting is None:
            break
        if waiting["seat"] == "burt":
            world.tick(200)
            world.take(perform_default(world.record, world.host, BURT, world.now))
        else:
            assert world.move()
    assert world.record.missing_links == (BURT,)
    world.tick(5_000)
    with pytest.raises(Exception, match="at least one seat"):
        burn(world.record, world.host, world.now)
    assert not any(line.kind == "burn" for line in world.record.lines)


def test_new_keys_of_the_host_seat_change_no_deck() -> None:
    world = World("wyatt-earp", THREE, plays="anna").start()
    announced = world.record.ledger.newest
    new = Identity(secret("second keys"))
    done = world.send(world.rekey_file("anna", world.people[ANNA].sign_key, new))
    assert isinstance(done, Accepted)
    newest = world.record.ledger.newest
    assert newest is not None
    assert announced is not None
    assert (newest.number, newest.commit, newest.burned) == (announced.number, announced.commit, False)
    assert "anna" not in newest.missing


def test_a_link_of_the_host_seat_is_refused() -> None:
    world = World("wyatt-earp", THREE, plays="anna")
    for seat in THREE:
        accepted(world.join(seat))
    with pytest.raises(UsageProblem, match="nothing to confirm right now"):
        world.ready("anna")
    assert not world.record.can_be_ready(ANNA)


def test_a_seat_that_is_not_in_the_match_cannot_be_the_hosts() -> None:
    host = Identity(secret("host"))
    with pytest.raises(UsageProblem, match="cannot play dora"):
        create_match(MatchPlan("wyatt-earp", THREE, plays="dora"), host, bytes(16), START)
    body = json.loads(create_match(MatchPlan("wyatt-earp", THREE), host, bytes(16), START).raw)["body"]
    members = {name: member for name, member in body.items() if name not in ("kind", "seq", "prev", "at")}
    members["host"]["seat"] = "dora"
    raw = write_line("genesis", members, host, game=None, after=None, at=START).raw
    with pytest.raises(VerificationError, match="the host plays dora"):
        Record.load([raw])
    theirs = verify_all({"match": [raw]})["match"]
    assert [fault["code"] for fault in theirs["faults"]] == ["genesis"]


def test_without_a_seat_of_the_host_genesis_is_what_it_was() -> None:
    genesis = create_match(MatchPlan("wyatt-earp", THREE), Identity(secret("host")), bytes(16), START)
    assert set(genesis.body["host"]) == {"sign", "seal"}
    assert hidden_from(genesis.body["host"]) == "all players"
    assert b'"host":{"seal"' in canon(genesis.body)
