"""A signed file is found by content, whatever it is called; a command is the first line; nothing else is read."""

from __future__ import annotations

import io
import zipfile
from email.message import EmailMessage
from email.policy import SMTP

import pytest

from pbem.game import JsonObject
from pbem.player.mail.gate import read_mail
from pbem.player.mail.intake import Command, Intake, take_in
from pbem.protocol.formats.armour import armour
from pbem.protocol.formats.strict_json import canon
from tests.world import World


@pytest.fixture(scope="module")
def world() -> World:
    return World("wyatt-earp", ("anna", "burt")).start()


@pytest.fixture(scope="module")
def file(world: World) -> JsonObject:
    return world.turn_file("anna", say="Hello")


def mail(text: str = "hello\n", *attachments: tuple[bytes, str, str], html: str = "") -> bytes:
    message = EmailMessage()
    message["From"] = "anna@players.test"
    message["To"] = "games@pbem.test"
    message["Message-ID"] = "<1@players.test>"
    message.set_content(text)
    if html:
        message.add_alternative(html, subtype="html")
    for data, kind, name in attachments:
        main, _, sub = kind.partition("/")
        message.add_attachment(data, maintype=main, subtype=sub, filename=name)
    return message.as_bytes(policy=SMTP)


def taken(raw: bytes) -> Intake:
    return take_in(read_mail(raw))


def zipped(**files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("application/json", "turn.json"),
        ("application/octet-stream", "../../etc/passwd"),
        ("image/png", "holiday.png"),
        ("text/plain", "turn.txt"),
        ("text/html", "x.html"),
    ],
)
def test_an_attachment_of_any_name_and_type_is_found(file: JsonObject, kind: str, name: str) -> None:
    data = canon(file)
    assert [m.file for m in taken(mail("hello\n", (data, "application/octet-stream", name))).messages] == [
        file
    ]
    if not kind.startswith("text/"):
        assert [m.file for m in taken(mail("hello\n", (data, kind, name))).messages] == [file]


def test_a_block_a_zip_of_one_and_a_utf_16_file_are_found(file: JsonObject) -> None:
    archive = zipped(a=canon(file))
    assert taken(mail(armour(file))).messages[0].file == file
    assert taken(mail("x\n", (archive, "application/zip", "turn.zip"))).messages[0].file == file
    utf_16 = canon(file).decode().encode("utf-16")
    assert taken(mail("x\n", (utf_16, "application/octet-stream", "turn.txt"))).messages[0].file == file


def test_the_same_file_in_two_forms_is_one_file(file: JsonObject) -> None:
    raw = mail(armour(file), (canon(file), "application/json", "turn.json"))
    assert len(taken(raw).messages) == 1


def test_two_different_files_are_both_shown(world: World, file: JsonObject) -> None:
    other = world.turn_file("burt", say="Hi")
    raw = mail(armour(file), (canon(other), "application/json", "turn.json"))
    assert {m.seat for m in taken(raw).messages} == {"anna", "burt"}


def test_lines_of_the_game_file_and_the_files_inside_them_are_nobodys_new_file(world: World) -> None:
    lines = b"".join(line + b"\n" for line in world.lines)
    result = taken(mail("thanks\n", (lines, "application/jsonl", "game.jsonl")))
    assert not result.messages
    result = taken(mail("thanks\n", (world.lines[-3] + b"\n", "application/jsonl", "game.jsonl")))
    assert not result.messages


def test_a_mail_inside_a_mail_is_opened_like_any_part_but_gives_no_commands(file: JsonObject) -> None:
    outer = EmailMessage()
    outer["From"] = "anna@players.test"
    outer.set_content("look at this\n")
    inner = EmailMessage()
    inner.set_content("STATUS\n" + armour(file))
    outer.add_attachment(inner)
    result = taken(outer.as_bytes(policy=SMTP))
    assert [message.file for message in result.messages] == [file]
    assert result.command is None


def test_a_forged_signature_does_not_count(file: JsonObject) -> None:
    forged = {"body": {**file["body"], "say": "I give up"}, "sig": file["sig"]}
    result = taken(mail("x\n", (canon(forged), "application/json", "turn.json")))
    assert not result.messages
    assert [fault.kind for fault in result.faults] == ["json"]


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("STATUS\n", Command("status")),
        ("\n\n  help.\n\n-- \nAnna\n", Command("help")),
        ("Resend 17\n> old mail\n", Command("resend", 17)),
        ("RESEND #3\n", Command("resend", 3)),
        ("please STATUS\n", None),
        ("> STATUS\n", None),
        ("thanks!\nSTATUS\n", None),
    ],
)
def test_a_command_is_the_whole_first_line(text: str, command: Command | None) -> None:
    assert taken(mail(text)).command == command


def test_a_command_in_an_html_only_mail_is_read() -> None:
    message = EmailMessage()
    message["From"] = "anna@players.test"
    message.set_content("<html><body><div>status</div><p>Anna</p></body></html>", subtype="html")
    assert taken(message.as_bytes(policy=SMTP)).command == Command("status")


def test_winmail_and_a_zip_inside_a_zip_are_said(file: JsonObject) -> None:
    tnef = b"\x78\x9f\x3e\x22" + b"\x00" * 50
    assert [f.kind for f in taken(mail("x\n", (tnef, "application/ms-tnef", "winmail.dat"))).faults] == [
        "winmail"
    ]
    nested = zipped(a=zipped(b=canon(file)))
    result = taken(mail("x\n", (nested, "application/zip", "a.zip")))
    assert not result.messages
    assert [f.kind for f in result.faults] == ["zip"]
