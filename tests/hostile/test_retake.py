"""The second taking of a seat: by the same invitation, until its first turn, announced to all, in both verifiers."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.base.errors import RefusedError
from pbem.game import JsonObject, Seat
from pbem.player.letters.hosting import invitations_hold
from pbem.player.lookback.document import examine
from pbem.player.lookback.page import page_of
from pbem.player.lookback.words import audit_words
from pbem.protocol.audit import audit
from pbem.protocol.client.compose import compose_join
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import message_of
from pbem.protocol.record.kinds.retake import MOST, retake_fault
from pbem.protocol.record.line import write_line
from pbem.protocol.referee import Ignored, retake
from tests.letters.batch import letters_for
from tests.verifier.node import verify_all
from tests.verifier.verdicts import codes_of_last, with_record
from tests.world import World, accepted, secret

ANNA, BURT, CURT = Seat("anna"), Seat("burt"), Seat("curt")
THREE = ("anna", "burt", "curt")


def holds(world: World) -> None:
    """Both verifiers find nothing wrong, and they say the same of every draw."""
    assert audit(world.lines).faults == []
    assert verify_all({"match": world.lines})["match"]["faults"] == []


def joined() -> World:
    """Anna and Burt have joined; Curt has not."""
    world = World("wyatt-earp", THREE, seed="retake")
    for seat in ("anna", "burt"):
        accepted(world.join(seat))
    return world


def announced() -> World:
    """All have joined; Anna and Burt are ready, nothing is dealt."""
    world = joined()
    accepted(world.join("curt"))
    for seat in ("anna", "burt"):
        accepted(world.ready(seat))
    return world


def dealt() -> World:
    """The first hand is dealt, and nobody has made a turn."""
    return World("wyatt-earp", THREE, seed="retake").start()


# --- the three times ----------------------------------------------------------------------------------------


def test_before_the_announcement_the_new_join_replaces_the_old() -> None:
    world = joined()
    old = world.people[BURT]
    done = world.retake("burt", "burt phone")
    assert [line.kind for line in done.lines] == ["retake"]
    assert world.record.ledger.players[BURT].sign == world.people[BURT].sign_public != old.sign_public
    accepted(world.join("curt"))
    assert world.record.ledger.newest is not None
    assert world.record.ledger.newest.number == 1
    for seat in THREE:
        accepted(world.ready(seat))
    assert world.move()
    holds(world)


@pytest.mark.parametrize("seat", ["burt", "curt"], ids=["was ready", "was not"])
def test_between_announcement_and_deal_a_new_deck_is_committed_marked_like_a_burn(seat: str) -> None:
    world = announced()
    before = world.record.ledger.epochs[1]
    done = world.retake(seat, "phone")
    assert [line.kind for line in done.lines] == ["retake", "announce"]
    assert done.lines[0].body["void"] == 1
    newest = world.record.ledger.newest
    assert newest is not None
    assert (newest.number, newest.seats, newest.again, newest.thrown_away) == (2, THREE, (Seat(seat),), 1)
    assert newest.decks["main"][0].leaves != before.decks["main"][0].leaves
    assert world.record.missing_links == THREE, "everybody gives a part again"
    for each in THREE:
        accepted(world.ready(each))
    opened = next(line for line in world.record.lines if line.kind == "open")
    labels = world.record.labels(opened.seq)
    assert {(label.again, label.retaken, label.thrown_away) for label in labels} == {((seat,), True, 1)}
    assert world.move()
    holds(world)


def test_after_the_deal_the_new_chain_serves_later_epochs_and_the_hand_is_sealed_again() -> None:
    world = dealt()
    hand = world.view("burt").view_json["hands"]["burt"]
    done = world.retake("burt", "phone")
    assert [line.kind for line in done.lines] == ["retake"]
    assert "void" not in done.lines[0].body
    assert world.view("burt").view_json["hands"]["burt"] == hand
    newest = world.record.ledger.newest
    assert newest is not None
    assert not world.record.can_be_ready(BURT), "a chain chosen after the laying must not serve it"
    while not any(line.kind == "close" for line in world.record.lines):
        assert world.move()
    holds(world)


def test_who_is_to_act_is_asked_again() -> None:
    world = dealt()
    assert world.record.waiting is not None
    seat = world.record.waiting["seat"]
    world.tick(24)
    due = world.record.due
    world.retake(seat, "phone")
    assert world.record.due is not None
    assert due is not None
    assert world.record.due > due
    holds(world)


# --- who cannot ---------------------------------------------------------------------------------------------


def test_the_first_turn_ends_it_even_if_it_only_talks() -> None:
    world = dealt()
    accepted(world.turn("burt", say="hello"))
    assert "has made a turn" in retake_fault(world.record.ledger, BURT)
    with pytest.raises(RefusedError, match="has made a turn"):
        world.retake("burt", "phone")
    assert retake_fault(world.record.ledger, CURT) == ""


def test_the_roster_says_who_could_take_a_seat_as_long_as_somebody_can() -> None:
    world = dealt()
    assert "the host has every invitation" in str(invitations_hold(world.record.ledger))
    for seat in THREE:
        assert invitations_hold(world.record.ledger) is not None
        accepted(world.turn(seat, say="hello"))
    assert invitations_hold(world.record.ledger) is None


def test_no_seat_is_taken_again_in_a_match_that_has_ended_before_its_first_turn() -> None:
    """schemas/README.md §10.10: the host's act and what all are shown of invitations."""
    world = dealt()
    world.tick(10)
    world.agree({"kind": "end"}, *THREE)
    assert world.record.over
    with pytest.raises(RefusedError, match="the match has ended"):
        world.retake("burt", "phone")
    assert invitations_hold(world.record.ledger) is None


def test_the_former_keys_count_no_more() -> None:
    world = announced()
    old = world.people[CURT]
    world.retake("curt", "phone")
    new, world.people[CURT] = world.people[CURT], old
    assert isinstance(world.send(world.consent("curt", {"kind": "resign", "seat": "curt"})), Ignored)
    world.people[CURT] = new
    accepted(world.ready("curt"))


def test_a_join_alone_takes_no_seat_that_somebody_has() -> None:
    world = announced()
    ruling = world.join("curt", identity=Identity(secret("stranger")), n=0)
    assert isinstance(ruling, Ignored)
    assert ruling.taken


def test_only_so_often() -> None:
    world = joined()
    for number in range(MOST):
        world.retake("burt", f"phone {number}")
    with pytest.raises(RefusedError, match="already"):
        world.retake("burt", "one more")
    holds(world)


def test_the_hosts_own_seat_is_not_taken_again() -> None:
    world = World("wyatt-earp", THREE, plays="anna")
    accepted(world.join("anna"))
    with pytest.raises(RefusedError, match="the host's own seat"):
        world.retake("anna", "phone")


def test_in_a_match_without_secrets_nothing_is_sealed() -> None:
    world = World("way-out-west", THREE, seed="retake west").start()
    done = world.retake("burt", "phone")
    assert "packets" not in done.lines[0].body
    for _ in range(6):
        assert world.move()
    holds(world)


def _members(world: World, seat: str, join: JsonObject, **more: object) -> JsonObject:
    from pbem.protocol.referee.draft import Draft  # the host's own tools, for what they must not write

    draft = Draft(world.record, world.host, world.now)
    return {"msg": join, **draft.whole_packet(Seat(seat), Identity(secret("phone")).seal_public), **more}


def _phone(world: World, seat: str, name: str = "phone", n: int = 0) -> JsonObject:
    return compose_join(world.copy(), Identity(secret(name)), seat, name="Phone", n=n)


FALSE: dict[str, tuple[Callable[[], World], Callable[[World], JsonObject], set[str]]] = {
    "after a turn": (
        lambda: _after(dealt(), lambda world: world.turn("burt", say="hello")),
        lambda world: _members(world, "burt", _phone(world, "burt")),
        {"retake"},
    ),
    "nobody has joined": (
        joined,
        lambda world: _members(world, "curt", _phone(world, "curt")),
        {"retake"},
    ),
    "with a number": (joined, lambda world: _members(world, "burt", _phone(world, "burt", n=3)), {"retake"}),
    "by the very join": (
        joined,
        lambda world: _members(world, "burt", world.record.lines[2].body["msg"]),
        {"retake"},
    ),
    "the announced epoch stays": (
        announced,
        lambda world: _members(world, "curt", _phone(world, "curt")),
        {"void"},
    ),
    "an epoch is thrown away that was dealt": (
        dealt,
        lambda world: _members(world, "curt", _phone(world, "curt"), void=1),
        {"void"},
    ),
}


def _after(world: World, act: Callable[[World], object]) -> World:
    act(world)
    return world


@pytest.mark.parametrize("name", FALSE)
def test_both_verifiers_notice_a_false_one(name: str) -> None:
    make, members, codes = FALSE[name]
    world = make()
    body = members(world)
    lines = with_record(world, "retake", body)
    assert codes <= codes_of_last(lines)
    if codes == {"void"}:
        said = [fault.sentence for fault in audit(lines).faults]
        assert any(sentence.startswith("the deal that is void: expected ") for sentence in said)


def test_after_one_that_throws_an_epoch_away_the_next_is_announced_at_once() -> None:
    world = announced()
    members = _members(world, "curt", _phone(world, "curt"), void=1)
    first = write_line("retake", members, world.host, game=world.record.game, after=world.head, at=world.now)
    again = write_line(
        "extend",
        {"seat": "anna", "due": "2027-01-01T00:00:00Z"},
        world.host,
        game=world.record.game,
        after=first,
        at=world.now,
    )
    lines = [*world.lines, first.raw, again.raw]
    assert "late" in {fault.code for fault in audit(lines).faults}
    assert "late" in {fault["code"] for fault in verify_all({"match": lines})["match"]["faults"]}


# --- who is notified ----------------------------------------------------------------------------------------


def test_all_are_notified_with_the_new_keys() -> None:
    world = announced()
    first = world.head.seq + 1
    done = retake(world.record, world.host, message_of(_phone(world, "curt")), world.now)
    world.take(done)
    letters = letters_for(world.record, first, world.head.seq, CURT, pictures=False)
    assert {letter.seat for letter in letters} == set(THREE)
    for letter in letters:
        text = " ".join(letter.text.split())
        assert "with the same invitation" in text
        assert (
            "Until a seat's first turn, anyone with its invitation could take it, and the host has every invitation."
            in text
        )


def test_whoever_looks_at_the_draws_learns_who_could_have_compared_the_two_decks() -> None:
    """In an email, by hand, in the report and its page, in the audit, in the second verifier."""
    world = World("way-out-west", THREE, seed="retake")
    for seat in THREE:
        accepted(world.join(seat))
    world.retake("curt", "phone")
    for seat in THREE:
        accepted(world.ready(seat))
    opened = next(line for line in world.record.lines if line.kind == "open")
    words = "whoever held it could have compared 2 shuffles"
    letters = letters_for(world.record, opened.seq, world.head.seq, CURT, pictures=False)
    proofs = next(attachment.data for attachment in letters[0].extra if attachment.name.startswith("proofs-"))
    assert words in " ".join(proofs.decode().split())
    examination = examine(world.lines)
    assert words in " ".join(audit_words(examination.report, examination.draws, ()).split())
    assert words in " ".join(page_of(examination.document).split())
    assert words in examination.document["open_draws"][0]["by_hand"]
    assert [epoch.get("retaken") for epoch in examination.report.to_json()["epochs"]] == [None, True]
    theirs = verify_all({"match": world.lines})["match"]
    assert [epoch["retaken"] for epoch in theirs["epochs"]] == [False, True]
