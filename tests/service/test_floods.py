"""Floods: who sends very much costs nobody else more than the time it takes to look past it."""

from __future__ import annotations

from dataclasses import replace
from email.message import EmailMessage
from pathlib import Path

from pbem.game import Seat
from pbem.host.config import Limits
from pbem.player.mail.gate import may_hold_file
from pbem.protocol.client import compose_consent
from tests.service.fakes import GENEROUS
from tests.service.people import HOW
from tests.service.table import Table
from tests.service.test_budgets import kept

LIMITS = Limits(receipts=0, per_minute=100_000, per_hour=1_000_000, per_match=1_000_000)


def stranger(number: int, domain: str = "players.test") -> bytes:
    """A mail of 4 KB that names a player's domain."""
    message = EmailMessage()
    message["From"] = f"bot{number}@{domain}"
    message["To"] = "games@pbem.test"
    message["Subject"] = "hello"
    message["Message-ID"] = f"<flood{number}@{domain}>"
    message.set_content(f"{number} " * 600)
    return message.as_bytes()


def test_a_burst_of_strangers_mails_stays_on_the_server_and_an_honest_file_does_not_wait(
    tmp_path: Path,
) -> None:
    table = Table(tmp_path, limits=replace(LIMITS, per_domain=60)).start()
    (mover,) = table.asked()
    for number in range(1500):
        table.mail.arrive(stranger(number))
    table.mail.arrive(mover.mail(mover.move()))
    records, before = len(table.lines), kept(table)
    table.pump()
    assert len(table.lines) > records
    assert len(table.mail.inbox) > 1300  # those not looked at stay where they are
    assert kept(table) - before < 60 * 5000 + 50_000
    letters = sum(to == mover.address for to, _ in table.mail.delivered)
    assert letters < 20
    assert table.alarms().count("flood") == 1


def test_strangers_of_as_many_domains_as_mails_are_looked_at_like_those_of_five(tmp_path: Path) -> None:
    table = Table(tmp_path, limits=replace(LIMITS, per_domain=60)).start()
    (mover,) = table.asked()
    for number in range(1500):
        table.mail.arrive(stranger(number, f"domain{number}.test"))
    table.mail.arrive(mover.mail(mover.move()))
    records, before = len(table.lines), kept(table)
    table.pump()
    assert len(table.lines) > records, "the newest mails are listed first"
    assert table.mail.unlisted > 0
    while table.pump().anything:
        pass
    assert table.mail.unlisted == 0
    assert len(table.mail.inbox) == 1500 - 5 * 60
    assert kept(table) - before < 5 * 60 * 5000
    table.mail.arrive(table.asked()[0].mail(table.asked()[0].move()))
    table.pump()
    assert len(table.lines) > records + 1, "who comes later does not wait either"


def test_mails_of_strangers_bring_no_more_bytes_in_a_day_than_ten_domains_may(tmp_path: Path) -> None:
    table = Table(tmp_path, limits=replace(GENEROUS, aside=5_000)).start()
    before = kept(table)
    for number in range(20):
        table.mail.arrive(stranger(number, f"domain{number}.test"))
    table.pump()
    assert len(table.quarantined()) == 20
    assert 10_000 < kept(table) - before < 10 * 5_000


def test_whoever_takes_a_players_own_address_does_not_keep_the_player_waiting(tmp_path: Path) -> None:
    """The file is found by its signature, in the middle of mails that name its sender."""
    table = Table(tmp_path, limits=LIMITS).start()
    (mover,) = table.asked()
    for number in range(300):
        table.mail.arrive(stranger(number).replace(f"bot{number}@".encode(), f"{mover.seat}@".encode()))
    table.mail.arrive(mover.mail(mover.move()))
    for number in range(300, 600):
        table.mail.arrive(stranger(number).replace(f"bot{number}@".encode(), f"{mover.seat}@".encode()))
    records = len(table.lines)
    table.pump()
    assert len(table.lines) > records


def test_many_consents_of_a_seat_bring_nobody_more_than_ten_letters(tmp_path: Path) -> None:
    table = Table(tmp_path, limits=LIMITS, seats=("anna", "burt", "curt")).start()
    (mover,) = table.asked()
    loud = next(player for player in table.players.values() if player is not mover)
    before = {address: len(table.mail.letters(address)) for address in addresses(table)}
    for number in range(260):
        loud.number += 1
        terms = {"kind": "end", "why": f"reason {number}"}
        consent = compose_consent(loud.record, loud.identity, Seat(loud.seat), loud.number, terms)
        table.mail.arrive(loud.mail(consent))
    table.mail.arrive(mover.mail(mover.move()))
    records = len(table.lines)
    table.pump()
    assert len(table.lines) > records
    for _ in range(3):
        table.pump()
    for address, had in before.items():
        assert len(table.mail.letters(address)) - had <= 10 + (2 if address == mover.address else 1), address
    assert len(table.notes("spent")) <= 2  # a line of the log, not an alarm
    assert "spent" not in table.alarms()


def addresses(table: Table) -> list[str]:
    return [player.address for player in table.players.values()]


def test_a_refused_flood_is_answered_a_few_times_then_once_with_why_and_a_move_still_has_its_receipt(
    tmp_path: Path,
) -> None:
    table = Table(tmp_path, limits=LIMITS).start()
    (mover,) = table.asked()
    other = next(player for player in table.players.values() if player is not mover)
    before = len(table.mail.letters(other.address))
    for _ in range(30):
        table.send(other.mail(other.turn({"do": "draw", "from": "supply"})))
    texts = table.mail.letters(other.address)[before:]
    assert len(texts) <= 10
    assert sum(b"No more answers for a while" in raw for raw in texts) == 1
    while mover is not other:
        table.send(mover.mail(mover.move()))
        (mover,) = table.asked()
    count = len(table.mail.letters(other.address))
    table.send(other.mail(other.move()))
    assert len(table.mail.letters(other.address)) == count + 1  # a move always has its receipt


def test_a_replay_gets_its_receipt_once_an_hour_at_the_seats_own_address_and_nowhere_else(
    tmp_path: Path,
) -> None:
    table = Table(tmp_path, limits=LIMITS).start()
    (mover,) = table.asked()
    file = mover.move()
    table.send(mover.mail(file))
    count = len(table.mail.letters(mover.address))
    for _ in range(3):
        table.send(mover.mail(file))
    assert len(table.mail.letters(mover.address)) == count + 1
    table.send(mover.mail(file, sender="thief@elsewhere.test"))
    assert table.mail.letters("thief@elsewhere.test") == []
    table.clock.tick(3601)
    count = len(receipts(table, mover.address))
    table.send(mover.mail(file))
    assert len(receipts(table, mover.address)) == count + 1


def receipts(table: Table, address: str) -> list[bytes]:
    return [raw for raw in table.mail.letters(address) if b"receipt" in raw or b"accepted" in raw]


def test_a_compact_view_misses_no_file_in_any_form(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    (mover,) = table.asked()
    file = mover.move()
    for how in HOW:
        assert may_hold_file(mover.mail(file, how)), how
    assert not may_hold_file(stranger(1))
