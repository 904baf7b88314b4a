"""The private boxes of a match folder, and the folder itself."""

from __future__ import annotations

import os
import stat
from hashlib import sha256
from pathlib import Path

import pytest

from pbem.base.errors import StoreError, UsageProblem
from pbem.player.store import Mark, MatchFolder, find_match_folder, write_private
from pbem.player.store.durable import create_file, loose_permissions, sweep, write_file
from pbem.protocol.formats.api_key import SealedCopy

LINE = b'{"seq":0}'


@pytest.fixture
def folder(tmp_path: Path) -> MatchFolder:
    folder = MatchFolder.create(tmp_path / "match")
    folder.game.append([LINE], expected=Mark.EMPTY)
    return folder


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def generous_umask() -> object:
    before = os.umask(0)
    yield None
    os.umask(before)


# --- secrecy --------------------------------------------------------------------------------------------


@pytest.mark.posix
@pytest.mark.usefixtures("generous_umask")
def test_everything_private_is_born_closed_whatever_the_umask(folder: MatchFolder) -> None:
    folder.host.write("identity", b"secret")
    folder.inbox.keep(b"a turn")
    name = folder.outbox.name(0, "anna", "invitation")
    folder.outbox.write({name: b"letter"})
    folder.outbox.mark_sent(name)
    folder.sealed.keep(SealedCopy("g", "anna", 1, "sealed", b"0" * 16, []))
    for box in folder.boxes:
        assert mode(box.folder) == 0o700
        assert [mode(path) for path in box.folder.iterdir()] == [0o600] * len(list(box.folder.iterdir()))
    assert mode(folder.game.path) == 0o644
    assert folder.warnings() == ()


@pytest.mark.posix
def test_private_files_that_others_can_read_are_named_in_a_warning(folder: MatchFolder) -> None:
    path = folder.host.write("identity", b"secret")
    path.chmod(0o640)
    box = folder.host.folder
    box.chmod(0o755)
    assert folder.warnings() == (
        f"{box} is open to other users (mode 0755, expected 0700); run: chmod 700 {box}",
        f"{path} is open to other users (mode 0640, expected 0600); run: chmod 600 {path}",
    )


def test_a_private_file_is_never_replaced_unasked(folder: MatchFolder) -> None:
    folder.host.write("identity", b"first")
    with pytest.raises(FileExistsError):
        folder.host.write("identity", b"second")
    assert folder.host.read("identity") == b"first"
    folder.host.write("identity", b"third", replace=True)
    assert folder.host.read("identity") == b"third"
    assert folder.host.names() == ("identity",)
    folder.host.remove("identity")
    folder.host.remove("identity")
    assert folder.host.names() == ()


@pytest.mark.posix
def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (tmp_path / "secret").symlink_to(elsewhere)
    with pytest.raises(FileExistsError):
        write_private(tmp_path / "secret", b"secret")
    assert not elsewhere.exists()
    write_private(tmp_path / "secret", b"secret", replace=True)
    assert not elsewhere.exists()
    assert mode(tmp_path / "secret") == 0o600


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "a\x00", "x" * 200, "a\n"])
def test_a_name_cannot_leave_its_box(folder: MatchFolder, name: str) -> None:
    with pytest.raises(ValueError, match="not a file name"):
        folder.host.write(name, b"")


def test_files_of_killed_writers_are_not_listed_and_swept(folder: MatchFolder) -> None:
    folder.host.write("note", b"x")
    dead = folder.host.folder / ".note.999999999-0.tmp"
    alive = folder.host.folder / f".note.{os.getpid()}-0.tmp"
    dead.touch()
    alive.touch()
    assert folder.host.names() == ("note",)
    folder.repair()
    assert not dead.exists()
    assert alive.exists()
    write_file(folder.host.folder / "note", b"y")
    assert folder.host.read("note") == b"y"
    sweep(folder.host.folder)


def test_create_and_write_leave_no_temporary_file(tmp_path: Path) -> None:
    write_file(tmp_path / "a", b"1")
    create_file(tmp_path / "b", b"2")
    with pytest.raises(FileExistsError):
        create_file(tmp_path / "a", b"3")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
    assert (tmp_path / "a").read_bytes() == b"1"


def test_a_disk_that_refuses_leaves_the_old_file(tmp_path: Path) -> None:
    def write(handle: int, data: bytes) -> int:
        os.write(handle, data[:1])
        raise OSError(28, "No space left on device")

    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(StoreError, match=r"cannot write .*a: No space left on device"):
        write_file(tmp_path / "a", b"new", write=write)
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"old")]


def test_a_closed_file_needs_no_warning(tmp_path: Path) -> None:
    write_private(tmp_path / "new" / "a", b"")
    assert loose_permissions(tmp_path / "new" / "a") == ""
    assert loose_permissions(tmp_path / "new") == ""
    with pytest.raises(StoreError, match="No such file"):
        loose_permissions(tmp_path / "none")


# --- inbox and outbox -----------------------------------------------------------------------------------


def test_the_inbox_keeps_every_byte_once(folder: MatchFolder) -> None:
    raw = b"not json \xff\x00\r\n"
    path = folder.inbox.keep(raw)
    assert path.name == sha256(raw).hexdigest()
    assert path.read_bytes() == raw
    assert folder.inbox.keep(raw) == path
    assert folder.inbox.keep(b"") != path
    assert len(folder.inbox.names()) == 2
    assert folder.inbox.read(path.name) == raw


def test_letters_are_made_again_after_a_crash_and_sent_ones_are_not(folder: MatchFolder) -> None:
    outbox = folder.outbox
    receipt, asked = outbox.name(11, "anna", "receipt"), outbox.name(11, "burt", "asked")
    letters = {receipt: b"to anna", asked: b"to burt"}
    assert (receipt, asked) == ("000011-anna-receipt.eml", "000011-burt-asked.eml")
    assert outbox.missing(letters) == (receipt, asked)
    assert outbox.newest_seq() == -1
    assert outbox.write({receipt: b"to anna"}) == (receipt,)
    assert outbox.missing(letters) == (asked,)
    assert outbox.write(letters) == (asked,)
    assert outbox.write(letters) == ()
    assert outbox.unsent() == outbox.letters() == (receipt, asked)
    outbox.mark_sent(receipt, b"<id@host>")
    outbox.mark_sent(receipt, b"<another@host>")
    assert outbox.is_sent(receipt)
    assert not outbox.is_sent(asked)
    assert outbox.read(receipt + ".sent") == b"<id@host>"
    assert outbox.unsent() == (asked,)
    assert outbox.write({receipt: b"newer wording", asked: b"newer wording"}) == (asked,)
    assert outbox.read(receipt) == b"to anna"
    assert outbox.read(asked) == b"newer wording"
    outbox.path(receipt).unlink()
    assert outbox.missing(letters) == (), "a letter that was sent need not be made again"
    assert outbox.write(letters) == (asked,)
    assert outbox.newest_seq() == 11


def test_a_letter_that_is_not_there_cannot_have_been_sent(folder: MatchFolder) -> None:
    with pytest.raises(StoreError, match="there is no email"):
        folder.outbox.mark_sent("000001-anna-receipt.eml")


@pytest.mark.parametrize(("seat", "kind"), [("Anna", "x"), ("an/na", "x"), ("", "x"), ("anna", "")])
def test_letters_have_plain_names(folder: MatchFolder, seat: str, kind: str) -> None:
    with pytest.raises(ValueError, match="not a letter's name"):
        folder.outbox.name(1, seat, kind)


# --- sealed copies --------------------------------------------------------------------------------------


def test_sealed_copies_come_back_as_they_were(folder: MatchFolder) -> None:
    first = SealedCopy(
        "gAme", "anna", 3, "sealed", bytes(range(16)), [{"do": "discard", "card": "wes-hardin"}]
    )
    again = SealedCopy("gAme", "anna", 3, "sealed", bytes(16), [])
    orders = SealedCopy("gAme", "anna", 4, "orders", b"\xff" * 16, {"say": "ü"})
    for copy in (orders, first, again, first):
        folder.sealed.keep(copy)
    assert len(folder.sealed.all()) == 3
    assert folder.sealed.all()[-1] == orders
    copies = folder.sealed.find("gAme", "anna", 3, "sealed")
    assert sorted(copies, key=lambda copy: copy.salt) == [again, first]
    assert folder.sealed.find("gAme", "burt", 3, "sealed") == ()


def test_the_newest_copy_is_the_one_with_the_highest_number(folder: MatchFolder) -> None:
    for n in (2, 11, 3):
        folder.sealed.keep(SealedCopy("gAme", "anna", n, "orders", bytes(16), {"rules": [n]}))
    folder.sealed.keep(SealedCopy("other", "anna", 12, "orders", bytes(16), {"rules": []}))
    newest = folder.sealed.newest("gAme", "anna", "orders")
    assert newest is not None
    assert newest.n == 11
    assert folder.sealed.newest("gAme", "burt", "orders") is None


def test_a_damaged_copy_is_shown(folder: MatchFolder) -> None:
    path = folder.sealed.keep(SealedCopy("g", "anna", 1, "sealed", b"", []))
    path.write_bytes(b"{}")
    with pytest.raises(StoreError, match="is not a copy of something sealed"):
        folder.sealed.all()


# --- the folder -----------------------------------------------------------------------------------------


def test_a_match_is_found_by_its_folder_its_file_or_a_box(folder: MatchFolder) -> None:
    folder.inbox.keep(b"x")
    for start in (folder.path, folder.game.path, folder.inbox.folder):
        match_folder = find_match_folder(start)
        assert match_folder.game.path.samefile(folder.game.path)
        assert match_folder.path.samefile(folder.path)


def test_a_player_may_keep_the_game_file_under_another_name(tmp_path: Path) -> None:
    (tmp_path / "saloon.jsonl").write_bytes(LINE + b"\n")
    assert find_match_folder(tmp_path).game.read().lines == (LINE,)
    assert find_match_folder(tmp_path / "saloon.jsonl").game.path.name == "saloon.jsonl"
    (tmp_path / "other.jsonl").write_bytes(LINE + b"\n")
    with pytest.raises(UsageProblem, match=r"holds 2 match files: other\.jsonl, saloon\.jsonl"):
        find_match_folder(tmp_path)


def test_no_match_is_shown(tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match=r"there is no match in .*: no file game\.jsonl"):
        find_match_folder(tmp_path)
    with pytest.raises(UsageProblem, match="there is no file or folder"):
        find_match_folder(tmp_path / "nowhere")


def test_a_folder_with_a_match_takes_no_second_one(folder: MatchFolder, tmp_path: Path) -> None:
    with pytest.raises(UsageProblem, match="already holds a match"):
        MatchFolder.create(folder.path)
    (tmp_path / "file").touch()
    with pytest.raises(UsageProblem, match="is a file, not a folder"):
        MatchFolder.create(tmp_path / "file")


def test_a_host_whose_file_lost_committed_lines_is_stopped(folder: MatchFolder) -> None:
    end = folder.game.append([b'{"seq":1}'], expected=folder.game.read().end)
    folder.outbox.write({folder.outbox.name(1, "anna", "receipt"): b"x"})
    assert folder.repair() == ()
    os.truncate(folder.game.path, end.size - 3)
    before = folder.game.path.read_bytes()
    with pytest.raises(StoreError, match="holds 1 of them, but there are emails about record 1") as caught:
        folder.repair()
    assert "pbem host recover" in caught.value.hint
    assert folder.game.path.read_bytes() == before
    folder.game.path.unlink()
    with pytest.raises(StoreError, match="holds 0 of them"):
        folder.repair()


def test_the_lock_of_the_folder_is_the_one_of_its_game_file(folder: MatchFolder) -> None:
    other = MatchFolder(folder.path)
    with folder.lock():
        folder.game.append([b'{"seq":1}'], expected=folder.game.read().end)
        with pytest.raises(StoreError, match=f"is in use by process {os.getpid()} on "):
            other.game.lock(timeout=0).__enter__()
        with pytest.raises(StoreError, match="is in use by"), other.lock(timeout=0.05):
            pass
    with other.lock(timeout=0):
        assert (folder.path / "game.jsonl.lock").read_bytes() != b""
    assert (folder.path / "game.jsonl.lock").read_bytes() == b""
