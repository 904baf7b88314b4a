"""Folded records: the same as what was folded, hidden part and all, and only of the same bytes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbem.protocol.audit import audit
from pbem.protocol.record import Record
from pbem.protocol.record.checkpoint import NotCompressed, fold, unfold
from tests.record.golden import WALKS, walked
from tests.record.test_checkpoint import same
from tests.world import World


def _again(record: Record) -> Record:
    unfolded = unfold(fold(record), [line.raw for line in record.lines])
    assert unfolded is not None
    return unfolded


@pytest.mark.parametrize("name", WALKS)
def test_what_comes_back_is_what_was_put_away(name: str) -> None:
    record = walked(name).record
    assert record.replay is not None
    for unfolded in (_again(record), _again(_again(record))):
        assert same(unfolded, record)
        assert unfolded.replay is not None
        assert unfolded.table == record.table
        assert unfolded.replay.states == record.replay.states
        assert unfolded.replay.packet_bodies == record.replay.packet_bodies
        assert unfolded.replay.contents == record.replay.contents
        assert unfolded.standing == record.standing


@pytest.mark.parametrize(("game", "moves"), [("wyatt-earp", 30), ("way-out-west", 25)])
def test_a_match_that_is_folded_after_every_move_goes_on_and_holds(game: str, moves: int) -> None:
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


def test_a_game_whose_state_cannot_be_written_is_not_folded() -> None:
    record = World("wyatt-earp", ("anna", "burt"), seed="folded").start().record
    assert record.replay is not None
    record.replay.table = replace(record.replay.table, state=lambda: "no pickle holds this")
    with pytest.raises(NotCompressed):
        fold(record)


def test_other_bytes_and_fewer_lines_are_refused_and_the_rest_is_verified() -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="folded").start().play(8)
    lines = world.lines
    older = fold(Record.load(lines[:-3]))
    assert unfold(older, lines[:-4]) is None
    assert unfold(older, [*lines[:4], lines[4] + b" ", *lines[5:]]) is None
    assert unfold(older, [*lines[:4], lines[5], lines[4], *lines[6:]]) is None
    unfolded = unfold(older, lines)
    assert unfolded is not None
    unfolded.extend(lines[len(unfolded.lines) :])
    assert same(unfolded, Record.load(lines))


def test_a_match_that_grew_is_summed_on_from_where_it_was_and_another_history_is_not() -> None:
    world = World("wyatt-earp", ("anna", "burt"), seed="folded").start().play(8)
    lines = world.lines
    older, record = fold(Record.load(lines[:-3])), Record.load(lines)
    whole, grown = fold(record), fold(record, older)
    assert grown.summed.digest() == whole.summed.digest()
    assert older.summed.digest() != whole.summed.digest()  # what was folded earlier stays as it was
    assert unfold(grown, [*lines[:4], lines[4] + b" ", *lines[5:]]) is None
    assert unfold(grown, [*lines[:-1], lines[-1] + b" "]) is None
    unfolded = unfold(grown, lines)
    assert unfolded is not None
    assert same(unfolded, record)
    other = replace(older, names=older.names[::-1])
    assert fold(record, other).summed.digest() == whole.summed.digest()
    assert fold(Record.load(lines[:-4]), older).summed.digest() != older.summed.digest()
