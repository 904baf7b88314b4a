"""A seat's keys as credentials at its host's HTTP API: a signed request for the seat's access code.

It is no file of a match and stands in no record. It has the form of a signed file (``body`` and ``sig``) under a kind
of its own, ``door``, so that no signature of it can be read as one of a turn. The API's address is in it, as ``door``:
another host who is asked cannot ask the right one with it.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from pbem.base.errors import FormatError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import Json, JsonObject
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import make_file, verify_file
from pbem.protocol.formats.strict_json import parse

_KIND: Final = "door"
_MEMBERS: Final = ("at", "door", "match", "seat")
_MOST: Final = 2048
"""Bytes of one request."""
NEAR: Final = timedelta(days=1)
"""How far a device's clock may be from the host's."""


def ask_by_keys(identity: Identity, api: str, match: str, seat: str, at: str) -> JsonObject:
    """The request, signed by the seat's keys.

    Args:
        identity: the keys of the seat.
        api: the address of the API.
        match: the match's id or short name, as it is asked for there.
        seat: the seat.
        at: the time on this device.
    """
    body: JsonObject = {"at": at, "door": api, "match": match, "seat": seat}
    return make_file(_KIND, body, identity.sign_key, identity.sign_public)


def asked_by_keys(raw: bytes, api: str, match: str, now: str) -> tuple[str, bytes]:
    """The seat that asks, and the signing key that it asks by: whether that is the seat's own is for the caller.

    Raises:
        FormatError: it is no such request, is for another API or match, or of another day.
        VerificationError: the signature does not hold.
    """
    file = parse(raw, limit=_MOST)
    body = file.get("body") if isinstance(file, dict) else None
    sig = file.get("sig") if isinstance(file, dict) else None
    if not isinstance(body, dict) or not isinstance(sig, dict) or sorted(body) != list(_MEMBERS):
        raise FormatError(sentence("expected a signed question for an access code"))
    if not all(isinstance(value, str) for value in (*body.values(), sig.get("key"))):
        raise FormatError(sentence("every member of the question is a text"))
    if (body["door"], body["match"]) != (api, match):
        raise FormatError(sentence("the question is for another address or another match"))
    try:
        near = abs(datetime.fromisoformat(body["at"]) - datetime.fromisoformat(now)) <= NEAR
    except (ValueError, TypeError):
        raise FormatError(sentence("its time is not one")) from None
    if not near:
        raise FormatError(sentence("the clock of this device is more than a day wrong"))
    key = unb64(sig["key"], 32)
    verify_file(_KIND, file, key)
    return body["seat"], key


# --- sealed copy ------------------------------------------------------------------------------------------
#
# A player's own copy of what they sealed: without it nobody could check the opening later
# (schemas/README.md §3.2).


@dataclass(frozen=True, slots=True)
class SealedCopy:
    """What a player sealed, as they wrote it: ``part`` (sealed, orders) of file ``n``, with its commitment's salt."""

    game: str
    seat: str
    n: int
    part: str
    salt: bytes
    content: Json

    def to_json(self) -> JsonObject:
        """For the player's folder."""
        return {
            "game": self.game,
            "seat": self.seat,
            "n": self.n,
            "kind": self.part,
            "salt": b64(self.salt),
            "content": self.content,
        }

    @classmethod
    def from_json(cls, data: Any) -> SealedCopy:
        """The copy that ``to_json`` has written.

        Raises:
            KeyError, TypeError, FormatError: it is none.
        """
        return cls(data["game"], data["seat"], data["n"], data["kind"], unb64(data["salt"]), data["content"])
