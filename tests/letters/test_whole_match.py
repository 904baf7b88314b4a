"""Emails of whole matches with real signatures, seals and draws."""

from __future__ import annotations

import re
from datetime import timedelta
from functools import cache

import pytest

from pbem.base.language import CODES, ENGLISH
from pbem.game import Seat
from pbem.player.letters.compose import reminder_letter
from pbem.player.letters.layout import WIDTH, cells
from pbem.player.letters.letter import Deadline, Letter, LetterExtras
from pbem.player.letters.standing import due_of
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import format_time, parse_time
from tests.letters.batch import letters_for
from tests.letters.test_letter import _faults
from tests.verifier.matches import curt_idle
from tests.world import World, accepted

TITLE = "The long winter of our friends in the mountains 2026"
ZONE = "Asia/Kathmandu"
Sent = list[tuple[int, int, Seat | None, list[Letter]]]


@cache
def _played(game: str, moves: int) -> tuple[World, Sent]:
    """A match of computer players, and the emails of every file as they were written then."""
    world = World(game, ("anna", "burt", "curt"))
    sent: Sent = [(0, 0, None, letters_for(world.record, 0, 0, None))]

    def after(first: int) -> None:
        record = world.record
        message = record.lines[first].body.get("msg")
        sender = Seat(message["body"]["seat"]) if message else None
        sent.append((first, record.head.seq, sender, letters_for(record, first, record.head.seq, sender)))

    for act in (world.join, world.ready):
        for seat in world.seats:
            first = world.head.seq + 1
            act(seat)
            after(first)
    for _ in range(moves):
        first = world.head.seq + 1
        if not world.move():
            break
        after(first)
    return world, sent


GAMES = [("wyatt-earp", 120), ("way-out-west", 90)]


@pytest.mark.parametrize(("game", "moves"), GAMES)
def test_everybody_is_written_to_when_something_ends_and_nobody_twice(game: str, moves: int) -> None:
    world, sent = _played(game, moves)
    assert len(sent[0][3]) == 3
    for first, last, sender, letters in sent:
        readers = [letter.seat for letter in letters]
        assert len(set(readers)) == len(readers)
        assert sender is None or sender in readers
        waiting = world.record.lines[last].body.get("public", {}).get("waiting")
        if waiting:
            assert waiting["seat"] in readers
        if any(line.kind == "close" for line in world.record.lines[first : last + 1]):
            assert len(readers) == 3


@pytest.mark.parametrize(("game", "moves"), GAMES)
def test_a_letter_holds_nothing_that_the_public_file_does_not(game: str, moves: int) -> None:
    """Written from the lines alone, without any key, every email is the same: so it cannot hold a hand."""
    world, sent = _played(game, moves)
    for first, last, sender, letters in sent[::9]:
        keyless = Record.load(world.lines[: last + 1])
        assert letters_for(keyless, first, last, sender) == letters


@pytest.mark.parametrize(("game", "moves"), GAMES)
def test_every_old_letter_can_be_made_again_from_the_later_file(game: str, moves: int) -> None:
    world, sent = _played(game, moves)
    keyless = Record.load(world.lines)
    for first, last, sender, letters in sent[::5]:
        for then, now in zip(letters, letters_for(keyless, first, last, sender), strict=True):
            assert (now.seat, now.kind, now.subject, now.attachment) == (
                then.seat,
                then.kind,
                then.subject,
                then.attachment,
            )
            assert now.text.replace(
                "fair after reveal", "bound only (until the close proves it)"
            ).split() == (
                then.text.replace("fair after reveal", "bound only (until the close proves it)").split()
            )


@pytest.mark.parametrize(("game", "moves"), GAMES)
def test_the_letters_of_a_real_match_keep_to_their_form(game: str, moves: int) -> None:
    _, sent = _played(game, moves)
    for _, _, _, letters in sent[::4]:
        for letter in letters:
            assert max(cells(line) for line in letter.text.splitlines()) <= WIDTH
            assert len(letter.html.encode()) < 90_000
            assert _faults(letter.html) == []


def test_a_letter_made_again_from_between_two_epochs_awaits_the_same_link() -> None:
    world = curt_idle("epoch")
    between_epochs = world.head.seq
    first_letters = letters_for(world.record, between_epochs, between_epochs, Seat("anna"))
    accepted(world.ready("curt"))
    assert letters_for(world.record, between_epochs, between_epochs, Seat("anna")) == first_letters


def test_made_again_from_an_unclosed_match_it_awaits_the_same_until_the_same_time() -> None:
    world = curt_idle("match")
    between = world.head.seq
    (then, *_) = letters_for(world.record, between, between, Seat("anna"))
    asked = world.record.due
    assert asked is not None
    accepted(world.ready("curt"))
    (again, *_) = letters_for(world.record, between, between, Seat("anna"))
    assert "The next shuffle needs Curt." in " ".join(again.text.split())
    assert f"The deadline is {ENGLISH.moment(asked, asked)}." in " ".join(again.text.split())
    assert again == then


@pytest.mark.parametrize(("game", "moves"), GAMES)
def test_a_calendar_that_takes_every_letter_in_shows_who_is_awaited_until_when(game: str, moves: int) -> None:
    world, sent = _played(game, moves)
    entries: dict[Seat, Deadline] = {}
    said = 0
    for _, last, _, letters in sent:
        for letter in letters:
            if letter.deadline is None:
                continue
            said += 1
            old = entries.pop(letter.seat, None)
            assert old is None or (old.uid, old.number < letter.deadline.number) == (
                letter.deadline.uid,
                True,
            )
            assert letter.deadline.holds or old is not None, "nothing is taken away that was not there"
            if letter.deadline.holds:
                entries[letter.seat] = letter.deadline
        dues = {seat: due for seat in world.seats if (due := due_of(world.record, Seat(seat), last))}
        assert {seat: entry.due for seat, entry in entries.items()} == dues
    assert said > moves // 4


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("game", [game for game, _ in GAMES])
def test_the_longest_names_and_zones_leave_space_in_a_subject(game: str, code: str) -> None:
    world = World(game, ("anna", "burt", "curt"))
    for seat in world.seats:
        accepted(
            world.join(
                seat, name=f"{seat.title()} {'von Habenichts ' * 4}"[:60].strip(), lang=code, zone=ZONE
            )
        )
    for seat in world.seats:
        accepted(world.ready(seat))
    beside, subjects = LetterExtras(TITLE), set()
    for _ in range(12):
        first = world.head.seq
        world.move()
        for letter in letters_for(world.record, first + 1, world.head.seq, None, beside=beside):
            subjects.add(letter.subject)
        now = format_time(parse_time(world.record.due or world.now) - timedelta(hours=24))
        asked = Seat((world.record.waiting or {"seat": "anna"})["seat"])
        subjects.add(reminder_letter(world.record, asked, now, extras=beside).subject)
    assert len(subjects) > 3
    for subject in subjects:
        assert len(subject) <= 60, subject
        shown = re.search(r"\(([^()]+)\)$", subject)
        assert shown is not None, subject
        assert len(shown[1]) >= 8, subject
        assert TITLE.startswith(shown[1].rstrip("…")), subject
    assert any("+0545" in subject or "+05" in subject for subject in subjects), subjects
