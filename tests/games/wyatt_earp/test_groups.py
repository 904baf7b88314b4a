"""``pbem legal`` in groups: every legal action is in a line, and the odds of a shot are those of the cards not seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from pbem.game import PUBLIC, Chance, Decision, JsonObject, Terminal
from pbem.games import find_game
from pbem.games.wyatt_earp.counting import CardMemory, Odds
from pbem.games.wyatt_earp.deck import COPIES
from tests.bench.strength import rules_for
from tests.conformance.keyed import Keyed

EARP = find_game("wyatt-earp")


def walk(seats: int, key: str, most: int) -> Iterator[tuple[Any, Any, Any, list[JsonObject], CardMemory]]:
    """Decisions of a match with what everybody has seen so far in this hand."""
    rules: Any = rules_for("wyatt-earp", seats)
    state, dice, notes = rules.initial_state(), Keyed(key), CardMemory(rules.match.seats)
    seen: list[JsonObject] = []
    for _ in range(most):
        node = rules.node(state)
        if isinstance(node, Terminal):
            return
        if isinstance(node, Chance):
            step = rules.resolve(state, dice.outcome(node.draw))
        else:
            assert isinstance(node, Decision)
            view = rules.observe(state, node.seat)
            yield rules, state, view, seen, notes
            step = rules.apply(state, rules.suggest(view))
        state = step.state
        events = [rules.event_to_json(event, PUBLIC) for event in step.events]
        public = rules.observe(state, PUBLIC)
        if any(event["event"] == "hand-started" for event in events):
            seen = []
        seen = [*seen, {"steps": [{"events": events}], "public": rules.view_to_json(public)}]
        notes.note_all(events, public.top)


@pytest.mark.parametrize("seats", [2, 4])
def test_the_odds_are_those_of_the_cards_that_the_seat_has_not_seen(seats: int) -> None:
    looked = 0
    for _, state, view, seen, notes in walk(seats, f"odds {seats}", 400):
        events = {event["event"] for body in seen for event in body["steps"][0]["events"]}
        if view.phase == "choose" or events & {"reshuffled", "found"}:
            continue  # a shot is being taken, or what lies where is known to nobody
        known = notes.known(view)
        hidden = Counter(state.supply)
        for seat, hand in enumerate(state.hands):
            if seat != view.viewer:
                hidden.update(hand)
                hidden.subtract({kind: number for kind, number in enumerate(known[seat]) if number})
        assert all(number >= 0 for number in hidden.values()), "a card is known where it is not"
        assert notes.unseen(view, known) == [hidden[kind] for kind in range(len(COPIES))]
        assert notes.odds(view) == Odds(sum(hidden[kind] for kind in range(7)), sum(hidden.values()))
        looked += 1
    assert looked > 60


def test_every_action_has_a_line_and_a_shot_its_odds() -> None:
    most, shots = 0, 0
    for rules, _, view, seen, notes in walk(3, "groups", 400):
        legal = [rules.action_to_json(action) for action in rules.legal_actions(view)]
        rows = rules.grouped(view, legal, seen)
        words = [EARP.action_to_words(action) for action in legal]
        assert {word.split()[0] for word in words} == {head.split()[0] for head, _ in rows}
        exact = [head for head, _ in rows if not set(head.split()) & {"N", "OUTLAW", "CARD"}]
        assert set(exact) <= set(words)
        odds = notes.odds(view)
        for head, said in rows:
            if head.split()[0] in ("bank-robbery", "hideout") or head.startswith("react wyatt"):
                assert said.startswith(f"hits with {odds.hits} of the {odds.cards} cards"), said
                shots += 1
        most = max(most, len(legal) - len(rows))
    assert most > 15
    assert shots > 10


def test_a_lay_says_what_the_engine_pays() -> None:
    rules: Any = rules_for("wyatt-earp", 2)
    state = rules.position_from_json(
        {
            "phase": "play",
            "active": "anna",
            "dealer": "burt",
            "hands": {"anna": ["jesse-james"] * 4 + ["hideout"], "burt": ["belle-starr"]},
            "discard": ["photo:belle-starr"],
            "territories": {},
        }
    )
    view = rules.observe(state, rules.setup.seats[0])
    legal = [rules.action_to_json(action) for action in rules.legal_actions(view)]
    rows = dict(rules.grouped(view, legal, []))
    assert rows["lay N jesse-james"] == "the poster rises by $2,000 with 3, $3,000 with 4"
