"""Every roll says what it is for before it is made; its dice are counted as luck."""

from __future__ import annotations

import re

import pytest

from pbem.game import PUBLIC, Chance, JsonObject, Roll, Trial
from tests.conformance.keyed import Keyed
from tests.games.way_out_west.table import any_kind, play, rules_for

LABEL = re.compile(r"first player|gunfight [a-z-]+ (attack|defence) [1-9][0-9]*|robbery [a-z-]+")


def test_labels_name_town_side_and_round() -> None:
    """Rows: L3, M4."""
    rules = rules_for(3)
    seen = set()
    for moment in play(rules, Keyed("labels"), any_kind):
        node = rules.node(moment.after)
        if isinstance(node, Chance):
            assert isinstance(node.draw, Roll)
            assert node.draw.tape == "public"
            assert LABEL.fullmatch(node.draw.label)
            assert node.draw.label.isascii()
            seen.add(node.draw.label.split()[0])
    assert "gunfight" in seen


def test_a_fight_counts_its_rounds_from_one() -> None:
    rules = rules_for(3)
    town = {"deadwood": {"cowboys": {"anna": 4, "burt": 3}, "assets": {"store": "burt"}}}
    state = rules.position_from_json({"towns": town})
    plan = {"retreat_below": 0, "to": []}
    fight = {"do": "gunfight", "town": "deadwood", "target": {"asset": "store"}, "plan": plan}
    state = rules.apply(state, rules.action_from_json(fight)).state
    labels = []
    for _ in range(2):
        state = rules.apply(state, rules.action_from_json({"do": "fire"})).state
        for _ in range(2):
            node = rules.node(state)
            assert isinstance(node, Chance)
            labels.append(node.draw.label)
            assert isinstance(node.draw, Roll)
            assert node.draw.sides == (6,) * (4 if "attack" in node.draw.label else 3)
            state = rules.resolve(state, (1,) * len(node.draw.sides)).state
    assert labels == [
        "gunfight deadwood defence 1", "gunfight deadwood attack 1",
        "gunfight deadwood defence 2", "gunfight deadwood attack 2",
    ]  # fmt: skip


def test_dice_of_volleys_are_trials_of_the_seat_that_rolled_them() -> None:
    rules = rules_for(3)
    fight = {"event": "gunfight", "attacker": "anna", "defender": "farmer"}
    volleys: list[JsonObject] = [
        {"event": "volley", "side": "attack", "dice": [5, 1], "hits": 1},
        {"event": "volley", "side": "defence", "dice": [6], "hits": 1},
    ]
    steps: list[JsonObject] = [
        {"by": "file", "seat": "anna", "action": {"do": "gunfight"}, "events": [fight, *volleys]}
    ]
    assert rules.trials(steps) == (
        Trial(rules.setup.seats[0], "attack in a gunfight", (1, 3), True),
        Trial(rules.setup.seats[0], "attack in a gunfight", (1, 3), False),
    )
    fire: list[JsonObject] = [{"by": "file", "seat": "burt", "action": {"do": "fire"}, "events": volleys}]
    under_way = {"fight": {"attacker": "curt", "defender": "burt"}}
    assert rules.trials(fire, under_way) == (
        Trial(rules.setup.seats[2], "attack in a gunfight", (1, 3), True),
        Trial(rules.setup.seats[2], "attack in a gunfight", (1, 3), False),
        Trial(rules.setup.seats[1], "defence in a gunfight", (1, 3), True),
    )


@pytest.mark.parametrize("together", [True, False], ids=["in one record", "each step a record"])
def test_every_die_of_a_whole_match_is_counted_once(together: bool) -> None:
    rules = rules_for(4)
    steps: list[JsonObject] = []
    trials: list[Trial] = []
    dice = 0
    farmer = False
    for moment in play(rules, Keyed("trials"), any_kind):
        steps.append({"events": list(moment.events)})
        trials += rules.trials(steps[-1:], rules.view_to_json(rules.observe(moment.before, PUBLIC)))
        for event in moment.events:
            if event["event"] == "gunfight":
                farmer = event["defender"] == "farmer"
            if event["event"] == "volley" and not (farmer and event["side"] == "defence"):
                dice += len(event["dice"])
    assert len(rules.trials(steps) if together else trials) == dice > 10


def test_the_figures_for_people_agree_with_the_engine() -> None:
    """``summary`` counts again what ``scoring`` counts: the two must agree in every position.

    Rows: P4, P5, P6, P9, Q1, Q2, Q3, Q6, Q7.
    """
    from pbem.games.way_out_west.scoring import income_of, points_of

    rules = rules_for(4)
    for moment in play(rules, Keyed("figures"), any_kind):
        figures = rules.summary(rules.position_to_json(moment.after))
        scores = points_of(rules.match, moment.after)
        for seat, score in zip(rules.setup.seats, scores, strict=True):
            assert figures["points"][seat]["total"] == score.total
        totals = dict.fromkeys(range(4), 0)
        for number, _, _, amount in income_of(rules.match, moment.after):
            totals[number] += amount
        assert {
            number: figures["income"][seat]["total"] for number, seat in enumerate(rules.setup.seats)
        } == totals
