"""The short ways of ``apply`` come to the same as the long ones: a step at one stroke, and no second check."""

from __future__ import annotations

from collections import Counter

import pytest

from pbem.game import IllegalAction
from pbem.games.wyatt_earp.actions import Discard, Draw, Lay
from pbem.games.wyatt_earp.faults import check, faults
from pbem.games.wyatt_earp.options import PROFILES
from pbem.games.wyatt_earp.state import sight_of
from pbem.games.wyatt_earp.swift import swift_step
from pbem.games.wyatt_earp.turn import play as long_way
from tests.conformance.keyed import Keyed
from tests.games.wyatt_earp.refusing import universe
from tests.games.wyatt_earp.table import any_options, at_random, decisions, rules_for

SWIFT = (Draw, Discard, Lay)


@pytest.mark.parametrize("number", range(12))
def test_a_step_at_one_stroke_is_the_step_of_the_long_way(number: int) -> None:
    """Rows: C2, D4, D9, E1, E4."""
    keyed, seats = Keyed(f"swift {number}"), 2 + number % 3
    profile = [*PROFILES, None][number % 5]
    rules = rules_for(seats, profile) if profile else rules_for(seats, **any_options(keyed))
    tried = [
        action
        for action in map(rules.action_from_json, universe(seats))
        if isinstance(action, SWIFT) and not (isinstance(action, Lay) and action.count > 7)
    ]
    made: Counter[str] = Counter()
    for state, _ in decisions(rules, keyed, at_random(keyed)):
        sight = sight_of(rules.match, state)
        for action in tried:
            step = swift_step(rules.match, state, action)
            if faults(rules.match, sight, action):
                assert step is None
            elif step is not None:
                assert step == long_way(rules.match, state, action)
                made[type(action).__name__] += 1
            else:
                made["looked at closely"] += 1
    assert made["Draw"] > 100
    assert made["Discard"] > 100
    assert made["looked at closely"] > 0


def test_an_action_out_of_the_list_is_not_looked_at_again_and_any_other_is() -> None:
    """Of the list given last for this very state, and the object itself; what is legal elsewhere is refused as ever."""
    keyed, rules, other = Keyed("handed out"), rules_for(3), rules_for(3)
    before = None
    refused = 0
    for state, _ in decisions(rules, keyed, at_random(keyed)):
        listed = rules.legal(state)
        for action in listed:
            again = other.action_from_json(other.action_to_json(action))
            assert rules.apply(state, action) == other.apply(state, action) == rules.apply(state, again)
        if before is not None:
            for last in (state, before):  # whichever list was given last
                earlier = rules.legal(before)
                rules.legal(last)
                for action in set(earlier) - set(listed):
                    with pytest.raises(IllegalAction) as found:
                        rules.apply(state, action)
                    with pytest.raises(IllegalAction) as checked:
                        check(rules.match, sight_of(rules.match, state), action)
                    assert (found.value.rules, str(found.value)) == (checked.value.rules, str(checked.value))
                    refused += 1
        before = state
    assert refused > 100
