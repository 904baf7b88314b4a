"""The schemas of this game agree with the engine."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.base.errors import FormatError
from pbem.base.shapes import schema
from pbem.game import PUBLIC, JsonObject
from pbem.games.way_out_west import GAME
from pbem.games.way_out_west.board import standard_board
from tests.conformance.keyed import Keyed
from tests.games.way_out_west.table import any_kind, play, rules_for, sensible


@pytest.mark.parametrize("money_public", [True, False])
def test_every_action_position_and_view_of_a_match_is_allowed(money_public: bool) -> None:
    rules = rules_for(4, money_public=money_public)
    for policy in (any_kind, sensible):
        for moment in play(rules, Keyed("schemas"), policy):
            if moment.action is not None:
                schema.validate("way-out-west/action", rules.action_to_json(moment.action))
            schema.validate("way-out-west/position", rules.position_to_json(moment.after))
            schema.validate("way-out-west/position", rules.view_to_json(rules.observe(moment.after, PUBLIC)))


def test_options_of_every_value_are_allowed_and_others_are_not() -> None:
    schema.validate("way-out-west/options", {})
    schema.validate("way-out-west/options", {"board": standard_board()})
    for key, values in GAME.info.options.items():
        for value in values:
            schema.validate("way-out-west/options", GAME.resolve_options("default", {key: value}))
        with pytest.raises(FormatError):
            schema.validate("way-out-west/options", {key: "no such value"})
    with pytest.raises(FormatError):
        schema.validate("way-out-west/options", {"no_such_key": True})


BAD_ACTIONS: list[Any] = [
    None, {}, {"do": "fly"}, {"do": "bid", "amount": 0}, {"do": "bid"}, {"do": "fire", "at": "anna"},
    {"do": "cattle", "towns": ["a", "b", "c"]}, {"do": "build", "asset": "saloon", "town": "abilene"},
    {"do": "gunfight", "town": "a", "target": {"asset": "bank", "farmer": True}},
    {"do": "gunfight", "town": "a", "target": {"cattle": 3, "seat": "burt"}},
    {"do": "leave-town", "moves": []}, {"do": "move-cowboys", "moves": [{"from": "a", "to": "b", "count": 0}]},
    {"do": "ask-sheriff", "ask": 1}, {"do": "pass", "box": 3},
]  # fmt: skip


@pytest.mark.parametrize("action", BAD_ACTIONS)
def test_what_is_no_action_is_refused(action: Any) -> None:
    with pytest.raises(FormatError):
        schema.validate("way-out-west/action", action)


@pytest.mark.parametrize(
    "position", [{"pot": 1}, {"phase": "tea"}, {"cash": {"anna": -1}}, {"towns": {"abilene": {"sheep": 1}}}]
)
def test_what_is_no_position_is_refused(position: JsonObject) -> None:
    with pytest.raises(FormatError):
        schema.validate("way-out-west/position", position)
