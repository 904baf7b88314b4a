"""Very many open matches in one database: what start, a round, the lists and a file cost then, and how much memory.

``python -m tests.service.many --matches 10000 --files 1000 --log FILE [--postgres]``: matches of two seats are made by
script, each with everybody in and the first hand open, and put into the database as their records are (nobody plays
them). Then a process of its own opens the service on it; one file each is sent to ``--files`` of them, all in the inbox
at once. Mail is in memory and without pictures; processor time is the service's own.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final

from pbem.host.database.matches import Matches
from pbem.host.service.lists import Choice, matches_page
from pbem.host.service.service import Service
from pbem.protocol.crypto.identity import Identity
from tests.service.fakes import FakeClock, FakeMail, fake_service
from tests.service.people import Player
from tests.service.postgres import Postgres
from tests.world import World, secret

SEATS: Final = ("anna", "burt")
_HOST: Final = "host service"


def make(url: str, matches: int, files: int, kept: Path) -> None:
    """Fill the database, and keep the mails that are to be sent: one turn each of the first ``files`` matches."""
    host = Identity(secret(_HOST))
    service = fake_service(kept.parent, FakeMail(), FakeClock(), url=url, host=host)
    service.run_once()
    if url.startswith("sqlite"):
        with service.office.database.transaction() as transaction:
            opened = transaction
        opened.run("PRAGMA synchronous = OFF")
    mails: list[bytes] = []
    for number in range(matches):
        world = World("wyatt-earp", SEATS, seed=f"many {number}", led_by=host)
        for seat in SEATS:
            world.join(seat, mail=f"{seat}{number}@players.test")
        for seat in SEATS:
            world.ready(seat)
        service.matches.bring_back(list(world.record.lines), world.copy())
        if len(mails) < files:
            waiting = world.record.waiting
            assert waiting is not None
            player = Player(f"{waiting['seat']}{number}")
            mails.append(player.mail(world.move_file(waiting["seat"])))
    kept.write_bytes(pickle.dumps(mails))
    service.close()


@contextmanager
def timed(name: str, found: dict[str, float]) -> Iterator[None]:
    """Seconds of processor time, under this name; told at once."""
    begin = time.process_time()
    yield
    found[name] = time.process_time() - begin
    print(f"{name}: {found[name]:.2f} s", file=sys.stderr, flush=True)


def serve(url: str, kept: Path) -> dict[str, float]:
    """What the service takes, in a process that has done nothing else; memory in bytes."""
    found: dict[str, float] = {}
    mails: list[bytes] = pickle.loads(kept.read_bytes())  # noqa: S301 - written above
    mail, clock = FakeMail(), FakeClock()
    clock.tick(60)
    found["memory before"] = memory()
    with timed("start and first round", found):
        service = fake_service(kept.parent, mail, clock, url=url, host=Identity(secret(_HOST)))
        service.run_once()
    found["memory after the first round"] = memory()
    with timed("20 quiet rounds", found):
        found["a quiet round"] = _quiet(service, clock)
    with timed("counts and letters that wait", found):
        counts = service.matches.counts()
        service.counts()
    found["open matches"] = counts["running"]
    with timed("list, one page of 50", found):
        matches_page(service, Choice(state="open"))
    newest = _heads(service)
    for raw in mails:
        mail.arrive(raw)
    before, ruled = len(mail.delivered), 0
    begin = time.process_time()
    clock_begin = time.perf_counter()
    while (done := service.run_once()).anything:
        assert not done.troubles, done.troubles
        ruled += done.ruled
    found["files"] = len(mails)
    found["files ruled"] = ruled
    found["all files"] = time.process_time() - begin
    found["all files, by the clock"] = time.perf_counter() - clock_begin
    found["letters"] = len(mail.delivered) - before
    found["a file, letters and all"] = found["all files"] / max(1, len(mails))
    found["memory at the end"] = memory()
    found["matches with the new record"] = sum(
        seq == newest[short] + 1 for short, seq in _heads(service).items()
    )
    found["stored"] = stored(service, url)
    service.close()
    return found


def stored(service: Service, url: str) -> int:
    """Bytes of the database."""
    if url.startswith("sqlite:///"):
        file = Path(url.removeprefix("sqlite:///"))
        return sum(path.stat().st_size for path in file.parent.glob(file.name + "*"))
    with service.office.database.transaction() as transaction:
        return int(transaction.run("SELECT pg_database_size(current_database())")[0][0])


def _heads(service: Service) -> dict[str, int]:
    """The number of the newest record of every open match."""
    with service.office.database.transaction() as transaction:
        return {row.short: row.seq for row in Matches(transaction).all() if not row.over}


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


def text(found: dict[str, float], made: float, kind: str) -> str:
    """The table."""
    mib = 2**20
    rows = [
        ("database", kind),
        ("open matches, made by script", f"{found['open matches']:,.0f}"),
        ("made in, processor time", f"{made:,.0f} s"),
        ("database, a match", f"{found['stored'] / found['open matches'] / 1024:,.1f} KiB"),
        ("start and first round", f"{found['start and first round']:.2f} s"),
        ("a quiet round, median of 20", f"{found['a quiet round'] * 1e3:.1f} ms"),
        ("counts of matches and letters", f"{found['counts and letters that wait'] * 1e3:.1f} ms"),
        ("list, a page of 50", f"{found['list, one page of 50']:.2f} s"),
        ("files sent, one to a match", f"{found['files']:,.0f}"),
        ("files ruled", f"{found['files ruled']:,.0f}"),
        ("matches with the new record", f"{found['matches with the new record']:,.0f}"),
        ("letters", f"{found['letters']:,.0f}"),
        ("a file, letters and all", f"{found['a file, letters and all'] * 1e3:.1f} ms"),
        ("all files, by the clock", f"{found['all files, by the clock']:.0f} s"),
        ("memory before", f"{found['memory before'] / mib:,.0f} MiB"),
        ("memory after the first round", f"{found['memory after the first round'] / mib:,.0f} MiB"),
        ("memory at the end", f"{found['memory at the end'] / mib:,.0f} MiB"),
    ]
    return "| | |\n|---|---|\n" + "\n".join(f"| {name} | {value} |" for name, value in rows) + "\n"


def run(url: str, matches: int, files: int, folder: Path) -> str:
    """All of it; what was found as a table."""
    kept = folder / "mails"
    begin = time.process_time()
    make(url, matches, files, kept)
    made = time.process_time() - begin
    command = (sys.executable, "-m", "tests.service.many", "--serve", url, str(kept))
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return text(json.loads(done.stdout), made, url.partition(":")[0])


def main() -> None:
    """Run it, print it, and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--files", type=int, default=1_000)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--log", type=Path)
    parser.add_argument("--serve", nargs=2, metavar=("URL", "MAILS"))
    given = parser.parse_args()
    if given.serve:
        print(json.dumps(serve(given.serve[0], Path(given.serve[1]))))
        return
    with TemporaryDirectory() as made:
        folder = Path(made)
        if given.postgres:
            with Postgres() as server:
                found = run(server.url("many"), given.matches, given.files, folder)
        else:
            found = run(f"sqlite:///{folder / 'service.db'}", given.matches, given.files, folder)
    found += f"\nLoad of the machine at the end: {os.getloadavg()[0]:.0f}.\n"
    print(found)
    if given.log:
        given.log.write_text(found)


if __name__ == "__main__":
    main()
