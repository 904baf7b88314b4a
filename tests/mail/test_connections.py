"""SMTP and IMAP against real Postfix and Dovecot, and against the pip-only pair with faults on demand."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTP
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trustme
from imap_tools import MailBox
from imap_tools.errors import ImapToolsError

from pbem.player.mail.gate import read_mail
from pbem.player.mail.imap import ImapMailbox, make_folder
from pbem.player.mail.outgoing import Sender
from pbem.player.mail.ports import Account, MailTrouble, NotSent, Tls, Unknown
from pbem.player.mail.robot import read_bounce
from pbem.player.mail.smtp import SmtpOutgoing, verified_context
from pbem.protocol.formats.strict_json import forbidden
from tests.mail.mini import USER, MiniPair, Step
from tests.mail.stack import HOST, PASSWORD, MailStack, why_missing
from tests.needed import require
from tests.patience import MINUTE, PATIENCE, patiently

SENDER = Sender(HOST)
OAUTH_KEY = b"a key for tests of thirty-two bytes"


@pytest.fixture(scope="module")
def stack() -> Iterator[MailStack]:
    require(why_missing())
    with MailStack(("games", "anna"), oauth_key=OAUTH_KEY) as running:
        yield running


@pytest.fixture
def mini() -> Iterator[MiniPair]:
    with MiniPair() as running:
        yield running


def account(stack: MailStack, kind: str, user: str = "games") -> Account:
    tls: Tls = "starttls" if kind in ("imap", "submission") else "implicit"
    return Account(
        "localhost", stack.ports[kind], user, PASSWORD, tls, ca_file=str(stack.ca_file), timeout=PATIENCE
    )


def trusting(stack: MailStack, kind: str, ca_file: str) -> Account:
    return replace(account(stack, kind), ca_file=ca_file)


def letter(number: str, to: str = "anna@players.test") -> bytes:
    message = EmailMessage()
    message["From"] = HOST
    message["To"] = to
    message["Message-ID"] = f"<{number}@pbem.test>"
    message["Subject"] = number
    message.set_content("hello\n")
    return message.as_bytes(policy=SMTP)


def until(mailbox: ImapMailbox, number: int) -> list[bytes]:
    """The mails of a mailbox once there are so many; waits on IDLE, not on the clock."""
    for _ in patiently("the mail did not come"):
        waiting = mailbox.waiting()
        if len(waiting) >= number:
            break
        mailbox.wait(5)
    bodies = mailbox.fetch([mail.uid for mail in waiting])
    return [bodies[mail.uid] for mail in waiting]


def emptied(stack: MailStack, user: str) -> ImapMailbox:
    mailbox = ImapMailbox(lambda: account(stack, "imaps", user), folders=("Processed", "Quarantine"))
    mailbox.move([mail.uid for mail in mailbox.waiting()], "Processed")
    return mailbox


# --- real servers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ports", [("submission", "imap"), ("smtps", "imaps")])
def test_a_letter_travels_with_its_witness(stack: MailStack, ports: tuple[str, str]) -> None:
    host, anna = emptied(stack, "games"), emptied(stack, "anna")
    outgoing = SmtpOutgoing(lambda: account(stack, ports[0]))
    line = outgoing.connect().sock
    assert line is not None
    assert line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY), (
        "else a long letter waits 40 ms for nothing"
    )
    outgoing.send(SENDER.envelope("tok1"), ["anna@players.test", SENDER.witness()], letter("w1"), "tok1")
    assert b"Subject: w1" in until(anna, 1)[0]
    reader = ImapMailbox(lambda: account(stack, ports[1]))
    witness = until(reader, 1)[0]
    assert b"Message-ID: <w1@pbem.test>" in witness
    assert host.holds("<w1@pbem.test>", ())
    assert not host.holds("<w2@pbem.test>", ("Processed",))
    marks = len(host.marks("Processed"))
    host.mark("Processed", "one")
    host.mark("Processed", "two" * 80)
    assert host.marks("Processed")[marks:] == ["one", "two" * 80]
    assert len(reader.waiting()) == 1, "a mark is no mail that waits"
    for connection in (outgoing, reader, host, anna):
        connection.close()


def test_two_connections_put_the_same_mails_away(stack: MailStack) -> None:
    """What another reader has moved meanwhile is left out, and nothing else is: neither fault nor a second copy."""
    first, two = emptied(stack, "games"), emptied(stack, "games")
    outgoing = SmtpOutgoing(lambda: account(stack, "submission"))
    for number in range(3):
        outgoing.send(SENDER.envelope("t"), [HOST], letter(f"both-{number}"), "t")
        until(first, number + 1)  # servers promise no order
    until(two, 3)
    three = ImapMailbox(lambda: account(stack, "imaps", "games"))
    for named, unlisted in ((["both-0", "both-2"], 1), (["both-0", "both-1", "both-2"], 0)):
        assert [mail.message_id for mail in three.waiting(2)] == [f"<{name}@pbem.test>" for name in named]
        assert three.unlisted == unlisted  # of many new ones the oldest and the newest come first
    three.close()
    mails = two.waiting()
    assert sorted((mail.sender, mail.message_id) for mail in mails) == [
        (HOST, f"<both-{number}@pbem.test>") for number in range(3)
    ]
    uids = [mail.uid for mail in mails]
    two.move(uids[:2], "Processed")
    assert set(first.fetch(uids)) <= set(uids)
    first.move(uids, "Processed")
    assert first.waiting() == two.waiting() == []
    box = first.connect()
    box.folder.set("Processed")
    for number in range(3):
        assert len(box.uids(f'HEADER Message-ID "<both-{number}@pbem.test>"', charset=None)) == 1
    for connection in (outgoing, first, two):
        connection.close()


def test_a_dead_address_comes_back_to_the_letters_own_address(stack: MailStack) -> None:
    host = emptied(stack, "games")
    outgoing = SmtpOutgoing(lambda: account(stack, "submission"))
    outgoing.send(SENDER.envelope("tok7"), ["nobody@players.test"], letter("dead"), "tok7")
    bounce = read_bounce(read_mail(until(host, 1)[0]))
    assert bounce is not None
    assert (bounce.token, bounce.message_id) == ("tok7", "<dead@pbem.test>")
    assert bounce.dead
    for connection in (outgoing, host):
        connection.close()


def test_nothing_connects_to_a_server_that_is_not_trusted(stack: MailStack, tmp_path: Path) -> None:
    other = tmp_path / "other.pem"
    trustme.CA().cert_pem.write_to_path(other)
    for ca_file in ("", str(other)):
        for kind in ("submission", "smtps"):
            with pytest.raises(MailTrouble, match="certificate verify failed"):
                SmtpOutgoing(partial(trusting, stack, kind, ca_file)).connect()
        for kind in ("imap", "imaps"):
            with pytest.raises(MailTrouble, match="certificate verify failed"):
                ImapMailbox(partial(trusting, stack, kind, ca_file)).connect()


def test_the_certificate_must_be_for_the_name_that_was_dialled(stack: MailStack) -> None:
    wrong = replace(account(stack, "smtps"), host="127.0.0.2")
    with pytest.raises(MailTrouble):
        SmtpOutgoing(lambda: wrong).connect()


def test_a_wrong_password_is_said(stack: MailStack) -> None:
    with pytest.raises(MailTrouble):
        SmtpOutgoing(lambda: replace(account(stack, "smtps"), secret=PASSWORD + "!")).connect()
    with pytest.raises(MailTrouble):
        ImapMailbox(lambda: replace(account(stack, "imaps"), secret=PASSWORD + "!")).connect()


def test_mail_that_comes_just_before_idle_wakes_it(stack: MailStack) -> None:
    host = emptied(stack, "games")
    outgoing = SmtpOutgoing(lambda: account(stack, "submission"))
    box = host.connect()
    for number in range(3):
        before = len(host.waiting())
        outgoing.send(SENDER.envelope("t"), [HOST], letter(f"idle-{number}"), "t")
        other = ImapMailbox(lambda: account(stack, "imaps"))
        until(other, before + 1)  # it is there; this connection has no notice of it yet
        other.close()
        assert host.wait(MINUTE), "it slept to the end"  # before Dovecot says that it is still there
        assert len(host.waiting()) == before + 1
    assert "MOVE" in box.client.capabilities
    for connection in (outgoing, host):
        connection.close()


def test_idle_ends_when_mail_comes(stack: MailStack) -> None:
    host = emptied(stack, "games")
    outgoing = SmtpOutgoing(lambda: account(stack, "submission"))
    outgoing.connect()
    timer = threading.Timer(0.3, outgoing.send, ("a@pbem.test", [HOST], letter("later"), "t"))
    timer.start()
    assert host.wait(PATIENCE)
    timer.join()
    assert until(host, 1)
    for connection in (outgoing, host):
        connection.close()


def test_moving_touches_only_what_is_moved(stack: MailStack) -> None:
    host = emptied(stack, "games")
    outgoing = SmtpOutgoing(lambda: account(stack, "submission"))
    for number in ("m1", "m2", "m3"):
        outgoing.send("a@pbem.test", [HOST], letter(number), "t")
    until(host, 3)
    waiting = host.waiting()
    box = host.connect()
    box.client.uid("STORE", waiting[2].uid, "+FLAGS", r"(\Deleted)")  # somebody else's mark
    host.move([waiting[0].uid], "Quarantine")
    left = {mail.uid for mail in host.waiting()}
    assert left == {waiting[1].uid, waiting[2].uid}
    box.client.uid("STORE", waiting[2].uid, "-FLAGS", r"(\Deleted)")
    for connection in (outgoing, host):
        connection.close()


def test_a_fetched_mail_is_not_marked_as_read(stack: MailStack) -> None:
    host = emptied(stack, "games")
    outgoing = SmtpOutgoing(lambda: account(stack, "submission"))
    outgoing.send("a@pbem.test", [HOST], letter("unread"), "t")
    until(host, 1)
    assert host.fetch_head(host.waiting()[0].uid).startswith(b"Return-Path")
    assert host.connect().uids("UNSEEN", charset=None)
    for connection in (outgoing, host):
        connection.close()


def test_what_lies_in_all_folders_since_a_day_is_read_and_left_alone(stack: MailStack) -> None:
    host = emptied(stack, "games")
    outgoing = SmtpOutgoing(lambda: account(stack, "submission"))
    for number in ("k1", "k2", "k3"):
        outgoing.send("a@pbem.test", [HOST], letter(number), "t")
    until(host, 3)
    host.move([host.waiting()[0].uid], "Quarantine")
    today = datetime.now(UTC).date()
    read = list(host.kept(("Processed", "Quarantine", "no such folder"), today - timedelta(days=1)))
    ids = [read_mail(raw).message_id for raw in read]
    ours = [
        f"<{number}@pbem.test>" for number in ("k1", "k2", "k3")
    ]  # other tests left theirs in these folders
    assert sorted(message_id for message_id in ids if message_id in ours) == ours, "each once"
    assert list(host.kept(("Processed", "Quarantine"), today + timedelta(days=2))) == []
    assert len(host.waiting()) == 2  # the inbox is selected again
    assert host.connect().uids("UNSEEN", charset=None)
    for connection in (outgoing, host):
        connection.close()


def token_for(user: str, key: bytes = OAUTH_KEY) -> str:
    """An access token (JWT, HS256) as an identity provider gives it out."""

    def part(value: bytes) -> str:
        return base64.urlsafe_b64encode(value).rstrip(b"=").decode()

    head = part(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
    now = int(time.time())
    body = part(json.dumps({"sub": user, "iat": now - 10, "exp": now + 600}).encode())
    return f"{head}.{body}.{part(hmac.digest(key, f'{head}.{body}'.encode(), hashlib.sha256))}"


def test_xoauth2_logs_in_to_both_servers_and_a_bad_token_does_not(stack: MailStack) -> None:
    good, bad = token_for("games"), token_for("games", b"another key altogether, for sure")

    def with_token(kind: str, token: str) -> Account:
        return replace(account(stack, kind), auth="xoauth2", secret=token)

    for kind in ("smtps", "submission"):
        outgoing = SmtpOutgoing(partial(with_token, kind, good))
        outgoing.connect()
        outgoing.close()
        with pytest.raises(MailTrouble):
            SmtpOutgoing(partial(with_token, kind, bad)).connect()
    for kind in ("imaps", "imap"):
        mailbox = ImapMailbox(partial(with_token, kind, good))
        mailbox.waiting()
        mailbox.close()
        with pytest.raises(MailTrouble):
            ImapMailbox(partial(with_token, kind, bad)).connect()


# --- the pip-only pair: faults on demand ---------------------------------------------------------------------


def mini_account(mini: MiniPair, kind: str) -> Account:
    return Account(
        "localhost", mini.ports[kind], USER, PASSWORD, "starttls", ca_file=str(mini.ca_file), timeout=PATIENCE
    )


@pytest.mark.parametrize(("answer", "final"), [("451 4.7.1 greylisted", False), ("554 5.7.1 no", True)])
def test_a_refused_letter_left_for_nobody(mini: MiniPair, answer: str, *, final: bool) -> None:
    outgoing = SmtpOutgoing(lambda: mini_account(mini, "submission"))
    for at in ("rcpt", "data"):
        mini.script.append(Step(at, answer))
        with pytest.raises(NotSent) as caught:
            outgoing.send("games@pbem.test", ["anna@players.test", HOST], letter("r"), "t")
        assert caught.value.final is final
    assert mini.sent == []
    outgoing.send("games@pbem.test", ["anna@players.test", HOST], letter("r"), "t")
    assert len(mini.sent) == 1
    outgoing.close()


def test_a_connection_lost_after_the_letter_is_not_known(mini: MiniPair) -> None:
    outgoing = SmtpOutgoing(lambda: mini_account(mini, "submission"))
    mini.script.append(Step("data", "250 ok", taken=True))
    with pytest.raises(Unknown):
        outgoing.send("games@pbem.test", ["anna@players.test", HOST], letter("u"), "t")
    assert len(mini.sent) == 1
    mailbox = ImapMailbox(lambda: mini_account(mini, "imap"), folders=("Processed",))
    assert mailbox.holds("<u@pbem.test>", ("Processed",))
    outgoing.close()
    mailbox.close()


def test_a_server_that_is_gone_is_trouble_and_the_next_call_connects_again(mini: MiniPair) -> None:
    mailbox = ImapMailbox(lambda: mini_account(mini, "imap"))
    mailbox.waiting()
    mailbox.connect().client.sock.shutdown(socket.SHUT_RDWR)
    with pytest.raises(MailTrouble):
        mailbox.waiting()
    mini.append(letter("again"))
    assert until(mailbox, 1)
    mailbox.close()
    with pytest.raises(MailTrouble):
        SmtpOutgoing(lambda: replace(mini_account(mini, "submission"), port=1)).connect()


def test_a_folder_that_another_connection_made_in_between_is_as_good(stack: MailStack) -> None:
    context = verified_context(str(stack.ca_file))
    with MailBox("localhost", stack.ports["imaps"], ssl_context=context).login("games", PASSWORD) as box:
        make_folder(box, "Between")
        with pytest.raises(ImapToolsError, match="exists"):
            box.folder.create("Between")
        make_folder(box, "Between")
        with pytest.raises(ImapToolsError):
            make_folder(box, "a//b")


HOSTILE = (
    b"Message-ID: <\r\nX-Pbem-Match: a\r\n",
    b"Message-ID: <a@[\r\nX-Pbem-Match: a\r\n",
    b"Message-ID: " + b"(" * 3000 + b"\r\nX-Pbem-Match: a\r\n",
    b"X-Pbem-Match: " + b"=?utf-8?q?a?=x" * 4000 + b"\r\n",
    b"X-Pbem-Match: a\r\nSubject: \x9b2J\x1b[2J =?utf-8?b?wpsyShs=?=\r\n",
)
"""Headers that the standard library fails at, or reads in minutes, or that hold commands for a terminal."""


def test_no_header_in_a_mailbox_keeps_its_letters_from_being_found_or_deleted(stack: MailStack) -> None:
    mailbox = emptied(stack, "anna")
    good = letter("good").replace(b"Subject:", b"X-Pbem-Match: good\r\nSubject:")
    bad = [b"From: mallory@players.test\r\n" + head + b"\r\nhello\r\n" for head in HOSTILE]
    for raw in (*bad, good):
        mailbox.connect().client.append("INBOX", "", "", raw)
    letters = mailbox.letters("X-Pbem-Match")
    assert (letters[-1].match, letters[-1].subject, letters[-1].answers) == ("good", "good", False)
    assert len(letters) == len(HOSTILE) + 1
    assert not any(forbidden(letter.subject + letter.match) for letter in letters)
    assert mailbox.delete(["<good@pbem.test>"], ("INBOX",)) == 1
    mailbox.close()


def test_of_a_mail_that_is_all_header_only_a_little_is_asked_for_before_it_is_fetched(
    stack: MailStack,
) -> None:
    mailbox = emptied(stack, "anna")
    long = (
        b"From: anna@players.test,\r\n"
        + b" burt@players.test,\r\n" * 50_000
        + b"Message-ID: <a@b>\r\n\r\nhello\r\n"
    )
    for raw in (long, b"X-Nothing: here\r\n\r\nhello\r\n", letter("good")):
        mailbox.connect().client.append("INBOX", "", "", raw)
    client, sizes = mailbox.connect().client, list[int]()
    read = client.read

    def counted(size: int) -> bytes:
        sizes.append(size)
        return read(size)

    client.read = counted  # type: ignore[method-assign]
    first, nothing, good = mailbox.waiting()
    assert (first.size, first.message_id) == (len(long), "")
    assert (nothing.size > 0, nothing.sender, nothing.message_id) == (True, "", "")
    assert "" not in (good.sender, good.message_id)
    assert len(sizes) == 3
    assert max(sizes) <= 64 * 1024
    mailbox.close()


class Moved:
    """A mailbox of which another connection moves mail 1 away just when this one asks for it."""

    def __init__(self, words: str) -> None:
        self.client = self
        self.capabilities = ("MOVE", "UIDPLUS")
        self.untagged_responses: dict[str, list[bytes]] = {}
        self.words = words
        self.moved: list[str] = []
        self.more = 0
        """How often somebody moves another one meanwhile."""

    def noop(self) -> None: ...

    def uids(self, _: str, charset: object = None) -> list[str]:
        assert charset is None
        return ["2", "3"]

    def move(self, uids: list[str], folder: str, chunks: int) -> None:
        assert (folder, chunks) == ("Processed", 200)
        if "1" in uids or self.more:
            self.more -= "1" not in uids
            raise ImapToolsError(self.words)
        self.moved += uids

    def uid(self, command: str, uids: str, parts: str) -> tuple[str, list[object]]:
        assert (command, parts) == ("FETCH", "(UID BODY.PEEK[])")
        if "1" in uids.split(","):
            return "NO", [self.words.encode()]
        return "OK", [(f"9 (UID {uid} BODY[] {{1}}".encode(), uid.encode()) for uid in uids.split(",")]


def test_what_another_reader_moves_in_the_very_moment_is_left_out() -> None:
    """A server that has begun a command takes it back then, for all mails that it names (RFC 5530)."""
    mailbox = ImapMailbox(lambda: Account("localhost", 1, "x", "y"))
    box: Any = Moved("NO [EXPUNGEISSUED] Some of the requested messages no longer exist")
    mailbox._box = box
    box.more = 3  # several others put mails away at the same time
    mailbox.move(["1", "2", "3"], "Processed")
    assert box.moved == ["2", "3"]
    assert mailbox.fetch(["1", "2"]) == {"2": b"2"}
    assert mailbox.fetch(["1"]) == {}


def test_another_no_is_trouble() -> None:
    mailbox = ImapMailbox(lambda: Account("localhost", 1, "x", "y"))
    for use in (lambda: mailbox.move(["1"], "Processed"), lambda: mailbox.fetch(["1"])):
        box: Any = Moved("NO [OVERQUOTA]")
        box.shutdown = lambda: None
        mailbox._box = box
        with pytest.raises(MailTrouble):
            use()
