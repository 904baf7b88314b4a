"""Messages: read from bytes, built from values (schemas/README.md §6)."""

from __future__ import annotations

import copy
import json

import pytest

from pbem.base.errors import FormatError
from pbem.game import Json, JsonObject
from pbem.protocol.crypto.digest import b64, sha
from pbem.protocol.formats.envelopes import verify_file
from pbem.protocol.formats.messages import kind_of, message_of, read_message
from pbem.protocol.formats.strict_json import canon
from tests.formats.examples import ANNA, GAME, HOST, LINE, MESSAGES


@pytest.mark.parametrize("kind", MESSAGES)
def test_what_was_built_is_read_back_and_verifies(kind: str) -> None:
    file = MESSAGES[kind]
    message = read_message(json.dumps(file, indent=2).encode())
    assert message.kind == kind == kind_of(file)
    assert message.file == file
    assert message.body == file["body"]
    assert message.hash == sha(canon(file["body"]))
    verify_file(kind, message.file, (HOST if kind == "reject" else ANNA).sign_public)


def test_a_message_shows_its_match_seat_counter_and_what_it_has_seen() -> None:
    message = message_of(MESSAGES["turn"])
    assert (message.game, message.seat, message.n) == (GAME, "anna", 3)
    assert (message.seen_seq, message.seen_line) == (10, LINE)
    reject = message_of(MESSAGES["reject"])
    assert (reject.seat, reject.n, reject.seen_seq) == ("anna", 3, 14)
    assert reject.body["hash"] == b64(message.hash)


def test_optional_members_are_left_out_never_null() -> None:
    assert "null" not in json.dumps(list(MESSAGES.values()))
    body = {"seat", "game", "n", "seen", "actions", "say"}
    talk = copy.deepcopy(MESSAGES["turn"])
    for member in ("link", "sealed", "orders", "tell"):
        del talk["body"][member]
    assert message_of(talk).body.keys() == body


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"not JSON", "not JSON"),
        (b"[]", "not a signed file"),
        (b"{}", "not a signed file"),
        (b'{"body":7}', "not a signed file"),
        (b'{"body":{}}', "nothing in it says what it is for"),
        (b'{"body":{"actions":[]}}', "is missing"),
        (b" " * 70_000, "too long"),
        (b'{"body":{"actions":[],"actions":[]}}', "more than once"),
        (b"[" * 60_000, "nested too deeply"),
    ],
)
def test_bytes_that_are_no_message_are_refused(raw: bytes, why: str) -> None:
    with pytest.raises(FormatError, match=why):
        read_message(raw)


def changed(kind: str, **members: Json) -> JsonObject:
    file = copy.deepcopy(MESSAGES[kind])
    file["body"].update(members)
    return file


@pytest.mark.parametrize(
    ("file", "where"),
    [
        (changed("join", name=" Anna"), "/body/name"),
        (changed("join", name="An\u2066na"), "/body/name"),
        (changed("join", lang="deutsch!"), "/body/lang"),
        (changed("join", zone="Europe/"), "/body/zone"),
        (changed("join", zone="../etc/zone"), "/body/zone"),
        (changed("join", zone="Z" * 41), "/body/zone"),
        (changed("join", length=0), "/body/length"),
        (changed("join", length=70_000), "/body/length"),
        (changed("turn", say="a\u2028b"), "/body/say"),
        (changed("turn", tell=[]), "/body/tell"),
        (changed("ready", code="illegal"), "/body"),
        (changed("reject", code="because"), "/body/code"),
        (changed("rekey", name="Anna"), "/body"),
    ],
)
def test_messages_of_the_wrong_form_are_refused_with_the_place(file: JsonObject, where: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_message(json.dumps(file).encode())
    assert caught.value.where == where
