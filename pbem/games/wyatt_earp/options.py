"""The options of a match (rules §17): every key, its values with the default first, and the named profiles."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final, Literal, TypeAlias

from pbem.game import BadSetup, Json, JsonObject

VALUES: Final[dict[str, tuple[Json, ...]]] = {
    "hideout_reward": (0, 1000),
    "hideout_target": ("opponent", "any"),
    "tie_payment": ("block", "split"),
    "single_shortfall": ("take_rest", "block"),
    "zero_cp_shares": (False, True),
    "capture_min": (8, 9),
    "duel": ("elimination", "race"),
    "duel_deck": ("remaining_supply", "fresh_78"),
    "next_dealer": ("rotate", "last_turn_player"),
    "exhaustion_end": ("on_demand", "immediate"),
    "reshuffle_timing": ("mid_draw", "before_draw"),
    "shot_no_supply": ("illegal", "hand_ends"),
    "earp_short": ("hand_ends", "illegal"),
    "reaction_last_card": ("after_turn", "at_once"),
    "mw_order": ("choose_direction", "any_order", "clockwise"),
    "opened_test": ("sticky", "presence"),
    "photo_test": ("opened", "presence"),
    "earp_search": ("discard", "supply"),
    "search_public": (False, True),
    "reward_batch": ("per_play", "per_turn"),
    "last_card_play": ("certain_refill", "never"),
    "shot_target": ("after_hit", "before_shot"),
    "end_condition": ("most_money", "first_to_25000"),
    "bank_limit": ("none", 150000),
}

PROFILES: Final[dict[str, JsonObject]] = {
    "default": {},
    "french": {
        "tie_payment": "split",
        "duel": "race",
        "next_dealer": "last_turn_player",
        "mw_order": "any_order",
        "hideout_target": "any",
        "earp_search": "supply",
        "photo_test": "presence",
    },
    "italian": {
        "mw_order": "clockwise",
        "exhaustion_end": "immediate",
        "opened_test": "presence",
        "end_condition": "first_to_25000",
    },
    "review": {
        "reaction_last_card": "at_once",
        "search_public": True,
        "shot_target": "before_shot",
        "single_shortfall": "block",
        "exhaustion_end": "immediate",
    },
}

BankLimit: TypeAlias = Literal["none"] | int


@dataclass(frozen=True, slots=True)
class Options:
    """One value for each key of ``VALUES``; the defaults are the English text."""

    hideout_reward: int = 0
    hideout_target: str = "opponent"
    tie_payment: str = "block"
    single_shortfall: str = "take_rest"
    zero_cp_shares: bool = False
    capture_min: int = 8
    duel: str = "elimination"
    duel_deck: str = "remaining_supply"
    next_dealer: str = "rotate"
    exhaustion_end: str = "on_demand"
    reshuffle_timing: str = "mid_draw"
    shot_no_supply: str = "illegal"
    earp_short: str = "hand_ends"
    reaction_last_card: str = "after_turn"
    mw_order: str = "choose_direction"
    opened_test: str = "sticky"
    photo_test: str = "opened"
    earp_search: str = "discard"
    search_public: bool = False
    reward_batch: str = "per_play"
    last_card_play: str = "certain_refill"
    shot_target: str = "after_hit"
    end_condition: str = "most_money"
    bank_limit: BankLimit = "none"


def resolve_options(profile: str, overrides: JsonObject) -> JsonObject:
    """All options of ``profile`` with ``overrides`` on top.

    Raises:
        BadSetup: for an unknown profile, key or value.
    """
    if profile not in PROFILES:
        raise BadSetup(f"no profile {profile!r}; there are: {', '.join(PROFILES)}")
    resolved: JsonObject = {key: values[0] for key, values in VALUES.items()}
    for key, value in {**PROFILES[profile], **overrides}.items():
        resolved[key] = _value(key, value)
    return resolved


def _value(key: str, value: Json) -> Json:
    """The value of ``key`` that ``value`` means; its text form, as a command line has it, is understood too."""
    if key not in VALUES:
        raise BadSetup(f"no option {key!r}; there are: {', '.join(VALUES)}")
    for allowed in VALUES[key]:
        if value == allowed and type(value) is type(allowed):
            return allowed
        if isinstance(value, str) and value == _text(allowed):
            return allowed
    listed = ", ".join(_text(allowed) for allowed in VALUES[key])
    raise BadSetup(f"option {key!r} has no value {value!r}; there are: {listed}")


def _text(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def bind_options(options: JsonObject) -> Options:
    """The options of a genesis record, every key given.

    Raises:
        BadSetup: for a missing or unknown key, or a value the key has not.
    """
    missing = [field.name for field in fields(Options) if field.name not in options]
    if missing:
        raise BadSetup(f"options without a value: {', '.join(missing)}")
    return Options(**{key: _value(key, value) for key, value in options.items()})
