"""What a seat can know of cards that it does not hold: seen in the discard, known in hands, never seen.

The chance of a shot is counted from it, for whoever asks: ``pbem legal``, the hints of practice, the computer players.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pbem.game import JsonObject
from pbem.games.wyatt_earp import deck
from pbem.games.wyatt_earp.deck import NONE, Kind
from pbem.games.wyatt_earp.memory import LEAVES_HAND
from pbem.games.wyatt_earp.views import View


class Odds(NamedTuple):
    """Of so many cards that may lie on top of the supply so many hit (A11)."""

    hits: int
    cards: int

    @classmethod
    def of(cls, pool: Sequence[int]) -> Odds:
        """The odds of a card from ``pool``, copies by kind."""
        return cls(sum(pool[: deck.PHOTO]), sum(pool))

    @property
    def chance(self) -> float:
        """From 0 to 1; a half where no card is unknown."""
        return self.hits / self.cards if self.cards else 0.5


class CardMemory:
    """Counted from public events (P1, P3, P4, P5); a search's card is the one thing that stays unknown (O10)."""

    def __init__(self, seats: Sequence[str]) -> None:
        self._number = {seat: at for at, seat in enumerate(seats)}
        self._start()

    def _start(self) -> None:
        self.discard: Counter[Kind] = Counter()
        self.held: list[Counter[Kind]] = [Counter() for _ in self._number]

    def note_all(self, events: Iterable[JsonObject], top: Kind) -> None:
        """Take in what one record shows; ``top`` is the discard's top card after it, ``NONE`` without one."""
        for event in events:
            self.note(event)
            if event["event"] == "hand-started" and top != NONE:
                self.discard[top] = 1

    def note(self, event: JsonObject) -> None:
        """Take in one public event."""
        kind = event["event"]
        if kind == "discarded":
            card = deck.KIND_OF[event["card"]]
            self.discard[card] += 1
            if event["why"] in LEAVES_HAND:
                self._gone(event["seat"], card)
        elif kind == "shot":
            self.discard[deck.KIND_OF[event["card"]]] += 1
        elif kind == "drew":
            if event["from"] == "discard":
                self._taken(deck.KIND_OF[event["card"]])
                self.held[self._number[event["seat"]]][deck.KIND_OF[event["card"]]] += 1
        elif kind == "laid":
            self._gone(event["seat"], deck.OUTLAW_OF[event["outlaw"]], event["count"])
        elif kind in ("photo-played", "attached", "hidden"):
            self._played(event)
        elif kind in ("given", "stolen"):
            self._handed(event)
        elif kind == "found" and "card" in event:
            self._taken(deck.KIND_OF[event["card"]])
            self.held[self._number[event["seat"]]][deck.KIND_OF[event["card"]]] += 1
        elif kind == "reshuffled":
            self.discard.clear()
        elif kind in ("hand-started", "hand-ended"):
            self._start()

    def _played(self, event: JsonObject) -> None:
        if event["event"] == "photo-played":
            self._gone(event["seat"], deck.KIND_OF[f"photo:{event['outlaw']}"])
        else:
            self._gone(event["seat"], deck.KIND_OF[event.get("card", "hideout")])

    def _handed(self, event: JsonObject) -> None:
        card = deck.OUTLAW_OF[event["outlaw"]]
        if event["event"] == "given":
            self._gone(event["from"], card)
        self.held[self._number[event["to"] if "to" in event else event["seat"]]][card] += 1

    def _taken(self, card: Kind) -> None:
        if self.discard[card]:
            self.discard[card] -= 1

    def _gone(self, seat: str, card: Kind, count: int = 1) -> None:
        held = self.held[self._number[seat]]
        held[card] = max(0, held[card] - count)

    def searchable(self) -> list[Kind]:
        """The kinds that a search could find, as far as everybody knows."""
        return [card for card, count in self.discard.items() if count and card != deck.EARP]

    # --- what follows for the viewer of a view

    def known(self, view: View) -> list[list[int]]:
        """Cards known in the others' hands, by seat and kind; never more than they have."""
        seen = []
        for seat, size in enumerate(view.sizes):
            cards = [0] * len(deck.COPIES)
            space = size
            if seat != view.viewer:
                for kind, number in self.held[seat].items():
                    cards[kind] = min(number, space)
                    space -= cards[kind]
            seen.append(cards)
        return seen

    def unseen(self, view: View, known: Sequence[Sequence[int]]) -> list[int]:
        """Copies by kind that the viewer has not seen: neither held, nor ``known``, nor on the table or the discard."""
        seen = Counter(view.hand)
        seen.update(deck.cards_on(view.table))
        for cards in known:
            for kind, number in enumerate(cards):
                seen[kind] += number
        discard = self.discard.copy()
        if view.top != NONE and not discard[view.top]:
            discard[view.top] = 1
        for kind in view.stack or ():
            discard[kind] = max(discard[kind], (view.stack or ()).count(kind))
        seen.update(discard)
        return [max(0, copies - seen[kind]) for kind, copies in enumerate(deck.COPIES)]

    def odds(self, view: View) -> Odds:
        """The chance of the next shot as the viewer can know it: every card that they have not seen may be the next."""
        return Odds.of(self.unseen(view, self.known(view)))
