"""What a robot owes people: no answer to robots and strangers, few error mails, an hourly limit, bounces that end."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.host.config import Limits
from pbem.player.mail.gate import MAX_MESSAGE
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.armour import armour
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record import Record
from tests.service.fakes import OPERATOR
from tests.service.people import headers, lines_in, parse
from tests.service.table import Table
from tests.world import secret

GENEROUS = Limits(receipts=0, per_minute=100_000, per_hour=1_000_000)


def letters_sent(table: Table) -> int:
    """To everybody but the operator."""
    return sum(to != OPERATOR for to, _ in table.mail.delivered)


def test_a_stranger_is_never_answered(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    anna, sent = table.players["anna"], letters_sent(table)
    for text in ("HELP\n", "STATUS\n", "hello\n", "PBEM1BEGIN 234 PBEM1END\n"):
        table.send(anna.write(text, sender="mallory@example.org"))
    assert letters_sent(table) == sent
    assert len(table.quarantined()) == 4
    assert len(table.mail.folders["Quarantine"]) == 4


def test_an_automatic_mail_is_never_answered_but_a_turn_in_it_counts(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    player = table.asked()[0]
    sent = letters_sent(table)
    for text in ("HELP\n", "I am away\n"):
        raw = b"Auto-Submitted: auto-replied\r\n" + player.write(text)
        table.send(raw)
    assert letters_sent(table) == sent
    head = len(table.lines)
    table.send(
        b"Auto-Submitted: auto-generated\r\n" + player.mail(player.turn({"do": "draw", "from": "supply"}))
    )
    assert len(table.lines) == head + 1
    wrong = player.turn({"do": "draw", "from": "supply"})
    sent = letters_sent(table)
    table.send(b"Auto-Submitted: auto-generated\r\n" + player.mail(wrong))
    assert letters_sent(table) == sent


def test_one_error_mail_for_each_sender_kind_and_day(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    anna = table.players["anna"]
    sent = letters_sent(table)
    for number in range(5):
        table.send(anna.write(f"thanks, number {number}\n"))
    assert letters_sent(table) == sent + 1
    block = armour(anna.turn(say="x")).replace("PBEM1END", "QQQ PBEM1END")
    for number in range(3):
        table.send(anna.write(f"{block}\n{number}\n"))
    assert letters_sent(table) == sent + 2
    answer = parse(table.mail.letters(anna.address)[-1])
    assert answer["Subject"] == "Not taken: the text block is damaged"
    assert answer["Auto-Submitted"] == "auto-replied"
    assert not list(answer.iter_attachments())
    assert [sender for sender, to in table.mail.envelopes if to[0] == anna.address][-1] == ""
    assert table.alarms() == ["words", "aside"]
    table.pass_time(24)
    table.send(anna.write("thanks again\n"))
    assert letters_sent(table) == sent + 3


def test_refusals_to_one_seat_are_limited_in_a_day(tmp_path: Path) -> None:
    table = Table(
        tmp_path, limits=Limits(receipts=0, per_minute=100_000, per_hour=1_000_000, answers=5)
    ).start()
    other = next(player for player in table.players.values() if not player.asked)
    sent = letters_sent(table)
    for _ in range(9):
        table.send(other.mail(other.turn({"do": "draw", "from": "supply"})))
    assert letters_sent(table) == sent + 5 + 1  # the last one says that there are no more for a while


def test_the_brake_stops_everything_and_notifies_the_operator(tmp_path: Path) -> None:
    table = Table(tmp_path, limits=Limits(receipts=0, per_minute=1000, per_hour=4, answers=100)).invite()
    table.send(table.players["anna"].mail(table.players["anna"].join(table.words["anna"])))
    anna = table.players["anna"]
    for number in range(4):
        table.send(anna.write(f"STATUS\n{number}\n"))
    assert "brake" in table.alarms()
    stopped = len(table.mail.letters(anna.address))
    table.send(anna.write("HELP\n"))
    assert len(table.mail.letters(anna.address)) == stopped
    table.clock.tick(60)
    table.service.go_on()
    table.pump()
    assert len(table.mail.letters(anna.address)) > stopped


def test_letters_wait_when_a_minute_has_had_enough(tmp_path: Path) -> None:
    table = Table(
        tmp_path, seats=("anna", "burt", "curt"), limits=Limits(receipts=0, per_minute=2, per_hour=1000)
    )
    table.invite()
    assert letters_sent(table) == 2
    table.pump()
    assert letters_sent(table) == 2
    table.clock.tick(120)
    table.pump()
    assert letters_sent(table) == 3


@pytest.mark.parametrize("word", ["HELP", "STATUS", "RESEND 3"])
def test_a_word_on_the_first_line_works_for_a_registered_address(tmp_path: Path, word: str) -> None:
    table = Table(tmp_path).start()
    anna = table.players["anna"]
    table.send(anna.write(f"{word}\n\n> quoted\n"))
    answer = anna.letters[-1]
    assert headers(answer)["In-Reply-To"]
    if word.startswith("RESEND"):
        assert lines_in(answer) == table.lines[3:]
    else:
        body = parse(answer).get_body(("plain",))
        assert body is not None
        assert table.short in body.get_content()


def test_the_newest_state_can_be_had_again_without_any_copy(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    table.play(6)
    anna = table.players["anna"]
    anna.lines.clear()
    anna._record = None
    table.send(anna.write("RESEND\n"))
    assert anna.lines == table.lines
    assert Record.load(anna.lines).head.hash == Record.load(table.lines).head.hash


# --- repeated, refused, several -----------------------------------------------------------------------------


def test_a_mail_that_is_delivered_twice_counts_once(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    player = table.asked()[0]
    raw = player.mail(player.turn({"do": "draw", "from": "supply"}))
    table.send(raw)
    sent, head = letters_sent(table), len(table.lines)
    table.send(b"Received: by another way\r\n" + raw)
    assert (letters_sent(table), len(table.lines)) == (sent, head)


def test_a_turn_that_is_sent_again_gets_its_receipt_again_and_changes_nothing(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    player = table.asked()[0]
    file = player.turn({"do": "draw", "from": "supply"})
    table.send(player.mail(file))
    sent, lines = letters_sent(table), table.lines
    table.send(player.mail(file, "armour"))
    assert table.lines == lines
    assert letters_sent(table) == sent + 1
    assert table.subjects(player.seat)[-1].startswith("Your turn: play and discard")


def test_a_refused_file_is_refused_again_even_when_its_time_has_come(tmp_path: Path) -> None:
    """schemas/README.md §9: a line and a ``reject`` for one message would prove the host's misconduct."""
    table = Table(tmp_path).start()
    player = table.asked()[0]
    other = next(other for other in table.players.values() if other is not player)
    early = other.turn({"do": "draw", "from": "supply"})
    table.send(other.mail(early))
    assert table.subjects(other.seat)[-1].startswith("Refused: ")
    before = [
        part for part in parse(other.letters[-1]).iter_attachments() if "reject" in str(part.get_filename())
    ]
    while not other.asked:
        table.play(1)
    lines = table.lines
    table.send(other.mail(early, "armour"))
    assert table.lines == lines
    after = [
        part for part in parse(other.letters[-1]).iter_attachments() if "reject" in str(part.get_filename())
    ]
    assert [p.get_content() for p in before] == [p.get_content() for p in after]


def test_several_new_files_in_one_mail_are_refused_and_old_ones_ignored(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    player = table.asked()[0]
    first, two = player.turn({"do": "draw", "from": "supply"}), player.turn(say="Howdy")
    head = len(table.lines)
    table.send(player.write(armour(first) + "\n" + armour(two)))
    assert len(table.lines) == head
    assert "several files" in table.subjects(player.seat)[-1]
    table.send(player.write(armour(first)))
    assert len(table.lines) == head + 1
    again = player.turn(say="Hello")
    table.send(player.write(armour(again) + "\n> my last one\n" + armour(first)))
    assert len(table.lines) == head + 2


def test_somebody_elses_turn_may_come_from_any_address_and_is_answered_to_its_seat(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    player = table.asked()[0]
    head = len(table.lines)
    table.send(player.mail(player.turn({"do": "draw", "from": "supply"}), sender="borrowed@phone.example"))
    assert len(table.lines) == head + 1
    assert table.subjects(player.seat)[-1].startswith("Your turn: play and discard")
    assert not table.mail.letters("borrowed@phone.example")


def test_a_file_for_another_match_or_with_a_bad_signature_is_put_aside_unanswered(tmp_path: Path) -> None:
    table = Table(tmp_path / "a").start()
    other = Table(
        tmp_path / "b", seats=("anna", "burt", "curt"), host=Identity(secret("another host"))
    ).invite()
    mallory = other.players["anna"]
    sent = letters_sent(table)
    table.send(mallory.mail(mallory.join("x")))
    forged = table.players["anna"].turn(say="I resign")
    key = table.players["burt"].turn(say="y")["sig"]
    table.send(table.players["anna"].write("x\n", {"body": forged["body"], "sig": key}))
    assert letters_sent(table) - sent == 2  # anna is registered: she gets one email about each
    assert len(table.quarantined()) == 2


# --- bounces ------------------------------------------------------------------------------------------------


def dsn(token: str, status: str, action: str = "failed") -> bytes:
    message = EmailMessage()
    message["From"] = "MAILER-DAEMON@mx.example.org"
    message["To"] = f"games+b.{token}@pbem.test"
    message["Subject"] = "Undelivered Mail"
    text = f"Reporting-MTA: dns; mx\n\nFinal-Recipient: rfc822; x\nAction: {action}\nStatus: {status}\n"
    head = message.as_bytes().partition(b"\n\n")[0]
    body = (
        'MIME-Version: 1.0\nContent-Type: multipart/report; report-type=delivery-status; boundary="x"\n\n'
        f"--x\nContent-Type: text/plain\n\nsorry {status}\n"
        f"--x\nContent-Type: message/delivery-status\n\n{text}\n--x--\n"
    )
    return b"Return-Path: <>\n" + head + b"\n" + body.encode()


def token_to(table: Table, address: str, back: int = 0) -> str:
    """Of the newest envelope to an address, or of an older one."""
    envelope = [sender for sender, to in table.mail.envelopes if to[0] == address][-1 - back]
    return envelope.partition("+b.")[2].partition("@")[0]


def test_a_dead_address_is_suspended_the_host_learns_and_a_turn_wakes_it(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    player = table.asked()[0]
    other = next(other for other in table.players.values() if other is not player)
    table.send(dsn(token_to(table, other.address), "5.1.1"))
    assert table.notes("suspended")
    assert table.mail.letters(OPERATOR)
    sent = len(table.mail.letters(other.address))
    while table.asked() == [player]:
        table.send(player.mail(player.move()))
    assert len(table.mail.letters(other.address)) == sent
    held = table.service.counts()["held"]
    assert held
    table.send(other.mail(other.turn(say="I am back")))
    assert len(table.mail.letters(other.address)) == sent + held + 1
    assert "held" not in table.service.counts()


def test_a_delay_and_an_invented_bounce_suspend_nobody(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    anna = table.players["anna"]
    table.send(dsn(token_to(table, anna.address), "4.4.1", "delayed"))
    table.send(dsn("0123456789abcdefghjkmnpqrs", "5.1.1"))
    assert not table.notes("suspended")
    assert all(not seat["suspended"] for seat in table.service.matches.status()[0]["mail"])


def test_a_full_mailbox_suspends_after_five_letters(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    anna = table.players["anna"]
    table.play(8)
    for number in range(5):
        assert not table.notes("suspended")
        table.send(dsn(token_to(table, anna.address, number), "5.2.2"))
    assert table.notes("suspended")


# --- limits of size ------------------------------------------------------------------------------------------


def test_a_mail_that_is_too_big_is_put_aside_and_said(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    anna = table.players["anna"]
    table.send(anna.write("x" * (MAX_MESSAGE + 10)))
    assert table.quarantined()[0].startswith("too-big")
    assert "too big" in table.subjects("anna")[-1]
    (kept,) = table.mail.folders["Quarantine"].values()
    assert len(kept) > MAX_MESSAGE


def test_a_bad_mail_does_not_keep_the_next_one_from_being_ruled_on(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    player = table.asked()[0]
    head = len(table.lines)
    for raw in (
        b"",
        b"\x00" * 1000,
        b"From: " + b"(" * 9000 + b"\r\n\r\n",
        b'Content-Type: multipart/mixed; boundary=""\r\n\r\n',
    ):
        table.mail.arrive(raw)
    table.mail.arrive(player.mail(player.turn({"do": "draw", "from": "supply"})))
    table.pump()
    assert len(table.lines) == head + 1
    assert not table.mail.inbox.keys() - {
        uid for uid, raw in table.mail.inbox.items() if b"games+sent" in raw
    }


def test_a_letter_holds_no_hand_no_link_and_nothing_remote(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    table.play(8)
    for player in table.players.values():
        for raw in player.letters:
            html = parse(raw).get_body(("html",))
            assert html is not None
            text = html.get_content()
            assert "http" not in text.replace("http://www.w3.org", "")
            assert "<script" not in text
    sealed = [canon(player.view.view_json) for player in table.players.values() if player.record.waiting]
    assert all(
        canon_hand not in raw for canon_hand in sealed for p in table.players.values() for raw in p.letters
    )
