"""Who is left out of a laid deck and writes before it is dealt has a part in the next (schemas/README.md §5)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pbem.game import JsonObject, Seat
from pbem.protocol.audit import audit
from pbem.protocol.record import Record
from pbem.protocol.referee import perform_default
from tests.record.late import WORDS, defaulted, talk
from tests.verifier.node import verify_all
from tests.verifier.verdicts import codes_of_last, with_record
from tests.world import World, accepted


def kinds(world: World, count: int) -> list[str]:
    return [line.kind for line in world.record.lines[-count:]]


def agreed(world: World) -> None:
    """Both verifiers find no fault in the match, and say alike who could have aimed."""
    ours = audit(world.lines)
    assert ours.ok, [fault.sentence for fault in ours.faults]
    theirs = verify_all({"back": world.lines})["back"]
    assert theirs["faults"] == []
    assert theirs["burns"] == ours.to_json()["burns"]


@pytest.mark.parametrize("word", WORDS)
def test_a_word_of_a_seat_left_out_brings_a_new_announcement(word: Callable[[World, Seat], None]) -> None:
    world, late = defaulted(burned=True)
    assert world.record.ledger.newest is not None
    void = world.record.ledger.newest
    assert void.left_out == (late,)
    word(world, late)
    assert kinds(world, 2) == ["burn", "announce"]
    assert world.record.lines[-2].body["back"] == [late]
    newest = world.record.ledger.newest
    assert newest is not None
    assert (newest.number, newest.left_out) == (void.number + 1, ())
    assert (newest.again, newest.thrown_away) == ((late,), 2)
    agreed(world)


def test_a_turn_of_a_seat_left_out_brings_a_new_announcement_behind_it() -> None:
    world, late = defaulted(burned=True)
    while world.record.waiting is not None and world.record.waiting["seat"] != late:
        assert world.move()
    assert world.record.ledger.newest is not None
    number = world.record.ledger.newest.number
    assert world.move()
    turn = max(line.seq for line in world.record.lines if line.kind == "turn")
    assert [line.kind for line in world.record.lines[turn : turn + 3]] == ["turn", "burn", "announce"]
    assert world.record.lines[turn + 1].body == {
        **world.record.lines[turn + 1].body,
        "epoch": number,
        "back": [late],
    }
    agreed(world)


def test_a_newcomer_has_a_part_too_and_his_full_time() -> None:
    world, late = defaulted(burned=True)
    accepted(
        world.agree(world.substitute_terms(late, "Dora"), *(seat for seat in world.seats if seat != late))
    )
    world.carry_out(late, world.newcomer(late, "Dora"))
    assert kinds(world, 3) == ["substitute", "burn", "announce"]
    assert world.record.ledger.returned == frozenset()
    agreed(world)


def test_it_does_so_once_until_it_gives_a_link() -> None:
    world, late = defaulted(burned=True)
    talk(world, late)
    late_again(world, late)
    assert world.record.ledger.newest is not None
    assert world.record.ledger.newest.left_out == (late,)
    talk(world, late)
    assert kinds(world, 1) == ["turn"]
    assert world.record.ledger.newest.left_out == (late,)
    agreed(world)


def late_again(world: World, late: Seat) -> None:
    """It misses its time once more, without a link: the announcement is burned for it again."""
    while world.record.waiting is None or world.record.waiting["seat"] != late:
        assert world.move()
    world.tick(24 * 10)
    world.take(perform_default(world.record, world.host, late, world.now))
    assert "burn" in kinds(world, 3)


def test_with_a_link_between_it_does_so_again() -> None:
    world, late = defaulted(burned=True)
    talk(world, late)
    accepted(world.ready(late))
    assert world.record.ledger.returned == frozenset()
    agreed(world)


def before_the_burn(world: World) -> World:
    """The match cut off right behind the word that must bring a burn."""
    burned = next(line.seq for line in world.record.lines if "back" in line.body)
    world.record = Record.load(world.lines[:burned])
    return world


def test_a_host_cannot_keep_the_deck_that_was_laid_without_somebody_who_is_there() -> None:
    world, late = defaulted(burned=True)
    talk(world, late)
    before = before_the_burn(world)
    others = [seat for seat in before.record.seats if seat != late]
    word = before.consent(
        others[0], {"kind": "absence", "seat": others[0], "from": before.now, "until": before.later(48)}
    )
    terms = word["body"]["what"]
    assert codes_of_last(with_record(before, "absence", {"what": terms, "consents": [word]})) == {"late"}


@pytest.mark.parametrize("named", ["nobody who wrote", "one more", "another epoch"])
def test_such_a_burn_names_those_who_wrote_and_the_waiting_epoch(named: str) -> None:
    world, late = defaulted(burned=True)
    talk(world, late)
    before = before_the_burn(world)
    other = next(seat for seat in before.record.seats if seat != late)
    assert before.record.ledger.newest is not None
    number = before.record.ledger.newest.number
    members: JsonObject = {"epoch": number, "back": [late]}
    if named == "another epoch":
        members["epoch"] = number - 1
    else:
        members["back"] = [other] if named == "nobody who wrote" else [late, other]
    assert "burn" in codes_of_last(with_record(before, "burn", members))


def test_nobody_is_brought_back_who_has_not_written() -> None:
    world, late = defaulted(burned=True)
    assert world.record.ledger.newest is not None
    number = world.record.ledger.newest.number
    assert codes_of_last(with_record(world, "burn", {"epoch": number, "back": [late]})) == {"burn"}


def test_the_last_word_that_ends_a_match_lays_no_deck() -> None:
    world, _ = defaulted(burned=True)
    accepted(world.agree({"kind": "end"}, *world.record.seats))
    assert world.head.kind == "end"
    assert not any("back" in line.body for line in world.record.lines)
    agreed(world)
