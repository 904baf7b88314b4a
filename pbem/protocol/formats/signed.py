"""Signed files: ``{"body": {…}, "sig": {"key", "value"}}``, and the lines of a game file (schemas/README.md §2, §7).

``sig.key`` is a hint for people and programs; the key to verify with comes from the record and must be the
same. A message and a record are named by ``body_hash``, never by signature bytes: a signer can make several for one
body.
"""

from __future__ import annotations

from typing import Final

from pbem.base.errors import FormatError, VerificationError
from pbem.game import Json, JsonObject
from pbem.protocol.crypto import signing
from pbem.protocol.crypto.digest import b64, sha, unb64
from pbem.protocol.crypto.primitives import SignKey
from pbem.protocol.formats.strict_json import canon

SHORTEST_LINE: Final = len('{"body":{},"sig":{"key":"","value":""}}') + 43 + 86
"""Bytes that no record's line is shorter than: its frame, the host's key and his signature."""


def make_file(kind: str, body: JsonObject, key: SignKey, public: bytes) -> JsonObject:
    """``body`` signed as ``kind`` by ``key``, whose public key is ``public``."""
    value = signing.sign(kind, canon(body), key)
    return {"body": body, "sig": {"key": b64(public), "value": b64(value)}}


def verify_file(kind: str, file: JsonObject, public: bytes) -> None:
    """Return if ``file`` is a file of ``kind`` signed by ``public``.

    Raises:
        VerificationError: code ``signature``.
    """
    body, sig = _parts(file)
    if sig["key"] != b64(public):
        raise VerificationError(
            "signature", f"signed by another key than the one expected here ({b64(public)})"
        )
    try:
        value = unb64(sig["value"], signing.SIGNATURE_SIZE)
    except FormatError as fault:
        raise VerificationError("signature", f"the signature is not readable: {fault}") from None
    signing.verify(kind, canon(body), public, value)


def make_entry(body: JsonObject, key: SignKey, public: bytes, game: bytes | None) -> JsonObject:
    """A record signed by the host; ``game`` is the name of record 0, None for record 0 itself."""
    name = body_hash(body)
    value = signing.sign_record(name if game is None else game, body["seq"], name, key)
    return {"body": body, "sig": {"key": b64(public), "value": b64(value)}}


def body_hash(body: JsonObject) -> bytes:
    """The name of a message or record: SHA(canon(body))."""
    return sha(canon(body))


def line_of(file: JsonObject) -> bytes:
    """The line of a record, without its line feed."""
    return canon(file)


def _parts(file: Json) -> tuple[JsonObject, JsonObject]:
    sig = file.get("sig") if isinstance(file, dict) else None
    if not isinstance(sig, dict) or file.keys() != {"body", "sig"} or sig.keys() != {"key", "value"}:
        raise VerificationError("signature", 'not a signed file: expected {"body", "sig": {"key", "value"}}')
    return file["body"], sig
