"""Standing orders: where each fact begins and ends to hold, and what is answered there."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.game import PUBLIC, IllegalAction, JsonObject, Seat
from pbem.games.ordering import NOW
from tests.games.way_out_west.ordering import (
    ANSWERS,
    STORE,
    WISH,
    answer,
    bidding,
    default,
    fire,
    rule,
)
from tests.games.way_out_west.table import rules_for


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
    given = answer(position, rule("fire", {"do": "fire", "odds_below": 100}))
    assert given is not None
    assert given["do"] == "retreat"
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


# --- the running turn -----------------------------------------------------------------------------------


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
    (outcome,) = rules.rule_states(view, order)
    assert (outcome.state, outcome.why) == (state, why.get(state, ""))
    assert (rules.order_action(view, order) is not None) == (state == "answers")


def test_what_is_wrong_with_the_first_wish_is_shown() -> None:
    """Of several wishes that cannot be done; and of an answer that names nothing that is left."""
    rules = rules_for(3)
    view = rules.observe(rules.position_from_json({"phase": "actions", "cash": {"anna": 2}}), Seat("anna"))
    train = {"do": "build", "asset": "train", "town": "abilene"}
    order: JsonObject = {"rules": [rule("actions", {"do": "first-of", "actions": [WISH, train]})]}
    (state,) = rules.rule_states(view, order)
    assert (state.state, state.why) == ("off", "box store costs 5, there is 2 (C9, F1)")
    placed = {"abilene": {"cowboys": {"anna": 1}}}
    view = rules.observe(rules.position_from_json({"phase": "setup", "towns": placed}), Seat("anna"))
    (state,) = rules.rule_states(view, {"rules": [rule("setup", ANSWERS["setup"])]})
    assert (state.state, state.why) == ("off", "it names nothing that is left to do")


# --- answers --------------------------------------------------------------------------------------------


def test_the_first_bid_of_who_asks_for_no_place_is_for_the_first() -> None:
    """One other is left: they would have the second place."""
    up_to_3 = rule("bid", {"do": "bid", "up_to": 3})
    assert answer(bidding({"burt": 2}, ["curt"]), up_to_3) == {"do": "bid", "amount": 3}


@pytest.mark.parametrize(("below", "does"), [(2, "fire"), (3, "retreat")])
def test_who_retreats_below_a_strength_stands_at_it(below: int, does: str) -> None:
    given = answer(fire(), rule("fire", {"do": "fire", "retreat_below": below}))
    assert given is not None
    assert given["do"] == does


@pytest.mark.parametrize(("below", "does"), [(60, "fire"), (61, "retreat")])
def test_who_retreats_below_a_chance_stands_at_it(below: int, does: str) -> None:
    """One against one, and the first to fire: 3 in 5."""
    position = about({"asset": "store"}, seat="burt", first="burt", attack=1, defence=1)
    position["towns"]["abilene"]["cowboys"] = {"anna": 1, "burt": 1}
    given = answer(position, rule("fire", {"do": "fire", "odds_below": below}))
    assert given is not None
    assert given["do"] == does


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
    assert [
        rule_state.state for rule_state in rules.rule_states(rules.observe(state, Seat("anna")), order)
    ] == ["waits"]


def test_orders_are_tried_on_the_bidding_and_both_actions_to_come() -> None:
    rules = rules_for(3)
    state = rules.position_from_json(
        {"phase": "actions", "active": "curt", "order": ["curt", "anna", "burt"]}
    )
    supposed = rules.suppose(rules.observe(state, Seat("anna")))
    assert [words for words, _ in supposed] == ["the first bid", "your first action", "your second action"]
    asked = [{type(action).__name__ for action in rules.legal_actions(view)} for _, view in supposed]
    assert "Bid" in asked[0]
    assert all("Build" in question and "Bid" not in question for question in asked[1:])
    assert rules.suppose(rules.observe(state, PUBLIC)) == ()
