"""Every file that a person may open and save again is read with either kind of line end.

Emails, identities, orders, boards and signed files; a game file with other line ends is refused with what to do
(its lines are signed byte for byte).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.cli.seats import Friends, run

ENDS = {"LF": b"\n", "CRLF": b"\r\n"}
BOARD = Path(__file__).parents[2] / "schemas/way-out-west/boards/team-v1.json"


def saved(path: Path, end: bytes) -> Path:
    """The file as an editor leaves it that uses other line ends."""
    path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", end))
    return path


@dataclass
class Editors(Friends):
    """Friends whose programs write every email and file again with these line ends."""

    end: bytes = b"\n"

    def deliver(self) -> None:
        """Every email, as its reader's mail program saves it."""
        super().deliver()
        for seat in self.seats:
            for letter in self.folder(seat).glob("*.eml"):
                saved(letter, self.end)

    def sign(self, seat: str, command: str, *arguments: object) -> Path:
        """A signed file that went through an editor, with a line for each member."""
        file = super().sign(seat, command, *arguments)
        file.write_text(json.dumps(json.loads(file.read_bytes()), indent=1), encoding="utf-8")
        return saved(file, self.end)


@pytest.mark.parametrize("name", ENDS)
def test_a_match_goes_on_whatever_line_ends_its_files_have(tmp_path: Path, name: str) -> None:
    friends = Editors(tmp_path, end=ENDS[name]).begin()
    for identity in tmp_path.glob("*/home/**/*.json"):
        saved(identity, ENDS[name])
    friends.join_and_ready()
    orders = tmp_path / "orders.json"
    orders.write_text(
        json.dumps({"rules": [{"when": "draw", "do": {"do": "draw", "from": "supply"}}]}, indent=1),
        encoding="utf-8",
    )
    set_ = friends.play("anna", "orders", "--set", saved(orders, ENDS[name]), "--next")
    assert set_.code == 0, set_.err
    done = friends.send(friends.sign("anna", "turn", "draw", "supply"))
    assert done.code == 0, done.err
    assert json.loads(friends.game_file.splitlines()[-1])["body"]["kind"] == "turn"
    shown = friends.play("anna", "show", "--json")
    assert shown.code == 0, shown.err


@pytest.mark.parametrize("name", ENDS)
def test_a_board_is_read_with_either(tmp_path: Path, name: str) -> None:
    board = tmp_path / "board.json"
    board.write_bytes(BOARD.read_bytes())
    assert run("check", "--board", "way-out-west", saved(board, ENDS[name])).code == 0
