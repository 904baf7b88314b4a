"""A full state that agrees with a view, unknown cards filled in somehow: to try actions offline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Final, NamedTuple

from pbem.game import JsonObject
from pbem.games.wyatt_earp.cards import (
    COPIES,
    EARP,
    KIND_OF,
    NAMES,
    NONE,
    OUTLAW_OF,
    PHOTO,
    Kind,
    cards_of_group,
    hand_of,
    kinds_in,
)
from pbem.games.wyatt_earp.state import CHANCE, CHOOSE, OVER, Match, Pending, State
from pbem.games.wyatt_earp.view import View

_WORLDS = 24
"""How many fillings of the unknown ``worlds`` tries; each begins with another card."""


def worlds(match: Match, view: View) -> tuple[State, ...]:
    """States that agree with ``view``, the unknown cards of each beginning at another place of the deck list."""
    unknown = len(_Unknown(match, view))
    step = max(1, unknown // _WORLDS)
    return tuple(imagine(match, view, first) for first in range(0, max(unknown, 1), step))


def imagine(match: Match, view: View, first: int = 0) -> State:
    """What is known stands where it is known; the rest comes from the cards in no known place, deck-list order.

    A view counts no more cards than there are. Should one that somebody wrote by hand do so, cards are used
    again from the top of the deck list. ``first`` says with which of the unknown cards to begin.
    """
    pool = _Unknown(match, view, first)
    discard = pool.discard()
    hands = pool.hands()
    state = State(
        hand=view.hand_number,
        dealer=view.dealer,
        active=view.active,
        phase=view.phase,
        sheriff=view.sheriff,
        reshuffled=view.reshuffled,
        opened=view.opened,
        laid=view.laid,
        posters=view.posters,
        money=view.money,
        hands=hands,
        supply=pool.supply(),
        discard=discard,
        table=view.table,
        pending=Pending(shuffle="deal") if view.phase == CHANCE else view.pending,
        found=view.found,
        drawn=view.drawn,
        duel=None,
        winner=view.winner,
    )
    return state._replace(pending=None) if view.phase == OVER else state


class _Unknown:
    """The cards whose place the view does not tell, dealt out to where cards are missing."""

    def __init__(self, match: Match, view: View, first: int = 0) -> None:
        self._view = view
        self._in_supply = match.options.earp_search == "supply"
        self._asking = NONE
        if view.phase == CHOOSE and view.pending is not None and view.pending.card != EARP:
            self._asking = view.pending.card
        known = Counter(kinds_in(view.hand))
        known.update(b"".join(cards_of_group(group, at % 7) for at, group in enumerate(view.table)))
        known.update(view.stack or ([] if view.top == NONE else [view.top]))
        if self._asking != NONE and view.viewer != view.active:
            known[self._asking] += 1
        pool = [kind for kind, copies in enumerate(COPIES) for _ in range(copies - known[kind])]
        self._pool = pool[first:] + pool[:first]

    def __len__(self) -> int:
        return len(self._pool)

    def _take(self, count: int, *, earps: bool | None = None) -> bytes:
        """``count`` cards of the pool; only Wyatt Earps, or none of them, if asked so."""
        fitting = (kind for kind in self._pool if earps is None or (kind == EARP) == earps)
        cards = list(islice(fitting, max(count, 0)))  # a hostile view may miss less than nothing
        for kind in cards:
            self._pool.remove(kind)
        spare = [EARP] if earps else range(len(NAMES) - 1)
        cards += [spare[i % len(spare)] for i in range(count - len(cards))]
        return bytes(cards)

    def discard(self) -> bytes:
        """Top first; of the rest is known how many are Wyatt Earps (O18)."""
        view = self._view
        if view.stack is not None and not self._in_supply:
            return view.stack
        if view.top == NONE:
            return self._take(view.discard)
        others = view.takeable - (view.top != EARP)
        earps = view.discard - 1 - others
        return bytes([view.top]) + self._take(others, earps=False) + self._take(earps, earps=True)

    def hands(self) -> tuple[int, ...]:
        """The viewer's own hand, and cards nobody knows for the others."""
        return tuple(self._hand(seat, count) for seat, count in enumerate(self._view.sizes))

    def _hand(self, seat: int, count: int) -> int:
        view = self._view
        if seat == view.viewer:
            return view.hand
        if seat == view.active and self._asking != NONE:
            return hand_of(bytes([self._asking]) + self._take(count - 1))
        return hand_of(self._take(count))

    def supply(self) -> bytes:
        """What a search of the supply shows, or cards nobody knows."""
        view = self._view
        return view.stack if view.stack is not None and self._in_supply else self._take(view.supply)


# --- memory -----------------------------------------------------------------------------------------------
#
# What a seat of Wyatt Earp can know of cards that it does not hold: seen in the discard, known in hands,
# never seen.
#
# The chance of a shot is counted from it, for whoever asks: ``pbem legal``, the hints of practice, the
# computer players.

_FROM_HAND: Final = ("turn", "missed", "used")


class Odds(NamedTuple):
    """Of so many cards that may lie on top of the supply so many hit (A11)."""

    hits: int
    cards: int

    @classmethod
    def of(cls, pool: Sequence[int]) -> Odds:
        """The odds of a card from ``pool``, copies by kind."""
        return cls(sum(pool[:PHOTO]), sum(pool))

    @property
    def chance(self) -> float:
        """From 0 to 1; a half where no card is unknown."""
        return self.hits / self.cards if self.cards else 0.5


class CardMemory:
    """Folded from public events (P1, P3, P4, P5); a search's card is the one thing that stays unknown (O10)."""

    def __init__(self, seats: Sequence[str]) -> None:
        self._number = {seat: at for at, seat in enumerate(seats)}
        self._start()

    def _start(self) -> None:
        self.discard: Counter[Kind] = Counter()
        self.held: list[Counter[Kind]] = [Counter() for _ in self._number]

    def hear_all(self, events: Iterable[JsonObject], top: Kind) -> None:
        """Take in what one record shows; ``top`` is the discard's top card after it, ``NONE`` without one."""
        for event in events:
            self.hear(event)
            if event["event"] == "hand-started" and top != NONE:
                self.discard[top] = 1

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

    # --- what follows for the viewer of a view

    def known(self, view: View) -> list[list[int]]:
        """Cards known in the others' hands, by seat and kind; never more than they have."""
        found = []
        for seat, size in enumerate(view.sizes):
            cards = [0] * len(COPIES)
            room = size
            if seat != view.viewer:
                for kind, number in self.held[seat].items():
                    cards[kind] = min(number, room)
                    room -= cards[kind]
            found.append(cards)
        return found

    def unseen(self, view: View, known: Sequence[Sequence[int]]) -> list[int]:
        """Copies by kind that the viewer has not seen: neither his, nor ``known``, nor on the table or the discard."""
        seen = Counter(kinds_in(view.hand))
        seen.update(b"".join(cards_of_group(group, at % 7) for at, group in enumerate(view.table)))
        for cards in known:
            for kind, number in enumerate(cards):
                seen[kind] += number
        discard = self.discard.copy()
        if view.top != NONE and not discard[view.top]:
            discard[view.top] = 1
        for kind in view.stack or ():
            discard[kind] = max(discard[kind], (view.stack or b"").count(kind))
        seen.update(discard)
        return [max(0, copies - seen[kind]) for kind, copies in enumerate(COPIES)]

    def odds(self, view: View) -> Odds:
        """The chance of the next shot as the viewer can know it: every card that he has not seen may be the next."""
        return Odds.of(self.unseen(view, self.known(view)))
