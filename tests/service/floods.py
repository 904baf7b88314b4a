"""Floods, and what an honest file has to wait beside them: ``python -m tests.service.floods --mails 60000 --log FILE``.

In memory, with the service's own database on the disk: mails of 4 KB that name a player's domain, consents of one seat,
refused files of one seat, each all in the mailbox before the honest one. Counted are how long, by the clock, until the
honest file stands in the record, emails to anybody, bytes that the database grew by, what stays on the mail server.
``tests/service/test_floods.py`` does the same in small and looks closer.
"""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from pbem.game import Seat
from pbem.protocol.client import compose_consent
from tests.service.fakes import FakeClock, FakeMail, fake_service
from tests.service.people import Player
from tests.service.table import Table
from tests.service.test_floods import LIMITS, stranger


class Running(FakeClock):
    """A clock that goes on by itself, too: what a round may take is measured by it."""

    def __init__(self) -> None:
        super().__init__()
        self._began = time.monotonic()

    def __call__(self) -> datetime:
        """See ``FakeClock``."""
        return self.time + timedelta(seconds=time.monotonic() - self._began)

    def elapsed(self) -> float:
        """See ``FakeClock``."""
        return self.ran + time.monotonic() - self._began


def flooded(folder: Path, fill: Callable[[Table], None]) -> dict[str, float]:
    """One flood, and an honest file behind it."""
    mail, clock = FakeMail(), Running()
    service = fake_service(folder, mail, clock, limits=LIMITS)
    table = Table(folder, seats=("anna", "burt", "curt"), mail=mail, service=service)
    table.clock = clock
    table.start()
    (mover,) = table.asked()
    fill(table)
    waiting = len(table.mail.inbox)
    had = Counter(to for to, _ in table.mail.delivered)
    table.mail.arrive(mover.mail(mover.move()))
    records, size = len(table.lines), stored(folder)
    begin = time.perf_counter()
    rounds = 0
    while len(table.lines) == records:
        table.service.run_once()
        rounds += 1
    took = time.perf_counter() - begin
    table.service.run_once()
    more = Counter(to for to, _ in table.mail.delivered)
    letters = {to: more[to] - had[to] for to in more if "+" not in to}
    table.service.close()
    return {
        "mails": waiting,
        "seconds": took,
        "rounds": rounds,
        "most letters to one": max(letters.values()),
        "grew": stored(folder) - size,
        "on the server": len(table.mail.inbox),
    }


def stored(folder: Path) -> int:
    """Bytes of the database."""
    return sum(path.stat().st_size for path in folder.glob("service.db*"))


def strangers(count: int) -> Callable[[Table], None]:
    """Emails that name a player's domain."""

    def fill(table: Table) -> None:
        for number in range(count):
            table.mail.arrive(stranger(number))

    return fill


def consents(count: int) -> Callable[[Table], None]:
    """Consents of a seat, each with other words."""

    def fill(table: Table) -> None:
        loud = _loud(table)
        for number in range(count):
            loud.number += 1
            terms = {"kind": "end", "why": f"reason {number}"}
            file = compose_consent(loud.record, loud.identity, Seat(loud.seat), loud.number, terms)
            table.mail.arrive(loud.mail(file))

    return fill


def refused(count: int) -> Callable[[Table], None]:
    """Moves of a seat that is not to act."""

    def fill(table: Table) -> None:
        loud = _loud(table)
        for _ in range(count):
            table.mail.arrive(loud.mail(loud.turn({"do": "draw", "from": "supply"})))

    return fill


def _loud(table: Table) -> Player:
    return next(player for player in table.players.values() if not player.asked)


def main() -> None:
    """Run all three, print them, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mails", type=int, default=60_000)
    parser.add_argument("--files", type=int, default=10_000)
    parser.add_argument("--log", type=Path)
    given = parser.parse_args()
    floods = {
        "mails of 4 KB of strangers": strangers(given.mails),
        "consents of one seat": consents(given.files),
        "refused files of one seat": refused(given.files),
    }
    lines = ["| before it | mails | its wait, s | rounds | most letters to one | database, MB more | left |"]
    lines.append("|---|--:|--:|--:|--:|--:|--:|")
    for name, fill in floods.items():
        with TemporaryDirectory() as folder:
            row = flooded(Path(folder), fill)
        cells = [row["mails"], row["seconds"], row["rounds"], row["most letters to one"], row["grew"] / 1e6]
        shown = f"{cells[0]:,.0f} | {cells[1]:.1f} | {cells[2]:.0f} | {cells[3]:.0f} | {cells[4]:.1f}"
        lines.append(f"| {name} | {shown} | {row['on the server']:,.0f} |")
        print(lines[-1], flush=True)
    text = "\n".join(lines) + f"\n\nLoad of the machine at the end: {os.getloadavg()[0]:.0f}.\n"
    print(text)
    if given.log:
        given.log.write_text(text)


if __name__ == "__main__":
    main()
