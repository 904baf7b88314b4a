"""The known answers of ``schemas/vectors.json`` that concern keys, envelopes, files and armour."""

from __future__ import annotations

import json

import pytest

from pbem.base.resources import data_dir
from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64, fingerprint, lp, u32, unb64
from pbem.protocol.crypto.identity import (
    Identity,
    from_paper,
    recovered,
    recovery_from_paper,
    recovery_hash,
    recovery_key,
    recovery_to_paper,
    to_paper,
)
from pbem.protocol.crypto.provider import provider
from pbem.protocol.formats.armour import scan
from pbem.protocol.formats.envelopes import (
    Part,
    make_file,
    open_tell,
    packet_commit,
    packet_salt,
    part_commit,
    verify_file,
)
from pbem.protocol.formats.identity_file import read_identity, write_identity
from pbem.protocol.formats.messages import read_message
from pbem.protocol.formats.strict_json import canon
from pbem.protocol.record.line import proves


@pytest.fixture(scope="module")
def vectors() -> JsonObject:
    loaded: JsonObject = json.loads((data_dir("schemas") / "vectors.json").read_text())
    return loaded


@pytest.fixture(scope="module")
def anna(vectors: JsonObject) -> Identity:
    return Identity(unb64(vectors["identity"]["secret"]))


def test_the_keys_and_papers_of_an_identity(vectors: JsonObject, anna: Identity) -> None:
    known = vectors["identity"]
    assert (b64(anna.sign_public), b64(anna.seal_public)) == (known["sign"], known["seal"])
    assert fingerprint(anna.sign_public) == known["fingerprint_of_sign"]
    assert to_paper(anna) == known["paper"]
    assert from_paper(known["paper"]) == anna
    secret = unb64(known["recovery_secret"])
    public = recovery_key(secret).public
    assert (b64(public), b64(recovery_hash(public))) == (known["recovery_public"], known["recovery_hash"])
    again = recovered(secret)
    assert (b64(again.secret), b64(again.sign_public)) == (known["recovered_secret"], known["recovered_sign"])
    assert recovery_to_paper(secret) == known["recovery_paper"]
    assert recovery_from_paper(known["recovery_paper"]) == secret


def test_an_identity_file_to_the_byte(vectors: JsonObject, anna: Identity) -> None:
    known = vectors["identity_file"]
    raw = known["text"].encode()
    assert read_identity(raw, known["passphrase"]) == (anna, "Anna")
    assert (
        write_identity(anna, "Anna", known["passphrase"], unb64(known["salt"]), log_n=known["log_n"]) == raw
    )


def test_the_salt_and_commitment_of_a_packet(vectors: JsonObject) -> None:
    known = vectors["packet"]
    game, salt = unb64(known["game"]), unb64(known["salt"])
    assert packet_salt(unb64(known["seed"]), game, known["seq"], known["seat"]) == salt
    assert b64(packet_commit(game, known["seq"], known["seat"], salt, known["body"])) == known["commit"]


@pytest.mark.parametrize(("part", "member"), [("sealed", "actions"), ("order", "order")])
def test_the_commitments_of_sealed_parts(vectors: JsonObject, part: Part, member: str) -> None:
    known = vectors[part]
    commit = part_commit(
        part, unb64(known["game"]), known["seat"], known["n"], unb64(known["salt"]), known[member]
    )
    assert b64(commit) == known["commit"]


def test_a_private_word_opens(vectors: JsonObject, anna: Identity) -> None:
    known = vectors["tell"]
    game = unb64(known["game"])
    info = lp("pbem/1 tell", game, known["seat"], u32(known["n"]), known["to"], anna.seal_public)
    assert b64(info) == known["info"]
    opened = open_tell(game, known["seat"], known["n"], known["to"], anna.seal_key, anna.seal_public, known)
    assert opened == known["text"]


def test_a_turn_its_names_and_its_armour(vectors: JsonObject, anna: Identity) -> None:
    known = vectors["turn"]
    file = known["file"]
    assert canon(file["body"]) == known["canonical_body"].encode()
    assert make_file("turn", file["body"], anna.sign_key, anna.sign_public) == file
    verify_file("turn", file, anna.sign_public)
    assert proves(unb64(file["body"]["game"]), unb64(known["host"]), file["body"]["seen"])
    assert b64(read_message(canon(file)).hash) == known["hash"]
    assert scan(known["armour"]).blocks == (canon(file),)


def test_the_protocols_own_seal_key(vectors: JsonObject) -> None:
    known = vectors["deck"]
    private = provider().seal_key(unb64(known["xanna"]))
    assert b64(private.public) == known["xannapub"]
