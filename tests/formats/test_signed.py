"""Signed files and lines (schemas/README.md §2)."""

from __future__ import annotations

import copy
import hashlib

import pytest

from pbem.base.errors import VerificationError
from pbem.game import Json, JsonObject
from pbem.protocol.crypto.digest import b64, sha
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import body_hash, line_of, make_file, verify_file
from pbem.protocol.formats.strict_json import canon

ANNA, BURT = Identity(sha(b"anna")), Identity(sha(b"burt"))
BODY: JsonObject = {"n": 1, "say": "Zoë", "actions": [{"do": "lay", "count": 3}]}


@pytest.fixture
def file() -> JsonObject:
    return make_file("turn", copy.deepcopy(BODY), ANNA.sign_key, ANNA.sign_public)


def test_a_file_holds_for_its_kind_and_key(file: JsonObject) -> None:
    verify_file("turn", file, ANNA.sign_public)
    assert file["body"] == BODY
    assert file["sig"]["key"] == b64(ANNA.sign_public)


@pytest.mark.parametrize("kind", ["join", "ready", "rekey", "consent", "reject"])
def test_a_file_is_of_one_kind_only(file: JsonObject, kind: str) -> None:
    with pytest.raises(VerificationError, match="does not hold"):
        verify_file(kind, file, ANNA.sign_public)


def test_the_key_in_the_file_is_only_a_hint(file: JsonObject) -> None:
    with pytest.raises(VerificationError, match="another key"):
        verify_file("turn", file, BURT.sign_public)
    file["sig"]["key"] = b64(BURT.sign_public)
    with pytest.raises(VerificationError, match="does not hold"):
        verify_file("turn", file, BURT.sign_public)
    with pytest.raises(VerificationError, match="another key"):
        verify_file("turn", file, ANNA.sign_public)


@pytest.mark.parametrize(
    "broken",
    [
        None,
        [],
        {},
        {"body": BODY},
        {"body": BODY, "sig": "x"},
        {"body": BODY, "sig": {"key": b64(ANNA.sign_public)}},
        {"body": BODY, "sig": {"key": b64(ANNA.sign_public), "value": "*"}},
        {"body": BODY, "sig": {"key": b64(ANNA.sign_public), "value": 1}},
        {"body": BODY, "sig": {"key": b64(ANNA.sign_public), "value": b64(bytes(64))}, "more": 1},
    ],
)
def test_what_is_no_signed_file_never_verifies(broken: Json) -> None:
    with pytest.raises(VerificationError) as caught:
        verify_file("turn", broken, ANNA.sign_public)
    assert caught.value.code == "signature"


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.update(n=2),
        lambda body: body.update(say="Zoe"),
        lambda body: body["actions"].append({"do": "pass"}),
        lambda body: body["actions"][0].update(count=True),
        lambda body: body.pop("say"),
    ],
)
def test_an_edited_body_does_not_verify(file: JsonObject, change: Json) -> None:
    change(file["body"])
    with pytest.raises(VerificationError, match="altered"):
        verify_file("turn", file, ANNA.sign_public)


def test_names_of_messages_and_lines_are_hashes_of_canonical_bytes(file: JsonObject) -> None:
    assert body_hash(BODY) == hashlib.sha256(canon(BODY)).digest()
    line = line_of(file)
    assert line == canon(file)
    assert not line.endswith(b"\n")
