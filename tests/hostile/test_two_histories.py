"""After an older backup a host signed a second history, or leads a folder by hand: they decide, and players learn it.

Members of the class of ``test_older_host``: a fork with two players on its branches, files of a history that was given
up, and the same in a folder.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.base.errors import RefusedError, UsageProblem, VerificationError
from pbem.host import FolderHost
from pbem.host.branches import histories_of
from pbem.host.recover import recover, recover_served
from pbem.protocol.audit import audit
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.line import read_line
from pbem.protocol.referee import Departed
from tests.hostile.test_older_host import PLAIN, awaited, backup, brought, put_back, stopped, text_of
from tests.service.people import Player
from tests.service.table import Table
from tests.world import World

# --- two histories --------------------------------------------------------------------------------------------


def forked(folder: Path) -> tuple[Table, list[bytes], Player]:
    """After a restore the host went on without a sign of the lost records: who holds them writes too late."""
    table = Table(folder, seats=("anna", "burt", "curt"), deadlines=PLAIN).start()
    kept = backup(table)
    mover = awaited(table)
    table.send(mover.mail(mover.move()))
    lost, letters = list(mover.lines), list(mover.letters)
    put_back(table, kept)
    table.pass_time(73)  # nobody writes, so a default is due
    assert len(table.lines) > len(kept.name) - 9
    mover._record, mover.lines, mover.letters = None, lost, letters  # they have not read their mail since
    return table, lost, mover


def test_two_histories_wait_for_the_hosts_decision(tmp_path: Path) -> None:
    table, lost, mover = forked(tmp_path)
    ours = list(table.lines)
    assert lost != ours[: len(lost)]
    table.send(mover.mail(mover.turn(say="I drew already")))
    assert stopped(table) == "forked"
    assert table.notes("forked-state")
    table.send(brought(mover, b"".join(line + b"\n" for line in lost)))
    assert stopped(table) == "forked"
    facts = recover_served(table.service.context, table.short, [])
    assert len(facts["histories"]) == 2
    assert not facts["goes_on"]
    with pytest.raises(UsageProblem, match="none with the number 3"):
        recover_served(table.service.context, table.short, [], take=3)
    theirs = next(history["number"] for history in facts["histories"] if history["records"] == len(lost))
    done = recover_served(table.service.context, table.short, [], take=theirs)
    assert done["goes_on"]
    assert table.lines == lost
    for player in table.players.values():  # everybody begins a new folder with the email that brings all
        player.lines, player._record = [], None
    table.pump()
    assert all("Which history counts" in " ".join(table.subjects(seat)) for seat in table.players)
    assert table.lines[: len(lost)] == lost
    table.play(3)
    report = audit(table.lines)
    assert report.ok, report.faults


def test_what_was_given_up_stops_nothing_any_more(tmp_path: Path) -> None:
    table, lost, mover = forked(tmp_path)
    before = mover.turn(say="one")
    table.send(mover.mail(before))
    table.send(brought(mover, b"".join(line + b"\n" for line in lost)))
    facts = recover_served(table.service.context, table.short, [])
    mine = next(history for history in facts["histories"] if history["records"] != len(lost))
    assert [file["seat"] for file in mine["lost"]] == [mover.seat]
    recover_served(table.service.context, table.short, [], take=mine["number"])
    letters = len(mover.letters)
    abandoned = next(file for file in mover.files if file["body"]["n"] == mine["lost"][0]["n"])
    mover.lines, mover._record = list(lost), None
    again = [mover.mail(mover.turn(say="two")), mover.mail(abandoned)]
    mover.lines, mover._record = [], None
    for raw in again:
        table.send(raw)
        assert stopped(table) == ""
    assert len(mover.letters) > letters
    assert any("given up" in text_of(raw) for raw in mover.letters[letters:] if b"Not taken" in raw)
    table.play(2)
    assert audit(table.lines).ok


# --- a folder led by hand -------------------------------------------------------------------------------------


def now() -> str:
    return "2026-11-22T09:00:00Z"


def test_a_folder_says_what_to_do_and_signs_nothing(tmp_path: Path) -> None:
    world = World("wyatt-earp", ["anna", "burt"])
    world.start()
    folder = tmp_path / "host"
    recover(folder, world.host, [("all", world.lines)], now)
    lines = list(world.lines)
    world.play(3)
    client = FolderHost(folder, world.host, now)
    seat = world.record.waiting["seat"]  # type: ignore[index]
    outcome = client.take(canon(world.turn_file(seat, {"do": "draw", "from": "supply"})))
    assert isinstance(outcome.ruling, Departed)
    assert not outcome.ruling.forked
    for act in (lambda: client.default(seat), client.on_time, client.beat, lambda: client.take(b"{}")):
        with pytest.raises(RefusedError, match="stands still"):
            act()
    assert list(client.folder.game.read().lines) == lines
    recover(folder, world.host, [("anna", world.lines)], now)
    assert FolderHost(folder, world.host, now).on_time() == ()


def test_a_folder_that_gave_its_own_history_up_goes_on(tmp_path: Path) -> None:
    world, fork = World("wyatt-earp", ["anna", "burt"]), World("wyatt-earp", ["anna", "burt"])
    world.start()
    fork.record, fork.numbers = world.record.fork(), dict(world.numbers)
    world.play(2)
    fork.play(3)
    recover(tmp_path / "x", world.host, [("one", world.lines)], now)
    copies = [("two", fork.lines)]
    with pytest.raises(VerificationError, match="2 histories"):
        recover(tmp_path / "x", world.host, copies, now)
    theirs = next(
        number
        for number, history in enumerate(histories_of(map(read_line, [*world.lines, *fork.lines])), 1)
        if history[-1].raw == fork.lines[-1]
    )
    recover(tmp_path / "x", world.host, copies, now, take=theirs)
    client = FolderHost(tmp_path / "x", world.host, now)
    client.on_time()
    assert list(client.folder.game.read().lines) == fork.lines
    (aside,) = (tmp_path / "x").glob("game.jsonl.foreign-*")
    assert aside.read_bytes().splitlines() == world.lines
    client.close()


def test_a_folder_takes_the_history_that_is_named(tmp_path: Path) -> None:
    world, fork = World("wyatt-earp", ["anna", "burt"]), World("wyatt-earp", ["anna", "burt"])
    world.start()
    fork.record, fork.numbers = world.record.fork(), dict(world.numbers)
    world.play(3)
    fork.play(2)
    copies = [("one", world.lines), ("two", fork.lines)]
    with pytest.raises(VerificationError, match="2 histories") as fault:
        recover(tmp_path / "x", world.host, copies, now)
    assert "lost" in str(fault.value)
    result = recover(tmp_path / "x", world.host, copies, now, take=2)
    assert result.lost
    with pytest.raises(UsageProblem, match="none with the number 9"):
        recover(tmp_path / "y", world.host, copies, now, take=9)
    lines = list(FolderHost(tmp_path / "x", world.host, now).folder.game.read().lines)
    assert lines in (world.lines, fork.lines)
    assert len(lines) == min(len(world.lines), len(fork.lines))
    again = recover(tmp_path / "x", world.host, copies, now, take=1)
    assert any("given up" in note for note in again.notes)
    assert list(FolderHost(tmp_path / "x", world.host, now).folder.game.read().lines) == lines
