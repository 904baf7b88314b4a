"""Hands played on: only what the seat can know, in deals that agree with it, and the suggestion as a home."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import Any

import pytest

from pbem.bots.chance import FastRandom
from pbem.bots.earp import Deals, halved, weigh
from pbem.game import PUBLIC, Chance, Decision, Seat, Terminal
from pbem.games.wyatt_earp.actions import Discard
from pbem.games.wyatt_earp.counting import CardMemory
from pbem.games.wyatt_earp.deck import COPIES, cards_on
from tests.bench.strength import rules_for
from tests.bots.test_players import position
from tests.conformance.keyed import Keyed


def watched(seats: int, seed: str, hands: int) -> tuple[Any, list[tuple[Any, CardMemory]]]:
    """So many hands by suggestions: the first seat's views, each with what everybody has seen by then."""
    rules: Any = rules_for("wyatt-earp", seats)
    me, dice, state = rules.setup.seats[0], Keyed(seed), rules.initial_state()
    notes = CardMemory(rules.match.seats)
    views = []
    while rules.span(state) <= hands and not isinstance(node := rules.node(state), Terminal):
        if isinstance(node, Chance):
            step = rules.resolve(state, dice.outcome(node.draw))
        else:
            assert isinstance(node, Decision)
            view = rules.observe(state, node.seat)
            if node.seat == me:
                known = CardMemory(rules.match.seats)
                known.discard = Counter(notes.discard)
                known.held = [Counter(hand) for hand in notes.held]
                views.append((view, known))
            step = rules.apply(state, rules.suggest(view))
        state = step.state
        notes.note_all(
            [rules.event_to_json(event, PUBLIC) for event in step.events], rules.observe(state, PUBLIC).top
        )
    return rules, views


@pytest.mark.parametrize(("seats", "seed"), [(2, "walk"), (4, "walk"), (3, "1"), (2, "2")])
def test_every_deal_agrees_with_what_the_seat_sees_and_was_shown(seats: int, seed: str) -> None:
    """At every decision of whole hands: all 78 cards are there, known ones where they are known, others anywhere."""
    rules, views = watched(seats, seed, 2)
    poor = 0
    for view, notes in views:
        deals = Deals(rules, view, notes, seed)
        worlds = [deals.world(FastRandom(str(number))) for number in range(4)]
        poor += len({world.hands for world in worlds}) == 1
        for world in worlds:
            assert rules.observe(world, rules.setup.seats[0]) == view
            cards = Counter(kind for hand in world.hands for kind in hand)
            cards.update([*world.supply, *world.discard, *cards_on(world.table)])
            assert tuple(cards[kind] for kind in range(len(COPIES))) == COPIES
            for seat, known in enumerate(notes.held):
                for kind, number in known.items():
                    assert seat == 0 or world.hands[seat].count(kind) >= number
    assert poor <= len(views) // 10, "nearly always the unknown is dealt in several ways"


def test_what_the_others_hold_changes_nothing_and_a_seed_says_everything() -> None:
    """The unseen dealt again gives the same view, so the same values; another seed gives other values."""
    rules, views = watched(3, "walk", 2)
    view, notes = views[20]
    weighed = weigh(rules, view, notes, "seed", 40)
    assert len(weighed) > 1
    for world in rules.worlds(view)[:3]:
        assert weigh(rules, rules.observe(world, rules.setup.seats[0]), notes, "seed", 40) == weighed
    other = weigh(rules, view, notes, "another", 40)
    assert {action for _, action in other} == {action for _, action in weighed}
    assert [value for value, _ in other] != [value for value, _ in weighed]


def test_choices_are_compared_in_the_same_deals_as_often_as_was_asked() -> None:
    asked: list[tuple[Any, int]] = []

    def value(choice: Any, deal: int) -> float:
        asked.append((choice, deal))
        return float(choice == Discard(4))

    rules, view = playing()
    choices = [action for action in rules.legal_actions(view) if isinstance(action, Discard)]
    assert len(choices) == 4
    weighed = halved(choices, 64, value)
    assert weighed[0][1] == Discard(4)
    assert {action for _, action in weighed} == set(choices)
    assert 48 <= len(asked) <= 64
    count = Counter(asked)
    assert set(count.values()) == {1}
    deals = [{deal for choice, deal in asked if choice == each} for each in (choices[0], weighed[0][1])]
    assert deals[0] == deals[1], "home stays in to the end"


def test_the_own_suggestion_is_left_only_where_the_deals_speak_against_it() -> None:
    """A difference of luck, now this way and now that, leaves home first, and nothing is called better than it."""
    rules, view = playing()
    choices = [action for action in rules.legal_actions(view) if isinstance(action, Discard)][:2]
    weighed = halved(choices, 40, lambda choice, deal: (choice == choices[1]) * ((-1.0) ** deal + 0.01))
    assert weighed[0][1] == choices[0]
    assert weighed[0][0] == max(value for value, _ in weighed)
    weighed = halved(choices, 40, lambda choice, deal: (choice == choices[1]) * (1.0 + deal % 2))
    assert weighed[0][1] == choices[1]


def playing() -> tuple[Any, Any]:
    """Anna holds four kinds of cards that she can only discard."""
    cards = ["belle-starr", "jesse-james", "bob-dalton", "wes-hardin"]
    rules, state = position(phase="play", hands={"anna": cards, "burt": ["jesse-james"] * 4}, supply=60)
    return rules, rules.observe(state, Seat("anna"))


def test_the_quick_form_plays_a_hand_on_as_the_rules_suggest() -> None:
    """What is left of a hand is worth about the same, played on by the one or by the other, in the same deals."""
    rules, views = watched(2, "walk", 1)
    view, notes = views[12]
    choice, numbers = rules.suggest(view), range(60)
    quick, slow = (
        [deals.value(choice, number) for number in numbers]
        for deals in (Deals(rules, view, notes, "on"), MoveByMove(rules, view, notes, "on"))
    )
    error = sqrt(sum((first - other) ** 2 for first, other in zip(quick, slow, strict=True))) / len(numbers)
    assert abs(sum(quick) - sum(slow)) / len(numbers) < 3 * error
    assert len({round(value, 3) for value in quick}) > 10


class MoveByMove(Deals):
    """Everybody plays the rules' own suggestions until the hand ends, by the engine."""

    def _played_on(self, state: Any, chance: FastRandom) -> list[float]:
        rules, span = self._rules, self._rules.span(state)
        while rules.span(state) == span and not isinstance(node := rules.node(state), Terminal):
            if isinstance(node, Chance):
                order = list(range(len(node.draw.cards)))  # type: ignore[union-attr]
                chance.shuffle(order)
                state = rules.resolve(state, tuple(order)).state
            else:
                state = rules.apply(state, rules.suggest(rules.observe(state, node.seat))).state
        return [dollars / 1000 for dollars in state.money]


def test_it_ends_a_hand_that_wins_the_match() -> None:
    rules, state = position(
        phase="play",
        opened=["belle-starr", "jesse-james"],
        hands={"anna": ["belle-starr", "wes-hardin"], "burt": ["bob-dalton"] * 4},
        supply=65,
        discard=["sundance-kid"],
        territories={"anna": {"jesse-james": {"outlaws": 5, "photo": True}}},
        posters={"jesse-james": 26000},
    )
    view = rules.observe(state, Seat("anna"))
    weighed = weigh(rules, view, CardMemory(rules.match.seats), "end", 120)
    assert rules.action_to_json(weighed[0][1]) == {"do": "lay", "outlaw": "belle-starr", "count": 1}
    assert weighed[0][0] == 13, "a match won for certain, in the dollars of its beginning"
    assert weighed[1][0] < 13, "the other choices let Burt play on"
