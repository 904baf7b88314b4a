"""The table before the library of the screen is loaded: the same lines, in a bare terminal, which is restored."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pbem.base.language import language_of
from pbem.game import Seat
from pbem.player.play.app import PlayApp
from pbem.player.play.first_look import ENTER, LEAVE, first_look
from pbem.player.play.panels import Drawn
from pbem.player.store import Keyring
from pbem.protocol.formats.identity_file import write_identity
from tests.bench.startup import in_terminal
from tests.play.player_session import Chair, until
from tests.play.screens import text_of
from tests.play.test_screen import drive
from tests.world import World, days_ago

WITHOUT_LIBRARY = "import sys; sys.modules['textual'] = None\n"
CTRL_C_WHILE_LOADING = """
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "textual":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
"""
RUN = "from pbem.cli import run\nrun()\n"


@pytest.fixture(scope="module")
def asked() -> World:
    """A match of Wyatt Earp in which Anna is to draw; it began the day before, so that her time is not up."""
    world = World("wyatt-earp", ("anna", "burt"), began=days_ago(1))
    return until(world.start(), "anna", "draw")


def start(world: World, folder: Path, code: str) -> tuple[int, str]:
    """The exit status of ``pbem play``, and what it writes to its terminal until it ends."""
    folder.mkdir()
    (folder / "game.jsonl").write_bytes(b"".join(line + b"\n" for line in world.lines))
    keys = write_identity(world.people[Seat("anna")], "Anna", "", b"0" * 16, log_n=1)
    Keyring(folder / "home").add("anna", keys)
    (folder / "secret").write_text("\n")
    words = ("play", str(folder), "--home", str(folder / "home"), "--passphrase-file", str(folder / "secret"))
    return in_terminal("Draft", code + RUN, words, dict(os.environ) | {"PBEM_LANG": "en"})


@pytest.mark.parametrize("code", ["en", "de"])
def test_the_first_look_is_what_the_screen_then_shows(asked: World, tmp_path: Path, code: str) -> None:
    session = Chair(asked, "anna", tmp_path).session(language=language_of(code))
    look = first_look(session, 80, 24, colour=False).splitlines()
    seen: list[str] = []

    async def script(pilot: Pilot[None]) -> None:
        assert isinstance(pilot.app, PlayApp)
        for _ in range(100):  # it is drawn when its width is known
            if pilot.app.query_one("#glance", Drawn).size.height == len(look) - 2:
                break
            await pilot.pause()
        seen.extend(text_of(pilot.app).splitlines())

    drive(session, script)
    assert len(look) > 10
    assert seen[0].endswith(look[0].strip())
    assert [line.rstrip() for line in seen[1 : len(look) - 1]] == [line.rstrip() for line in look[1:-1]]
    assert seen[len(look) - 1] == look[-1]


def test_it_is_left_out_where_the_screen_begins_otherwise(asked: World, tmp_path: Path) -> None:
    session = Chair(asked, "anna", tmp_path / "asked").session()
    assert first_look(session, 80, 24)
    assert first_look(session, 60, 20) == first_look(session, 160, 50) == ""
    session.looked = 0  # there are news: the story comes first
    assert first_look(session, 80, 24) == ""
    joined = World("wyatt-earp", ("anna", "burt"))
    for seat in joined.seats:
        joined.join(seat)
    assert first_look(Chair(joined, "anna", tmp_path / "joined").session(), 80, 24) == ""


def test_the_table_is_there_without_the_library_and_the_terminal_is_put_back(
    asked: World, tmp_path: Path
) -> None:
    status, written = start(asked, tmp_path / "anna", WITHOUT_LIBRARY)
    assert status
    before, _, behind = written.partition(ENTER)
    assert "Your hand" not in before
    table, _, rest = behind.partition(LEAVE)
    assert "Your hand" in table
    assert "Your turn to draw" in table
    assert "textual" in rest  # why it ended stands on the page that is left


def test_ctrl_c_while_the_library_is_loaded_leaves_in_order(asked: World, tmp_path: Path) -> None:
    status, written = start(asked, tmp_path / "anna", CTRL_C_WHILE_LOADING)
    assert status == 0
    assert written.partition(LEAVE)[2].strip().startswith("Your turn to draw, by")


def test_ctrl_c_at_a_question_leaves_with_a_word_in_the_players_language(tmp_path: Path) -> None:
    code = "import typer\ndef gone(*a, **k): raise typer.Abort\ntyper.prompt = gone\n"
    words = ("play", str(tmp_path), "--home", str(tmp_path / "home"))
    status, written = in_terminal("Tray", code + RUN, words, dict(os.environ) | {"PBEM_LANG": "de"})
    assert os.waitstatus_to_exitcode(status) == 1
    assert "Verlassen. pbem play macht hier weiter." in written
    assert not (tmp_path / "home" / "identities").exists()
