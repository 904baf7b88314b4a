"""The options of a match, bound; what each can be is said by ``schemas/way-out-west/options.schema.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pbem.base.shapes.schema import whole_options
from pbem.base.values import dataclass
from pbem.game import JsonObject

GAME_ID: Final = "way-out-west"
PROFILES: Final[Mapping[str, JsonObject]] = {"default": {}}


@dataclass(frozen=True, slots=True)
class Options:
    """The options of one match, resolved; the fields are their keys."""

    auction_order: str
    box_must_act: bool
    cattle_two_towns: bool
    cattle_gate: str
    farmer_fills: bool
    move_cattle_owner: str
    attack_needs_cowboy: bool
    own_farmer_attackable: bool
    attacker_sheriff_vs_farmer: bool
    takeover_without_counter: str
    sheriff_respawn: str
    mutual_kill: str
    retreat_garrison: str
    retreat_overflow: str
    jail_fate: str
    store_follows_cattle: bool
    store_own_farmer: str
    counter_limit: str
    money_public: bool


def bind_options(options: JsonObject) -> Options:
    """The options of a genesis record, every key given; ``BadSetup`` as ``whole_options``."""
    return Options(**whole_options(GAME_ID, options))
