"""The mail message: headers nobody can break, threading that survives, bytes that come back as they went."""

from __future__ import annotations

import email
import email.policy
from dataclasses import replace
from datetime import UTC, datetime
from email.headerregistry import Address
from email.message import EmailMessage
from typing import Any

import pytest

from pbem.base.errors import UsageProblem
from pbem.host.letter_mail import to_eml
from pbem.player.letters.letter import Attachment, Letter
from pbem.player.mail.outgoing import MailHead
from tests.letters.test_golden import LETTERS

DATE = datetime(2026, 11, 21, 18, 0, tzinfo=UTC)
ID = "<g7.t3.anna.0a1b2c@pbem.example>"


def _email(letter: Letter | None = None, **changes: object) -> bytes:
    arguments: dict[str, object] = {
        "sender": "host@pbem.example", "to": "anna@players.example", "subject": "", "own_id": ID, "date": DATE,
        **changes,
    }  # fmt: skip
    return to_eml(letter or LETTERS["earp_turn_end"](), MailHead(**arguments))  # type: ignore[arg-type]


def _read(raw: bytes) -> EmailMessage:
    return email.message_from_bytes(raw, policy=email.policy.default)


def test_the_parts_are_text_then_html_then_the_lines() -> None:
    message = _read(_email(LETTERS["earp_roster"]()))
    assert [part.get_content_type() for part in message.walk()] == [
        "multipart/mixed", "multipart/alternative", "text/plain", "text/html", "application/jsonl", "text/calendar",
    ]  # fmt: skip


@pytest.mark.parametrize("name", LETTERS)
def test_everything_comes_back_as_it_went(name: str) -> None:
    letter = LETTERS[name]()
    message = _read(_email(letter))
    parts = [part for part in message.walk() if not part.is_multipart()]
    bodies = {part.get_content_type(): part for part in reversed(parts)}
    assert bodies["text/plain"].get_content().replace("\r\n", "\n") == letter.text
    assert bodies["text/html"].get_content().replace("\r\n", "\n").rstrip("\n") == letter.html.rstrip("\n")
    attached = bodies["application/jsonl"]
    assert attached.get_payload(decode=True) == letter.attachment
    assert attached.get_filename() == letter.attachment_name
    assert message["Subject"] == letter.subject
    sent = {part.get_filename(): bytes(part.get_payload(decode=True)) for part in parts}
    assert all(sent[extra.name].replace(b"\r\n", b"\n") == extra.data for extra in letter.extra)


def test_the_same_arguments_give_the_same_bytes_and_lines_are_short() -> None:
    assert _email() == _email()
    raw = _email()
    assert b"\r\n" in raw
    assert raw.count(b"\n") == raw.count(b"\r\n")
    assert max(len(line) for line in raw.split(b"\r\n\r\n", 1)[1].split(b"\r\n")) <= 78


def test_long_message_ids_of_other_programs_stay_whole() -> None:
    long = "<" + "A1b2" * 40 + "@OUTLOOK.example.com>"
    raw = _email(answers=long, references=("<root@x.example>", long))
    assert f"In-Reply-To: {long}\r\n".encode() in raw
    assert f"References: <root@x.example> {long}\r\n".encode() in raw


@pytest.mark.parametrize("bad", ["", "no brackets", "<a@b> <c@d>", "<a@b>\r\nBcc: x@y", "<>", "<[weird]>"])
def test_a_foreign_id_that_is_none_is_left_out(bad: str) -> None:
    message = _read(_email(answers=bad, references=(bad, "<root@x.example>")))
    assert message["In-Reply-To"] is None
    assert message["References"] == "<root@x.example>"
    assert message["Bcc"] is None


@pytest.mark.parametrize(
    "changes",
    [
        {"own_id": "<a@b>\r\nBcc: x@y.example"},
        {"own_id": "g7@example"},
        {"to": "anna@x.example\r\nBcc: everybody@x.example"},
        {"more": {"X-Note": "one\r\nBcc: everybody@x.example"}},
        {"more": {"Bcc: x@y.example\r\nX": "1"}},
        {"more": {"Subject": "another"}},
    ],
)
def test_nothing_that_would_add_a_header_is_written(changes: dict[str, Any]) -> None:
    with pytest.raises(UsageProblem):
        _email(**changes)


def test_a_subject_with_line_breaks_becomes_one_line() -> None:
    letter = replace(LETTERS["earp_turn_end"](), subject="[pbem x] one\r\nBcc: everybody@x.example\n\nbody")
    message = _read(_email(letter))
    assert message["Bcc"] is None
    assert message["Subject"] == "[pbem x] one Bcc: everybody@x.example body"


def test_further_headers_and_display_names_are_allowed() -> None:
    host = Address("The sheriff, Dodge City", "host", "pbem.example")
    message = _read(
        _email(sender=host, more={"Auto-Submitted": "auto-replied", "Reply-To": "host+g7@pbem.example"})
    )
    assert message["Auto-Submitted"] == "auto-replied"
    assert message["From"].addresses[0].display_name == "The sheriff, Dodge City"
    assert message["Message-ID"] == ID
    assert message["Date"].datetime == DATE


def test_a_letter_without_new_lines_has_no_empty_attachment_and_extras_are_attached() -> None:
    letter = replace(
        LETTERS["earp_refused"](), attachment=b"", extra=(Attachment("reject-x.json", b'{"a":1}'),)
    )
    attached = list(_read(_email(letter)).iter_attachments())
    assert [part.get_filename() for part in attached] == ["reject-x.json"]
    assert attached[0].get_payload(decode=True) == b'{"a":1}'


@pytest.mark.parametrize("name", ["earp_turn_end", "west_turn_end"])
def test_a_picture_travels_beside_the_html_that_shows_it(name: str) -> None:
    letter = LETTERS[name]()
    message = _read(_email(letter))
    assert [part.get_content_type() for part in message.walk()] == [
        "multipart/mixed", "multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png",
        "application/jsonl", "text/plain",
    ]  # fmt: skip
    (picture,) = [part for part in message.walk() if part.get_content_type() == "image/png"]
    cid = letter.pictures[0].cid
    assert picture["Content-ID"] == f"<{cid}>"
    assert picture.get_content_disposition() == "inline"
    assert f'src="cid:{cid}"' in letter.html
    assert picture.get_payload(decode=True) == letter.pictures[0].png


@pytest.mark.parametrize(
    ("name", "pictures"),
    [
        ("earp_accepted", 0), ("earp_stopped", 0), ("earp_talk", 0), ("earp_refused", 0), ("earp_invitation", 0),
        ("earp_asked", 1), ("earp_started", 1), ("earp_hand_end", 1), ("earp_match_end", 1), ("west_asked", 1),
    ],
)  # fmt: skip
def test_a_picture_goes_with_what_changed_the_table_and_not_with_a_receipt(name: str, pictures: int) -> None:
    letter = LETTERS[name]()
    assert len(letter.pictures) == pictures
    assert letter.html.count("cid:") == pictures
