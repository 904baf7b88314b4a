"""A hostile host's game file against a player's own program: no traceback, no hang, nothing of it on a terminal.

Class: what a host signs reaches code that trusts it. L1 (``public`` and events that crash ``show`` and ``replay``)
and the controls U+0080-009F on a terminal were found; further members tried here one by one: an unknown event, an
event of a seat that is not there, one with more members, an unknown phase, numbers without end, a view of the other
game, values nested 27 deep, an action of no game, markup for the page of ``audit --html``, invisible and direction
characters. Beyond those, ``tests.hostile.hostile`` changes records of honest matches and signs them again: a few
hundred files here, each loaded and some given to commands; thousands by ``python -m tests.hostile --files N``.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.base.errors import FormatError, PbemError
from pbem.game import JsonObject
from pbem.protocol.audit.audit import MOST_SHORT, audit
from pbem.protocol.record import Record
from tests.cli.seats import run
from tests.hostile import hostile

Change = Callable[[JsonObject], object]


def _step(body: JsonObject) -> JsonObject:
    step: JsonObject = body["steps"][0]
    return step


def _event(body: JsonObject) -> JsonObject:
    event: JsonObject = next(step["events"][0] for step in body["steps"] if step["events"])
    return event


MEMBERS: dict[str, tuple[str, Change]] = {
    "L1: a public view that is none": ("wyatt-earp", lambda body: body.update(public={"phase": "play"})),
    "a view without what every view says": (
        "wyatt-earp",
        lambda body: body["public"].pop("sheriff_played"),
    ),
    "L1: a hand that is no number": ("wyatt-earp", lambda body: body["public"]["hands"].update(anna=["x"])),
    "L1: an event without its members": (
        "wyatt-earp",
        lambda body: _step(body).update(events=[{"event": "drew"}]),
    ),
    "an unknown event": (
        "wyatt-earp",
        lambda body: _step(body).update(events=[{"event": "hanged", "seat": "anna"}]),
    ),
    "an event of a seat that is not there": ("way-out-west", lambda body: _event(body).update(seat="zed")),
    "an event with more members": ("way-out-west", lambda body: _event(body).update(note="x")),
    "an unknown phase": ("way-out-west", lambda body: body["public"].update(phase="midnight")),
    "a number without end": ("wyatt-earp", lambda body: body["public"].update(supply=2**53 - 1)),
    "money of a seat that is not there": ("wyatt-earp", lambda body: body["public"]["money"].update(zed=1)),
    "a view of the other game": (
        "way-out-west",
        lambda body: body.update(public=copy.deepcopy(hostile.match("wyatt-earp").record.public)),
    ),
    "values nested 27 deep": ("wyatt-earp", lambda body: body["public"].update(pending=hostile.nested(27))),
    "an action of nobody's game": ("way-out-west", lambda body: _step(body).update(action={"do": "shoot"})),
    "markup for a name of a town": (
        "way-out-west",
        lambda body: body["public"]["towns"].update({"<script>": {}}),
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hostile.prepared(tmp_path_factory.mktemp("hostile"))


def newest(game: str) -> JsonObject:
    """The body of the newest record with a result that has an event."""
    lines = [
        line
        for line in hostile.match(game).record.lines
        if any(step["events"] for step in line.body.get("steps", ()))
    ]
    return copy.deepcopy(lines[-1].body)


@pytest.mark.parametrize("member", MEMBERS)
def test_what_is_no_value_of_the_game_is_a_fault_of_the_record(folder: Path, member: str) -> None:
    game, change = MEMBERS[member]
    body = newest(game)
    change(body)
    lines = hostile.signed(hostile.match(game), body["seq"], body)
    with pytest.raises(FormatError, match=rf"record {body['seq']}: "):
        Record.load(lines)
    chance = random.Random(member)
    commands = [("verify",), chance.choice(hostile.COMMANDS)]
    assert hostile.run_all(folder, lines, commands) == []
    assert run("show", folder / "match" / "game.jsonl", "--public").code == FormatError.exit_code


CONTROLS = ("\x1b[2J", "\x9b31m", "\x85", "\u202e", "\u200b", "\u061c", "\u2028", "\ufeff", "\U000e0041")


@pytest.mark.parametrize("character", CONTROLS, ids=ascii)
def test_no_control_reaches_a_terminal(folder: Path, character: str) -> None:
    body = newest("way-out-west")
    body["public"]["phase"] = character
    lines = hostile.signed(hostile.match("way-out-west"), body["seq"], body)
    assert hostile.run_all(folder, lines, [("show", "--public"), ("inspect",)]) == []


def test_a_hostile_line_does_not_become_a_page(folder: Path) -> None:
    body = newest("wyatt-earp")
    _event(body)["event"] = "<script>alert(1)</script>"
    hostile.put(folder, hostile.signed(hostile.match("wyatt-earp"), body["seq"], body))
    page = folder / "page.html"
    done = run("audit", folder / "match" / "game.jsonl", "--html", page)
    assert [*hostile.faults_of(done, page.read_text("utf-8") if page.exists() else "")] == []
    page.unlink(missing_ok=True)


WHOLE = [command for command in hostile.COMMANDS if command[0] in ("play", "letters", "check", "compare")]


def test_every_hostile_file_loads_or_is_refused_in_words(folder: Path) -> None:
    """Those that load have values that the game could have; every fourth goes through two commands."""
    refused = read = 0
    for seed in range(3000):
        if refused > 100 and read > 10:  # about one in thirty loads
            break
        forged = hostile.file_of(seed)
        if forged is None:
            continue
        game, lines = forged
        try:
            Record.load(lines)
        except PbemError:
            refused += 1
            continue
        read += 1
        chance = random.Random(seed)
        if read in (1, 2):  # one of each game
            assert hostile.run_all(folder, lines, WHOLE) == [], (seed, game)
        if read % 4 == 0:
            assert hostile.run_all(folder, lines, chance.sample(hostile.COMMANDS, 2)) == [], (seed, game)
    assert refused > 100
    assert read > 10


def test_a_discard_of_which_more_may_be_taken_than_lies_there_ends_no_command(folder: Path) -> None:
    """Found among a thousand files: what the view does not show was fewer than no cards."""
    body = newest("wyatt-earp")
    body["public"]["discard"] = {"count": 1, "takeable": 3, "top": "stagecoach-robbery"}
    lines = hostile.signed(hostile.match("wyatt-earp"), body["seq"], body)
    assert hostile.run_all(folder, lines, [("show",), ("turn", "draw", "supply")]) == []


def test_more_counters_than_there_are_are_shown_and_end_no_command(folder: Path) -> None:
    """File 961 of the thousand: a view that its schema takes and the game cannot have (A10)."""
    lines = hostile.file_of(961)
    assert lines is not None
    assert hostile.run_all(folder, lines[1], [("show",), ("play", "")]) == []


def test_a_file_of_line_ends_is_not_shown_line_by_line() -> None:
    """A fault of each of eight million lines took gigabytes and a quarter of an hour for 16 MB."""
    lines = [line.raw for line in hostile.match("way-out-west").record.lines]
    report = audit([*lines[:3], *[b"a"] * 200_000, *lines[3:]])
    assert len(report.faults) == MOST_SHORT
    assert f"{MOST_SHORT} lines are too short" in report.notes[0]
    assert not report.ok
    assert audit([*lines, *[b"a"] * 9]).records == len(lines) + 9
