"""Every record that there is, against the published schemas, by ``jsonschema`` itself and nothing of ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from pbem.game import JsonObject
from tests.record.golden import WALKS, walked
from tests.world import World

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "schemas"
EXAMPLES = sorted((ROOT / "examples").glob("*/game.jsonl"))
RANDOM = 25
"""Matches of each game, of this many moves, that nobody has kept."""
MOVES = 8


@cache
def judge(name: str, part: str = "") -> Draft202012Validator:
    """A published schema, or one of its definitions."""
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_bytes())
    if part:
        schema = (
            {"$ref": f"#/$defs/{part}", "$defs": schema["$defs"]} if part in schema["$defs"] else {"not": {}}
        )
    return Draft202012Validator(schema)


def refused(lines: list[JsonObject]) -> Iterator[str]:
    """What of these records is not as it is published."""
    game = lines[0]["body"]["rules"]["id"]
    for number, line in enumerate(lines):
        body = line["body"]
        yield from (f"{number}: {fault.message}" for fault in judge("record").iter_errors(line))
        for step in body.get("steps", ()):
            action = step.get("action")
            if action is not None and not (
                judge(f"{game}/action").is_valid(action) or judge(f"{game}/action", "public").is_valid(action)
            ):
                yield f"{number}: the action {action}"
            yield from (
                f"{number}: {fault.message}"
                for event in step["events"]
                for fault in judge(f"{game}/event").iter_errors(event)
            )
        if "public" in body:
            yield from (
                f"{number}: {fault.message}" for fault in judge(f"{game}/view").iter_errors(body["public"])
            )


def hold(lines: list[JsonObject]) -> None:
    """All of it is as published; one member more would be noticed."""
    assert list(refused(lines)) == []
    spoilt = {**lines[-1], "body": {**lines[-1]["body"], "more": 1}}
    assert len(list(refused([lines[0], spoilt]))) == 1


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_every_record_of_an_example_is_as_published(path: Path) -> None:
    hold([json.loads(line) for line in path.read_bytes().splitlines()])


@pytest.mark.parametrize("name", WALKS)
def test_every_record_of_a_golden_match_is_as_published(name: str) -> None:
    hold([json.loads(line) for line in walked(name).lines])


@pytest.mark.parametrize("game", ["wyatt-earp", "way-out-west"])
def test_random_matches_are_as_published(game: str) -> None:
    for number in range(RANDOM):
        world = World(game, ("anna", "burt", "curt"), seed=f"published {number}").start()
        for _ in range(MOVES):
            world.move()
        hold([json.loads(line) for line in world.lines])
