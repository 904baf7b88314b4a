"""Who waited for whom, from the times in the records."""

from __future__ import annotations

import pytest

from pbem.game import Seat
from pbem.player.lookback.waiting import How, Wait, seconds_between, waits_of
from pbem.protocol.referee import Held, perform_default
from tests.history.matches import GAMES, PlayedMatch, played
from tests.verifier.matches import curt_idle
from tests.world import World, accepted

DRAW = {"do": "draw", "from": "supply"}
HOUR = 3600


def started() -> World:
    return World("wyatt-earp", ("anna", "burt", "curt")).start()


def _waits(world: World | PlayedMatch) -> list[Wait]:
    return waits_of(world.record.ledger)


def test_an_answer_counts_from_the_record_that_asked() -> None:
    world = started()
    opened = next(line.seq for line in world.record.lines if line.kind == "open")
    world.tick(5)
    accepted(world.turn("anna", DRAW))
    world.tick(2)
    card = world.view("anna").view_json["hands"]["anna"][0]
    accepted(world.turn("anna", {"do": "discard", "card": card}))
    world.tick(30)
    accepted(world.turn("burt", DRAW))
    anna, again, burt = [wait for wait in _waits(world) if wait.how is How.FILE]
    assert (anna.seat, anna.after, anna.asked, anna.seconds) == ("anna", None, opened, 5 * HOUR)
    assert (again.seat, again.after, again.seconds) == ("anna", "anna", 2 * HOUR)
    assert (burt.seat, burt.after, burt.seconds) == ("burt", "anna", 30 * HOUR)
    assert burt.answered == world.head.seq


def test_talk_is_no_answer() -> None:
    world = started()
    world.tick(3)
    accepted(world.turn("anna", say="I am thinking"))
    assert [wait for wait in _waits(world) if wait.how is How.FILE] == []
    world.tick(4)
    accepted(world.turn("anna", DRAW))
    (wait,) = [wait for wait in _waits(world) if wait.how is How.FILE]
    assert wait.seconds == 7 * HOUR


def test_links_are_waited_for_before_the_deal_by_whoever_has_not_sent_his() -> None:
    world = World("wyatt-earp", ("anna", "burt", "curt"))
    for seat in world.seats:
        accepted(world.join(seat))
    for hours, seat in ((1, "curt"), (2, "anna"), (4, "burt")):
        world.tick(hours)
        accepted(world.ready(seat))
    ready = {wait.seat: wait.seconds // HOUR for wait in _waits(world) if wait.how is How.READY}
    assert ready == {"curt": 1, "anna": 3, "burt": 7}


def test_a_default_is_an_answer_that_the_clock_gave() -> None:
    world = started()
    world.tick(96)
    world.take(perform_default(world.record, world.host, Seat("anna"), world.now))
    world.tick(1)
    accepted(
        world.turn(
            "burt",
            {"do": "draw", "from": "discard"},
            {"do": "discard", "card": world.view("burt").view_json["discard"]["top"]},
        )
    )
    how = {(str(wait.seat), wait.how): wait.seconds // HOUR for wait in _waits(world)}
    assert how["anna", How.DEFAULT] == 96
    assert how["burt", How.FILE] == 1


def _agree(world: World, terms: dict[str, str]) -> None:
    kept = []
    for seat in ("anna", "burt"):
        kept.append(world.consent(seat, terms))
        assert isinstance(world.send(kept[-1], kept), Held)
    accepted(world.send(world.consent("curt", terms), kept))


def test_a_pause_counts_for_nobody() -> None:
    world = started()
    world.tick(6)
    _agree(world, {"kind": "pause", "until": "2027-01-03T00:00:00Z"})
    world.tick(100)
    _agree(world, world.pause(0))
    world.tick(2)
    accepted(world.turn("anna", DRAW))
    (wait,) = [wait for wait in _waits(world) if wait.how is How.FILE]
    assert wait.seconds == 8 * HOUR


@pytest.mark.parametrize("game", GAMES)
def test_every_file_of_a_match_answers_something_and_takes_its_hour(game: str) -> None:
    match = played(game)
    answers = {wait.answered: wait for wait in _waits(match) if wait.how is How.FILE}
    files = [line.seq for line in match.record.lines if line.kind == "turn"]
    assert sorted(answers) == files
    assert {wait.seconds for wait in answers.values()} <= {0, HOUR}
    for wait in answers.values():
        assert match.record.lines[wait.answered].body["msg"]["body"]["seat"] == wait.seat


def test_time_never_runs_backwards() -> None:
    assert seconds_between("2026-11-21T18:00:05Z", "2026-11-21T18:00:00Z") == 0
    assert seconds_between("2026-11-21T18:00:00Z", "2026-11-22T18:00:01Z") == 86_401


@pytest.mark.parametrize("reveal", ["epoch", "match"])
def test_between_epochs_a_link_is_waited_for_and_not_who_begins_the_next(reveal: str) -> None:
    world = curt_idle(reveal)
    before = len(_waits(world))
    world.tick(7)
    accepted(world.ready("curt"))
    (wait,) = _waits(world)[before:]
    assert (wait.seat, wait.how, wait.seconds) == ("curt", How.READY, 7 * HOUR)
