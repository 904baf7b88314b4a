"""Random play: legal list, choice, apply; decisions a second."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from pbem.game import Chance, Decision, Seat, Setup, Shuffle, Terminal
from pbem.games import find_game
from tests.bench.measure import line


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


def rate(game_id: str, seats: int, seconds: float) -> tuple[float, int]:
    """Decisions a second and matches played in about ``seconds``."""
    game = find_game(game_id)
    names = tuple(Seat(name) for name in ("anna", "burt", "curt", "dora", "emil")[:seats])
    rules = game.rules(Setup(names, game.resolve_options("default", {}), game.default_extra(names)))
    rng = random.Random(7)
    one_match(rules, rng)
    done = matches = 0
    begin = time.perf_counter()
    while (spent := time.perf_counter() - begin) < seconds:
        done += one_match(rules, rng)
        matches += 1
    return done / spent, matches


def gin_rummy(seconds: float) -> float | None:
    """OpenSpiel's gin rummy driven from Python in the same run; None where it is not installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game = pyspiel.load_game("gin_rummy")
    rng = random.Random(7)
    done = 0
    begin = time.perf_counter()
    while (spent := time.perf_counter() - begin) < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[int(rng.random() * len(outcomes))][0])
            else:
                actions = state.legal_actions()
                state.apply_action(actions[int(rng.random() * len(actions))])
                done += 1
    return done / spent


def main() -> None:
    print("engine: random play (legal list + choice + apply)")
    for seats in (2, 3, 4):
        found, matches = rate("wyatt-earp", seats, 4)
        aim = f"aim ≥ 100,000: {'met' if found >= 100_000 else 'MISSED'}"
        line(f"wyatt-earp, {seats} seats, decisions/s ({matches} matches)", f"{found:>10,.0f}", aim)
    found, matches = rate("way-out-west", 4, 4)
    line(f"way-out-west, 4 seats, decisions/s ({matches} matches)", f"{found:>10,.0f}")
    peer = gin_rummy(4)
    mine, _ = rate("wyatt-earp", 3, 4)
    if peer is None:
        line("OpenSpiel gin_rummy from Python", "not installed", "(pip install 'pbem[bench]')")
    else:
        line("wyatt-earp / OpenSpiel gin_rummy from Python", f"{mine / peer:6.2f}", "aim > 1")
