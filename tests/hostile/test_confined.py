"""The second defence: a mail that breaks its reader is quarantined once, the operator alerted, the next mail taken."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbem.base.errors import StoreError
from pbem.base.system import limits_processes
from pbem.player.mail.confined import Broke, Confined
from pbem.player.mail.gate import MailRefused
from pbem.player.mail.look import look
from tests.service.fakes import fake_service
from tests.service.table import Table

OWN = "games@pbem.test"
PLANTED = "tests.hostile.planted:planted"
SECONDS, MEMORY = 1.0, 600 * 1024 * 1024
HOW = {
    "endless": "processor time" if limits_processes() else "too long",
    "great": "too much memory",
    "dead": "SIGKILL",
    "raises": "ended with code 1",
}


def mail(subject: str, words: str = "STATUS\r\n") -> bytes:
    return f"From: anna@players.test\r\nMessage-ID: <{len(subject)}@x>\r\nSubject: {subject}\r\n\r\n{words}".encode()


@pytest.fixture(scope="module")
def confined() -> Iterator[Confined]:
    confined_reader = Confined(
        seconds=SECONDS, memory=MEMORY, patience=300.0 if limits_processes() else 5.0, task=PLANTED
    )
    yield confined_reader
    confined_reader.close()


def test_what_it_finds_is_what_a_look_finds(confined: Confined) -> None:
    raw = mail("hello")
    assert confined(raw, OWN) == look(raw, OWN)
    first = confined.pid
    assert confined(mail("another"), OWN).subject == "another"
    assert confined.pid == first, "the process is used again"
    with pytest.raises(MailRefused, match="KiB"):
        confined(b"x" * 600_000, OWN)
    assert confined.pid == first


@pytest.mark.parametrize("how", HOW)
def test_a_mail_that_breaks_the_process_is_shown_and_the_next_is_read(confined: Confined, how: str) -> None:
    with pytest.raises(Broke, match=HOW[how]):
        confined(mail(how), OWN)
    assert confined(mail("hello"), OWN).subject == "hello"


def test_a_process_that_only_waits_is_ended_by_the_clock() -> None:
    hasty = Confined(patience=1.0, task=PLANTED)
    with pytest.raises(Broke, match="too long"):
        hasty(mail("stuck"), OWN)
    assert hasty.pid == 0


def test_a_process_that_somebody_kills_is_replaced_and_no_mail_is_blamed(
    confined: Confined, tmp_path: Path
) -> None:
    assert confined(mail("hello"), OWN).subject == "hello"
    os.kill(confined.pid, signal.SIGKILL)
    assert confined(mail("hello"), OWN).subject == "hello"
    assert confined(mail(f"dead once {tmp_path / 'mark'}"), OWN).subject.startswith("dead once")


def test_a_process_that_does_not_start_is_no_fault_of_the_mail() -> None:
    with pytest.raises(StoreError, match="does not start"):
        Confined(task="tests.hostile.planted:nothing")(mail("hello"), OWN)


@pytest.mark.parametrize("how", ["endless", "great", "dead"])
def test_the_service_puts_it_aside_once_and_goes_on(tmp_path: Path, how: str, confined: Confined) -> None:
    table = Table(tmp_path, look=confined).start()
    table.mail.arrive(mail(how))
    table.mail.arrive(table.players["anna"].write("STATUS\n"))
    table.pump()
    (reason,) = table.quarantined()
    assert HOW[how] in reason
    (note,) = table.notes("mail-that-broke")
    assert "pbem host quarantine" in note
    assert table.alarms() == ["mail-that-broke"]
    assert "status" in table.subjects("anna")[-1].lower()
    before = confined.pid
    table.pump()
    assert table.quarantined() == [reason]
    assert confined.pid == before, "it is not tried again"
    restarted = fake_service(tmp_path, table.mail, table.clock, look=confined)
    assert not restarted.run_once().sorted, "a restart does not try it again"
    assert confined.pid == before
