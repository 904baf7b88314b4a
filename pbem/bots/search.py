"""Search: information-set Monte-Carlo tree search for both games, over the engine as it is.

Cowling, Powley and Whitehouse (2012), *Information Set Monte Carlo Tree Search*: one tree over what the searching seat
observes; before each pass the unknown is dealt again from what that seat knows; a move of another seat counts only in
the passes in which that seat could play it. At the root the choices share their deals and are halved again and again
(sequential halving: Karnin, Koren and Somekh 2013), so that they differ by what they change and not by luck. Below it
the tree widens with its visits; where it ends, everybody plays on by a quick rule (``policy``) to the end of the hand
or game turn, and the judgement values what is there.

Not OpenSpiel's ISMCTS, though it is a good one: it needs a C++ library that has wheels for few machines and none for a
browser page, a state object that deals itself again (so a player would hold a state, which ours must never see), one
integer for every action (Way Out West has thousands that are not known in advance), and rollouts that cross from C++
into Python at each move. What is left of it, selection and bookkeeping, is this file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from math import log, sqrt
from typing import Any, Final

from pbem.base.sentences import Sentence
from pbem.base.values import dataclass
from pbem.bots.chance import FastRandom
from pbem.bots.earp_future import DEALT_LATE, utility
from pbem.bots.earp_hand import PlayedOn
from pbem.bots.labels import STRONG, Level
from pbem.bots.player import ComputerPlayer, EarpPlayer, PlainPlayer, Weighed, WestPlayer, quick
from pbem.bots.west import Judge as WestJudge
from pbem.game import AnyRules, Chance, Draw, JsonObject, Outcome, Seat, Shuffle, Terminal
from pbem.games.wyatt_earp.actions import Lay
from pbem.games.wyatt_earp.deck import BANK, EARP, PHOTO, hand_of, includes, kinds_in
from pbem.games.wyatt_earp.state import DRAW, PLAY, State
from pbem.protocol.record import Record

_DEEPEST: Final = 16
"""Moves of a pass within the tree."""
_CURIOSITY: Final = 0.7
"""Of UCB1, times the spread of the values seen."""
_DOUBT: Final = 0.7
"""Errors by which passes must speak against the rules' own suggestion before another choice is preferred."""


class Model(ABC):
    """What the search needs of one match of one game, for one seat."""

    width: int
    """Choices at the root that are looked at: the best by the quick player's judgement."""
    share: float = 1.0
    """Of the passes of a level: a pass takes longer in one game than in another."""
    longest: int
    """Moves of a pass; where it is cut off the judgement values what is there."""
    margin: float
    """Choices that the judgement holds for worse by more than this are not looked at."""

    def __init__(self, rules: AnyRules) -> None:
        self.rules = rules

    @abstractmethod
    def world(self, view: Any, chance: FastRandom) -> Any:
        """A state that agrees with all that the seat knows, the unknown dealt by ``chance``."""

    @abstractmethod
    def values(self, state: Any, *, ended: bool) -> list[float]:
        """What this state is worth to each seat; ``ended``: the hand or game turn is over."""

    def policy(self, view: Any) -> Any:
        """What a seat does in the part of a pass that is not in the tree."""
        return self.rules.suggest(view)

    def played_on(self, state: Any, chance: FastRandom) -> list[float] | None:  # noqa: ARG002
        """What the end is worth to each seat if everybody plays on quickly; None: move by move, by ``policy``."""
        return None

    def moves(self, view: Any) -> Sequence[Any]:
        """The choices in the tree of the seat that is asked in ``view``."""
        return self.rules.legal_actions(view)


class EarpModel(Model):
    """Wyatt Earp: to the end of the hand, valued by everybody's money."""

    width = 8
    longest = 160
    margin = 8.0

    def __init__(self, player: EarpPlayer) -> None:
        super().__init__(player.rules)
        self._player = player
        self._deal: _Deal | None = None

    def world(self, view: Any, chance: FastRandom) -> State:
        """Cards known in hands and in the discard stand there; the rest is dealt as ``earp_future.imagine`` does."""
        deal = self._deal
        if deal is None or deal.view is not view:
            self._deal = deal = _Deal(self.rules, self._player, view)
        return deal.world(chance)

    def played_on(self, state: State, chance: FastRandom) -> list[float] | None:
        """By the quick rule for every seat; what a choice still asks is answered by the rules' suggestions first."""
        if state.phase not in (DRAW, PLAY):
            return None
        sheriff = state.sheriff and state.found < PHOTO  # who found a Sheriff card may play it (O7)
        hand = PlayedOn(self._player.match.options, state, chance)
        money = hand.money(begun=state.phase == PLAY, sheriff=sheriff)
        return [utility(money, seat) for seat in range(len(money))]

    def values(self, state: State, *, ended: bool) -> list[float]:  # noqa: ARG002  a pass goes to the end of the hand
        """The chance to win the match with this money."""
        money = [dollars / 1000 for dollars in state.money]
        return [utility(money, seat) for seat in range(len(money))]

    def moves(self, view: Any) -> Sequence[Any]:
        """Of one Outlaw all that can be laid, and every other choice."""
        most: dict[int, int] = {}
        legal = self.rules.legal_actions(view)
        for action in legal:
            if isinstance(action, Lay):
                most[action.outlaw] = max(action.count, most.get(action.outlaw, 0))
        return [move for move in legal if not isinstance(move, Lay) or move.count == most[move.outlaw]]


class _Deal:
    """The cards that one seat does not see, ready to be dealt to where they may be."""

    def __init__(self, rules: Any, player: EarpPlayer, view: Any) -> None:
        self.view = view
        self._rules = rules
        self._base: State = rules.imagine(view)
        self._me: int = view.viewer
        self._held = player.notes.held
        base = self._base
        pool = [kind for seat, hand in enumerate(base.hands) if seat != self._me for kind in kinds_in(hand)]
        in_supply = player.match.options.earp_search == "supply"
        if view.stack is None or not in_supply:
            pool += base.supply
        self._below: list[int] | None = None
        """Cards known below the top of the discard; None: as it lies."""
        top = base.discard[:1]
        self._deep = len(base.discard) - len(top)
        if view.stack is None or in_supply:
            pool += base.discard[1:]
            self._below = list((player.notes.discard - Counter(top)).elements())
        self._pool = bytes(pool)

    def world(self, chance: FastRandom) -> State:
        """One way they may lie."""
        base, mixed = self._base, bytearray(self._pool)
        chance.shuffle(mixed)
        pool = list(mixed)
        discard = base.discard
        if self._below is not None:
            below = self._below
            if len(below) > self._deep:  # of a search that was not shown, a Wyatt Earp is never the find
                shuffled = bytearray(below)
                chance.shuffle(shuffled)
                below = sorted(shuffled, key=lambda kind: kind != EARP)
            raw = bytes(_taken(pool, below, self._deep))
            if len(raw) < self._deep:
                return base  # who begins to listen in the middle of a hand does not know the discard
            discard = discard[:1] + raw
        hands, late = self._hands(pool, chance)
        undealt = bytearray(pool + late)
        chance.shuffle(undealt)
        supply = bytes(undealt) if len(undealt) == len(base.supply) else base.supply
        world = base._replace(hands=hands, supply=supply, discard=discard)
        seat = self._rules.setup.seats[self._me]
        return world if self._rules.observe(world, seat) == self.view else base

    def _hands(self, pool: list[int], chance: FastRandom) -> tuple[tuple[int, ...], list[int]]:
        """The others' hands out of the pool, known cards first; and what was laid aside for the supply."""
        view, held = self.view, self._held
        dealt = {
            seat: _taken(pool, held[seat].elements(), size)
            for seat, size in enumerate(view.sizes)
            if seat != self._me
        }
        late: list[int] = []
        for seat, mine in dealt.items():
            size = view.sizes[seat]
            while len(mine) < size and pool:
                kind = pool.pop()
                playable = kind < BANK and includes(view.opened, kind % PHOTO)
                (late if playable and chance.below(100) < DEALT_LATE else mine).append(kind)
            while len(mine) < size:
                mine.append(late.pop())
        hands = self._base.hands
        return tuple(hand_of(dealt[at]) if at in dealt else hand for at, hand in enumerate(hands)), late


class WestModel(Model):
    """Way Out West: to the end of the game turn, valued by what the position promises."""

    width = 6
    share = 0.045
    longest = 60
    margin = 6.0

    def __init__(self, rules: AnyRules) -> None:
        super().__init__(rules)
        self._judge = WestJudge(rules, 0)

    def world(self, view: Any, chance: FastRandom) -> Any:  # noqa: ARG002  everything lies open
        """The position itself; cash that is hidden is as it was at the start."""
        return self.rules.imagine(view)

    def values(self, state: Any, *, ended: bool) -> list[float]:  # noqa: ARG002  its worth looks ahead by itself
        """How far ahead everybody is, by points, income to come and prospects."""
        return self._judge.value.all_worths(state)

    def policy(self, view: Any) -> Any:
        """The best at the first look."""
        return self._judge.quick(view)

    def moves(self, view: Any) -> Sequence[Any]:
        """Answers and bids; of the thousands of actions only the one that looks best."""
        if view.position.phase in ("actions", "setup"):
            return (self.policy(view),)
        return self.rules.legal_actions(view)


def _taken(pool: list[int], wanted: Iterable[int], most: int) -> list[int]:
    """Those of ``wanted`` that are in the pool, at most so many, taken out of it."""
    kinds: list[int] = []
    for kind in wanted:
        if len(kinds) < most and kind in pool:
            pool.remove(kind)
            kinds.append(kind)
    return kinds


@dataclass(slots=True)
class _Edge:
    """What is known of one choice at one node."""

    visits: int = 0
    offered: int = 0
    total: float = 0.0


@dataclass(slots=True)
class _Node:
    """One thing the searching seat can have observed: the choices there and their results."""

    visits: int = 0
    edges: dict[Any, _Edge] = field(default_factory=dict)
    below: dict[tuple[Any, Any], _Node] = field(default_factory=dict)


class Tree:
    """The search of one decision; the same view, notes and seed give the same answer."""

    def __init__(self, model: Model, view: Any, seed: str, *, flat: bool = False) -> None:
        """``flat``: nothing grows below the choices; each is only played on from."""
        self._flat = flat
        self._model = model
        self._rules = model.rules
        self._view = view
        self._seed = seed
        self._seats = {seat: at for at, seat in enumerate(model.rules.setup.seats)}
        self._me = model.rules.setup.seats[view.viewer]
        self._low, self._high = float("inf"), float("-inf")
        self._roots: dict[Any, _Node] = {}
        self._dealt: tuple[int, Any] | None = None
        """The last deal, which the choices share."""
        self.passes = 0

    def weigh(
        self, choices: Sequence[Any], passes: int, home: Any = None, doubt: float = 0.0
    ) -> list[tuple[float, Any]]:
        """The choices with their mean values, best first; each half of them that falls away stays behind the others.

        ``home``, one of the choices, stays in to the end, and first unless the best is better by more than ``doubt``
        times the error of the comparison.
        """
        left = list(choices)
        order: list[Any] = []
        values: dict[Any, list[float]] = {choice: [] for choice in choices}
        rounds = max(1, (len(left) - 1).bit_length())
        deal = 0
        for _ in range(rounds):
            deals = max(1, passes // (rounds * len(left)))
            for at in range(deal, deal + deals):
                for choice in left:
                    values[choice].append(self._pass(choice, at))
            deal += deals
            left.sort(key=lambda choice: -sum(values[choice]) / len(values[choice]))
            half = max(1, len(left) // 2)
            better = left[:half] if home is None or home in left[:half] else [*left[: max(1, half - 1)], home]
            order = [choice for choice in left if choice not in better] + order
            left = better
        order = left + order
        if home is not None and order[0] != home and not _better(values[order[0]], values[home], doubt):
            order.remove(home)
            order.insert(0, home)
        means = [sum(values[choice]) / len(values[choice]) for choice in order]
        for at in range(len(means) - 2, -1, -1):
            # Who fell away earlier is worth less, whatever luck said.
            means[at] = max(means[at], means[at + 1])
        return list(zip(means, order, strict=True))

    def compare(self, choices: Sequence[Any], deals: Iterable[int]) -> dict[Any, float]:
        """The values of the passes after each choice, added up over these deals, which are the same for all choices."""
        totals = dict.fromkeys(choices, 0.0)
        for deal in deals:
            for choice in choices:
                totals[choice] += self._pass(choice, deal)
        return totals

    def _pass(self, choice: Any, deal: int) -> float:
        """One way the hand or game turn may go on after the choice, in the world of this number."""
        self.passes += 1
        rules, chance = self._rules, FastRandom(f"{self._seed}/{deal}/on")
        if self._dealt is None or self._dealt[0] != deal:
            self._dealt = deal, self._model.world(self._view, FastRandom(f"{self._seed}/{deal}"))
        state = self._dealt[1]
        span = rules.span(state)
        state = rules.apply(state, choice).state
        node = self._roots.setdefault(choice, _Node())
        path: list[tuple[_Node, _Edge, int]] = []
        growing = not self._flat
        ended = False
        values: list[float] | None = None
        for depth in range(self._model.longest):
            asked = rules.node(state)
            if isinstance(asked, Terminal) or rules.span(state) != span:
                ended = True
                break
            if isinstance(asked, Chance):
                state = rules.resolve(state, _outcome(asked.draw, chance)).state
                continue
            if not growing or depth >= _DEEPEST:
                values = self._model.played_on(state, chance)
                if values is not None:
                    break
            view = rules.observe(state, asked.seat)
            if not growing or depth >= _DEEPEST:
                state = rules.apply(state, self._model.policy(view)).state
                continue
            node.visits += 1
            action, edge = self._select(node, view, chance)
            path.append((node, edge, self._seats[asked.seat]))
            growing = edge.visits > 0
            state = rules.apply(state, action).state
            node = node.below.setdefault((action, rules.observe(state, self._me)), _Node())
        if values is None:
            values = self._model.values(state, ended=ended)
        for _, edge, seat in path:
            edge.visits += 1
            edge.total += values[seat]
        mine: float = values[self._view.viewer]
        self._low, self._high = min(self._low, *values), max(self._high, *values)
        return mine

    def _select(self, node: _Node, view: Any, chance: FastRandom) -> tuple[Any, _Edge]:
        """The suggestion first; more choices the more visits; among those that were tried the best upper bound."""
        edges = node.edges
        if not edges:
            action = self._model.policy(view)
            edges[action] = edge = _Edge(offered=1)
            return action, edge
        moves = list(self._model.moves(view))
        suggested = self._model.policy(view)
        if suggested not in moves:
            moves.append(suggested)
        tried = [move for move in moves if move in edges]
        for move in tried:
            edges[move].offered += 1
        if len(tried) < 1 + int(sqrt(node.visits) / 2):
            fresh = [move for move in moves if move not in edges]
            if fresh:
                action = suggested if suggested in fresh else fresh[chance.below(len(fresh))]
                edges[action] = edge = _Edge(offered=1)
                return action, edge
        spread = max(1e-9, self._high - self._low)
        best = max(
            tried,
            key=lambda move: (
                edges[move].total / max(1, edges[move].visits) / spread
                + _CURIOSITY * sqrt(log(1 + edges[move].offered) / max(1, edges[move].visits))
            ),
        )
        return best, edges[best]


def _better(values: Sequence[float], home: Sequence[float], doubt: float) -> bool:
    """Whether these passes beat those of the same deals from home by more than ``doubt`` times the error."""
    gains = [value - other for value, other in zip(values, home, strict=True)]
    mean = sum(gains) / len(gains)
    spread = sum((gain - mean) ** 2 for gain in gains) / max(1, len(gains) - 1)
    return mean > doubt * sqrt(spread / len(gains))


def _outcome(draw: Draw, chance: FastRandom) -> Outcome:
    """What chance answers in an imagined world."""
    if isinstance(draw, Shuffle):
        order = bytearray(range(len(draw.cards)))
        chance.shuffle(order)
        return tuple(order)
    return tuple(1 + chance.below(sides) for sides in draw.sides)


class SearchPlayer(ComputerPlayer):
    """A quick player that looks ahead: its judgement says which choices are looked at, the search which is best."""

    def __init__(
        self, quick: EarpPlayer | WestPlayer, seed: str, level: Level, *, stays: bool = False
    ) -> None:
        super().__init__(quick.rules, seed, level, stays=stays)
        self.quick = quick
        self._model = EarpModel(quick) if isinstance(quick, EarpPlayer) else WestModel(quick.rules)

    def follow(self, events: Iterable[JsonObject], public: Any) -> None:
        """What the quick player remembers."""
        self.quick.follow(events, public)

    def reasons(self, view: Any, action: Any, names: Mapping[Seat, str]) -> Sequence[Sentence]:
        """What the quick player can count."""
        return self.quick.reasons(view, action, names)

    def forced(self, view: Any) -> Any | None:
        """As the quick player: it never goes in circles."""
        return self.quick.forced(view)

    def goes_out(self, view: Any, action: Any) -> bool:
        """As the quick player sees it."""
        return self.quick.goes_out(view, action)

    def _values(self, view: Any, seed: str) -> list[Weighed]:
        judged = list(self.quick.weigh(view))
        model, level = self._model, self._level
        passes, home = round(level.search * model.share), None
        flat = not passes
        if flat:
            passes = level.hands if isinstance(model, EarpModel) else 0
        if len(judged) == 1 or not passes:
            return judged
        least = judged[0].value - model.margin
        first = [choice.action for choice in judged[: model.width] if choice.value >= least]
        if isinstance(model, EarpModel):
            home = model.policy(view)
            if home not in first:
                first = [*first[: model.width - 1], home]
        if len(first) == 1:
            return judged
        tree = Tree(model, view, seed, flat=flat)
        weighed_rows = [Weighed(action, value) for value, action in tree.weigh(first, passes, home, _DOUBT)]
        last = weighed_rows[-1].value
        others = [choice.action for choice in judged if choice.action not in first]
        return [*weighed_rows, *(Weighed(action, last - 1e-6 * at) for at, action in enumerate(others, 1))]


def player_for(rules: AnyRules, seed: str, level: Level = STRONG, *, stays: bool = False) -> ComputerPlayer:
    """The player of this level, to be given everything from the beginning on; ``stays`` as in ``ComputerPlayer``."""
    player = quick(rules, seed, level, stays=stays)
    if (level.search or level.hands) and not isinstance(player, PlainPlayer):
        return SearchPlayer(player, seed, level, stays=stays)
    return player


def player_from(record: Record, seed: str, level: Level = STRONG, *, stays: bool = False) -> ComputerPlayer:
    """The player of this level, given all that the record shows so far."""
    player = player_for(record.rules, seed, level, stays=stays)
    for line in record.lines:
        player.follow_record(line.body)
    return player
