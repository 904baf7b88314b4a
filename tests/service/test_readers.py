"""Several processes at one mailbox: each mail is read once, in its sender's order, whoever is killed; timeouts wait."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pbem.host.config import Limits
from pbem.host.service.health import facts_of
from pbem.host.service.service import Service
from pbem.player.mail.gate import body_of
from pbem.player.mail.ports import MailTrouble, WaitingMail
from pbem.protocol.record import Deadlines
from tests.service.fakes import FakeClock, FakeMail, fake_service
from tests.service.people import Player
from tests.service.table import Table

LEASE = Limits().lease

PEOPLE = [f"player{number}" for number in range(12)]


class Killed(BaseException):
    """As if the process were killed."""


class Counted(FakeMail):
    """The same mailbox as another one, and what was fetched from here."""

    def __init__(self, mail: FakeMail) -> None:
        super().__init__(inbox=mail.inbox, folders=mail.folders, delivered=mail.delivered)
        self.fetched: list[str] = []
        self.away = False

    def waiting(self, most: int = 0) -> list[WaitingMail]:
        if self.away:
            raise MailTrouble("no route")
        return super().waiting(most)

    def fetch(self, uids: Sequence[str]) -> dict[str, bytes]:
        self.fetched += uids
        return super().fetch(uids)


class Two:
    """Two services at one mailbox and one database, and mail from a dozen people, two each."""

    def __init__(self, folder: Path, **first: Any) -> None:
        self.mail, self.clock = FakeMail(), FakeClock()
        self.boxes = [Counted(self.mail), Counted(self.mail)]
        self.services = [
            fake_service(folder, self.boxes[0], self.clock, **first),
            fake_service(folder, self.boxes[1], self.clock),
        ]
        for service in (*self.services, self.services[0]):
            fetched(service)

    def everybody_writes(self) -> None:
        for number in range(2):
            for name in PEOPLE:
                self.mail.arrive(Player(name).write(f"{number}, sincerely"))

    def kept(self) -> list[bytes]:
        with self.services[1].context.database.transaction() as transaction:
            rows = transaction.run("SELECT raw FROM inbox ORDER BY id")
        return [bytes(raw) for (raw,) in rows]

    def close(self) -> None:
        for service in self.services:
            service.close()


def fetched(service: Service) -> int:
    """What a round does first: it says that it reads, and reads."""
    with service.context.database.transaction() as transaction:
        service.readers.look(transaction)
    return service.fetch()


def of(kept: Sequence[bytes], name: str) -> list[bytes]:
    """What somebody's mails begin with, in the order in which they were kept."""
    return [body_of(raw)[:1] for raw in kept if f"<{name}@".encode() in raw]


def test_each_mail_is_one_readers_and_a_senders_mails_keep_their_order(tmp_path: Path) -> None:
    two = Two(tmp_path)
    assert [service.readers.several for service in two.services] == [True, True]
    two.everybody_writes()
    fetched_by_each = [fetched(service) for service in two.services]
    assert sum(fetched_by_each) == 24
    assert min(fetched_by_each) > 0
    assert sorted(two.boxes[0].fetched + two.boxes[1].fetched, key=int) == [str(uid) for uid in range(1, 25)]
    kept = two.kept()
    assert len(kept) == 24
    assert all(of(kept, name) == [b"0", b"1"] for name in PEOPLE)
    database = two.services[0].context.database
    assert facts_of(database, two.clock())["readers"] == 2
    for service in two.services:
        service.work(done := service.run_once())
        assert not done.troubles
    for service in two.services:
        service.file()
    assert not two.mail.inbox, "who has read a mail files it, whoever dealt with it"
    two.services[0].close()
    assert facts_of(two.services[1].context.database, two.clock())["readers"] == 1
    two.services[1].close()


@pytest.mark.parametrize("point", ["fetched", "keeping", "kept"])
def test_when_one_dies_with_mail_in_its_hands_the_other_reads_it_once(tmp_path: Path, point: str) -> None:
    dying: list[str] = []

    def steps(step: str) -> None:
        if step == point and dying:
            raise Killed

    two = Two(tmp_path, steps=steps)
    two.everybody_writes()
    dying.append(point)
    with pytest.raises(Killed):
        fetched(two.services[0])
    fetched(two.services[1])
    before = len(two.kept())
    assert before < 24 or point == "kept"
    two.clock.tick(LEASE + 1)
    fetched(two.services[1])
    kept = two.kept()
    assert len(kept) == 24
    assert all(of(kept, name) == [b"0", b"1"] for name in PEOPLE)
    two.close()


def test_one_that_cannot_reach_the_mailbox_leaves_its_mail_to_the_other_at_once(tmp_path: Path) -> None:
    two = Two(tmp_path)
    two.everybody_writes()
    two.boxes[0].away = True
    assert two.services[0].run_once().troubles
    assert two.services[1].run_once().fetched == 24
    two.boxes[0].away = False
    assert not two.services[0].run_once().troubles
    assert two.services[0].readers.several
    two.close()


def test_nobodys_time_is_up_before_all_have_read_what_came_in_time(tmp_path: Path) -> None:
    """The one that keeps the time has read its own mail; the answer lies in the inbox, and is the other's to read."""
    table = Table(tmp_path, deadlines=Deadlines(hours=1, grace=0, then="default")).start()
    (mover,) = table.asked()
    first, other = table.service, fake_service(tmp_path, table.mail, table.clock)
    fetched(other)
    first.run_once()
    while first.readers.mine(WaitingMail("", 0, mover.address)):  # whose a mail is, is drawn by lot
        other.close()
        other = fake_service(tmp_path, table.mail, table.clock)
        fetched(other)
        first.run_once()
    turn = mover.move()
    table.clock.tick(3590)
    fetched(other)
    first.run_once()
    table.mail.arrive(mover.mail(turn))
    table.clock.tick(30)
    before = len(table.lines)
    first.run_once()
    assert len(table.lines) == before, "nothing is due: the other has not read since then"
    fetched(other)
    other.run_once()  # who has fetched it rules on it, and nobody's time was up before
    first.run_once()
    assert [b'"default"' in line for line in table.lines[before:]].count(True) == 0
    assert len(table.lines) > before
    other.close()
    first.close()


def test_a_reader_in_long_work_says_that_it_is_there(tmp_path: Path) -> None:
    two = Two(tmp_path)
    for _ in range(10):
        two.clock.tick(LEASE / 6)
        assert [service.readers.renew_lease() for service in two.services] == [False, False]
    two.clock.tick(LEASE + 1)
    assert two.services[0].readers.renew_lease(), "the other one has given no sign since"
    two.close()
