"""What a player has verified is not verified again when they look; what they sign is judged from the first byte."""

from __future__ import annotations

import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pbem.base.errors import PbemError
from pbem.base.system.program import program_stamp
from pbem.game import Seat
from pbem.player.seat import PlayerClient, find_copy
from pbem.player.store import Checkpoints
from pbem.protocol.record import Record
from pbem.protocol.record.checkpoint import write_checkpoint
from pbem.protocol.record.ledger import Pause
from tests.player.test_client import Salt, write
from tests.world import World


@pytest.fixture(scope="module")
def world() -> World:
    world = World("wyatt-earp", ["anna", "burt"]).start().play(6)
    while world.record.waiting is None or world.record.waiting["phase"] != "draw":
        world.move()
    return world


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / "identities").mkdir(parents=True)
    return tmp_path / "home"


def kept(home: Path) -> Path:
    (path,) = (home / "checkpoints").glob("*.checkpoint")
    return path


def test_the_second_look_verifies_only_what_is_new(world: World, home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "match"
    write(folder / "game.jsonl", world.lines[:-2])
    known = Checkpoints(home)
    first = find_copy(folder, known)
    assert first.record.head.seq == len(world.lines) - 3
    assert first.is_proven
    write(folder / "game.jsonl", world.lines)
    second = find_copy(folder, known)
    assert (second.record.head.hash, second.is_proven) == (world.head.hash, False)
    before = kept(home).stat().st_mtime_ns
    third = find_copy(folder, known)
    assert (third.record.head.hash, third.is_proven) == (world.head.hash, False)
    assert kept(home).stat().st_mtime_ns == before  # nothing new, nothing written


def test_a_line_changed_since_is_found(world: World, home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "match"
    write(folder / "game.jsonl", world.lines)
    known = Checkpoints(home)
    assert find_copy(folder, known).record.head.hash == world.head.hash
    lines = list(world.lines)
    lines[4] = lines[4].replace(b'"at":"2', b'"at":"3', 1)
    write(folder / "game.jsonl", lines)
    with pytest.raises(PbemError, match="record 4"):
        _ = find_copy(folder, known).record


def test_what_is_signed_is_judged_from_the_first_byte_whatever_a_checkpoint_says(
    world: World, home: Path, tmp_path: Path
) -> None:
    """Even one that its own user's key vouches for: here a lie about who may act and how far a seat has counted."""
    folder = tmp_path / "match"
    write(folder / "game.jsonl", world.lines)
    known = Checkpoints(home)
    true = find_copy(folder, known).record
    assert true.waiting is not None
    seat = Seat(true.waiting["seat"])
    lie = Record.load(world.lines).ledger
    lie.paused = Pause(lie.lines[5].at, "2031-01-01T00:00:00Z", 5)
    lie.players[seat] = replace(lie.players[seat], n=100)
    key = known.key()
    assert key is not None
    kept(home).write_bytes(write_checkpoint(Record(lie), key, program_stamp()))

    client = PlayerClient.open(folder, world.people[seat], Salt(), checkpoints=known)
    assert client.record.ledger.paused is not None  # it is believed where one only looks
    signed = client.turn([{"do": "draw", "from": "supply"}])  # the lie would refuse it
    assert signed.n == true.ledger.players[seat].n + 1
    assert client.copy.is_proven
    assert client.view.record is client.record
    assert client.record.ledger.paused is None


@pytest.mark.posix
def test_without_a_home_or_with_a_key_that_others_can_read_everything_is_verified(
    world: World, home: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "match"
    write(folder / "game.jsonl", world.lines)
    nowhere = Checkpoints(tmp_path / "nowhere")
    assert find_copy(folder, nowhere).record.head.hash == world.head.hash
    assert not (tmp_path / "nowhere").exists()
    known = Checkpoints(home)
    _ = find_copy(folder, known).record
    assert not find_copy(folder, known).is_proven
    (home / "checkpoints" / "key").chmod(0o644)
    copy = find_copy(folder, known)
    assert copy.record.head.hash == world.head.hash
    assert copy.is_proven


@pytest.mark.posix
def test_a_program_that_is_killed_while_it_writes_leaves_an_old_one_or_none(
    world: World, home: Path, tmp_path: Path
) -> None:
    known = Checkpoints(home)
    assert known.key() is not None
    code = (
        "import sys; from pathlib import Path; from pbem.player.store.checkpoints import Checkpoints\n"
        f"kept = Checkpoints(Path({str(home)!r})); print('go', flush=True)\n"
        "while True:\n    for sign in (b'a', b'b'): kept.write('match', sign * 2_000_000)\n"
    )
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            while not known.read("match"):
                pass
            writer.send_signal(signal.SIGKILL)
        read = known.read("match")
        assert read in (b"a" * 2_000_000, b"b" * 2_000_000)
    folder = tmp_path / "match"
    write(folder / "game.jsonl", world.lines)
    assert find_copy(folder, known).record.head.hash == world.head.hash
