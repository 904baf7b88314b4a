"""A known address that writes anything gets an answer, or the host is notified; a stranger is in the quarantine."""

from __future__ import annotations

import base64
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.host.letter_mail import LetterName
from pbem.host.service.lists import put_aside
from pbem.player.mail.intake import near_command
from tests.service.fakes import OPERATOR
from tests.service.people import Player, headers
from tests.service.table import Table
from tests.service.test_alarms import text_of


def forwarded(player: Player, inside: bytes, how: str) -> bytes:
    """What mail programs make of "forward as attachment"."""
    if how == "base64":  # RFC 2046 forbids it; Exchange does it
        head = (
            f"From: {player.address}\r\nTo: {player.host}\r\nSubject: Fwd: x\r\nMIME-Version: 1.0\r\n"
            "Content-Type: multipart/mixed; boundary=BB\r\n\r\n--BB\r\nContent-Type: text/plain\r\n\r\nsee below\r\n"
            "--BB\r\nContent-Type: message/rfc822\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        )
        return head.encode() + base64.encodebytes(inside) + b"\r\n--BB--\r\n"
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = player.address, player.host, "Fwd: x"
    message.set_content("see below\n")
    if how == "part":
        message.add_attachment(message_from_bytes(inside, policy=policy.default))
    else:
        message.add_attachment(inside, maintype="application", subtype="octet-stream", filename="turn.eml")
    return message.as_bytes(policy=policy.SMTP)


@pytest.mark.parametrize("how", ["part", "base64", "file"])
@pytest.mark.parametrize("kind", ["attachment", "armour"])
def test_a_forwarded_turn_is_taken(tmp_path: Path, how: str, kind: str) -> None:
    table = Table(tmp_path).start()
    player = table.asked()[0]
    head = len(table.lines)
    table.send(forwarded(player, player.mail(player.move(), kind), how))
    assert len(table.lines) == head + 1
    assert table.alarms() == []


def test_a_letter_forwarded_in_a_letter_is_opened_so_deep_and_no_deeper(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    player = table.asked()[0]
    head, raw = len(table.lines), player.mail(player.move())
    for _ in range(3):
        raw = forwarded(player, raw, "file")
    table.send(raw)
    assert len(table.lines) == head
    assert table.alarms() == ["words"]


@pytest.mark.parametrize(
    ("written", "near"),
    [
        ("STAUTS", "status"),
        ("resned 7", "resend"),
        ("Hilfe!", "help"),
        ("état", "status"),
        ("REMINDER 12 0", "remind"),
        ("thank you all", ""),
        ("I will be back on Monday", ""),
        ("", ""),
    ],
)
def test_the_nearest_word(written: str, near: str) -> None:
    assert near_command(written) == near


def test_a_misspelt_word_gets_the_nearest_one_in_the_writers_language(tmp_path: Path) -> None:
    table = Table(tmp_path).invite()
    anna = table.players["anna"]
    table.send(anna.mail(anna.join(table.words["anna"]) | {}))
    for _ in range(3):
        table.send(anna.write("STAUTS\n\nAnna\n"))
        assert "Did you mean STATUS?" in text_of(anna.letters[-1])
    assert table.subjects("anna")[-1] == "Not taken: there is no such email command"
    assert table.alarms() == []


def test_a_word_in_the_subject_alone_works(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    anna = table.players["anna"]
    table.send(anna.write("\n", subject="HELP"))
    assert table.subjects("anna")[-1] == "Help"


def test_results_stay_out_of_the_subjects_of_who_asks_for_it(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    anna, burt = table.players["anna"], table.players["burt"]
    table.send(anna.write("RESULTS never\n"))
    assert "after RESULTS comes hide or show, not never" in text_of(anna.letters[-1])
    assert "subjects tell results" in text_of(anna.letters[-1])
    table.send(anna.write("RESULTS hide\n"))
    assert "no subject tells a result" in text_of(anna.letters[-1])
    player = table.asked()[0]
    table.send(player.mail(player.move()))
    with table.service.context.database.transaction() as transaction:
        sent = transaction.run("SELECT seat, name FROM outbox ORDER BY id")
    discreet = {str(seat): LetterName.from_json(name).discreet for seat, name in sent if name}
    assert discreet == {"anna": True, "burt": False}
    table.send(burt.write("Ergebnisse\n"))
    assert "Did you mean RESULTS?" in text_of(burt.letters[-1])


def test_free_text_goes_to_the_operator_and_its_writer_hears_so(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    anna = table.players["anna"]
    table.send(anna.write("Dear host, my computer broke.\nPlease give me a week.\n> your last letter\n"))
    assert "What you wrote was passed on to the host." in text_of(anna.letters[-1])
    (letter,) = table.mail.letters(OPERATOR)
    assert "anna@players.test" in text_of(letter)
    assert "Please give me a week." in text_of(letter)
    assert "your last letter" not in text_of(letter)


def test_nothing_that_a_known_address_writes_is_silent_to_both(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    anna = table.players["anna"]
    used = anna.turn(say="x")
    anna.number -= 1
    other = anna.turn(say="y")
    for number, raw in enumerate(
        [
            anna.write("hello\n"),
            anna.write("STAUTS\n"),
            anna.write("PBEM1BEGIN 234 PBEM1END\n"),
            anna.write("HELP\n"),
            anna.mail(used),
            anna.mail(used, "armour"),
            anna.write("x" * 600_000),
            anna.write("x", {"body": used["body"], "sig": other["sig"]}),
        ]
        * 2
    ):
        before = len(anna.letters), len(table.mail.letters(OPERATOR)), _noted(table)
        table.send(raw.replace(b"Message-ID: <", f"Message-ID: <{number}".encode(), 1))
        after = len(anna.letters), len(table.mail.letters(OPERATOR)), _noted(table)
        if number in (12, 13):  # a file that came again has its receipt once an hour
            assert after == before
        else:
            assert after > before, raw[:300]


def _noted(table: Table) -> int:
    with table.service.context.database.transaction() as transaction:
        return int(transaction.run("SELECT COUNT(*) FROM notes")[0][0])


def test_strangers_and_robots_are_in_the_quarantine_and_nowhere_else(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    anna, sent = table.players["anna"], len(table.mail.delivered)
    table.send(anna.write("buy now\n", sender="mallory@example.org", subject="An offer"))
    table.send(b"Auto-Submitted: auto-replied\r\n" + anna.write("I am away\n", subject="Out of office"))
    table.pass_time(31)
    assert (len(table.mail.delivered), table.alarms()) == (sent, [])
    robot, stranger = put_aside(table.service)["mails"]
    assert (stranger["sender"], stranger["subject"]) == ("mallory@example.org", "An offer")
    assert (robot["sender"], robot["subject"]) == ("anna@players.test", "Out of office")


@pytest.mark.parametrize("kind", ["application/pkcs7-mime", "application/x-pkcs7-mime"])
def test_opaque_smime_is_said_as_what_it_is(tmp_path: Path, kind: str) -> None:
    table = Table(tmp_path).start()
    anna = table.players["anna"]
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = anna.address, "games@pbem.test", "my turn"
    message["Message-ID"] = "<wrapped@players.test>"
    message.set_content(
        bytes.fromhex("308006092a864886f70d010703a080308002010031"), *kind.split("/"), filename="smime.p7m"
    )
    table.send(message.as_bytes())
    answer = anna.letters[-1]
    assert "wrapped in S/MIME" in str(headers(answer)["Subject"])
    assert "Turn encryption off" in text_of(answer)
