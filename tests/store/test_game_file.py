"""The game file: what is read is what was appended, and an append says where it read the end."""

from __future__ import annotations

import errno
import os
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.base.errors import StoreError, UsageProblem
from pbem.player.store import GameFile, Mark
from pbem.player.store.game_file import Intent

A, B, C = b'{"a":1}', b'{"b":2}', b'{"c":3}'


@pytest.fixture
def game(tmp_path: Path) -> GameFile:
    return GameFile(tmp_path / "game.jsonl")


def test_what_was_appended_is_read_back_without_newlines(game: GameFile) -> None:
    end = game.append([A], expected=Mark.EMPTY)
    end = game.append([B, C], expected=end)
    loaded = game.read()
    assert loaded.lines == (A, B, C)
    assert loaded.end == end == Mark(24, sha256(C).digest())
    assert game.path.read_bytes() == b'{"a":1}\n{"b":2}\n{"c":3}\n'
    assert sorted(path.name for path in game.path.parent.iterdir()) == ["game.jsonl", "game.jsonl.lock"]


def test_only_what_is_new_can_be_read(game: GameFile) -> None:
    end = game.append([A], expected=Mark.EMPTY)
    assert game.read(end).lines == ()
    assert game.read(end).end == end
    later = game.append([B, C], expected=end)
    assert game.read(end).lines == (B, C)
    assert game.read(end).end == later


def test_a_mark_on_a_line_that_is_no_longer_there_is_refused(game: GameFile) -> None:
    end = game.append([A], expected=Mark.EMPTY)
    game.path.write_bytes(B + b"\n")
    with pytest.raises(StoreError, match="no longer holds the line that ended at byte 8"):
        game.read(end)
    game.path.write_bytes(b"")
    with pytest.raises(StoreError, match="no longer holds"):
        game.read(end)


def test_a_missing_file_is_the_users_mistake(game: GameFile) -> None:
    assert not game.exists()
    with pytest.raises(UsageProblem, match="there is no match file at"):
        game.read()
    assert game.repair() == ()
    assert not game.exists()


@pytest.mark.parametrize("lines", [[], [b""], [A, b""], [b"a\nb"], [A + b"\n"]])
def test_lines_that_are_none_are_a_mistake_of_the_program(game: GameFile, lines: list[bytes]) -> None:
    with pytest.raises(ValueError, match="newline"):
        game.append(lines, expected=Mark.EMPTY)
    assert not game.exists()


def test_an_append_behind_an_old_end_is_refused(game: GameFile) -> None:
    old = game.append([A], expected=Mark.EMPTY)
    game.append([B], expected=old)
    before = game.path.read_bytes()
    with pytest.raises(
        StoreError, match="somebody else appended: expected 8 bytes, found 16 bytes"
    ) as caught:
        game.append([C], expected=old)
    assert caught.value.exit_code == 6
    assert caught.value.hint.startswith("Read the match again")
    assert game.path.read_bytes() == before


def test_an_append_to_another_history_of_the_same_size_is_refused(game: GameFile) -> None:
    end = game.append([A], expected=Mark.EMPTY)
    game.path.write_bytes(B + b"\n")
    with pytest.raises(StoreError, match="the same size but another last line"):
        game.append([C], expected=end)
    assert game.read().lines == (B,)


def test_a_second_match_is_not_created_over_the_first(game: GameFile) -> None:
    game.append([A], expected=Mark.EMPTY)
    with pytest.raises(StoreError, match="somebody else appended: expected 0 bytes, found 8 bytes"):
        game.append([B], expected=Mark.EMPTY)


def test_a_refused_first_append_leaves_no_file(game: GameFile) -> None:
    with pytest.raises(StoreError, match="expected 8 bytes, found 0 bytes"):
        game.append([B], expected=Mark(8, sha256(A).digest()))
    assert not game.exists()


def test_a_torn_file_takes_no_append_until_it_is_repaired(game: GameFile) -> None:
    end = game.append([A], expected=Mark.EMPTY)
    with game.path.open("ab") as file:
        file.write(b'{"b":')
    assert game.read().lines == (A,)
    assert game.read().torn == b'{"b":'
    assert game.read().end == end
    with pytest.raises(StoreError, match="the last line has no end; nothing was written"):
        game.append([B], expected=end)
    game.repair()
    game.append([B], expected=end)
    assert game.read().lines == (A, B)


def test_long_lines_are_found_over_many_blocks(game: GameFile) -> None:
    long = b'{"x":"' + b"y" * 300_000 + b'"}'
    end = game.append([A, long], expected=Mark.EMPTY)
    assert game.append([B], expected=end).size == len(long) + 17
    assert game.read().lines == (A, long, B)


@given(space=st.integers(0, 400), several=st.booleans())
def test_a_disk_that_fills_up_at_any_byte_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, space: int, several: bool
) -> None:
    path = tmp_path_factory.mktemp("full") / "game.jsonl"
    end = GameFile(path).append([A], expected=Mark.EMPTY)
    left = space

    def write(handle: int, data: bytes) -> int:
        nonlocal left
        if left == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = os.write(handle, data[:left])
        left -= written
        return written

    game = GameFile(path, write=write)
    lines = [B, C] if several else [B]
    said = ""
    try:
        game.append(lines, expected=end)
    except StoreError as fault:
        said = str(fault)
    if said:
        assert said.endswith("No space left on device; nothing was written")
        assert path.read_bytes() == A + b"\n"
        assert not path.with_name("game.jsonl.pending").exists()
    assert GameFile(path).repair() == ()
    assert list(game.read().lines) == ([A] if said else [A, *lines])


def test_a_disk_that_is_full_for_the_first_line_leaves_no_file(tmp_path: Path) -> None:
    def write(handle: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    game = GameFile(tmp_path / "game.jsonl", write=write)
    with pytest.raises(StoreError, match="No space left"):
        game.append([A], expected=Mark.EMPTY)
    assert not game.exists()


def test_a_folder_where_the_file_should_be_is_shown(tmp_path: Path) -> None:
    (tmp_path / "game.jsonl").mkdir()
    with pytest.raises(StoreError, match=r"cannot open .*game\.jsonl: Is a directory"):
        GameFile(tmp_path / "game.jsonl").append([A], expected=Mark.EMPTY)


# --- intents that do not fit ----------------------------------------------------------------------------


def test_an_intent_that_was_never_whole_is_dropped(game: GameFile) -> None:
    end = game.append([A], expected=Mark.EMPTY)
    whole = Intent(end.size, end.line, B + b"\n" + C + b"\n").to_bytes()
    pending = game.path.with_name("game.jsonl.pending")
    for cut in range(len(whole)):
        pending.write_bytes(whole[:cut])
        assert game.read().lines == (A,)
        assert game.repair() == ()
        assert not pending.exists()
    assert game.read().lines == (A,)


def test_a_finished_intent_that_came_back_does_no_harm(game: GameFile) -> None:
    end = game.append([A], expected=Mark.EMPTY)
    intent = Intent(end.size, end.line, B + b"\n" + C + b"\n")
    end = game.append([B, C], expected=end)
    game.append([A], expected=end)
    game.path.with_name("game.jsonl.pending").write_bytes(intent.to_bytes())
    assert game.read().lines == (A, B, C, A)
    assert game.repair() == ()
    assert game.read().lines == (A, B, C, A)


@pytest.mark.parametrize("replaced", [b"", B + b"\n", A + b"\n" + C + b"\n"])
def test_an_intent_for_another_history_stops_every_writer(game: GameFile, replaced: bytes) -> None:
    end = game.append([A], expected=Mark.EMPTY)
    pending = game.path.with_name("game.jsonl.pending")
    pending.write_bytes(Intent(end.size, end.line, B + b"\n" + C + b"\n").to_bytes())
    game.path.write_bytes(replaced)
    for attempt in (game.repair, lambda: game.append([C], expected=game.read().end)):
        with pytest.raises(StoreError, match="unfinished append that does not fit"):
            attempt()
    assert game.path.read_bytes() == replaced
    assert pending.exists()
    assert b"".join(line + b"\n" for line in game.read().lines) == replaced


@given(seen=st.integers(0, 3), cut=st.integers(0, 16))
def test_a_reader_never_sees_a_part_of_a_batch(
    tmp_path_factory: pytest.TempPathFactory, seen: int, cut: int
) -> None:
    game = GameFile(tmp_path_factory.mktemp("reader") / "game.jsonl")
    marks = [Mark.EMPTY]
    for line in (A, B, C):
        marks.append(game.append([line], expected=marks[-1]))
    batch = A + b"\n" + B + b"\n"
    game.path.with_name("game.jsonl.pending").write_bytes(
        Intent(marks[-1].size, marks[-1].line, batch).to_bytes()
    )
    with game.path.open("ab") as file:
        file.write(batch[:cut])
    loaded = game.read(marks[seen])
    assert loaded.lines == (A, B, C)[seen:] + ((A, B) if cut == len(batch) else ())
    assert loaded.unfinished == (cut < len(batch))
    assert loaded.torn == b""


def test_a_batch_that_ends_while_it_is_read_is_seen_whole(tmp_path: Path) -> None:
    end = GameFile(tmp_path / "game.jsonl").append([A], expected=Mark.EMPTY)
    path, pending = tmp_path / "game.jsonl", tmp_path / "game.jsonl.pending"
    pending.write_bytes(Intent(end.size, end.line, B + b"\n" + C + b"\n").to_bytes())
    with path.open("ab") as file:
        file.write(B + b"\n")
    looks = 0

    def the_writer_finishes(step: str) -> None:
        nonlocal looks
        looks += step == "bytes-read"
        if looks == 1:
            with path.open("ab") as file:
                file.write(C + b"\n")
            pending.unlink()

    loaded = GameFile(path, steps=the_writer_finishes).read()
    assert loaded.lines == (A, B, C)
    assert looks == 2
