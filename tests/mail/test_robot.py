"""What is never answered, what a bounce says, and what goes out: RFC 3834, RFC 3464, RFC 5322."""

from __future__ import annotations

from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP

import pytest

from pbem.base.errors import UsageProblem
from pbem.player.mail.gate import Mail, read_mail
from pbem.player.mail.outgoing import (
    Sender,
    check_address,
    message_id,
    one_line,
    plain_mail,
    robot_headers,
    token_of,
)
from pbem.player.mail.robot import automatic, base_address, plus_part, read_bounce

OWN = ("games@pbem.test",)
SENDER = Sender("games@pbem.test", "Saturday table")


def mail(**headers: str) -> Mail:
    message = EmailMessage()
    message["From"] = headers.pop("From", "anna@players.test")
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content("hello\n")
    return read_mail(message.as_bytes(policy=SMTP))


@pytest.mark.parametrize(
    "headers",
    [
        {"Return_Path": "<>"},
        {"Auto_Submitted": "auto-replied (vacation)"},
        {"Auto_Submitted": "auto-generated; x=y"},
        {"Precedence": "bulk"},
        {"Precedence": "list"},
        {"List_Id": "<chess.example.org>"},
        {"X_Autoreply": "yes"},
        {"X_Loop": "somebody@example.org"},
        {"From": "MAILER-DAEMON@example.org"},
        {"From": "no-reply@example.org"},
        {"From": "noreply+17@example.org"},
        {"From": "postmaster@example.org"},
        {"From": "games+b.x@pbem.test"},
        {"From": "GAMES@PBEM.TEST"},
        {"From": "a@example.org, b@example.org"},
    ],
)
def test_automatic_mail_is_never_answered(headers: dict[str, str]) -> None:
    assert automatic(mail(**headers), OWN)


@pytest.mark.parametrize("headers", [{}, {"Auto_Submitted": "no"}, {"Return_Path": "<anna@players.test>"}])
def test_a_persons_mail_may_be_answered(headers: dict[str, str]) -> None:
    assert automatic(mail(**headers), OWN) == ""


DSN = b"""Return-Path: <>
Delivered-To: games+b.7q3kdw1x@pbem.test
From: MAILER-DAEMON@mx.example.org
To: games+b.7q3kdw1x@pbem.test
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="x"

--x
Content-Type: text/plain

I'm sorry.
--x
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.org
Original-Envelope-Id: 7q3kdw1x

Final-Recipient: rfc822; Anna@players.test
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 unknown user

--x
Content-Type: text/rfc822-headers

Message-ID: <7q3kdw1x@pbem.test>
Subject: [pbem abc] Wyatt Earp

--x--
"""


def test_a_delivery_report_names_its_letter_and_what_is_wrong() -> None:
    bounce = read_bounce(read_mail(DSN))
    assert bounce is not None
    assert (bounce.token, bounce.message_id) == ("7q3kdw1x", "<7q3kdw1x@pbem.test>")
    assert (bounce.recipient, bounce.action, bounce.status) == ("anna@players.test", "failed", "5.1.1")
    assert bounce.dead
    assert automatic(read_mail(DSN), OWN)


@pytest.mark.parametrize(
    ("status", "action", "dead"),
    [
        ("5.2.1", "failed", True),
        ("5.2.2", "failed", False),
        ("4.4.1", "delayed", False),
        ("5.7.1", "failed", False),
    ],
)
def test_only_a_dead_address_is_dead(status: str, action: str, dead: bool) -> None:
    raw = DSN.replace(b"5.1.1\nD", status.encode() + b"\nD").replace(
        b"Action: failed", b"Action: " + action.encode()
    )
    bounce = read_bounce(read_mail(raw))
    assert bounce is not None
    assert bounce.dead is dead


def test_a_persons_mail_is_no_bounce() -> None:
    assert read_bounce(mail(To="games+b.7q3kdw1x@pbem.test")) is None
    assert read_bounce(mail(To="games@pbem.test")) is None


# --- outgoing -----------------------------------------------------------------------------------------------


def test_a_message_id_is_a_mac_and_depends_on_key_and_effect() -> None:
    ids = {token_of(key, effect) for key in (b"a" * 32, b"b" * 32) for effect in ("1", "2")}
    assert len(ids) == 4
    token = token_of(b"a" * 32, "1")
    assert len(token) == 26
    assert token == token.lower()
    assert message_id(token, "games@PBEM.test") == f"<pbem.{token}@pbem.test>"


def test_addresses_with_plus_parts() -> None:
    assert SENDER.envelope("tok") == "games+b.tok@pbem.test"
    assert Sender("games@pbem.test", plus=False).envelope("tok") == "games@pbem.test"
    assert plus_part("games+b.tok@pbem.test") == "b.tok"
    assert base_address("Games+x@PBEM.test") == "games@pbem.test"


@pytest.mark.parametrize(
    "text", ["a@b@c", "anna", "a b@c.d", '"x"@c.d', "a@b.c\r\nBcc: x@y.z", "a..b@c.d", "@c.d", ""]
)
def test_what_is_no_plain_address_is_refused(text: str) -> None:
    with pytest.raises(UsageProblem):
        check_address(text)


def test_a_robot_says_that_it_is_one() -> None:
    headers = robot_headers(SENDER, answer=True, match="7q3kdw1x", seat="anna", title="Wyatt Earp")
    assert headers["Auto-Submitted"] == "auto-replied"
    assert headers["List-Id"] == "Wyatt Earp 7q3kdw1x <7q3kdw1x.games.pbem.test>"
    assert headers["Reply-To"] == "games+7q3kdw1x@pbem.test"
    assert robot_headers(SENDER, answer=False)["Auto-Submitted"] == "auto-generated"


def test_nothing_can_be_smuggled_into_a_header() -> None:
    assert "\n" not in one_line("a\r\nBcc: x@y.z\u2028b")
    raw = plain_mail(
        SENDER,
        "anna@players.test",
        "help\r\nBcc: evil@example.org",
        "text\n",
        "<1@pbem.test>",
        datetime(2026, 11, 21, tzinfo=UTC),
        robot_headers(SENDER, answer=True),
        ("<old@players.test>", "no id\r\nX: y", "<new@players.test>"),
    )
    read = read_mail(raw)
    assert read.header("Bcc") == ""
    assert read.references == ("<old@players.test>", "<new@players.test>")
    assert read.header("In-Reply-To") == "<new@players.test>"


def test_long_foreign_ids_keep_a_thread_together() -> None:
    long = f"<{'x' * 180}@mail.outlook.example>"
    raw = plain_mail(
        SENDER, "a@b.cd", "x", "t\n", "<1@pbem.test>", datetime(2026, 11, 21, tzinfo=UTC), {}, (long,)
    )
    assert f"In-Reply-To: {long}\r\n".encode() in raw
