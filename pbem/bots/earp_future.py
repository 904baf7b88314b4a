"""How a hand of Wyatt Earp may end: the unseen cards dealt at random, everybody lays what they can, then scoring.

One ``Future`` is one such deal with one number of turns to come. The same futures judge every choice of a decision
(common random numbers), so that two choices differ by what they change and not by luck.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import exp
from operator import add
from typing import Final

from pbem.base.values import dataclass
from pbem.bots.chance import FastRandom
from pbem.games.wyatt_earp import deck
from pbem.games.wyatt_earp.deck import Group, Kind, Outlaw
from pbem.games.wyatt_earp.ending import circle_from, score_poster
from pbem.games.wyatt_earp.player import HIT
from pbem.games.wyatt_earp.state import WIN, Options

DEALT_LATE: Final = 70
"""Percent: a card that its holder could have laid is dealt to the supply instead of a hand."""
_TEMPER: Final = {2: (5.25, 0.05), 3: (3.75, 0.15), 4: (3.0, 0.15)}
"""Thousands of dollars that make a chance 2.7 times as good: at the end of the match, and more for each still to go."""
_MATCH: Final = {2: 26.0, 3: 33.75, 4: 36.0}
"""What a match is worth in the dollars of its beginning: there a thousand changes the chance by 1 in so many."""


@dataclass
class FutureBoard:
    """What a choice changes: the table, the posters (thousands), the hand of the seat, the Outlaws opened."""

    table: list[Group]
    posters: list[int]
    hand: list[int]
    opened: int

    def copy(self) -> FutureBoard:
        """To be changed."""
        return FutureBoard(self.table[:], self.posters[:], self.hand[:], self.opened)


@dataclass(frozen=True, slots=True)
class Future:
    """Cards by seat and kind as they will be had, the turns each seat will still take, which shots hit (``HIT``)."""

    cards: tuple[tuple[int, ...], ...]
    turns: tuple[int, ...]
    hits: tuple[bool, ...]
    fresh: tuple[Kind, ...]
    """The next cards of the supply."""
    answers: tuple[bool, ...]
    """Whose hand holds a Wyatt Earp now."""
    holds: tuple[tuple[int, ...], ...]
    """The hands as they may be now, by seat and Outlaw."""


def imagine(
    chance: FastRandom,
    me: int,
    sizes: Sequence[int],
    pool: Sequence[int],
    known: Sequence[Sequence[int]],
    opened: int,
    turns: Sequence[int],
) -> Future:
    """Deal ``pool`` (copies by kind that nobody has seen) to the others and to the turns to come.

    Who plays at once does not keep cards that they could have laid: most cards of opened Outlaws are dealt to the
    supply instead of a hand.
    """
    shuffled = bytearray(kind for kind, copies in enumerate(pool) for _ in range(copies))
    chance.shuffle(shuffled)
    deals = [list(cards) for cards in known]
    late: list[int] = []
    at = 0
    for seat, size in enumerate(sizes):
        if seat == me:
            continue
        missing = size - sum(deals[seat])
        while missing > 0 and at < len(shuffled):
            kind = shuffled[at]
            at += 1
            playable = kind < deck.BANK and deck.includes(opened, kind % deck.PHOTO)
            if playable and chance.below(100) < DEALT_LATE:
                late.append(kind)
                continue
            deals[seat][kind] += 1
            missing -= 1
    late += shuffled[at:]
    answers = tuple(bool(deal[deck.EARP]) for deal in deals)
    holds = tuple(tuple(deal[: deck.PHOTO]) for deal in deals)
    drawn = 0
    count = len(sizes)
    for step in range(count):
        seat = (me + 1 + step) % count
        for kind in late[drawn : drawn + 2 * turns[seat]]:
            deals[seat][kind] += 1
        drawn += 2 * turns[seat]
    hits = tuple(chance.below(100) < 100 * HIT for _ in range(3 * count))
    return Future(
        tuple(map(tuple, deals)), tuple(turns), hits, tuple(late[drawn : drawn + 4]), answers, holds
    )


@lru_cache(maxsize=1 << 17)
def paid(options: Options, groups: tuple[Group, ...], pot: int) -> tuple[float, ...]:
    """What a poster of ``pot`` thousands pays everybody, in thousands, for these groups of its Outlaw."""
    points = tuple(map(deck.capture_points, groups))
    return tuple(dollars / 1000 for dollars in score_poster(options, points, pot * 1000)[1])


def finish(
    options: Options, table: Sequence[Group], posters: Sequence[int], money: Sequence[float]
) -> list[float]:
    """Everybody's money in thousands, if the hand ended with these groups and posters."""
    at_once = options.end_condition == "first_to_25000"
    total = list(money)
    for outlaw in circle_from(options.first_poster):
        groups = tuple(table[outlaw::7])
        if any(groups):
            total = list(map(add, total, paid(options, groups, posters[outlaw])))
            if at_once and max(total) * 1000 >= WIN:
                break
    return total


def utility(total: Sequence[float], me: int) -> float:
    """How good such money at the end of a hand is: the chance to win the match with it, beside an equal one.

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


def play_out(
    options: Options, board: FutureBoard, future: Future, me: int, money: Sequence[float], more: Sequence[int]
) -> float:
    """The board's value for this seat in this future (``outcome``)."""
    return utility(outcome(options, board, future, me, money, more), me)


def outcome(
    options: Options, board: FutureBoard, future: Future, me: int, money: Sequence[float], more: Sequence[int]
) -> list[float]:
    """Everybody's money in this future, in thousands: everybody lays all they can, and plays the best Sheriff cards.

    ``more``: turns and Sheriff cards that the seat itself has left beside the future's (0 or 1 each).
    """
    table, posters = board.table[:], board.posters[:]
    count = len(money)
    cards = list(future.cards)
    mine = list(map(int.__add__, future.cards[me], board.hand))
    cards[me] = tuple(mine)
    opened = board.opened
    able = [turns > 0 for turns in future.turns]
    able[me] = able[me] or more[0] > 0
    for seat in range(count):
        if able[seat]:
            hand = cards[seat]
            for outlaw in range(7):
                if hand[outlaw] >= 3:
                    opened |= deck.bit_of(outlaw)
    for seat in range(count):
        if able[seat]:
            _lay(table, posters, cards[seat], seat * 7, opened)
    for step in range(count):
        seat = (me + step) % count
        plays = future.turns[seat] + (more[1] if seat == me else 0)
        if plays and able[seat]:
            _sheriff(table, posters, cards[seat], seat, plays, opened, future)
    return finish(options, table, posters, money)


def _lay(table: list[Group], posters: list[int], hand: Sequence[int], base: int, opened: int) -> None:
    for outlaw in range(7):
        number = hand[outlaw]
        if number and deck.includes(opened, outlaw):
            space = 7 - (table[base + outlaw] & 7)
            number = min(number, space)
            table[base + outlaw] += number
            posters[outlaw] += max(0, number - 1)


def _sheriff(
    table: list[Group],
    posters: list[int],
    hand: Sequence[int],
    seat: int,
    plays: int,
    opened: int,
    future: Future,
) -> None:
    """The Sheriff cards that count, as many as there are turns: Photos, shots on the own best group, a Hideout."""
    base = seat * 7
    for outlaw in range(7):
        if (
            plays
            and hand[deck.PHOTO + outlaw]
            and deck.includes(opened, outlaw)
            and not table[base + outlaw] & deck.PHOTO_BIT
        ):
            table[base + outlaw] |= deck.PHOTO_BIT
            posters[outlaw] += 1
            plays -= 1
    shots = [card for card in (deck.FASTEST, deck.HIDEOUT, deck.BANK, deck.STAGE) if hand[card]]
    for number, card in enumerate(shots[:plays][:3]):
        if not future.hits[seat * 3 + number]:
            continue
        if card == deck.HIDEOUT:
            _hide(table, posters, seat)
            continue
        best = best_group(table, posters, base)
        if best < 0:
            return
        if card == deck.FASTEST:
            for at, group in enumerate(table):
                if group & deck.FASTEST_BIT:
                    table[at] -= deck.FASTEST_BIT
            table[base + best] |= deck.FASTEST_BIT
            posters[best] += 1
        elif card == deck.BANK:
            table[base + best] += deck.BANK_UNIT
            posters[best] += 1
        else:
            table[base + best] += deck.STAGE_UNIT
            posters[best] += 3


def best_group(table: Sequence[Group], posters: Sequence[int], base: int) -> Outlaw:
    """The own group whose next points count most; -1 without any."""
    best, most = -1, 0.0
    for outlaw in range(7):
        group = table[base + outlaw]
        if group & 15 and not group & deck.HIDEOUT_BIT:
            value = posters[outlaw] * (1 + deck.capture_points(group) / 4)
            if value > most:
                best, most = outlaw, value
    return best


def _hide(table: list[Group], posters: Sequence[int], seat: int) -> None:
    best, most = -1, 0
    for at, group in enumerate(table):
        if at // 7 != seat and group & 15 and not group & deck.HIDEOUT_BIT:
            value = deck.capture_points(group) * posters[at % 7]
            if value > most:
                best, most = at, value
    if best >= 0:
        table[best] |= deck.HIDEOUT_BIT
