"""Random play of an engine: legal list, choice, apply."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from pbem.game import Chance, Decision, Seat, Setup, Shuffle, Terminal
from pbem.games import find_game


def fast_legal(rules: Any) -> Callable[[Any], Any]:
    """The engine's list of legal actions of a state, by its own short way where it has one."""
    short: Callable[[Any], Any] | None = getattr(rules, "legal", None)
    return short or (lambda state: rules.legal_actions(rules.observe(state, rules.node(state).seat)))


def one_match(rules: Any, rng: random.Random) -> int:
    """Play one random match; returns the number of decisions."""
    state = rules.initial_state()
    legal = fast_legal(rules)
    node_of, apply, resolve = rules.node, rules.apply, rules.resolve
    decisions = 0
    while True:
        node = node_of(state)
        if isinstance(node, Decision):
            actions = legal(state)
            state = apply(state, actions[int(rng.random() * len(actions))]).state
            decisions += 1
        elif isinstance(node, Chance):
            draw = node.draw
            if isinstance(draw, Shuffle):
                order = list(range(len(draw.cards)))
                rng.shuffle(order)
                state = resolve(state, tuple(order)).state
            else:
                state = resolve(state, tuple(int(rng.random() * n) + 1 for n in draw.sides)).state
        else:
            assert isinstance(node, Terminal)
            return decisions


def rules_of(game_id: str, seats: int) -> Any:
    """The rules of a match with so many seats and the usual options."""
    game = find_game(game_id)
    names = tuple(Seat(name) for name in ("anna", "burt", "curt", "dora", "emil")[:seats])
    return game.rules(Setup(names, game.resolve_options("default", {}), game.default_extra(names)))
