"""A hand of Wyatt Earp played on to its end by a quick rule: what a choice leads to, a thousand times a second.

The rule is that of the rules' own suggestions (``pbem.games.wyatt_earp.player``), for every seat, each by its own hand:
lay what can be laid, play the Sheriff card that moves most, discard what is wanted least. It is written for speed, on
lists of small numbers (a group is one), and by the default profile; what a profile pays (``ending.score_poster``) is
asked of the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import exp
from operator import add
from typing import Final

from pbem.bots.chance import FastRandom
from pbem.games.wyatt_earp import deck
from pbem.games.wyatt_earp.deck import Group
from pbem.games.wyatt_earp.options import Options
from pbem.games.wyatt_earp.player import HIT
from pbem.games.wyatt_earp.scoring import circle_from, score_poster
from pbem.games.wyatt_earp.state import WIN, State

_OUTLAWS: Final = 7
"""Of a group: how many cards of its Outlaw; the others say what lies on them."""
_PHOTO: Final = 8
_ANCHOR: Final = _OUTLAWS | _PHOTO
_BANK: Final = 16
_STAGE: Final = 128
_FASTEST: Final = 512
_HIDEOUT: Final = 1024
_UNIT: Final = {deck.BANK: _BANK, deck.STAGE: _STAGE, deck.FASTEST: _FASTEST}


def packed(table: Sequence[Group]) -> list[int]:
    """Write each group as one number."""
    return [
        group.outlaws
        + _PHOTO * group.photo
        + _BANK * group.banks
        + _STAGE * group.stages
        + _FASTEST * group.fastest
        + _HIDEOUT * group.hideout
        for group in table
    ]


_POINTS: Final = [
    2 * (group & _OUTLAWS)
    + 4 * bool(group & _PHOTO)
    + 2 * (group // _BANK & 7)
    + (group // _STAGE & 3)
    + 3 * bool(group & _FASTEST)
    for group in range(2 * _HIDEOUT)
]
"""Capture points by group, what a Hideout covers included."""
_REWARD: Final = {card: dollars // 1000 for card, dollars in deck.REWARD.items()}
_SHEER: Final = (0.5, 1.0, 2.5, 6.0)
"""What a card of an Outlaw is worth who is not opened, by how many cards of that Outlaw are in the hand."""
_MOST_TURNS: Final = 80
_TEMPER: Final = {2: (5.25, 0.05), 3: (3.75, 0.15), 4: (3.0, 0.15)}
"""Thousands of dollars that make a chance 2.7 times as good: at the end of the match, and more for each still to go."""
_MATCH: Final = {2: 26.0, 3: 33.75, 4: 36.0}
"""What a match is worth in the dollars of its beginning: there a thousand changes the chance by 1 in so many."""


@lru_cache(maxsize=1 << 17)
def _paid(options: Options, groups: tuple[int, ...], pot: int) -> tuple[float, ...]:
    """What a poster of ``pot`` thousands pays everybody, in thousands, for these groups of its Outlaw."""
    points = tuple(0 if group & _HIDEOUT else _POINTS[group] for group in groups)
    return tuple(dollars / 1000 for dollars in score_poster(options, points, pot * 1000)[1])


def finish(
    options: Options, table: Sequence[int], posters: Sequence[int], money: Sequence[float]
) -> list[float]:
    """Score everybody's money in thousands, as if the hand ended with these groups and posters."""
    at_once = options.end_condition == "first_to_25000"
    total = list(money)
    for outlaw in circle_from(options.first_poster):
        groups = tuple(table[outlaw::7])
        if any(groups):
            total = list(map(add, total, _paid(options, groups, posters[outlaw])))
            if at_once and max(total) * 1000 >= WIN:
                break
    return total


def utility(total: Sequence[float], me: int) -> float:
    """Judge such money at the end of a hand: the chance to win the match with it, beside an equal one.

    In thousands of dollars as they count when a match begins. Below the end of the match every seat's chance grows with
    the exponential of its money, the faster the nearer the richest is to the end: so the rules' suggestions won 2,100
    matches (``_TEMPER`` is the best fit).
    """
    count = len(total)
    mine, best = total[me], max(total)
    if best * 1000 >= WIN:
        chance = 1 / total.count(best) if mine == best else 0.0
    else:
        first, later = _TEMPER[count]
        temper = first + later * (WIN / 1000 - best)
        chance = exp((mine - best) / temper) / sum(exp((number - best) / temper) for number in total)
    return _MATCH[count] * (chance - 1 / count)


class PlayedOn:
    """One hand from the middle of a turn, or its beginning, to its end."""

    def __init__(self, options: Options, state: State, chance: FastRandom) -> None:
        self._options = options
        self._chance = chance
        self._count = len(state.money)
        self._active = state.active
        self._money = [dollars / 1000 for dollars in state.money]
        self._posters = [dollars // 1000 for dollars in state.posters]
        self._hands = [[hand.count(kind) for kind in range(len(deck.COPIES))] for hand in state.hands]
        self._sizes = [len(hand) for hand in state.hands]
        self._table = packed(state.table)
        self._opened = set(state.opened)
        self._supply = list(reversed(state.supply))
        self._discard = list(reversed(state.discard))
        self._reshuffled = state.reshuffled
        self._over = False
        self._worth: list[float] = [0.0] * 7

    def money(self, *, begun: bool, sheriff: bool) -> list[float]:
        """Everybody's money in thousands when the hand is over; ``begun``: the turn is past its draw."""
        for _ in range(_MOST_TURNS):
            seat = self._active
            if not begun:
                self._draw_of(seat)
                if self._over:
                    break
            self._play(seat, sheriff=sheriff)
            if self._over:
                break
            self._put_down(seat)
            if 0 in self._sizes:
                break
            self._active = (seat + 1) % self._count
            begun = sheriff = False
        return finish(self._options, self._table, self._posters, self._money)

    def _next(self) -> int:
        """The top card; -1 where there is none any more."""
        if not self._supply:
            if self._reshuffled or not self._discard:
                return -1
            self._reshuffled = True
            self._supply, self._discard = self._discard, []
            self._chance.shuffle(self._supply)
        return self._supply.pop()

    def _two(self, seat: int) -> None:
        hand = self._hands[seat]
        if self._reshuffled and len(self._supply) < 2:
            self._over = True
            return
        for _ in range(2):
            card = self._next()
            if card < 0:
                self._over = True
                return
            hand[card] += 1
            self._sizes[seat] += 1

    def _hits(self) -> bool:
        card = self._next()
        if card < 0:
            return False
        self._discard.append(card)
        return card < deck.PHOTO

    def _worths(self) -> list[float]:
        points = [0] * 7
        for at, group in enumerate(self._table):
            if group:
                points[at % 7] += _POINTS[group]
        return [pot * (0.5 + (min(8, sum_)) / 16) for pot, sum_ in zip(self._posters, points, strict=True)]

    def _draw_of(self, seat: int) -> None:
        discard, hand = self._discard, self._hands[seat]
        self._worth = self._worths()
        short = self._reshuffled and len(self._supply) < 2
        if discard and not short and self._wants(seat, hand, discard[-1]):
            hand[discard.pop()] += 1
            self._sizes[seat] += 1
        else:
            self._two(seat)

    def _wants(self, seat: int, hand: list[int], card: int) -> bool:
        if card < deck.PHOTO:
            return self._worth[card] >= 2 if card in self._opened else hand[card] >= 2
        if card < deck.BANK:
            return card - deck.PHOTO in self._opened
        return card in (deck.STAGE, deck.FASTEST) and any(self._table[seat * 7 : seat * 7 + 7])

    def _play(self, seat: int, *, sheriff: bool) -> None:
        self._lay(seat)
        self._worth = self._worths()
        if not sheriff and self._sizes[seat] > 1 and self._sheriff(seat) and not self._over:
            self._lay(seat)

    def _lay(self, seat: int) -> None:
        hand = self._hands[seat]
        for _ in range(7):
            space = self._sizes[seat] - 1
            best = most = 0
            for outlaw in range(7):
                number = hand[outlaw]
                if number > most and (number >= 3 or outlaw in self._opened):
                    best, most = outlaw, number
            number = min(most, space)
            if number <= 0 or (number < 3 and best not in self._opened):
                return
            hand[best] -= number
            self._sizes[seat] -= number
            self._table[seat * 7 + best] += number
            self._posters[best] += number - 1
            self._opened.add(best)

    def _put_down(self, seat: int) -> None:
        hand, worth, opened = self._hands[seat], self._worth, self._opened
        after = (seat + 1) % self._count * 7
        best, least = -1, 1e9
        own = -1.0
        for card in range(deck.EARP + 1):
            have = hand[card]
            if not have:
                continue
            if card < deck.PHOTO:
                if card in opened:
                    loss = 2 + 2 * worth[card] + 0.3 * _POINTS[self._table[after + card]]
                else:
                    loss = _SHEER[min(3, have)] + worth[card] / 10 + 0.3
            elif card < deck.BANK:
                open_now = card - deck.PHOTO in opened
                loss = 4 * worth[card - deck.PHOTO] + 2 if open_now else 1.6 + hand[card - deck.PHOTO]
            elif card <= deck.FASTEST:
                if own < 0:
                    own = 2.8 if any(self._table[seat * 7 : seat * 7 + 7]) else 2.2
                loss = own
            else:
                loss = 3.2 if card == deck.EARP else 2.6
            if loss < least:
                best, least = card, loss
        hand[best] -= 1
        self._sizes[seat] -= 1
        self._discard.append(best)

    def _sheriff(self, seat: int) -> bool:
        """Whether the hand may hold something new to lay after it."""
        hand = self._hands[seat]
        best, most, at = -1, 0.0, 0
        for card in range(deck.PHOTO, deck.EARP + 1):
            if hand[card]:
                value, target = self._best_use(seat, card)
                if value > most:
                    best, most, at = card, value, target
        if best < 0:
            return False
        hand[best] -= 1
        self._sizes[seat] -= 1
        if best < deck.BANK:
            self._table[seat * 7 + best - deck.PHOTO] |= _PHOTO
            self._posters[best - deck.PHOTO] += 1
            return False
        return self._use(seat, best, at)

    def _best_use(self, seat: int, card: int) -> tuple[float, int]:
        """What the best use of the card is worth, and where: a group of the table, or what ``_use`` reads."""
        worth, table = self._worth, self._table
        if card < deck.BANK:
            outlaw = card - deck.PHOTO
            return (4 * worth[outlaw] + 1, 0) if outlaw in self._opened else (0.0, 0)
        if card == deck.HIDEOUT:
            return self._threat(seat)
        if card == deck.EARP:
            return self._earp(seat)
        if card == deck.WANTED:
            return self._ask(seat)
        best, most = -1, 0.0
        taken = 0.0
        if card == deck.FASTEST:
            for at, group in enumerate(table):
                if group & _FASTEST and at // 7 != seat:
                    taken = 3 * worth[at % 7]
        points = 3 if card == deck.FASTEST else 2 if card == deck.BANK else 1
        for outlaw in range(7):
            if table[seat * 7 + outlaw] & _ANCHOR:
                if card == deck.FASTEST and any(group & _FASTEST for group in table[outlaw::7]):
                    continue
                value = points * worth[outlaw] + taken + (1.5 if card == deck.STAGE else 0.5)
                if value > most:
                    best, most = seat * 7 + outlaw, value
        return HIT * most, best

    def _threat(self, seat: int) -> tuple[float, int]:
        best, most = -1, 0.0
        richest = max(self._money)
        for at, group in enumerate(self._table):
            if group and at // 7 != seat and not group & _HIDEOUT:
                points = _POINTS[group]
                leads = all(_POINTS[other] <= points for other in self._table[at % 7 :: 7])
                threat = 0.6 + 0.4 * leads + 0.2 * (self._money[at // 7] == richest)
                value = points * threat * self._worth[at % 7]
                if value > most:
                    best, most = at, value
        return HIT * most - 2, best

    def _ask(self, seat: int) -> tuple[float, int]:
        hand = self._hands[seat]
        best, most = -1, 0.0
        for outlaw in range(7):
            if outlaw in self._opened:
                value = self._worth[outlaw]
            elif hand[outlaw] == 2:
                value = 4 + self._worth[outlaw]
            else:
                continue
            if value > most:
                best, most = outlaw, value
        return most - 1.5, best

    def _earp(self, seat: int) -> tuple[float, int]:
        """-1 draws two, -2 searches, else it frees the own group."""
        hand = self._hands[seat]
        best, at = -1.0, -1
        if hand[deck.EARP] > 1 or self._sizes[seat] <= 4:
            best, at = 2.5, -1
            if len(self._discard) - self._discard.count(deck.EARP) > 3:
                best, at = 2.8, -2
        for own in range(seat * 7, seat * 7 + 7):
            group = self._table[own]
            if group & _HIDEOUT:
                value = HIT * _POINTS[group] * self._worth[own % 7] - 1
                if value > best:
                    best, at = value, own
        return best, at

    def _use(self, seat: int, card: int, at: int) -> bool:
        table = self._table
        if card == deck.WANTED:
            self._discard.append(card)
            return self._asked(seat, at)
        if card == deck.EARP:
            self._discard.append(card)
            if at == -1:
                self._two(seat)
                return True
            if at == -2:
                return self._search(seat)
            if self._hits():
                table[at] &= ~_HIDEOUT
                self._discard.append(deck.HIDEOUT)
            return False
        if not self._hits():
            self._discard.append(card)
            return False
        if card == deck.HIDEOUT:
            self._hidden(at)
            return False
        if card == deck.FASTEST:
            for place, group in enumerate(table):
                if group & _FASTEST:
                    table[place] -= _FASTEST
                    self._discard.append(deck.FASTEST)
        table[at] += _UNIT[card]
        self._posters[at % 7] += _REWARD[card]
        return False

    def _hidden(self, at: int) -> None:
        seat = at // 7
        self._table[at] |= _HIDEOUT
        if self._hands[seat][deck.EARP] and _POINTS[self._table[at]] * self._worth[at % 7] > 3:
            self._hands[seat][deck.EARP] -= 1
            self._sizes[seat] -= 1
            self._discard.append(deck.EARP)
            if self._hits():
                self._table[at] &= ~_HIDEOUT
                self._discard.append(deck.HIDEOUT)

    def _asked(self, seat: int, outlaw: int) -> bool:
        for step in range(1, self._count):
            other = (seat + step) % self._count
            if self._hands[other][outlaw]:
                self._hands[other][outlaw] -= 1
                self._sizes[other] -= 1
                self._hands[seat][outlaw] += 1
                self._sizes[seat] += 1
                return True
        return False

    def _search(self, seat: int) -> bool:
        hand, worth = self._hands[seat], self._worth
        own = any(self._table[seat * 7 : seat * 7 + 7])
        best, most = -1, -1.0
        for card in set(self._discard):
            if card == deck.EARP:
                continue
            if card < deck.PHOTO:
                have = min(3, hand[card] + 1)
                value = 1 + 2 * worth[card] if card in self._opened else _SHEER[have] + worth[card] / 10
            elif card < deck.BANK:
                outlaw = card - deck.PHOTO
                value = 4 * worth[outlaw] if outlaw in self._opened else 1.0 + hand[outlaw]
            else:
                value = 2.2 if card <= deck.FASTEST and own else 1.9
            if value > most:
                best, most = card, value
        if best < 0:
            return False
        self._discard.remove(best)
        hand[best] += 1
        self._sizes[seat] += 1
        if best >= deck.PHOTO and self._sizes[seat] > 1:
            value, target = self._best_use(seat, best)
            if value > 0 and best != deck.EARP:
                hand[best] -= 1
                self._sizes[seat] -= 1
                if best < deck.BANK:
                    self._table[seat * 7 + best - deck.PHOTO] |= _PHOTO
                    self._posters[best - deck.PHOTO] += 1
                else:
                    self._use(seat, best, target)
        return True
