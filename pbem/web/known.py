"""What this device has verified before: a checkpoint of each match, so that a list or a table verifies only the rest.

The browser keeps them beside the keys and may lose any of them: a checkpoint saves work and decides nothing
(``pbem.protocol.record.checkpoint``). Its MAC is by a key that follows from the match's own secret, so whoever cannot
unwrap that one cannot write a checkpoint that is believed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.base.values import dataclass
from pbem.protocol.crypto.digest import kdf
from pbem.protocol.crypto.identity import Identity

_PURPOSE: Final = "pbem/1 page checkpoint"


class KnownMatches:
    """Checkpoints by the names of matches. ``kept``: those that the browser kept."""

    def __init__(self, kept: Mapping[str, bytes]) -> None:
        self.kept = dict(kept)
        self.fresh: dict[str, bytes | None] = {}
        """Those that the browser may keep now; None for one that it is to forget."""

    def of(self, name: str, identity: Identity) -> KnownMatch:
        """What is known of one match, for its copy (``pbem.player.store.Vouched``)."""
        return KnownMatch(self, name, kdf(identity.secret, _PURPOSE))

    def put(self, name: str, raw: bytes) -> None:
        """Keep this."""
        self.kept[name] = self.fresh[name] = raw

    def forget(self, name: str) -> None:
        """Nothing is known of this match any more."""
        if self.kept.pop(name, None) is not None:
            self.fresh[name] = None


@dataclass(frozen=True, slots=True)
class KnownMatch:
    """What is known of one match; ``name`` is how the page calls it, each seat for itself."""

    known: KnownMatches
    name: str
    vouching: bytes

    def key(self) -> bytes:
        """Whose checkpoints are believed."""
        return self.vouching

    def read(self, match: str) -> bytes:
        """What is kept; its MAC says of which records it is."""
        del match
        return self.known.kept.get(self.name, b"")

    def write(self, match: str, raw: bytes) -> None:
        """Keep this."""
        del match
        self.known.put(self.name, raw)
