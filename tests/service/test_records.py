"""Matches beyond those at hand: removed from memory, not verified again, and only while the database is the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.host.database.database import Database
from pbem.host.database.driver import DatabaseDamaged
from pbem.host.database.heads import Heads
from pbem.host.database.matches import Matches
from pbem.host.service.context import Records
from pbem.protocol.record import Record
from tests.service.table import Table


def _was_read(record: Record) -> bool:
    """Whether its newest record was read by the verifier; of one that was known only the bytes are there."""
    try:
        object.__getattribute__(record.head, "body")
    except AttributeError:
        return False
    return True


def _loaded(records: Records, database: Database, short: str) -> Record:
    with database.transaction() as transaction:
        matches = Matches(transaction)
        match = matches.named(short)
        assert match is not None
        return records.load(matches, match)


def test_what_is_not_at_hand_is_known_and_follows_the_database(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    context = table.service.context
    records = Records(context.host, Heads(), most=0)
    first = _loaded(records, context.database, table.short)
    again = _loaded(records, context.database, table.short)
    assert again is not first
    assert not _was_read(again)
    assert again.table.public == first.table.public
    asked = next(player for player in table.players.values() if player.asked)
    table.send(asked.mail(asked.move()))
    grown = _loaded(records, context.database, table.short)
    assert grown.head.seq > first.head.seq
    assert (
        grown.table.public
        == _loaded(Records(context.host, Heads()), context.database, table.short).table.public
    )

    with context.database.transaction() as transaction:
        transaction.run("UPDATE lines SET raw = ? WHERE seq = 2", b"{}")
    with pytest.raises(DatabaseDamaged):
        _loaded(records, context.database, table.short)


def test_without_space_for_snapshots_every_match_is_verified(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    context = table.service.context
    records = Records(context.host, Heads(), most=0, most_snapshot_bytes=0)
    assert _was_read(_loaded(records, context.database, table.short))
    assert _was_read(_loaded(records, context.database, table.short))
