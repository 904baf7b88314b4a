"""A bounce proves its envelope: whoever has seen an email, or its Message-ID, silences nobody.

The members were looked for as everything by which a delivery report can name an email: the address that it comes to,
the Message-ID of what it returns (whole, or headers only). Each is tried with what the email shows, beside the honest
report that has its envelope.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service.people import headers
from tests.service.table import Table
from tests.service.test_manners import dsn, token_to


def about(message_id: str, form: str, to: str = "games@pbem.test") -> bytes:
    """A report of a dead address on the email with this Message-ID."""
    return (
        f"From: MAILER-DAEMON@mx.test\r\nTo: {to}\r\nReturn-Path: <>\r\nMIME-Version: 1.0\r\n"
        'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n'
        "--b\r\nContent-Type: text/plain\r\n\r\nno such user\r\n"
        "--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\n"
        "Final-Recipient: rfc822; x\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n"
        f"--b\r\nContent-Type: {form}\r\n\r\nMessage-ID: {message_id}\r\nSubject: x\r\n\r\n--b--\r\n"
    ).encode()


def shown(table: Table) -> tuple[str, str]:
    """The Message-ID of the newest email to Burt, and the token in it."""
    own = headers(table.players["burt"].letters[-1])["Message-ID"]
    return own, own.strip("<>").partition("@")[0].rpartition(".")[2]


@pytest.mark.parametrize("form", ["message/rfc822", "text/rfc822-headers"])
@pytest.mark.parametrize("way", ["to the host", "to the envelope as it was once"])
def test_what_an_email_shows_suspends_nobody_and_is_asked_about_once(
    tmp_path: Path, form: str, way: str
) -> None:
    table = Table(tmp_path).start()
    burt, (own, token) = table.players["burt"], shown(table)
    sent = len(burt.letters)
    for _ in range(6):
        table.send(
            about(own, form, "games@pbem.test" if way == "to the host" else f"games+b.{token}@pbem.test")
        )
    assert not table.notes("suspended")
    assert len(burt.letters) == sent + 1


def test_what_asked_once_more_comes_back_and_is_believed(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    table.send(about(shown(table)[0], "message/rfc822"))
    assert not table.notes("suspended")
    table.send(about(shown(table)[0], "message/rfc822"))
    assert table.notes("suspended")


def test_the_envelope_is_good_for_one_report_and_fourteen_days(tmp_path: Path) -> None:
    table = Table(tmp_path).start()
    burt = table.players["burt"]
    token = token_to(table, burt.address)
    assert token != shown(table)[1]
    assert token.encode() not in burt.letters[-1], "only the envelope has it"
    for _ in range(6):  # one email that came back six times is one
        table.send(dsn(token, "5.2.2"))
    assert not table.notes("suspended")
    late = Table(tmp_path / "late").start()
    old = token_to(late, burt.address)
    late.pass_time(15 * 24)
    late.send(dsn(old, "5.1.1"))
    assert not late.notes("suspended")
    now = Table(tmp_path / "now").start()
    now.send(dsn(token_to(now, burt.address), "5.1.1"))
    assert now.notes("suspended")
