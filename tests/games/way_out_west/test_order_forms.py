"""Standing orders: what they may say, where each fact begins and ends to hold, and what is refused in which words."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.errors import FormatError
from pbem.formats import schema
from pbem.game import PUBLIC, IllegalAction, Json, JsonObject, MalformedAction, Seat
from pbem.games.way_out_west.orders import MAX_RULES
from pbem.ordering import NOW
from tests.games.way_out_west.table import rules_for
from tests.games.way_out_west.test_orders import STORE, answer, bidding, default, fire, rule

SEATS = "anna, burt, curt"
TOWNS = "san-antonia, kansas-city, abilene, dodge-city, deadwood"
QUESTIONS = "setup, bid, actions, ask-sheriff, lend-sheriff, fire, leave-town, take-wanted"
TARGETS = "stagecoach, train, bank, jail, store, hotel, cattle, farmer"

ANSWERS: dict[str, JsonObject] = {
    "setup": {"do": "place-cowboy", "towns": ["abilene"]},
    "bid": {"do": "bid", "up_to": 0},
    "actions": {"do": "first-of", "actions": [{"do": "pass"}]},
    "ask-sheriff": {"do": "ask-sheriff", "ask": True},
    "lend-sheriff": {"do": "lend-sheriff", "lend": True},
    "leave-town": {"do": "leave-town", "to": ["abilene"]},
    "take-wanted": {"do": "take-wanted", "from": ["anna"]},
}
"""To each question an answer with no member more than it needs."""


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


# --- what is no order -------------------------------------------------------------------------------------


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
WISH: JsonObject = {"do": "build", "asset": "store", "town": "abilene"}

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


# --- when a fact holds ------------------------------------------------------------------------------------


def holds(position: JsonObject, when: str, **facts: Any) -> bool:
    """Whether a rule with these facts answers the question of the position."""
    do = ANSWERS.get(when, {"do": "fire"})
    return answer(position, rule(when, do, **facts)) is not None


def about(target: JsonObject, asks: str = "fire", **more: Any) -> JsonObject:
    """A fight of three against two in Abilene, where everything of burt's can be attacked."""
    town = {
        "cowboys": {"anna": 3, "burt": 2},
        "cattle": {"burt": 1},
        "assets": {"store": "burt", "bank": "burt", "jail": "curt"},
        "farmer": "burt",
    }
    fight = {"town": "abilene", "attacker": "anna", "target": target, "asks": asks, **more}
    return {"phase": "gunfight", "towns": {"abilene": town}, "fight": fight}


STORE_FIGHT: JsonObject = about({"asset": "store"}, seat="burt")


@pytest.mark.parametrize(
    ("position", "facts", "other"),
    [
        (STORE_FIGHT, {"town_in": ["deadwood", "abilene"]}, {"town_in": ["deadwood"]}),
        (STORE_FIGHT, {"attacker_in": ["anna"]}, {"attacker_in": ["burt", "curt"]}),
        (STORE_FIGHT, {"defender_in": ["burt"]}, {"defender_in": ["anna", "curt", "farmer"]}),
        (STORE_FIGHT, {"target_in": ["store"]}, {"target_in": ["bank", "cattle", "farmer"]}),
        (STORE_FIGHT, {"role_in": ["defender"]}, {"role_in": ["attacker", "jail-owner"]}),
        (STORE_FIGHT, {"strength_below": 3}, {"strength_below": 2}),
        (about({"asset": "store"}, seat="anna"), {"strength_below": 4}, {"strength_below": 3}),
        (
            about({"asset": "store"}, seat="anna"),
            {"role_in": ["attacker"]},
            {"role_in": ["defender", "jail-owner"]},
        ),
        (
            about({"cattle": 1, "seat": "burt"}, seat="burt"),
            {"target_in": ["cattle"]},
            {"target_in": ["farmer", "store"]},
        ),
        (
            about({"farmer": True}, seat="anna"),
            {"target_in": ["farmer"]},
            {"target_in": ["cattle", "store"]},
        ),
        (about({"farmer": True}, seat="anna"), {"defender_in": ["farmer"]}, {"defender_in": ["burt"]}),
        (
            about({"asset": "store"}, seat="burt", first="both", attack=1, defence=1),
            {"odds_below": 41},
            {"odds_below": 40},
        ),
        (
            about({"asset": "store"}, seat="burt", first="burt", attack=1, defence=1),
            {"odds_below": 61},
            {"odds_below": 60},
        ),
    ],
    ids=str,
)
def test_a_fact_of_a_gunfight_holds_in_this_one_and_not_in_another(
    position: JsonObject, facts: JsonObject, other: JsonObject
) -> None:
    """One against one: 2 in 5 under simultaneous fire, 3 in 5 for who fires first."""
    if "odds_below" in facts:
        position["towns"]["abilene"]["cowboys"] = {"anna": 1, "burt": 1}
    assert holds(position, "fire", **facts)
    assert not holds(position, "fire", **other)


def test_chances_under_simultaneous_fire_are_those_of_the_own_side() -> None:
    """Three against two, both firing: the stronger side has the better chance."""
    for seat, likely in (("anna", True), ("burt", False)):
        position = about({"asset": "store"}, seat=seat, first="both")
        assert holds(position, "fire", odds_below=50) != likely


def test_no_fight_is_won_for_certain() -> None:
    """Nine against one, and the first to fire: more than 99 in 100, but less than 100."""
    towns = {"abilene": {"cowboys": {"anna": 9, "burt": 1}, "assets": {"store": "burt"}}}
    position = {**about({"asset": "store"}, seat="anna", first="anna"), "towns": towns}
    assert holds(position, "fire", odds_below=100)
    assert not holds(position, "fire", odds_below=99)
    found = answer(position, rule("fire", {"do": "fire", "odds_below": 100}))
    assert found is not None
    assert found["do"] == "retreat"
    assert answer(position, rule("fire", {"do": "fire", "odds_below": 99})) == {"do": "fire"}


def test_the_owner_of_the_jail_is_asked_as_such() -> None:
    position = about({"asset": "store"}, "lend-sheriff", seat="curt")
    assert holds(position, "lend-sheriff", role_in=["jail-owner"])
    assert not holds(position, "lend-sheriff", role_in=["attacker", "defender"])


@pytest.mark.parametrize(
    ("facts", "holding"),
    [
        ({"tokens": 2}, True),
        ({"tokens": 1}, False),
        ({"space_in": [4]}, True),
        ({"space_in": [3, 5]}, False),
        ({"place_in": [2]}, True),
        ({"place_in": [1, 3]}, False),
        ({"cash_at_least": 9}, True),
        ({"cash_at_least": 10}, False),
        ({"cash_at_most": 9}, True),
        ({"cash_at_most": 8}, False),
        ({"strength_below": 9}, False),
        ({"role_in": ["attacker", "defender", "jail-owner"]}, False),
        ({"target_in": ["store", "cattle", "farmer"]}, False),
        ({"tokens": 2, "cash_at_most": 8}, False),
    ],
    ids=str,
)
def test_a_fact_of_the_own_seat_holds_at_its_number(facts: JsonObject, holding: bool) -> None:
    """Nothing about a gunfight holds where there is none."""
    position: JsonObject = {
        "phase": "actions",
        "space": 4,
        "order": ["burt", "anna", "curt"],
        "active": "anna",
        "cash": {"anna": 9},
    }
    assert holds(position, "actions", **facts) == holding


# --- the running turn -------------------------------------------------------------------------------------


def test_the_last_gunfight_of_the_turn_counts_until_the_turn_ends() -> None:
    rules = rules_for(4)
    turn: JsonObject = {"epoch": 2, "number": 1}
    begun = {"event": "gunfight", "attacker": "anna", "defender": "burt"}
    fighting = rules.turn_so_far(turn, [begun])
    assert fighting == {**turn, "after": {"anna": "fighting", "burt": "fighting"}}
    lost = rules.turn_so_far(turn, [begun, {"event": "gunfight-won", "winner": "burt", "loser": "anna"}])
    assert lost == {**turn, "after": {"anna": "lost", "burt": "won"}}
    again = [
        {"event": "gunfight", "attacker": "anna", "defender": "farmer"},
        {"event": "gunfight-won", "winner": "anna", "loser": "farmer"},
        {"event": "wanted", "seat": "anna", "from": "supply"},
    ]
    assert rules.turn_so_far(lost, again)["after"] == {"anna": "won", "burt": "won"}
    assert rules.turn_so_far(lost, [{"event": "turn-ended", "space": 4}]) == {"epoch": 2, "number": 2}
    assert rules.turn_so_far(turn, []) == turn


@pytest.mark.parametrize(
    ("turn", "state"),
    [
        ({"epoch": 2, "number": 3}, "answers"),
        ({"epoch": 2, "number": 2}, "past"),
        ({"epoch": 1, "number": 9}, "past"),
        ({"epoch": 2, "number": 4}, "waits"),
        ({"epoch": 3, "number": 1}, "waits"),
    ],
    ids=str,
)
def test_a_rule_for_one_turn_waits_for_it_and_is_past_after_it(turn: JsonObject, state: str) -> None:
    rules = rules_for(3)
    view = rules.observe(rules.position_from_json({"phase": "actions"}), Seat("anna"))
    given = {**rule("actions", {"do": "pass"}), "turn": turn}
    order: JsonObject = {"rules": [given], NOW: {"epoch": 2, "number": 3}}
    why = {"past": "the turn it was for is over", "waits": "it is for a turn to come"}
    (found,) = rules.rule_states(view, order)
    assert (found.state, found.why) == (state, why.get(state, ""))
    assert (rules.order_action(view, order) is not None) == (state == "answers")


def test_what_is_wrong_with_the_first_wish_is_told() -> None:
    """Of several wishes that cannot be done; and of an answer that names nothing that is left."""
    rules = rules_for(3)
    view = rules.observe(rules.position_from_json({"phase": "actions", "cash": {"anna": 2}}), Seat("anna"))
    train = {"do": "build", "asset": "train", "town": "abilene"}
    order: JsonObject = {"rules": [rule("actions", {"do": "first-of", "actions": [WISH, train]})]}
    (found,) = rules.rule_states(view, order)
    assert (found.state, found.why) == ("off", "box store costs 5, there is 2 (C9, F1)")
    placed = {"abilene": {"cowboys": {"anna": 1}}}
    view = rules.observe(rules.position_from_json({"phase": "setup", "towns": placed}), Seat("anna"))
    (found,) = rules.rule_states(view, {"rules": [rule("setup", ANSWERS["setup"])]})
    assert (found.state, found.why) == ("off", "it names nothing that is left to do")


# --- answers ----------------------------------------------------------------------------------------------


def test_the_first_bid_of_who_asks_for_no_place_is_for_the_first() -> None:
    """One other is left: he would have the second place."""
    up_to_3 = rule("bid", {"do": "bid", "up_to": 3})
    assert answer(bidding({"burt": 2}, ["curt"]), up_to_3) == {"do": "bid", "amount": 3}


@pytest.mark.parametrize(("below", "does"), [(2, "fire"), (3, "retreat")])
def test_who_retreats_below_a_strength_stands_at_it(below: int, does: str) -> None:
    found = answer(fire(), rule("fire", {"do": "fire", "retreat_below": below}))
    assert found is not None
    assert found["do"] == does


@pytest.mark.parametrize(("below", "does"), [(60, "fire"), (61, "retreat")])
def test_who_retreats_below_a_chance_stands_at_it(below: int, does: str) -> None:
    """One against one, and the first to fire: 3 in 5."""
    position = about({"asset": "store"}, seat="burt", first="burt", attack=1, defence=1)
    position["towns"]["abilene"]["cowboys"] = {"anna": 1, "burt": 1}
    found = answer(position, rule("fire", {"do": "fire", "odds_below": below}))
    assert found is not None
    assert found["do"] == does


def test_a_fight_without_a_limit_is_fought_to_the_end() -> None:
    """Rows: L10. Also with no strength left but the default cowboy's."""
    towns = {"abilene": {"cowboys": {"anna": 9}, "assets": {"store": "burt"}}}
    fight = {
        "town": "abilene",
        "attacker": "anna",
        "target": {"asset": "store"},
        "asks": "fire",
        "seat": "burt",
    }
    position: JsonObject = {"towns": towns, "fight": fight}
    assert answer(position, rule("fire", {"do": "fire"})) == {"do": "fire"}
    assert answer(position, rule("fire", {"do": "fire", "odds_below": 1})) == {"do": "retreat", "to": []}


def test_more_cowboys_than_towns_retreat_to_every_other_town() -> None:
    """Rows: L13, L14."""
    towns = {"abilene": {"cowboys": {"anna": 3, "burt": 6}, "assets": {"store": "burt"}}}
    position = {**fire(), "towns": towns}
    retreat = answer(
        position, rule("fire", {"do": "fire", "retreat_below": 9, "to": ["deadwood", "abilene"]})
    )
    assert retreat == {"do": "retreat", "to": ["deadwood", "dodge-city", "kansas-city", "san-antonia"]}


def test_nobody_takes_a_wanted_counter_from_himself() -> None:
    """Rows: M10. Neither by an order nor by default."""
    fight = {"town": "abilene", "attacker": "anna", "target": {"asset": "store"}, "asks": "take-wanted"}
    wanted: JsonObject = {"towns": STORE, "wanted": {"anna": 5, "curt": 8}, "fight": fight}
    take = rule("take-wanted", {"do": "take-wanted", "from": ["anna", "burt", "curt"]})
    assert answer(wanted, take) == {"do": "take-wanted", "from": "curt"}
    assert default(rules_for(3), wanted) == {"do": "take-wanted", "from": "curt"}


def test_where_nobody_is_asked_there_is_no_default() -> None:
    rules = rules_for(3)
    state = rules.initial_state()
    with pytest.raises(IllegalAction, match="nobody is to decide now"):
        rules.default_action(rules.observe(state, Seat("anna")))
    order: JsonObject = {"rules": [rule("actions", {"do": "pass"})]}
    assert rules.order_action(rules.observe(state, Seat("anna")), order) is None
    assert [one.state for one in rules.rule_states(rules.observe(state, Seat("anna")), order)] == ["waits"]


def test_orders_are_tried_on_the_bidding_and_both_actions_to_come() -> None:
    rules = rules_for(3)
    state = rules.position_from_json(
        {"phase": "actions", "active": "curt", "order": ["curt", "anna", "burt"]}
    )
    supposed = rules.suppose(rules.observe(state, Seat("anna")))
    assert [words for words, _ in supposed] == ["the first bid", "your first action", "your second action"]
    asked = [{type(action).__name__ for action in rules.legal_actions(view)} for _, view in supposed]
    assert "Bid" in asked[0]
    assert all("Build" in one and "Bid" not in one for one in asked[1:])
    assert rules.suppose(rules.observe(state, PUBLIC)) == ()
