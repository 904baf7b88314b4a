"""What the tests of refusals share: every action there is, and the rows that forbid one."""

from __future__ import annotations

from functools import cache

import pytest

from pbem.game import IllegalAction, JsonObject
from pbem.games.wyatt_earp.actions import Action
from pbem.games.wyatt_earp.deck import NAMES, OUTLAW_NAMES
from pbem.games.wyatt_earp.rules import WyattEarpRules
from pbem.games.wyatt_earp.state import State
from tests.games.wyatt_earp.table import SEATS
from tests.rule_coverage import rows_of

ROWS = {row.id for row in rows_of("wyatt-earp")}


def in_order(value: object) -> str:
    """A test's name: the same in every process, whatever order a set has there."""
    return str(sorted(value)) if isinstance(value, set) else str(value)


@cache
def universe(seats: int) -> tuple[JsonObject, ...]:
    """Every action in short form, with every number of cards that makes a difference."""
    names = SEATS[:seats]
    draws: list[JsonObject] = [{"do": "draw", "from": source} for source in ("supply", "discard")]
    lays = [{"do": "lay", "outlaw": outlaw, "count": n} for outlaw in OUTLAW_NAMES for n in range(1, 9)]
    photos = [{"do": "photo", "outlaw": outlaw} for outlaw in OUTLAW_NAMES]
    shots = [{"do": card} for card in ("bank-robbery", "stagecoach-robbery", "fastest-gun", "hideout")]
    asks = [
        {"do": "most-wanted", "ask": outlaw, "direction": direction}
        for outlaw in OUTLAW_NAMES
        for direction in ("clockwise", "counterclockwise")
    ]
    modes = [{"do": "wyatt-earp", "mode": mode} for mode in ("draw", "search", "remove-hideout")]
    chosen: list[JsonObject] = [{"do": "choose", "on": outlaw} for outlaw in OUTLAW_NAMES]
    chosen += [{"do": "choose", "on": outlaw, "seat": seat} for outlaw in OUTLAW_NAMES for seat in names]
    chosen += [{"do": "choose", "take": card} for card in NAMES]
    rest: list[JsonObject] = [
        {"do": "most-wanted", "steal": True},
        {"do": "choose", "decline": True},
        {"do": "react", "with": "pass"},
        {"do": "react", "with": "wyatt-earp"},
    ]
    discards = [{"do": "discard", "card": card} for card in NAMES]
    return (*draws, *lays, *photos, *shots, *asks, *modes, *chosen, *rest, *discards)


@cache
def targeted(seats: int) -> tuple[JsonObject, ...]:
    """Every action with its target named in advance."""
    both = [(outlaw, seat) for outlaw in OUTLAW_NAMES for seat in SEATS[:seats]]
    robberies = ("bank-robbery", "stagecoach-robbery", "fastest-gun")
    return (
        *({"do": card, "on": outlaw} for card in robberies for outlaw in OUTLAW_NAMES),
        *({"do": "wyatt-earp", "mode": "remove-hideout", "on": outlaw} for outlaw in OUTLAW_NAMES),
        *({"do": "hideout", "on": outlaw, "seat": seat} for outlaw, seat in both),
        *({"do": "most-wanted", "steal": True, "outlaw": outlaw, "seat": seat} for outlaw, seat in both),
    )


def refused(rules: WyattEarpRules, state: State, action: Action) -> bool:
    """Whether apply refuses, and with rows that there are."""
    try:
        rules.apply(state, action)
    except IllegalAction as refusal:
        return bool(str(refusal)) and bool(refusal.rules) and set(refusal.rules) <= ROWS
    return False


def rows_against(rules: WyattEarpRules, state: State, action: JsonObject) -> tuple[str, ...]:
    """The rows that forbid this action."""
    with pytest.raises(IllegalAction) as caught:
        rules.apply(state, rules.action_from_json(action, bulk=True))
    return caught.value.rules
