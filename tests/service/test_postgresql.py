"""PostgreSQL with several workers: many matches at once, as with one worker; a killed worker loses nothing.

``python -m tests.service.test_postgresql --matches 50`` does it with more of them.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import Executable

from pbem.base.errors import StoreError
from pbem.base.values import replace
from pbem.game import JsonObject
from pbem.host.database.database import Database, Transaction
from pbem.host.database.heads import Heads
from pbem.host.database.matches import Matches
from pbem.host.service.check import check_database
from pbem.host.service.inbox import Sorter
from pbem.host.service.rule import OLDEST_EACH, RulingWorker
from pbem.host.service.service import Service
from pbem.player.mail.look import Looked, look
from pbem.protocol.audit import audit
from pbem.protocol.record import Record
from pbem.protocol.referee import MatchPlan
from tests.errors.servers import check
from tests.needed import require
from tests.patience import nap, patiently
from tests.service import many
from tests.service.people import Player
from tests.service.postgres import Postgres, why_missing
from tests.service.table import Table
from tests.service.wire import Wire
from tests.service.worker import sink_service
from tests.world import secret

MATCHES = 12
TURNS = 3
BEGINNING = datetime(2026, 11, 21, 18, tzinfo=UTC)


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    require(why_missing())
    with Postgres() as running:
        yield running


@dataclass
class Club:
    """Many matches at one database, with worker processes, and people who read files."""

    url: str
    folder: Path
    matches: int = MATCHES
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)
    players: dict[str, Player] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.folder.mkdir()
        self.service = sink_service(self.url, self.folder)
        self.service.context.clock = lambda: (
            BEGINNING
        )  # the same genesis each time, so the same decks and dice
        self.names: dict[int, str] = {}

    def hire(self) -> None:
        """One more worker."""
        command = [sys.executable, "-m", "tests.service.worker", self.url, str(self.folder)]
        self.workers.append(subprocess.Popen(command, stderr=subprocess.PIPE))

    def kill_one(self) -> None:
        """kill -9, in the middle of whatever it does."""
        victim = self.workers.pop(0)
        os.kill(victim.pid, signal.SIGKILL)
        victim.communicate()

    def create(self) -> None:
        """All matches, and everybody invited."""
        for number in range(self.matches):
            game = "wyatt-earp" if number % 2 else "way-out-west"
            seats = ["anna", "burt"] if number % 2 else ["anna", "burt", "curt"]
            short = self.service.matches.create(MatchPlan(game, seats), secret(f"nonce {number}")[:16])
            self.names[number] = short
            people = [Player(seat, seed=str(number), domain=f"m{number}.test") for seat in seats]
            self.players |= {player.address: player for player in people}
            for invitation in self.service.matches.invite(
                short, {player.seat: player.address for player in people}
            ):
                self.words[invitation.address] = invitation.word

    words: dict[str, str] = field(default_factory=dict)

    def read(self) -> None:
        """Everybody reads what was sent since the last time."""
        names = (path.name for path in self.folder.iterdir())
        fresh = sorted(name for name in names if name not in self.seen and name[0] != ".")
        self.seen.update(fresh)
        letters: list[tuple[Player, bytes]] = []
        for name in fresh:
            to, _, raw = (self.folder / name).read_bytes().partition(b"\n")
            assert to.decode() in self.players, f"to the operator: {raw.decode()}"
            letters.append((self.players[to.decode()], raw))
        for player, raw in sorted(letters, key=lambda item: _first_seq(item[1])):
            player.read(raw)

    def until(self, done: Any) -> None:
        """Read until it is so."""
        for _ in patiently(lambda: f"the workers take too long: {self.service.counts()}"):
            if done():
                return
            for worker in self.workers:
                assert worker.poll() is None, worker.communicate()[1].decode()
            nap()
            self.read()

    def everybody_sends(self, files: dict[str, JsonObject]) -> None:
        """One mail from each, all at once; then wait for all the answers."""
        before = {address: len(self.players[address].lines) for address in files}
        for address, file in files.items():
            self.service.deliver(self.players[address].mail(file))
        self.until(lambda: all(len(self.players[a].lines) > n for a, n in before.items()))

    def play(self, *, kill: bool) -> None:
        """From the invitations on, some turns of every match."""
        self.create()
        self.until(lambda: all(player.lines for player in self.players.values()))
        self.everybody_sends({a: player.join(self.words[a]) for a, player in self.players.items()})
        self.until(lambda: all(player.asked for player in self.players.values()))
        self.everybody_sends({a: player.ready() for a, player in self.players.items()})
        for turn in range(TURNS):
            self.until(
                lambda: len({a.partition("@")[2] for a, p in self.players.items() if p.asked}) == self.matches
            )
            asked = {a: player.move() for a, player in self.players.items() if player.asked}
            if kill and turn == 1:
                for address, file in asked.items():
                    self.service.deliver(self.players[address].mail(file))
                self.kill_one()
                self.hire()
                self.until(lambda sent=asked: all(self._answered(a, file) for a, file in sent.items()))
            else:
                self.everybody_sends(asked)

    def _answered(self, address: str, file: JsonObject) -> bool:
        player = self.players[address]
        n = file["body"]["n"]
        return any(
            line.body.get("msg", {}).get("body", {}).get("n") == n
            and line.body["msg"]["body"]["seat"] == player.seat
            for line in player.record.lines[-8:]
        )

    def close(self) -> None:
        """End all workers and the service."""
        for worker in self.workers:
            worker.kill()
            worker.communicate()
        self.service.close()

    def outcome(self) -> dict[int, Any]:
        """The result of every match: actions, chance and the public view, but no times and no sealed bytes."""
        return {number: _summary(self.service.matches.lines(short)) for number, short in self.names.items()}


def _first_seq(raw: bytes) -> int:
    import json

    from tests.service.people import lines_in

    lines = lines_in(raw)
    return int(json.loads(lines[0])["body"]["seq"]) if lines else 0


def _summary(raws: list[bytes]) -> Any:
    """By seat, since seats that write at once may be recorded in any order."""
    record = Record.load(raws)
    steps = [step for line in record.lines for step in line.body.get("steps", ())]
    return sorted(line.kind for line in record.lines), steps, record.public


def run(
    server: Postgres, folder: Path, name: str, workers: int, *, kill: bool, matches: int = MATCHES
) -> tuple[dict[int, Any], Club]:
    club = Club(server.url(name), folder / name, matches)
    try:
        for _ in range(workers):
            club.hire()
        club.play(kill=kill)
        club.until(lambda: set(club.service.counts()) == {"sent"})
        club.read()
        result = club.outcome()
        for short in club.names.values():
            assert audit(club.service.matches.lines(short)).ok
    finally:
        club.close()
    return result, club


def compare(server: Postgres, folder: Path, matches: int = MATCHES) -> None:
    """The same matches by one worker and by three, one of them killed: the same outcome, no email twice."""
    alone, _ = run(server, folder, "one", 1, kill=False, matches=matches)
    shared, club = run(server, folder, "three", 3, kill=True, matches=matches)
    assert shared == alone
    letters = Counter(name.partition("-")[0] for name in club.seen)
    assert set(letters.values()) == {1}, "a letter was sent twice"
    pids = Counter(name.split("-")[1] for name in club.seen)
    assert len(pids) >= 3, f"one worker did everything: {pids}"


@pytest.mark.slow
def test_three_workers_one_of_them_killed_do_what_one_does(server: Postgres, tmp_path: Path) -> None:
    compare(server, tmp_path)


@pytest.mark.parametrize("when", ["in a transaction", "in a commit", "between two"])
def test_a_connection_that_is_lost_at_any_point_is_made_again(server: Postgres, when: str) -> None:
    name = when.replace(" ", "_")
    server.url(name)
    with Wire(server.socket) as wire:
        database = Database(f"postgresql://postgres@127.0.0.1:{wire.port}/{name}")
        with database.transaction():
            pass

        def lose() -> None:
            with database.transaction() as transaction:
                wire.cut(ends=True)
                if when == "in a transaction":
                    transaction.run("SELECT 1")

        if when == "between two":
            wire.cut(ends=True)
        else:
            with pytest.raises(StoreError):
                lose()
        with pytest.raises(StoreError), database.transaction():
            raise AssertionError("there is no way to the server")
        wire.heal()
        with database.transaction() as transaction:
            assert transaction.run("SELECT 1") == [(1,)]
        database.close()


def test_errors_of_the_server_are_worded_as_in_the_kept_file(server: Postgres) -> None:
    """Damage and a full disk by their codes: the server itself says that it has found them."""
    database = Database(server.url("refusals"))

    def raising(code: str, words: str) -> Callable[[], object]:
        def call() -> None:
            with database.transaction() as transaction:
                raised = f"RAISE EXCEPTION '{words}' USING ERRCODE = '{code}'"
                transaction.run(f"DO $$ BEGIN {raised}; END $$")

        return call

    def wrong() -> None:
        with database.transaction() as transaction:
            transaction.run("SELECT * FROM saloon")

    with closing(database):
        check(
            "postgresql",
            {
                "another encoding": Database(server.url("ascii", "SQL_ASCII")).check,
                "no such table": wrong,
                "a damaged page": raising("data_corrupted", "invalid page in block 7"),
                "a full disk": raising("disk_full", "could not extend file: No space left on device"),
            },
        )


NUL: Final = (
    b"Content-Type: text/plain\r\n\r\nhello \0 there, my friend and host\r\n",
    b"Content-Type: text/plain; charset=utf-16le\r\n\r\n" + "a \0 b c d e".encode("utf-16le"),
    b"Content-Type: text/plain\r\n\r\nSTAT\0US\r\n",
    b"Subject: =?utf-8?q?RESEND=00?=\r\nContent-Type: text/plain\r\n\r\n",
    (
        b'Content-Type: multipart/report; boundary="b"\r\n\r\n--b\r\nContent-Type: message/delivery-status\r\n\r\n'
        b"X: y\r\n\r\nStatus: 5.0.0\r\nDiagnostic-Code: \0\r\n\r\n--b\r\nContent-Type: text/rfc822-headers\r\n\r\n"
        b"Message-ID: <\0@pbem.test>\r\n\r\n--b--\r\n"
    ),
)
"""Emails whose words, commands or answers hold what PostgreSQL keeps in no text."""


def test_a_mail_with_what_a_text_cannot_hold_stops_nobody(server: Postgres, tmp_path: Path) -> None:
    """SQLite takes a zero byte in a text, PostgreSQL does not: one such mail was tried again for ever."""
    table = Table(tmp_path, url=server.url("nul")).start()
    head, anna = len(table.lines), table.players["anna"]
    for number, raw in enumerate(NUL):
        sender = f"From: {anna.address}\r\nMessage-ID: <nul.{number}@players.test>\r\n".encode()
        assert not table.send(sender + raw).troubles
    assert not table.mail.inbox
    assert table.alarms() == ["words"]
    table.play(1)
    assert len(table.lines) > head
    table.service.close()


def test_what_passes_every_wall_and_no_database_keeps_is_put_aside_once(
    server: Postgres, tmp_path: Path
) -> None:
    """Whatever the gate overlooks: such a mail is a fault of this program, shown once, and the next one is taken."""

    def careless(raw: bytes, own: str) -> Looked:
        looked = look(raw, own)
        words = "a\0b" if b"careless" in raw else looked.intake.words
        return replace(looked, intake=replace(looked.intake, words=words))

    table = Table(tmp_path, url=server.url("careless"), look=careless).start()
    head, anna = len(table.lines), table.players["anna"]
    assert not table.send(anna.write("careless\n")).troubles
    assert table.alarms() == ["program-fault"]
    table.play(1)
    assert len(table.lines) > head
    table.service.close()


class Busy(Database):
    """A database in which another worker commits something after the first statement of each look."""

    meanwhile: Callable[[], object]

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        with super().reading() as transaction:
            yield _Interrupted(transaction, self.meanwhile)


class _Interrupted(Transaction):
    def __init__(self, inner: Transaction, meanwhile: Callable[[], object]) -> None:
        super().__init__(inner._driver)
        self._inner, self._meanwhile, self._begun = inner, meanwhile, False

    def run(self, statement: Executable | str, *values: object, **named: object) -> list[Any]:
        result = self._inner.run(statement, *values, **named)
        if not self._begun:
            self._begun = True
            self._meanwhile()
        return result


def test_a_worker_that_starts_while_others_work_raises_no_false_alarm(
    server: Postgres, tmp_path: Path
) -> None:
    """The matches and their records are read in one snapshot, and the heads before it."""
    url = server.url("busy")
    table = Table(tmp_path, url=url, heads=Heads(tmp_path / "service.heads.jsonl")).start()
    late = Table(
        tmp_path, url=url, mail=table.mail, heads=Heads(tmp_path / "service.heads.jsonl"), fresh=False
    ).service
    busy = Busy(url)
    busy.meanwhile = lambda: table.play(1)
    late.context.database.close()
    late.context.database = busy
    before = len(table.lines)
    check_database(late.context)
    assert len(table.lines) > before
    busy.close()
    table.service.close()


def test_a_match_that_has_ended_and_was_read_takes_less_space_than_its_game_file(
    server: Postgres, tmp_path: Path
) -> None:
    match = many.ended(tmp_path, server.url("ended"), files=16)
    assert match.database < match.game < match.allowed
    assert match.backup < match.game


def test_two_workers_never_hold_one_match(server: Postgres, tmp_path: Path) -> None:
    url = server.url("claims")
    (tmp_path / "sink").mkdir()
    service = sink_service(url, tmp_path / "sink")
    shorts = [
        service.matches.create(MatchPlan("wyatt-earp", ["anna", "burt"]), secret(f"n{number}")[:16])
        for number in (1, 2)
    ]
    left, two = Database(url), Database(url)
    with left.transaction() as first, two.transaction() as second:
        game = Matches(first).named(shorts[0])
        assert game is not None
        assert Matches(first).claim(game.game) is not None
        assert Matches(second).claim(game.game) is None
        other = Matches(second).named(shorts[1])
        assert other is not None
        assert Matches(second).claim(other.game) is not None
    with two.transaction() as second:
        assert Matches(second).claim(game.game) is not None
    for each in (left, two, service):
        each.close()


def test_a_worker_rules_rather_where_it_ruled_last_and_passes_nobody_over_for_long(
    server: Postgres, tmp_path: Path
) -> None:
    club = Club(server.url("near"), tmp_path / "sink", matches=2)
    club.create()
    club.service.run_once()
    club.read()
    worker = sink_service(club.url, club.folder)
    ruling_worker = RulingWorker(worker.context)
    anna, burt = (club.players[f"{seat}@m1.test"] for seat in ("anna", "burt"))

    def sends(player: Player, times: int = 1) -> None:
        file = player.join(club.words[player.address])
        for _ in range(times):
            worker.deliver(player.mail(file))
        while Sorter(worker.context).sort_one():
            pass

    def ruled() -> int:
        """The match on which it rules next."""
        before = [_waits(worker, club.names[number]) for number in range(2)]
        assert ruling_worker.work_one()
        after = [_waits(worker, club.names[number]) for number in range(2)]
        return [was - now for was, now in zip(before, after, strict=True)].index(1)

    sends(anna)
    assert ruled() == 1
    sends(club.players["anna@m0.test"])
    sends(burt, OLDEST_EACH)
    served = [ruled() for _ in range(OLDEST_EACH)]
    assert served[0] == 1  # where it has ruled last, though the other mail has waited longer
    assert served.count(0) == 1
    sends(club.players["burt@m0.test"])
    assert RulingWorker(
        club.service.context
    ).work_one()  # another worker: the one that it did not rule on last is as good
    for service in (worker, club.service):
        service.close()


def _waits(service: Service, short: str) -> int:
    """Emails that wait for this match."""
    with service.context.database.transaction() as transaction:
        rows = transaction.run("SELECT waits FROM matches WHERE short = ?", short)
    return int(rows[0][0])


def main(arguments: Sequence[str] | None = None) -> int:
    """As many matches as are wished; raises AssertionError at the first difference."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--matches", type=int, default=50)
    wish = parser.parse_args(arguments)
    with Postgres() as server, tempfile.TemporaryDirectory() as folder:
        compare(server, Path(folder), wish.matches)
    sys.stdout.write(f"{wish.matches} matches: three workers, one of them killed, did what one does\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
