"""Several machines at one database: a worker that was cut off sends nothing twice; each mailbox has its readers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pbem.base.errors import StoreError
from pbem.host.database.database import Database, Transaction
from pbem.host.database.notes import ReaderRows
from pbem.host.service.service import Service
from pbem.player.mail.outgoing import Sender
from pbem.player.mail.ports import Stop, always, never
from tests.service.fakes import FakeClock, FakeMail, fake_service
from tests.service.people import headers
from tests.service.table import Table


class Slow(FakeMail):
    """A mail server at which the process stops just before it submits an email."""

    stall: Callable[[], object] = staticmethod(lambda: None)

    def send(
        self, env_from: str, to: Sequence[str], raw: bytes, envid: str, may: Callable[[], bool] = always
    ) -> None:
        stall, self.stall = self.stall, lambda: None
        stall()
        super().send(env_from, to, raw, envid, may)


def test_a_worker_that_stood_still_before_data_sends_nothing_that_another_has_sent(tmp_path: Path) -> None:
    mail, clock = Slow(), FakeClock()
    table = Table(tmp_path, mail=mail, service=fake_service(tmp_path, mail, clock))
    table.clock = clock
    other = fake_service(tmp_path, mail, clock)

    def minutes_pass() -> None:
        clock.tick(61)
        assert not other.run_once().troubles

    mail.stall = minutes_pass
    addresses = {player.seat: player.address for player in table.players.values()}
    table.service.matches.invite(table.short, addresses)
    assert not table.service.run_once().troubles  # its claim had run out, which is nobody's fault
    clock.tick(61)
    for service in (other, table.service, other):
        service.run_once()
    ids = [str(headers(raw)["Message-ID"]) for _, raw in mail.delivered]
    assert len(ids) == len(set(ids)) == 2
    assert table.service.counts() == {"sent": 2}
    other.close()


class Lost(Database):
    """A database that cannot be reached while ``away``."""

    away = False

    @contextmanager
    def _begun(self, *, reading: bool) -> Iterator[Transaction]:
        if self.away:
            raise StoreError("no route to host")
        with super()._begun(reading=reading) as transaction:
            yield transaction


def test_a_worker_that_loses_the_database_while_it_waits_for_mail_goes_on_when_it_is_back(
    tmp_path: Path,
) -> None:
    mail, clock = Resting(), FakeClock()
    service = fake_service(tmp_path, mail, clock)
    database = service.context.database = Lost(service.context.database.url)
    waits: list[float] = []

    def lose() -> None:
        database.away = True

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        database.away = False

    mail.lose = lose
    said: list[str] = []
    service.serve(lambda: mail.rested > 1 and bool(waits), sleep, said.append)
    assert (said, waits) == (["no route to host"], [2.0])
    service.close()


class Resting(FakeMail):
    """A mailbox at which nothing arrives; the first time that somebody waits there, the database is lost."""

    lose: Callable[[], object] = staticmethod(lambda: None)
    rested = 0

    def wait(self, timeout: float, stop: Stop = never) -> bool:
        self.rested += 1
        if self.rested == 1:
            self.lose()
        super().wait(timeout, stop)
        return False


def boxed(folder: Path, mail: FakeMail, clock: FakeClock, address: str) -> Service:
    """A worker of this host at a mailbox of its own."""
    service = fake_service(folder, mail, clock)
    service.context.sender = Sender(address, "Saturday table")
    service.readers = type(service.readers)(service.context)
    return service


def test_time_waits_for_all_mailboxes_of_a_host_and_each_has_its_own_readers(tmp_path: Path) -> None:
    first_mail, second_mail, clock = FakeMail(), FakeMail(), FakeClock()
    first = boxed(tmp_path, first_mail, clock, "games@pbem.test")
    second = boxed(tmp_path, second_mail, clock, "west@pbem.test")
    for service in (first, second, first, second):
        service.run_once()
    assert (first.readers.first, second.readers.first) == (True, False)
    assert (first.readers.settles, second.readers.settles) == (True, True)
    at = first.context.now()
    assert first.readers.all_read(at) == at
    clock.tick(30)
    first.run_once()
    assert first.readers.all_read(first.context.now()) == at  # the other one has not read since
    second.run_once()
    assert first.readers.all_read(first.context.now()) == first.context.now()
    clock.tick(120)
    first.run_once()
    assert first.readers.all_read(first.context.now()) == ""  # nobody reads that mailbox: nothing is due
    with first.context.database.transaction() as transaction:
        assert ReaderRows.mailboxes(transaction) == ["games@pbem.test", "west@pbem.test"]
    second.close()
    clock.tick(10)
    first.run_once()
    assert first.readers.all_read(first.context.now()) == first.context.now()  # it was closed in order
    first.close()
