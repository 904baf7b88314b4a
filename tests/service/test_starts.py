"""How workers start: together, at a new database, while theirs is away, and while its disk is full."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from pbem.host.database.database import Database
from pbem.host.database.driver import DatabaseDamaged
from pbem.host.service.check import HOST as OWNER
from pbem.host.service.place import InMailbox, Whereabouts, opened
from pbem.player.mail.ports import never
from tests.mail.stack import MailStack
from tests.mail.stack import why_missing as no_mail
from tests.needed import require
from tests.patience import nap, patiently, until
from tests.service.by_command import QUICKLY, HostSetup, Worker
from tests.service.chaos import alarms_of
from tests.service.fakes import OPERATOR, FakeClock, FakeMail, fake_service
from tests.service.people import Player, headers
from tests.service.postgres import Postgres
from tests.service.postgres import why_missing as no_database
from tests.service.real import Place, Postbox
from tests.service.test_machines import Lost

FOLDER = "Processed"
FULL = """CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$"""


@pytest.fixture
def server() -> Iterator[Postgres]:
    """One for each test: a test that stops it, and fails, spoils no other."""
    require(no_database())
    with Postgres() as running:
        yield running


def in_threads(*work: Any) -> None:
    """All of them at once."""
    threads = [threading.Thread(target=task) for task in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


class Meeting(InMailbox):
    """A mailbox that all have read before any of them leaves something in it."""

    def __init__(self, box: FakeMail, barrier: threading.Barrier) -> None:
        super().__init__(box, FOLDER)
        self._barrier = barrier

    def read(self) -> Sequence[str]:
        mails = super().read()
        self._barrier.wait(60)
        return mails


def test_workers_that_begin_together_are_one_place(server: Postgres, tmp_path: Path) -> None:
    """Each left its own mark once: whoever started later then took another worker's for another place, and ended."""
    url, mail, barrier = server.url("together"), FakeMail(), threading.Barrier(3)
    services = [fake_service(tmp_path, mail, FakeClock(), url=url) for _ in range(4)]
    for number, service in enumerate(services):
        service.context.clock.tick(-number)  # type: ignore[attr-defined]  # whose clock is behind may be last
        spot = InMailbox(mail, FOLDER) if number == 3 else Meeting(mail, barrier)
        service.whereabouts = Whereabouts(service.context, "its database server", [spot], spot)
        with service.context.database.transaction():
            pass
    in_threads(*(service.whereabouts.look for service in services[:3]))
    places = set(opened(mail.marks(FOLDER), services[0].context.host))
    assert [place.number for place in places] == [1]
    services[3].whereabouts.look()
    for service in services:
        service.close()


def test_a_database_that_is_away_at_the_start_is_waited_for_and_shown_once(tmp_path: Path) -> None:
    """Whichever process met it: one that is killed meanwhile begins no new count."""
    mail, clock, waits = FakeMail(), FakeClock(), list[float]()
    said: list[str] = []

    def service() -> tuple[Any, Any]:
        new_service = fake_service(tmp_path, mail, clock)
        new_service.context.heads.path = tmp_path / "service.heads.jsonl"
        new_service.fallback_alert.path = tmp_path / "service.alarms.json"
        database = new_service.context.database = Lost(new_service.context.database.url)
        database.away = True
        return new_service, database

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        clock.tick(seconds)
        database.away = clock.ran < 900

    killed, database = service()
    assert not killed.begin(lambda: clock.ran > 200, sleep, said.append)
    restarted, database = service()
    assert restarted.begin(never, sleep, said.append)
    assert set(said) == {"no route to host"}
    assert waits == [2.0, 5.0, 15.0, 30.0, *[60.0] * 3, 2.0, 5.0, 15.0, 30.0, *[60.0] * 11]
    (raw,) = mail.letters(OPERATOR)
    assert headers(raw)["X-Pbem-Alarm"] == "database"
    restarted.serve(lambda: clock.ran > 900, sleep, said.append)
    with restarted.context.database.reading() as transaction:
        assert transaction.run("SELECT value FROM meta WHERE name = ?", OWNER)
    for each in (killed, restarted):
        each.close()


def test_one_that_is_damaged_is_not_waited_for(tmp_path: Path) -> None:
    service = fake_service(tmp_path, FakeMail())
    (tmp_path / "service.db").write_bytes(b"garbage, and more than a page of it" * 200)
    with pytest.raises(DatabaseDamaged):
        service.begin(never, lambda _: pytest.fail("it waits"), lambda _: None)
    service.close()


@contextmanager
def opened_setup(server: Postgres, folder: Path, name: str) -> Iterator[tuple[HostSetup, str]]:
    """A new database, mailbox and identity, for workers by command."""
    require(no_mail())
    with MailStack(("games", "boss", "anna", "burt")) as mail:
        url = server.url(name)
        settings: dict[str, Any] = QUICKLY
        yield HostSetup(Place(mail.ports, str(mail.ca_file)), folder, url, **settings), url


def reads_a_letter(setup: HostSetup, workers: Sequence[Worker], seat: str) -> None:
    """Somebody is invited; the email comes, and every worker goes on."""
    setup.host.run("host", "new", seat, "--game", "wyatt-earp", "--seats", "anna,burt")
    setup.host.run("host", "invite", seat, f"{seat}={seat}@pbem.test")
    with closing(Postbox(setup.place, Player(seat))) as box:

        def came() -> bool:
            for worker in workers:
                assert worker.runs, worker.path.read_text()
            return bool(box.read())

        until(came, lambda: [worker.path.read_text() for worker in workers], lambda: box.pause(1))


@pytest.mark.slow
def test_three_workers_wait_for_a_database_that_is_away_and_begin_together(
    server: Postgres, tmp_path: Path
) -> None:
    """No supervisor has to start them again; one that comes later is no stranger to them."""
    with opened_setup(server, tmp_path, "away") as (setup, _), ExitStack() as stack:
        server.stop()
        workers = [Worker(setup.machine(f"worker{number}")) for number in range(3)]
        for worker in workers:
            stack.callback(worker.close)
            worker.until("cannot reach the database")
        assert workers.pop().stop() == 0  # it ends as soon as it is asked to
        server.start()
        for worker in workers:
            worker.until("serving")
        reads_a_letter(setup, workers, "anna")
        for worker in workers:
            worker.kill()
        late = Worker(setup.machine("late")).until("serving")
        stack.callback(late.close)
        reads_a_letter(setup, [late], "burt")


@pytest.mark.slow
def test_a_full_disk_is_shown_at_once_also_by_a_worker_that_starts_with_it(
    server: Postgres, tmp_path: Path
) -> None:
    """The server says it by its code. One whose own write-ahead log has no space goes down: then it is away."""
    with opened_setup(server, tmp_path, "full") as (setup, url), ExitStack() as stack:
        machine = setup.machine("worker")
        assert Worker(machine).until("serving").stop() == 0
        database = stack.enter_context(closing(Database(url)))
        with database.transaction() as transaction:
            transaction.run(FULL)
            transaction.run(
                "CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON meta EXECUTE FUNCTION full_disk()"
            )
        worker = Worker(machine)
        stack.callback(worker.close)
        worker.until("the database refuses")
        for _ in patiently("nobody is told"):
            if alarms := alarms_of(setup.place):
                break
            nap()
        assert [kind for _, kind in alarms] == ["disk-full"]
        with database.transaction() as transaction:
            transaction.run("DROP TRIGGER full_disk ON meta")
        reads_a_letter(setup, [worker], "anna")
        assert not alarms_of(setup.place)
