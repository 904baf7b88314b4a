"""Judgement for Wyatt Earp: a choice by what the hand then comes to, played on to its end in many deals.

The rules' own scores say which choices are looked at. Each is carried out by the engine in deals of the cards that the
seat does not see, which all choices share, and ``earp_hand`` plays on for everybody. Half of the choices fall away in
each round (sequential halving: Karnin, Koren and Somekh 2013).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import sqrt
from typing import Final

from pbem.bots.chance import FastRandom
from pbem.bots.earp_hand import PlayedOn, utility
from pbem.game import Chance, Decision, Shuffle
from pbem.games.wyatt_earp.actions import Action, Discard, Lay
from pbem.games.wyatt_earp.counting import CardMemory
from pbem.games.wyatt_earp.deck import BANK, EARP, NONE, PHOTO, Hand, Kind, hand_of
from pbem.games.wyatt_earp.player import Evaluator
from pbem.games.wyatt_earp.rules import WyattEarpRules
from pbem.games.wyatt_earp.state import DRAW, PLAY, State
from pbem.games.wyatt_earp.views import View, sight_in

_WIDTH: Final = 8
"""Choices that are played on from."""
_DISCARDS: Final = 3
"""Discards among them, even where there are many plays: a card can be worth more in the hand."""
_DOUBT: Final = 0.7
"""Errors of the comparison by which another choice must be better than the rules' own suggestion."""
_DEALT_LATE: Final = 70
"""Percent: a card that its holder could have laid is dealt to the supply instead of a hand."""


def weigh(
    rules: WyattEarpRules, view: View, notes: CardMemory, seed: str, hands: int
) -> list[tuple[float, Action]]:
    """Weigh the choices of the seat that is asked, best first, in thousands of dollars (``earp_hand.utility``).

    Raises:
        ValueError: if the viewer is not asked anything.
    """
    choices = _choices(rules, view)
    if len(choices) == 1:
        return [(0.0, choices[0])]
    discards = [choice for choice in choices if isinstance(choice, Discard)]
    plays = _varied([choice for choice in choices if not isinstance(choice, Discard)])
    looked_at = {*[*plays[: _WIDTH - min(_DISCARDS, len(discards))], *discards][:_WIDTH]}
    first = [choice for choice in choices if choice in looked_at]
    deals = Deals(rules, view, notes, seed)
    weighed = halved(first, hands, deals.value)
    last = weighed[-1][0]
    others = [choice for choice in choices if choice not in looked_at]
    return [*weighed, *((last - 1e-6 * at, choice) for at, choice in enumerate(others, 1))]


def _choices(rules: WyattEarpRules, view: View) -> list[Action]:
    """List the legal actions by the rules' own scores: of each Outlaw the largest lay, each shot with its targets."""
    legal = rules.legal_actions(view)
    if not legal:
        raise ValueError("this seat is not asked anything")
    most: dict[int, int] = {}
    for action in legal:
        if isinstance(action, Lay):
            most[action.outlaw] = max(action.count, most.get(action.outlaw, 0))
    evaluator = Evaluator(rules.match, view, sight_in(rules.match, view))
    choices = [
        aimed
        for action in legal
        if not isinstance(action, Lay) or action.count == most[action.outlaw]
        for aimed in evaluator.aimed(action)
    ]
    return sorted(choices, key=evaluator.score, reverse=True)


def _varied(plays: Sequence[Action]) -> list[Action]:
    """Put the best play of each card first, then the second best of each, and so on: targets do not crowd out cards."""
    count: Counter[tuple[type, Kind]] = Counter()
    ranked: list[tuple[int, Action]] = []
    for play in plays:
        card = type(play), getattr(play, "card", NONE)
        ranked.append((count[card], play))
        count[card] += 1
    return [play for _, play in sorted(ranked, key=lambda pair: pair[0])]


def halved(
    choices: Sequence[Action], passes: int, value: Callable[[Action, int], float]
) -> list[tuple[float, Action]]:
    """Compare choices in the same deals, half of them falling away in each round; mean values, best first.

    The first of ``choices`` stays in to the end, and stays first unless the best is clearly better (``_DOUBT``).
    ``value`` is of a choice in the deal of a number.
    """
    home, left = choices[0], list(choices)
    behind: list[Action] = []
    values: dict[Action, list[float]] = {choice: [] for choice in choices}
    rounds = max(1, (len(left) - 1).bit_length())
    deal = 0
    for _ in range(rounds):
        deals = range(deal, deal + max(1, passes // (rounds * len(left))))
        for choice in left:
            values[choice] += [value(choice, number) for number in deals]
        deal = deals.stop
        left.sort(key=lambda choice: -sum(values[choice]) / len(values[choice]))
        half = max(1, len(left) // 2)
        stays = left[:half] if home in left[:half] else [*left[: max(1, half - 1)], home]
        behind = [choice for choice in left if choice not in stays] + behind
        left = stays
    order = left + behind
    if order[0] != home and not _clearly_better(values[order[0]], values[home]):
        order.remove(home)
        order.insert(0, home)
    means = [sum(values[choice]) / len(values[choice]) for choice in order]
    for at in range(len(means) - 2, -1, -1):  # who fell away earlier is worth less, whatever luck said
        means[at] = max(means[at], means[at + 1])
    return list(zip(means, order, strict=True))


def _clearly_better(values: Sequence[float], home: Sequence[float]) -> bool:
    gains = [value - other for value, other in zip(values, home, strict=True)]
    mean = sum(gains) / len(gains)
    spread = sum((gain - mean) ** 2 for gain in gains) / max(1, len(gains) - 1)
    return mean > _DOUBT * sqrt(spread / len(gains))


class Deals:
    """The cards that one seat does not see, dealt to where they may be, a deal for each number."""

    def __init__(self, rules: WyattEarpRules, view: View, notes: CardMemory, seed: str) -> None:
        self._rules, self._view, self._seed = rules, view, seed
        self._me = view.viewer
        self._held = notes.held
        self._base = base = rules.imagine(view)
        in_supply = rules.match.options.earp_search == "supply"
        pool = [kind for seat, hand in enumerate(base.hands) if seat != self._me for kind in hand]
        if view.stack is None or not in_supply:
            pool += base.supply
        self._below: list[Kind] | None = None
        """Cards known below the top of the discard; None: as it lies."""
        top = base.discard[:1]
        self._deep = len(base.discard) - len(top)
        if view.stack is None or in_supply:
            pool += base.discard[1:]
            self._below = list((notes.discard - Counter(top)).elements())
        self._pool = pool
        self._worlds: dict[int, State] = {}

    def value(self, choice: Action, number: int) -> float:
        """Play on from a choice in the deal of this number."""
        chance = FastRandom(f"{self._seed}/{number}/on")
        if number not in self._worlds:
            self._worlds[number] = self.world(FastRandom(f"{self._seed}/{number}"))
        rules, state = self._rules, self._worlds[number]
        span = rules.span(state)
        state = rules.apply(state, choice).state
        while rules.span(state) == span:
            node = rules.node(state)
            if isinstance(node, Chance):
                assert isinstance(node.draw, Shuffle)  # noqa: S101 (there are no dice)
                order = list(range(len(node.draw.cards)))
                chance.shuffle(order)
                state = rules.resolve(state, tuple(order)).state
            elif state.phase in (DRAW, PLAY):
                return utility(self._played_on(state, chance), self._me)
            elif isinstance(node, Decision):  # what the choice still asks
                state = rules.apply(state, rules.suggest(rules.observe(state, node.seat))).state
            else:
                break
        return utility([dollars / 1000 for dollars in state.money], self._me)

    def _played_on(self, state: State, chance: FastRandom) -> list[float]:
        sheriff = state.sheriff and state.found < PHOTO  # who found a Sheriff card may play it (O7)
        hand = PlayedOn(self._rules.match.options, state, chance)
        return hand.money(begun=state.phase == PLAY, sheriff=sheriff)

    def world(self, chance: FastRandom) -> State:
        """Deal the cards one way they may lie: known ones stand where they are known."""
        base, pool = self._base, list(self._pool)
        chance.shuffle(pool)
        discard = base.discard
        if self._below is not None:
            below = list(self._below)
            if len(below) > self._deep:  # of a search that was not shown, a Wyatt Earp is never the find
                chance.shuffle(below)
                below.sort(key=lambda kind: kind != EARP)
            lower = _taken(pool, below, self._deep)
            if len(lower) < self._deep:
                return base  # who begins to listen in the middle of a hand does not know the discard
            discard = discard[:1] + tuple(lower)
        hands, late = self._hands(pool, chance)
        undealt = pool + late
        chance.shuffle(undealt)
        supply = tuple(undealt) if len(undealt) == len(base.supply) else base.supply
        world = base._replace(hands=hands, supply=supply, discard=discard)
        seat = self._rules.setup.seats[self._me]
        return world if self._rules.observe(world, seat) == self._view else base

    def _hands(self, pool: list[Kind], chance: FastRandom) -> tuple[tuple[Hand, ...], list[Kind]]:
        """Deal the others' hands out of the pool; also what was laid aside for the supply.

        Who plays at once does not keep cards that they could have laid.
        """
        view = self._view
        dealt = {
            seat: _taken(pool, self._held[seat].elements(), size)
            for seat, size in enumerate(view.sizes)
            if seat != self._me
        }
        late: list[Kind] = []
        for seat, mine in dealt.items():
            while len(mine) < view.sizes[seat] and pool:
                kind = pool.pop()
                playable = kind < BANK and kind % PHOTO in view.opened
                (late if playable and chance.below(100) < _DEALT_LATE else mine).append(kind)
            while len(mine) < view.sizes[seat]:
                mine.append(late.pop())
        return tuple(
            hand_of(dealt[at]) if at in dealt else hand for at, hand in enumerate(self._base.hands)
        ), late


def _taken(pool: list[Kind], wanted: Iterable[Kind], most: int) -> list[Kind]:
    """Take those of ``wanted`` that are in the pool out of it, at most so many."""
    kinds: list[Kind] = []
    for kind in wanted:
        if len(kinds) < most and kind in pool:
            pool.remove(kind)
            kinds.append(kind)
    return kinds
