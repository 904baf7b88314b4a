"""Health: what is shown of a service that is well, and of each way in which it is not; probes, numbers."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from pbem.base.system.notify import notify, watched
from pbem.game import JsonObject
from pbem.host.config import Limits
from pbem.host.database.database import Database
from pbem.host.service.health import faults_of, health_of, numbers_of
from pbem.host.service.probes import STUCK, probes
from pbem.player.mail.ports import MailTrouble
from tests.service.table import Table


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """A match that has begun; one file was refused."""
    new_table = Table(tmp_path_factory.mktemp("health")).start()
    (asked,) = new_table.asked()
    (other,) = (player for player in new_table.players.values() if player is not asked)
    new_table.send(other.mail(other.turn({"do": "draw", "from": "supply"})))
    new_table.play(2)
    yield new_table
    new_table.service.context.database.close()


def health(table: Table, seconds: float = 0) -> JsonObject:
    return health_of(table.service.context.database, table.clock() + timedelta(seconds=seconds))


def test_a_service_that_is_well(table: Table) -> None:
    state = health(table)
    assert (state["healthy"], state["faults"]) == (True, [])
    assert state["matches"] == {"running": 1, "over": 0, "stopped": 0}
    assert state["inbox"]["done"] == 7
    assert state["last_day"] == {"recorded": 6, "refused": {"not-your-turn": 1}}
    assert state["database"]["bytes"] > 50_000
    assert state["last_sent"]


def test_a_service_that_has_stopped_or_a_clock_that_went_back(table: Table) -> None:
    (fault,) = health(table, 301)["faults"]
    assert "is the service running?" in fault
    (fault,) = health(table, -300)["faults"]
    assert "is the clock right?" in fault


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"last_round": ""}, "no round has been done yet"),
        (
            {"oldest_unanswered": "2026-11-21T17:00:00Z"},
            "emails have come in and wait, the oldest since 2026-11-21T17:00:00Z",
        ),
        ({"oldest_letter": "2026-11-21T15:00:00Z"}, "emails wait to leave"),
        ({"brake": True}, "pbem host go-on"),
        ({"matches": {"running": 1, "over": 0, "stopped": 2}}, "2 matches stand still"),
    ],
)
def test_each_fault_has_its_words(table: Table, changed: JsonObject, words: str) -> None:
    (fault,) = faults_of(health(table) | changed)
    assert words in fault


def test_letters_that_cannot_leave_show(tmp_path: Path) -> None:
    table = Table(tmp_path, limits=Limits(receipts=0, per_minute=100, per_hour=1))
    table.mail.faults = [MailTrouble("no route")]
    table.invite_quietly()
    state = health(table, 4000)
    assert state["outbox"]["queued"] == 2
    assert any("2 emails wait to leave" in fault for fault in state["faults"])
    table.clock.tick(10)
    table.pump()
    table.pump()
    assert any("go-on" in fault for fault in health(table)["faults"])
    table.service.close()


def test_a_database_that_cannot_be_read(tmp_path: Path, table: Table) -> None:
    database = Database(f"sqlite:///{tmp_path / 'none.db'}")
    database.expect()
    state = health_of(database, table.clock())
    assert not state["healthy"]
    assert "is not there" in state["faults"][0]
    assert not (tmp_path / "none.db").exists()


def test_probes_and_numbers(table: Table) -> None:
    silent = 0.0
    app = probes(table.service.context.database.url, table.clock, lambda: silent)

    async def ask(path: str) -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as client:
            return await client.get(path)

    assert asyncio.run(ask("/live")).status_code == 200
    assert asyncio.run(ask("/health")).json() == health(table)
    numbers = dict(line.split() for line in asyncio.run(ask("/metrics")).text.splitlines())
    assert (numbers["pbem_healthy"], numbers['pbem_inbox{state="done"}']) == ("1", "7")
    assert numbers['pbem_matches{state="running"}'] == "1"
    assert int(numbers["pbem_database_bytes"]) > 50_000
    silent = STUCK
    assert asyncio.run(ask("/live")).status_code == 503
    table.clock.tick(400)
    assert asyncio.run(ask("/health")).status_code == 503
    after = dict(line.split() for line in asyncio.run(ask("/metrics")).text.splitlines())
    assert after["pbem_healthy"] == "0"
    assert int(after["pbem_last_round_seconds"]) == int(numbers["pbem_last_round_seconds"]) + 400
    table.clock.tick(-400)


def test_numbers_of_a_database_that_cannot_be_read() -> None:
    assert numbers_of({"healthy": False, "faults": ["it is not there"]}) == "pbem_healthy 0\n"


def test_a_supervisor_is_notified(tmp_path: Path) -> None:
    for name, address in (("/", str(tmp_path / "ear")), ("@", f"\0pbem-{tmp_path.name}")):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
            ear.bind(address)
            assert notify("READY=1", {"NOTIFY_SOCKET": address.replace("\0", "@"), "x": name})
            assert ear.recv(100) == b"READY=1"
            given = {"NOTIFY_SOCKET": address.replace("\0", "@")}
            assert not all(
                notify("WATCHDOG=1", given) for _ in range(10_000)
            )  # nobody listens: it does not wait
    assert not notify("READY=1", {})
    assert not notify("READY=1", {"NOTIFY_SOCKET": str(tmp_path / "nobody")})
    assert watched({"WATCHDOG_USEC": "30000000"}) == 30
    assert watched({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}) == 0
    assert watched({}) == 0
