"""Actions as people type them."""

from __future__ import annotations

import pytest

from pbem.game import JsonObject, MalformedAction
from pbem.games.way_out_west import GAME
from tests.conformance.keyed import Keyed
from tests.games.way_out_west.table import any_kind, play, rules_for

TYPED: dict[str, JsonObject] = {
    "place deadwood": {"do": "place-cowboy", "town": "deadwood"},
    "bid 3": {"do": "bid", "amount": 3},
    "drop-out": {"do": "drop-out"},
    "cattle abilene kansas-city": {"do": "cattle", "towns": ["abilene", "kansas-city"]},
    "cattle abilene box cattle-2": {"do": "cattle", "towns": ["abilene"], "box": "cattle-2"},
    "cowboys deadwood": {"do": "cowboys", "towns": ["deadwood"]},
    "build store abilene": {"do": "build", "asset": "store", "town": "abilene"},
    "move-cowboys 2 from abilene to deadwood, 1 from x to y": {
        "do": "move-cowboys",
        "moves": [{"from": "abilene", "to": "deadwood", "count": 2}, {"from": "x", "to": "y", "count": 1}],
    },
    "move-cattle from abilene to deadwood": {"do": "move-cattle", "from": "abilene", "to": "deadwood"},
    "move-cattle from a to b of burt": {"do": "move-cattle", "from": "a", "to": "b", "seat": "burt"},
    "gunfight deadwood bank": {"do": "gunfight", "town": "deadwood", "target": {"asset": "bank"}},
    "gunfight deadwood cattle 2 of burt": {
        "do": "gunfight", "town": "deadwood", "target": {"cattle": 2, "seat": "burt"},
    },
    "gunfight deadwood farmer plan retreat below 2 to abilene x box gunfight-1": {
        "do": "gunfight", "town": "deadwood", "target": {"farmer": True}, "box": "gunfight-1",
        "plan": {"retreat_below": 2, "to": ["abilene", "x"]},
    },
    "gunfight deadwood farmer plan retreat below 0": {
        "do": "gunfight", "town": "deadwood", "target": {"farmer": True}, "plan": {"retreat_below": 0, "to": []},
    },
    "farmer abilene": {"do": "farmer", "town": "abilene"},
    "farmer abilene replace burt": {"do": "farmer", "town": "abilene", "replace": "burt"},
    "pass": {"do": "pass"},
    "pass box jail": {"do": "pass", "box": "jail"},
    "ask yes": {"do": "ask-sheriff", "ask": True},
    "lend no": {"do": "lend-sheriff", "lend": False},
    "fire": {"do": "fire"},
    "retreat to abilene deadwood": {"do": "retreat", "to": ["abilene", "deadwood"]},
    "retreat": {"do": "retreat", "to": []},
    "leave abilene 2 deadwood 1": {
        "do": "leave-town", "moves": [{"to": "abilene", "count": 2}, {"to": "deadwood", "count": 1}],
    },
    "take-wanted burt": {"do": "take-wanted", "from": "burt"},
}  # fmt: skip


@pytest.mark.parametrize("text", TYPED)
def test_words_become_actions_and_back(text: str) -> None:
    assert GAME.action_from_words(text.split()) == TYPED[text]
    assert GAME.action_to_words(TYPED[text]) == text


def test_long_names_and_shorter_ways_are_understood_too() -> None:
    assert GAME.action_from_words(["place-cowboy", "abilene"]) == {"do": "place-cowboy", "town": "abilene"}
    assert GAME.action_from_words(["retreat", "abilene"]) == {"do": "retreat", "to": ["abilene"]}
    assert GAME.action_from_words(["ask-sheriff", "no"]) == {"do": "ask-sheriff", "ask": False}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "place TOWN"),
        ("fly away", "one of: place TOWN"),
        ("bid", "bid DOLLARS; found nothing more"),
        ("bid three", "found 'three'"),
        ("bid -1", "found '-1'"),
        ("bid 3 please", "found 'please'"),
        ("gunfight deadwood saloon", "found 'saloon'"),
        ("gunfight deadwood cattle 2 from burt", "found 'from'"),
        ("move-cowboys 2 abilene deadwood", "found 'abilene'"),
        ("ask maybe", "found 'maybe'"),
        ("leave abilene", "found nothing more"),
        ("fire box gunfight-1", "found 'box gunfight-1'"),
    ],
)
def test_what_cannot_be_read_says_what_may_be_typed(text: str, message: str) -> None:
    with pytest.raises(MalformedAction) as fault:
        GAME.action_from_words(text.split())
    assert message in str(fault.value)


def test_every_action_of_a_match_survives_its_words() -> None:
    rules = rules_for(4)
    for moment in play(rules, Keyed("words"), any_kind):
        if moment.action is not None:
            obj = rules.action_to_json(moment.action)
            assert GAME.action_from_words(GAME.action_to_words(obj).split()) == obj
