"""Hostile mail at the service with honest matches beside it: nothing lost, nothing twice, nobody waits much longer.

::

    python -m tests.service.hostile --mails 200000

What is held against each other is processor time from an honest mail's arrival to its answer (of the service and of
the process that looks at mail): of those that come right behind hostile mail, and of those that come behind honest.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

import psutil

from pbem.player.mail.confined import Confined
from pbem.player.mail.look import Look, look
from pbem.protocol.audit import audit
from tests.fuzz.edits import spliced
from tests.fuzz.families import MAIL, REFUSED
from tests.service.fakes import OPERATOR, FakeMail
from tests.service.people import Player
from tests.service.table import Table

SEATS: Final = ("anna", "burt", "curt")
HOSTILE_MAILS: Final = 25
"""Hostile mails to two honest ones."""
MOST_TIMES: Final = 3.0
WARM: Final = 4
"""Matches that the service keeps in memory: two are played, and many are over in a long run."""
GROWTH: Final = 64 * 1024 * 1024
"""Bytes by which the process may grow between the first tenth of the mails and the last, honest matches and all."""
GROWTH_WHEN_FULL: Final = 32 * 1024 * 1024
"""Bytes by which it may grow once so many matches were played that the service keeps as many as it ever does."""
REPORT_EVERY: Final = 10_000
"""After so many hostile mails a long run says how it stands."""
CASES: Final = Path(__file__).parents[1] / "fuzz" / "cases"


def hostile_mails(chance: random.Random, honest: Sequence[bytes]) -> Iterator[bytes]:
    """Families of all lengths, kept cases, honest mails with pieces changed, and noise; without end."""
    families = [*MAIL.values(), *REFUSED.values()]
    cases = [path.read_bytes() for path in sorted(CASES.iterdir())]
    while True:
        kind = chance.random()
        if kind < 0.02:
            yield chance.choice(families)(chance.choice((16_000, 64_000, 200_000)))
        elif kind < 0.35:
            yield chance.choice(families)(chance.randint(100, 6000))
        elif kind < 0.45:
            yield b"From: anna@players.test\r\n\r\n" + chance.choice(cases)[:20_000]
        elif kind < 0.9:
            yield spliced(chance.choice(honest), chance.randbytes(chance.randint(5, 60)))
        else:
            yield chance.randbytes(chance.randint(0, 2000))


def _silent(_: str) -> None:
    """Nobody listens."""


@dataclass
class Outcome:
    """The result of a run."""

    mails: int = 0
    before: list[float] = field(default_factory=list)
    beside: list[float] = field(default_factory=list)
    """Processor seconds of honest mails behind honest ones, and of those behind hostile ones."""
    hostile: list[float] = field(default_factory=list)
    grown: int = 0
    full: bool = False
    """Whether it grew by that since the service keeps as many matches as it ever does, not since the first tenth."""
    states: Counter[str] = field(default_factory=Counter)
    operator: int = 0
    files: int = 0

    @property
    def times(self) -> float:
        """How much longer an honest mail takes."""
        return statistics.median(self.beside) / statistics.median(self.before)

    def summary(self) -> str:
        """For a person."""
        slowest = 1000 * max(self.hostile)
        return (
            f"{self.mails} hostile mails beside {len(self.beside)} honest ones: {dict(self.states)};"
            f" an honest mail took {1000 * statistics.median(self.before):.1f} ms alone,"
            f" {1000 * statistics.median(self.beside):.1f} ms beside them ({self.times:.2f} times, the worst"
            f" {max(self.beside) / max(self.before):.2f} times the worst), a hostile one"
            f" {1000 * statistics.mean(self.hostile):.1f} ms, the slowest {slowest:.0f} ms;"
            f" the process grew by {self.grown / 2**20:.0f} MiB since"
            f" {'it holds as many matches as ever' if self.full else 'the first tenth'};"
            f" {self.operator} letters to the operator"
        )


class Run:
    """Two matches at one service, one of each game, and their mail."""

    def __init__(self, folder: Path, seed: int, look_: Look) -> None:
        self.chance, self.look = random.Random(seed), look_
        self.mail = FakeMail()
        self.folder = folder
        self.tables = [Table(folder, mail=self.mail, look=look_, warm=WARM).start()]
        self.clock, self.count = self.tables[0].clock, 0
        self.sent: Counter[bytes] = Counter()
        self.tables.append(self._another())
        self.honest: list[bytes] = []
        self.outcome = Outcome()

    def _another(self) -> Table:
        """A new match at the same service, of the other game."""
        self.count += 1
        game, seats = (("way-out-west", SEATS), ("wyatt-earp", SEATS[:2]))[1 - self.count % 2]
        service = self.tables[0].service
        table = Table(
            self.folder, game, seats, service=service, mail=self.mail, nonce=f"another {self.count}"
        )
        table.clock = self.clock
        table.players = {seat: Player(seat, f"{self.count}", f"match{self.count}.test") for seat in seats}
        return table.start()

    def _forget(self) -> None:
        """Emails that were read are counted, and not kept: what grows then is the service."""
        for number, (address, raw) in enumerate(self.mail.delivered):
            if raw:
                self.sent[raw.partition(b"Message-ID: ")[2].partition(b"\r\n")[0]] += 1
                self.mail.delivered[number] = (address, b"")
        for table in self.tables:
            for player in table.players.values():
                del player.letters[:-1], player.files[:]
        self.mail.folders.clear()
        del self.honest[:-50]

    def honest_turn(self) -> float:
        """Somebody plays in one of the matches; the processor time from arrival to answer."""
        place = self.chance.randrange(len(self.tables))
        if not self.tables[place].asked():
            self._check_match(self.tables[place])
            self.tables[place] = self._another()
        table = self.tables[place]
        player = table.asked()[0]
        raw = player.mail(player.move(), self.chance.choice(("attachment", "armour", "json")))
        self.honest.append(raw)
        before = len(table.lines)
        spent = self._served(raw)
        for served in self.tables:
            served.read()
        assert len(table.lines) > before, "an honest file was not taken"
        self.outcome.files += 1
        return spent

    def _served(self, *raws: bytes) -> float:
        for raw in raws:
            self.mail.arrive(raw)
        begin = self._spent()
        self.tables[0].service.run_once()
        spent = max(0.0, self._spent() - begin)
        self.clock.tick(1)
        return spent

    def _spent(self) -> float:
        """Processor time of this process and of the one that looks at mail."""
        pid = self.look.pid if isinstance(self.look, Confined) else 0
        times = psutil.Process(pid).cpu_times() if pid else None
        return time.process_time() + (times.user + times.system if times else 0.0)

    def go(
        self,
        mails: int,
        *,
        warm: int = 12,
        burst: int = 1,
        beside: int = HOSTILE_MAILS,
        say: Callable[[str], None] = _silent,
    ) -> Outcome:
        """Play alone, then among hostile mail.

        ``burst``: so many hostile mails lie in the box at once; ``beside``: so many come to two honest ones. ``say``
        is called with the state after every so many.
        """
        out = self.outcome
        out.before = [self.honest_turn() for _ in range(warm)]
        foul = hostile_mails(self.chance, self.honest)
        start, printed, warmed = 0, 0, mails // 10
        for first in range(0, mails, burst):
            count = min(burst, mails - first)
            out.hostile.append(self._served(*islice(foul, count)) / count)
            out.mails = first + count
            if out.mails // beside > first // beside:
                out.beside.append(self.honest_turn())
                out.before.append(self.honest_turn())
                self._forget()
                if not start and out.mails >= warmed:
                    start = _memory()
                if start and not out.full and self.count >= WARM:
                    start, out.full = _memory(), True
                out.grown = _memory() - start if start else 0
            if out.mails >= printed + REPORT_EVERY:
                printed = out.mails
                say(out.summary())
        self._check()
        return out

    def _check(self) -> None:
        """Nothing lost, nothing twice: matches verify, every honest file has one answer, nothing waits."""
        out, service = self.outcome, self.tables[0].service
        while service.run_once().anything:
            pass
        for table in self.tables:
            self._check_match(table)
        with service.context.database.transaction() as transaction:
            rows = transaction.run("SELECT state, COUNT(*) FROM inbox GROUP BY state")
            names = [str(name) for (name,) in transaction.run("SELECT message_id FROM outbox")]
        out.states = Counter({str(state): int(number) for state, number in rows})
        assert set(out.states) <= {"done", "quarantined"}, "a mail was left lying"
        assert len(names) == len(set(names))
        out.operator = len(self.mail.letters(OPERATOR))
        self._forget()
        assert max(self.sent.values()) == 1, "a letter left twice"

    @staticmethod
    def _check_match(table: Table) -> None:
        assert audit(table.lines).ok
        assert len(set(table.lines)) == len(table.lines)
        for player in table.players.values():
            assert player.lines == table.lines[: len(player.lines)]


def check(out: Outcome) -> None:
    """What must hold."""
    assert out.times <= MOST_TIMES, out.summary()
    assert _nearly_worst(out.beside) <= MOST_TIMES * _nearly_worst(out.before), out.summary()
    assert out.grown <= (GROWTH_WHEN_FULL if out.full else GROWTH), out.summary()


def _nearly_worst(seconds: Sequence[float]) -> float:
    """What one in twenty took longer than: the very worst one says what else the machine did."""
    return sorted(seconds)[-1 - len(seconds) // 20]


def _memory() -> int:
    return int(psutil.Process().memory_info().rss)


def run(
    mails: int, seed: int = 1, look_: Look = look, burst: int = 1, say: Callable[[str], None] = _silent
) -> Outcome:
    """A run in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        return Run(Path(folder), seed, look_).go(mails, burst=burst, beside=HOSTILE_MAILS * burst, say=say)


def main() -> int:
    """Run, in the confined process as a service does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mails", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--burst", type=int, default=1, help="so many lie in the box at once")
    parser.add_argument("--log", type=Path, default=Path("hostile.log"))
    given = parser.parse_args()
    confined = Confined()
    with given.log.open("a", encoding="utf-8") as log:

        def say(line: str) -> None:
            print(line, flush=True)
            print(line, file=log, flush=True)

        try:
            out = run(given.mails, given.seed, confined, given.burst, say)
        finally:
            confined.close()
        say(f"whole run: {out.summary()}")
        check(out)
        say("every bound held: nothing lost, nothing twice, nobody waits three times as long, memory bounded")
    return 0


if __name__ == "__main__":
    sys.exit(main())
