"""Many matches at once by computer players through real mail servers; prints what it took.

::

    python -m tests.service.load --matches 200                 # SQLite, one service process
    python -m tests.service.load --matches 200 --workers 3     # PostgreSQL, three processes
    python -m tests.service.load --matches 200 --api 0.5       # every second seat at the HTTP API
    python -m tests.service.load --matches 1000 --workers 3 --pictures --turns 3 --whole 50 --kills 2 --upgrades 1

Needs root, Postfix and Dovecot (and PostgreSQL for several workers). Workers are ``pbem host serve``. Every file goes
in through submission, LMTP and IMAP; every email goes out through submission and LMTP, with its witness copy, and is
read by IMAP. A match counts if it ended and its audit is clean; with ``--turns`` most matches end because all their
players agree to it, by mail. A worker that is killed (kill -9) is replaced at once; one that is upgraded is stopped,
and started from another copy of the program. Time from arrival to reply is measured at the player's, from when their
server has taken the mail to when they read the answer, with all matches at it at once. At the API it is from the
post to the moment when the records that it became are in the copy. ``--log FILE`` keeps what is found.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import psutil

from pbem.host.config import Keep
from pbem.host.service.service import Service
from pbem.protocol.audit import audit
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.record.line import read_line
from pbem.protocol.referee import MatchPlan
from tests.mail.stack import MailStack, free_port, why_missing
from tests.service.by_command import QUICKLY, HostSetup, Worker
from tests.service.load_people import Match, Players, Visitors
from tests.service.many import stored
from tests.service.postgres import Postgres
from tests.service.real import Place, real_service
from tests.service.spent import OF_WORKERS, Named, Spent, of_mail_server, of_worker
from tests.world import secret

SEATS: Final = ("anna", "burt", "curt")
FILES_BEFORE_A_KILL: Final = 3
"""Files of each match, on average, from the start to the first kill and from there to the next."""


FILES_BEFORE_AN_UPGRADE: Final = 4
"""And to the upgrade of a worker."""


@dataclass(frozen=True)
class Plan:
    """What is to be done: as the options of the command say."""

    matches: int
    workers: int = 1
    game: str = "both"
    seconds: float = 7200
    api: float = 0.0
    without_orders: bool = False
    pictures: bool = False
    turns: int = 0
    whole: int = 0
    kills: int = 0
    upgrades: int = 0
    witness_wait: int = 60


class Workers:
    """Processes of ``pbem host serve``, each on a machine's folder of its own; one of them has the API."""

    def __init__(self, setup: HostSetup, count: int, api: int = 0, **ways: Any) -> None:
        """``ways``: see ``HostSetup.machine``."""
        self._setup = setup
        self._ways = ways
        self._api = api
        self._count = itertools.count()
        self._clock = Spent({})
        self.killed = self.upgraded = 0
        self.supervised = False
        """Somebody starts again those that have ended by themselves: ``replace``."""
        self.ever_ran: list[Worker] = []
        """All that ever ran."""
        self.running = [self.hire(api=number == 0) for number in range(count)]

    def hire(self, *, api: bool = False, source: Path | None = None) -> Worker:
        """One more."""
        person = self._setup.machine(f"worker{next(self._count)}", **self._ways)
        where = [f"--http=127.0.0.1:{self._api}"] if api and self._api else []
        self.ever_ran.append(Worker(person, *where, source=source))
        self._clock.add(self.ever_ran[-1].pid, of_worker)
        return self.ever_ran[-1]

    def all_run(self) -> None:
        """Nobody waits for a worker that has ended by itself."""
        for worker in self.running:
            assert self.supervised or worker.runs, worker.path.read_text()[-3000:]

    def kill(self) -> None:
        """kill -9 to the last of them, in the middle of whatever it does, and another in its place."""
        victim = self.running.pop()
        self._clock.look()
        victim.kill()
        self.killed += 1
        self.running.append(self.hire(api=not self.running))

    def replace(self) -> int:
        """As a supervisor does: start another one in the place of each that has ended by itself; how many."""
        ended = [worker for worker in self.running if not worker.runs]
        for worker in ended:
            self.running.remove(worker)
            self.running.append(self.hire())
        return len(ended)

    def upgrade(self) -> None:
        """One without the API is stopped as a supervisor stops it; a newer program starts in its place."""
        victim = self.running.pop(1 if len(self.running) > 1 else 0)
        self._clock.look()
        assert victim.stop() == 0
        self.upgraded += 1
        self.running.append(self.hire(api=not self.running, source=self._setup.newer()))

    def memory(self) -> list[int]:
        """MiB of each, with the process that draws for it."""
        return [
            sum(process.memory_info().rss for process in worker.family()) // 2**20 for worker in self.running
        ]

    def spent(self) -> dict[str, float]:
        """Seconds of processor time of all of them up to now, and of those who work for them."""
        self._clock.look()
        return self._clock.by_name()

    def close(self) -> None:
        """End them all."""
        for worker in self.running:
            assert worker.stop() == 0


def invite(service: Service, matches: list[Match], players: Players) -> dict[int, str]:
    """Make all matches and send all invitations."""
    names = {}
    for match in matches:
        names[match.number] = service.matches.create(
            MatchPlan(match.game, match.seats), secret(f"nonce load {match.number}")[:16]
        )
        players.visitors.names[match.number] = names[match.number]
        addresses = {seat: match.address(seat) for seat in match.seats}
        for invitation in service.matches.invite(names[match.number], addresses):
            players.words[invitation.address] = invitation.word
    return names


def _nothing() -> None: ...


def play(
    players: Players,
    matches: list[Match],
    workers: Workers,
    plan: Plan,
    look: Callable[[], None] = _nothing,
) -> None:
    """Until all matches have ended, or the time is up; ``look`` is called every few seconds."""
    end, printed = time.monotonic() + plan.seconds, 0.0
    while not all(match.over for match in matches) and time.monotonic() < end:
        touched = players.read() | players.visitors.look(players.matches)
        workers.all_run()
        for number in touched:
            players.write(players.matches[number])
        done = players.files + players.visitors.files
        if workers.killed < plan.kills and done > (workers.killed + 1) * FILES_BEFORE_A_KILL * len(matches):
            workers.kill()
        if workers.upgraded < plan.upgrades and done > FILES_BEFORE_AN_UPGRADE * len(matches):
            workers.upgrade()
        if time.monotonic() - printed > 15:
            printed = time.monotonic()
            look()
            over = sum(match.over for match in matches)
            print(f"  {over} of {len(matches)} over, {done} files, {players.letters} letters", flush=True)
        if not touched:
            players.pause(0.1 if players.visitors.waiting else 1)


def retained(place: Place, url: str, host: Identity) -> tuple[int, int]:
    """Bytes of the database, and what it has a hundred days later, when emails are not kept any more."""
    later = real_service(
        place,
        url,
        fetches=False,
        host=host,
        keep=Keep(90, 90, 90),
        clock=lambda: datetime.now(UTC) + timedelta(days=100),
    )
    before = stored(later, url)
    later.time.clock_is_right()
    while (done := later.run_once()).anything:
        assert not done.troubles, done.troubles
    after = stored(later, url)
    later.close()
    return before, after


@dataclass
class Outcome:
    """The result of a run."""

    rows: list[tuple[str, str]]
    faults: list[str]
    more: str = ""
    """What else there is to say."""

    def text(self) -> str:
        """As a table, with what is wrong behind it."""
        lines = ["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in self.rows)]
        return "\n".join([*lines, "", *(f"WRONG: {fault}" for fault in self.faults)]).rstrip() + "\n"


def _sent(service: Service) -> tuple[list[str], list[str]]:
    """The names of all emails to players, and to whom the others went."""
    with service.context.database.transaction() as transaction:
        rows = transaction.run("SELECT message_id, rcpt FROM outbox")
    ours = [str(name) for name, rcpt in rows if str(rcpt).startswith("players+")]
    return ours, [str(rcpt) for _, rcpt in rows if not str(rcpt).startswith("players+")]


def report(
    players: Players,
    matches: list[Match],
    service: Service,
    names: dict[int, str],
    took: float,
    *,
    alarms: bool = False,
) -> Outcome:
    """What was done, and what is not as it must be; ``alarms``: the operator may have been written to."""
    copies = {match.number: service.matches.lines(names[match.number]) for match in matches}
    over = sum(match.over for match in matches)
    agreed = sum(match.ends_by_agreement for match in matches)
    clean = sum(audit(copies[match.number]).ok for match in matches if match.over)
    recorded = sum(len(read_line(raw).messages) for lines in copies.values() for raw in lines)
    ours, others = _sent(service)
    counts = service.counts()
    visitors = players.visitors
    files = players.files + visitors.files
    rows = [
        ("matches", f"{len(matches):,}, over {over:,} ({agreed:,} by agreement), audit clean {clean:,}"),
        (
            "files sent",
            f"{players.files:,} by mail, {visitors.files:,} by the API ({visitors.requests:,} requests)",
        ),
        ("files in the records", f"{recorded:,}"),
        ("letters", f"{len(ours):,} sent, {len(players.seen):,} read, {players.twice} of them twice"),
        (
            "time",
            f"{took:,.0f} s: {files / took:.1f} files and {players.letters / took:.1f} letters a second",
        ),
    ]
    for title, times in (("arrival to reply", players.delays), ("post to record", visitors.delays)):
        if len(times) > 1:
            median = statistics.median(times)
            last = statistics.quantiles(times, n=100, method="inclusive")[98]
            rows.append((title, f"median {median:.2f} s, 99th {last:.2f} s, worst {max(times):.2f} s"))
    wrong = {
        f"{len(matches) - over} matches are not over": over < len(matches),
        f"{over - clean} audits are not clean": clean < over,
        f"{len(players.sent) + len(visitors.waiting)} files have no answer": players.sent or visitors.waiting,
        f"{files} files were sent, and {recorded} are recorded": files != recorded,
        f"emails: {counts}": set(counts) != {"sent"},
        f"{len(set(ours) ^ players.seen)} letters were sent and not read, or read and not sent": set(ours)
        != players.seen,
        f"{players.twice} letters came twice": players.twice,
        f"the operator was written to: {len(others)} letters": others and not alarms,
    }
    return Outcome(rows, [fault for fault, is_so in wrong.items() if is_so])


def run(plan: Plan, folder: Path) -> Outcome:
    """All of it; the servers are started here and end with it."""
    with ExitStack() as stack:
        servers = stack.enter_context(
            MailStack(("games", "boss", "players"), memory=True, mailboxes="sdbox:~/sdbox")
        )
        place = Place(servers.ports, str(servers.ca_file))
        url = f"sqlite:///{folder / 'service.db'}"
        masters: dict[int, Named] = dict.fromkeys(servers.pids(), of_mail_server)
        masters[os.getpid()] = lambda process: "players" if process.pid == os.getpid() else ""
        if plan.workers > 1:
            postgres = stack.enter_context(Postgres())
            url, masters[postgres.pid] = postgres.url("load"), lambda _: "PostgreSQL"
        matches = [match_of(number, plan) for number in range(plan.matches)]
        port = free_port() if plan.api else 0
        address = f"http://127.0.0.1:{port}" if port else ""
        players = Players(place, matches, Visitors(address))
        stack.callback(players.close)
        settings = QUICKLY | {"pictures": plan.pictures, "witness_wait": plan.witness_wait}
        setup = HostSetup(place, folder, url, api=address, **settings)
        service = real_service(place, url, fetches=False, api=address, host=setup.identity)
        stack.callback(service.close)
        others, started = Spent(masters), time.monotonic()
        names = invite(service, matches, players)
        workers = Workers(setup, plan.workers, port)
        with _closing(workers):
            play(players, matches, workers, plan, others.look)
            took = time.monotonic() - started
            others.look()
            wait_for_last_letters(service, players, started + plan.seconds)
            result = report(players, matches, service, names, took)
            memory, spent = workers.memory(), workers.spent()
            spent |= others.by_name()
            if workers.killed != plan.kills:
                result.faults.append(f"a worker was killed {workers.killed} times, not {plan.kills}")
            if workers.upgraded != plan.upgrades:
                result.faults.append(f"a worker was upgraded {workers.upgraded} times, not {plan.upgrades}")
        before, after = retained(place, url, setup.identity)
        if any(service.matches.lines(names[match.number]) != match.lines for match in matches):
            result.faults.append("records differ from the players' copies after retention")
    mib, files = 2**20, players.files + players.visitors.files
    result.rows += [
        (
            "workers",
            f"{plan.workers} by command, kill -9 to one of them {workers.killed} times; {_where(url)}",
        ),
        ("a worker stopped, and a newer program started in its place", f"{workers.upgraded} times"),
        ("pictures", "on" if plan.pictures else "off"),
        ("processor time of the workers", f"{sum(spent.get(worker, 0) for worker in OF_WORKERS):,.0f} s"),
        ("processor time a file", _each(spent, files)),
        ("memory of each worker at the end, with its painter", f"{', '.join(map(str, memory))} MiB"),
        ("memory of the players' driver", f"{psutil.Process().memory_info().rss // mib} MiB"),
        ("database, then 100 days later", f"{before / mib:,.1f} MiB, {after / mib:,.1f} MiB"),
        ("machine", f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the end"),
    ]
    return result


def _each(spent: dict[str, float], files: int) -> str:
    """Milliseconds a file: in all, and what costs a tenth of one or more, the most first."""
    each = sorted(((seconds / max(1, files) * 1e3, name) for name, seconds in spent.items()), reverse=True)
    parts = ", ".join(f"{name} {cost:.1f}" for cost, name in each if cost >= 0.1)
    return f"{sum(cost for cost, _ in each):.1f} ms: {parts}"


def _where(url: str) -> str:
    return {"sqlite": "SQLite", "postgresql": "PostgreSQL"}[url.partition(":")[0]]


@contextmanager
def _closing(workers: Workers) -> Iterator[None]:
    try:
        yield
    finally:
        workers.close()


def match_of(number: int, plan: Plan) -> Match:
    """The match of this number; ``plan.api`` is the share of all seats that are at the HTTP API, spread evenly."""
    chosen = ("wyatt-earp", "way-out-west")[number % 2] if plan.game == "both" else plan.game
    seats = SEATS[:2] if chosen == "wyatt-earp" else SEATS
    api = plan.api
    by_api = (seat for at, seat in enumerate(seats, number) if int((at + 1) * api) > int(at * api))
    turns = 0 if plan.whole and number % plan.whole == 0 else plan.turns
    return Match(number, chosen, seats, not plan.without_orders, frozenset(by_api), turns)


def wait_for_last_letters(service: Service, players: Players, end: float) -> None:
    """Until every email was sent and read; what a killed worker was sending is looked for in the mailbox first."""
    while time.monotonic() < end:
        players.read()
        if set(service.counts()) == {"sent"} and players.seen.issuperset(_sent(service)[0]):
            return
        players.pause(1)


def options() -> argparse.ArgumentParser:
    """What the command can be given: each is a member of ``Plan``, but for the log."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--game", choices=("both", "wyatt-earp", "way-out-west"), default="both")
    parser.add_argument("--seconds", type=float, default=7200)
    parser.add_argument("--api", type=float, default=0.0, help="share of the seats at the HTTP API")
    parser.add_argument("--without-orders", action="store_true", help="nobody gives standing orders")
    parser.add_argument("--pictures", action="store_true", help="letters carry the table as a picture")
    parser.add_argument("--turns", type=int, default=0, help="turns after which all agree to end a match")
    parser.add_argument(
        "--whole", type=int, default=0, help="of so many matches one is played to its own end"
    )
    parser.add_argument("--kills", type=int, default=0, help="how often a worker is killed on the way")
    parser.add_argument("--upgrades", type=int, default=0, help="how often a worker is upgraded on the way")
    parser.add_argument(
        "--witness-wait", type=int, default=60, help="seconds until a witness copy is looked for"
    )
    parser.add_argument("--log", type=Path, help="write what was found there, too")
    return parser


def main() -> int:
    """The command."""
    given = vars(options().parse_args())
    log = given.pop("log")
    if why_missing():
        sys.exit(why_missing())
    with tempfile.TemporaryDirectory() as folder:
        result = run(Plan(**given), Path(folder))
    print(result.text())
    if log is not None:
        log.write_text(result.text())
    return 1 if result.faults else 0


if __name__ == "__main__":
    sys.exit(main())
