"""Above the games nobody asks which game it is, and every game has what a registry entry needs."""

from __future__ import annotations

import ast
from pathlib import Path

import pbem
from pbem.games import GAMES, find_game
from tests.conformance.late import LATE
from tests.toy import REGISTRY

SOURCE = Path(pbem.__file__).resolve().parent
IDS = {game.info.id for game in GAMES}


def test_no_comparison_with_a_games_name_stands_above_the_games() -> None:
    comparisons = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in sorted(SOURCE.rglob("*.py"))
        if not path.is_relative_to(SOURCE / "games")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Compare | ast.pattern) and asks_for_a_game(node)
    ]
    assert comparisons == []


def asks_for_a_game(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Constant) and part.value in IDS for part in ast.walk(node))


def test_the_search_for_comparisons_finds_them() -> None:
    for code in ('x = game.id == "wyatt-earp"', 'y = name in ("way-out-west", "chess")'):
        compared = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Compare)]
        assert [asks_for_a_game(node) for node in compared] == [True]


def test_ids_are_unique_and_decks_are_sorted_by_their_bytes() -> None:
    assert len({game.info.id for game in REGISTRY}) == len(REGISTRY)
    for game in REGISTRY:
        info = game.info
        assert "default" in info.profiles
        for name, cards in info.decks.items():
            assert list(cards) == sorted(cards, key=str.encode)
            listed = info.deck_lists.get(name)
            assert listed is None or set(listed) == set(cards)
        for profile in info.profiles:
            resolved = game.resolve_options(profile, {})
            assert set(resolved) == set(info.options)
            for key, value in resolved.items():
                assert value in info.options[key]
        assert game.resolve_options("default", {}) == {key: values[0] for key, values in info.options.items()}


def test_late_positions_are_of_games_that_there_are() -> None:
    assert set(LATE) <= {game.info.id for game in REGISTRY}
    assert all(find_game(game.info.id) is game for game in GAMES)
