"""The player's side and the folder host as Windows and a browser page would run them, as far as that can be made here.

What cannot be tried on Linux: a real console, real NTFS (short names, other programs that lock), console signals.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.base import system
from pbem.base.system import plain, posix
from tests.cli.seats import make_identity
from tests.pyodide.questions import ask

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "wyatt-earp" / "game.jsonl"


def elsewhere(name: str, *commands: str, encoding: str = "utf-8") -> subprocess.CompletedProcess[bytes]:
    """These commands, run one after the other on such a system."""
    words = [word for command in commands for word in (*command.split(), "//")][:-1]
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "PYTHONPATH": path}
    return subprocess.run(
        [sys.executable, "-m", "tests.system.elsewhere", name, *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        check=False,
    )


def run(name: str, *commands: str, encoding: str = "utf-8") -> str:
    """Their output; none of them may fail."""
    done = elsewhere(name, *commands, encoding=encoding)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]
    assert b"Traceback" not in done.stderr
    return done.stdout.decode(encoding)


def test_a_whole_match_on_windows_by_files_and_the_commands_of_an_evening(tmp_path: Path) -> None:
    """Players and folder host; NTFS refuses names, links and renames over open files, and locks bind."""
    demo = tmp_path / "demo"
    keys = f"--home {demo}/players/anna/home --passphrase-file {demo}/players/anna/home/passphrase"
    result = run(
        "windows",
        f"demo --seats 2 --seed 1 --out {demo}",  # a short match of three hands
        f"show {demo}/players/anna {keys}",
        f"stats {demo}",
        f"verify {demo}",
        f"replay {demo} --plain",
        f"verify {demo}/GAME.JSONL",
        f"show {demo}/Players/ANNA {keys}",
    )
    assert "Everything is proven" in result
    assert result.count("records hold") == 2
    assert not list(demo.rglob("*.tmp"))
    lower = [name.lower() for name in map(str, demo.rglob("*"))]
    assert len(set(lower)) == len(lower), "two names that are one there"


def test_a_match_in_other_capitals_is_the_same_match_and_is_not_begun_again(tmp_path: Path) -> None:
    word = tmp_path / "word"
    word.write_text("a long enough passphrase\n")
    make_identity(tmp_path, "helga", "host")  # its key costs no second, whenever a command asks for it
    keys = f"--home {tmp_path}"
    new = f"--game wyatt-earp --seats anna,burt {keys}"
    identity = f"id new Hugo --host --home {tmp_path}/hugo --passphrase-file {word}"
    run("windows", identity, f"host new {tmp_path}/saturday {new}")
    before = (tmp_path / "saturday" / "game.jsonl").read_bytes()
    again = elsewhere("windows", f"host new {tmp_path}/SATURDAY {new}")
    assert again.returncode == 2, again.stderr
    assert b"Traceback" not in again.stderr
    assert (tmp_path / "saturday" / "game.jsonl").read_bytes() == before
    assert "anna" in run("windows", f"host status {tmp_path}/Saturday {keys}")
    assert len([path for path in tmp_path.iterdir() if path.name.casefold() == "saturday"]) == 1


@pytest.mark.parametrize("encoding", ["cp1252", "cp437"])
def test_old_code_pages_get_what_they_can_show(encoding: str) -> None:
    shown = run("windows", f"show {EXAMPLE} --public", f"stats {EXAMPLE}", encoding=encoding)
    assert "anna" in shown.lower()


def test_a_page_without_any_system_reads_and_checks(tmp_path: Path) -> None:
    result = run("plain", f"verify {EXAMPLE}", f"show {EXAMPLE} --public", f"audit {EXAMPLE}")
    assert "No findings" in result


def test_a_turn_is_played_with_nothing_but_plain_python() -> None:
    """Without any compiled library, database, terminal or network: the same words, and the same bytes signed."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.system.bare"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    body = json.loads(done.stdout)
    assert body["played"] == ask("evening", "wyatt-earp", 14, "en")
    assert "the page does not hold its own lock" in body["kept out"]


def test_a_lock_keeps_the_second_out_until_the_first_is_closed(tmp_path: Path) -> None:
    first, second = (os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2))
    assert system.try_lock(first)
    assert not system.try_lock(second)
    os.close(first)
    assert system.try_lock(second)
    os.close(second)


def test_who_runs_is_known_by_number() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    assert posix.runs(os.getpid())
    child.wait()
    assert not posix.runs(child.pid)
    assert posix.runs(1), "somebody else's process is alive"
    assert plain.runs(child.pid), "nobody can tell"
