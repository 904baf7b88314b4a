"""The chance that a scenario brings along, used in order (``chance`` of schemas/scenario.schema.json).

A shuffle is written as card names, top first. A shorter list fixes the top and leaves the rest in deck-list
order. Dice are taken one by one; a roll that finds too few of them finds none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pbem.game import Draw, JsonObject, Outcome, Roll, Shuffle
from pbem.protocol.scenario.mismatch import Mismatch


class ScriptedChance:
    """Answers draws from the lists of one scenario."""

    def __init__(self, chance: JsonObject, deck_lists: Mapping[str, Sequence[str]]) -> None:
        self._shuffles: list[list[str]] = list(chance.get("shuffles", ()))
        self._rolls: list[int] = list(chance.get("rolls", ()))
        self._deck_lists = deck_lists
        self._shuffled = 0
        self._rolled = 0

    def answer(self, draw: Draw) -> Outcome | None:
        """The outcome of ``draw``, or None if the scenario gives no chance (or too few dice) for it.

        Raises:
            Mismatch: if what the scenario gives does not fit what is drawn.
        """
        return self._roll(draw) if isinstance(draw, Roll) else self._shuffle(draw)

    def _roll(self, draw: Roll) -> Outcome | None:
        end = self._rolled + len(draw.sides)
        if end > len(self._rolls):
            return None
        values = self._rolls[self._rolled : end]
        for number, (value, sides) in enumerate(zip(values, draw.sides, strict=True), self._rolled + 1):
            if not 1 <= value <= sides:
                raise Mismatch(f"chance.rolls {number}", f"1 to {sides} ({draw.label})", str(value))
        self._rolled = end
        return tuple(values)

    def _shuffle(self, draw: Shuffle) -> Outcome | None:
        if self._shuffled == len(self._shuffles):
            return None
        self._shuffled += 1
        return self._permutation(self._shuffles[self._shuffled - 1], draw)

    def _permutation(self, order: list[str], draw: Shuffle) -> Outcome:
        surplus = Counter(order) - Counter(draw.cards)
        if surplus:
            what = f"cards that are shuffled ({draw.label}: {len(draw.cards)} cards)"
            got = ", ".join(f"{count} {card} too many" for card, count in sorted(surplus.items()))
            raise Mismatch(f"chance.shuffles {self._shuffled}", what, got)
        places: dict[str, list[int]] = {}
        for index in reversed(range(len(draw.cards))):
            places.setdefault(draw.cards[index], []).append(index)
        top = [places[card].pop() for card in order]
        rest = [index for indices in places.values() for index in indices]
        return (*top, *sorted(rest, key=lambda index: (self._rank(draw, index), index)))

    def _rank(self, draw: Shuffle, index: int) -> int:
        """The place of a card in the deck list; cards it does not name come last, in order of their bytes."""
        deck_list = self._deck_lists.get(draw.deck, ())
        card = draw.cards[index]
        return deck_list.index(card) if card in deck_list else len(deck_list)
