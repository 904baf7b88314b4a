"""Whole matches, played at random and by the computer player, with every dollar and every counter watched."""

from __future__ import annotations

import pytest

from pbem.game import PUBLIC, Terminal
from pbem.games.way_out_west.rules import WayOutWestRules
from pbem.games.way_out_west.state import Position
from tests.conformance.keyed import Keyed
from tests.games.way_out_west.shadow import Shadow
from tests.games.way_out_west.table import Policy, any_kind, play, rules_for, sensible


def watch(rules: WayOutWestRules, keyed: Keyed, policy: Policy) -> Position:
    """Play a match; after every step the shadow table and the position agree."""
    shadow = Shadow(rules)
    state = rules.initial_state()
    for moment in play(rules, keyed, policy):
        for event in moment.events:
            shadow.take(event)
        shadow.compare(rules, moment.after)
        assert rules.span(moment.before) <= rules.span(moment.after) <= rules.span(moment.before) + 1
        state = moment.after
    assert isinstance(rules.node(state), Terminal)
    return state


@pytest.mark.parametrize("players", [3, 4, 5])
def test_money_and_counters_are_accounted_for_after_every_step_of_a_match(players: int) -> None:
    """Rows: A4, A10, C9, L7, M1, M4."""
    for number in range(4):
        watch(rules_for(players), Keyed(f"random {players} {number}"), any_kind)
    watch(rules_for(players), Keyed(f"sensible {players}"), sensible)


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 4, 5])
def test_money_and_counters_are_accounted_for_in_many_matches(players: int) -> None:
    """A slice of the thousand of ``tests.games.volumes``. Rows: A4, A10."""
    for number in range(10):
        watch(rules_for(players), Keyed(f"random {players} {number}"), any_kind)


@pytest.mark.parametrize(("players", "turns", "incomes"), [(3, 12, 4), (4, 9, 3), (5, 9, 3)])
def test_the_match_has_its_turns_and_its_incomes(players: int, turns: int, incomes: int) -> None:
    """Rows: A8, A9, T9, T10, P2, P3."""
    rules = rules_for(players)
    moments = list(play(rules, Keyed(f"turns {players}"), sensible))
    ended = [
        event["space"] for moment in moments for event in moment.events if event["event"] == "turn-ended"
    ]
    assert ended == list(range(13 - turns, 13))
    paid = {
        moment.before.space
        for moment in moments
        if any(event["event"] == "income" for event in moment.events)
    }
    assert paid == {3, 6, 9, 12} - ({3} if turns == 9 else set())
    assert len(paid) == incomes
    assert rules.span(moments[0].before) == 1
    assert rules.span(moments[-1].after) == turns


def test_the_end_of_a_turn_stands_at_the_auction_of_the_next_with_a_higher_span() -> None:
    """Rows: B1, B2, P1."""
    rules = rules_for(4)
    for moment in play(rules, Keyed("spans"), sensible):
        risen = rules.span(moment.after) > rules.span(moment.before)
        ended = any(event["event"] == "turn-ended" for event in moment.events)
        assert risen == (ended and moment.before.space < 12)
        if risen:
            assert (moment.after.phase, moment.after.active) == ("auction", moment.before.order[0])


@pytest.mark.parametrize("players", [3, 4, 5])
def test_computer_players_make_something_of_the_match(players: int) -> None:
    rules = rules_for(players)
    *_, last = play(rules, Keyed(f"score {players}"), sensible)
    outcome = rules.node(last.after)
    assert isinstance(outcome, Terminal)
    assert max(outcome.outcome["points"].values()) >= 20
    assert any(town.size >= 2 for town in last.after.towns)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_positions_and_public_views_survive_their_json(players: int) -> None:
    rules = rules_for(players)
    for moment in play(rules, Keyed(f"json {players}"), any_kind):
        assert rules.position_from_json(rules.position_to_json(moment.after)) == moment.after
        view = rules.observe(moment.after, PUBLIC)
        assert rules.public_from_json(rules.view_to_json(view)) == view
