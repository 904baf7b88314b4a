"""A match that goes to another host, on both store: addresses go along, and the old house serves nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbem.host.database.database import Database
from pbem.host.database.matches import Matches
from pbem.host.match import MatchHost
from pbem.host.service.context import ServiceContext
from pbem.host.service.matches import MatchClient
from pbem.host.store import GivenUp
from pbem.player.mail.outgoing import Sender
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import HostOpenings, Record
from pbem.protocol.record.deadlines import parse_time
from tests.host.rigs import HOST, DatabaseRig, FolderRig
from tests.world import World, secret

DORA = Identity(secret("host dora"))


@pytest.fixture(params=[FolderRig, DatabaseRig], ids=["folder", "sqlite"])
def rig(request: pytest.FixtureRequest, tmp_path: Path) -> FolderRig | DatabaseRig:
    """An old house: its match was given to Dora, and it knows that."""
    world = gone()
    place = str(tmp_path / "match") if request.param is FolderRig else f"sqlite:///{tmp_path / 'books.db'}"
    request.param.lay(place, world.lines)
    made: FolderRig | DatabaseRig = request.param(place, world.now)
    return made


def gone() -> World:
    """A match that went from the host of the rigs to Dora."""
    world = World("wyatt-earp", ("anna", "burt", "curt")).start().play(5)
    assert world.host.sign_public == HOST.sign_public
    world.retire("dora")
    world.hand_over("dora")
    return world


def test_the_old_house_records_nothing_and_says_where_the_match_is(rig: FolderRig | DatabaseRig) -> None:
    world = gone()
    rig.now = world.later(500)  # everybody's time is long over
    before = rig.lines()
    world.record = Record.load(before, HostOpenings.of(DORA, before))
    turn = world.next_file()
    assert turn is not None
    outcome = rig.take(canon(turn))
    assert isinstance(outcome.ruling, GivenUp)
    assert "dora@example.org" in outcome.ruling.reason
    told = b"".join(rig.letters()[name] for name in rig.letters() if "fault" in name)
    assert b"dora@example.org" in told
    with rig.opened() as store:
        host = MatchHost(HOST, store, rig.now)
        assert host.on_time() is None
        assert host.give_back(world.now, rig.now) is None
        assert host.give_time(world.now, rig.now) is None
    assert rig.lines() == before
    rig.close()


def test_a_service_that_takes_a_match_over_knows_where_everybody_is(tmp_path: Path) -> None:
    world = gone()
    context = ServiceContext(
        Database(f"sqlite:///{tmp_path / 'new.db'}"),
        DORA,
        Sender("dora@example.org", "Dora"),
        "dora@example.org",
        lambda: parse_time(world.now),
        lambda: parse_time(world.now).timestamp(),
    )
    MatchClient(context).bring_back(world.record.lines, world.record)
    with context.database.transaction() as transaction:
        rows = Matches(transaction).seats(b64(world.record.game))
        assert {seat: row.reach for seat, row in rows.items()} == {
            str(seat): f"{seat}@example.org" for seat in world.seats
        }
        notes = [str(row[0]) for row in transaction.run("SELECT text FROM notes ORDER BY id")]
        assert not any("cannot be used" in note for note in notes), (
            "what is sealed to the old host is no fault"
        )
    context.close()
