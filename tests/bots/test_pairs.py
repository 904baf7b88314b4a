"""Whatever acts for a person plays by the list of legal actions, under options of which every two values meet."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from pbem.bots import LEVELS, STRONG, Level
from pbem.game import JsonObject
from pbem.games import find_game
from tests.bench.strength import LONGEST
from tests.bots.pairs import Played, covering, met, pairs_of, rules_with

GAMES = ("wyatt-earp", "way-out-west")
MATCHES, PARTS = 60, 4
HASTY = replace(STRONG, hands=STRONG.hands // 10)
"""``strong`` at a tenth of its budget."""


@cache
def rows_of(game_id: str) -> list[JsonObject]:
    return covering(find_game(game_id).info.options, MATCHES, f"pairs {game_id}")


def play(game_id: str, number: int, level: Level) -> None:
    info = find_game(game_id).info
    options = rows_of(game_id)[number]
    rules = rules_with(game_id, info.seats[number % len(info.seats)], options)
    decisions = Played(rules, level, f"pairs {game_id} {level.name} {number}").play(2 * LONGEST[game_id])
    assert decisions > 20


@pytest.mark.parametrize("game_id", GAMES)
def test_every_two_values_of_two_options_meet(game_id: str) -> None:
    options = find_game(game_id).info.options
    rows = rows_of(game_id)
    assert set().union(*map(met, rows)) == pairs_of(options)
    assert all(set(row) == set(options) for row in rows)


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("game_id", GAMES)
def test_easy_players_hints_orders_and_timeout_moves_keep_to_the_list(game_id: str, part: int) -> None:
    for number in range(part, MATCHES, PARTS):
        play(game_id, number, LEVELS[0])


@pytest.mark.parametrize("game_id", GAMES)
def test_strong_players_keep_to_the_list(game_id: str) -> None:
    for number in range(4):
        play(game_id, number, HASTY)
