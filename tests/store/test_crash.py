"""Kill −9 at every point of a commit: the next program finds all of an append or none of it, and goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pbem.player.store import GameFile, Mark, MatchFolder
from tests.patience import PATIENCE

pytestmark = pytest.mark.posix
ROOT = Path(__file__).resolve().parents[2]
OLD = [b'{"seq":0}', b'{"seq":1}']
BATCH = ['{"seq":2,"say":"one"}', '{"seq":3,"say":"two"}', '{"seq":4,"say":"\u00fcber"}']
NEW = [line.encode() for line in BATCH]
BATCH_STEPS = [
    "intent-opened",
    "intent-written",
    "intent-durable",
    "appended",
    "append-durable",
    "intent-dropped",
    "committed",
]


def start(plan: dict[str, Any]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.store.child", json.dumps(plan)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(plan: dict[str, Any]) -> tuple[int, str]:
    with start(plan) as child:
        out, err = child.communicate(timeout=PATIENCE)
    assert not err, err
    return child.returncode, out


def killed(plan: dict[str, Any]) -> None:
    code, _ = run(plan)
    assert code == -signal.SIGKILL


@pytest.fixture
def folder(tmp_path: Path) -> MatchFolder:
    folder = MatchFolder(tmp_path)
    folder.game.append(OLD, expected=Mark.EMPTY)
    return folder


def whole_or_nothing(folder: MatchFolder) -> bool:
    """Whether the batch is there after a repair; half of it never is, before or after."""
    before = list(folder.game.read().lines)
    assert before in (OLD, OLD + NEW)
    folder.repair()
    loaded = folder.game.read()
    assert list(loaded.lines) in (OLD, OLD + NEW)
    assert loaded.torn == b""
    assert not loaded.unfinished
    assert len(loaded.lines) >= len(before), "a line that could be read is gone"
    assert not (folder.path / "game.jsonl.pending").exists()
    end = folder.game.append([b'{"next":true}'], expected=loaded.end)
    assert folder.game.read().end == end
    assert folder.repair() == ()
    return list(loaded.lines) == OLD + NEW


def test_the_steps_listed_here_are_all_steps_of_an_append(tmp_path: Path) -> None:
    seen: list[str] = []
    game = GameFile(tmp_path / "game.jsonl", steps=seen.append)
    game.append(NEW, expected=Mark.EMPTY)
    assert seen == BATCH_STEPS


@pytest.mark.parametrize("step", BATCH_STEPS)
def test_a_kill_at_any_step_leaves_all_or_nothing(folder: MatchFolder, step: str) -> None:
    killed({"do": "append", "folder": str(folder.path), "lines": BATCH, "die_at": step})
    state = whole_or_nothing(folder)
    assert state == (step != "intent-opened"), "only before the intent is written may the batch be gone"


@pytest.mark.parametrize("share", [0.0, 0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.999])
def test_a_kill_in_the_middle_of_a_write_leaves_all_or_nothing(folder: MatchFolder, share: float) -> None:
    total = written_by_one_append(folder.path / "measure")
    after = max(1, int(total * share))
    killed({"do": "append", "folder": str(folder.path), "lines": BATCH, "die_after": after})
    whole_or_nothing(folder)


def test_a_kill_at_a_line_boundary_inside_the_batch_is_no_shorter_batch(folder: MatchFolder) -> None:
    total = written_by_one_append(folder.path / "measure")
    for lines_left_out in (1, 2):
        after = total - sum(len(line) + 1 for line in NEW[-lines_left_out:])
        killed({"do": "append", "folder": str(folder.path), "lines": BATCH, "die_after": after})
        raw = folder.game.path.read_bytes()
        assert raw.splitlines() == OLD + NEW[:-lines_left_out], (
            "the file itself does hold whole lines of the batch"
        )
        loaded = folder.game.read()
        assert list(loaded.lines) == OLD, "a reader without the lock does not see them"
        assert loaded.unfinished
        assert folder.repair() == ("game.jsonl: an append of 3 lines was interrupted; it has been completed",)
        assert list(folder.game.read().lines) == OLD + NEW
        folder.game.path.write_bytes(b"\n".join(OLD) + b"\n")


def written_by_one_append(folder: Path) -> int:
    """How many bytes reach the disk for one append of the batch, its intent among them."""
    folder.mkdir()
    total = 0

    def write(handle: int, data: bytes) -> int:
        nonlocal total
        total += len(data)
        return os.write(handle, data)

    GameFile(folder / "game.jsonl").append(OLD, expected=Mark.EMPTY)
    game = GameFile(folder / "game.jsonl", write=write)
    game.append(NEW, expected=game.read().end)
    return total


@pytest.mark.parametrize("die_after", [1, 5, len(NEW[0]) - 1, len(NEW[0])])
def test_a_single_line_that_was_torn_is_cut_or_completed(folder: MatchFolder, die_after: int) -> None:
    killed({"do": "append", "folder": str(folder.path), "lines": BATCH[:1], "die_after": die_after})
    loaded = folder.game.read()
    assert list(loaded.lines) == OLD
    assert loaded.torn == NEW[0][:die_after]
    (said,) = folder.repair()
    if die_after == len(NEW[0]):
        assert said == "game.jsonl: the last line lacked its newline; it has been added"
        assert list(folder.game.read().lines) == [*OLD, NEW[0]]
    else:
        assert said.startswith(f"game.jsonl: the last line was only half written ({die_after} bytes)")
        assert list(folder.game.read().lines) == OLD
        assert (folder.path / "game.jsonl.torn-1").read_bytes() == NEW[0][:die_after]


@pytest.mark.parametrize("step", ["settling", "settled"])
def test_a_kill_while_a_crash_is_being_repaired_does_no_harm(folder: MatchFolder, step: str) -> None:
    killed({"do": "append", "folder": str(folder.path), "lines": BATCH, "die_at": "intent-durable"})
    killed({"do": "repair", "folder": str(folder.path), "die_at": step})
    assert whole_or_nothing(folder)


def test_a_kill_between_keeping_torn_bytes_and_cutting_them_keeps_them_twice(folder: MatchFolder) -> None:
    killed({"do": "append", "folder": str(folder.path), "lines": BATCH[:1], "die_after": 7})
    killed({"do": "repair", "folder": str(folder.path), "die_at": "torn-kept"})
    (said,) = folder.repair()
    assert said.endswith("kept in game.jsonl.torn-2")
    assert list(folder.game.read().lines) == OLD


@pytest.mark.parametrize("step", BATCH_STEPS)
def test_a_match_that_was_being_created_is_there_or_not(tmp_path: Path, step: str) -> None:
    (tmp_path / "game.jsonl").touch()
    killed({"do": "append", "folder": str(tmp_path), "lines": BATCH, "die_at": step})
    folder = MatchFolder(tmp_path)
    folder.repair()
    assert list(folder.game.read().lines) in ([], NEW)


def test_the_next_append_completes_a_batch_before_it_looks_where_the_file_ends(folder: MatchFolder) -> None:
    killed({"do": "append", "folder": str(folder.path), "lines": BATCH, "die_at": "intent-durable"})
    stale = folder.game.read().end
    with pytest.raises(Exception, match="somebody else appended"):
        folder.game.append([b'{"late":1}'], expected=stale)
    assert list(folder.game.read().lines) == OLD + NEW


def test_a_killed_process_gives_its_lock_up(folder: MatchFolder) -> None:
    with start({"do": "hold", "folder": str(folder.path)}) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "locked\n"
        child.kill()
        child.wait(timeout=PATIENCE)
        with folder.lock(timeout=0):
            pass
        child.communicate()


def test_the_holder_of_the_lock_is_named(folder: MatchFolder) -> None:
    with start({"do": "hold", "folder": str(folder.path)}) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "locked\n"
        owner = f"process {child.pid} on {os.uname().nodename}"
        expected = rf"in use by {owner} since \d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"
        with pytest.raises(Exception, match=expected), folder.lock(timeout=0):
            pass
        child.communicate("\n", timeout=PATIENCE)
    with folder.lock(timeout=0):
        pass


def test_racing_processes_append_every_batch_once_and_whole(tmp_path: Path) -> None:
    game = GameFile(tmp_path / "game.jsonl")
    game.append([b'{"genesis":1}'], expected=Mark.EMPTY)
    plan = {"do": "race", "folder": str(tmp_path), "batches": 25}
    children = [start(plan | {"who": who}) for who in range(3)]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    while any(child.poll() is None for child in children):
        check_batches(game.read().lines)  # a reader without the lock, all the time
    beaten = 0
    for child in children:
        out, err = child.communicate(timeout=PATIENCE)
        assert (child.returncode, err) == (0, "")
        beaten += int(out)
    batches = check_batches(game.read().lines)
    assert sorted(batches) == [(who, batch) for who in range(3) for batch in range(25)]
    assert beaten >= 2, "the race was none: all began at the same end, and two of them came too late"


def check_batches(lines: tuple[bytes, ...]) -> list[tuple[int, int]]:
    """The batches in ``lines``, which must be whole and not interleaved."""
    batches: list[tuple[int, int]] = []
    rest = [json.loads(line) for line in lines[1:]]
    while rest:
        first = rest[0]
        batch, rest = rest[: first["of"]], rest[first["of"] :]
        assert batch == [first | {"k": k} for k in range(first["of"])]
        batches.append((first["who"], first["batch"]))
    return batches


@pytest.mark.parametrize("space", [0, 10, 100, 300, 600])
@pytest.mark.parametrize("several", [False, True])
def test_a_full_disk_changes_nothing(folder: MatchFolder, space: int, several: bool) -> None:
    long = b'{"pad":"' + b"x" * 2_000 + b'"}'  # so that the intent fits and the game file does not
    folder.game.append([long], expected=folder.game.read().end)
    before = folder.game.path.read_bytes()
    lines = [line + " " * 300 for line in BATCH] if several else ['{"say":"' + "y" * 700 + '"}']
    plan = {"folder": str(folder.path), "lines": lines}
    code, out = run(plan | {"do": "small_disk", "limit": len(before) + space})
    assert code == 6
    assert out == f"cannot append to {folder.game.path}: File too large; nothing was written\n"
    assert folder.game.path.read_bytes() == before
    assert not (folder.path / "game.jsonl.pending").exists()
    assert run(plan | {"do": "append"})[0] == 0
    assert len(folder.game.read().lines) == 3 + len(lines)


@pytest.mark.parametrize("limit", [0, 40, 200])
def test_a_disk_too_full_for_the_intent_changes_nothing(folder: MatchFolder, limit: int) -> None:
    before = folder.game.path.read_bytes()
    code, out = run({"do": "small_disk", "folder": str(folder.path), "lines": BATCH, "limit": limit})
    assert (code, out) == (6, f"cannot append to {folder.game.path}: File too large; nothing was written\n")
    assert folder.game.path.read_bytes() == before
    assert not (folder.path / "game.jsonl.pending").exists()


@pytest.mark.parametrize("die_after", [1, 20, 40])
def test_a_killed_writer_of_a_private_file_leaves_the_old_one(folder: MatchFolder, die_after: int) -> None:
    path = folder.host.write("contacts", b"old")
    killed({"do": "replace", "path": str(path), "die_after": die_after})
    assert path.read_bytes() == b"old"
    assert folder.host.names() == ("contacts",)
    assert len(list(folder.host.folder.iterdir())) == 2, "what was half written lies beside it"
    folder.repair()
    assert list(folder.host.folder.iterdir()) == [path]
