"""Named profiles set what their source text implies, and nothing else."""

from __future__ import annotations

from pbem.game import JsonObject
from pbem.games import find_game


def changed(game_id: str, profile: str) -> JsonObject:
    """The options of a profile that are not the default."""
    game = find_game(game_id)
    plain = game.resolve_options("default", {})
    return {key: value for key, value in game.resolve_options(profile, {}).items() if value != plain[key]}


def test_the_default_profile_of_wyatt_earp_is_the_english_text() -> None:
    """Rows (wyatt-earp): profile=default."""
    info = find_game("wyatt-earp").info
    assert set(info.profiles) == {"default", "french", "italian", "review"}
    assert changed("wyatt-earp", "default") == {}
    assert find_game("wyatt-earp").resolve_options("default", {})["tie_payment"] == "block"


def test_the_french_profile() -> None:
    """Rows (wyatt-earp): profile=french."""
    assert changed("wyatt-earp", "french") == {
        "tie_payment": "split",
        "duel": "race",
        "next_dealer": "last_turn_player",
        "mw_order": "any_order",
        "hideout_target": "any",
        "earp_search": "supply",
        "photo_test": "presence",
    }


def test_the_italian_profile() -> None:
    """Rows (wyatt-earp): profile=italian."""
    assert changed("wyatt-earp", "italian") == {
        "mw_order": "clockwise",
        "exhaustion_end": "immediate",
        "opened_test": "presence",
        "sharers": "everybody",
        "end_condition": "first_to_25000",
    }


def test_the_review_profile() -> None:
    """Rows (wyatt-earp): profile=review."""
    assert changed("wyatt-earp", "review") == {
        "reaction_last_card": "at_once",
        "search_public": True,
        "shot_target": "before_shot",
        "single_shortfall": "block",
        "exhaustion_end": "immediate",
    }


def test_way_out_west_has_one_profile() -> None:
    """Rows (way-out-west): profile=default."""
    assert set(find_game("way-out-west").info.profiles) == {"default"}
    assert changed("way-out-west", "default") == {}
