"""The crash table of the door: kill -9 at every point of a posted file's way, then start again.

After each: the same bytes again get the same receipt, the turn is applied once, every letter leaves once.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import httpx
import pytest

from pbem.audit import audit
from pbem.formats.strict_json import canon
from pbem.referee import MatchPlan
from tests.service.door_people import Visitor
from tests.service.door_run import letters_to
from tests.service.people import Player, parse
from tests.service.worker import sink_service
from tests.world import secret

POINTS = (
    "posting",  # in the transaction that keeps the file
    "posted",  # it is kept, and nobody was told
    "sorted",
    "ruled",
    "committed",
    "marked",
    "taken",
    "sent",
)


class Door:
    """A process with a door, and another one after it was killed."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder
        self.begin()

    def begin(self) -> None:
        command = [sys.executable, "-m", "tests.service.door_child", self.url, str(self.folder)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=60)

    def killed(self) -> int:
        """Wait for the end; how it ended."""
        ended = self.process.wait(60)
        self.close()
        return ended

    def close(self) -> None:
        """Hang up, and end the process if it still runs."""
        self.client.close()
        self.process.kill()
        self.process.communicate()


def settled(one: Visitor) -> None:
    """Wait until the newest file was ruled on."""
    end = time.monotonic() + 60
    while one.state()["state"] == "waiting":
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.slow
def test_the_crash_table_of_the_door(tmp_path: Path) -> None:
    url, letters = f"sqlite:///{tmp_path / 'service.db'}", tmp_path / "letters"
    letters.mkdir()
    service = sink_service(url, letters, "http://localhost")
    players = [Player(seat) for seat in ("anna", "burt")]
    short = service.matches.create(MatchPlan("wyatt-earp", ["anna", "burt"]), secret("nonce crash")[:16])
    service.matches.invite(short, {player.seat: player.address for player in players})
    service.run_once()
    door = Door(url, tmp_path)
    people = [Visitor(player, door.client, letters_to(letters, player.address)[0]) for player in players]
    for one in people:
        one.fetch()
        one.post(one.player.join(one.way["word"]))
        settled(one)
    for one in people:
        one.fetch()
        one.post(one.player.ready())
        settled(one)
    table = {}
    for point in POINTS:
        for one in people:
            one.fetch()
        (one,) = (visitor for visitor in people if visitor.player.asked)
        head = len(one.player.lines)
        file = one.player.move()
        (tmp_path / "kill").write_text(point)
        try:
            first = one.post(file).json()["receipt"]
        except httpx.HTTPError:
            first = ""
        assert door.killed() == -signal.SIGKILL, f"{point} was never reached"
        door.begin()
        for visitor in people:
            visitor.client = door.client
        again = one.post(file).json()["receipt"]
        assert first in ("", again)
        settled(one)
        applied = [canon(file) in line for line in service.matches.lines(short)[head:]].count(True)
        table[point] = ("once" if applied == 1 else f"{applied} times", one.state()["state"])
    assert table == dict.fromkeys(POINTS, ("once", "recorded"))
    wait_for_letters(service, letters, players)
    lines = service.matches.lines(short)
    assert audit(lines).ok
    service.close()
    door.close()


def wait_for_letters(service: object, letters: Path, players: list[Player]) -> None:
    """Every letter of the outbox is there once; one that was in the middle of being sent is looked up meanwhile."""
    from pbem.host.service.service import Service

    assert isinstance(service, Service)
    end = time.monotonic() + 60
    while set(service.counts()) != {"sent"}:
        assert time.monotonic() < end, service.counts()
        time.sleep(0.5)
        service.run_once()
    with service.office.database.transaction() as transaction:
        expected = {str(row[0]) for row in transaction.run("SELECT message_id FROM outbox WHERE seat <> ''")}
    found = Counter(
        str(parse(raw)["Message-ID"]) for player in players for raw in letters_to(letters, player.address)
    )
    assert set(found) == expected
    assert set(found.values()) == {1}
