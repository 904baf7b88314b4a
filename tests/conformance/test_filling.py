"""Nothing that everybody sees depends on how the hidden cards are filled in (``pbem.game.Filling``)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from pbem.game import PUBLIC, JsonObject, Seat
from pbem.games.wyatt_earp.deck import NAMES, cards_on
from pbem.protocol.record.open_play import OpenPlay, RecordedCards, plays_openly
from pbem.protocol.record.play import DeckOnTable, Table, first_turn
from tests.conformance.driver import Case, late_cases, option_cases, played, profile_cases, whole_cases

PICKS = range(6)
"""So many fillings of each step; the first is the one that readers use."""


def as_recorded(value: Any) -> Any:
    """As it stands in a record."""
    return json.loads(json.dumps(value))


def _cases(cases: list[Case]) -> list[Case]:
    return [case for case in cases if plays_openly(case.rules())]


def _as_if_seen(state: Any) -> JsonObject:
    """What somebody remembers of a hand of Wyatt Earp who saw all that lies open now laid there."""
    lying = cards_on(state.table) + state.discard
    located = Counter(NAMES[kind] for kind in lying)
    return {"discard": [[NAMES[kind], -at] for at, kind in enumerate(state.discard)], "located": located}


def _drawn(before: dict[str, tuple[int, int]], steps: list[JsonObject]) -> dict[str, tuple[int, int]]:
    """The newest generation of each deck and its next draw."""
    after = dict(before)
    for entry in (entry for step in steps for entry in step["chance"]):
        if "draw" in entry:
            after[entry["draw"]] = entry["gen"], entry["k"] + 1
        elif "shuffle" in entry:
            after[entry["shuffle"]] = entry["gen"], 0
    return after


def followed(case: Case, picks: range) -> Iterator[tuple[JsonObject, list[OpenPlay]]]:
    """Every record of a play, with the plays that somebody makes of it who sees what is public."""
    rules: Any = case.rules()
    memory: JsonObject = {}
    state, decks, span, rolled = rules.initial_state(), {}, 0, 0
    for number, record in enumerate(played(case)):
        steps = as_recorded(record.steps)
        body = {
            "steps": steps,
            "public": as_recorded(rules.view_to_json(rules.observe(record.state, PUBLIC))),
        }
        if number == 0 and case.late:  # nobody saw how it came about
            memory = _as_if_seen(record.state) if case.game_id == "wyatt-earp" else {}
            state, span = record.state, rules.span(record.state)
            decks = dict.fromkeys(_drawn({}, steps), (0, 0))
            continue
        opening = bool(steps) and steps[0]["by"] == "game"
        view = rules.observe(state, PUBLIC)
        if opening or not steps:
            decks, rolled, span = {}, 0, rules.span(state)
        for j, entry in enumerate(
            entries := [e for step in steps for e in step["chance"] if "roll" in e], rolled + 1
        ):
            entry |= {"j": j, "link": "A" * 43}
        plays = []
        for pick in picks:
            followed = rules.follow(memory, body, pick)
            first = rules.initial_state() if number == 0 else followed.filled(view, 0).state
            source = RecordedCards([entry for step in steps for entry in step["chance"]])
            piles = {
                deck: DeckOnTable(gen, source.pile(deck, gen, 78), k) for deck, (gen, k) in decks.items()
            }
            table = Table(
                rules, first, 1, span, source, piles, dict.fromkeys(rules_tapes(case), rolled), first_turn(1)
            )
            play = OpenPlay(table, {}, steps, record=body, followed=followed, filled=-1 if number else 0)
            for step in steps:
                if step["by"] == "game":
                    play.opening()
                else:
                    play.ready()
                    play.act("file", Seat(step["seat"]), play.meant(step), step["action"])
            plays.append(play)
        yield body, plays
        memory = as_recorded(rules.follow(memory, body).remembered)
        decks = _drawn(decks, steps)
        rolled += len(entries)
        state = record.state


def rules_tapes(case: Case) -> tuple[str, ...]:
    """The tapes of the game."""
    return case.game().info.tapes


def _same(case: Case, picks: range) -> None:
    for body, plays in followed(case, picks):
        for play in plays:
            assert play.steps == body["steps"]
            assert play.table.public == body["public"]


@pytest.mark.parametrize("case", _cases([*profile_cases(), *option_cases(), *late_cases()]), ids=str)
def test_whoever_fills_in_anything_sees_what_the_host_saw(case: Case) -> None:
    _same(case, PICKS)


@pytest.mark.slow
@pytest.mark.parametrize("case", _cases(whole_cases()), ids=str)
def test_so_does_who_follows_a_whole_match(case: Case) -> None:
    _same(case, range(2))
