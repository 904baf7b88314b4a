"""Compressed records: restored as they were, with the hidden part, and only from the same bytes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbem.protocol.audit import audit
from pbem.protocol.record import Record
from pbem.protocol.record.checkpoint import NotCompressed, compressed, restored
from tests.record.golden import WALKS, walked
from tests.record.test_checkpoint import same
from tests.world import World


def _again(record: Record) -> Record:
    back = restored(compressed(record), [line.raw for line in record.lines])
    assert back is not None
    return back


@pytest.mark.parametrize("name", WALKS)
def test_a_restored_record_is_the_one_that_was_compressed(name: str) -> None:
    record = walked(name).record
    assert record.replay is not None
    for back in (_again(record), _again(_again(record))):
        assert same(back, record)
        assert back.replay is not None
        assert back.table == record.table
        assert back.replay.states == record.replay.states
        assert back.replay.packet_bodies == record.replay.packet_bodies
        assert back.replay.contents == record.replay.contents
        assert back.standing == record.standing


@pytest.mark.parametrize(("game", "moves"), [("wyatt-earp", 30), ("way-out-west", 25)])
def test_a_match_that_is_compressed_after_every_move_goes_on_and_holds(game: str, moves: int) -> None:
    world = World(game, ("anna", "burt", "curt"), seed="folded").start()
    world.turn("anna", say="my link", leave_orders=True)
    for _ in range(moves):
        world.record = _again(world.record)
        world.move()
    assert len(world.lines) > moves
    assert not audit(world.lines).faults
    assert world.record.replay is not None
    reloaded = Record.load(world.lines, world.record.replay.openings)
    assert reloaded.table.state == world.record.table.state


def test_a_game_whose_state_cannot_be_pickled_is_not_compressed() -> None:
    record = World("wyatt-earp", ("anna", "burt"), seed="folded").start().record
    assert record.replay is not None
    record.replay.table = replace(record.replay.table, state=lambda: "no pickle holds this")
    with pytest.raises(NotCompressed):
        compressed(record)


def test_other_bytes_and_fewer_lines_are_refused_and_the_rest_is_verified() -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="folded").start().play(8)
    lines = world.lines
    older = compressed(Record.load(lines[:-3]))
    assert restored(older, lines[:-4]) is None
    assert restored(older, [*lines[:4], lines[4] + b" ", *lines[5:]]) is None
    assert restored(older, [*lines[:4], lines[5], lines[4], *lines[6:]]) is None
    back = restored(older, lines)
    assert back is not None
    back.extend(lines[len(back.lines) :])
    assert same(back, Record.load(lines))


def test_a_match_that_grew_is_hashed_on_from_where_it_was_and_another_history_is_not() -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="folded").start().play(8)
    lines = world.lines
    older, record = compressed(Record.load(lines[:-3])), Record.load(lines)
    whole, grown = compressed(record), compressed(record, older)
    assert grown.hasher.digest() == whole.hasher.digest()
    assert older.hasher.digest() != whole.hasher.digest()  # what was compressed earlier stays as it was
    assert restored(grown, [*lines[:4], lines[4] + b" ", *lines[5:]]) is None
    assert restored(grown, [*lines[:-1], lines[-1] + b" "]) is None
    back = restored(grown, lines)
    assert back is not None
    assert same(back, record)
    other = replace(older, names=older.names[::-1])
    assert compressed(record, other).hasher.digest() == whole.hasher.digest()
    assert compressed(Record.load(lines[:-4]), older).hasher.digest() != older.hasher.digest()
