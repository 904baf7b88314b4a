"""The crash table of the HTTP API: kill -9 at every point of a posted file's way, then start again.

After each: the same bytes again get the same receipt, the turn is applied once, every email leaves once.
"""

from __future__ import annotations

import json
import signal
from collections import Counter
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from pbem.protocol.audit import audit
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.referee import MatchPlan
from tests.forked import Forked
from tests.patience import PATIENCE, until
from tests.service import api_child
from tests.service.api_people import Visitor
from tests.service.api_run import letters_to
from tests.service.people import Player, parse
from tests.service.worker import sink_service
from tests.world import secret

POINTS = (
    "posting",  # in the transaction that keeps the file
    "posted",  # it is kept, and nobody was notified
    "sorted",
    "ruled",
    "committed",
    "marked",
    "taken",
    "sent",
)


class Api:
    """A process with an API, and another one after it was killed."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder
        self.begin()

    def begin(self) -> None:
        port = self.folder / "port"
        port.unlink(missing_ok=True)
        arguments = json.dumps([self.url, str(self.folder)])
        self.process = Forked(api_child.main, arguments, self.folder / "api.err")
        until(port.exists, self.process.output)
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{port.read_text()}", timeout=PATIENCE)

    def killed(self) -> int:
        """Wait for the end; how it ended."""
        code, _ = self.process.wait()
        self.close()
        return code

    def close(self) -> None:
        """Hang up, and end the process if it still runs."""
        self.client.close()
        self.process.kill()


def settled(visitor: Visitor) -> None:
    """Wait until the newest file was ruled on."""
    until(lambda: visitor.state()["state"] != "waiting")


class Visited:
    """A match of two at an API whose process is killed, turn by turn."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.letters = folder, folder / "letters"
        url = f"sqlite:///{folder / 'service.db'}"
        self.letters.mkdir()
        self.service = sink_service(url, self.letters, "http://localhost")
        self.players = [Player(seat) for seat in ("anna", "burt")]
        plan = MatchPlan("wyatt-earp", ["anna", "burt"])
        self.short = self.service.matches.create(plan, secret("nonce crash")[:16])
        self.service.matches.invite(self.short, {player.seat: player.address for player in self.players})
        self.service.run_once()
        self.api = Api(url, folder)
        self.people = [
            Visitor(player, self.api.client, letters_to(self.letters, player.address)[0])
            for player in self.players
        ]

    def start(self) -> None:
        """Everybody joins and is ready."""
        for person in self.people:
            person.fetch()
            person.post(person.player.join(person.way["code"]))
            settled(person)
        for person in self.people:
            person.fetch()
            person.post(person.player.ready())
            settled(person)

    def killed(self, point: str) -> tuple[int, str]:
        """The process is killed with a turn in its hands, and begins again: how often the turn counts, what is said."""
        for visitor in self.people:
            visitor.fetch()
        (visitor,) = (visitor for visitor in self.people if visitor.player.asked)
        head = len(visitor.player.lines)
        file = visitor.player.move()
        (self.folder / "kill").write_text(point)
        try:
            first = visitor.post(file).json()["receipt"]
        except httpx.HTTPError:
            first = ""
        assert self.api.killed() == -signal.SIGKILL, f"{point} was never reached"
        self.begin_again()
        again = visitor.post(file).json()["receipt"]
        assert first in ("", again)
        settled(visitor)
        applied = [canon(file) in line for line in self.lines[head:]].count(True)
        return applied, visitor.state()["state"]

    def begin_again(self) -> None:
        """Another process; everybody talks to it."""
        self.api.begin()
        for visitor in self.people:
            visitor.client = self.api.client

    @property
    def lines(self) -> list[bytes]:
        """The match as the database has it."""
        return self.service.matches.lines(self.short)

    def miscounted(self) -> tuple[int, int]:
        """How many emails of the outbox are not there, and how many are there that should not be: once too often, too.

        One that was in the middle of being sent is looked up meanwhile.
        """
        self.api.close()  # a second process that sends would have to keep to the two seconds of a claim
        until(lambda: set(self.service.counts()) == {"sent"}, self.service.counts, self.service.run_once)
        self.begin_again()
        with self.service.context.database.transaction() as transaction:
            rows = transaction.run("SELECT message_id FROM outbox WHERE seat <> ''")
        expected = {str(row[0]) for row in rows}
        counts = Counter(
            str(parse(raw)["Message-ID"])
            for player in self.players
            for raw in letters_to(self.letters, player.address)
        )
        return len(expected - set(counts)), sum(counts.values()) - len(expected & set(counts))

    def close(self) -> None:
        """End everything."""
        self.service.close()
        self.api.close()


@pytest.mark.slow
def test_the_crash_table_of_the_api(tmp_path: Path) -> None:
    with closing(Visited(tmp_path)) as match:
        match.start()
        table = {point: match.killed(point) for point in POINTS}
        assert table == dict.fromkeys(POINTS, (1, "recorded"))
        assert match.miscounted() == (0, 0)
        assert audit(match.lines).ok
