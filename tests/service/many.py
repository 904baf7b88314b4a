"""Growth: what a file, a quiet round, the start and memory cost with 50 open matches, and with very many.

``python -m tests.service.many --sizes 50 800 10000 --log FILE``: PostgreSQL with fsync, heads on the disk, all sizes in
one run. At each size a process of its own opens the service, and gets one file of each of ``--files`` matches of two
seats that have begun. The others are idle: rows in every table that a match has, with the records of real matches
(one in ten has at least forty), made in the database by copying. Nobody plays them, and nothing may touch them, since
under their own names their signatures do not fit; that is what is measured. Mail is in memory and without pictures;
processor time is the service's own.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import resource
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

import psycopg

from pbem.game import Seat
from pbem.host.database.backup import back_up
from pbem.host.database.database import Database
from pbem.host.database.heads import Heads
from pbem.host.database.matches import Matches
from pbem.host.service.check import check_database
from pbem.host.service.lists import Choice, matches_page
from pbem.host.service.service import Service
from pbem.protocol.client import compose_consent
from pbem.protocol.crypto.digest import b64
from pbem.protocol.crypto.identity import Identity
from tests.service.fakes import FakeClock, FakeMail, fake_service
from tests.service.people import Player
from tests.service.postgres import Postgres
from tests.service.table import Table
from tests.world import World, secret

SEATS: Final = ("anna", "burt")
_HOST: Final = "host service"


LONG: Final = 40
"""Records that one in ten idle matches has, at least."""


def make(url: str, size: int, files: int, kept: Path) -> None:
    """``files`` matches that can be played, and the mails that are to be sent: one turn of each."""
    host = Identity(secret(_HOST))
    service = fake_service(kept.parent, FakeMail(), FakeClock(), url=url, host=host)
    service.run_once()
    mails: list[bytes] = []
    for number in range(files):
        world = World("wyatt-earp", SEATS, seed=f"many {size} {number}", led_by=host)
        for seat in SEATS:
            world.join(seat, mail=f"{seat}{number}@players.test")
        for seat in SEATS:
            world.ready(seat)
        service.matches.bring_back(list(world.record.lines), world.copy())
        waiting = world.record.waiting
        assert waiting is not None
        player = Player(f"{waiting['seat']}{number}")
        mails.append(player.mail(world.move_file(waiting["seat"])))
    kept.write_bytes(pickle.dumps(mails))
    service.close()


def long_one(url: str, folder: Path) -> str:
    """The id of a match with many records, that idle ones are copied from."""
    host = Identity(secret(_HOST))
    service = fake_service(folder, FakeMail(), FakeClock(), url=url, host=host)
    world = World("wyatt-earp", SEATS, seed="a long one", led_by=host).start()
    while len(world.record.lines) < LONG and not world.record.over:
        waiting = world.record.waiting
        if waiting is None:
            for seat in world.record.missing_links:
                world.ready(seat)
        else:
            world.send(world.move_file(waiting["seat"]))
    service.matches.bring_back(list(world.record.lines), world.copy())
    service.close()
    return b64(world.record.game)


def lay_asleep(database: Database, count: int, short: str, long: str) -> None:
    """So many idle matches more, in the database itself: one in ten of the long match, the others of a short one."""
    name = "translate(rtrim(encode(sha256(CAST(n AS text)::bytea), 'base64'), '='), '+/', '-_')"
    first = "SELECT COUNT(*) FROM matches WHERE short LIKE 'z%'"
    with database.transaction() as transaction:
        begin = int(transaction.run(first)[0][0])
        numbers = f"generate_series({begin + 1}, {begin + count}) AS n"
        of = f"CASE WHEN n % 10 = 0 THEN '{long}' ELSE '{short}' END"
        for table, columns in _COPIED.items():
            named = ", ".join(columns)
            transaction.run(
                f"INSERT INTO {table} (game, {named}) SELECT {name}, {', '.join(columns.values())}"  # noqa: S608
                f" FROM {numbers} JOIN {table} AS old ON old.game = {of}"
            )
    database.compact()


_COPIED: Final = {
    "matches": {"short": "'z' || n", "created": "created", "seq": "seq", "head": "head"},
    "times": {"wake": "'2098-01-01T00:00:00Z'"},
    "seats": {"seat": "seat", "address": "seat || n || '@sleepers.test'", "heard": "heard"},
    "lines": {"seq": "seq", "raw": "raw"},
    "ruled": {"hash": "hash", "verdict": "verdict", "at": "at", "reject": "reject"},
    "summaries": {"head": "head", "rules": "rules", "due": "due", "good": "good", "by_hand": "by_hand"},
}
"""What an idle match has in each table, by its columns."""


@contextmanager
def timed(name: str, times: dict[str, float]) -> Iterator[None]:
    """Seconds of processor time, under this name; shown at once."""
    begin = time.process_time()
    yield
    times[name] = time.process_time() - begin
    print(f"{name}: {times[name]:.2f} s", file=sys.stderr, flush=True)


def serve(url: str, kept: Path) -> dict[str, float]:
    """What the service takes, in a process that has done nothing else; memory in bytes."""
    figures: dict[str, float] = {}
    mails: list[bytes] = pickle.loads(kept.read_bytes())  # noqa: S301 - written above
    mail, clock = FakeMail(), FakeClock()
    clock.tick(60)
    figures["memory before"] = memory()
    begin, started = time.process_time(), time.perf_counter()
    heads = Heads(kept.parent / "service.heads.jsonl")
    service = fake_service(kept.parent, mail, clock, url=url, host=Identity(secret(_HOST)), heads=heads)
    check_database(service.context, thorough=False)
    mail.arrive(mails.pop())
    assert service.run_once().ruled == 1
    figures["start to the first ruling"] = time.process_time() - begin
    figures["the same, by the clock"] = time.perf_counter() - started
    while service.run_once().anything:
        pass
    figures["a quiet round"] = _quiet(service, clock)
    with timed("list, one page of 50", figures):
        matches_page(service, Choice(state="open", sort="name"))
    for raw in mails:
        mail.arrive(raw)
    before, ruled = len(mail.delivered), 0
    transactions = service.context.database.transactions
    begin = time.process_time()
    while (done := service.run_once()).anything:
        assert not done.troubles, done.troubles
        ruled += done.ruled
    figures["all files"] = time.process_time() - begin
    figures["transactions a file"] = (service.context.database.transactions - transactions) / max(
        1, len(mails)
    )
    figures["open matches"] = service.matches.counts()["running"]
    figures["files"], figures["files ruled"] = len(mails), ruled
    figures["letters"] = len(mail.delivered) - before
    figures["a file"] = figures["all files"] / max(1, len(mails))
    figures["memory at the end"] = memory()
    figures["heads"] = (kept.parent / "service.heads.jsonl").stat().st_size
    figures["stored"] = stored(service, url)
    service.close()
    return figures


def stored(service: Service, url: str) -> int:
    """Bytes of the database."""
    if url.startswith("sqlite:///"):
        file = Path(url.removeprefix("sqlite:///"))
        return sum(path.stat().st_size for path in file.parent.glob(file.name + "*"))
    with service.context.database.transaction() as transaction:
        return int(transaction.run("SELECT pg_database_size(current_database())")[0][0])


def _quiet(service: Service, clock: FakeClock) -> float:
    times = []
    for _ in range(20):
        clock.tick(1)
        begin = time.process_time()
        service.run_once()
        times.append(time.process_time() - begin)
    return median(times)


def memory() -> float:
    """The most that this process ever held, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@dataclass(frozen=True)
class Ended:
    """Bytes of a match that has ended and was read: its game file, what it adds to a database, and to a backup."""

    game: int
    database: int
    backup: int

    @property
    def allowed(self) -> int:
        """What it may add to a database."""
        return self.game * 11 // 10 + 60_000


def ended(folder: Path, url: str = "", files: int = 60) -> Ended:
    """What a match leaves where there is another already; ``url``: an empty PostgreSQL database, otherwise SQLite."""
    first = Table(folder, url=url)
    service, url = first.service, first.service.context.database.url
    _play_out(first, 2)
    before, saved = _packed(service, url), back_up(url, folder / "before").size
    table = Table(folder, seats=("curt", "dora"), service=service, mail=first.mail, nonce="another")
    table.clock = first.clock
    _play_out(table, files)
    game = sum(len(raw) + 1 for raw in table.lines)
    after = _packed(service, url)
    service.close()
    return Ended(game, after - before, back_up(url, folder / "after").size - saved)


def _play_out(table: Table, files: int) -> None:
    """So many files, then everybody agrees to end it, and reads that it has ended."""
    table.start().play(files, ("attachment",))
    for player in table.players.values():
        player.number += 1
        seat, terms = Seat(player.seat), {"kind": "end"}
        consent = compose_consent(player.record, player.identity, seat, player.number, terms)
        table.send(player.mail(consent))
    while table.service.run_once().anything:
        table.read()
    assert all(player.record.over for player in table.players.values())


def _packed(service: Service, url: str) -> int:
    """Bytes of the database without what is free in it."""
    service.context.database.close()
    if url.startswith("sqlite:///"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as connection:
            connection.execute("VACUUM")
    else:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM FULL")
    return stored(service, url)


def text(rows: Sequence[dict[str, float]]) -> str:
    """The table, a column for each size."""
    mib = 2**20
    first = rows[0]
    lines = [
        ("open matches", [f"{row['open matches']:,.0f}" for row in rows]),
        ("bytes of the database, a match", [f"{row['stored'] / row['open matches']:,.0f}" for row in rows]),
        (
            "start to the first ruling, processor",
            [f"{row['start to the first ruling']:.2f} s" for row in rows],
        ),
        ("the same, by the clock", [f"{row['the same, by the clock']:.2f} s" for row in rows]),
        ("a quiet round, median of 20", [f"{row['a quiet round'] * 1e3:.1f} ms" for row in rows]),
        ("a file with its letters, processor", [f"{row['a file'] * 1e3:.1f} ms" for row in rows]),
        ("beside the first size", [f"{row['a file'] / first['a file']:.2f}" for row in rows]),
        ("transactions a file, all in one inbox", [f"{row['transactions a file']:.1f}" for row in rows]),
        ("files sent, and ruled", [f"{row['files']:,.0f}, {row['files ruled']:,.0f}" for row in rows]),
        ("list of matches, a page of 50", [f"{row['list, one page of 50']:.2f} s" for row in rows]),
        ("heads on the disk", [f"{row['heads'] / mib:.1f} MiB" for row in rows]),
        ("most memory", [f"{row['memory at the end'] / mib:,.0f} MiB" for row in rows]),
    ]
    head = "| | " + " | ".join("" for _ in rows) + " |\n|---|" + "--:|" * len(rows)
    return "\n".join([head, *(f"| {name} | {' | '.join(cells)} |" for name, cells in lines)]) + "\n"


def run(server: Postgres, sizes: Sequence[int], files: int, folder: Path) -> list[dict[str, float]]:
    """All sizes, one after the other, in one database that grows."""
    url, kept = server.url("many"), folder / "mails"
    make(url, 0, 1, kept)
    database = Database(url)
    with database.transaction() as transaction:
        short = Matches(transaction).all()[0].game
    long, rows = long_one(url, folder), []
    for size in sizes:
        make(url, size, files, kept)
        with database.transaction() as transaction:
            number = len(Matches(transaction).all())
        if size > number:
            lay_asleep(database, size - number, short, long)
        command = (sys.executable, "-m", "tests.service.many", "--serve", url, str(kept))
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        rows.append(json.loads(done.stdout))
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    database.close()
    return rows


def main() -> None:
    """Run it, print it, and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[50, 800, 10_000, 100_000])
    parser.add_argument("--files", type=int, default=40)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--serve", nargs=2, metavar=("URL", "MAILS"))
    given = parser.parse_args()
    if given.serve:
        print(json.dumps(serve(given.serve[0], Path(given.serve[1]))))
        return
    with TemporaryDirectory() as folder, Postgres(fsync=True) as server:
        page = text(run(server, given.sizes, given.files, Path(folder)))
        (Path(folder) / "ended").mkdir()
        ends = {
            "SQLite": ended(Path(folder) / "ended"),
            "PostgreSQL": ended(Path(folder), server.url("ended")),
        }
    for name, end in ends.items():
        page += (
            f"\nA match that has ended and was read, on {name}: its game file {end.game:,} bytes, in the database"
            f" {end.database:,} (allowed {end.allowed:,}), in a backup {end.backup:,}.\n"
        )
    page += f"\nLoad of the machine at the end: {os.getloadavg()[0]:.0f}; {os.cpu_count()} processors.\n"
    print(page)
    if given.log:
        given.log.write_text(page)


if __name__ == "__main__":
    main()
