"""A database of today's form, kept for the programs to come: ``python -m tests.service.kept_form [--outbox NAME]``.

Run it once when a step is added to ``pbem.host.database.driver``, with the program that has it, and never again: the
file is what somebody's database will look like when a later program opens it. With ``--outbox`` emails of every kind
have not left yet: run that before what emails are effects of gets other names.
"""

from __future__ import annotations

import argparse
import gzip
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from pbem.game import Seat
from pbem.host.database.driver import VERSION
from pbem.host.service.service import Done
from pbem.protocol.client import compose_consent
from tests.service.fakes import fake_service
from tests.service.people import parse
from tests.service.table import Table

FORMS: Final = Path(__file__).parent / "forms"


class Killed(BaseException):
    """As if the process were killed."""


def unsent(folder: Path) -> Path:
    """A service that was killed when an email had left and others had not; the rest could not be sent before.

    The emails are of a turn, a refusal, a file that came again, a consent that waits, a command's answer, a word to
    the operator. The database, without what was sent before; the Message-ID of what left last stands in ``meta``.
    """
    table = Table(folder).start()
    table.play(2)
    with table.service.context.database.transaction() as transaction:
        transaction.run("UPDATE outbox SET raw = ?", b"")
        transaction.run("UPDATE inbox SET raw = ?", b"")
    table.mail.down = True
    (mover,) = table.asked()
    other = next(player for player in table.players.values() if player is not mover)
    turn, stale = mover.move(), mover.move()
    other.number += 1
    terms = {"kind": "pause", "until": "2027-01-01T00:00:00Z"}
    consent = compose_consent(other.record, other.identity, Seat(other.seat), other.number, terms)
    for raw in (
        mover.mail(turn),
        mover.mail(stale),
        mover.mail(turn),
        other.mail(consent),
        other.write("STATUS"),
        other.write("I shall be late, sorry."),
    ):
        table.service.deliver(raw)
    table.service.work(Done())
    table.mail.down = False
    table.service.close()
    before = len(table.mail.delivered)

    def taken(step: str) -> None:
        if step == "taken":
            raise Killed

    service = fake_service(folder, table.mail, table.clock, steps=taken)
    with suppress(Killed):
        service._postman.flush()
    (left,) = table.mail.delivered[before:]
    with service.context.database.transaction() as transaction:
        transaction.run(
            "INSERT INTO meta (name, value) VALUES ('left', ?)", str(parse(left[1])["Message-ID"])
        )
    service.close()
    return folder / "service.db"


def quiet(folder: Path) -> Path:
    """A match that goes on, and nothing to do."""
    table = Table(folder).start()
    table.play(2)
    table.service.close()
    with closing(sqlite3.connect(folder / "service.db")) as connection:
        connection.execute("UPDATE outbox SET raw = x''")  # emails would be most of the file
        connection.execute("UPDATE inbox SET raw = x''")
        connection.commit()
    return folder / "service.db"


def main() -> None:
    """Write the file of this form; one that is there stays."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--outbox", default="", metavar="NAME")
    parser.add_argument("--to", type=Path, default=FORMS)
    given = parser.parse_args()
    target = given.to / (f"outbox-{given.outbox}.sql.gz" if given.outbox else f"{VERSION}.sql.gz")
    if target.exists():
        raise SystemExit(f"{target} is there already")
    with tempfile.TemporaryDirectory() as name:
        outcome = unsent(Path(name)) if given.outbox else quiet(Path(name))
        with closing(sqlite3.connect(outcome)) as connection:
            lines = [line for line in connection.iterdump() if "sqlite_sequence" not in line]
    target.write_bytes(gzip.compress("\n".join(lines).encode(), 9, mtime=0))
    print(target)


if __name__ == "__main__":
    main()
