"""The profile options of rules §17: every key with its values, the default first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Final

from pbem.game import BadSetup, Json, JsonObject

OPTIONS: Final[Mapping[str, tuple[Json, ...]]] = {
    "auction_order": ("last_turn_order", "clockwise"),
    "box_must_act": (True, False),
    "cattle_two_towns": (True, False),
    "cattle_gate": ("next_lower", "all_lower"),
    "farmer_fills": (True, False),
    "move_cattle_owner": ("own", "any"),
    "attack_needs_cowboy": (True, False),
    "own_farmer_attackable": (False, True),
    "attacker_sheriff_vs_farmer": (False, True),
    "takeover_without_counter": ("illegal", "remove"),
    "sheriff_respawn": ("next_turn", "next_gunfight"),
    "mutual_kill": ("attack_fails", "defender_wins"),
    "retreat_garrison": ("loses_at_once", "fights_on"),
    "retreat_overflow": ("to_stock", "spread_evenly"),
    "jail_fate": ("to_stock", "out_of_game"),
    "store_follows_cattle": (False, True),
    "store_own_farmer": ("no", "pays"),
    "counter_limit": ("on", "off"),
    "money_public": (True, False),
}
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


def read_options(values: JsonObject) -> Options:
    """Options from a resolved object: every key, known values only."""
    resolved = resolve("default", values)
    return Options(**{field.name: resolved[field.name] for field in fields(Options)})


def resolve(profile: str, overrides: JsonObject) -> JsonObject:
    """All options of ``profile`` with ``overrides`` on top.

    Raises:
        BadSetup: naming the profile, key or value that does not exist.
    """
    if profile not in PROFILES:
        raise BadSetup(f"no profile {profile!r}; there are: {', '.join(PROFILES)}")
    resolved = {key: values[0] for key, values in OPTIONS.items()} | PROFILES[profile]
    for key, value in overrides.items():
        if key not in OPTIONS:
            raise BadSetup(f"no option {key!r}; there are: {', '.join(OPTIONS)}")
        if not any(value is known or (value == known and isinstance(known, str)) for known in OPTIONS[key]):
            values = ", ".join(str(known).lower() for known in OPTIONS[key])
            raise BadSetup(f"option {key!r} is {value!r}; it can be: {values}")
        resolved[key] = value
    return resolved
