"""What was signed is remembered: shown before another file is signed, and looked up in the copy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pbem.base.errors import RefusedError, StoreError, UsageProblem
from pbem.game import Seat
from pbem.host.letter_mail import to_eml
from pbem.player.letters.compose import refusal_letter
from pbem.player.mail.outgoing import MailHead
from pbem.player.seat import AlreadySigned, Fate, PlayerClient, find_copy
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.deadlines import parse_time
from tests.player.test_client import DRAW, Salt, awaited, client, write
from tests.world import World, refusal


@pytest.fixture
def world() -> World:
    return World("wyatt-earp", ["anna", "burt"]).start()


def again(world: World, seat: str, folder: Path) -> PlayerClient:
    """The same player, later: another process, the same folder."""
    return PlayerClient.open(folder, world.people[Seat(seat)], Salt(), lambda: world.now)


def test_the_same_decision_is_signed_twice_only_after_a_yes(world: World, tmp_path: Path) -> None:
    seat = awaited(world)
    client(world, seat, tmp_path)
    mine = again(world, seat, tmp_path)
    first = mine.turn([DRAW])
    mine.leaves(first, "mail", "host@example.org")
    later = again(world, seat, tmp_path)
    with pytest.raises(AlreadySigned) as asked:
        later.turn([{"do": "draw", "from": "discard"}])
    assert str(asked.value) == (
        "You signed this on Saturday 18:00 UTC: draw supply."
        " It was sent by email to host@example.org. No answer yet."
    )
    (entry,) = later.unanswered()
    world.tick(1)
    assert (
        again(world, seat, tmp_path)
        .describe(entry)
        .endswith("Not confirmed yet: send it again. Nothing happens twice.")
    )
    talk = later.turn(say="a word is no decision")
    second = later.turn([{"do": "draw", "from": "discard"}], again=True)
    assert [entry.message.n for entry in later.unanswered()] == [first.n, talk.n, second.n]
    world.send(first.raw)
    later.take_in(world.lines)
    fates = [entry.fate for entry in later.signed()]
    assert fates == [Fate.TAKEN, Fate.OPEN, Fate.PASSED]  # the position that the third acts in is past
    assert [later.says(entry) for entry in later.signed()][2] == "draw discard"


def test_a_refusal_that_the_host_signed_is_an_answer(world: World, tmp_path: Path) -> None:
    seat = awaited(world)
    client(world, seat, tmp_path)
    mine = again(world, seat, tmp_path)
    signed = mine.turn([{"do": "discard", "card": "hideout"}], unchecked=True)
    ruling = refusal(world.send(signed.raw))
    assert ruling.reject is not None
    letter = refusal_letter(world.record, Seat(seat), ruling.reject, "no", reject_bytes=canon(ruling.reject))
    head = MailHead("host@example.org", "a@example.org", letter.subject, "<1@x>", parse_time(world.now))
    forged = json.loads(canon(ruling.reject))
    forged["body"]["code"] = "stale"
    (tmp_path / "forged.eml").write_bytes(b"Subject: x\r\n\r\n" + canon(forged))
    assert again(world, seat, tmp_path).unanswered()
    (tmp_path / "refused.eml").write_bytes(to_eml(letter, head))
    later = again(world, seat, tmp_path)
    assert later.unanswered() == []
    (entry,) = later.signed()
    assert (entry.fate, entry.page.refused) == (Fate.REFUSED, "illegal")
    assert later.turn([DRAW]).n > signed.n, "after a refusal nothing is asked"


def test_an_empty_turn_is_refused_and_a_second_ready_has_nothing_to_do(tmp_path: Path) -> None:
    world = World("wyatt-earp", ["anna", "burt"])
    world.join("anna")
    world.join("burt")
    mine = client(world, "anna", tmp_path)
    first = mine.ready()
    with pytest.raises(AlreadySigned, match="you have pressed Ready for deal 1"):
        mine.ready()
    world.send(first.raw)
    mine.take_in(world.lines)
    with pytest.raises(UsageProblem, match="you were ready already; nothing to do") as problem:
        mine.ready(again=True)
    assert "waits for Burt. Your copy is from " in problem.value.hint
    with pytest.raises(UsageProblem, match="there is nothing in this turn"):
        mine.turn()
    mine.own_orders.plan({"rules": []})
    assert mine.turn().file["body"]["actions"] == [], "changed orders are something"


def test_a_copy_shows_its_gaps_and_its_age(world: World, tmp_path: Path) -> None:
    write(tmp_path / "game.jsonl", world.lines)
    before = len(world.lines)
    world.play(6)
    write(tmp_path / "b.jsonl", world.lines[before + 2 : before + 3])
    write(tmp_path / "d.jsonl", world.lines[before + 4 :])
    copy = find_copy(tmp_path)
    assert len(copy.record.lines) == before
    (note,) = copy.notes
    assert note == (
        "your copy has a gap; b.jsonl, d.jsonl cannot be used yet\nsave the emails in between in this folder,"
        f" or send the host an email with: RESEND {before}"
    )
    late = PlayerClient(find_copy(tmp_path), world.people[Seat("burt")], Salt(), lambda: world.now)
    assert late.age == "Your copy is from Saturday 18:00 UTC"
    seat = "burt" if late.record.waiting == {"seat": "anna", "phase": "draw"} else "anna"
    other = PlayerClient(find_copy(tmp_path), world.people[Seat(seat)], Salt(), lambda: world.now)
    with pytest.raises(RefusedError, match="the match waits for ") as refused:
        other.turn([DRAW])
    assert "Your copy is from Saturday 18:00 UTC; is there a newer email?" in refused.value.hint


def test_a_damaged_sent_log_is_named_and_left_alone(world: World, tmp_path: Path) -> None:
    seat = awaited(world)
    mine = client(world, seat, tmp_path)
    mine.turn([DRAW])
    (tmp_path / "sent" / "book.json").write_text("[1")
    with pytest.raises(StoreError, match="is damaged"):
        again(world, seat, tmp_path).unanswered()
    assert (tmp_path / "sent" / "book.json").read_text() == "[1"
