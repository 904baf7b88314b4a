"""The deck, the seats, the options and the profiles."""

from __future__ import annotations

from dataclasses import asdict, fields

import pytest

from pbem.game import PUBLIC, BadSetup, JsonObject, Seat, Setup, Shuffle, Trial
from pbem.games import find_game
from pbem.games.wyatt_earp import GAME
from pbem.games.wyatt_earp.deck import (
    ALL_CARDS,
    COPIES,
    EARP,
    HIDEOUT,
    NAMES,
    OUTLAW_NAMES,
    PHOTO,
    Group,
    hand_of,
    is_sheriff,
)
from pbem.games.wyatt_earp.options import PROFILES, Options, bind_options
from tests.games.wyatt_earp.table import SEATS, rules_for


def test_the_registry_knows_it() -> None:
    assert find_game("wyatt-earp") is GAME


def test_the_deck_has_seventy_eight_cards_of_twenty_kinds() -> None:
    """Rows: A2, A3, A4, A5, A6, A7, A8, A9, A10."""
    assert sum(COPIES) == len(ALL_CARDS) == len(GAME.info.decks["main"]) == 78
    assert sum(copies for kind, copies in enumerate(COPIES) if is_sheriff(kind)) == 29
    assert dict(zip(NAMES[14:], COPIES[14:], strict=True)) == {
        "bank-robbery": 4,
        "stagecoach-robbery": 2,
        "fastest-gun": 3,
        "most-wanted": 3,
        "hideout": 3,
        "wyatt-earp": 7,
    }
    assert COPIES[:7] == (7,) * 7
    assert COPIES[PHOTO : PHOTO + 7] == (1,) * 7


def test_points_are_the_printed_ones() -> None:
    """Rows: A3, A4, A5, A6, A7, G1, N2."""
    assert Group(3).counted == 6
    assert Group(0, photo=True).counted == 4
    assert Group(1, banks=2).counted == 6
    assert Group(1, stages=2).counted == 4
    assert Group(1, fastest=True).counted == 5
    assert Group(2, photo=True, stages=1).counted == 9
    assert Group(2, photo=True, stages=1, hideout=True).counted == 0


@pytest.mark.parametrize("card", NAMES)
def test_every_outlaw_card_hits_and_every_sheriff_card_misses(card: str) -> None:
    """Rows: A11, I3, H7. As a shot, and as the card of a duel."""
    rules = rules_for(2)
    shooting: JsonObject = {
        "phase": "play",
        "hands": {"anna": ["bank-robbery", "belle-starr"], "burt": 2},
        "territories": {"anna": {"jesse-james": {"outlaws": 3}}},
        "supply": [card],
    }
    state = rules.position_from_json(shooting)
    step = rules.apply(state, rules.action_from_json({"do": "bank-robbery"}))
    events = [rules.event_to_json(event, PUBLIC) for event in step.events]
    hit = card in OUTLAW_NAMES
    assert events[0] == {"event": "shot", "seat": "anna", "card": card, "hit": hit}
    assert rules.trials([{"events": events}]) == (Trial(SEATS[0], "shot", (49, 78), hit),)
    duel: JsonObject = {
        "phase": "chance",
        "pending": {"shuffle": "duel"},
        "duel": {"seats": ["anna", "burt"], "hits": []},
        "discard": [card],
    }
    state = rules.position_from_json(duel)
    drawn = rules.resolve(state, (0,))
    first = rules.event_to_json(drawn.events[0], PUBLIC)
    assert first == {"event": "duel-draw", "seat": "anna", "card": card, "hit": hit}
    assert rules.trials([{"events": [first]}]) == (Trial(SEATS[0], "duel", (49, 78), hit),)


def test_a_group_is_its_cards() -> None:
    group = Group(3, photo=True, banks=4, stages=2, fastest=True, hideout=True)
    assert len(group.cards(2)) == 3 + 1 + 4 + 2 + 1 + 1


@pytest.mark.parametrize("outlaws", range(8))
@pytest.mark.parametrize("photo", [False, True])
def test_a_group_freed_of_its_hideout_is_the_group_it_was(outlaws: int, photo: bool) -> None:
    """Rows: N6, N10."""
    group = Group(outlaws, photo=photo, banks=1)
    covered = Group(outlaws, photo=photo, banks=1, hideout=True)
    assert covered._replace(hideout=False) == group != covered
    assert EARP not in covered.cards(3)
    assert sorted(covered.cards(3)) == sorted((*group.cards(3), HIDEOUT))


def test_a_hand_lies_in_the_order_of_the_names() -> None:
    assert hand_of(reversed(ALL_CARDS)) == ALL_CARDS
    assert [NAMES[kind] for kind in hand_of((PHOTO, EARP, 0))] == [
        "belle-starr",
        "photo:belle-starr",
        "wyatt-earp",
    ]


def test_two_to_four_different_seats() -> None:
    """Rows: A1."""
    options = GAME.resolve_options("default", {})
    for names in ((), SEATS[:1], (*SEATS, Seat("emil")), (SEATS[0], SEATS[0])):
        with pytest.raises(BadSetup):
            GAME.rules(Setup(names, options, {"dealer": "anna"}))
    for count in (2, 3, 4):
        rules = GAME.rules(Setup(SEATS[:count], options, GAME.default_extra(SEATS[:count])))
        assert len(rules.setup.seats) == count


@pytest.mark.parametrize("extra", [{}, {"dealer": "zoe"}, {"dealer": "anna", "board": {}}])
def test_the_dealer_is_a_seat_and_nothing_else_is_set(extra: JsonObject) -> None:
    """Rows: B2."""
    with pytest.raises(BadSetup, match="dealer"):
        GAME.rules(Setup(SEATS, GAME.resolve_options("default", {}), extra))


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(BadSetup, match="version"):
        GAME.rules(Setup(SEATS, GAME.resolve_options("default", {}), {"dealer": "anna"}, version=2))


def test_the_seat_after_the_dealer_begins_and_the_banker_is_nobody() -> None:
    """Rows: B2, B8, B9, B1."""
    rules = rules_for(3)
    state = rules.initial_state()
    node = rules.node(state)
    assert not hasattr(node, "seat")
    position = rules.position_to_json(state)
    assert (position["dealer"], position["active"], position["hand"]) == ("curt", "anna", 1)
    assert set(position["posters"].values()) == {1000}
    assert not any("bank" in member for member in position)
    assert position.get("opened", []) == []
    assert not position["sheriff_played"]
    assert not position["reshuffled"]
    assert position["hands"] == {"anna": [], "burt": [], "curt": []}
    assert position["territories"] == {"anna": {}, "burt": {}, "curt": {}}
    assert position["supply"] == position["discard"] == []
    assert not {"laid", "drawn", "found", "winners", "duel"} & set(position)


def test_the_deal_asks_for_all_cards_in_the_order_of_their_bytes() -> None:
    """Rows: B3, H4."""
    node = rules_for(2).node(rules_for(2).initial_state())
    draw = getattr(node, "draw", None)
    assert isinstance(draw, Shuffle)
    assert list(draw.cards) == sorted(draw.cards, key=str.encode) == list(GAME.info.decks["main"])


def test_every_option_has_a_field_and_the_first_value_of_the_schema_as_default() -> None:
    assert asdict(bind_options(GAME.resolve_options("default", {}))) == {
        key: values[0] for key, values in GAME.info.options.items()
    }
    assert {field.name for field in fields(Options)} == set(GAME.info.options)


def test_the_profiles_are_those_of_the_rules() -> None:
    """Rows: profile=default, profile=french, profile=italian, profile=review."""
    default = GAME.resolve_options("default", {})
    changed = {
        profile: {
            key: value for key, value in GAME.resolve_options(profile, {}).items() if value != default[key]
        }
        for profile in PROFILES
    }
    assert changed["default"] == {}
    assert changed["french"] == {
        "tie_payment": "split",
        "duel": "race",
        "next_dealer": "last_turn_player",
        "mw_order": "any_order",
        "hideout_target": "any",
        "earp_search": "supply",
        "photo_test": "presence",
    }
    assert changed["italian"] == {
        "mw_order": "clockwise",
        "exhaustion_end": "immediate",
        "opened_test": "presence",
        "sharers": "everybody",
        "end_condition": "first_to_25000",
    }
    assert changed["review"] == {
        "reaction_last_card": "at_once",
        "search_public": True,
        "shot_target": "before_shot",
        "single_shortfall": "block",
        "exhaustion_end": "immediate",
    }


@pytest.mark.parametrize(
    ("profile", "overrides", "names"),
    [
        ("german", {}, "german"),
        ("default", {"capture_max": 8}, "capture_max"),
        ("default", {"capture_min": 7}, "capture_min"),
        ("default", {"zero_cp_shares": 1}, "zero_cp_shares"),
        ("default", {"hideout_reward": False}, "hideout_reward"),
    ],
)
def test_a_bad_profile_key_or_value_is_named(profile: str, overrides: JsonObject, names: str) -> None:
    with pytest.raises(BadSetup, match=names):
        GAME.resolve_options(profile, overrides)


@pytest.mark.parametrize(
    "damage", [{"duel": None}, {"capture_min": "9"}, {"search_public": 1}, {"board": {}}]
)
def test_genesis_holds_every_key_with_a_value_of_its_own_type(damage: JsonObject) -> None:
    options = {**GAME.resolve_options("default", {}), **damage}
    GAME.rules(Setup(SEATS, GAME.resolve_options("default", {}), {"dealer": "anna"}))
    with pytest.raises(BadSetup, match=next(iter(damage))):
        GAME.rules(
            Setup(
                SEATS, {key: value for key, value in options.items() if value is not None}, {"dealer": "anna"}
            )
        )
