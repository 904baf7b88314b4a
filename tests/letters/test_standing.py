"""What a match waits for, held against itself: every golden match, line by line, for every reader.

The email, the line of a screen, ``show``, the status and the subject must name the same seat and ask the same thing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

import pytest

from pbem.base.language import CODES, ENGLISH, clock_of, language_of
from pbem.game import Seat
from pbem.host import status_of
from pbem.player.letters.compose import NOBODY, compose, reminder_letter
from pbem.player.letters.letter import Kind
from pbem.player.letters.rendering import LetterContext, Style
from pbem.player.letters.standing import waiting_at
from pbem.player.lookback.timeline import PUBLIC_VIEWPOINT, Frame, page_of
from pbem.player.seat.show import standing_text
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import (
    Answer,
    Decision,
    Host,
    Joins,
    Links,
    Over,
    ReadyFiles,
    awaited_in,
    is_paused,
)
from pbem.protocol.record.takeover import awaited_seats
from tests.letters.batch import letters_for
from tests.letters.fakes import KEY, earp_source, step, west_view
from tests.letters.walk import earp_started, west_started
from tests.record.golden import WALKS, walked
from tests.verifier.matches import by_orders, curt_idle
from tests.world import World, accepted


def paused() -> World:
    """A pause without an end, in the first turn."""
    world = World("wyatt-earp", ("anna", "burt")).start()
    accepted(world.agree(world.pause(), *world.seats))
    return world


MATCHES: dict[str, Callable[[], World]] = {
    **{name: partial(walked, name) for name in WALKS},
    "links-missing": lambda: curt_idle("epoch"),
    "links-missing-unclosed": lambda: curt_idle("match"),
    "all-links-missing": by_orders,
    "paused": paused,
}
NOT_MINE = ("Nothing for you to do", "Waiting for the host")


@cache
def _world(name: str) -> World:
    return MATCHES[name]()


def _records(name: str) -> Iterator[Record]:
    """The match after each of its records, as somebody without any key reads it; one record, which grows."""
    lines = _world(name).lines
    record = Record.begin(lines[0])
    yield record
    for raw in lines[1:]:
        record.extend([raw])
        yield record


def _flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("name", MATCHES)
def test_every_record_of_a_match_is_shown_alike_everywhere(name: str) -> None:
    for record in _records(name):
        seq, standing = record.head.seq, record.standing
        assert record.moment(seq) == record.ledger.moments[seq]
        lost = getattr(standing, "lost", ())
        if not isinstance(standing, Joins | Host) and not is_paused(standing):
            assert set(awaited_in(standing)) == set(awaited_seats(record.ledger)) - set(lost), seq
        letter_context = LetterContext(record, seq, pictures=False)
        readers = (*record.seats, NOBODY)
        for reader in {*awaited_in(standing)[:1], readers[seq % len(readers)]}:
            _check_letter(record, reader, letter_context)
        for reader in readers:
            _check_words(record, reader)
        says = status_of(record, record.head.at)
        assert says["says"].startswith(waiting_at(record, None, seq).described())
        assert set(says["awaited"]) == set(awaited_in(standing))
        if record.public is not None:
            page = page_of(Frame(record, PUBLIC_VIEWPOINT, record.public), seq, width=400)
            assert waiting_at(record, None, seq).described() in _flat(page)


def _check_letter(record: Record, reader: Seat, letter_context: LetterContext) -> None:
    seq, standing = record.head.seq, record.standing
    words = waiting_at(record, reader or None, seq)
    mine = reader in awaited_in(standing)
    letter = compose(record, reader, seq, max(seq - 1, 0), Kind.NOTICE, letter_context=letter_context)
    text = _flat(letter.text)
    assert words.described() in text
    assert words.by() in text
    assert not mine or not any(words in text for words in NOT_MINE), seq
    todo = isinstance(standing, Decision | Answer | ReadyFiles | Links) and mine
    assert letter.subject.startswith(("Your turn: ", "Press Ready")) is todo, letter.subject
    assert ("and type there: pbem play" in text) is mine, seq
    assert "to setup" not in text


def _check_words(record: Record, reader: Seat) -> None:
    standing = record.standing
    words = waiting_at(record, reader or None, record.head.seq)
    mine = reader in awaited_in(standing)
    sentences, line, by = words.described(), words.line(), words.by()
    assert _flat(standing_text(record, reader or None, ENGLISH, record.head.at)) == _flat(f"{sentences} {by}")
    assert words.mine is mine
    assert "to setup" not in sentences + line
    if isinstance(standing, Decision | Answer):
        asked = "Your turn to" if mine else f"Waiting for {record.names[standing.seat]} to"
        assert sentences.startswith(asked)
        assert line.startswith(asked)
        name = record.names[standing.seat]
        whose = ("Answer by", "Your time") if mine else (f"{name} has until", f"{name}'s time")
        assert by.startswith(whose), by
    if isinstance(standing, Host | Over) or is_paused(standing):
        assert by == ""


@pytest.mark.parametrize("name", ["one-of-each", "links-missing"])
def test_all_languages_show_whose_turn_it_is(name: str) -> None:
    """By name, in each language, and nobody else's."""
    for record in _records(name):
        standing, seq = record.standing, record.head.seq
        if not isinstance(standing, Decision | Answer | Links | ReadyFiles):
            continue
        for code in CODES:
            line = waiting_at(record, None, seq, language_of(code)).line()
            named = {seat for seat in record.seats if record.names[seat] in line}
            assert named == set(awaited_in(standing)), line


def test_the_golden_matches_wait_for_everything_there_is() -> None:
    standings = {type(record.standing).__name__ for name in MATCHES for record in _records(name)}
    assert standings >= {
        "Joins",
        "ReadyFiles",
        "Links",
        "Decision",
        "Answer",
        "Host",
        "Over",
        "Paused",
    }


def test_readers_with_other_clocks_are_shown_other_times_and_those_who_share_one_are_shown_once() -> None:
    source = earp_source()
    seq = source.add("extend", seat="anna", due="2026-11-29T23:00:00Z")
    letter_context, now = LetterContext(source, seq), "2026-11-28T22:30:00Z"
    berlin, utc = (
        letter_context.renderer(Style.TEXT, clock_of(zone), now) for zone in ("Europe/Berlin", "UTC")
    )
    line = source.lines[seq]
    assert "00:00 (Europe/Berlin)" in str(berlin.entry(line))
    assert "23:00 UTC" in str(utc.entry(line))
    again = letter_context.renderer(Style.TEXT, clock_of("UTC"), now)
    assert again.entry(line) is utc.entry(line)
    assert letter_context.renderer(Style.TEXT, clock_of("UTC"), now, played=True) is not utc


def test_times_are_on_the_readers_clock_and_what_is_left_is_counted_from_the_time_stated() -> None:
    """Their own zone, else the match's, else UTC; an hour before midnight UTC is the next day in Berlin."""
    source = earp_source()
    for seat, zone in (
        ("anna", {"zone": "Europe/Berlin"}),
        ("burt", {"zone": "Nowhere/Atlantis"}),
        ("curt", {}),
    ):
        source.add(
            "join", msg=source.message(seat, 0, seen=0, name=seat.capitalize(), lang="en", sign=KEY, **zone)
        )
    last = source.add("announce", epoch=1, seats=list(source.seats), due="2026-11-29T23:00:00Z")
    waiting = {seat: waiting_at(source, seat, last, now="2026-11-28T22:30:00Z") for seat in source.seats}
    anna, burt, curt = (waiting[seat] for seat in source.seats)
    assert anna.by() == "Answer by Monday 30 November, 00:00 (Europe/Berlin) (24 hours left)."
    assert anna.todo() == "Press Ready, by Monday 00:00"
    assert curt.by() == burt.by() == "Answer by Sunday 29 November, 23:00 UTC (24 hours left)."
    assert curt.todo() == "Press Ready, by Sunday 23:00 UTC"
    german = waiting_at(source, source.seats[0], last, language_of("de"), now="2026-11-28T22:30:00Z")
    assert german.by() == "Antworte bis Montag, 30. November, 00:00 (Europe/Berlin) (noch 24 Stunden)."
    assert anna.pressing() == "24 hours left"
    assert waiting_at(source, source.seats[0], last, now="2026-11-29T23:00:00Z").pressing() == "Time is up"


def test_who_was_defaulted_reads_first_what_was_played_for_him() -> None:
    source = west_started()
    passed = step("default", [], "burt", {"do": "pass"})
    view = west_view(waiting={"seat": "anna", "phase": "actions"})
    last = source.result("default", view, [passed], seat="burt")
    letters = {letter.seat: letter for letter in letters_for(source, last, last, None, pictures=False)}
    burt, anna = letters[Seat("burt")], letters[Seat("anna")]
    assert burt.subject.startswith("A timeout move was made for you")
    lead, _, rest = burt.text.partition("WHAT HAPPENED")
    assert "Time ran out: a timeout move was made for you" in lead
    assert "Burt passes" in lead
    assert "Burt passes" not in rest
    assert "ran out" not in anna.subject + anna.text


def test_a_reminder_says_in_its_subject_how_much_is_left() -> None:
    source = earp_started()
    subjects = [
        reminder_letter(source, Seat("anna"), now, pictures=False).subject
        for now in ("2026-11-24T18:00:00Z", "2026-11-25T18:00:00Z")
    ]
    assert subjects[0] == "24 hours left: draw, by Wed 18:00 UTC (Wyatt Earp)"
    assert subjects[1] == "Time is up: draw (Wyatt Earp)"
