"""One bit, line or field changed anywhere in a game file is refused; a torn or shuffled file is refused."""

from __future__ import annotations

import json
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.audit import audit
from pbem.errors import FormatError, VerificationError
from pbem.record import Record
from tests.world import World


@cache
def game_file() -> tuple[bytes, ...]:
    return tuple(World("wyatt-earp", ("anna", "burt"), seed="tamper").start().play(12).lines)


def refused(lines: list[bytes]) -> None:
    with pytest.raises((FormatError, VerificationError)):
        Record.load(lines)
    assert not audit(lines).ok


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_one_bit_flipped_anywhere_is_refused(data: st.DataObject) -> None:
    lines = list(game_file())
    index = data.draw(st.integers(0, len(lines) - 1))
    position = data.draw(st.integers(0, len(lines[index]) - 1))
    bit = data.draw(st.integers(0, 7))
    raw = bytearray(lines[index])
    raw[position] ^= 1 << bit
    if b"\n" in raw:  # the flip made a line break: the reader sees two lines
        first, _, second = bytes(raw).partition(b"\n")
        lines[index : index + 1] = [first, second]
    else:
        lines[index] = bytes(raw)
    refused(lines)


def test_a_line_dropped_repeated_or_swapped_is_refused() -> None:
    whole = list(game_file())
    for index in range(1, len(whole) - 1):
        refused(whole[:index] + whole[index + 1 :])
        refused([*whole[: index + 1], whole[index], *whole[index + 1 :]])
        refused([*whole[:index], whole[index + 1], whole[index], *whole[index + 2 :]])


def test_every_member_of_every_record_is_held_by_the_hosts_signature() -> None:
    whole = list(game_file())
    for index, raw in enumerate(whole):
        body = json.loads(raw)["body"]
        for member in body:
            file = json.loads(raw)
            del file["body"][member]
            changed = json.dumps(file, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
            refused([*whole[:index], changed, *whole[index + 1 :]])


def test_a_file_cut_at_a_line_is_an_older_file_and_cut_inside_a_line_is_none() -> None:
    whole = list(game_file())
    Record.load(whole[:-1])
    refused([*whole[:-1], whole[-1][:-1]])


def test_a_file_without_its_beginning_is_none() -> None:
    refused(list(game_file())[1:])
    with pytest.raises(VerificationError):
        Record.load([])
