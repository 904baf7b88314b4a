"""The identity file: one secret under a passphrase, the header in clear (schemas/README.md §12).

::

    {"header": {"pbem": "identity/1", "kind": "player" | "host", "name", "sign", "seal", "recovery"?,
                "kdf": {"alg": "scrypt", "log_n": 17, "r": 8, "p": 1, "salt": 16 bytes}},
     "box": AES-256-GCM of the 32-byte secret: ciphertext ‖ tag}

key = scrypt(passphrase in NFKC, salt, N = 2^log_n, r, p) with 32 bytes; associated data = canon(header);
the nonce is twelve zero bytes, since a key with its fresh salt is used once. ``recovery`` is the SHA of the
recovery key's public key: the recovery secret itself is on paper only. The reader caps the work factor, and
checks that the public keys in the header are those of the secret.
"""

from __future__ import annotations

import json
import unicodedata
from typing import Final, Literal, TypeAlias

from pbem.base.errors import FormatError, VerificationError
from pbem.base.sentences import sentence
from pbem.base.shapes.schema import validate
from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.crypto.primitives import Unfit
from pbem.protocol.crypto.provider import provider
from pbem.protocol.formats.strict_json import canon, check_name, parse

Kind: TypeAlias = Literal["player", "host"]

MAX_SIZE: Final = 16 * 1024
LOG_N: Final = 17
LEAST_LOG_N: Final = 1
"""Of a file without a passphrase: work would keep nobody out, and each command would wait for it."""
MAX_LOG_N: Final = 20
"""The most work (1 GiB, some seconds) that a file can ask of its reader; also in the schema."""

_R: Final = 8
_P: Final = 1
_NONCE: Final = bytes(12)


@dataclass(frozen=True, slots=True)
class Header:
    """The public part of an identity file; not authenticated until the passphrase has opened the rest."""

    kind: Kind
    name: str
    sign_public: bytes
    seal_public: bytes
    recovery: bytes | None
    log_n: int


def write_identity(
    identity: Identity,
    name: str,
    passphrase: str,
    salt: bytes,
    *,
    kind: Kind = "player",
    log_n: int | None = None,
    recovery: bytes | None = None,
) -> bytes:
    """The file's bytes. ``salt``: 16 fresh random bytes; ``recovery``: hash of the recovery public key.

    ``log_n`` is 17 if nobody says otherwise, and 1 where the passphrase is empty.
    """
    check_name(name, "name")
    if log_n is None:
        log_n = LOG_N if passphrase else LEAST_LOG_N
    header: JsonObject = {
        "pbem": "identity/1",
        "kind": kind,
        "name": name,
        "sign": b64(identity.sign_public),
        "seal": b64(identity.seal_public),
        "kdf": {"alg": "scrypt", "log_n": log_n, "r": _R, "p": _P, "salt": b64(salt)},
    }
    if recovery is not None:
        header["recovery"] = b64(recovery)
    box = provider().gcm_seal(_key(passphrase, salt, log_n), _NONCE, identity.secret, canon(header))
    file = {"header": header, "box": b64(box)}
    validate("identity", file)
    return json.dumps(file, indent=2, ensure_ascii=False).encode() + b"\n"


def read_header(raw: bytes, *, bulk: bool = True) -> Header:
    """The public part, without a passphrase; ``bulk`` as every command reads those of its own folder.

    Raises:
        FormatError: if this is no identity file.
    """
    header = _parsed(raw, bulk=bulk)["header"]
    recovery = header.get("recovery")
    return Header(
        kind=header["kind"],
        name=header["name"],
        sign_public=unb64(header["sign"], 32),
        seal_public=unb64(header["seal"], 32),
        recovery=None if recovery is None else unb64(recovery, 32),
        log_n=header["kdf"]["log_n"],
    )


def read_identity(raw: bytes, passphrase: str) -> tuple[Identity, str]:
    """The identity and its name.

    Raises:
        FormatError: if this is no identity file, or asks for too much work.
        VerificationError: code ``passphrase``, or ``key`` if its public keys are not those of its secret.
    """
    file = _parsed(raw, bulk=False)
    header = file["header"]
    key = _key(passphrase, unb64(header["kdf"]["salt"]), header["kdf"]["log_n"])
    try:
        secret = provider().gcm_open(key, _NONCE, unb64(file["box"]), canon(header))
    except Unfit:
        raise VerificationError(
            "passphrase",
            sentence(
                "the passphrase does not open the identity of {name} (or the file was altered)",
                name=header["name"],
            ),
            hint=sentence(
                "Capitals count. If you forgot it, your recovery words bring the identity back. Type them:"
                " pbem id restore"
            ),
        ) from None
    identity = Identity(secret)
    if (b64(identity.sign_public), b64(identity.seal_public)) != (header["sign"], header["seal"]):
        raise VerificationError(
            "key", sentence("the public keys in the identity file are not those of its secret")
        )
    return identity, header["name"]


def _parsed(raw: bytes, *, bulk: bool) -> JsonObject:
    file: JsonObject = parse(raw, limit=MAX_SIZE)
    validate("identity", file, bulk=bulk)
    check_name(file["header"]["name"], "/header/name")
    return file


def _key(passphrase: str, salt: bytes, log_n: int) -> bytes:
    if not LEAST_LOG_N <= log_n <= MAX_LOG_N:
        raise FormatError(
            sentence(
                "the work factor log_n lies within {least} and {most}, found {found}",
                least=LEAST_LOG_N,
                most=MAX_LOG_N,
                found=log_n,
            )
        )
    password = unicodedata.normalize("NFKC", passphrase).encode("utf-8", "surrogateescape")  # as typed
    return provider().scrypt(password, salt, log_n, _R, _P)
