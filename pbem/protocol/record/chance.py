"""Where the answers to chance come from: the seed of an epoch, or the record of one (schemas/README.md §4.1).

``SeedChance`` is used by the host, who has the seed, and by the audit after the close, which has it too: the same
code, so a replay cannot come out otherwise. ``ToldChance`` takes the values of dice from a record whose links were
checked; a match that only rolls can so be replayed while it runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.protocol.crypto.digest import unb64
from pbem.protocol.draws.chain import chain, tape_label
from pbem.protocol.draws.deck import cut, lay, permutation
from pbem.protocol.draws.roll import roll


@dataclass(frozen=True, slots=True)
class LaidDeck:
    """One generation in the order of its draws: card, place and salt of draw k, and the leaves by place."""

    permutation: tuple[int, ...]
    cards: tuple[str, ...]
    places: tuple[int, ...]
    salts: tuple[bytes, ...]
    leaves: tuple[bytes, ...]


class ChanceSource(Protocol):
    """Answers the draws of one epoch."""

    def shuffle(self, deck: str, gen: int, cards: tuple[str, ...]) -> LaidDeck:
        """Lay and cut ``cards`` (sorted by bytes) as generation ``gen`` of ``deck``."""
        ...

    def roll(self, tape: str, j: int, sides: int) -> tuple[int, bytes]:
        """Value and link of roll ``j`` (from 1)."""
        ...


@dataclass(frozen=True, slots=True)
class SeedChance:
    """Everything follows from the seed of the epoch and the entropy of its links."""

    game: bytes
    epoch: int
    seed: bytes
    entropy: bytes

    def shuffle(self, deck: str, gen: int, cards: tuple[str, ...]) -> LaidDeck:
        """Lay by the seed, cut by the entropy."""
        laid = lay(self.seed, self.game, self.epoch, deck, gen, cards)
        places = cut(self.entropy, deck, gen, len(cards))
        order = permutation(laid.order, places)
        return LaidDeck(
            order,
            tuple(cards[index] for index in order),
            places,
            tuple(laid.salts[place] for place in places),
            laid.leaves,
        )

    def roll(self, tape: str, j: int, sides: int) -> tuple[int, bytes]:
        """Open the tape's next link."""
        link = chain(tape_label(tape, self.epoch), self.game, self.seed)[j]
        return roll(link, self.entropy, tape, j, sides), link


class ToldChance:
    """Dice as the record tells them, in order; it cannot shuffle."""

    def __init__(self, entries: Iterable[JsonObject]) -> None:
        self._rolls: Iterator[JsonObject] = (entry for entry in entries if "roll" in entry)

    def shuffle(self, deck: str, gen: int, cards: tuple[str, ...]) -> LaidDeck:  # noqa: ARG002  # a protocol's
        """Not possible without the seed."""
        raise LookupError(f"deck {deck} cannot be read before its epoch is closed")

    def roll(self, tape: str, j: int, sides: int) -> tuple[int, bytes]:
        """The next die of the record."""
        entry = next(self._rolls, None)
        if entry is None or (entry["roll"], entry["j"], entry["sides"]) != (tape, j, sides):
            raise LookupError(f"the record does not roll die {j} of {tape} with {sides} sides here")
        return int(entry["value"]), unb64(entry["link"], 32)
