"""Emails leave exactly once as far as anybody can know; trouble is waited out; nothing is lost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pbem.host.config import Limits
from pbem.player.mail.ports import LoginRefused, MailTrouble, NotSent, Stop, Unknown, always
from tests.service.fakes import FakeClock, FakeMail, fake_service
from tests.service.people import headers
from tests.service.table import Table

LIMITS = Limits(receipts=0, per_minute=100_000, per_hour=1_000_000, witness_wait=60)


def greylisted() -> NotSent:
    return NotSent("451 later", final=False, code=451)


def test_a_greylisted_letter_is_sent_later_and_once(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.mail.faults = [greylisted(), greylisted()]
    table.invite()
    assert len(table.mail.delivered) == 0
    for seconds in (59, 2, 299, 2):
        table.clock.tick(seconds)
        table.pump()
    assert sorted(to for to, _ in table.mail.delivered) == ["anna@players.test", "burt@players.test"]


def test_a_letter_that_is_refused_for_good_is_shown_to_the_host(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.mail.faults = [NotSent("550 no such user", final=True, code=550)]
    table.invite()
    table.pump()
    assert table.service.counts()["failed"] == 1
    assert "550" in table.notes("not-sent")[0]


def test_a_server_that_cannot_be_reached_loses_nothing(tmp_path: Path) -> None:
    table = Table(tmp_path)
    table.mail.faults = [MailTrouble("no route")]
    table.invite_quietly()
    assert table.service.counts() == {"queued": 2}
    table.clock.tick(10)
    table.pump()
    assert table.service.counts() == {"sent": 2}
    assert len(table.mail.delivered) == 2


def test_an_interrupted_letter_whose_witness_came_is_not_sent_again(tmp_path: Path) -> None:
    table = Table(tmp_path, limits=LIMITS)
    table.mail.faults = [Unknown("hung up"), Unknown("hung up")]
    table.invite()
    for _ in range(3):
        table.clock.tick(61)
        table.pump()
    assert len(table.mail.delivered) == 2
    assert table.service.counts() == {"sent": 2}


def test_a_witness_copy_is_known_by_its_name_and_a_mail_of_that_name_from_somebody_else_is_read(
    tmp_path: Path,
) -> None:
    class Counting(FakeMail):
        def __init__(self) -> None:
            super().__init__()
            self.fetched: list[str] = []

        def fetch(self, uids: Sequence[str]) -> dict[str, bytes]:
            self.fetched += uids
            return super().fetch(uids)

    mail = Counting()
    table = Table(tmp_path, mail=mail)
    table.invite()
    table.pump()
    assert len(mail.folders["Processed"]) == 2
    assert mail.fetched == []
    name = headers(mail.delivered[0][1])["Message-ID"]
    for sender in ("stranger@elsewhere.test", "games@pbem.test"):
        other = name if sender.startswith("stranger") else "<another@pbem.test>"
        mail.arrive(f"From: {sender}\r\nMessage-ID: {other}\r\nSubject: hi\r\n\r\nhello\r\n".encode())
    table.pump()
    assert len(mail.fetched) == 2


def test_without_witness_copies_it_may_come_twice_under_one_name(tmp_path: Path) -> None:
    table = Table(tmp_path, limits=LIMITS, witness=False, seats=("anna", "burt"))
    table.mail.faults = [Unknown("hung up")]
    table.invite()
    table.clock.tick(61)
    table.pump()
    names = [headers(raw)["Message-ID"] for to, raw in table.mail.delivered if to == "anna@players.test"]
    assert len(names) == 2
    assert len(set(names)) == 1
    assert all(len(to) == 1 for _, to in table.mail.envelopes)


def test_an_interrupted_letter_without_a_witness_is_sent_again(tmp_path: Path) -> None:
    class Lossy(FakeMail):
        lose = 1

        def send(self, env_from: str, to: Sequence[str], raw: bytes, envid: str, may: Stop = always) -> None:
            assert may()
            if self.lose:
                self.lose -= 1
                raise Unknown("hung up before it was kept")
            super().send(env_from, to, raw, envid)

    table = Table(tmp_path, mail=Lossy(), limits=LIMITS)
    table.invite()
    assert len(table.mail.delivered) == 1
    table.clock.tick(61)
    table.pump()
    assert len(table.mail.delivered) == 2


def test_the_first_of_two_services_stays_the_first_as_long_as_it_lives(tmp_path: Path) -> None:
    mail, clock = FakeMail(), FakeClock()
    first, second = fake_service(tmp_path, mail, clock), fake_service(tmp_path, mail, clock)
    for service in (first, second, first, second):
        service.run_once()
    assert (first.readers.first, second.readers.first) == (True, False)
    clock.tick(61)
    second.run_once()
    assert second.readers.first
    first.close()
    second.close()


@pytest.mark.parametrize(
    ("fault", "longest"), [(MailTrouble, 60), (LoginRefused, 300)], ids=["away", "refused"]
)
def test_the_loop_waits_longer_after_each_trouble_and_goes_on(
    tmp_path: Path, fault: type[MailTrouble], longest: float
) -> None:
    """A minute at most, but five where the server refuses the password and may shut out who tries often."""
    table = Table(tmp_path)
    table.mail.faults = [fault("down")] * 7
    table.service.matches.invite(table.short, {"anna": "anna@players.test"})
    slept: list[float] = []
    troubles: list[str] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        table.clock.tick(seconds + 10)

    table.service.serve(lambda: len(slept) >= 7 or bool(table.mail.delivered), sleep, troubles.append)
    assert slept == sorted(slept)
    assert slept[-1] == longest
    assert troubles == ["down"] * 7
    table.pump()
    assert len(table.mail.letters("anna@players.test")) == 1


def test_a_program_fault_on_one_mail_is_put_aside_after_three_tries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(tmp_path).start()
    player = table.asked()[0]

    def broken(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    with monkeypatch.context() as patch:
        patch.setattr("pbem.protocol.referee.rule_message", broken)
        table.send(player.mail(player.turn({"do": "draw", "from": "supply"})))
    assert table.notes("program-fault")
    assert "ZeroDivisionError" in table.quarantined()[0]
    assert len(table.mail.folders["Quarantine"]) == 1
    head = len(table.lines)
    table.send(player.mail(player.turn({"do": "draw", "from": "supply"})))
    assert len(table.lines) == head + 1
