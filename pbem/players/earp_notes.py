"""What a player of Wyatt Earp remembers of what everybody saw: cards in the discard, cards known in hands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pbem.game import JsonObject
from pbem.games.wyatt_earp.cards import EARP, KIND_OF, OUTLAW_OF, Kind

_FROM_HAND = ("turn", "missed", "used")


class Notes:
    """Folded from public events (P1, P3, P4, P5); a search's card is the one thing that stays unknown (O10)."""

    def __init__(self, seats: Sequence[str]) -> None:
        self._number = {seat: at for at, seat in enumerate(seats)}
        self._start()

    def _start(self) -> None:
        self.discard: Counter[Kind] = Counter()
        self.held: list[Counter[Kind]] = [Counter() for _ in self._number]

    def hear(self, event: JsonObject) -> None:
        """Take in one public event."""
        kind = event["event"]
        if kind == "discarded":
            card = KIND_OF[event["card"]]
            self.discard[card] += 1
            if event["why"] in _FROM_HAND:
                self._gone(event["seat"], card)
        elif kind == "shot":
            self.discard[KIND_OF[event["card"]]] += 1
        elif kind == "drew":
            if event["from"] == "discard":
                self._taken(KIND_OF[event["card"]])
                self.held[self._number[event["seat"]]][KIND_OF[event["card"]]] += 1
        elif kind == "laid":
            self._gone(event["seat"], OUTLAW_OF[event["outlaw"]], event["count"])
        elif kind in ("photo-played", "attached", "hidden"):
            self._played(event)
        elif kind in ("given", "stolen"):
            self._handed(event)
        elif kind == "found" and "card" in event:
            self._taken(KIND_OF[event["card"]])
            self.held[self._number[event["seat"]]][KIND_OF[event["card"]]] += 1
        elif kind == "reshuffled":
            self.discard.clear()
        elif kind in ("hand-started", "hand-ended"):
            self._start()

    def _played(self, event: JsonObject) -> None:
        if event["event"] == "photo-played":
            self._gone(event["seat"], KIND_OF[f"photo:{event['outlaw']}"])
        else:
            self._gone(event["seat"], KIND_OF[event.get("card", "hideout")])

    def _handed(self, event: JsonObject) -> None:
        card = OUTLAW_OF[event["outlaw"]]
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
        return [card for card, count in self.discard.items() if count and card != EARP]
