"""A public class name says one thing: who meets it in a message, a type or a document need not ask which one."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path
from typing import Final

from tests.docs.layers import ROOT

GAMES: Final = "pbem/games/"

ALIKE: Final = {
    "Choosing": "the list of choices, in a terminal and in the page",
    "Decision": "whose turn it is, as rules say it and as a match waits for it",
    "Client": "what a kind of record, and who asks about time, need of whoever hosts a match",
    "Judge": "the judgement of a computer player, one for each game",
    "Kind": "a kind of record, and a kind of email",
    "Line": "a record of the file, and what letters ask of it",
    "Table": "where a drawn card goes, as rules say it; the position in play",
    "Trial": "a chance with two ends, and actions that are tried out before they are sent",
}
"""Two places outside the games."""
RULES_WORDS: Final = {"Draft", "Draw", "Fault", "Moment", "Score"}
"""A word of a game's own rules that the service uses, too."""


def places() -> dict[str, list[str]]:
    """Where each public class stands."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path in sorted((ROOT / "pbem").rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(path.relative_to(ROOT).as_posix())
    return places


def outside(where: list[str]) -> list[str]:
    """Those that are no game's."""
    return [place for place in where if not place.startswith(GAMES)]


def test_a_class_name_means_one_thing() -> None:
    twice = {name for name, where in places().items() if len(outside(where)) > 1}
    assert twice == set(ALIKE)


def test_a_word_of_the_rules_is_shared_knowingly() -> None:
    shared = {name for name, where in places().items() if len(outside(where)) == 1 and len(where) > 1}
    assert shared == RULES_WORDS


def test_a_game_says_a_word_in_one_place() -> None:
    for name, where in places().items():
        folders = [Path(place).parent for place in where if place.startswith(GAMES)]
        assert len(folders) == len(set(folders)), (name, where)
