"""``pbem rules``, whole and by row."""

from __future__ import annotations

import json

from tests.cli.seats import run


def test_a_row_is_shown_of_the_games_that_have_it() -> None:
    text = run("rules", "wyatt-earp", "D6", "tie_payment", "--lang", "de").out
    assert "D6  Ein eröffneter Bandit bleibt es die ganze Runde" in text
    assert "tie_payment" in text
    assert "Way Out West" not in text
    assert set(json.loads(run("rules", "D6", "--json").out)) == {"wyatt-earp", "way-out-west"}


def test_what_there_is_not_is_refused_with_what_there_is() -> None:
    row, game = run("rules", "way-out-west", "I1"), run("rules", "poker")
    assert (row.code, game.code) == (2, 2)
    assert "no row, section or option of the rules, 'I1'" in row.err
    assert "wyatt-earp" in game.err


def test_all_rules_of_a_game_fit_80_columns() -> None:
    lines = run("rules", "way-out-west", "--lang", "fr").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) > 300


def test_without_a_game_the_games_are_listed_with_the_command_that_shows_each() -> None:
    assert run("rules").out.splitlines() == [
        "Way Out West: pbem rules way-out-west",
        "Wyatt Earp: pbem rules wyatt-earp",
    ]
