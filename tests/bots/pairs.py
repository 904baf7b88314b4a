"""Matches under options of which every two values meet, played by everything that acts for a person.

Whoever acts is asked in turn: a computer player, a hint, standing orders (a computer player's, and those that a client
offers, given at every other decision and kept until then), and the timeout move. What any of them answers comes from
the list of legal actions, under every option: else the match stops here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import Any

from pbem.bots import Level, player_for
from pbem.game import PUBLIC, AnyRules, Chance, Decision, Json, JsonObject, Seat, Setup, Terminal
from pbem.games import find_game
from pbem.games.ordering import NOW, Offering, Ordering
from pbem.games.way_out_west.actions import BOX_ACTIONS, Gunfight
from pbem.games.way_out_west.actions import Pass as PassBox
from pbem.games.wyatt_earp.actions import EarpRemove, EarpSearch, Hide, Rob, Steal
from tests.conformance.keyed import Keyed

NAMES = tuple(map(Seat, ("anna", "burt", "curt", "dora", "emil")))
Pair = tuple[tuple[str, Json], tuple[str, Json]]


def pairs_of(options: Mapping[str, Sequence[Json]]) -> set[Pair]:
    """Every two values of two different options."""
    return {
        ((left, first), (other, second))
        for left, other in combinations(sorted(options), 2)
        for first, second in product(options[left], options[other])
    }


def met(row: JsonObject) -> set[Pair]:
    """The pairs that meet in these options."""
    return set(combinations(sorted(row.items()), 2))


def covering(options: Mapping[str, Sequence[Json]], rows: int, key: str) -> list[JsonObject]:
    """So many choices of options, in which every pair meets; the first ones bring the most.

    Greedy, value by value, the best of eight tries a row (Cohen, Dalal, Fredman, Patton: *The AETG System*, 1997).
    """
    keyed, missing, chosen = Keyed(key), pairs_of(options), list[JsonObject]()
    while len(chosen) < rows:
        tries = [_row(options, missing, keyed) for _ in range(8)]
        chosen.append(max(tries, key=lambda row: len(met(row) & missing)))
        missing -= met(chosen[-1])
    assert not missing, f"{rows} rows are too few: {len(missing)} pairs do not meet"
    return chosen


def _row(options: Mapping[str, Sequence[Json]], missing: set[Pair], keyed: Keyed) -> JsonObject:
    row: JsonObject = {}
    for name in keyed.shuffled(list(options)):
        values = keyed.shuffled(options[name])
        row[name] = max(values, key=lambda value: _new(name, value, row, missing))
    return row


def _new(name: str, value: Json, row: JsonObject, missing: set[Pair]) -> int:
    return sum(tuple(sorted([(name, value), other])) in missing for other in row.items())


def rules_with(game_id: str, seats: int, options: JsonObject) -> AnyRules:
    game = find_game(game_id)
    names = NAMES[:seats]
    resolved = game.resolve_options("default", options)
    return game.rules(Setup(names, resolved, game.default_extra(names), max(game.info.versions)))


def short(action: Any) -> Any:
    """Without what it names in advance."""
    match action:
        case Rob(card, _):
            return Rob(card)
        case Steal() | Hide() | EarpRemove() | EarpSearch():
            return type(action)()
        case Gunfight():
            return replace(action, plan=None, box=None)
        case _ if isinstance(action, (PassBox, *BOX_ACTIONS)):
            return replace(action, box=None)
        case _:
            return action


class Played:
    """One match; ``play`` returns the decisions that it took."""

    def __init__(self, rules: AnyRules, level: Level, key: str) -> None:
        self.rules = rules
        self.keyed = Keyed(key)
        self.player = player_for(rules, key, level)
        self.turn: JsonObject = {"epoch": 1, "number": 1}
        self.orders: dict[Seat, JsonObject] = {}
        self.state: Any = rules.initial_state()

    def play(self, limit: int) -> int:
        decisions = 0
        while not isinstance(node := self.rules.node(self.state), Terminal):
            if isinstance(node, Chance):
                self._after(self.rules.resolve(self.state, self.keyed.outcome(node.draw)))
                continue
            assert isinstance(node, Decision)
            assert decisions < limit, "no end"
            decisions += 1
            view = self.rules.observe(self.state, node.seat)
            listed = self.rules.legal_actions(view)
            often = self.keyed.below(10) < 7
            answers = [self.player.choose(view)] if often else list(self._cheap(view, node.seat))
            for answer in answers:
                assert short(answer) in listed or answer in listed, self.rules.action_to_json(answer)
                self.rules.check(view, answer)
            action = self.keyed.choice(answers)
            if node.seat not in self.orders or decisions % 2:
                self._advise(view, node.seat, action)
            self._after(self.rules.apply(self.state, action))
        return decisions

    def _cheap(self, view: Any, seat: Seat) -> Iterator[Any]:
        """A hint, the timeout move, and what standing orders answer."""
        yield self.rules.suggest(view)
        yield self.rules.default_action(view)
        order = self.orders.get(seat)
        if order is not None:
            answer = self.rules.order_action(view, {**order, NOW: self.turn})
            if answer is not None:
                yield answer

    def _advise(self, view: Any, seat: Seat, action: Any) -> None:
        """Orders that go out with this action: mostly the computer's, now and then what a client offers behind it."""
        rules = self.rules
        assert isinstance(rules, Ordering)
        assert isinstance(rules, Offering)
        order = rules.advise_orders(view, self.turn)
        if self.keyed.below(3) == 0:
            public = rules.observe(self.state, PUBLIC)
            offers = rules.common_orders(public, seat, self.turn, [rules.action_to_json(action)])
            order = {"rules": [rule for offer in offers for rule in offer.rules]}
        rules.check_order(order)
        self.orders[seat] = order

    def _after(self, step: Any) -> None:
        rules = self.rules
        assert isinstance(rules, Ordering)
        span = rules.span(self.state)
        self.state = step.state
        events = [rules.event_to_json(event, PUBLIC) for event in step.events]
        self.turn = rules.turn_so_far(self.turn, events)
        if rules.span(self.state) != span:
            self.turn = {"epoch": rules.span(self.state), "number": 1}
        self.player.follow(events, rules.observe(self.state, PUBLIC))
