"""Positions late in a match, where rare things are near: a table by game, each with a name and its options.

Chance plays reach a duel or a second shortage once in many hundred decisions; from here they are next.
"""

from __future__ import annotations

from typing import Any

from pbem.game import JsonObject

_SETS: JsonObject = {
    "anna": {"wes-hardin": {"outlaws": 3, "hideout": True}, "jesse-james": {"outlaws": 1, "photo": True}},
    "burt": {
        "jesse-james": {"outlaws": 3, "bank-robbery": 1},
        "belle-starr": {"outlaws": 2, "fastest-gun": 1},
    },
    "curt": {"belle-starr": {"outlaws": 3}, "wes-hardin": {"outlaws": 1}},
}
_DUEL: JsonObject = {
    "active": "anna",
    "phase": "play",
    "hand": 5,
    "money": {"anna": 26000, "burt": 26000, "curt": 26000},
    "hands": {"anna": ["hideout"], "burt": ["bob-dalton", "most-wanted"], "curt": ["wyatt-earp"]},
    "supply": ["photo:bob-dalton", "bob-dalton", "wes-hardin", "most-wanted"],
    "discard": ["jesse-james", "fastest-gun"],
}
_SHERIFFS: JsonObject = {
    "active": "anna",
    "phase": "draw",
    "territories": _SETS,
    "hands": {
        "anna": ["hideout", "wyatt-earp", "wyatt-earp", "most-wanted", "bank-robbery", "bob-dalton"],
        "burt": ["wyatt-earp", "hideout", "wyatt-earp", "fastest-gun", "jesse-james", "bob-dalton"],
        "curt": ["wyatt-earp", "most-wanted", "stagecoach-robbery", "photo:wes-hardin", "bob-dalton"],
    },
    "supply": 30,
    "discard": ["bob-dalton", "photo:belle-starr", "wyatt-earp", "sundance-kid"],
}
_SHORT: JsonObject = {**_SHERIFFS, "supply": 3, "discard": ["bob-dalton", "sundance-kid"]}

LATE: dict[str, list[tuple[str, dict[str, Any], JsonObject]]] = {
    "wyatt-earp": [
        ("duel", {}, _DUEL),
        ("duel-race", {"duel": "race"}, _DUEL),
        ("duel-fresh", {"duel_deck": "fresh_78"}, _DUEL),
        ("sheriffs", {}, _SHERIFFS),
        ("sheriffs-any", {"hideout_target": "any", "mw_order": "any_order"}, _SHERIFFS),
        ("sheriffs-before", {"shot_target": "before_shot", "search_public": True}, _SHERIFFS),
        ("sheriffs-supply", {"earp_search": "supply"}, _SHERIFFS),
        (
            "sheriffs-supply-public",
            {"earp_search": "supply", "search_public": True},
            {**_SHERIFFS, "supply": 5},
        ),
        ("short", {}, _SHORT),
        ("short-immediate", {"exhaustion_end": "immediate", "reaction_last_card": "at_once"}, _SHORT),
        ("short-before", {"reshuffle_timing": "before_draw", "shot_no_supply": "hand_ends"}, _SHORT),
        ("shortage", {"earp_short": "illegal"}, {**_SHORT, "reshuffled": True}),
    ],
    "way-out-west": [
        (
            "last-turn",
            {},
            {
                "phase": "actions",
                "space": 12,
                "active": "anna",
                "cash": {"anna": 9, "burt": 4, "curt": 0},
                "wanted": {"anna": 5, "burt": 5, "curt": 3},
                "towns": {
                    "abilene": {
                        "cowboys": {"anna": 3, "burt": 2, "curt": 1},
                        "cattle": {"burt": 2, "curt": 2},
                        "assets": {"bank": "burt", "jail": "curt", "train": "anna"},
                    },
                    "deadwood": {
                        "cowboys": {"anna": 2, "burt": 5},
                        "assets": {"bank": "anna", "stagecoach": "curt"},
                    },
                },
            },
        ),
    ],
    "standoff": [
        (
            "empty",
            {},
            {"hands": {"anna": ["ace", "ace"], "burt": 4, "curt": 3}, "discard": ["king", "jack", "king"]},
        ),
    ],
}
