"""A bad evening: workers are killed, servers go and come back, the disk is full. ``python -m tests.service.chaos``.

Ten matches by mail through Postfix and Dovecot, three workers by ``pbem host serve`` at one PostgreSQL, each started
again when it ends, as a supervisor does. The workers' ways to the mail servers lead through a ``Wire`` each; the
database has a disk of its own. Meanwhile faults happen, one after the other, and every few seconds kill -9 to a worker.
When all have happened the players agree to end their matches. What must come out: nothing lost, nothing twice,
clean audits, and every mail to the operator lies beside a fault that is its cause.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from tests.mail.stack import MailStack, why_missing
from tests.service.by_command import QUICKLY, HostSetup
from tests.service.load import (
    Outcome,
    Plan,
    Workers,
    invite,
    match_of,
    play,
    report,
    wait_for_last_letters,
)
from tests.service.load_people import Match, Players, Visitors
from tests.service.people import Player, parse
from tests.service.postgres import Postgres
from tests.service.real import Place, Postbox, real_service
from tests.service.wire import Wire

MAY_CAUSE: Final = {
    "the database stopped": {"database"},
    "the disk of the database full": {"disk-full", "database"},
    "submission off": {"submission", "works-again"},
    "the mailbox off": {"mailbox", "works-again"},
}
"""Which alarms a fault may bring about; a killed worker or a connection that breaks brings none."""
LATER: Final = 120.0
"""Seconds after a fault within which an alarm may still be about it: a worker waits up to 60 between two tries."""


@dataclass
class Fault:
    """Something that happened, by the clock of the machine."""

    cause: str
    begin: float
    end: float = 0.0
    alarms: list[str] = field(default_factory=list)

    def row(self, since: float) -> str:
        """For people: when it was, since the beginning, and what the operator was alerted to."""
        alarms = ", ".join(self.alarms) or "nothing"
        return f"| {self.cause} | {self.begin - since:.0f} | {self.end - self.begin:.0f} | {alarms} |"


class Bad(threading.Thread):
    """What happens meanwhile."""

    def __init__(
        self,
        workers: Workers,
        server: Postgres,
        wires: dict[str, Wire],
        kills: int,
        long: float,
        short: float,
    ) -> None:
        super().__init__(daemon=True)
        self._workers, self._server, self._wires = workers, server, wires
        self._kills, self._long, self._short = kills, long, short
        self._time = threading.Event()
        self.faults: list[Fault] = []
        self.ended_by_themselves = 0
        self.broken = ""

    def run(self) -> None:
        """All of it; what it meets itself is kept for the judge."""
        try:
            self._all()
        except Exception as fault:  # noqa: BLE001 - raised by whoever waits for this thread
            self.broken = f"{type(fault).__name__}: {fault}"

    def _all(self) -> None:
        submission, mailbox, server = self._wires["submission"], self._wires["imap"], self._server
        self._pass(10)
        self._kill(6)
        self._during("the database restarted", server.stop, server.start, 0)
        self._during("the database stopped", server.stop, server.start, self._short)
        self._kill(5)
        self._during("submission off", lambda: submission.cut(ends=True), submission.heal, self._short * 2)
        for _ in range(15):
            self._during(
                "connections to the mailbox broken", lambda: mailbox.cut(ends=True), mailbox.heal, 0.2
            )
            self._pass(1)
        self._kill(5)
        self._during("the disk of the database full", server.fill, server.empty, self._short)
        self._kill(self._kills - 16)
        if self._long:
            self._during("the mailbox off", lambda: mailbox.cut(ends=True), mailbox.heal, self._long)
        self._pass(10)

    def _pass(self, seconds: float) -> None:
        """Time goes by, and what has ended is started again."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            self._time.wait(min(2.0, left))
            self.ended_by_themselves += self._workers.replace()

    def _kill(self, number: int) -> None:
        for _ in range(number):
            self.faults.append(Fault("kill -9 to a worker", time.time(), time.time()))
            victim = self._workers.running.pop(0)
            victim.kill()
            self._workers.killed += 1
            self._workers.running.append(self._workers.hire())
            self._pass(6)

    def _during(
        self, cause: str, begin: Callable[[], object], end: Callable[[], object], seconds: float
    ) -> None:
        self.faults.append(Fault(cause, time.time()))
        begin()
        self._pass(seconds)
        end()
        self.faults[-1].end = time.time()


def by_cause(faults: list[Fault], alarms: list[tuple[float, str]]) -> list[str]:
    """Lay each alarm beside its cause; those that have none."""
    untrue = []
    for at, kind in alarms:
        causes = [
            fault
            for fault in faults
            if kind in MAY_CAUSE.get(fault.cause, ()) and fault.begin <= at + 1 and at <= fault.end + LATER
        ]
        if causes:
            causes[-1].alarms.append(kind)
        else:
            untrue.append(f"{kind} at {datetime.fromtimestamp(at, UTC):%H:%M:%S}")
    return untrue


def alarms_of(place: Place) -> list[tuple[float, str]]:
    """What the operator was mailed: when, and about what."""
    boss = Postbox(place, Player("boss"))
    alarms = []
    for raw in boss.read():
        message = parse(raw)
        if message["X-Pbem-Alarm"]:
            when = message["Date"].datetime.astimezone(UTC)
            alarms.append((when.timestamp(), str(message["X-Pbem-Alarm"])))
    boss.close()
    return alarms


def run(folder: Path, matches: int, kills: int, long: float, short: float) -> Outcome:
    """All of it."""
    plan = Plan(matches=matches, workers=3, seconds=2400, without_orders=True, witness_wait=10)
    with ExitStack() as stack:
        mail = stack.enter_context(MailStack(("games", "boss", "players")))
        server = stack.enter_context(Postgres(fsync=True, megabytes=400))
        place = Place(mail.ports, str(mail.ca_file))
        url = server.url("chaos")
        wires = {
            "submission": stack.enter_context(Wire(mail.ports["submission"])),
            "imap": stack.enter_context(Wire(mail.ports["imaps"])),
        }
        table = [match_of(number, plan) for number in range(matches)]
        players = Players(place, table, Visitors(""))
        stack.callback(players.close)
        settings: dict[str, Any] = QUICKLY | {"witness_wait": plan.witness_wait, "lease": 10}
        setup = HostSetup(place, folder, url, **settings)
        service = real_service(place, url, fetches=False, host=setup.identity)
        names = invite(service, table, players)
        service.close()
        started, since = time.monotonic(), time.time()
        workers = Workers(setup, plan.workers, **{name: wire.port for name, wire in wires.items()})
        workers.supervised = True
        bad = Bad(workers, server, wires, kills, long, short)
        try:
            bad.start()
            _play_on(bad, players, table, workers, plan)
            took = time.monotonic() - started
            service = real_service(place, url, fetches=False, host=setup.identity)
            stack.callback(service.close)
            wait_for_last_letters(service, players, started + plan.seconds)
        finally:
            for worker in workers.ever_ran:
                worker.close()
        result = report(players, table, service, names, took, alarms=True)
        alarms = alarms_of(place)
        untrue = by_cause(bad.faults, alarms)
        if untrue or bad.broken:
            result.faults.append(f"alarms without a cause: {untrue}; {bad.broken}")
        if workers.killed != kills:
            result.faults.append(f"{workers.killed} kills, not {kills}")
        if bad.ended_by_themselves:
            result.faults.append(f"workers ended by themselves: {bad.ended_by_themselves}; see their logs")
        crashed = [path for worker in workers.ever_ran if "Traceback" in (path := worker.path).read_text()]
        result.faults += [f"a worker broke: {path.read_text()[-2000:]}" for path in crashed]
        result.rows += [
            ("kill -9 to one of three workers", f"{workers.killed} times"),
            ("a worker ended by itself, and was started again", f"{bad.ended_by_themselves} times"),
            ("mails to the operator, without a cause", f"{len(alarms)}, {len(untrue)}"),
            ("machine", f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} at the end"),
        ]
        text = ["", "| fault | begins, s | lasts, s | the operator is told |", "|---|--:|--:|---|"]
        result.more = "\n".join([*text, *(fault.row(since) for fault in bad.faults)]) + "\n"
    return result


def _play_on(bad: Bad, players: Players, matches: list[Match], workers: Workers, plan: Plan) -> None:
    """Play while things happen; then everybody agrees to end it."""

    def agree() -> None:
        bad.join()
        for match in matches:
            match.turns = 1

    ending = threading.Thread(target=agree, daemon=True)
    ending.start()
    play(players, matches, workers, plan)
    bad.join()


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--matches", type=int, default=10)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--long", type=float, default=560, help="seconds without mailbox: an alarm is due")
    parser.add_argument("--short", type=float, default=40, help="seconds of the other faults")
    parser.add_argument("--log", type=Path)
    given = parser.parse_args()
    if why_missing():
        sys.exit(why_missing())
    begun = datetime.now(UTC)
    with tempfile.TemporaryDirectory() as folder:
        result = run(Path(folder), given.matches, given.kills, given.long, given.short)
    text = f"# A bad evening, {begun:%d %B %Y}\n\n{result.text()}{result.more}"
    print(text)
    if given.log:
        given.log.write_text(text)
    return 1 if result.faults else 0


if __name__ == "__main__":
    sys.exit(main())
