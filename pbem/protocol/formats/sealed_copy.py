"""A player's own copy of what he sealed: without it nobody could check the opening later (schemas/README.md §3.2)."""

from __future__ import annotations

from typing import Any

from pbem.base.values import dataclass
from pbem.game import Json, JsonObject
from pbem.protocol.crypto.digest import b64, unb64


@dataclass(frozen=True, slots=True)
class SealedCopy:
    """What a player sealed, as he wrote it: ``part`` (sealed, orders) of file ``n``, with its commitment's salt."""

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
