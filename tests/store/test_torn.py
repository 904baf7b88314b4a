"""Arbitrary truncation never loses a whole line, and only what an interrupted append explains is ever cut."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.base.errors import StoreError
from pbem.player.store import GameFile
from pbem.player.store.game_file import Tail, judge_tail

texts = st.text(st.characters(min_codepoint=0x20, exclude_categories=["Cs", "Cc"]), max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(texts, values, max_size=4)


def line_of(obj: object) -> bytes:
    return json.dumps(obj, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


lines_of_a_file = st.lists(objects.map(line_of), min_size=1, max_size=6)


@given(lines=lines_of_a_file, data=st.data())
def test_a_file_cut_at_any_byte_keeps_every_whole_line(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], data: st.DataObject
) -> None:
    raw = b"".join(line + b"\n" for line in lines)
    cut = data.draw(st.integers(0, len(raw)))
    game = GameFile(tmp_path_factory.mktemp("cut") / "game.jsonl")
    game.path.write_bytes(raw[:cut])
    whole = raw[:cut].count(b"\n")

    loaded = game.read()
    assert list(loaded.lines) == lines[:whole]
    assert loaded.torn == raw[:cut].rpartition(b"\n")[2]
    assert loaded.end.size == cut - len(loaded.torn)
    assert game.path.read_bytes() == raw[:cut], "reading changes nothing"

    said = game.repair()
    kept = game.path.with_name("game.jsonl.torn-1")
    if not loaded.torn:
        assert said == ()
        expected = lines[:whole]
    elif loaded.torn == lines[whole]:
        assert said == ("game.jsonl: the last line lacked its newline; it has been added",)
        expected = lines[: whole + 1]
    else:
        assert len(said) == 1
        assert f"({len(loaded.torn)} bytes) and has been cut off" in said[0]
        assert kept.read_bytes() == loaded.torn
        expected = lines[:whole]
    assert list(game.read().lines) == expected
    assert game.read().torn == b""
    assert game.repair() == ()


@given(line=objects.map(line_of), data=st.data())
def test_every_beginning_of_a_line_is_seen_as_cut_short(line: bytes, data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(line) - 1))
    assert judge_tail(line[:cut]) is Tail.CUT_SHORT
    assert judge_tail(line) is Tail.WHOLE


@pytest.mark.parametrize("bit", range(8))
def test_a_committed_line_whose_newline_was_damaged_is_never_cut(tmp_path: Path, bit: int) -> None:
    game = GameFile(tmp_path / "game.jsonl")
    raw = b'{"a":1}\n{"b":"}"}' + bytes([ord("\n") ^ 1 << bit])
    game.path.write_bytes(raw)
    with pytest.raises(
        StoreError, match=r"what follows byte 8 is neither a whole line nor the beginning of one"
    ):
        game.repair()
    assert game.path.read_bytes() == raw
    assert [path.name for path in tmp_path.glob("*.torn-*")] == []


@pytest.mark.parametrize(
    ("tail", "judged"),
    [
        (b"", Tail.NONE),
        (b"{", Tail.CUT_SHORT),
        (b'{"a', Tail.CUT_SHORT),
        (b'{"a\\', Tail.CUT_SHORT),
        (b'{"a\\"', Tail.CUT_SHORT),
        (b'{"a":"\xc3', Tail.CUT_SHORT),
        (b'{"a":[{"b":"]}"},', Tail.CUT_SHORT),
        (b"\x00\x00\x00", Tail.CUT_SHORT),
        (b'{"a":\x00\x00', Tail.CUT_SHORT),
        (b'{"a":1}', Tail.WHOLE),
        (b'{"a":1}\x00\x00', Tail.DAMAGED),
        (b'{"a":1}{', Tail.DAMAGED),
        (b'{"a":1}\r', Tail.DAMAGED),
        (b"{nonsense}", Tail.DAMAGED),
        (b'{"a":"\x01"', Tail.DAMAGED),
        (b'{"a":"\x01', Tail.DAMAGED),
        (b'{"a":\x00[', Tail.DAMAGED),
        (b'{"a":1]', Tail.DAMAGED),
        (b"[1,2", Tail.DAMAGED),
        (b"hello", Tail.DAMAGED),
        (b'{"a":' * 100_000, Tail.CUT_SHORT),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, Tail.DAMAGED),
    ],
)
def test_tails_are_judged_by_what_they_are(tail: bytes, judged: Tail) -> None:
    assert judge_tail(tail) is judged
