"""Random play beside other programs: decisions a second, all candidates in turns in one process.

Games differ, so this compares machinery. Peers are those of the extra ``bench``; one that is not installed is said to
be missing, never left out in silence.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Final

from pbem.games.wyatt_earp import legality
from tests.bench.engine import one_match, rules_of
from tests.bench.measure import aimed, line

ROUNDS = 5
SECONDS = 0.3
Play = Callable[[random.Random], int]
"""Plays one match; returns the number of decisions."""


def _open_spiel(name: str) -> Play:
    import pyspiel

    game = pyspiel.load_game(name)

    def play(rng: random.Random) -> int:
        state, done = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[int(rng.random() * len(outcomes))][0])
            else:
                actions = state.legal_actions()
                state.apply_action(actions[int(rng.random() * len(actions))])
                done += 1
        return done

    return play


def _rlcard_uno() -> Play:
    """The rules alone, without RLCard's observations."""
    from rlcard.games.uno.game import UnoGame

    def play(rng: random.Random) -> int:
        game = UnoGame()
        game.configure({"game_num_players": 3})
        game.init_game()
        done = 0
        while not game.is_over() and done < 2_000:
            actions = game.get_legal_actions()
            game.round.proceed_round(game.players, actions[int(rng.random() * len(actions))])
            done += 1
        return done

    return play


def _catanatron() -> Play:
    from catanatron import Color, Game, RandomPlayer

    colours = (Color.RED, Color.BLUE, Color.WHITE, Color.ORANGE)

    def play(rng: random.Random) -> int:
        game = Game([RandomPlayer(colour) for colour in colours], seed=int(rng.random() * 2**30))
        done = 0
        while game.winning_color() is None and done < 4_000:
            game.play_tick()
            done += 1
        return done

    return play


def _chess() -> Play:
    import chess

    def play(rng: random.Random) -> int:
        board, done = chess.Board(), 0
        while done < 300 and not board.is_game_over():
            moves = list(board.legal_moves)
            board.push(moves[int(rng.random() * len(moves))])
            done += 1
        return done

    return play


PEERS: dict[str, Callable[[], Play]] = {
    "OpenSpiel gin_rummy": partial(_open_spiel, "gin_rummy"),
    "RLCard uno, rules alone": _rlcard_uno,
    "catanatron": _catanatron,
    "python-chess": _chess,
}
AIMS = (
    ("wyatt-earp, 3 seats", "RLCard uno, rules alone", 1.5),
    ("wyatt-earp, 3 seats", "OpenSpiel gin_rummy", 4.0),
    ("wyatt-earp, 3 seats", "catanatron", 1.0),
    ("wyatt-earp, 3 seats", "python-chess", 1.0),
    ("way-out-west, 4 seats", "catanatron", 1.0),
)


COMPILED: Final = not legality.__file__.endswith(".py")
"""Whether the engines of this run are those of the compiled wheel (``python -m tests.games.compiled``)."""


def _rate(play: Play, rng: random.Random) -> float:
    done, begin = 0, time.process_time()
    while (spent := time.process_time() - begin) < SECONDS:
        done += play(rng)
    return done / spent


def main() -> None:
    """Print decisions a second and who is ahead."""
    games = (("wyatt-earp", 2), ("wyatt-earp", 3), ("wyatt-earp", 4), ("way-out-west", 4))
    plays: dict[str, Play] = {
        f"{game}, {seats} seats": partial(one_match, rules_of(game, seats)) for game, seats in games
    }
    for name, made in PEERS.items():
        try:
            plays[name] = made()
        except ImportError as fault:
            line(name, "not installed", f"(pip install 'pbem[bench]'; {fault})")
    rates: dict[str, list[float]] = {name: [] for name in plays}
    rng = random.Random(7)
    for number in range(ROUNDS + 1):
        for name, play in plays.items():
            found = _rate(play, rng)
            if number:
                rates[name].append(found)
    mark = ", compiled" if COMPILED else ""
    print(f"peers: random play (legal list, choice, apply), decisions a second of processor time{mark}")
    for name, values in rates.items():
        line(name, f"{statistics.median(values):>10,.0f}")
    for mine, other, aim in AIMS:
        if other in rates:
            ratios = [a / b for a, b in zip(rates[mine], rates[other], strict=True)]
            middle = statistics.median(ratios)
            where = "ahead" if middle > 1 else "behind"
            aimed(f"{mine}{mark} / {other}: {where}", middle, min(ratios), max(ratios), aim, at_least=True)
