"""A year of a busy host, with a moved clock: do the database and a round stay as they are?

``python -m tests.service.year --matches 1000 --log FILE``: matches begin evenly over a year, each is
played a little by mail (joins, links, some turns) and ended by consent of everybody; letters and mails are kept for 90
days. Every thirty days the bytes of the database are counted, and a round in which nothing happens is timed.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from pbem.client import compose_consent
from pbem.game import Seat
from pbem.host.config import Keep
from pbem.referee import MatchPlan
from pbem.store.database_retention import Retention
from tests.service.fakes import FakeClock, FakeMail, fake_service
from tests.service.people import Player
from tests.service.table import Table
from tests.world import secret


@dataclass
class Month:
    """What was counted on one day."""

    day: int
    matches: int
    file: int
    records: int
    mail: int
    round: float


@dataclass
class Year:
    """The run: ``turns`` files are played in each match before it is ended."""

    folder: Path
    matches: int
    keep: int = 90
    turns: int = 2
    days: int = 365
    months: list[Month] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.mail, self.clock = FakeMail(), FakeClock()
        self.service = fake_service(
            self.folder, self.mail, self.clock, keep=Keep(self.keep, self.keep, self.keep), warm=8
        )

    def go(self) -> Year:
        """All of it, and then until the last mail's time is over."""
        begun = 0
        for day in range(self.days + self.keep + 2):
            while begun < self.matches * (day + 1) // self.days and begun < self.matches:
                self._match(begun)
                begun += 1
            self._night()
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
        self.mail.delivered.clear()
        assert self.service.matches.counts()["running"] == 0

    def _night(self) -> None:
        """A day goes by; the service beats, and lets go of what is due."""
        for _ in range(24):
            self.clock.tick(3600)
            self.service.run_once()
        while self.service.run_once().anything:
            self.clock.tick(1)

    def _count(self, day: int, matches: int) -> None:
        times = []
        for _ in range(20):
            begin = time.process_time()
            self.service.run_once()
            times.append(time.process_time() - begin)
        with self.service.office.database.transaction() as transaction:
            kept = Retention(transaction).bytes_kept()
        size = (self.folder / "service.db").stat().st_size
        self.months.append(
            Month(day + 1, matches, size, kept["records"], kept["mails"] + kept["letters"], median(times))
        )

    def text(self) -> str:
        """A table."""
        rows = [
            f"| {one.day} | {one.matches} | {one.file / 1e6:.1f} | {one.records / 1e6:.1f} | {one.mail / 1e6:.1f} |"
            f" {(one.file - one.records - one.mail) / max(1, one.matches) / 1e3:.1f} | {one.round * 1e3:.1f} |"
            for one in self.months
        ]
        return "\n".join(
            [
                f"# A year of {self.matches} matches, letters and mails kept for {self.keep} days",
                "",
                f"`python -m tests.service.year --matches {self.matches}`; {self.turns} turns before each match ends.",
                "",
                "| day | matches so far | file, MB | records | mail | other, kB a match | a quiet round, ms |",
                "|--:|--:|--:|--:|--:|--:|--:|",
                *rows,
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
        text = Year(Path(folder), given.matches).go().text()
    print(text)
    if given.log:
        given.log.parent.mkdir(exist_ok=True)
        given.log.write_text(text)


if __name__ == "__main__":
    main()
