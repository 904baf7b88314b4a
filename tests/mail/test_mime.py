"""The writer of mail against the standard library's: the same bytes for every shape of message."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

import pytest

from pbem.base.values import replace
from pbem.player.mail import outgoing
from pbem.player.mail.outgoing import AttachedFile, InlinePicture, MailHead, write_mail
from pbem.protocol.crypto.digest import sha

HEAD = MailHead(
    "games@pbem.example",
    "anna@players.example",
    "Grüße an alle, die hier mitspielen, und an die, die zusehen, und noch ein paar Wörter mehr",
    "<g7.t3.anna.0a1b2c@pbem.example>",
    datetime(2026, 11, 21, 18, 0, tzinfo=UTC),
    more={"Auto-Submitted": "auto-replied"},
)
TEXT = "Zeile\n. Punkt\nFrom hier\nEnde mit Leerzeichen \n\t\u00fc\u2028x\x0c" + "lang " * 60
HTML = '<p style="color: red">' + "=é " * 90 + "</p>\n"
PICTURES = (
    InlinePicture("table.1@pbem.example", bytes(range(256)) * 3),
    InlinePicture("empty@pbem.example", b""),
)
FILES = (
    AttachedFile("game-ä b.jsonl", b"{}\n" * 95, "jsonl"),
    AttachedFile(
        "deadline.ics", b"BEGIN:VCALENDAR", "calendar", "text", {"method": "PUBLISH", "charset": "utf-8"}
    ),
)


def _by_library(
    text: str, html: str, pictures: Sequence[InlinePicture], files: Sequence[AttachedFile]
) -> bytes:
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"], message["Subject"] = HEAD.sender, HEAD.to, HEAD.subject
    message["Date"], message["Message-ID"] = format_datetime(HEAD.date), HEAD.own_id
    for name, value in HEAD.more.items():
        message[name] = value
    message.set_content(text, cte="quoted-printable")
    if html:
        message.add_alternative(html, subtype="html", cte="quoted-printable")
        shown = list(message.iter_parts())[-1]
        for cid, png in pictures:
            name = cid.partition("@")[0] + ".png"
            shown.add_related(png, "image", "png", cid=f"<{cid}>", disposition="inline", filename=name)
    for file in files:
        parameters = dict(file.parameters) or None
        message.add_attachment(file.data, file.main, file.kind, filename=file.name, params=parameters)
    token = sha(HEAD.own_id.encode()).hex()[:20]
    for number, part in enumerate(message.walk()):
        if part.is_multipart():
            part.set_boundary(f"=_{token}_{number}_=")
    return message.as_bytes(policy=SMTP.clone(max_line_length=998))


@pytest.mark.parametrize("files", [(), FILES], ids=["no files", "files"])
@pytest.mark.parametrize(
    ("html", "pictures"),
    [("", ()), (HTML, ()), (HTML, PICTURES)],
    ids=["text", "html", "pictures"],
)
@pytest.mark.parametrize("text", ["", TEXT], ids=["empty", "words"])
def test_the_bytes_are_the_standard_librarys(
    text: str, html: str, pictures: Sequence[InlinePicture], files: Sequence[AttachedFile]
) -> None:
    assert write_mail(HEAD, text, html, pictures, files) == _by_library(text, html, pictures, files)


def test_every_length_of_line_is_the_standard_librarys() -> None:
    """Lines about as long as one may be, with escapes and blanks where it is cut, and every byte there is."""
    rng = random.Random(78)
    texts = ["".join(map(chr, range(0x180)))]
    for length in (*range(74, 84), *range(150, 160)):
        texts += [
            "".join(rng.choice(signs) for _ in range(length)) for signs in ("ab =\t", "= ", "ä=a", "a ")
        ]
    whole = "\n".join(texts)
    assert write_mail(HEAD, whole) == _by_library(whole, "", (), ())


def test_a_person_with_a_name_is_written_as_the_library_does() -> None:
    for name in ("", "Änne, die Erste", "Saturday table"):
        sender = Address(name, addr_spec="games@pbem.example")
        head = replace(HEAD, sender=sender, to=sender)
        message = EmailMessage(policy=SMTP)
        message["From"] = message["To"] = sender
        assert write_mail(head, "x").startswith(message.as_bytes(policy=SMTP.clone(max_line_length=998))[:-2])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Subject", "Your turn: choose, by Sat 21:00 (UTC); what? =?"),
        ("Subject", "Two  blanks, and =?utf-8?q?a_word?= that is none"),
        ("References", " ".join(f"<pbem.{number:020}@pbem.example>" for number in range(12))),
        ("References", " ".join(f"<pbem.{number:050}@pbem.example>" for number in range(40))),
        ("In-Reply-To", "<a.b!#$%&*+/?^_`{|}~-@[127.0.0.1]>"),
        ("Message-ID", "<x@y>"),
        ("Date", "Sat, 21 Nov 2026 18:00:00 +0000"),
        ("To", "players+12.anna@players.example"),
        ("To", "a..b@players.example"),
        ("To", "Anna <anna@players.example>"),
    ],
)
def test_a_header_that_needs_no_parser_is_written_as_the_parser_would(name: str, value: str) -> None:
    assert outgoing._line(name, value) == SMTP.clone(max_line_length=998).fold_binary(
        *SMTP.header_store_parse(name, value)
    )
