"""What a player sealed, read again by themselves: from the copies on this device, else from the file by their own key.

Every sealed part of a file has a copy for the seat's own key beside the host's (schemas/README.md §3.2). So a second
device, or one whose copies are lost, knows the standing orders in force and the sealed actions, and takes nothing back
unawares. Which of several copies counts, the commitment in the signed file says.
"""

from __future__ import annotations

from typing import Literal

from pbem.base.errors import VerificationError
from pbem.game import Json, JsonObject, Seat
from pbem.player.store import Sealed
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import Part, open_own, part_commit
from pbem.protocol.record import Record

Member = Literal["sealed", "orders"]
_PARTS: dict[Member, Part] = {"sealed": "sealed", "orders": "order"}


class OwnCopies:
    """The sealed parts of one player in one match, whose record only grows."""

    def __init__(self, kept: Sealed, identity: Identity) -> None:
        self._kept = kept
        self._identity = identity
        self._read: dict[bytes, Json] = {}

    def of_file(self, body: JsonObject, member: Member) -> Json | None:
        """What a file of this player, given by its body, has sealed; None if it has no such part or cannot be read.

        It cannot be read if it was sealed with a key that is neither at hand nor left a copy here.
        """
        part = body.get(member)
        if part is None:
            return None
        commit = unb64(part["commit"], 32)
        if commit not in self._read:
            content = self._here(body, member, commit)
            if content is None:
                content = self._opened(body, member)
            if content is None:
                return None
            self._read[commit] = content
        return self._read[commit]

    def of_number(self, record: Record, seat: Seat, n: int, member: Member) -> Json | None:
        """What file ``n`` of the seat has sealed as it stands in the record; if it is not there, what is kept here."""
        line = record.ledger.sealed_in(seat, n, member)
        if line is not None:
            return self.of_file(line.body["msg"]["body"], member)
        kept = self._kept.find(str(record.lines[0].reference["line"]), seat, n, member)
        return kept[-1].content if kept else None

    def _here(self, body: JsonObject, member: Member, commit: bytes) -> Json | None:
        game, seat, n = body["game"], body["seat"], body["n"]
        for copy in self._kept.find(game, seat, n, member):
            if part_commit(_PARTS[member], unb64(game, 32), seat, n, copy.salt, copy.content) == commit:
                return copy.content
        return None

    def _opened(self, body: JsonObject, member: Member) -> Json | None:
        keys = self._identity.seal_key, self._identity.seal_public
        try:
            return open_own(
                _PARTS[member], unb64(body["game"], 32), body["seat"], body["n"], *keys, body[member]
            )[1]
        except VerificationError:
            return None
