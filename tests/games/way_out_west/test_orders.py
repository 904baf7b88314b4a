"""Standing orders and default actions: what they answer, and when they keep silent."""

from __future__ import annotations

import pytest

from pbem.base.errors import FormatError
from pbem.base.shapes import schema
from pbem.game import Decision, JsonObject, MalformedAction, Seat
from tests.conformance.keyed import Keyed
from tests.games.way_out_west.ordering import (
    AUCTION,
    FIGHT,
    STORE,
    answer,
    bidding,
    default,
    fire,
    rule,
)
from tests.games.way_out_west.table import act, any_kind, play, rules_for


def test_bid_up_to_a_number() -> None:
    up_to_3 = rule("bid", {"do": "bid", "up_to": 3})
    assert answer(AUCTION, up_to_3) == {"do": "bid", "amount": 1}
    assert answer(bidding({"burt": 2}), up_to_3) == {"do": "bid", "amount": 3}
    assert answer(bidding({"burt": 3}), up_to_3) == {"do": "drop-out"}
    assert answer(bidding({"burt": 1}, cash={"anna": 1}), up_to_3) == {"do": "drop-out"}


def test_bid_for_a_place() -> None:
    second = rule("bid", {"do": "bid", "place": 2, "up_to": 9})
    assert answer(bidding({"burt": 2}), second) == {"do": "bid", "amount": 3}
    assert answer(bidding({"burt": 2}, ["curt"]), second) == {"do": "drop-out"}


def test_rules_are_tried_in_order_and_their_facts_must_hold() -> None:
    late = rule("bid", {"do": "bid", "up_to": 5}, space_in=[11, 12])
    rich = rule("bid", {"do": "bid", "up_to": 2}, cash_at_least=30)
    out = rule("bid", {"do": "bid", "up_to": 0})
    assert answer(AUCTION, late, rich, out) == {"do": "drop-out"}
    assert answer({**AUCTION, "space": 11}, late, rich, out) == {"do": "bid", "amount": 1}
    assert answer({**AUCTION, "cash": {"anna": 30}}, late, rich, out) == {"do": "bid", "amount": 1}
    assert answer(AUCTION, late, rich) is None


def test_an_order_answers_only_for_the_seat_that_is_asked_and_what_is_asked() -> None:
    out = rule("bid", {"do": "bid", "up_to": 0})
    assert answer(AUCTION, out, seat="burt") is None
    assert answer({"phase": "actions"}, out) is None
    assert answer(AUCTION) is None


def test_setup_towns_in_order() -> None:
    order = rule("setup", {"do": "place-cowboy", "towns": ["abilene", "deadwood"]})
    base: JsonObject = {"phase": "setup", "active": "anna"}
    assert answer(base, order) == {"do": "place-cowboy", "town": "abilene"}
    members = {"abilene": {"cowboys": {"anna": 1}}}
    assert answer({**base, "towns": members}, order) == {"do": "place-cowboy", "town": "deadwood"}
    two = {"abilene": {"cowboys": {"anna": 2}}}
    assert answer({**base, "towns": two}, order) is None


def test_the_first_action_that_is_legal_or_pass() -> None:
    wishes: list[JsonObject] = [
        {"do": "cattle", "towns": ["deadwood"]},
        {"do": "build", "asset": "store", "town": "abilene"},
        {"do": "cowboys", "towns": ["abilene", "abilene"]},
    ]
    first = rule("actions", {"do": "first-of", "actions": wishes})
    passing = rule("actions", {"do": "pass"}, tokens=1)
    assert answer({"phase": "actions"}, first, passing) == wishes[1]
    assert answer({"phase": "actions", "cash": {"anna": 4}}, first, passing) == wishes[2]
    assert answer({"phase": "actions", "cash": {"anna": 1}}, first, passing) is None
    poor: JsonObject = {"phase": "actions", "cash": {"anna": 1}, "tokens": {"anna": 1}}
    assert answer(poor, first, passing) == {"do": "pass"}


def test_ask_and_lend_the_sheriff_to_or_against_whom() -> None:
    """Rows: K4."""
    asked: JsonObject = {"towns": STORE, "fight": {**FIGHT, "asks": "ask-sheriff"}}
    always = rule("ask-sheriff", {"do": "ask-sheriff", "ask": True})
    not_here = rule("ask-sheriff", {"do": "ask-sheriff", "ask": False}, town_in=["deadwood"])
    assert answer(asked, not_here, always) == {"do": "ask-sheriff", "ask": True}
    lending: JsonObject = {"towns": STORE, "fight": {**FIGHT, "asks": "lend-sheriff", "seat": "curt"}}
    against = rule(
        "lend-sheriff", {"do": "lend-sheriff", "lend": True}, attacker_in=["anna"], defender_in=["burt"]
    )
    never = rule("lend-sheriff", {"do": "lend-sheriff", "lend": False})
    farmer = rule(
        "lend-sheriff", {"do": "lend-sheriff", "lend": True}, defender_in=["farmer"], role_in=["jail-owner"]
    )
    assert answer(lending, farmer, against, never) == {"do": "lend-sheriff", "lend": True}
    assert answer(lending, farmer, never) == {"do": "lend-sheriff", "lend": False}


def test_retreat_below_a_strength_or_at_worse_odds_and_where_to() -> None:
    """Rows: L10, L13."""
    weak = rule("fire", {"do": "fire", "retreat_below": 3, "to": ["deadwood", "abilene"]})
    assert answer(fire(), weak) == {"do": "retreat", "to": ["deadwood", "san-antonia"]}
    brave = rule("fire", {"do": "fire", "retreat_below": 2})
    assert answer(fire(), brave) == {"do": "fire"}
    careful = rule("fire", {"do": "fire", "odds_below": 60})
    assert answer(fire(), careful) == {"do": "retreat", "to": ["kansas-city", "san-antonia"]}
    assert answer(fire(first="both"), rule("fire", {"do": "fire", "odds_below": 10})) == {"do": "fire"}
    assert answer(fire(), rule("fire", {"do": "fire"}, strength_below=2)) is None
    assert answer(fire(), rule("fire", {"do": "fire"}, odds_below=60, target_in=["store"])) == {"do": "fire"}
    assert answer(fire(), rule("fire", {"do": "fire"}, role_in=["attacker"])) is None


def test_leave_town_and_take_wanted() -> None:
    """Rows: M5, M10."""
    towns = {"abilene": {"cowboys": {"anna": 3}, "assets": {"bank": "burt", "jail": "curt"}}}
    fight = {**FIGHT, "target": {"asset": "bank"}, "asks": "leave-town"}
    leaving: JsonObject = {"towns": towns, "fight": fight}
    order = rule("leave-town", {"do": "leave-town", "to": ["abilene", "deadwood"]})
    assert answer(leaving, order) == {"do": "leave-town", "moves": [{"to": "deadwood", "count": 3}]}
    assert answer(leaving, rule("leave-town", {"do": "leave-town", "to": ["abilene"]})) is None
    wanted: JsonObject = {
        "towns": STORE,
        "wanted": {"burt": 6, "curt": 7},
        "fight": {**FIGHT, "asks": "take-wanted"},
    }
    take = rule("take-wanted", {"do": "take-wanted", "from": ["anna", "curt"]})
    assert answer(wanted, take) == {"do": "take-wanted", "from": "curt"}
    assert answer(wanted, rule("take-wanted", {"do": "take-wanted", "from": ["anna"]})) is None


BAD_ORDERS: list[JsonObject] = [
    {},
    {"rules": [{}]},
    {"rules": [], "and": 1},
    {"rules": [rule("tea-time", {"do": "pass"})]},
    {"rules": [rule("bid", {"do": "pass"})]},
    {"rules": [rule("bid", {"do": "bid"})]},
    {"rules": [rule("bid", {"do": "bid", "up_to": -1})]},
    {"rules": [rule("bid", {"do": "bid", "up_to": 1, "place": 9})]},
    {"rules": [rule("bid", {"do": "bid", "up_to": 1}, moon="full")]},
    {"rules": [rule("actions", {"do": "first-of", "actions": [{"do": "bid", "amount": 1}]})]},
    {"rules": [rule("actions", {"do": "first-of", "actions": [{"do": "fly"}]})]},
    {"rules": [rule("fire", {"do": "fire", "odds_below": 101})]},
    {"rules": [rule("lend-sheriff", {"do": "lend-sheriff", "lend": 1})]},
    {"rules": [rule("lend-sheriff", {"do": "lend-sheriff", "lend": True}, attacker_in=[])]},
    {"rules": [rule("take-wanted", {"do": "take-wanted", "from": "anna"})]},
    {"rules": [rule("setup", {"do": "place-cowboy", "towns": "abilene"})]},
    {"rules": [rule("bid", {"do": "bid", "up_to": 1}, space_in=["3"])]},
    {"rules": [rule("bid", {"do": "bid", "up_to": 1}, space_in=[])]},
    {"rules": [rule("actions", {"do": "pass"}, place_in=[0])]},
    {"rules": [rule("actions", {"do": "pass"}, after="drawn")]},
    {"rules": [rule("actions", {"do": "pass"}, cash_at_most="few")]},
    {"rules": [{**rule("actions", {"do": "pass"}), "turn": {"epoch": 2}}]},
    {"rules": [{"when": "actions", "turn": {"epoch": 2, "number": 1}}]},
]


@pytest.mark.parametrize("order", BAD_ORDERS)
def test_what_is_no_order_is_refused_by_engine_and_schema(order: JsonObject) -> None:
    with pytest.raises(MalformedAction):
        rules_for(3).check_order(order)
    with pytest.raises(FormatError):
        schema.validate("way-out-west/orders", order)


def test_names_of_another_match_are_refused() -> None:
    for bad in (
        rule("lend-sheriff", {"do": "lend-sheriff", "lend": True}, attacker_in=["zoe"]),
        rule("leave-town", {"do": "leave-town", "to": ["tombstone"]}),
        rule("take-wanted", {"do": "take-wanted", "from": ["zoe"]}),
    ):
        with pytest.raises(MalformedAction):
            rules_for(3).check_order({"rules": [bad]})
    with pytest.raises(MalformedAction, match="at most"):
        rules_for(3).check_order({"rules": [rule("bid", {"do": "bid", "up_to": 0})] * 65})


@pytest.mark.parametrize(
    ("facts", "holds"),
    [
        ({"place_in": [2, 3]}, True),
        ({"place_in": [1]}, False),
        ({"cash_at_most": 9}, True),
        ({"cash_at_most": 8}, False),
        ({"cash_at_least": 9, "cash_at_most": 9}, True),
        ({"space_in": [4, 5]}, True),
        ({"space_in": [5]}, False),
        ({"after": "won"}, False),
        ({"town_in": ["abilene"]}, False),
        ({"odds_below": 100}, False),
    ],
    ids=str,
)
def test_facts_of_the_own_place_and_cash(facts: JsonObject, holds: bool) -> None:
    position: JsonObject = {
        "phase": "actions",
        "space": 4,
        "order": ["burt", "anna", "curt"],
        "active": "anna",
    }
    given = answer({**position, "cash": {"anna": 9}}, rule("actions", {"do": "pass"}, **facts))
    assert given == ({"do": "pass"} if holds else None)


def test_each_rule_says_what_it_comes_to() -> None:
    """A build that cannot be paid is off, and its owner is shown why."""
    rules = rules_for(3)
    state = rules.position_from_json({"phase": "actions", "cash": {"anna": 0}, "active": "anna"})
    build = {"do": "first-of", "actions": [{"do": "build", "asset": "train", "town": "abilene"}]}
    given = [
        rule("bid", {"do": "bid", "up_to": 3}),
        rule("actions", {"do": "pass"}, tokens=1),
        rule("actions", build),
        {**rule("actions", {"do": "pass"}), "turn": {"epoch": 1, "number": 1}},
        rule("actions", {"do": "pass"}),
    ]
    order: JsonObject = {"rules": given, "now": {"epoch": 2, "number": 1}}
    states = rules.rule_states(rules.observe(state, Seat("anna")), order)
    assert [state.state for state in states] == ["waits", "untrue", "off", "past", "answers"]
    assert states[1].why == "tokens"
    assert states[2].why.endswith("(C9, F1)")


def test_default_actions_are_those_of_the_spec() -> None:
    rules = rules_for(3)
    bank = {"san-antonia": {"cowboys": {"anna": 3}, "assets": {"bank": "burt", "jail": "curt"}}}
    robbed = {"town": "san-antonia", "attacker": "anna", "target": {"asset": "bank"}, "asks": "leave-town"}
    assert default(rules, {"phase": "setup", "active": "anna"}) == {
        "do": "place-cowboy",
        "town": "san-antonia",
    }
    assert default(rules, AUCTION) == {"do": "drop-out"}
    assert default(rules, {"phase": "actions"}) == {"do": "pass"}
    for asks, seat, expected in (
        ("ask-sheriff", "burt", {"do": "ask-sheriff", "ask": False}),
        ("lend-sheriff", "curt", {"do": "lend-sheriff", "lend": False}),
        ("fire", "burt", {"do": "fire"}),
    ):
        assert default(rules, {"towns": STORE, "fight": {**FIGHT, "asks": asks, "seat": seat}}) == expected
    moves = [{"to": "kansas-city", "count": 3}]
    assert default(rules, {"towns": bank, "fight": robbed}) == {"do": "leave-town", "moves": moves}
    wanted: JsonObject = {"towns": STORE, "order": ["curt", "anna", "burt"], "wanted": {"burt": 6, "curt": 7}}
    taking = {**wanted, "fight": {**FIGHT, "asks": "take-wanted"}}
    assert default(rules, taking) == {"do": "take-wanted", "from": "curt"}


def test_a_match_of_defaults_ends() -> None:
    rules = rules_for(3)
    moments = list(play(rules, Keyed("defaults"), lambda r, view, _: r.default_action(view)))
    assert moments[-1].after.phase == "over"
    assert moments[-1].after.cash == (20, 20, 20)


def test_the_minimal_orders_of_every_seat_leave_no_question_of_a_gunfight_open() -> None:
    """``lend``, ``ask`` and ``retreat_below``: with them a fight costs no mail."""
    rules = rules_for(3)
    order = {
        "rules": [
            rule("ask-sheriff", {"do": "ask-sheriff", "ask": True}),
            rule("lend-sheriff", {"do": "lend-sheriff", "lend": True}),
            rule("fire", {"do": "fire", "retreat_below": 2}),
            rule("leave-town", {"do": "leave-town", "to": ["deadwood", "abilene"]}),
            rule("take-wanted", {"do": "take-wanted", "from": ["anna", "burt", "curt"]}),
        ]
    }
    asked = 0
    for moment in play(rules, Keyed("orders"), any_kind):
        node = rules.node(moment.after)
        if isinstance(node, Decision) and node.phase == "gunfight":
            asked += 1
            assert rules.order_action(rules.observe(moment.after, node.seat), order) is not None
    assert asked > 5


def test_an_action_in_an_order_keeps_its_plan_and_its_box() -> None:
    wish = {"do": "gunfight", "town": "abilene", "target": {"asset": "store"}, "box": "gunfight-2",
            "plan": {"retreat_below": 1, "to": ["deadwood"]}}  # fmt: skip
    order = rule("actions", {"do": "first-of", "actions": [wish]})
    position: JsonObject = {
        "phase": "actions",
        "towns": {"abilene": {"cowboys": {"anna": 2}, "assets": {"store": "burt"}}},
    }
    assert answer(position, order) == wish
    state = act(rules_for(3), rules_for(3).position_from_json(position), wish)
    assert state.used == ("gunfight-2",)
