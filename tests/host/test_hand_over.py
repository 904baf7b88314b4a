"""A match that goes to another host, on both stores: addresses go along, and the old host serves nobody."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.host.database.database import Database
from pbem.host.database.matches import Matches
from pbem.host.match import MatchHost
from pbem.host.service.context import ServiceContext
from pbem.host.service.matches import MatchClient
from pbem.host.store import GivenUp
from pbem.player.mail.outgoing import Sender
from pbem.protocol.crypto.digest import b64, short_id
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import HostOpenings, Record
from pbem.protocol.record.deadlines import parse_time
from tests.host.rigs import HOST, DatabaseRig, FolderRig
from tests.service.fakes import OPERATOR, FakeClock, FakeMail, fake_service
from tests.service.postgres import Postgres, why_missing
from tests.world import World, secret

DORA = Identity(secret("host dora"))


PLACES = ("folder", "sqlite", "postgresql")


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    """PostgreSQL, started when the first test asks for it."""
    if why := why_missing():
        pytest.skip(why)
    with Postgres() as running:
        yield running


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a host has its match."""
    name = f"books{uuid.uuid4().hex[:12]}"
    if request.param == "folder":
        return str(tmp_path / name)
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / name}.db"
    return str(request.getfixturevalue("server").url(name))


@pytest.fixture
def rig(place: str) -> FolderRig | DatabaseRig:
    """An old host: its match was given to Dora, and it knows that."""
    world, kind = gone(), DatabaseRig if "://" in place else FolderRig
    kind.lay(place, world.lines)
    rig: FolderRig | DatabaseRig = kind(place, world.now)
    return rig


def gone() -> World:
    """A match that went from the host of the rigs to Dora."""
    world = World("wyatt-earp", ("anna", "burt", "curt")).start().play(5)
    assert world.host.sign_public == HOST.sign_public
    world.retire("dora")
    world.hand_over("dora")
    return world


def test_the_former_host_records_nothing_and_says_where_the_match_is(rig: FolderRig | DatabaseRig) -> None:
    world = gone()
    rig.now = world.later(500)  # everybody's time is long over
    before = rig.lines()
    world.record = Record.load(before, HostOpenings.of(DORA, before))
    turn = world.next_file()
    assert turn is not None
    outcome = rig.take(canon(turn))
    assert isinstance(outcome.ruling, GivenUp)
    assert "dora@example.org" in outcome.ruling.reason
    refusals = b"".join(rig.letters()[name] for name in rig.letters() if "fault" in name)
    assert b"dora@example.org" in refusals
    with rig.opened() as store:
        host = MatchHost(HOST, store, rig.now)
        assert host.on_time() is None
        assert host.give_back(world.now, rig.now) is None
        assert host.give_time(world.now, rig.now) is None
    assert rig.lines() == before
    rig.close()


def test_a_file_that_comes_to_the_former_host_is_sent_on_to_the_new_one(
    rig: FolderRig | DatabaseRig, tmp_path: Path
) -> None:
    """Nobody copies anything: the new host takes the mail in as it comes, and answers the seat, not the old host."""
    world = gone()
    world.record = Record.load(rig.lines(), HostOpenings.of(DORA, rig.lines()))
    world.host = DORA
    turn = world.next_file()
    assert turn is not None
    rig.take(canon(turn))
    rig.take(canon(turn))
    (sent,) = [raw for raw in rig.letters().values() if b"To: dora@example.org" in raw]
    seat = turn["body"]["seat"]
    forged = {"body": turn["body"], "sig": {**turn["sig"], "value": b64(bytes(64))}}
    rig.take(canon({**forged, "body": {**turn["body"], "n": turn["body"]["n"] + 1}}))
    assert sum(b"To: dora@example.org" in raw for raw in rig.letters().values()) == 1, "nobody signed that"
    rig.close()

    mail = FakeMail()
    clock = FakeClock()
    clock.time = parse_time(world.now)
    service = fake_service(tmp_path, mail, clock, host=DORA)
    service.matches.bring_back(world.record.lines, world.record)
    mail.arrive(sent.replace(b"games@pbem.test", b"carl@pbem.test"))  # Dora's is called so here
    service.run_once()
    record = service.matches.record(short_id(world.record.game))
    assert [line.kind for line in record.lines[len(world.lines) :]][:1] == ["turn"]
    assert record.lines[len(world.lines)].body["msg"] == turn
    addressees = {to for to, _ in mail.delivered}
    assert f"{seat}@example.org" in addressees, "the seat hears of it"
    assert not any("pbem.test" in to for to in addressees - {OPERATOR})
    service.close()


@pytest.mark.parametrize("place", PLACES[1:], indirect=True)
def test_a_service_that_takes_a_match_over_knows_where_everybody_is(place: str) -> None:
    world = gone()
    context = ServiceContext(
        Database(place),
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
