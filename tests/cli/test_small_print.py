"""What commands said wrongly once: each bug that was found by reading, by its command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.seats import Friends, run


@pytest.fixture
def friends(tmp_path: Path) -> Friends:
    return Friends(tmp_path).begin().join_and_ready()


def asked(friends: Friends) -> str:
    return str(friends.status()["waiting"]["seat"])


def test_a_turn_for_a_folder_that_is_not_there_is_not_signed(friends: Friends, tmp_path: Path) -> None:
    seat = asked(friends)
    missing = tmp_path / "missing" / "turn.json"
    done = friends.play(seat, "turn", "draw", "supply", "-o", missing)
    assert done.code == 2
    assert "there is no folder" in done.err
    assert "Nothing was signed" in done.err
    first = friends.folder(seat) / "turn.json"
    done = friends.play(seat, "turn", "draw", "supply", "-o", first)
    assert done.code == 0, done.err  # nothing waits for an answer: no question, and the next number is unused
    assert friends.send(first).code == 0


def test_a_copy_that_does_not_hold_continues_nothing(friends: Friends, tmp_path: Path) -> None:
    whole = tmp_path / "whole.jsonl"
    lines = friends.game_file.splitlines(keepends=True)
    body = json.loads(lines[-1])
    body["sig"]["value"] = "A" * 85 + "A"
    whole.write_bytes(
        b"".join(lines[:-1]) + json.dumps(body, separators=(",", ":"), sort_keys=True).encode() + b"\n"
    )
    part = tmp_path / "part.jsonl"
    part.write_bytes(b"".join(lines[:-2]))
    assert run("verify", whole).code == 4
    done = run("compare", part, whole)
    assert done.code == 4
    assert "whole.jsonl is not valid" in done.err
    whole.write_bytes(friends.game_file)
    assert run("compare", part, whole).code == 0


def test_a_letter_of_another_match_is_called_that(friends: Friends, tmp_path: Path) -> None:
    other = Friends(tmp_path / "other").begin().join_and_ready()
    letter = tmp_path / "letter.jsonl"
    letter.write_bytes(other.game_file)
    done = run("update", friends.folder("anna"), letter)
    assert done.code == 2, done
    assert "belongs to match" in done.err
    assert "this folder holds match" in done.err
    assert "Nothing was taken" in done.err


def test_a_text_that_is_handed_in_is_called_no_file_of_ours(friends: Friends, tmp_path: Path) -> None:
    note = tmp_path / "note.txt"
    note.write_text("my turn: draw", encoding="utf-8")
    done = friends.host("advance", note)
    assert "Expecting value" not in done.out + done.err
    assert "not a file that pbem has signed" in done.out + done.err


def test_an_address_that_answers_nothing_is_said_in_words() -> None:
    done = run("web", "check", "http://127.0.0.1:9/")
    assert done.code == 6
    assert "cannot be reached" in done.err
    assert "urlopen" not in done.err
    assert "[Errno" not in done.err


def _behind(friends: Friends, seat: str, records: int, tmp_path: Path) -> Path:
    """A folder whose copy ends early, as on a device that has not saved the newest emails."""
    folder = tmp_path / f"behind-{records}"
    folder.mkdir()
    lines = friends.game_file.splitlines(keepends=True)
    (folder / "game.jsonl").write_bytes(b"".join(lines[:records]))
    return folder


def test_ready_on_a_copy_that_is_behind_says_how_old_it_is(friends: Friends, tmp_path: Path) -> None:
    home = friends.folder("anna") / "home"
    for records, waits in ((5, "Burt"), (6, "the host")):
        done = run("ready", _behind(friends, "anna", records, tmp_path), "--home", home)
        assert (done.code, done.out) == (2, "")
        assert "you were ready already" in done.err
        assert f"The match waits for {waits}. Your copy is from " in done.err
        assert "is there a newer email?" in done.err
