"""``pbem replay``, ``pbem stats`` and ``pbem show --png`` as they are typed, in a pipe and on a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pbem.host.demo import Demo
from pbem.player.world import SeededEntropy, StepClock
from tests.forked import command
from tests.history.matches import played
from tests.pictures.pixels import Pixels
from tests.plain import plain_pictures as plain_pictures

ROOT = Path(__file__).resolve().parents[2]
FILES = 14


def pbem(*arguments: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
    return command(*arguments, folder=ROOT, environment={**os.environ, **environ})


def text(done: subprocess.CompletedProcess[bytes]) -> str:
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match that has just begun, with its host and its players."""
    folder = tmp_path_factory.mktemp("history") / "demo"
    clock = StepClock("2026-11-21T18:00:00Z")
    Demo(
        "wyatt-earp",
        3,
        folder,
        clock,
        lambda name: SeededEntropy("history", name),
        limit=FILES,
        labelled=False,
    ).run()
    return folder


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A whole match, as anybody may have it."""
    path = tmp_path_factory.mktemp("history") / "game.jsonl"
    path.write_bytes(b"\n".join(played("wyatt-earp").lines) + b"\n")
    return path


@pytest.mark.parametrize("words", [("replay", "--plain", "--public"), ("stats",), ("show", "--public")])
def test_in_a_pipe_tables_are_drawn_without_rich(ended: Path, words: tuple[str, ...]) -> None:
    """It measures each cell of each table again: four fifths of what a long replay took."""
    command, *options = words
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "pbem", command, str(ended), *options],
        capture_output=True, check=True, cwd=ROOT, env={**os.environ, "PBEM_LANG": "en"},
    )  # fmt: skip
    assert "╭" in done.stdout.decode()
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "pbem.player.letters.terminal" in loaded
    assert {name for name in loaded if name.partition(".")[0] == "rich"} == set()


def as_anna(demo: Path) -> list[str]:
    home = demo / "players" / "anna"
    keys = ["--home", str(home / "home"), "--passphrase-file", str(home / "home" / "passphrase")]
    return [str(home), *keys]


# --- replay -------------------------------------------------------------------------------------------------


def test_in_a_pipe_the_pages_come_one_after_the_other(ended: Path) -> None:
    pages = text(pbem("replay", str(ended), "--public", "--from", "9", "--to", "11"))
    assert re.findall(r"^Record (\d+) of", pages, re.MULTILINE) == ["9", "10", "11"]
    assert "\x1b" not in pages
    assert "Your hand" not in pages


def test_a_seat_sees_its_own_hand_in_every_page(demo: Path) -> None:
    pages = text(pbem("replay", *as_anna(demo), "--from", "8", "--plain"))
    assert pages.count("Your hand") == pages.count("Seen by Anna.")
    assert pages.count("Your hand") >= 5


def test_without_a_key_one_sees_what_everybody_saw_and_learns_so(demo: Path, tmp_path: Path) -> None:
    done = pbem("replay", str(demo / "game.jsonl"), "--plain", "--home", str(tmp_path))
    assert "you see what everybody saw" in done.stderr.decode()
    assert "Seen by the public." in text(done)


def test_everything_is_open_after_the_close(ended: Path) -> None:
    pages = text(pbem("replay", str(ended), "--open", "--from", "8", "--to", "9"))
    assert "Seen by everybody, all cards open." in pages
    assert "All hands" in pages


def test_replay_is_data_too(ended: Path) -> None:
    frames = json.loads(text(pbem("replay", str(ended), "--public", "--from", "8", "--to", "10", "--json")))
    assert [frame["record"] for frame in frames] == [8, 9, 10]
    assert all(isinstance(count, int) for count in frames[0]["view"]["hands"].values())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--public", "--open"], "different eyes"),
        (["--public", "--from", "9", "--to", "3"], "cannot be shown"),
        (["--public", "--to", "99999"], "cannot be shown"),
    ],
)
def test_what_cannot_be_shown_is_refused(ended: Path, arguments: list[str], said: str) -> None:
    done = pbem("replay", str(ended), *arguments)
    assert done.returncode == 2
    assert said in done.stderr.decode()


class Terminal:
    """A real terminal of 80 by 24 on which a command runs."""

    def __init__(self, *arguments: str) -> None:
        self.child, self.master = pty.fork()
        if self.child == 0:
            os.environ.update(TERM="xterm-256color", COLUMNS="80", LINES="24", NO_COLOR="1")
            os.chdir(ROOT)
            os.execv(sys.executable, [sys.executable, "-m", "pbem", *arguments])  # noqa: S606

    def until(self, wanted: str) -> str:
        """What comes until a sheet holds ``wanted``; reading blocks, so nothing sleeps."""
        seen = ""
        while wanted not in seen:
            try:
                chunk = os.read(self.master, 65536)
            except OSError:
                break
            if not chunk:
                break
            seen += chunk.decode("utf-8", "replace")
        assert wanted in seen, seen
        return seen

    def press(self, keys: str, wanted: str) -> str:
        os.write(self.master, keys.encode())
        return self.until(wanted)

    def end(self) -> int:
        while True:
            try:
                if not os.read(self.master, 65536):
                    break
            except OSError:
                break
        os.close(self.master)
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_one_steps_through_a_match_on_a_terminal(ended: Path) -> None:
    terminal = Terminal("replay", str(ended), "--public")
    terminal.until("Record 0 of")
    terminal.press("n", "Record 1 of")
    terminal.press("\x1b[C", "Record 2 of")
    terminal.press("p", "Record 1 of")
    terminal.press("g8\r", "Record 8 of")
    terminal.press("v", "all cards open")
    sheet = terminal.press("\x1b[6~", "All hands")
    page = sheet.rpartition("\x1b[2J")[2].split("\r\n")
    assert len(page) <= 24
    assert all(len(re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", line)) <= 80 for line in page)
    terminal.press("]", "Record ")
    terminal.press("q", "\x1b[?1049l")
    assert terminal.end() == 0


# --- stats --------------------------------------------------------------------------------------------------


def test_stats_of_a_match_need_no_key(ended: Path) -> None:
    output = text(pbem("stats", str(ended)))
    for part in ("Wyatt Earp", "wins", "Shots and dice", "Who waited for whom", "Money by Outlaw"):
        assert part in output
    assert "\x1b" not in output


def test_stats_of_a_folder_are_added_up_and_say_what_was_left_out(
    ended: Path, demo: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_bytes(ended.read_bytes())
    (tmp_path / "b.jsonl").write_bytes((demo / "game.jsonl").read_bytes())
    (tmp_path / "c.jsonl").write_bytes(ended.read_bytes().replace(b'"seq":7', b'"seq":8'))
    done = pbem("stats", str(tmp_path), "--json")
    facts = json.loads(text(done))
    assert [len(game["matches"]) for game in facts["games"]] == [2]
    assert [Path(file["file"]).name for file in facts["left_out"]] == ["c.jsonl"]
    assert "c.jsonl is not counted" in done.stderr.decode()


def test_stats_are_drawn_into_a_file(ended: Path, tmp_path: Path) -> None:
    assert text(pbem("stats", str(ended), "--png", str(tmp_path / "stats.png"))) == ""
    assert Pixels((tmp_path / "stats.png").read_bytes()).width == 1200


# --- show ---------------------------------------------------------------------------------------------------


def test_show_draws_the_table_and_the_own_hand(demo: Path, tmp_path: Path) -> None:
    own, public = tmp_path / "own.png", tmp_path / "public.png"
    assert text(pbem("show", *as_anna(demo), "--png", str(own))) == ""
    text(pbem("show", str(demo / "game.jsonl"), "--public", "--png", str(public)))
    drawn, seen = Pixels(own.read_bytes()), Pixels(public.read_bytes())
    assert drawn.width == seen.width == 1200
    assert drawn.height > seen.height + 200, "the hand is below the table"
    assert own.stat().st_mode & 0o077 == 0, "a hand is nobody else's business"


def test_there_is_no_picture_before_the_deal(ended: Path, tmp_path: Path) -> None:
    done = pbem("show", str(ended), "--public", "--at", "3", "--png", str(tmp_path / "x.png"))
    assert done.returncode == 2
    assert "nothing has been dealt yet" in done.stderr.decode()
