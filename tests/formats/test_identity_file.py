"""Identity files (schemas/README.md §12)."""

from __future__ import annotations

import hashlib
import json

import pytest

from pbem.base.errors import FormatError, VerificationError
from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64, sha, unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.crypto.provider import provider
from pbem.protocol.formats.identity_file import read_header, read_identity, write_identity
from pbem.protocol.formats.strict_json import canon

ANNA = Identity(sha(b"anna"))
SALT = bytes(range(16))
RAW = write_identity(ANNA, "Zoë Ann", "horse battery", SALT, log_n=4, recovery=sha(b"recovery"))


def changed(**members: object) -> bytes:
    file = json.loads(RAW)
    for path, value in members.items():
        where, name = file["header"], path
        if path in ("log_n", "r", "p", "salt", "alg"):
            where = file["header"]["kdf"]
        elif path == "box":
            where = file
        where[name] = value
    return canon(file)


def test_an_identity_comes_back() -> None:
    assert read_identity(RAW, "horse battery") == (ANNA, "Zoë Ann")


def test_the_default_work_factor_is_that_of_the_protocol() -> None:
    raw = write_identity(ANNA, "Anna", "horse battery", SALT)
    assert read_header(raw).log_n == 17
    assert read_identity(raw, "horse battery") == (ANNA, "Anna")


def test_without_a_passphrase_nobody_works_for_nothing() -> None:
    raw = write_identity(ANNA, "Anna", "", SALT)
    assert read_header(raw).log_n == 1
    assert read_identity(raw, "") == (ANNA, "Anna")
    assert read_header(write_identity(ANNA, "Anna", " ", SALT)).log_n == 17


def test_the_header_is_public() -> None:
    header = read_header(RAW)
    assert (header.kind, header.name) == ("player", "Zoë Ann")
    assert (header.sign_public, header.seal_public) == (ANNA.sign_public, ANNA.seal_public)
    assert header.recovery == sha(b"recovery")
    assert read_header(write_identity(ANNA, "H", "x", SALT, kind="host", log_n=4)).kind == "host"


def test_the_secret_is_nowhere_in_the_file() -> None:
    assert b64(ANNA.secret).encode() not in RAW
    assert ANNA.secret not in RAW


def test_the_box_is_scrypt_and_aes_gcm_over_the_canonical_header() -> None:
    file: JsonObject = json.loads(RAW)
    key = hashlib.scrypt(b"horse battery", salt=SALT, n=16, r=8, p=1, dklen=32)
    assert provider().gcm_open(key, bytes(12), unb64(file["box"]), canon(file["header"])) == ANNA.secret


@pytest.mark.parametrize("passphrase", ["Horse battery", "", "horse battery "])
def test_another_passphrase_does_not_open_it(passphrase: str) -> None:
    with pytest.raises(VerificationError, match="Zoë Ann") as caught:
        read_identity(RAW, passphrase)
    assert caught.value.code == "passphrase"
    assert caught.value.hint


def test_a_passphrase_is_the_same_on_every_keyboard() -> None:
    raw = write_identity(ANNA, "Anna", "A\u030asa \ufb01le", SALT, log_n=4)
    assert read_identity(raw, "\u00c5sa file")[0] == ANNA


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Burt"},
        {"kind": "host"},
        {"sign": b64(sha(b"x"))},
        {"recovery": b64(sha(b"x"))},
        {"log_n": 5},
        {"salt": b64(bytes(16))},
        {"box": b64(bytes(48))},
    ],
)
def test_an_altered_file_does_not_open(change: dict[str, object]) -> None:
    with pytest.raises(VerificationError):
        read_identity(changed(**change), "horse battery")


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"log_n": 21}, "/header/kdf/log_n"),
        ({"log_n": 0}, "/header/kdf/log_n"),
        ({"r": 16}, "/header/kdf/r"),
        ({"p": 1000}, "/header/kdf/p"),
        ({"alg": "argon2id"}, "/header/kdf/alg"),
        ({"salt": "AAAA"}, "/header/kdf/salt"),
        ({"pbem": "identity/2"}, "/header/pbem"),
        ({"kind": "auditor"}, "/header/kind"),
        ({"more": 1}, "/header"),
        ({"box": "AAAA"}, "/box"),
        ({"name": "a\u202eb"}, "/header/name"),
        ({"name": " Anna"}, "/header/name"),
    ],
)
def test_a_file_that_asks_for_too_much_or_is_none_is_refused(change: dict[str, object], where: str) -> None:
    for read in (read_header, lambda raw: read_identity(raw, "horse battery")):
        with pytest.raises(FormatError) as caught:
            read(changed(**change))
        assert caught.value.where == where


def test_keys_that_are_not_those_of_the_secret_are_noticed() -> None:
    """A header with other public keys, properly boxed: the file was made by somebody who knew the passphrase."""
    file = json.loads(RAW)
    file["header"]["seal"] = b64(Identity(bytes(32)).seal_public)
    key = hashlib.scrypt(b"horse battery", salt=SALT, n=16, r=8, p=1, dklen=32)
    file["box"] = b64(provider().gcm_seal(key, bytes(12), ANNA.secret, canon(file["header"])))
    with pytest.raises(VerificationError) as caught:
        read_identity(canon(file), "horse battery")
    assert caught.value.code == "key"


@pytest.mark.parametrize("log_n", [0, 21])
def test_the_writer_keeps_to_the_readers_limits(log_n: int) -> None:
    with pytest.raises(FormatError, match="work factor"):
        write_identity(ANNA, "Anna", "x", SALT, log_n=log_n)


def test_an_endless_file_is_not_read() -> None:
    with pytest.raises(FormatError, match="too long"):
        read_header(b" " * 20_000)
