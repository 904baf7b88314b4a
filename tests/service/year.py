"""A year of a busy host, with a moved clock: do the database and a round stay as they are?

``python -m tests.service.year --matches 1000 --log FILE``: matches begin evenly over a year, each is
played a little by mail (joins, links, a turn) and ended by consent of everybody; emails are kept for 90
days. Every thirty days the bytes of the database are counted, and a round in which nothing happens is timed. The
database does not wait for the disk: nothing here is about a power cut.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from sqlalchemy import func, select

from pbem.game import Seat
from pbem.host.config import Keep
from pbem.host.database.database import Transaction
from pbem.host.database.tables import INBOX, LINES, OUTBOX
from pbem.protocol.client import compose_consent
from pbem.protocol.referee import MatchPlan
from tests.service.fakes import FakeClock, FakeMail, fake_service
from tests.service.people import Player
from tests.service.table import Table
from tests.world import secret


def bytes_kept(transaction: Transaction) -> dict[str, int]:
    """Bytes of records and emails that are kept."""
    size = func.length
    sizes = {
        "records": size(LINES.c.raw),
        "mails": size(INBOX.c.raw),
        "letters": size(OUTBOX.c.raw) + size(OUTBOX.c.name),
    }
    return {
        name: int(transaction.scalar(select(func.coalesce(func.sum(size), 0))))
        for name, size in sizes.items()
    }


@dataclass
class Month:
    """What was counted on one day."""

    day: int
    matches: int
    file: int
    records: int
    mail: int
    round: float
    match: float
    """Processor seconds of a match from its making to its end, people and emails included."""


@dataclass
class Year:
    """The run: ``turns`` files are played in each match before it is ended."""

    folder: Path
    matches: int
    keep: int = 90
    turns: int = 1
    days: int = 365
    months: list[Month] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    log: Path | None = None
    """Where the tables go, month by month."""
    stages: list[tuple[str, dict[str, int]]] = field(default_factory=list)
    """What the first match keeps in the database, at which time."""

    def __post_init__(self) -> None:
        self.mail, self.clock = FakeMail(), FakeClock()
        self.service = fake_service(
            self.folder, self.mail, self.clock, keep=Keep(self.keep, self.keep, self.keep), warm=8
        )
        with self.service.context.database.transaction() as transaction:
            self._transaction = transaction
        self._transaction.run("PRAGMA synchronous = OFF")

    def go(self) -> Year:
        """All of it, and then until the last mail's time is over."""
        begun, ended = 0, self.days
        for day in range(self.days + self.keep + 2):
            while begun < self.matches * (day + 1) // self.days and begun < self.matches:
                begin = time.process_time()
                self._match(begun)
                self.times.append(time.process_time() - begin)
                begun += 1
                ended = day if begun == 1 else ended
            self._night()
            if day in (ended + self.keep - 1, ended + self.keep + 1):
                self._stage(f"{day - ended} days after its end")
            if day % 30 == 29 or day == self.days + self.keep + 1:
                self._count(day, begun)
        return self

    def _match(self, number: int) -> None:
        table = Table(self.folder, service=self.service, mail=self.mail, fresh=False)
        table.clock = self.clock
        table._read = len(self.mail.delivered)
        plan = MatchPlan("wyatt-earp", ["anna", "burt"])
        table.short = self.service.matches.create(plan, secret(f"year {number}")[:16])
        table.players = {seat: Player(seat) for seat in ("anna", "burt")}
        table.start()
        table.play(self.turns, ("attachment",))
        for player in table.players.values():
            player.number += 1
            file = compose_consent(
                player.record, player.identity, Seat(player.seat), player.number, {"kind": "end"}
            )
            table.send(player.mail(file))
            if not number:
                self._stage(f"{player.seat} has agreed to end it")
        self.mail.delivered.clear()
        assert self.service.matches.counts()["running"] == 0

    def _night(self) -> None:
        """A day passes; the service runs its rounds, and deletes what is due."""
        for _ in range(24):
            self.clock.tick(3600)
            self.service.run_once()
        while self.service.run_once().anything:
            self.clock.tick(1)

    def _stage(self, when: str) -> None:
        """Bytes of the first match: all that its rows hold."""
        with self.service.context.database.transaction() as transaction:
            game = transaction.run("SELECT game FROM matches ORDER BY created LIMIT 1")[0][0]
            sizes = {}
            for name, table in (("records", "lines"), ("mails", "inbox"), ("letters", "outbox")):
                query = f"SELECT COUNT(*), COALESCE(SUM(length(raw)), 0) FROM {table} WHERE game = ?"  # noqa: S608
                ((rows, size),) = transaction.run(query, game)
                sizes[name] = int(size)
                sizes[f"rows of {name}"] = int(rows)
            query = "SELECT COALESCE(SUM(length(hash) + length(at) + length(reject)), 0) FROM ruled WHERE game = ?"
            sizes["verdicts"] = int(transaction.run(query, game)[0][0])
        self.stages.append((when, sizes))

    def _count(self, day: int, matches: int) -> None:
        times = []
        for _ in range(20):
            begin = time.process_time()
            self.service.run_once()
            times.append(time.process_time() - begin)
        with self.service.context.database.transaction() as transaction:
            kept = bytes_kept(transaction)
        size = (self.folder / "service.db").stat().st_size
        self.months.append(
            Month(
                day + 1,
                matches,
                size,
                kept["records"],
                kept["mails"] + kept["letters"],
                median(times),
                median(self.times),
            )
        )
        self.times = self.times[-1:]
        if self.log:
            self.log.parent.mkdir(exist_ok=True)
            self.log.write_text(self.text())

    def text(self) -> str:
        """A table."""
        rows = [
            f"| {m.day} | {m.matches} | {m.file / 1e6:.1f} | {m.records / 1e6:.1f} | {m.mail / 1e6:.1f} |"
            f" {(m.file - m.records - m.mail) / max(1, m.matches) / 1e3:.1f} | {m.round * 1e3:.1f} |"
            f" {m.match:.2f} |"
            for m in self.months
        ]
        stages = [
            f"| {when} | {figures['records']:,} | {figures['mails']:,} ({figures['rows of mails']}) |"
            f" {figures['letters']:,} ({figures['rows of letters']}) | {figures['verdicts']:,} |"
            for when, figures in self.stages
        ]
        return "\n".join(
            [
                f"# A year of {self.matches} matches, letters and mails kept for {self.keep} days",
                "",
                f"`python -m tests.service.year --matches {self.matches}`; {self.turns} turns a match. Seconds are",
                "of the processor; a match's are those of its people and letters too, from its making to its end.",
                "",
                "| day | matches so far | file, MB | records | mail | other, kB each | quiet round, ms | a match, s |",
                "|--:|--:|--:|--:|--:|--:|--:|--:|",
                *rows,
                "",
                "Bytes of the first match in the database (rows in brackets: they stay, so nothing happens twice):",
                "",
                "| when | records | mails | letters | verdicts |",
                "|---|--:|--:|--:|--:|",
                *stages,
                "",
            ]
        )


def main() -> None:
    """Run it, print it, and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--log", type=Path)
    given = parser.parse_args()
    with TemporaryDirectory() as folder:
        print(Year(Path(folder), given.matches, log=given.log).go().text())


if __name__ == "__main__":
    main()
