"""A playthrough as text: each decision with its node, legal actions, choice, chance, events and views.

Views and legal lists stand as short hashes: a change shows up at the decision where it begins, and the public
view stands in full wherever a span begins and at the end.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pbem.game import PUBLIC, AnyRules, Decision, Json, JsonObject, Terminal
from tests.conformance.driver import Case, Record
from tests.conformance.verdict import compact
from tests.toy import REGISTRY

FOLDER = Path(__file__).resolve().parent
DECISIONS = 160


def cases() -> list[Case]:
    """One playthrough for each game and number of seats."""
    return [
        Case(game.info.id, seats, decisions=DECISIONS, key="playthrough")
        for game in REGISTRY
        for seats in game.info.seats
    ]


def path_of(case: Case) -> Path:
    """Where the playthrough is kept."""
    return FOLDER / f"{case.game_id}-{case.seats}.txt"


def transcript(case: Case) -> str:
    """The whole text."""
    return "\n".join(_lines(case)) + "\n"


def _lines(case: Case) -> Iterator[str]:
    rules = case.rules()
    match = case.match(most=1)
    yield f"# {case.game_id}, {case.seats} seats, {case.profile}; again by: python -m tests.playthroughs"
    number = 0
    for record in match.records(case.decisions):
        if record.moments:
            number += 1
            yield from _decision(number, rules, record)
        else:
            yield f"== span {match.span}"
        for step in record.steps:
            yield from _chance_lines(step, record)
        yield "   views " + " ".join(f"{name}:{_hash(view)}" for name, view in _views(rules, record.state))
        if not record.moments:
            yield f"   public {compact(rules.view_to_json(rules.observe(record.state, PUBLIC)))}"
    end = rules.node(match.state)
    yield f"== after {number} decisions: {compact(end.outcome) if isinstance(end, Terminal) else 'it goes on'}"
    yield f"   public {compact(rules.view_to_json(rules.observe(match.state, PUBLIC)))}"
    yield f"   position {_hash(rules.position_to_json(match.state))}"


def _decision(number: int, rules: AnyRules, record: Record) -> Iterator[str]:
    (moment,) = record.moments
    node = rules.node(moment.state)
    assert isinstance(node, Decision)
    legal = rules.legal_actions(rules.observe(moment.state, moment.seat))
    listed = _hash([rules.action_to_json(action) for action in legal])
    yield f"{number}. {moment.seat} ({node.phase}) of {len(legal)} {listed}: {_spelled(rules, moment.action)}"


def _spelled(rules: AnyRules, action: Any) -> str:
    return compact(rules.action_to_json(action))


def _chance_lines(step: JsonObject, record: Record) -> Iterator[str]:
    for entry in step["chance"]:
        if "roll" in entry:
            yield f"   die {entry['value']} of {entry['sides']} for {entry['for']}"
        elif "shuffle" in entry:
            yield f"   shuffle {entry['shuffle']} {entry['gen']}"
        elif entry["to"] == "table":
            yield f"   card {entry['gen']}/{entry['k']} to the table: {entry['card']}"
    for seat, draws in sorted(record.draws.items()):
        cards = " ".join(draw["card"] for draw in draws)
        yield f"   cards to {seat}: {cards}"
    for seat, facts in sorted(record.facts.items()):
        yield f"   told to {seat}: {compact(facts)}"
    for event in step["events"]:
        yield f"   {event['event']} {compact({name: value for name, value in event.items() if name != 'event'})}"


def _views(rules: AnyRules, state: Any) -> Iterator[tuple[str, Json]]:
    yield "public", rules.view_to_json(rules.observe(state, PUBLIC))
    for seat in rules.setup.seats:
        yield seat, rules.view_to_json(rules.observe(state, seat))


def _hash(value: Json) -> str:
    return hashlib.sha256(compact(value).encode()).hexdigest()[:8]
