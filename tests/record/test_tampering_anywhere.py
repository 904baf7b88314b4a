"""One bit, byte, line, field or signature changed anywhere in a game file is refused; a torn or shuffled file too."""

from __future__ import annotations

import json
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.base.errors import FormatError, VerificationError
from pbem.protocol.audit import audit
from pbem.protocol.record import Record
from tests.record.tampering import GOLDEN, Reader, changes, run
from tests.world import World


@cache
def game_file() -> tuple[bytes, ...]:
    return tuple(World("wyatt-earp", ("anna", "burt"), seed="tamper").start().play(12).lines)


def refused(lines: list[bytes]) -> None:
    with pytest.raises((FormatError, VerificationError)):
        Record.load(lines)
    assert not audit(lines).ok


@settings(max_examples=100, deadline=None)
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
    """The file ends there, so that no later line gives it away."""
    whole = list(game_file())
    for index in range(1, len(whole) - 1):
        refused([*whole[:index], whole[index + 1]])
        refused([*whole[: index + 1], whole[index]])
        refused([*whole[:index], whole[index + 1], whole[index]])


def test_every_member_of_every_record_is_held_by_the_hosts_signature() -> None:
    """The file ends there, too."""
    whole = list(game_file())
    for index, raw in enumerate(whole):
        body = json.loads(raw)["body"]
        for member in body:
            file = json.loads(raw)
            del file["body"][member]
            changed = json.dumps(file, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
            refused([*whole[:index], changed])


def test_a_file_cut_at_a_line_is_an_older_file_and_cut_inside_a_line_is_none() -> None:
    whole = list(game_file())
    Record.load(whole[:-1])
    refused([*whole[:-1], whole[-1][:-1]])


def test_a_file_without_its_beginning_is_none() -> None:
    refused(list(game_file())[1:])
    with pytest.raises(VerificationError):
        Record.load([])


@pytest.mark.parametrize("name", ["one-of-each", pytest.param("way-out-west-turn", marks=pytest.mark.slow)])
def test_one_thing_at_a_time_over_a_whole_golden_file(name: str) -> None:
    """Every line, field and signature; bits and bytes are sampled (``python -m tests.record.tampering --all``)."""
    world = GOLDEN[name]()
    count, accepted = run(world, 997)
    assert accepted == []
    assert count.total() > 3000
    assert min(count[kind] for kind in ("field changed", "player's signature changed", "bit flipped")) > 50


def test_what_changes_nothing_is_no_tampering() -> None:
    """The measure itself: an honest line is taken."""
    world = GOLDEN["one-of-each"]()
    change = next(
        change for change in changes(world, 997) if change.kind == "line doubled" and change.at == 3
    )
    reader = Reader(world.lines)
    assert reader.refuses(change)
    assert not reader.refuses(type(change)("nothing", 3, (world.lines[3],)))
