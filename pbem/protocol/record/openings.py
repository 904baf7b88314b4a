"""Who may read what: the host by his secret, anybody by what closes opened (``Openings`` of replay)."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.base.errors import VerificationError
from pbem.game import Json, JsonObject
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.draws.deck import epoch_seed
from pbem.protocol.formats.envelopes import Part, open_part
from pbem.protocol.record.ledger import SealedPart
from pbem.protocol.record.line import Line


class HostOpenings:
    """The host reads everything: seeds follow from his secret, sealed parts were sealed to his key."""

    def __init__(self, host: Identity, genesis: Line) -> None:
        self.host = host
        self.game = genesis.hash
        self.master = host.master(unb64(genesis.body["nonce"]))

    def seed(self, epoch: int) -> bytes:
        """The seed of any epoch, announced or not."""
        return epoch_seed(self.master, self.game, epoch)

    def content(self, part: SealedPart) -> Json | None:
        """What a player sealed; None if it does not open (the referee refuses such files at intake)."""
        try:
            return self.open(part)[1]
        except VerificationError:
            return None

    def open(self, part: SealedPart) -> tuple[bytes, Json]:
        """Salt and content; raises ``VerificationError`` if the part does not open or match its commitment.

        Nothing is remembered: who asks twice is answered from the sealed bytes twice.
        """
        label: Part = "order" if part.part == "orders" else "sealed"
        key, public = self.host.seal_key, self.host.seal_public
        return open_part(label, self.game, part.seat, part.n, key, public, part.sealed)


class ClosedOpenings:
    """What anybody may read: seeds and sealed parts that closes (and the end) of this file opened."""

    def __init__(self, bodies: Iterable[JsonObject] = ()) -> None:
        self._seeds: dict[int, bytes] = {}
        self._contents: dict[tuple[str, int, str], Json] = {}
        for body in bodies:
            self.take(body)

    def take(self, body: JsonObject) -> None:
        """Take what one record opens."""
        if "seed" in body:
            self._seeds[body["epoch"]] = unb64(body["seed"], 32)
        if "opened" in body:
            for opening in body["opened"]:
                self._contents[opening["seat"], opening["n"], opening["part"]] = opening["content"]

    def seed(self, epoch: int) -> bytes | None:
        """The seed, once its epoch was closed."""
        return self._seeds.get(epoch)

    def content(self, part: SealedPart) -> Json | None:
        """The content, once it was opened."""
        return self._contents.get((part.seat, part.n, part.part))
