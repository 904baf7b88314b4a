"""The operator's alerts: the right cause, once an hour, in their language, with what to do; also without a database."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pbem.base.language import CODES, language_of
from pbem.host.database.driver import DatabaseDamaged, DatabaseFull
from pbem.host.service.alarms import ALARMS, FallbackAlert, read_fallback_alert
from pbem.player.mail.ports import LoginRefused, MailTrouble
from tests.service.fakes import HOST, OPERATOR, FakeClock, FakeMail
from tests.service.people import headers, parse
from tests.service.table import Table
from tests.service.test_manners import dsn, token_to


def text_of(raw: bytes) -> str:
    body = parse(raw).get_body(("plain",))
    assert body is not None
    return " ".join(body.get_content().split())


@pytest.mark.parametrize("kind", sorted(ALARMS))
def test_every_cause_says_in_every_language_what_to_do(kind: str) -> None:
    for code in CODES[1:]:
        language = language_of(code)
        assert language.translate(ALARMS[kind].headline) != str(ALARMS[kind].headline)
        assert language.translate(ALARMS[kind].advice) != str(ALARMS[kind].advice)


def test_one_mail_an_hour_for_each_cause_and_the_next_one_shows_what_came_between(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    anna, burt = table.players["anna"], table.players["burt"]
    table.send(anna.write("may I join a second match\n"))
    assert table.alarms() == ["words"]
    for number in range(25):
        table.send(burt.write(f"hello there, number {number}\n"))
    assert table.alarms() == ["words"]
    table.pass_time(1)
    table.pump()
    assert table.alarms() == ["words", "words"]
    second = text_of(table.mail.letters(OPERATOR)[-1])
    assert "number 0" in second
    assert "number 19" in second
    assert "number 20" not in second
    assert "and 5 more lines in the log" in second
    table.pass_time(3)
    assert table.alarms() == ["words", "words"]


def test_the_letter_is_in_the_operators_language_and_names_the_way_out(tmp_path: Path) -> None:
    table = Table(tmp_path, language="de").start()
    player = table.asked()[0]
    table.send(dsn(token_to(table, player.address), "5.2.2"))
    (raw,) = table.mail.letters(OPERATOR)
    assert headers(raw)["Subject"] == "Eine E-Mail an jemanden, auf den gewartet wird, kam zurück"
    assert headers(raw)["X-Pbem-Alarm"] == "awaited-bounce"
    assert "pbem host extend MATCH +24h" in text_of(raw)
    assert table.notes("awaited-bounce")[0].startswith("eine E-Mail an")


def test_a_bounce_of_somebody_who_is_not_awaited_is_in_the_log_alone(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    other = next(player for player in table.players.values() if not player.asked)
    table.send(dsn(token_to(table, other.address), "5.2.2"))
    assert table.alarms() == []
    assert len(table.notes("bounce")) == 1


def test_a_mailbox_that_refuses_is_shown_once_it_lasts_and_its_end_too(tmp_path: Path) -> None:
    table = Table(tmp_path).start()

    box = table.service._mailbox
    assert box is table.mail
    table.service._mailbox = FakeMail(down=True)  # emails leave still
    for _ in range(4):
        assert table.service.run_once().troubles
        table.clock.tick(70)
    assert table.alarms() == []  # a server that is restarted is no trouble
    for _ in range(50):
        table.service.run_once()
        table.clock.tick(60)
    assert table.alarms() == ["mailbox"]
    assert "the mail server is down" in text_of(table.mail.letters(OPERATOR)[0])
    table.service._mailbox = table.mail
    table.pump()
    assert table.alarms() == ["mailbox", "works-again"]


def test_one_fault_before_a_long_round_is_not_shown_neither_is_its_end(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    table.mail.down = True
    assert table.service.run_once().troubles
    table.mail.down = False
    table.clock.tick(600)  # without another try: the round was long
    table.pump()
    assert table.alarms() == []


def test_a_password_that_is_refused_is_shown_at_once(tmp_path: Path) -> None:
    class Changed(FakeMail):
        def _reached(self) -> None:
            raise LoginRefused("the mailbox at x:993: AUTHENTICATIONFAILED")

    table = Table(tmp_path).start()
    table.service._mailbox = Changed()
    table.service.run_once()
    assert table.alarms() == ["login"]
    assert "AUTHENTICATIONFAILED" in text_of(table.mail.letters(OPERATOR)[0])


def test_a_certificate_that_ends_soon_is_shown_once_a_day(tmp_path: Path) -> None:
    mail = FakeMail(until="2026-12-01T12:00:00Z")
    table = Table(tmp_path, mail=mail).start()
    assert table.alarms() == ["certificate"]
    assert "2026-12-01" in text_of(table.mail.letters(OPERATOR)[0])
    table.pass_time(50)
    assert table.alarms() == ["certificate"] * 3
    mail.until = "2027-12-01T12:00:00Z"
    table.pass_time(50)
    assert table.alarms() == ["certificate"] * 3


# --- without a database -----------------------------------------------------------------------------------


def fallback_alert(folder: Path, mail: FakeMail, clock: FakeClock) -> FallbackAlert:
    from pbem.player.mail.outgoing import Sender

    return FallbackAlert(Sender(HOST), OPERATOR, "fr", mail, folder / "service.alarms.json", clock)


def test_without_a_database_the_operator_is_notified_by_mail_alone_once_an_hour_also_after_a_restart(
    tmp_path: Path,
) -> None:
    mail, clock = FakeMail(), FakeClock()
    full = DatabaseFull("the database refuses: database or disk is full")
    assert fallback_alert(tmp_path, mail, clock).trouble(full)
    for _ in range(11):
        clock.tick(300)
        assert not fallback_alert(tmp_path, mail, clock).trouble(full)  # a new process each time
    clock.tick(301)
    assert fallback_alert(tmp_path, mail, clock).trouble(full)
    assert fallback_alert(tmp_path, mail, clock).trouble(DatabaseDamaged("pages", hint="Put it back."))
    letters = mail.letters(OPERATOR)
    assert [headers(raw)["X-Pbem-Alarm"] for raw in letters] == ["disk-full", "disk-full", "damaged"]
    assert len({headers(raw)["Message-ID"] for raw in letters}) == 3
    assert "Le disque est plein" in str(headers(letters[0])["Subject"])
    assert "Put it back." in text_of(letters[2])
    noted = read_fallback_alert(tmp_path / "service.alarms.json")
    assert set(noted) == {"disk-full", "damaged"}


def test_the_fallback_alerts_file_needs_no_space_once_it_is_there(tmp_path: Path) -> None:
    mail, clock = FakeMail(), FakeClock()
    alert = fallback_alert(tmp_path, mail, clock)
    alert.ready()
    path = tmp_path / "service.alarms.json"
    size = path.stat().st_size
    assert alert.trouble(DatabaseFull("full"))
    assert path.stat().st_size == size
    assert json.loads(path.read_bytes())["disk-full"][1] == "full"
    path.write_bytes(b"\x00garbage")
    assert fallback_alert(tmp_path, mail, clock).trouble(DatabaseFull("full"))  # rather twice than never


def test_a_database_that_cannot_be_used_is_shown_once_it_lasts(tmp_path: Path) -> None:
    mail, clock = FakeMail(), FakeClock()
    alert = fallback_alert(tmp_path, mail, clock)
    away = MailTrouble("the database refuses: server closed the connection")
    assert not alert.trouble(away)
    clock.tick(200)
    assert not alert.trouble(away)
    clock.tick(200)
    assert alert.trouble(away)
    alert.works()
    assert not alert.trouble(away)


def test_a_fallback_alert_that_nobody_hears_does_not_stop_the_service(tmp_path: Path) -> None:
    mail, clock = FakeMail(down=True), FakeClock()
    alert = fallback_alert(tmp_path, mail, clock)
    assert not alert.trouble(DatabaseFull("full"))
    mail.down = False
    assert alert.trouble(DatabaseFull("full"))
    assert not alert.trouble(DatabaseFull("full"))


def test_a_full_disk_wakes_him_and_the_service_goes_on_when_there_is_space(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    player = table.asked()[0]
    head = len(table.lines)
    with table.service.context.database.transaction() as transaction:
        (pages,) = transaction.run("PRAGMA page_count")[0]
    table.service.context.database._driver._connection.execute(f"PRAGMA max_page_count = {pages}")  # type: ignore[union-attr]
    table.mail.arrive(player.mail(player.move()) + b"\r\n" + b"x" * 60_000)
    alerts: list[str] = []
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        table.clock.tick(seconds)
        if len(slept) == 3:
            table.service.context.database._driver._connection.execute("PRAGMA max_page_count = 1000000")  # type: ignore[union-attr]

    table.service.serve(lambda: len(table.lines) > head or len(slept) > 5, sleep, alerts.append)
    assert len(alerts) == 3
    assert all("full" in words for words in alerts)
    assert table.alarms() == ["disk-full"]
    assert len(table.lines) == head + 1
