"""A folder that somebody else made may hold links: nothing behind them is emptied, written or read."""

from __future__ import annotations

import os
import stat
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pbem.base.errors import StoreError
from pbem.player.store import FileLock, GameFile, Mark, PrivateNotes
from pbem.player.store.durable import create_file, open_own, refuse_link
from pbem.player.store.game_file import Intent, write_intent

pytestmark = pytest.mark.posix
SECRET = b"an identity, which is not theirs\n"
LINKS = ("symlink", "hard link")


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A file of the user's, elsewhere."""
    path = tmp_path / "identity.json"
    path.write_bytes(SECRET)
    return path


def linked(path: Path, target: Path, how: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(target) if how == "symlink" else path.hardlink_to(target)
    return path


@pytest.mark.parametrize("how", LINKS)
def test_a_lock_that_is_a_link_empties_nothing(tmp_path: Path, target: Path, how: str) -> None:
    lock = FileLock(linked(tmp_path / "match" / "game.jsonl.lock", target, how))
    with pytest.raises(StoreError, match="cannot open the lock"), lock.hold(0):
        pass
    assert target.read_bytes() == SECRET


@pytest.mark.parametrize("how", LINKS)
def test_a_copy_that_is_a_link_is_not_appended_to(tmp_path: Path, target: Path, how: str) -> None:
    path = linked(tmp_path / "match" / "game.jsonl", target, how)
    line = b'{"body":1}'
    target.write_bytes(line + b"\n")
    with pytest.raises(StoreError, match="cannot open"):
        GameFile(path).append([b"{}"], expected=Mark(len(line) + 1, sha256(line).digest()))
    assert target.read_bytes() == line + b"\n"


@pytest.mark.parametrize("how", LINKS)
def test_nothing_is_appended_behind_a_lock_that_is_a_link(tmp_path: Path, target: Path, how: str) -> None:
    path = linked(tmp_path / "match" / "game.jsonl.lock", target, how)
    with pytest.raises(StoreError, match="cannot open the lock"):
        GameFile(path.with_suffix("")).append([b"{}"], expected=Mark.EMPTY)
    assert target.read_bytes() == SECRET


@pytest.mark.parametrize("how", LINKS)
def test_an_intent_that_is_a_link_empties_nothing(tmp_path: Path, target: Path, how: str) -> None:
    path = linked(tmp_path / "match" / "game.jsonl.intent", target, how)
    with pytest.raises(OSError, match=r"link|name"):
        write_intent(path, Intent(0, b"", b"{}\n"), write=os.write, steps=lambda _: None)
    assert target.read_bytes() == SECRET


def test_a_folder_of_files_that_is_a_link_is_neither_read_nor_written(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "7.json").write_bytes(SECRET)
    (tmp_path / "match").mkdir()
    (tmp_path / "match" / "sent").symlink_to(elsewhere)
    notes = PrivateNotes(tmp_path / "match" / "sent")
    for use in (
        notes.names,
        lambda: notes.read("7.json"),
        lambda: notes.write("8.json", b"{}"),
        lambda: notes.remove("7.json"),
    ):
        with pytest.raises(StoreError, match="is a link to another folder"):
            use()
    assert [path.name for path in elsewhere.iterdir()] == ["7.json"]


def test_a_folder_that_is_exchanged_while_a_file_is_opened_leads_nowhere_else(
    tmp_path: Path, target: Path
) -> None:
    """The name is looked up in the folder that was opened, whatever stands at its path by then."""
    folder, away = tmp_path / "match", tmp_path / "away"
    folder.mkdir()
    real = os.open

    def exchanging(path: Path | str, flags: int, *rest: int, **more: int) -> int:
        handle = real(path, flags, *rest, **more)
        if Path(path) == folder:
            folder.rename(away)
            folder.mkdir()
            (folder / "game.jsonl.lock").symlink_to(target)
        return handle

    handle = open_own(folder / "game.jsonl.lock", os.O_RDWR | os.O_CREAT | os.O_TRUNC, opened=exchanging)
    os.close(handle)
    assert target.read_bytes() == SECRET
    assert (away / "game.jsonl.lock").is_file()


JUNCTION, SYMLINK, CLOUD = 0xA000_0003, 0xA000_000C, 0x9000_101A
"""Reparse tags of Windows."""


def windows(mode: int, attributes: int, tag: int) -> Any:
    """What ``os.lstat`` answers there."""
    return lambda _: SimpleNamespace(st_mode=mode, st_file_attributes=attributes, st_reparse_tag=tag)


@pytest.mark.parametrize("tag", [JUNCTION, SYMLINK, 0], ids=["junction", "symlink", "no tag is told"])
def test_a_reparse_point_of_windows_is_a_link(tmp_path: Path, tag: int) -> None:
    path = tmp_path / "game.jsonl.lock"
    path.write_bytes(SECRET)
    with pytest.raises(OSError, match="it is a link"):
        open_own(path, os.O_RDWR | os.O_TRUNC, looked=windows(stat.S_IFREG, 0x420, tag))
    assert path.read_bytes() == SECRET
    with pytest.raises(StoreError, match="is a link to another folder"):
        refuse_link(tmp_path, looked=windows(stat.S_IFDIR, 0x410, tag))


def test_a_file_of_windows_that_lies_in_a_cloud_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    path.write_bytes(b"{}\n")
    os.close(open_own(path, os.O_RDWR, looked=windows(stat.S_IFREG, 0x420, CLOUD)))
    refuse_link(tmp_path, looked=windows(stat.S_IFDIR, 0x410, CLOUD))
    os.close(open_own(path, os.O_RDWR, looked=windows(stat.S_IFREG, 0x20, 0)))


def test_a_second_name_that_a_killed_process_left_is_tidied_up(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    create_file(path, b"{}\n")
    (tmp_path / ".game.jsonl.4194304-0.tmp").hardlink_to(path)  # a number that no process has
    os.close(open_own(path, os.O_RDWR))
    assert [entry.name for entry in tmp_path.iterdir()] == ["game.jsonl"]
