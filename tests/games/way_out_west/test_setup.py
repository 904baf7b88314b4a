"""Seats, options, boards and versions that a match can have, and those it cannot."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.game import PUBLIC, BadSetup, Chance, JsonObject, MalformedAction, Seat, Setup
from pbem.games import find_game
from pbem.games.way_out_west import GAME
from tests.games.way_out_west.table import SEATS, rules_for


@pytest.mark.parametrize("players", [3, 4, 5])
def test_three_to_five_seats_play(players: int) -> None:
    """Rows: A1, A2, A3, A8."""
    rules = rules_for(players)
    state = rules.initial_state()
    assert state.cash == (25 if players == 5 else 20,) * players
    assert state.space == (1 if players == 3 else 4)
    assert (state.tokens, state.farmers) == ((2,) * players, (1,) * players)


def test_two_or_six_seats_or_a_seat_twice_cannot_play() -> None:
    """Rows: A1."""
    for seats in (SEATS[:2], (*SEATS, Seat("fred")), (*SEATS[:2], SEATS[0])):
        with pytest.raises(BadSetup, match="A1"):
            GAME.rules(Setup(seats, GAME.resolve_options("default", {}), GAME.default_extra(seats)))


def test_the_first_roll_has_as_many_sides_as_there_are_seats() -> None:
    """Rows: A5."""
    rules = rules_for(4)
    node = rules.node(rules.initial_state())
    assert isinstance(node, Chance)
    assert (node.draw.label, node.draw.sides) == ("first player", (4,))  # type: ignore[union-attr]
    for value in (1, 4):
        after = rules.resolve(rules.initial_state(), (value,)).state
        assert after.order == tuple((value - 1 + step) % 4 for step in range(4))
    for wrong in ((5,), (0,), (1, 1), ()):
        with pytest.raises(ValueError, match="dice"):
            rules.resolve(rules.initial_state(), wrong)


def test_it_is_registered_without_decks_and_with_one_tape() -> None:
    game = find_game("way-out-west")
    assert (game.info.decks, game.info.tapes, list(game.info.seats)) == ({}, ("public",), [3, 4, 5])


def test_options_have_a_default_and_refuse_what_they_do_not_know() -> None:
    assert GAME.resolve_options("default", {}) == {
        key: values[0] for key, values in GAME.info.options.items()
    }
    for key, values in GAME.info.options.items():
        for value in values:
            assert GAME.resolve_options("default", {key: value})[key] is value
    bad: list[JsonObject] = [
        {"no_such": 1},
        {"mutual_kill": "draw"},
        {"box_must_act": 1},
        {"box_must_act": "true"},
    ]
    for overrides in bad:
        with pytest.raises(BadSetup, match=next(iter(overrides))):
            GAME.resolve_options("default", overrides)
    with pytest.raises(BadSetup, match="profile"):
        GAME.resolve_options("french", {})


@pytest.mark.parametrize(
    ("extra", "version", "message"),
    [
        ({"dealer": "anna"}, 1, "dealer"),
        ({"stake": 3, "dealer": "anna", "board": {}}, 1, "found board, dealer"),
        ({"board": {}}, 1, "missing"),
        ({"board": 3}, 1, "object"),
        ({"board": None}, 1, "object"),
        ({}, 1, "a board is set up and nothing else"),
        ({"board": {}}, 2, "version"),
    ],
)
def test_a_setup_that_does_not_fit_is_refused_in_words(extra: JsonObject, version: int, message: str) -> None:
    with pytest.raises(BadSetup, match=message):
        GAME.rules(Setup(SEATS[:3], GAME.resolve_options("default", {}), extra, version))


def test_money_and_counters_are_in_the_public_view() -> None:
    """Rows: A11, money_public=true."""
    rules = rules_for(3)
    view = rules.view_to_json(rules.observe(rules.initial_state(), PUBLIC))
    assert view["cash"] == {"anna": 20, "burt": 20, "curt": 20}
    assert not rules.has_secrets
    assert rules.packet_size(0, 0) is None
    assert rules.standing_facts(rules.initial_state()) == ()


@pytest.mark.parametrize(
    ("position", "message"),
    [
        ({"towns": {"abilene": {"cattle": {"anna": 6}}}}, "D2"),
        (
            {"towns": {"san-antonia": {"assets": dict.fromkeys(("bank", "jail", "store", "hotel"), "anna")}}},
            "F1",
        ),
        ({"towns": {"abilene": {"cowboys": {"anna": 10}}}}, "A10"),
        ({"towns": {"tombstone": {}}}, "tombstone"),
        ({"towns": {"abilene": {"sheriff_down": True}}}, "jail"),
        ({"cash": {"dora": 1}}, "dora"),
        ({"cash": {"anna": -1}}, "at least 0"),
        ({"order": ["anna", "anna", "burt"]}, "order"),
        ({"order": ["anna"]}, "order"),
        ({"phase": "sleeping"}, "phase"),
        ({"used_boxes": ["saloon"]}, "saloon"),
        ({"auction": {"dropped": ["anna", "burt", "curt"]}}, "B10"),
        ({"pot": 3}, "pot"),
        (
            {"fight": {"town": "abilene", "attacker": "anna", "target": {"asset": "bank"}, "asks": "fire"}},
            "target",
        ),
        (3, "object"),
    ],
)
def test_impossible_positions_are_refused_in_words(position: Any, message: str) -> None:
    with pytest.raises(BadSetup, match=message):
        rules_for(3).position_from_json(position)


def test_a_position_in_a_fight_must_have_strengths_that_fit_the_town() -> None:
    town = {"cowboys": {"anna": 2}, "assets": {"store": "burt"}}
    fight = {
        "town": "abilene",
        "attacker": "anna",
        "target": {"asset": "store"},
        "asks": "fire",
        "seat": "burt",
    }
    rules = rules_for(3)
    state = rules.position_from_json({"towns": {"abilene": town}, "fight": fight})
    assert state.fight is not None
    assert (state.phase, state.fight.attack, state.fight.defence, state.fight.first) == (
        "gunfight",
        2,
        1,
        "defence",
    )
    for wrong in ({"attack": 4}, {"attack": 1}, {"defence": 3}):
        with pytest.raises(BadSetup, match="strengths"):
            rules.position_from_json({"towns": {"abilene": town}, "fight": fight | wrong})


@pytest.mark.parametrize(("asks", "seat"), [("ask-sheriff", 1), ("fire", 0)])
def test_a_question_of_a_fight_goes_to_the_defender_first_if_it_is_for_the_sheriff(
    asks: str, seat: int
) -> None:
    """A position that does not say who is asked."""
    town = {"cowboys": {"anna": 2}, "assets": {"store": "burt"}}
    fight = {"town": "abilene", "attacker": "anna", "target": {"asset": "store"}, "asks": asks}
    state = rules_for(3).position_from_json({"towns": {"abilene": town}, "fight": fight})
    assert state.fight is not None
    assert state.fight.seat == seat


def test_a_bid_of_nothing_is_no_bid() -> None:
    with pytest.raises(MalformedAction):
        rules_for(3).action_from_json({"do": "bid", "amount": 0})
