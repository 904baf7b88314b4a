"""Standing orders: what they may say, and what is refused in which words."""

from __future__ import annotations

import pytest

from pbem.base.errors import FormatError
from pbem.base.shapes import schema
from pbem.game import Json, JsonObject, MalformedAction
from pbem.games.ordering import NOW
from tests.games.way_out_west.ordering import (
    ANSWERS,
    WISH,
    rule,
)
from tests.games.way_out_west.table import rules_for

SEATS = '"anna", "burt", "curt"'


TOWNS = '"san-antonia", "kansas-city", "abilene", "dodge-city", "deadwood"'


def refusal(order: Json) -> str:
    with pytest.raises(MalformedAction) as refused:
        rules_for(3).check_order(order)
    return str(refused.value)


def refused_rule(given: JsonObject) -> str:
    message = refusal({"rules": [rule("fire", {"do": "fire"}), given]})
    assert message.startswith("orders, rules 2")
    with pytest.raises(FormatError):
        schema.validate("way-out-west/orders", {"rules": [given]})
    return message.removeprefix("orders, rules 2")


def allow(*given: JsonObject) -> None:
    rules_for(3).check_order({"rules": list(given)})
    schema.validate("way-out-west/orders", {"rules": list(given)})


def test_an_order_is_a_list_of_rules_and_of_no_more_than_so_many() -> None:
    assert refusal([]) == "orders: expected an object, found a list of 0"
    assert refusal({}) == "orders: member 'rules' is missing"
    assert refusal({"rules": [], NOW: {}}) == 'orders: unexpected member "now"; known here: rules'
    assert refusal({"rules": {}}) == "orders, rules: expected a list, found an object of 0"
    allow(*[rule("fire", {"do": "fire"})] * 64)
    too_many = {"rules": [rule("fire", {"do": "fire"})] * 65}
    assert refusal(too_many) == "orders, rules: expected at most 64 entries, found a list of 65"


@pytest.mark.parametrize("when", ANSWERS)
def test_an_answer_has_the_members_it_needs_and_no_others(when: str) -> None:
    do = ANSWERS[when]
    allow(rule(when, do))
    (needed,) = set(do) - {"do"}
    left = {"do": do["do"]}
    assert refused_rule(rule(when, left)) == f", do: member {needed!r} is missing"
    assert refused_rule(rule(when, {**do, "why": 1})).startswith(
        ', do: unexpected member "why"; known here: do, '
    )


NO_LISTS: list[tuple[Json, str]] = [
    ([], "at least 1 entry, found a list of 0"),
    ("anna", 'a list, found text "anna"'),
    (3, "a list, found a number 3"),
]


NO_NUMBERS: list[tuple[Json, str]] = [
    ([0], "1: expected at least 1, found a number 0"),
    ([1, "2"], '2: expected an integer, found text "2"'),
    ([True], "1: expected an integer, found true"),
]


NO_RULES: list[tuple[JsonObject, str]] = [
    ({"do": {"do": "fire"}}, ": member 'when' is missing"),
    ({"when": "fire"}, ": member 'do' is missing"),
    ({**rule("fire", {"do": "fire"}), "why": 1}, ': unexpected member "why"; known here: when, turn, if, do'),
    (
        rule("tea-time", {"do": "fire"}),
        (
            ', when: expected one of "setup", "bid", "actions", "ask-sheriff", '
            '"lend-sheriff", "fire", "leave-town", "take-wanted"; found text "tea-time"'
        ),
    ),
    ({"when": "fire", "do": "fire"}, ', do: expected an object, found text "fire"'),
    (rule("bid", {"do": "pass"}), ", do: member 'up_to' is missing"),
    (rule("actions", {"do": "fire"}), ', do, do: expected one of "first-of", "pass"; found text "fire"'),
    (rule("fire", {"do": "first-of"}), ', do, do: expected "fire", found text "first-of"'),
    (rule("fire", {}), ", do: member 'do' is missing"),
    ({**rule("fire", {"do": "fire"}), "turn": 3}, ", turn: expected an object, found a number 3"),
    ({**rule("fire", {"do": "fire"}), "turn": {"epoch": 1}}, ", turn: member 'number' is missing"),
    (
        {**rule("fire", {"do": "fire"}), "turn": {"epoch": 1, "number": 1, "space": 3}},
        ', turn: unexpected member "space"; known here: epoch, number',
    ),
    (
        {**rule("fire", {"do": "fire"}), "turn": {"epoch": 0, "number": 1}},
        ", turn, epoch: expected at least 1, found a number 0",
    ),
    (
        {**rule("fire", {"do": "fire"}), "turn": {"epoch": 1, "number": 0}},
        ", turn, number: expected at least 1, found a number 0",
    ),
    (rule("bid", {"do": "bid", "up_to": -1}), ", do, up_to: expected at least 0, found a number -1"),
    (
        rule("bid", {"do": "bid", "up_to": 1, "place": 0}),
        ", do, place: expected at least 1, found a number 0",
    ),
    (rule("actions", {"do": "pass", "box": "farmer"}), ', do: unexpected member "box"; known here: do'),
    (
        rule("actions", {"do": "first-of", "actions": WISH}),
        ", do, actions: expected a list, found an object of 3",
    ),
    (
        rule("actions", {"do": "first-of", "actions": []}),
        ", do, actions: expected at least 1 entry, found a list of 0",
    ),
    (
        rule("actions", {"do": "first-of", "actions": [WISH, {"do": "fire"}]}),
        (
            ', do, actions 2, do: expected one of "cattle", "cowboys", "build", '
            '"move-cowboys", "move-cattle", "gunfight", "farmer", "pass"; found text "fire"'
        ),
    ),
    (rule("setup", {"do": "place-cowboy", "towns": 3}), ", do, towns: expected a list, found a number 3"),
    (rule("leave-town", {"do": "leave-town", "to": 3}), ", do, to: expected a list, found a number 3"),
    (
        rule("ask-sheriff", {"do": "ask-sheriff", "ask": 1}),
        ", do, ask: expected true or false, found a number 1",
    ),
    (
        rule("lend-sheriff", {"do": "lend-sheriff", "lend": 0}),
        ", do, lend: expected true or false, found a number 0",
    ),
    (
        rule("fire", {"do": "fire", "retreat_below": -1}),
        ", do, retreat_below: expected at least 0, found a number -1",
    ),
    (
        rule("fire", {"do": "fire", "odds_below": -1}),
        ", do, odds_below: expected at least 0, found a number -1",
    ),
    (
        rule("fire", {"do": "fire", "odds_below": 101}),
        ", do, odds_below: expected at most 100, found a number 101",
    ),
    (rule("fire", {"do": "fire", "to": "abilene"}), ', do, to: expected a list, found text "abilene"'),
    (
        rule("fire", {"do": "fire", "why": 1}),
        ', do: unexpected member "why"; known here: do, retreat_below, odds_below, to',
    ),
    (
        rule("take-wanted", {"do": "take-wanted", "from": []}),
        ", do, from: expected at least 1 entry, found a list of 0",
    ),
    ({**rule("fire", {"do": "fire"}), "if": []}, ", if: expected an object, found a list of 0"),
    (
        rule("fire", {"do": "fire"}, moon="full"),
        (
            ', if: unexpected member "moon"; known here: space_in, tokens, cash_at_least, '
            "town_in, attacker_in, defender_in, target_in, role_in, strength_below, "
            "odds_below, place_in, cash_at_most, after"
        ),
    ),
    (rule("fire", {"do": "fire"}, tokens=0), ", if, tokens: expected one of 1, 2; found a number 0"),
    (rule("fire", {"do": "fire"}, tokens=3), ", if, tokens: expected one of 1, 2; found a number 3"),
    (
        rule("fire", {"do": "fire"}, cash_at_least=-1),
        ", if, cash_at_least: expected at least 0, found a number -1",
    ),
    (
        rule("fire", {"do": "fire"}, cash_at_most=-1),
        ", if, cash_at_most: expected at least 0, found a number -1",
    ),
    (
        rule("fire", {"do": "fire"}, strength_below=-1),
        ", if, strength_below: expected at least 0, found a number -1",
    ),
    (rule("fire", {"do": "fire"}, odds_below=-1), ", if, odds_below: expected at least 0, found a number -1"),
    (
        rule("fire", {"do": "fire"}, odds_below=101),
        ", if, odds_below: expected at most 100, found a number 101",
    ),
    (
        rule("fire", {"do": "fire"}, after="drawn"),
        ', if, after: expected one of "won", "lost"; found text "drawn"',
    ),
    (
        rule("fire", {"do": "fire"}, target_in=["saloon"]),
        (
            ', if, target_in 1: expected one of "stagecoach", "train", "bank", "jail", '
            '"store", "hotel", "cattle", "farmer"; found text "saloon"'
        ),
    ),
    (
        rule("fire", {"do": "fire"}, role_in=["sheriff"]),
        (', if, role_in 1: expected one of "attacker", "defender", "jail-owner"; found text "sheriff"'),
    ),
    *(
        (rule("fire", {"do": "fire"}, **{name: value}), f", if, {name}: expected {expected}")
        for name in ("town_in", "attacker_in", "defender_in", "target_in", "role_in", "space_in", "place_in")
        for value, expected in NO_LISTS
    ),
    *(
        (rule("fire", {"do": "fire"}, **{name: value}), f", if, {name} {expected}")
        for name in ("space_in", "place_in")
        for value, expected in NO_NUMBERS
    ),
]


@pytest.mark.parametrize(("given", "message"), NO_RULES, ids=[message for _, message in NO_RULES])
def test_what_is_no_rule_is_shown_at_its_place(given: JsonObject, message: str) -> None:
    assert refused_rule(given) == message


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            rule("bid", {"do": "bid", "up_to": 1, "place": 4}),
            ", do, place: there are 3 places, found 4",
        ),
        (
            rule("setup", {"do": "place-cowboy", "towns": ["tombstone"]}),
            f', do, towns 1: expected one of {TOWNS}; found text "tombstone"',
        ),
        (
            rule("take-wanted", {"do": "take-wanted", "from": ["farmer"]}),
            f', do, from 1: expected one of {SEATS}; found text "farmer"',
        ),
        (
            rule("fire", {"do": "fire"}, town_in=["abilene", "tombstone"]),
            f', if, town_in 2: expected one of {TOWNS}; found text "tombstone"',
        ),
        (
            rule("fire", {"do": "fire"}, attacker_in=["farmer"]),
            f', if, attacker_in 1: expected one of {SEATS}; found text "farmer"',
        ),
        (
            rule("fire", {"do": "fire"}, defender_in=["zoe"]),
            f', if, defender_in 1: expected one of {SEATS}; found text "zoe"',
        ),
    ],
)
def test_names_and_places_are_those_of_the_match(given: JsonObject, message: str) -> None:
    """A schema knows no match."""
    assert refusal({"rules": [given]}) == f"orders, rules 1{message}"
    schema.validate("way-out-west/orders", {"rules": [given]})


def test_the_least_and_the_most_that_may_be_named() -> None:
    allow(
        rule("bid", {"do": "bid", "up_to": 0, "place": 1}),
        rule("bid", {"do": "bid", "up_to": 9, "place": 3}, cash_at_least=0, cash_at_most=0),
        rule("actions", {"do": "pass"}, tokens=1, space_in=[1], place_in=[1, 3], after="won"),
        rule("actions", {"do": "pass"}, tokens=2, after="lost"),
        rule("actions", {"do": "first-of", "actions": [WISH, {"do": "pass"}]}),
        rule("fire", {"do": "fire", "retreat_below": 0, "odds_below": 0, "to": []}),
        rule("fire", {"do": "fire", "odds_below": 100}, strength_below=0, odds_below=0),
        rule("fire", {"do": "fire"}, odds_below=100, defender_in=["farmer"], target_in=["cattle", "farmer"]),
        {**rule("fire", {"do": "fire"}), "turn": {"epoch": 1, "number": 1}},
    )
