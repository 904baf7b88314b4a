"""Hostile mail: bounded time and memory, a clean end, whatever it holds. Each case runs in a process of its own."""

from __future__ import annotations

import base64
import io
import subprocess
import sys
import zipfile
from collections.abc import Callable

import pytest

from pbem.player.mail.gate import peek_header
from pbem.player.mail.look import look
from pbem.protocol.formats.strict_json import forbidden

SECONDS = 20
MEGABYTES = 1024

_RUN = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, ({MEGABYTES} * 1024 * 1024,) * 2)
resource.setrlimit(resource.RLIMIT_CPU, ({SECONDS}, {SECONDS}))
from pbem.player.mail.gate import MailRefused, peek_message_id, peek_sender, read_mail
from pbem.player.mail.intake import take_in
from pbem.player.mail.robot import automatic, read_bounce
raw = sys.stdin.buffer.read()
peek_sender(raw), peek_message_id(raw)
try:
    mail = read_mail(raw)
except MailRefused as fault:
    print("refused", fault.kind)
else:
    found = take_in(mail)
    read_bounce(mail), automatic(mail, ("games@pbem.test",)), mail.recipients, mail.references, mail.header("Subject")
    print("read", len(found.messages), *(fault.kind for fault in found.faults))
    assert "\\n" not in mail.header("Subject") and "\\r" not in mail.header("Subject")
"""


def _multipart(parts: int) -> bytes:
    body = b"".join(b"--b\r\nContent-Type: text/plain\r\n\r\nx\r\n" for _ in range(parts))
    return b'Content-Type: multipart/mixed; boundary="b"\r\n\r\n' + body + b"--b--\r\n"


def _nested(depth: int) -> bytes:
    raw = b"Content-Type: text/plain\r\n\r\nx"
    for level in range(depth):
        mark = b"b%d" % level
        raw = b'Content-Type: multipart/mixed; boundary="' + mark + b'"\r\n\r\n--' + mark + b"\r\n" + raw
        raw += b"\r\n--" + mark + b"--\r\n"
    return raw


def _messages(depth: int) -> bytes:
    return b"Content-Type: message/rfc822\r\n\r\n" * depth + b"x"


def _attached(data: bytes) -> bytes:
    from email.message import EmailMessage
    from email.policy import SMTP

    message = EmailMessage()
    message["From"] = "anna@players.test"
    message.set_content("hello\n")
    message.add_attachment(data, maintype="application", subtype="zip", filename="a.zip")
    return message.as_bytes(policy=SMTP)


def _zip_bomb() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        archive.writestr("bomb", b"\0" * 100_000_000)
    return _attached(out.getvalue())


def _many_zipped() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(2000):
            archive.writestr(str(number), b"x")
    return _attached(out.getvalue())


def _armour_bomb() -> bytes:
    import zlib

    from pbem.protocol.crypto import digest as base32
    from pbem.protocol.crypto.digest import sha

    packed = zlib.compress(b" " * 50_000_000, 9)
    return _text("PBEM1BEGIN " + base32.encode(packed + sha(packed)[:4]) + " PBEM1END")


def _text(text: str, head: str = "") -> bytes:
    return f"From: anna@players.test\r\n{head}Content-Type: text/plain; charset=utf-8\r\n\r\n{text}".encode()


def _html(text: str) -> bytes:
    return f"From: a@b.c\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{text}".encode()


CASES: dict[str, tuple[Callable[[], bytes], str]] = {
    "a thousand parts": (lambda: _multipart(1000), "refused too-many-parts"),
    "parts in parts, 990 deep": (lambda: _nested(990), "refused too-many-parts"),
    "parts in parts, 12 deep": (lambda: _nested(12), "refused too-many-parts"),
    "mails in mails": (lambda: _messages(500), "refused too-many-parts"),
    "headers of 80 KiB": (
        lambda: _text("x", "".join(f"X-{i}: y\r\n" for i in range(12_000))),
        "refused headers",
    ),
    "forty thousand encoded words": (
        lambda: _text("x", "Subject: " + "=?utf-8?q?a?= " * 40_000 + "\r\n"),
        "refused",
    ),
    "four thousand encoded words": (
        lambda: _text("x", "Subject: " + "=?utf-8?q?a?= " * 4_000 + "\r\n"),
        "read 0",
    ),
    "an encoded subject with line ends": (
        lambda: _text("x", "Subject: =?utf-8?q?a=0D=0ABcc:_evil@example.org?=\r\n"),
        "read 0",
    ),
    "a thousand brackets in From": (lambda: b"From: " + b"(" * 50_000 + b"\r\n\r\nx", "read 0"),
    "empty and odd ids": (
        lambda: b"Message-ID: <>\r\nFrom: a@b@c\r\nTo: ,\r\nReferences: <[x]>\r\n\r\nx",
        "read 0",
    ),
    "an unknown charset": (lambda: b"Content-Type: text/plain; charset=x-klingon\r\n\r\nx", "read 0"),
    "charset idna": (lambda: b"Content-Type: text/plain; charset=idna\r\n\r\n\xff\xfex..x", "read 0"),
    "charset with NUL": (lambda: b'Content-Type: text/plain; charset="a\x00b"\r\n\r\nx', "read 0"),
    "broken base64": (lambda: b"Content-Transfer-Encoding: base64\r\n\r\n!!!!===", "read 0"),
    "broken uuencode": (
        lambda: b"Content-Transfer-Encoding: x-uuencode\r\n\r\nbegin 666 x\n#\xff\xff",
        "read 0",
    ),
    "a zip bomb": (_zip_bomb, "read 0 zip"),
    "a zip of two thousand files": (_many_zipped, "read 0 zip"),
    "a zip that is cut off": (lambda: _attached(b"PK\x03\x04" + b"\x00" * 20), "read 0 zip"),
    "a block that inflates to 50 MB": (_armour_bomb, "read 0 block"),
    "a thousand begin markers": (lambda: _text("PBEM1BEGIN x " * 1000), "read 0 block"),
    "400 KB of opening braces": (lambda: _text('{"body":' * 50_000), "read 0"),
    "JSON nested deep": (lambda: _text('{"body":' + "[" * 60_000), "read 0"),
    "400 KB of opening tags": (lambda: _html("<p " * 130_000), "read 0"),
    "400 KB of style tags": (lambda: _html("<style>" * 60_000), "read 0"),
    "400 KB of entities": (lambda: _html("&#x41;" * 70_000), "read 0"),
    "400 KB of blank lines": (lambda: _text("\n" * 400_000), "refused too-many-lines"),
    "40 KB of blank lines": (lambda: _text("\n" * 20_000), "read 0"),
    "400 KB of quote signs": (lambda: _text("> " * 200_000), "read 0"),
    "quoted braces": (lambda: _text('> {"body\n' * 40_000), "read 0"),
    "half a megabyte and one": (lambda: _text("x" * 600_000), "refused too-big"),
    "nothing": (lambda: b"", "read 0"),
    "only a colon": (lambda: b":", "read 0"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_hostile_mail_ends_cleanly(name: str) -> None:
    make, expected = CASES[name]
    done = subprocess.run(
        [sys.executable, "-c", _RUN], input=make(), capture_output=True, timeout=SECONDS * 30, check=False
    )
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    assert done.stdout.decode().startswith(expected), done.stdout


@pytest.mark.parametrize("bad", ["\x1b[2J", "\x9b31m", "\x85", "\u202e", "\u061c", "\ufeff", "\0"])
def test_nothing_that_a_mail_says_of_itself_steers_a_terminal(bad: str) -> None:
    """Subjects, senders and words stand in the operator's lists and log."""
    coded = base64.b64encode(f"a{bad}b".encode()).decode()
    raw = _text(f"dear{bad}host\r\n", f"Subject: =?utf-8?b?{coded}?=\r\nX-Pbem-Match: a{bad}b\r\n")
    looked = look(raw, "games@pbem.test")
    for text in (looked.subject, looked.match, looked.intake.words, peek_header(raw, "Subject")):
        assert text
        assert not forbidden(text.replace("\n", ""))


def test_raw_bytes_of_a_header_are_no_controls_either() -> None:
    assert peek_header(_text("x", "").replace(b"From:", b"Subject: a\x9b2Jb\r\nFrom:"), "Subject") == "a 2Jb"
