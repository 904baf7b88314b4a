"""The exact odds against known values, against each other, and against fights of the engine."""

from __future__ import annotations

from fractions import Fraction

import pytest

from pbem.game import PUBLIC, Chance, JsonObject
from pbem.games.way_out_west.odds import firing, odds, together
from pbem.games.way_out_west.rules import WayOutWestRules
from pbem.games.way_out_west.state import Position
from tests.conformance.keyed import Keyed
from tests.games.way_out_west.table import act, rules_for

STRENGTHS = range(1, 7)


def test_one_against_one_is_worked_out_by_hand() -> None:
    """Rows: L1, L2."""
    assert firing(1, 1) == Fraction(3, 5)
    assert together(1, 1).attack == together(1, 1).defence == Fraction(2, 5)
    assert odds(1, 1).nobody == Fraction(1, 5)
    assert (odds(2, 1).attack, odds(1, 2).defence) == (1 - firing(1, 2), 1 - firing(1, 2))


@pytest.mark.parametrize("attack", STRENGTHS)
@pytest.mark.parametrize("defence", STRENGTHS)
def test_chances_add_up_mirror_and_grow_with_strength(attack: int, defence: int) -> None:
    both = together(attack, defence)
    assert both.attack + both.defence + both.nobody == 1
    assert (both.attack, both.nobody) == (together(defence, attack).defence, together(defence, attack).nobody)
    assert firing(attack, defence) > firing(attack, defence + 1)
    assert firing(attack + 1, defence) > firing(attack, defence)
    assert (
        sum((odds(attack, defence).attack, odds(attack, defence).defence, odds(attack, defence).nobody)) == 1
    )


def fight_position(attack: int, defence: int, first: str) -> JsonObject:
    """A fight about a store at the first moment to fire; each side has cowboys only."""
    seat = "burt" if first == "burt" else "anna"
    return {
        "phase": "gunfight",
        "active": "anna",
        "tokens": {"anna": 1},
        "towns": {"abilene": {"cowboys": {"anna": attack, "burt": defence}, "assets": {"store": "burt"}}},
        "fight": {"town": "abilene", "attacker": "anna", "target": {"asset": "store"}, "asks": "fire", "seat": seat,
                  "first": first, "round": 2},
    }  # fmt: skip


def winner(rules: WayOutWestRules, state: Position, keyed: Keyed) -> str:
    """Fight it out on the engine."""
    while state.phase in ("gunfight", "chance"):
        node = rules.node(state)
        if not isinstance(node, Chance):
            state = act(rules, state, {"do": "fire"})
            continue
        step = rules.resolve(state, keyed.outcome(node.draw))
        events = [rules.event_to_json(event, PUBLIC) for event in step.events]
        won = [event for event in events if event["event"] == "gunfight-won"]
        if won:
            return str(won[0]["winner"])
        state = step.state
    raise AssertionError("a fight ends with a winner or with nobody")


def compare(fights: int) -> None:
    """Simulated fights for every pair of strengths and every way to begin lie within 4.5 standard errors."""
    rules = rules_for(3)
    for attack in STRENGTHS:
        for defence in STRENGTHS:
            simultaneous = together(attack, defence)
            ways = {
                "anna": (firing(attack, defence), 1 - firing(attack, defence)),
                "burt": (1 - firing(defence, attack), firing(defence, attack)),
                "both": (simultaneous.attack, simultaneous.defence),
            }
            for first, (anna, burt) in ways.items():
                keyed = Keyed(f"fights {attack} {defence} {first}")
                position = rules.position_from_json(fight_position(attack, defence, first))
                winners = [winner(rules, position, keyed) for _ in range(fights)]
                for seat, chance in (("anna", float(anna)), ("burt", float(burt))):
                    error = (chance * (1 - chance) / fights) ** 0.5
                    gap = abs(winners.count(seat) / fights - chance)
                    assert gap <= 4.5 * error + 2 / fights, (attack, defence, first, seat, gap)


def test_the_odds_agree_with_fights_of_the_engine() -> None:
    """Rows: L1, L2, L3, L4, L5, L8."""
    compare(20)


@pytest.mark.slow
def test_the_odds_agree_with_many_fights_of_the_engine() -> None:
    """36 pairs of strengths, three ways to begin, 150 fights each; 926 each by ``tests.games.volumes``."""
    compare(150)
