"""Standing orders: what they may say, and what is refused in which words."""

from __future__ import annotations

import pytest

from pbem.errors import FormatError
from pbem.formats import schema
from pbem.game import Json, JsonObject, MalformedAction
from pbem.games.way_out_west.orders import MAX_RULES
from pbem.ordering import NOW
from tests.games.way_out_west.ordering import (
    ANSWERS,
    WISH,
    rule,
)
from tests.games.way_out_west.table import rules_for

SEATS = "anna, burt, curt"


TOWNS = "san-antonia, kansas-city, abilene, dodge-city, deadwood"


QUESTIONS = "setup, bid, actions, ask-sheriff, lend-sheriff, fire, leave-town, take-wanted"


TARGETS = "stagecoach, train, bank, jail, store, hotel, cattle, farmer"


def refusal(order: Json) -> str:
    with pytest.raises(MalformedAction) as refused:
        rules_for(3).check_order(order)
    return str(refused.value)


def refused_rule(given: JsonObject) -> str:
    told = refusal({"rules": [rule("fire", {"do": "fire"}), given]})
    assert told.startswith("orders, rules 2")
    with pytest.raises(FormatError):
        schema.validate("way-out-west/orders", {"rules": [given]})
    return told.removeprefix("orders, rules 2")


def allow(*given: JsonObject) -> None:
    rules_for(3).check_order({"rules": list(given)})
    schema.validate("way-out-west/orders", {"rules": list(given)})


def test_an_order_is_a_list_of_rules_and_of_no_more_than_so_many() -> None:
    assert refusal([]) == "an order is a JSON object, found []"
    assert refusal({}) == "orders: member 'rules' is missing"
    assert refusal({"rules": [], NOW: {}}) == "orders: unknown member 'now'"
    assert refusal({"rules": {}}) == "orders: 'rules' must be a list of objects"
    allow(*[rule("fire", {"do": "fire"})] * MAX_RULES)
    too_many = {"rules": [rule("fire", {"do": "fire"})] * (MAX_RULES + 1)}
    assert refusal(too_many) == "orders: at most 64 rules, found 65"


@pytest.mark.parametrize("when", ANSWERS)
def test_an_answer_has_the_members_it_needs_and_no_others(when: str) -> None:
    do = ANSWERS[when]
    allow(rule(when, do))
    (needed,) = set(do) - {"do"}
    left = {"do": do["do"]}
    assert refused_rule(rule(when, left)) == f", do: member {needed!r} is missing"
    assert refused_rule(rule(when, {**do, "why": 1})) == ", do: unknown member 'why'"


NO_NAMES: list[Json] = [[], "anna"]


NO_NUMBERS: list[Json] = [3, [], [0], [1, "2"], [True]]


NO_RULES: list[tuple[JsonObject, str]] = [
    ({"do": {"do": "fire"}}, ": member 'when' is missing"),
    ({"when": "fire"}, ": member 'do' is missing"),
    ({**rule("fire", {"do": "fire"}), "why": 1}, ": unknown member 'why'"),
    (
        rule("tea-time", {"do": "fire"}),
        f": 'when': no question 'tea-time'; there are: {QUESTIONS}",
    ),
    ({"when": "fire", "do": "fire"}, ": 'do' must be an object, found 'fire'"),
    (rule("bid", {"do": "pass"}), ", do: 'do' must be 'bid' when 'bid' is asked, found 'pass'"),
    (rule("actions", {"do": "fire"}), ", do: 'do' must be 'pass' when 'actions' is asked, found 'fire'"),
    (rule("fire", {"do": "first-of"}), ", do: 'do' must be 'fire' when 'fire' is asked, found 'first-of'"),
    (rule("fire", {}), ", do: 'do' must be 'fire' when 'fire' is asked, found None"),
    ({**rule("fire", {"do": "fire"}), "turn": 3}, ": 'turn' must be an object, found 3"),
    ({**rule("fire", {"do": "fire"}), "turn": {"epoch": 1}}, ", turn: member 'number' is missing"),
    (
        {**rule("fire", {"do": "fire"}), "turn": {"epoch": 1, "number": 1, "space": 3}},
        ", turn: unknown member 'space'",
    ),
    (
        {**rule("fire", {"do": "fire"}), "turn": {"epoch": 0, "number": 1}},
        ", turn: 'epoch' must be at least 1, found 0",
    ),
    (
        {**rule("fire", {"do": "fire"}), "turn": {"epoch": 1, "number": 0}},
        ", turn: 'number' must be at least 1, found 0",
    ),
    (rule("bid", {"do": "bid", "up_to": -1}), ", do: 'up_to' must be at least 0, found -1"),
    (rule("bid", {"do": "bid", "up_to": 1, "place": 0}), ", do: 'place' must be 1 to 3, found 0"),
    (rule("actions", {"do": "pass", "box": "farmer"}), ", do: unknown member 'box'"),
    (rule("actions", {"do": "first-of", "actions": WISH}), ", do: 'actions' must be a list of objects"),
    (
        rule("actions", {"do": "first-of", "actions": []}),
        ", do: 'actions' must be a list that names at least one action",
    ),
    (
        rule("actions", {"do": "first-of", "actions": [WISH, {"do": "fire"}]}),
        ", do, actions 2: fire is not an action of the action phase",
    ),
    (rule("setup", {"do": "place-cowboy", "towns": 3}), ", do: 'towns' must be a list of towns, found 3"),
    (rule("leave-town", {"do": "leave-town", "to": 3}), ", do: 'to' must be a list of towns, found 3"),
    (
        rule("ask-sheriff", {"do": "ask-sheriff", "ask": 1}),
        ", do: 'ask' must be true or false, found 1",
    ),
    (
        rule("lend-sheriff", {"do": "lend-sheriff", "lend": 0}),
        ", do: 'lend' must be true or false, found 0",
    ),
    (
        rule("fire", {"do": "fire", "retreat_below": -1}),
        ", do: 'retreat_below' must be at least 0, found -1",
    ),
    (rule("fire", {"do": "fire", "odds_below": -1}), ", do: 'odds_below' must be 0 to 100, found -1"),
    (rule("fire", {"do": "fire", "odds_below": 101}), ", do: 'odds_below' must be 0 to 100, found 101"),
    (rule("fire", {"do": "fire", "to": "abilene"}), ", do: 'to' must be a list of towns, found 'abilene'"),
    (rule("fire", {"do": "fire", "why": 1}), ", do: unknown member 'why'"),
    (
        rule("take-wanted", {"do": "take-wanted", "from": []}),
        ", do: 'from' must be a list that names at least one seat",
    ),
    ({**rule("fire", {"do": "fire"}), "if": []}, ": 'if' must be an object, found []"),
    (rule("fire", {"do": "fire"}, moon="full"), ", if: unknown member 'moon'"),
    (rule("fire", {"do": "fire"}, tokens=0), ", if: 'tokens' must be 1 to 2, found 0"),
    (rule("fire", {"do": "fire"}, tokens=3), ", if: 'tokens' must be 1 to 2, found 3"),
    (rule("fire", {"do": "fire"}, cash_at_least=-1), ", if: 'cash_at_least' must be at least 0, found -1"),
    (rule("fire", {"do": "fire"}, cash_at_most=-1), ", if: 'cash_at_most' must be at least 0, found -1"),
    (rule("fire", {"do": "fire"}, strength_below=-1), ", if: 'strength_below' must be at least 0, found -1"),
    (rule("fire", {"do": "fire"}, odds_below=-1), ", if: 'odds_below' must be 0 to 100, found -1"),
    (rule("fire", {"do": "fire"}, odds_below=101), ", if: 'odds_below' must be 0 to 100, found 101"),
    (
        rule("fire", {"do": "fire"}, after="drawn"),
        ", if: 'after': no end of a gunfight 'drawn'; there are: won, lost",
    ),
    (
        rule("fire", {"do": "fire"}, target_in=["saloon"]),
        f", if: 'target_in': no target 'saloon'; there are: {TARGETS}",
    ),
    (
        rule("fire", {"do": "fire"}, role_in=["sheriff"]),
        ", if: 'role_in': no role 'sheriff'; there are: attacker, defender, jail-owner",
    ),
    *(
        (
            rule("fire", {"do": "fire"}, **{name: found}),
            f", if: {name!r} must be a list that names at least one {what}",
        )
        for name, what in (
            *(("town_in", "town"), ("attacker_in", "seat"), ("defender_in", "seat")),
            *(("target_in", "target"), ("role_in", "role")),
        )
        for found in NO_NAMES
    ),
    *(
        (rule("fire", {"do": "fire"}, **{name: found}), f", if: {name!r} must be a list of {what}")
        for name, what in (
            ("space_in", "spaces of the turn track"),
            ("place_in", "places in the play order"),
        )
        for found in NO_NUMBERS
    ),
]


@pytest.mark.parametrize(("given", "told"), NO_RULES, ids=[told for _, told in NO_RULES])
def test_what_is_no_rule_is_told_at_its_place(given: JsonObject, told: str) -> None:
    assert refused_rule(given) == told


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            rule("bid", {"do": "bid", "up_to": 1, "place": 4}),
            ", do: 'place' must be 1 to 3, found 4",
        ),
        (
            rule("setup", {"do": "place-cowboy", "towns": ["tombstone"]}),
            f", do: 'towns': no town 'tombstone'; there are: {TOWNS}",
        ),
        (
            rule("take-wanted", {"do": "take-wanted", "from": ["farmer"]}),
            f", do: 'from': no seat 'farmer'; there are: {SEATS}",
        ),
        (
            rule("fire", {"do": "fire"}, town_in=["abilene", "tombstone"]),
            f", if: 'town_in': no town 'tombstone'; there are: {TOWNS}",
        ),
        (
            rule("fire", {"do": "fire"}, attacker_in=["farmer"]),
            f", if: 'attacker_in': no seat 'farmer'; there are: {SEATS}",
        ),
        (
            rule("fire", {"do": "fire"}, defender_in=["zoe"]),
            f", if: 'defender_in': no seat 'zoe'; there are: {SEATS}, farmer",
        ),
    ],
)
def test_names_and_places_are_those_of_the_match(given: JsonObject, told: str) -> None:
    """A schema knows no match."""
    assert refusal({"rules": [given]}) == f"orders, rules 1{told}"
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
