"""Who gets an email, record by record."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pbem.game import Seat
from pbem.player.letters.letter import Kind, LetterExtras, Source, who_hears
from pbem.protocol.record.record import Record
from tests.letters import walk
from tests.letters.batch import letters_for
from tests.letters.fakes import KEY, FakeSource, earp_source, earp_view, event, step, west_view
from tests.world import World

ANNA, BURT, CURT = Seat("anna"), Seat("burt"), Seat("curt")


def _record_is_a_source(record: Record) -> Source:
    return record  # checked by mypy: the real record offers what emails read


def _fake_is_a_source(source: FakeSource) -> Source:
    return source


def test_the_genesis_invites_every_seat() -> None:
    assert who_hears(earp_source(), 0, 0, None) == [(seat, Kind.INVITATION) for seat in (ANNA, BURT, CURT)]


def test_joins_are_receipted_and_the_last_one_brings_the_roster_to_all() -> None:
    source = earp_source()
    for seat in (ANNA, BURT):
        seq = source.add("join", msg=source.message(seat, 0, seen=0, sign="A" * 43))
        assert who_hears(source, seq, seq, seat) == [(seat, Kind.ACCEPTED)]
    seq = source.add("join", msg=source.message("curt", 0, seen=0, sign="A" * 43))
    last = source.add("announce", epoch=1, seats=list(source.seats), due="2026-11-24T18:00:00Z")
    assert who_hears(source, seq, last, CURT) == [
        (ANNA, Kind.ROSTER),
        (BURT, Kind.ROSTER),
        (CURT, Kind.ACCEPTED),
    ]


def test_ready_files_are_receipted_and_the_last_one_starts_the_match_for_all() -> None:
    source = walk.earp_started()
    assert who_hears(source, 5, 5, ANNA) == [(ANNA, Kind.ACCEPTED)]
    assert who_hears(source, 7, 9, CURT) == [
        (ANNA, Kind.STARTED),
        (BURT, Kind.STARTED),
        (CURT, Kind.ACCEPTED),
    ]


def test_a_mere_draw_is_shown_to_its_sender_only() -> None:
    source = walk.earp_started()
    seq = walk.earp_look(source)
    assert who_hears(source, seq, seq, ANNA) == [(ANNA, Kind.ACCEPTED)]


def test_a_hideout_that_hits_asks_the_owner_of_the_group() -> None:
    source = walk.earp_started()
    walk.earp_look(source)
    seq = walk.earp_hideout(source)
    assert who_hears(source, seq, seq, ANNA) == [(ANNA, Kind.STOPPED), (BURT, Kind.ASKED)]
    seq = walk.earp_pass(source)
    assert who_hears(source, seq, seq, BURT) == [(ANNA, Kind.ASKED), (BURT, Kind.ACCEPTED)]


def test_the_end_of_a_turn_is_shown_to_everybody_in_one_letter_each() -> None:
    source = walk.earp_started()
    seq = walk.earp_turn_end(source)
    letters = letters_for(source, seq, seq, ANNA)
    assert [(letter.seat, letter.kind) for letter in letters] == [
        (ANNA, Kind.ACCEPTED), (BURT, Kind.TURN_END), (CURT, Kind.TURN_END),
    ]  # fmt: skip
    assert letters[1].subject.startswith("Your turn: draw, by ")
    assert letters[2].subject.startswith("Waiting for Burt to draw")


def test_the_end_of_a_hand_and_of_the_match_is_shown_to_everybody() -> None:
    source = walk.earp_started()
    first, last = walk.earp_hand_end(source)
    assert who_hears(source, first, last, CURT) == [
        (ANNA, Kind.HAND_END),
        (BURT, Kind.HAND_END),
        (CURT, Kind.ACCEPTED),
    ]
    source = walk.earp_started()
    first, last = walk.earp_match_end(source)
    assert who_hears(source, first, last, CURT) == [
        (ANNA, Kind.MATCH_END), (BURT, Kind.MATCH_END), (CURT, Kind.ACCEPTED),
    ]  # fmt: skip


def test_a_subject_shows_no_result_to_who_wants_none_and_the_letter_does() -> None:
    for end, plain in ((walk.earp_hand_end, "The hand is over"), (walk.earp_match_end, "The match is over")):
        source = walk.earp_started()
        first, last = end(source)
        letters = letters_for(source, first, last, CURT)
        hidden = letters_for(source, first, last, CURT, beside=LetterExtras(discreet=True))
        for left, other in zip(letters, hidden, strict=True):
            assert (other.text, other.attachment) == (left.text, left.attachment)
            assert not re.search(r"[$]|\bwins?\b|\bleads?\b", other.subject), other.subject
        assert hidden[0].subject.startswith(plain)
        assert letters[0].subject != hidden[0].subject


def test_an_action_of_way_out_west_is_shown_to_its_sender_and_to_who_is_next() -> None:
    source = walk.west_started()
    seq = walk.west_fight(source)
    assert who_hears(source, seq, seq, BURT) == [(ANNA, Kind.ASKED), (BURT, Kind.ACCEPTED)]
    first, last = walk.west_turn_end(source)
    assert who_hears(source, first, last, CURT) == [
        (ANNA, Kind.HAND_END),
        (BURT, Kind.HAND_END),
        (CURT, Kind.ACCEPTED),
    ]


def test_a_default_is_shown_to_the_seat_it_was_played_for_even_if_no_turn_ends() -> None:
    source = walk.west_started()
    passed = step("default", [], "burt", {"do": "pass"})
    seq = source.result(
        "default", west_view(waiting={"seat": "anna", "phase": "actions"}), [passed], seat="burt"
    )
    assert who_hears(source, seq, seq, None) == [(ANNA, Kind.ASKED), (BURT, Kind.NOTICE)]


def test_after_a_burn_every_seat_whose_link_is_awaited_is_asked_and_the_missing_seat_learns() -> None:
    source = walk.earp_started()
    after = earp_view(phase="chance")
    del after["waiting"]
    source.turn(
        "curt", 5, after, [step("file", [event("turn-ended", seat="curt")], "curt", {"do": "discard"})]
    )
    source.add("close", epoch=1, seed="s", facts=[], opened=[], due="2026-11-25T18:00:00Z")
    first = source.add("burn", epoch=2, missing=["curt"])
    last = source.add("announce", epoch=3, seats=["anna", "burt"], due="2026-11-28T18:00:00Z")
    assert who_hears(source, first, last, None) == [
        (ANNA, Kind.ASKED),
        (BURT, Kind.ASKED),
        (CURT, Kind.NOTICE),
    ]
    letters = letters_for(source, first, last, None)
    assert "Press Ready" in letters[0].subject
    assert "pbem play" in " ".join(letters[0].text.split())


@pytest.mark.parametrize("kind", ["pause", "absence", "resign", "substitute", "rewind"])
def test_what_concerns_all_is_shown_to_all(kind: str) -> None:
    source = walk.earp_started()
    terms = {
        "kind": kind,
        "seat": "curt",
        "from": "2026-11-21T00:00:00Z",
        "until": "2026-11-22T00:00:00Z",
        "to": {"seq": 8, "line": ""},
    }
    files = (
        {"msg": source.message("curt", 9, name="Dora", sign=KEY, lang="en")} if kind == "substitute" else {}
    )
    seq = source.add(kind, what=terms, consents=[], **files)
    assert [seat for seat, _ in who_hears(source, seq, seq, None)] == [ANNA, BURT, CURT]
    assert all(letter.text for letter in letters_for(source, seq, seq, None))


@pytest.mark.parametrize(
    ("record", "message", "hearing"),
    [
        ({"proposal": 3}, {}, [ANNA, BURT, CURT]),
        ({}, {"recovery": KEY}, [ANNA, BURT, CURT]),
        ({}, {}, [CURT]),
    ],
    ids=["proposed before", "with a new recovery key", "by who has the keys"],
)
def test_a_seats_new_keys_are_shown_to_all_if_they_were_held_or_its_recovery_key_changes(
    record: dict[str, Any], message: dict[str, Any], hearing: list[Seat]
) -> None:
    source = walk.earp_started()
    new_keys = source.message("curt", 9, sign=KEY, **message)
    seq = source.add("rekey", msg=new_keys, packets={"curt": {}}, **record)
    assert [seat for seat, _ in who_hears(source, seq, seq, None)] == hearing


def test_an_extension_is_shown_to_its_seat() -> None:
    source = walk.earp_started()
    seq = source.add("extend", seat="anna", due="2026-12-24T18:00:00Z")
    assert who_hears(source, seq, seq, None) == [(ANNA, Kind.NOTICE)]


def test_words_are_passed_on_and_links_or_orders_alone_are_not() -> None:
    source = walk.earp_started()
    seq = source.add("turn", msg=source.message("curt", 4, actions=[], say="Nice shot"))
    assert who_hears(source, seq, seq, CURT) == [(ANNA, Kind.TALK), (BURT, Kind.TALK), (CURT, Kind.ACCEPTED)]
    seq = source.add("turn", msg=source.message("curt", 5, actions=[], tell=[{"to": "burt", "ct": "…"}]))
    assert who_hears(source, seq, seq, CURT) == [(BURT, Kind.TALK), (CURT, Kind.ACCEPTED)]
    seq = source.add("turn", msg=source.message("curt", 6, actions=[], orders={"commit": "", "ct": ""}))
    assert who_hears(source, seq, seq, CURT) == [(CURT, Kind.ACCEPTED)]


def test_the_receipt_that_asks_nothing_is_one_line_without_a_table() -> None:
    """Its sender has nothing to do: what happened comes with the next email, and the records with this one."""
    world = World("way-out-west", ("anna", "burt", "curt"), seed="one line").start()
    assert world.record.waiting is not None
    mover, before = Seat(world.record.waiting["seat"]), world.record.head.seq
    world.move()
    letters = letters_for(world.record, before + 1, world.record.head.seq, mover)
    (mine,) = [letter for letter in letters if letter.seat == mover]
    assert (mine.kind, mine.pictures) == (Kind.ACCEPTED, ())
    head, _, rest = mine.text.partition("\n\n")
    assert head == "Your turn was accepted (1 move)"
    assert rest.startswith("Attached: game-")
    assert "THE MAP" not in mine.text
    assert "<table" not in mine.html.partition("Attached")[0].partition("</h1>")[2]
    assert mine.attachment
    assert all("THE MAP" in letter.text for letter in letters if letter.seat != mover)
