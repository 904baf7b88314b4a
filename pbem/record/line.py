"""One line of a game file: a record signed by the host (protocol §1, §4.2)."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.crypto.digest import b64, sha
from pbem.crypto.identity import Identity
from pbem.formats.signed import line_of, make_file
from pbem.formats.strict_json import parse_line
from pbem.game import JsonObject
from pbem.record.kinds import check_file

_BEFORE_BODY = len(b'{"body":')
_AFTER_BODY = len(b',"sig":{"key":"","value":""}}') + 43 + 86
"""Key and signature have 32 and 64 bytes, so what follows a body has one length (``kinds`` checks it)."""


@dataclass(frozen=True, slots=True)
class Line:
    """A record as it stands in the file: ``raw`` is the line without its newline, ``hash`` its SHA-256."""

    seq: int
    kind: str
    body: JsonObject
    sig: JsonObject
    raw: bytes
    hash: bytes

    @property
    def at(self) -> str:
        """When the host wrote it, as text."""
        return str(self.body["at"])

    @property
    def canonical_body(self) -> bytes:
        """The bytes that the host signed: the body as it stands in the line, which is canonical."""
        return self.raw[_BEFORE_BODY:-_AFTER_BODY]

    @property
    def file(self) -> JsonObject:
        """The signed file ``{"body", "sig"}``."""
        return {"body": self.body, "sig": self.sig}

    @property
    def reference(self) -> JsonObject:
        """How a message names this record: ``{"seq", "line"}``."""
        return {"seq": self.seq, "line": b64(self.hash)}


def read_line(raw: bytes) -> Line:
    """The record on this line; ``FormatError`` if it is not canonical JSON of a known kind and shape."""
    file = parse_line(raw)
    check_file(file)
    body = file["body"]
    return Line(body["seq"], body["kind"], body, file["sig"], raw, sha(raw))


def write_line(kind: str, members: JsonObject, host: Identity, *, after: Line | None, at: str) -> Line:
    """Sign the next record of a file: ``after`` is the line before it, None for the genesis."""
    body: JsonObject = {
        "kind": kind,
        "seq": 0 if after is None else after.seq + 1,
        "prev": "" if after is None else b64(after.hash),
        "at": at,
        **members,
    }
    file = make_file("entry", body, host.sign_key, host.sign_public)
    check_file(file)
    raw = line_of(file)
    return Line(body["seq"], kind, body, file["sig"], raw, sha(raw))
