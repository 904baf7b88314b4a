"""The options of a match, bound, and the named profiles.

What each option can be, its default first, is said by ``schemas/wyatt-earp/options.schema.json``.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from pbem.base.shapes.schema import whole_options
from pbem.base.values import dataclass
from pbem.game import JsonObject

GAME_ID: Final = "wyatt-earp"
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
        "sharers": "everybody",
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
    """The options of one match, resolved; the fields are their keys."""

    hideout_reward: int
    hideout_target: str
    tie_payment: str
    single_shortfall: str
    zero_cp_shares: bool
    capture_min: int
    duel: str
    duel_deck: str
    next_dealer: str
    exhaustion_end: str
    reshuffle_timing: str
    shot_no_supply: str
    earp_short: str
    reaction_last_card: str
    mw_order: str
    opened_test: str
    photo_test: str
    earp_search: str
    search_public: bool
    reward_batch: str
    last_card_play: str
    shot_target: str
    sharers: str
    first_poster: str
    end_condition: str
    bank_limit: BankLimit


def bind_options(options: JsonObject) -> Options:
    """The options of a genesis record, every key given; ``BadSetup`` as ``whole_options``."""
    return Options(**whole_options(GAME_ID, options))
