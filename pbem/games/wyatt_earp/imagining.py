"""A full state that agrees with a view, unknown cards filled in somehow: to try actions offline."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from pbem.games.wyatt_earp import deck
from pbem.games.wyatt_earp.deck import NONE, Hand, Stack
from pbem.games.wyatt_earp.filling import _state
from pbem.games.wyatt_earp.state import CHANCE, CHOOSE, Match, Pending, State
from pbem.games.wyatt_earp.views import View

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
    discard, hands = pool.discard(), pool.hands()
    state = _state(view, hands, pool.supply(), discard, view.found)
    return state._replace(pending=Pending(shuffle="deal")) if view.phase == CHANCE else state


class _Unknown:
    """The cards whose place the view does not show, dealt out to where cards are missing."""

    def __init__(self, match: Match, view: View, first: int = 0) -> None:
        self._view = view
        self._in_supply = match.options.earp_search == "supply"
        self._asking = NONE
        if view.phase == CHOOSE and view.pending is not None and view.pending.card != deck.EARP:
            self._asking = view.pending.card
        known = Counter(view.hand)
        known.update(deck.cards_on(view.table))
        known.update(view.stack or ([] if view.top == NONE else [view.top]))
        if self._asking != NONE and view.viewer != view.active:
            known[self._asking] += 1
        pool = [kind for kind, copies in enumerate(deck.COPIES) for _ in range(copies - known[kind])]
        self._pool = pool[first:] + pool[:first]

    def __len__(self) -> int:
        return len(self._pool)

    def _take(self, count: int, *, earps: bool | None = None) -> Stack:
        """``count`` cards of the pool; only Wyatt Earps, or none of them, if asked so."""
        fitting = (kind for kind in self._pool if earps is None or (kind == deck.EARP) == earps)
        cards = list(islice(fitting, max(count, 0)))  # a hostile view may miss less than nothing
        for kind in cards:
            self._pool.remove(kind)
        spare = [deck.EARP] if earps else range(len(deck.NAMES) - 1)
        cards += [spare[i % len(spare)] for i in range(count - len(cards))]
        return tuple(cards)

    def discard(self) -> Stack:
        """Top first; of the rest is known how many are Wyatt Earps (O18)."""
        view = self._view
        if view.stack is not None and not self._in_supply:
            return view.stack
        if view.top == NONE:
            return self._take(view.discard)
        others = view.takeable - (view.top != deck.EARP)
        earps = view.discard - 1 - others
        return (view.top, *self._take(others, earps=False), *self._take(earps, earps=True))

    def hands(self) -> tuple[Hand, ...]:
        """The viewer's own hand, and cards nobody knows for the others."""
        return tuple(self._hand(seat, count) for seat, count in enumerate(self._view.sizes))

    def _hand(self, seat: int, count: int) -> Hand:
        view = self._view
        if seat == view.viewer:
            return view.hand
        if seat == view.active and self._asking != NONE:
            return deck.hand_of((self._asking, *self._take(count - 1)))
        return deck.hand_of(self._take(count))

    def supply(self) -> Stack:
        """What a search of the supply shows, or cards nobody knows."""
        view = self._view
        return view.stack if view.stack is not None and self._in_supply else self._take(view.supply)
