"""The JSON Schemas say what the codecs do: what is written fits, what is refused does not."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import pytest

from pbem.base.resources import data_dir
from pbem.game import FULL, PUBLIC, Chance, Decision, Json, MalformedAction, Terminal, Viewer
from pbem.games.wyatt_earp import GAME
from tests.conformance.keyed import Keyed
from tests.games.wyatt_earp.ordering import BAD_ORDERS, GOOD_ORDERS
from tests.games.wyatt_earp.refusing import targeted, universe
from tests.games.wyatt_earp.table import any_options, at_random, play, rules_for


@cache
def validator(name: str) -> Any:
    from jsonschema import Draft202012Validator

    schema = json.loads(
        (data_dir("schemas") / "wyatt-earp" / f"{name}.schema.json").read_text(encoding="utf-8")
    )
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


BAD_ACTIONS: list[Json] = [
    None,
    "draw",
    {},
    {"do": "fly"},
    {"do": "draw"},
    {"do": "draw", "from": "hand"},
    {"do": "draw", "from": "supply", "count": 2},
    {"do": "lay", "outlaw": "jesse-james"},
    {"do": "lay", "outlaw": "jesse-james", "count": 0},
    {"do": "lay", "outlaw": "jesse-james", "count": True},
    {"do": "lay", "outlaw": "calamity-jane", "count": 3},
    {"do": "photo", "outlaw": "photo:jesse-james"},
    {"do": "bank-robbery", "on": None},
    {"do": "bank-robbery", "seat": "anna"},
    {"do": "hideout", "on": "jesse-james"},
    {"do": "hideout", "seat": "anna"},
    {"do": "most-wanted"},
    {"do": "most-wanted", "ask": "jesse-james"},
    {"do": "most-wanted", "ask": "jesse-james", "direction": "left"},
    {"do": "most-wanted", "ask": "jesse-james", "direction": "clockwise", "order": []},
    {"do": "most-wanted", "steal": False},
    {"do": "most-wanted", "steal": True, "outlaw": "jesse-james"},
    {"do": "most-wanted", "steal": True, "ask": "jesse-james", "direction": "clockwise"},
    {"do": "wyatt-earp"},
    {"do": "wyatt-earp", "mode": "shoot"},
    {"do": "wyatt-earp", "mode": "draw", "take": ["hideout"]},
    {"do": "wyatt-earp", "mode": "search", "take": []},
    {"do": "wyatt-earp", "mode": "search", "take": "hideout"},
    {"do": "wyatt-earp", "mode": "search", "take": ["hideout", "joker"]},
    {"do": "wyatt-earp", "mode": "search", "take": [3]},
    {"do": "choose"},
    {"do": "choose", "decline": False},
    {"do": "choose", "take": "hideout", "on": "jesse-james"},
    {"do": "choose", "seat": "anna"},
    {"do": "react", "with": "hideout"},
    {"do": "discard"},
    {"do": "discard", "card": "jesse"},
]


@pytest.mark.parametrize("action", BAD_ACTIONS, ids=json.dumps)
def test_a_malformed_action_is_refused_by_codec_and_schema(action: Json) -> None:
    with pytest.raises(MalformedAction):
        rules_for(3).action_from_json(action)
    assert not validator("action").is_valid(action)


def test_every_action_fits_its_schema() -> None:
    for action in (*universe(4), *targeted(4)):
        assert validator("action").is_valid(action), action
        rules_for(4).action_from_json(action)
    for take in (["hideout"], ["photo:wes-hardin", "jesse-james"]):
        assert validator("action").is_valid({"do": "wyatt-earp", "mode": "search", "take": take})


def test_a_seat_of_another_match_is_malformed() -> None:
    with pytest.raises(MalformedAction, match="seat"):
        rules_for(2).action_from_json({"do": "hideout", "on": "jesse-james", "seat": "dora"})


@pytest.mark.parametrize("number", range(6))
def test_positions_views_and_events_fit_their_schemas(number: int) -> None:
    keyed = Keyed(f"schemas {number}")
    rules = rules_for(2 + number % 3, **any_options(keyed))
    for at, state in enumerate(play(rules, keyed, at_random(keyed))):
        if at % 11:
            continue
        fit(validator("position"), rules.position_to_json(state))
        viewers: list[Viewer] = [PUBLIC, *rules.setup.seats]
        for viewer in viewers:
            fit(validator("position"), rules.view_to_json(rules.observe(state, viewer)))
        node = rules.node(state)
        if isinstance(node, Terminal):
            continue
        if isinstance(node, Chance):
            step = rules.resolve(state, keyed.outcome(node.draw))
        else:
            assert isinstance(node, Decision)
            step = rules.apply(state, keyed.choice(rules.legal(state)))
        for event in step.events:
            for viewer in [*viewers, FULL]:
                fit(validator("event"), rules.event_to_json(event, viewer))


def fit(schema: Any, value: Json) -> None:
    assert schema.is_valid(value), value


def test_options_are_those_of_the_schema() -> None:
    fit(validator("options"), GAME.resolve_options("french", {}))
    schema = validator("options").schema
    assert {key: tuple(rule["enum"]) for key, rule in schema["properties"].items()} == GAME.info.options
    assert not validator("options").is_valid({"tie_payment": "never"})


@pytest.mark.parametrize("order", GOOD_ORDERS, ids=json.dumps)
def test_an_order_of_the_vocabulary_fits_the_schema(order: Json) -> None:
    fit(validator("orders"), order)


@pytest.mark.parametrize("order", BAD_ORDERS, ids=json.dumps)
def test_an_order_outside_the_vocabulary_does_not(order: Json) -> None:
    assert not validator("orders").is_valid(order)
