"""Everything that a year brings, one fault after another, and its result: lost, twice, who learned what and when.

``python -m tests.service.faults [--log FILE] [--only WORD]``: about five minutes for the whole. Each row is a match
that is played before, during and after its fault. Most run in memory with a moved clock; kill -9 takes processes and
real mail servers, a database server that stops and a killed worker take PostgreSQL. The setups are those of the tests,
which look closer.
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pbem.host.database.backup import back_up
from pbem.host.database.database import Database
from pbem.host.database.driver import DatabaseDamaged
from pbem.host.database.heads import Heads
from pbem.host.service.check import check_database
from pbem.host.service.time import ClockAnswer
from pbem.player.store import Mark, MatchFolder
from pbem.protocol.audit import audit
from pbem.protocol.record import Deadlines, Record
from tests.host.rigs import FolderRig, Kind
from tests.host.test_store import ONCE, Bench, killed_everywhere
from tests.hostile.test_lost_database import again, closed_file
from tests.mail.stack import MailStack
from tests.service.fakes import OPERATOR, FakeMail, fake_service
from tests.service.kept_form import FORMS
from tests.service.people import parse
from tests.service.postgres import Postgres
from tests.service.table import Table
from tests.service.test_api_crash import POINTS as API_POINTS
from tests.service.test_api_crash import Visited
from tests.service.test_backup import restored
from tests.service.test_crash import (
    POINTS,
    READER_POINTS,
    TIME_POINTS,
    Crashing,
    killed_by_the_clock,
    killed_in_a_turn,
    killed_while_another_reads,
)
from tests.service.test_postgresql import run as run_workers
from tests.store.test_crash import BATCH, BATCH_STEPS, NEW, OLD, killed
from tests.world import World


@dataclass
class Row:
    """The result of one fault."""

    fault: str
    lost: int
    twice: int
    alarms: str
    after: str


class Trial:
    """A match that goes on while something happens."""

    def __init__(self, folder: Path, **more: Any) -> None:
        folder.mkdir(exist_ok=True)
        self.heads = Heads(folder / "service.heads.jsonl")
        self.table = Table(folder, heads=self.heads, **more).start()
        self.table.play(2)
        self.since = self.table.clock.time
        self._reached: list[datetime] = []
        """When each of the operator's mails had left."""

    def _listen(self) -> None:
        received = len(self.table.mail.letters(OPERATOR))
        self._reached += [self.table.clock.time] * (received - len(self._reached))

    @property
    def kinds(self) -> list[str]:
        """The kinds of the records that the service has."""
        return [line.kind for line in Record.load(self.table.lines).lines]

    def somebody_moves(self) -> None:
        """A turn is mailed; nothing looks at it yet."""
        (player,) = self.table.asked()
        self.table.mail.arrive(player.mail(player.move()))

    def rounds(self, number: int, seconds: float = 60) -> None:
        """The service tries, and time goes by."""
        for _ in range(number):
            self.table.service.run_once()
            self._listen()
            self.table.clock.tick(seconds)

    def serve(self, repair: Callable[[], object], after: int) -> None:
        """The loop as a process runs it; after so many tries somebody fixes what is wrong."""
        tries: list[float] = []
        head = self.heads_now()

        def sleep(seconds: float) -> None:
            tries.append(seconds)
            self._listen()
            self.table.clock.tick(seconds)
            if len(tries) == after:
                repair()

        self.table.service.serve(
            lambda: len(tries) > after + 5 or self.heads_now() > head, sleep, lambda _: None
        )

    def heads_now(self) -> int:
        """The newest record that was signed."""
        return max((head.seq for head in self.heads.known().values()), default=0)

    def settle(self) -> None:
        """Until nothing is left to do."""
        while self.table.pump().anything:
            self._listen()
            self.table.clock.tick(1)
        self._listen()

    def row(self, fault: str, after: str) -> Row:
        """Play on, count, and close the service."""
        self.settle()
        self.table.play(2)
        self.settle()
        assert audit(self.table.lines).ok
        row = Row(fault, *self._counted(), self._alarms(), after)
        self.table.service.close()
        return row

    def _counted(self) -> tuple[int, int]:
        """Files and emails that are lost; those that count twice."""
        table = self.table
        said = [line.body["msg"]["body"] for line in Record.load(table.lines).lines if "msg" in line.body]
        recorded = Counter((body.get("seat"), body["n"]) for body in said if "n" in body)
        sent = Counter(
            (player.seat, file["body"]["n"])
            for player in table.players.values()
            for file in player.files
            if "n" in file["body"]
        )
        letters = Counter(str(parse(raw)["Message-ID"]) for to, raw in table.mail.delivered if to != OPERATOR)
        with table.service.context.database.transaction() as transaction:
            rows = transaction.run(
                "SELECT message_id, state FROM outbox WHERE game <> '' AND rcpt <> ?", OPERATOR
            )
        lost = len([message for message in sent if message not in recorded]) + len(
            [name for name, state in rows if state != "sent" or not letters[str(name)]]
        )
        twice = sum(number - 1 for number in [*recorded.values(), *letters.values()] if number > 1)
        return lost, twice

    def _alarms(self) -> str:
        """The operator's mails since the fault, with the minutes."""
        counts: dict[tuple[str, int], int] = {}
        for raw, at in zip(self.table.mail.letters(OPERATOR), self._reached, strict=True):
            key = str(parse(raw)["X-Pbem-Alarm"]), round((at - self.since).total_seconds() / 60)
            if at >= self.since:
                counts[key] = counts.get(key, 0) + 1
        words = [
            f"{kind} {'at once' if not minutes else f'after {minutes:,} min'}"
            + (f" ({count})" if count > 1 else "")
            for (kind, minutes), count in counts.items()
        ]
        return "operator: " + ", ".join(words) if words else "nobody: nothing to do"


# --- servers ----------------------------------------------------------------------------------------------------


def mail_servers(folder: Path) -> Iterator[Row]:
    """All of them, then the mailbox alone."""
    trial = Trial(folder / "all")
    trial.somebody_moves()
    trial.table.mail.down = True
    trial.rounds(45)
    trial.table.mail.down = False
    yield trial.row("both mail servers stopped for 45 minutes", "the turn is ruled on, letters leave")
    trial = Trial(folder / "long", deadlines=Deadlines(hours=2, grace=0, then="default"))
    trial.table.mail.down = True
    trial.rounds(60, 300)
    trial.table.mail.down = False
    trial.settle()
    assert "default" not in trial.kinds
    yield trial.row(
        "both for five hours, a deadline of two",
        f"{trial.kinds.count('extend')} extend: the time is given back",
    )
    trial = Trial(folder / "mailbox")
    trial.somebody_moves()
    trial.table.service._mailbox = FakeMail(down=True)
    trial.rounds(50)
    trial.table.service._mailbox = trial.table.mail
    yield trial.row("the mailbox stopped for 50 minutes", "the turn is ruled on")


def database_server(folder: Path) -> Iterator[Row]:
    """PostgreSQL is killed, and starts again."""
    with Postgres() as server:
        trial = Trial(folder / "postgres", url=server.url("faults"))
        trial.somebody_moves()
        server.stop()
        trial.serve(server.start, 10)
        yield trial.row("the database server killed, back after ten tries", "a new connection, by itself")


# --- disk -------------------------------------------------------------------------------------------------------


def disk(folder: Path) -> Iterator[Row]:
    """Full, and read-only."""
    trial = Trial(folder / "full")
    connection = trial.table.service.context.database._driver._connection  # type: ignore[union-attr]
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")
    trial.somebody_moves()
    trial.table.mail.arrive(b"From: mallory@example.org\r\n\r\n" + b"x" * 90_000)
    trial.serve(lambda: connection.execute("PRAGMA max_page_count = 1000000"), 5)
    yield trial.row("the disk full, room again after five tries", "goes on by itself")
    trial = Trial(folder / "read-only")
    database = trial.table.service.context.database
    connected = database._connected

    def only_read() -> Any:
        driver: Any = connected()
        driver._connection.execute("PRAGMA query_only = ON")
        return driver

    def writes_again() -> None:
        database._connected = connected  # type: ignore[method-assign]
        database.close()

    database._connected = only_read  # type: ignore[method-assign]
    trial.somebody_moves()
    trial.serve(writes_again, 10)
    yield trial.row("the disk read-only for ten tries", "goes on by itself")


# --- clock ------------------------------------------------------------------------------------------------------


def clock(folder: Path) -> Iterator[Row]:
    """Days ahead and days back while it runs, until somebody sets it right; and ahead when it starts."""
    for days, restarted in ((3, False), (3, True), (40, False), (-3, False)):
        trial = Trial(
            folder / f"clock{days}{restarted}", deadlines=Deadlines(hours=24, grace=0, then="default")
        )
        trial.somebody_moves()
        head = len(trial.table.lines)
        trial.table.clock.jump(days * 86_400)
        trial.since = trial.table.clock.time
        if restarted:
            trial.table.service.close()
            trial.table.service = fake_service(
                trial.table.folder, trial.table.mail, trial.table.clock, heads=trial.heads
            )
        trial.rounds(3)
        stood, alarms = len(trial.table.lines) == head, trial._alarms()
        trial.table.clock.jump(-days * 86_400)
        after = "stands still, goes on by itself" if stood else "taken for an outage"
        heard = len(trial.table.alarms())
        if trial.table.service.run_once().troubles:  # it was believed, and records were signed at that time
            alarms += f", and when it is set right {', '.join(trial.table.alarms()[heard:])}"
            assert trial.table.service.time.clock_is_right() is ClockAnswer.WAS_AHEAD
            after += "; set right, it goes on by go-on --clock-is-right"
        assert "default" not in trial.kinds
        when = "when it starts" if restarted else "while it runs"
        row = trial.row(f"the clock {days:+} days {when}, set right again", after)
        row.alarms = alarms
        yield row


# --- databases --------------------------------------------------------------------------------------------------


def two_services(folder: Path) -> Iterator[Row]:
    """At one database and one mailbox, taking turns."""
    trial = Trial(folder / "two")
    other = fake_service(
        trial.table.folder, trial.table.mail, trial.table.clock, heads=Heads(folder / "two" / "other.json")
    )
    for _ in range(4):
        trial.somebody_moves()
        for service in (other, trial.table.service, other, trial.table.service):
            service.run_once()
        trial.table.read()
        trial.table.clock.tick(120)  # another one is the first of them
    other.close()
    yield trial.row("two services at one database and mailbox", "both read, each its own, and both rule")


def lost_databases(folder: Path) -> Iterator[Row]:
    """Overwritten, truncated, missing, older: nothing is served before the backup is back."""

    def overwrite(path: Path, _: Path) -> None:
        raw = bytearray(path.read_bytes())
        raw[len(raw) // 2 : len(raw) // 2 + 4096] = b"\xee" * 4096
        path.write_bytes(bytes(raw))

    def truncate(path: Path, _: Path) -> None:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])

    def older(path: Path, backup: Path) -> None:
        shutil.copyfile(backup, path)

    for name, damage in (
        ("overwritten in its middle", overwrite),
        ("truncated", truncate),
        ("missing", lambda path, _: path.unlink()),
        ("an older one", older),
    ):
        trial = Trial(folder / name)
        backup = trial.table.folder / "kept.backup"
        back_up(trial.table.service.context.database.url, backup)
        trial.table.play(3)
        trial.since = trial.table.clock.time
        fallback_alert = trial.table.service.fallback_alert
        path = closed_file(trial.table)
        damage(path, backup)
        try:
            with again(trial.table) as service:
                check_database(service.context)
        except DatabaseDamaged as fault:
            heard = fallback_alert.trouble(fault)
        else:
            heard = False
        assert heard, name
        heads = trial.heads
        report = restored(trial.table, backup)
        trial.heads = heads
        healed = "whole again by the mailbox" if report.healed or report.brought_back else str(report)
        yield trial.row(f"the database {name}", f"refused at the start; host restore: {healed}")


def restore_in_between(folder: Path) -> Iterator[Row]:
    """An older backup, and emails of the newest turn that had not left."""
    trial = Trial(folder / "restore")
    backup = trial.table.folder / "kept.backup"
    back_up(trial.table.service.context.database.url, backup)
    trial.table.play(5)
    trial.somebody_moves()
    report = restored(trial.table, backup)
    yield trial.row(
        "restore in mid-match, five turns after the backup",
        f"{report.mails} mails read, {report.again} taken in again",
    )
    trial = Trial(folder / "blind")
    backup = trial.table.folder / "kept.backup"
    back_up(trial.table.service.context.database.url, backup)
    trial.table.play(3)
    for box in (trial.table.mail.inbox, *trial.table.mail.folders.values()):
        box.clear()
    report = restored(trial.table, backup)
    assert report.asked
    trial.table.pump()
    for player in trial.table.players.values():
        assert "Your records are needed" in str(parse(player.letters[-1])["Subject"])
        mail = parse(player.write("my records"))
        data = b"".join(line + b"\n" for line in player.lines)
        mail.add_attachment(data, maintype="application", subtype="octet-stream", filename="game.jsonl")
        trial.table.mail.arrive(mail.as_bytes())
    row = trial.row("the same, and the mailbox is lost too", "stood still until the players' copies came")
    row.alarms += "; players: your records are needed, at once"
    yield row


def upgrade(folder: Path) -> Iterator[Row]:
    """A database of each older form, in the middle of a match."""
    for kept in sorted(FORMS.glob("[0-9]*.sql.gz")):
        place = folder / kept.name
        place.mkdir()
        with closing(sqlite3.connect(place / "service.db")) as connection:
            connection.executescript(gzip.decompress(kept.read_bytes()).decode())
            before = connection.execute("SELECT COUNT(*) FROM lines").fetchone()[0]
        service = Table(place, fresh=False).service
        check_database(service.context)
        (match,) = service.matches.status()
        done = service.run_once()
        lines = service.matches.lines(match["match"])
        assert not done.troubles
        assert audit(lines).ok
        service.close()
        form = kept.name.partition(".")[0]
        yield Row(
            f"upgrade in mid-match, form {form}",
            before - len(lines),
            0,
            "nobody: nothing to do",
            "the newest form, in one step",
        )


# --- kill -9 ----------------------------------------------------------------------------------------------------


def kills(folder: Path) -> Iterator[Row]:
    """The service, at every commit point, with real mail servers."""
    with MailStack(("games", "anna", "burt", "boss")) as stack:
        for name, points in (("turn", POINTS), ("time", TIME_POINTS)):
            (folder / name).mkdir()
            deadlines = Deadlines() if name == "turn" else Deadlines(hours=1, grace=0, then="default")
            with Crashing(stack, folder / name, deadlines) as match:
                match.start()
                rows = [operators(match.service.context.database)]
                hours = 0.0
                for point in points:
                    if name == "turn":
                        came = killed_in_a_turn(match, point)
                    else:
                        hours, came = killed_by_the_clock(match, point, hours)
                    yield killed_row(f"kill -9, service, {name}: {point}", match, came, rows)


def killed_row(fault: str, match: Crashing, came: tuple[str, str], rows: list[list[str]]) -> Row:
    """The result of a kill: how often the act and the emails count; ``rows`` is what the operator saw, and grows."""
    act, letters = came
    whole = act == "once" and letters == "each once"
    rows.append(operators(match.service.context.database))
    new = rows[-1][len(rows[-2]) :]
    return Row(
        fault,
        int(not whole),
        int(not whole),
        "operator: " + ", ".join(new) if new else "nobody: nothing to do",
        "once" if whole else f"{act}, letters {letters}",
    )


def readers(folder: Path) -> Iterator[Row]:
    """One of two that read a mailbox, with a turn in hand; the other goes on, and the first is not started again."""
    with (
        MailStack(("games", "anna", "burt", "boss")) as stack,
        Postgres() as server,
        Crashing(stack, folder, url=server.url("readers")) as match,
    ):
        match.start()
        rows = [operators(match.service.context.database)]
        for point in READER_POINTS:
            came = killed_while_another_reads(match, point)
            yield killed_row(f"kill -9, one of two readers: {point}", match, came, rows)


def api(folder: Path) -> Iterator[Row]:
    """The process with the HTTP API, at every point of a posted file's way."""
    match = Visited(folder)
    match.start()
    rows = [operators(match.service.context.database)]
    for point in API_POINTS:
        applied, state = match.killed(point)
        missing, again = match.miscounted()
        rows.append(operators(match.service.context.database))
        new = rows[-1][len(rows[-2]) :]
        yield Row(
            f"kill -9, API: {point}",
            (applied == 0) + missing,
            max(0, applied - 1) + again,
            "operator: " + ", ".join(new) if new else "nobody: nothing to do",
            f"the file posted again: the same receipt, {state}, letters "
            + ("each once" if missing == again == 0 else f"{missing} missing, {again} too many"),
        )
    assert audit(match.lines).ok
    match.close()


def operators(database: Database) -> list[str]:
    """What the operator was mailed about so far, oldest first."""
    with database.transaction() as transaction:
        rows = transaction.run("SELECT raw FROM outbox WHERE rcpt = ? ORDER BY id", OPERATOR)
    return [str(parse(bytes(raw))["X-Pbem-Alarm"]) for (raw,) in rows]


def folder_kills(folder: Path) -> Iterator[Row]:
    """The folder host, at every step of an append."""
    for step in BATCH_STEPS:
        (folder / step).mkdir()
        match = MatchFolder(folder / step)
        match.game.append(OLD, expected=Mark.EMPTY)
        killed({"do": "append", "folder": str(match.path), "lines": BATCH, "die_at": step})
        said = [*match.repair(), *match.warnings()]
        lines = list(match.game.read().lines)
        if lines == OLD:
            match.game.append(NEW, expected=match.game.read().end)  # the file is handed in again
            lines = list(match.game.read().lines)
        lost, twice = len(OLD + NEW) - len(set(lines)), len(lines) - len(set(lines))
        yield Row(
            f"kill -9, folder: {step}",
            lost,
            twice,
            "the host, by his next command" if said else "nobody: nothing to do",
            "; ".join(said).replace(str(match.path), "FOLDER") or "whole, or as before",
        )
    world = World("wyatt-earp", ["anna", "burt"]).start()
    places = count()

    def lay() -> Kind:
        return Kind(FolderRig, str(folder / f"books{next(places)}"))

    bench = Bench(world, lay)
    for (case, point), (records, rejects, consents, letters) in killed_everywhere(bench).items():
        off = [count - wanted for wanted, count in zip(ONCE[case], (records, rejects, consents), strict=True)]
        yield Row(
            f"kill -9, folder host, a file that is {case}: {point}",
            -sum(number for number in off if number < 0) + (letters != "each once"),
            sum(number for number in off if number > 0),
            "nobody: nothing to do",
            "the file handed in again: once, letters each once" if letters == "each once" else str(letters),
        )
    for rig in bench.rigs:
        rig.close()


def worker(folder: Path) -> Iterator[Row]:
    """One of three at PostgreSQL, in the middle of a turn of every match."""
    with Postgres() as server:
        place = folder / "workers"
        place.mkdir()
        alone, _ = run_workers(server, place, "one", 1, kill=False, matches=6)
        shared, club = run_workers(server, place, "three", 3, kill=True, matches=6)
        letters = Counter(name.partition("-")[0] for name in club.seen)
        lost = sum(shared[number] != alone[number] for number in alone)
        twice = sum(number - 1 for number in letters.values())
        rows = operators(club.service.context.database)
        yield Row(
            "one of three workers killed, six matches",
            lost,
            twice,
            "operator: " + ", ".join(rows) if rows else "nobody: nothing to do",
            "the others go on",
        )


QUICK = (mail_servers, disk, clock, two_services, lost_databases, restore_in_between, upgrade)
"""In memory: some seconds."""
ALL = (*QUICK, database_server, folder_kills, kills, readers, api, worker)


@contextmanager
def place_for(parent: Path, name: str) -> Iterator[Path]:
    place = parent / name
    place.mkdir()
    yield place


def text_of(rows: list[Row]) -> str:
    """The table."""
    return "\n".join(
        [
            "# Faults, and what came of them",
            "",
            "`python -m tests.service.faults`. Lost: files of players or letters; twice: files that count or letters",
            "that arrive more than once. Minutes are from the fault on. Who is told nothing has nothing to do.",
            "",
            "| fault | lost | twice | who was told what, and when | after it |",
            "|---|--:|--:|---|---|",
            *(f"| {row.fault} | {row.lost} | {row.twice} | {row.alarms} | {row.after} |" for row in rows),
            "",
            f"{len(rows)} faults: lost {sum(row.lost for row in rows)}, twice {sum(row.twice for row in rows)}.",
            "",
        ]
    )


def main() -> None:
    """Run them, print them, and write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    rows: list[Row] = []
    with TemporaryDirectory() as folder:
        for fault in ALL:
            if given.only in fault.__name__:
                with place_for(Path(folder), fault.__name__) as place:
                    for row in fault(place):
                        rows.append(row)
                        sys.stderr.write(f"{row}\n")
    print(text_of(rows))
    if given.log:
        given.log.write_text(text_of(rows))


if __name__ == "__main__":
    main()
