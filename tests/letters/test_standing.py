"""What a match waits for, held against itself: every golden match, line by line, for every reader.

The letter, the line of a screen, ``show``, the status and the subject must name the same seat and ask the same thing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

import pytest

from pbem.cli.picture import standing_text
from pbem.game import Seat
from pbem.history import page_of
from pbem.history.timeline import PUBLIC_EYES, Frame
from pbem.host import status_of
from pbem.language import CODES, ENGLISH, language_of
from pbem.letters import NOBODY, Kind, compose
from pbem.letters.face import Face
from pbem.letters.standing import waiting_at
from pbem.record import Record
from pbem.record.standing import Answer, Decision, Host, Joins, Links, Over, ReadyFiles, awaited_in, is_paused
from pbem.record.waiting import awaited_seats
from tests.record.golden import WALKS, walked
from tests.verifier.matches import by_orders, curt_idle
from tests.world import World, accepted


def paused() -> World:
    """A pause without an end, in the first turn."""
    world = World("wyatt-earp", ("anna", "burt")).start()
    accepted(world.agree({"kind": "pause"}, *world.seats))
    return world


MATCHES: dict[str, Callable[[], World]] = {
    **{name: partial(walked, name) for name in WALKS},
    "links-missing": lambda: curt_idle("epoch"),
    "links-missing-unclosed": lambda: curt_idle("match"),
    "all-links-missing": by_orders,
    "paused": paused,
}
NOT_MINE = ("You need not act", "No player has to act")


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
def test_every_record_of_a_match_is_told_alike_everywhere(name: str) -> None:
    for record in _records(name):
        seq, standing = record.head.seq, record.standing
        assert record.moment(seq) == record.ledger.moments[seq]
        lost = getattr(standing, "lost", ())
        if not isinstance(standing, Joins | Host) and not is_paused(standing):
            assert set(awaited_in(standing)) == set(awaited_seats(record.ledger)) - set(lost), seq
        face = Face(record, seq, pictures=False)
        readers = (*record.seats, NOBODY)
        for reader in {*awaited_in(standing)[:1], readers[seq % len(readers)]}:
            _check_letter(record, reader, face)
        for reader in readers:
            _check_words(record, reader)
        says = status_of(record, record.head.at)
        assert says["says"].startswith(waiting_at(record, None, seq).told())
        assert set(says["awaited"]) == set(awaited_in(standing))
        if record.public is not None:
            page = page_of(Frame(record, PUBLIC_EYES, record.public), seq, width=400)
            assert waiting_at(record, None, seq).told() in _flat(page)


def _check_letter(record: Record, reader: Seat, face: Face) -> None:
    seq, standing = record.head.seq, record.standing
    words = waiting_at(record, reader or None, seq)
    mine = reader in awaited_in(standing)
    letter = compose(record, reader, seq, max(seq - 1, 0), Kind.NOTICE, face=face)
    text = _flat(letter.text)
    assert words.told() in text
    assert words.by() in text
    assert not mine or not any(words in text for words in NOT_MINE), seq
    todo = isinstance(standing, Decision | Answer | ReadyFiles | Links) and mine
    assert ("your turn to" in letter.subject or "please be ready" in letter.subject) is todo, letter.subject
    assert ("pbem ready GAME" in text) is (mine and isinstance(standing, ReadyFiles | Links)), seq
    assert ("pbem turn GAME ACTION" in text) is (mine and isinstance(standing, Decision | Answer)), seq
    assert "is to setup" not in text


def _check_words(record: Record, reader: Seat) -> None:
    standing = record.standing
    words = waiting_at(record, reader or None, record.head.seq)
    mine = reader in awaited_in(standing)
    told, line, by = words.told(), words.line(), words.by()
    assert _flat(standing_text(record, reader or None, ENGLISH, record.head.at)) == _flat(f"{told} {by}")
    assert words.mine is mine
    assert "is to setup" not in told + line
    if isinstance(standing, Decision | Answer):
        asked = "You are to" if mine else f"{record.names[standing.seat]} is to"
        assert told.startswith(asked)
        assert line.startswith(asked)
        name = record.names[standing.seat]
        whose = ("You have until", "Your time") if mine else (f"{name} has until", f"The time of {name}")
        assert by.startswith(whose), by
    if isinstance(standing, Host | Over) or is_paused(standing):
        assert by == ""


@pytest.mark.parametrize("name", ["one-of-each", "links-missing"])
def test_all_languages_tell_whose_turn_it_is(name: str) -> None:
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
    found = {type(record.standing).__name__ for name in MATCHES for record in _records(name)}
    assert found >= {
        "Joins",
        "ReadyFiles",
        "Links",
        "Decision",
        "Answer",
        "Host",
        "Over",
        "Paused",
        "Consents",
    }
