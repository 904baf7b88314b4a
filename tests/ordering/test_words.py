"""Rules in words: what is read is what is written, and a slip is answered with what may be typed."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest

from pbem.base.errors import UsageProblem
from pbem.base.shapes import schema
from pbem.game import AnyRules, JsonObject, Seat, Setup
from pbem.games import find_game
from pbem.games.ordering import Ordering, OrderWords
from pbem.player.seat.orders import rule_from_words, rule_to_words
from tests.bench.paper import Given, KeyedChance, Paper
from tests.conformance.keyed import Keyed

SEATS = tuple(map(Seat, ("anna", "burt", "curt")))
TURN: JsonObject = {"epoch": 2, "number": 5}

EARP = [
    ("when react do wyatt-earp if reward at least 5000 and on jesse-james or belle-starr",
     {"when": "react", "if": {"reward_at_least": 5000, "outlaws": ["jesse-james", "belle-starr"]},
      "do": {"do": "react", "with": "wyatt-earp"}}),
    ("when react do pass", {"when": "react", "do": {"do": "react", "with": "pass"}}),
    ("when react if points at least 4 and by burt do wyatt-earp",
     {"when": "react", "if": {"points_at_least": 4, "by": ["burt"]}, "do": {"do": "react", "with": "wyatt-earp"}}),
    ("when draw do supply if top is not photo:wes-hardin",
     {"when": "draw", "if": {"top_not_in": ["photo:wes-hardin"]}, "do": {"do": "draw", "from": "supply"}}),
    ("when draw do draw discard if top is hideout and hand at most 4",
     {"when": "draw", "if": {"top_in": ["hideout"], "hand_at_most": 4}, "do": {"do": "draw", "from": "discard"}}),
    ("this turn when play do lay any if after hit",
     {"when": "play", "turn": TURN, "if": {"after": "hit"}, "do": {"do": "lay", "any": True}}),
    ("in turn 5 of epoch 2 when play do discard first hideout belle-starr if after miss and no sheriff played",
     {"when": "play", "turn": TURN, "if": {"after": "miss", "sheriff_played": False},
      "do": {"do": "discard", "first": ["hideout", "belle-starr"]}}),
    ("when play do lay all jesse-james if holding at least 3 jesse-james",
     {"when": "play", "if": {"holding_at_least": {"card": "jesse-james", "at_least": 3}},
      "do": {"do": "lay", "outlaw": "jesse-james", "all": True}}),
    ("when play do bank-robbery on jesse-james", {"when": "play", "do": {"do": "bank-robbery", "on": "jesse-james"}}),
    ("when play do most-wanted steal best", {"when": "play", "do": {"do": "most-wanted", "steal": True, "best": True}}),
    ("when choose do outlaw jesse-james belle-starr if asked by hideout",
     {"when": "choose", "if": {"asks": "hideout"}, "do": {"do": "choose", "outlaws": ["jesse-james", "belle-starr"]}}),
    ("when choose do first hideout wyatt-earp",
     {"when": "choose", "do": {"do": "choose", "first": ["hideout", "wyatt-earp"]}}),
    ("when choose do decline", {"when": "choose", "do": {"do": "choose", "decline": True}}),
]  # fmt: skip
MOVES = "move-cowboys 1 from abilene to deadwood, 1 from abilene to dodge-city"
WEST = [
    ("when bid do up to 3 for place 2 if cash at least 18 and space 5 or 6",
     {"when": "bid", "if": {"cash_at_least": 18, "space_in": [5, 6]}, "do": {"do": "bid", "up_to": 3, "place": 2}}),
    ("when bid do drop-out", {"when": "bid", "do": {"do": "bid", "up_to": 0}}),
    ("when setup do place abilene deadwood",
     {"when": "setup", "do": {"do": "place-cowboy", "towns": ["abilene", "deadwood"]}}),
    (f"this turn when actions do build store abilene or {MOVES} or pass if tokens 1 and after won",
     {"when": "actions", "turn": TURN, "if": {"tokens": 1, "after": "won"},
      "do": {"do": "first-of", "actions": [
          {"do": "build", "asset": "store", "town": "abilene"},
          {"do": "move-cowboys", "moves": [{"from": "abilene", "to": "deadwood", "count": 1},
                                           {"from": "abilene", "to": "dodge-city", "count": 1}]},
          {"do": "pass"}]}}),
    ("when actions do pass", {"when": "actions", "do": {"do": "pass"}}),
    ("when lend-sheriff do yes if attacker burt and defender farmer",
     {"when": "lend-sheriff", "if": {"attacker_in": ["burt"], "defender_in": ["farmer"]},
      "do": {"do": "lend-sheriff", "lend": True}}),
    ("when ask-sheriff do ask no if in abilene", {"when": "ask-sheriff", "if": {"town_in": ["abilene"]},
                                                  "do": {"do": "ask-sheriff", "ask": False}}),
    ("when fire do fire retreat below 2 odds below 20 to deadwood abilene if as defender",
     {"when": "fire", "if": {"role_in": ["defender"]},
      "do": {"do": "fire", "retreat_below": 2, "odds_below": 20, "to": ["deadwood", "abilene"]}}),
    ("when leave-town do to abilene", {"when": "leave-town", "do": {"do": "leave-town", "to": ["abilene"]}}),
    ("when take-wanted do from burt curt",
     {"when": "take-wanted", "do": {"do": "take-wanted", "from": ["burt", "curt"]}}),
]  # fmt: skip


def rules_of(name: str) -> AnyRules:
    game = find_game(name)
    return game.rules(Setup(SEATS, game.resolve_options("default", {}), game.default_extra(SEATS)))


@pytest.mark.parametrize(
    ("name", "words", "rule"),
    [("wyatt-earp", *row) for row in EARP] + [("way-out-west", *row) for row in WEST],
)
def test_words_mean_this_rule_and_are_written_back(name: str, words: str, rule: JsonObject) -> None:
    game = find_game(name)
    parsed = rule_from_words(game, words, TURN)
    assert parsed == rule
    rules_of(name).check_order({"rules": [parsed]})
    schema.validate(f"{name}/orders", {"rules": [parsed]})
    assert rule_from_words(game, rule_to_words(game, rule), None) == rule


@pytest.mark.parametrize(
    ("name", "words", "hint"),
    [
        ("wyatt-earp", "do pass", "no question 'named'"),
        ("wyatt-earp", "when night do pass", "'night'"),
        ("wyatt-earp", "react with wyatt-earp", "a rule is: "),
        ("wyatt-earp", "when react do pass do pass", "'do' stands twice"),
        ("wyatt-earp", "when react do shoot", "the answer is one of wyatt-earp, pass"),
        ("wyatt-earp", "when react do pass if rich", "'rich' is not a condition"),
        ("wyatt-earp", "when react do pass if top is hideout", "'top is hideout' is not a condition"),
        ("wyatt-earp", "when react do pass if reward at least many", "is not a condition"),
        ("wyatt-earp", "when react do pass if by burt and by curt", "named already"),
        ("wyatt-earp", "when play do discard first", "the card is one of"),
        ("way-out-west", "when bid do up to", "up to N [for place K]"),
        ("way-out-west", "when fire do run", "fire [retreat below N]"),
        ("way-out-west", "when lend-sheriff do perhaps", "yes | no"),
    ],
)
def test_a_slip_is_answered_with_what_may_be_typed(name: str, words: str, hint: str) -> None:
    with pytest.raises(UsageProblem) as problem:
        rule_from_words(find_game(name), words, TURN)
    assert hint in f"{problem.value} {problem.value.hint}"


def test_this_turn_needs_a_turn() -> None:
    with pytest.raises(UsageProblem, match="no turn is running"):
        rule_from_words(find_game("wyatt-earp"), "this turn when react do pass", None)


@pytest.mark.parametrize("name", ["wyatt-earp", "way-out-west"])
def test_presets_are_orders_of_their_game(name: str) -> None:
    game, rules = find_game(name), rules_of(name)
    assert isinstance(game, OrderWords)
    for preset in game.order_forms.presets.values():
        rules.check_order({"rules": list(preset.rules)})
        assert preset.sentence


def test_every_offered_preset_always_answers() -> None:
    """Rows: O13, P6. So whether its owner is asked by mail never follows from their hand."""
    game = find_game("wyatt-earp")
    assert isinstance(game, OrderWords)
    offered = [preset for preset in game.order_forms.presets.values() if preset.offered]
    assert len(offered) > 2
    assert all(p.rules[-1] == {"when": "react", "do": {"do": "react", "with": "pass"}} for p in offered)


def advised(name: str, key: str) -> list[JsonObject]:
    """Rules that the computer player gives in a match."""
    given: list[Any] = []

    class Listening(Paper):
        def _file(self) -> None:
            super()._file()
            given.extend(chain.from_iterable(o.content["rules"] for o in self._orders.values() if o.content))

    rules = rules_of(name)
    assert isinstance(rules, Ordering)
    Listening(rules, lambda epoch: KeyedChance(Keyed(f"{key} {epoch}")), Given.ADVISED).run()
    return given


@pytest.mark.parametrize("name", ["wyatt-earp", "way-out-west"])
def test_every_rule_of_the_computer_player_can_be_typed_and_fits_the_schema(name: str) -> None:
    game = find_game(name)
    seen: set[str] = set()
    for rule in advised(name, "words"):
        words = rule_to_words(game, rule)
        if words not in seen:
            seen.add(words)
            assert rule_from_words(game, words, None) == rule
            schema.validate(f"{name}/orders", {"rules": [rule]})
    assert len(seen) > 50
