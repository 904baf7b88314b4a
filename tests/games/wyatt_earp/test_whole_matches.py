"""Whole matches: they end, no card and no dollar is lost, and the engine's short cuts agree with its views."""

from __future__ import annotations

import pytest

from pbem.game import Chance, JsonObject, Seat, Terminal
from pbem.games.wyatt_earp.options import PROFILES
from pbem.games.wyatt_earp.state import State, sight_of
from pbem.games.wyatt_earp.views import sight_in
from tests.conformance.keyed import Keyed
from tests.games.wyatt_earp.table import (
    DECK,
    any_options,
    at_random,
    by_suggestion,
    cards_in,
    decisions,
    play,
    rules_for,
)

MOST_HANDS = 30


def check_everything_is_there(state: State, position: JsonObject) -> None:
    if state.pending is not None and state.pending.shuffle == "first-deal":
        return
    assert cards_in(position) == DECK
    assert all(money % 1000 == 0 and money >= 0 for money in (*state.posters, *state.money))
    fastest = [group for group in state.table if group.fastest]
    assert len(fastest) <= 1


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("profile", PROFILES)
def test_random_matches_end_with_all_cards_and_all_money(seats: int, profile: str) -> None:
    """Rows: A2, A13, A14, H5, L2, profile=default, profile=french, profile=italian, profile=review."""
    for number in range(3):
        keyed = Keyed(f"whole {seats} {profile} {number}")
        rules = rules_for(seats, profile)
        before: State | None = None
        for state in play(rules, keyed, at_random(keyed)):
            check_everything_is_there(state, rules.position_to_json(state))
            if before is not None and before.phase != "chance":
                paid_out = sum(state.money) - sum(before.money)
                assert paid_out >= 0
                if state.hand == before.hand and state.phase not in ("chance", "over"):
                    assert sum(state.posters) >= sum(before.posters)
            before = state
        assert before is not None
        assert before.phase == "over"
        assert max(before.money) >= 25000


@pytest.mark.slow
@pytest.mark.parametrize("number", range(60))
def test_random_matches_end_under_any_mixture_of_options(number: int) -> None:
    """Rows: A14."""
    keyed = Keyed(f"mixture {number}")
    options = any_options(keyed)
    rules = rules_for(2 + number % 3, **options)
    state = rules.initial_state()
    for state in play(rules, keyed, at_random(keyed)):
        position = rules.position_to_json(state)
        check_everything_is_there(state, position)
        if options["bank_limit"] == 150000:
            assert sum(state.posters) + sum(state.money) <= 150000
    assert rules.node(state) == rules.node(state)
    assert state.phase == "over"


def most_hands(matches: int) -> int:
    """So many random matches, each to its end; the hands of the longest."""
    hands = []
    for number in range(matches):
        keyed = Keyed(f"thousand {number}")
        rules = rules_for(2 + number % 3, list(PROFILES)[number % 4])
        *_, last = play(rules, keyed, at_random(keyed))
        hands.append(last.hand)
    return max(hands)


def test_random_matches_end_before_long() -> None:
    """A thousand of them by ``python -m tests.games.volumes``. Rows: H5, F5."""
    assert most_hands(100) < MOST_HANDS


@pytest.mark.parametrize("number", range(24))
def test_the_fast_list_is_the_list_of_the_view(number: int) -> None:
    keyed = Keyed(f"fast {number}")
    options = any_options(keyed)
    rules = rules_for(2 + number % 3, **options)
    for state, seat in decisions(rules, keyed, at_random(keyed)):
        view = rules.observe(state, seat)
        assert sight_in(rules.match, view) == sight_of(rules.match, state)
        assert rules.legal(state) == rules.legal_actions(view)


def test_the_sight_that_is_kept_is_never_another_states() -> None:
    keyed = Keyed("kept")
    rules = rules_for(3)
    states = [state for state, _ in decisions(rules, keyed, at_random(keyed))]
    fresh = [rules_for(3).legal(state) for state in states[:200]]
    assert [rules.legal(state) for state in states[:200]] == fresh
    assert [rules.legal(state) for state in reversed(states[:200])] == fresh[::-1]


DUEL: JsonObject = {"seats": ["anna", "burt"], "hits": []}


@pytest.mark.parametrize(
    ("position", "duel_deck", "span"),
    [
        ({"phase": "play"}, "remaining_supply", 3),
        ({"phase": "play"}, "fresh_78", 3),
        ({"phase": "chance", "pending": {"shuffle": "draw", "left": 1}}, "remaining_supply", 3),
        ({"phase": "chance", "pending": {"shuffle": "deal"}}, "remaining_supply", 4),
        ({"phase": "chance", "pending": {"shuffle": "duel"}, "duel": DUEL}, "remaining_supply", 3),
        ({"phase": "chance", "pending": {"shuffle": "duel-all"}, "duel": DUEL}, "remaining_supply", 3),
        ({"phase": "chance", "pending": {"shuffle": "duel-all"}, "duel": DUEL}, "fresh_78", 4),
        ({"phase": "over", "duel": DUEL}, "fresh_78", 4),
        ({"phase": "over"}, "fresh_78", 3),
    ],
)
def test_the_next_deal_and_a_deck_of_its_own_for_the_duel_begin_an_epoch(
    position: JsonObject, duel_deck: str, span: int
) -> None:
    """Rows: H4, H9, duel_deck=fresh_78."""
    rules = rules_for(3, duel_deck=duel_deck)
    assert rules.span(rules.position_from_json({"hand": 3, **position})) == span


@pytest.mark.parametrize("numbers", [(0, 1), (0, 1, 1), (0, 1, 3), (0, 1, 2, 3), ()])
def test_a_shuffle_is_answered_by_a_permutation_of_its_cards_alone(numbers: tuple[int, ...]) -> None:
    rules = rules_for(3)
    position: JsonObject = {
        "phase": "chance",
        "pending": {"shuffle": "draw", "left": 2},
        "discard": ["hideout", "jesse-james", "belle-starr"],
    }
    state = rules.position_from_json(position)
    with pytest.raises(ValueError, match="expected a permutation"):
        rules.resolve(state, numbers)
    after = rules.position_to_json(rules.resolve(state, (1, 2, 0)).state)
    assert after["hands"]["anna"] == ["hideout", "jesse-james"]
    assert after["supply"] == ["belle-starr"]


@pytest.mark.parametrize("position", [{"phase": "play"}, {"phase": "choose", "pending": {"card": "hideout"}}])
def test_chance_answers_only_when_it_is_asked(position: JsonObject) -> None:
    rules = rules_for(3)
    with pytest.raises(ValueError, match="no chance is asked for"):
        rules.resolve(rules.position_from_json({**position, "discard": ["hideout"]}), (0,))


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_computer_players_play_a_match_of_reasonable_length(seats: int) -> None:
    hands = []
    for number in range(12):
        *_, last = play(rules_for(seats), Keyed(f"sensible {seats} {number}"), by_suggestion)
        hands.append(last.hand)
    assert max(hands) < 12


def test_computer_players_do_what_sensible_players_do() -> None:
    """They lay, shoot, search, hide, answer Hideouts, and beat players at random."""
    seen: set[str] = set()
    won = 0
    for number in range(20):
        keyed = Keyed(f"duffer {number}")
        rules = rules_for(2)
        state = rules.initial_state()
        while not isinstance(node := rules.node(state), Terminal):
            if isinstance(node, Chance):
                state = rules.resolve(state, keyed.outcome(node.draw)).state
                continue
            if node.seat == Seat("anna"):
                action = rules.suggest(rules.observe(state, node.seat))
                seen.add(rules.action_to_json(action)["do"])
            else:
                action = keyed.choice(rules.legal(state))
            state = rules.apply(state, action).state
        won += state.winner == 0
    assert won >= 17
    assert seen >= {"draw", "lay", "photo", "bank-robbery", "stagecoach-robbery", "fastest-gun", "hideout"}
    assert seen >= {"most-wanted", "wyatt-earp", "react", "discard"}
