"""Checkpoints: the same record as one that was read from its first byte, or none at all."""

from __future__ import annotations

import pickle
from dataclasses import fields, replace
from typing import Any

import pytest

from pbem.base.errors import PbemError
from pbem.protocol.crypto.digest import u32
from pbem.protocol.record import Ledger, Record
from pbem.protocol.record import checkpoint as checkpoints
from pbem.protocol.record.checkpoint import read_checkpoint, write_checkpoint
from tests.record.golden import WALKS, walked
from tests.world import World

KEY, PROGRAM = b"k" * 32, b"p" * 32


@pytest.fixture(scope="module")
def world() -> World:
    """A match of several epochs, with words, a pause, an absence and a rewind in it."""
    world = World("wyatt-earp", ["anna", "burt"], seed="checkpoint").start().play(12)
    back = world.record.ledger.result
    assert back is not None
    world.play(2)
    world.agree({"kind": "rewind", "to": back.reference}, "anna", "burt")
    world.agree(world.pause(), "anna", "burt")
    world.agree(world.pause(0), "anna", "burt")
    world.turn("anna", say="well", tell={"burt": "hush"}, leave_orders=True)
    while len(world.record.ledger.epochs) < 3:
        world.move()
    return world.play(5)


@pytest.fixture(scope="module")
def record(world: World) -> Record:
    return Record.load(world.lines)


@pytest.fixture(scope="module")
def raw(record: Record) -> bytes:
    return write_checkpoint(record, KEY, PROGRAM)


def same(record: Record, other: Record) -> bool:
    """Whether two records say the same in everything; games and rules are compared by what they are of."""
    apart = {"entry", "rules"}
    pairs = [(getattr(record.ledger, m.name), getattr(other.ledger, m.name)) for m in fields(Ledger)]
    named = [pair for m, pair in zip(fields(Ledger), pairs, strict=True) if m.name not in apart]
    return all(a == b for a, b in named) and record.rules.setup == other.rules.setup


def test_what_is_read_is_what_was_verified(world: World, record: Record, raw: bytes) -> None:
    checkpoint = read_checkpoint(raw, world.lines, KEY, PROGRAM)
    assert checkpoint is not None
    assert same(checkpoint, record)
    assert checkpoint.standing == record.standing
    assert [checkpoint.moment(n).public for n in range(len(checkpoint.lines))] == [
        record.moment(n).public for n in range(len(record.lines))
    ]


def test_an_older_one_is_a_shorter_one_and_the_rest_is_verified(world: World, record: Record) -> None:
    kinds = {line.kind: line.seq for line in record.lines}  # the newest of every kind
    for end in sorted({1, *(seq + 1 for seq in kinds.values())}):
        older = write_checkpoint(Record.load(world.lines[:end]), KEY, PROGRAM)
        checkpoint = read_checkpoint(older, world.lines, KEY, PROGRAM)
        assert checkpoint is not None
        assert len(checkpoint.lines) == end
        checkpoint.extend(world.lines[end:])
        assert same(checkpoint, record)


def test_lines_behind_it_that_do_not_hold_are_found(world: World) -> None:
    end = len(world.lines) - 2
    older = write_checkpoint(Record.load(world.lines[:end]), KEY, PROGRAM)
    for bad in (world.lines[end].replace(b'"at":"2', b'"at":"3', 1), world.lines[end + 1], b"{}"):
        checkpoint = read_checkpoint(older, world.lines, KEY, PROGRAM)
        assert checkpoint is not None
        with pytest.raises(PbemError):
            checkpoint.extend([bad])


def test_none_that_was_altered_or_cut_short_is_believed(world: World, raw: bytes) -> None:
    for at in (*range(60), *range(60, len(raw), len(raw) // 40)):
        altered = raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]
        assert read_checkpoint(altered, world.lines, KEY, PROGRAM) is None
        assert read_checkpoint(raw[:at], world.lines, KEY, PROGRAM) is None
    assert read_checkpoint(raw + b"\0", world.lines, KEY, PROGRAM) is None
    assert read_checkpoint(b"", world.lines, KEY, PROGRAM) is None


def test_it_is_bound_to_user_program_and_bytes(world: World, raw: bytes) -> None:
    lines = world.lines
    other = World("wyatt-earp", ["anna", "burt"], seed="another").start()
    again = [*lines[:3], lines[3].replace(b'"sig":{"key":"', b'"sig":{"key" :"', 1), *lines[4:]]
    assert read_checkpoint(raw, lines, b"K" * 32, PROGRAM) is None
    assert read_checkpoint(raw, lines, KEY, b"P" * 32) is None
    assert read_checkpoint(raw, other.lines, KEY, PROGRAM) is None
    assert read_checkpoint(raw, again, KEY, PROGRAM) is None
    assert read_checkpoint(raw, lines[:-1], KEY, PROGRAM) is None
    assert read_checkpoint(raw, [*lines[:5], lines[6], lines[5], *lines[7:]], KEY, PROGRAM) is None
    assert read_checkpoint(raw, [], KEY, PROGRAM) is None


class _Code:
    def __reduce__(self) -> tuple[Any, ...]:
        return eval, ("print('this must never run')",)


def test_nothing_but_what_a_checkpoint_holds_is_made_even_under_the_right_key(world: World) -> None:
    genesis = world.lines[:1]
    ledger = Record.load(genesis).ledger
    payload = u32(7) + b"genesis" + ledger.game + pickle.dumps(_Code())
    count = u32(1)
    mac = checkpoints._mac(KEY, PROGRAM, count, genesis, payload)
    forged = checkpoints._MAGIC + count + mac + payload
    assert read_checkpoint(forged, genesis, KEY, PROGRAM) is None
    with pytest.raises(pickle.PicklingError):
        write_checkpoint(Record(replace(ledger, due=_Code())), KEY, PROGRAM)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", WALKS)
def test_every_kind_of_record_comes_back_from_a_checkpoint_before_and_behind_it(name: str) -> None:
    lines = walked(name).lines
    whole = Record.load(lines)
    for end in range(1, len(lines) + 1, 9):
        part = write_checkpoint(Record.load(lines[:end]), KEY, PROGRAM)
        checkpoint = read_checkpoint(part, lines, KEY, PROGRAM)
        assert checkpoint is not None
        checkpoint.extend(lines[end:])
        assert same(checkpoint, whole)
