"""The search: only what the seat can know, the same again by its seed, and two ends of a hand."""

from __future__ import annotations

from collections import Counter
from math import sqrt
from typing import Any

import pytest

from pbem.bots import LEVELS, ComputerPlayer, player_for
from pbem.bots.chance import FastRandom
from pbem.bots.labels import Level
from pbem.bots.player import EarpPlayer
from pbem.bots.player import quick as quick_player
from pbem.bots.search import EarpModel, SearchPlayer, Tree, WestModel
from pbem.game import PUBLIC, Chance, Decision, Seat, Terminal
from pbem.games.wyatt_earp.deck import COPIES, cards_of_group, kinds_in
from pbem.games.wyatt_earp.deck import held as in_hand
from tests.bench.oracle import ToTheEnd
from tests.bench.strength import rules_for
from tests.bots.test_players import position, walk
from tests.conformance.keyed import Keyed

FEW = Level("few", 4, 0.0, 70)


def imagined(player: ComputerPlayer, view: Any) -> tuple[Any, list[Counter[int]], list[Any]]:
    """What the player knows of the others' hands now, and some worlds."""
    assert isinstance(player, SearchPlayer)
    assert isinstance(player.quick, EarpPlayer)
    model = EarpModel(player.quick)
    held = [Counter(known) for known in player.quick.notes.held]
    return view, held, [model.world(view, FastRandom(str(number))) for number in range(4)]


def searching(game: str, seats: int, decisions: int) -> tuple[Any, ComputerPlayer, list[Any]]:
    """A match by suggestions; the first seat's searching player has received every event, and its views."""
    return walk(game, seats, decisions, FEW)


@pytest.mark.parametrize(("seats", "seed"), [(2, "walk"), (4, "walk"), (3, "1"), (2, "2")])
def test_every_imagined_world_agrees_with_what_the_seat_sees_and_was_shown(seats: int, seed: str) -> None:
    """At every decision of whole hands: all 78 cards are there, known ones where they are known, others anywhere."""
    rules = rules_for("wyatt-earp", seats)
    me, dice, state = rules.setup.seats[0], Keyed(seed), rules.initial_state()
    player = player_for(rules, seed, FEW)
    views = []
    while rules.span(state) < 3 and not isinstance(node := rules.node(state), Terminal):
        if isinstance(node, Chance):
            step = rules.resolve(state, dice.outcome(node.draw))
        else:
            assert isinstance(node, Decision)
            view = rules.observe(state, node.seat)
            if node.seat == me:
                views.append(imagined(player, view))
            step = rules.apply(state, rules.suggest(view))
        state = step.state
        events = [rules.event_to_json(event, PUBLIC) for event in step.events]
        player.follow(events, rules.observe(state, PUBLIC))
    poor = 0
    for view, held, worlds in views:
        assert len(worlds) == 4
        poor += len({world.hands for world in worlds}) == 1
        for world in worlds:
            assert rules.observe(world, rules.setup.seats[0]) == view
            cards = Counter(b"".join(map(kinds_in, world.hands)) + world.supply + world.discard)
            for at, group in enumerate(world.table):
                cards.update(cards_of_group(group, at % 7))
            assert tuple(cards[kind] for kind in range(len(COPIES))) == COPIES
            for seat, known in enumerate(held):
                for kind, number in known.items():
                    assert seat == 0 or in_hand(world.hands[seat], kind) >= number
    assert poor <= len(views) // 10, "nearly always the unknown is dealt in several ways"


@pytest.mark.parametrize(("game", "seats", "decisions"), [("wyatt-earp", 3, 20), ("way-out-west", 3, 6)])
def test_what_the_others_hold_changes_nothing_and_a_seed_says_everything(
    game: str, seats: int, decisions: int
) -> None:
    """The unseen dealt again gives the same view, so the same values; another seed gives other values."""
    rules, player, views = searching(game, seats, decisions)
    view, me = views[-1], rules.setup.seats[0]
    weighed = player.weigh(view)
    assert len(weighed) > 1
    for world in rules.worlds(view)[:3]:
        assert player.weigh(rules.observe(world, me)) == weighed
    for candidate in weighed:
        rules.check(view, candidate.action)
    assert [candidate.value for candidate in weighed] == sorted(
        (candidate.value for candidate in weighed), reverse=True
    )
    assert isinstance(player, SearchPlayer)
    other = SearchPlayer(player.quick, "another", FEW).weigh(view)
    assert {str(candidate.action) for candidate in other} == {str(candidate.action) for candidate in weighed}
    if game == "wyatt-earp":  # in Way Out West everything lies open, and a quiet turn rolls no dice
        assert [candidate.value for candidate in other] != [candidate.value for candidate in weighed]


def test_it_takes_as_many_passes_as_it_was_given() -> None:
    rules, player, views = searching("wyatt-earp", 2, 12)
    assert isinstance(player, SearchPlayer)
    assert isinstance(player.quick, EarpPlayer)
    for flat in (False, True):
        tree = Tree(EarpModel(player.quick), views[-1], "count", flat=flat)
        choices = list(rules.legal_actions(views[-1]))[:4]
        weighed = tree.weigh(choices, 64, choices[-1] if flat else None)
        assert 48 <= tree.passes <= 64
        assert {action for _, action in weighed} == set(choices)


def test_the_quick_rule_plays_a_hand_on_as_the_rules_suggest() -> None:
    """What is left of a hand is worth about the same, played on by the one or by the other, in the same deals."""
    rules, player, views = searching("wyatt-earp", 2, 12)
    assert isinstance(player, SearchPlayer)
    assert isinstance(player.quick, EarpPlayer)
    choice, deals = rules.suggest(views[-1]), range(60)
    quick, slow = (
        [
            Tree(model, views[-1], "on", flat=True).compare([choice], [deal])[choice]
            for model in [kind(player.quick)]
            for deal in deals
        ]
        for kind in (EarpModel, ToTheEnd)
    )
    error = sqrt(sum((first - other) ** 2 for first, other in zip(quick, slow, strict=True))) / len(deals)
    assert abs(sum(quick) - sum(slow)) / len(deals) < 3 * error
    assert len({round(value, 3) for value in quick}) > 10


def test_the_own_suggestion_is_left_only_where_the_passes_speak_against_it() -> None:
    """Two choices that are worth the same: home stays first, whichever it is."""
    rules, player, views = searching("wyatt-earp", 2, 12)
    assert isinstance(player, SearchPlayer)
    assert isinstance(player.quick, EarpPlayer)
    choices = list(rules.legal_actions(views[-1]))[:3]
    for home in choices:
        tree = Tree(EarpModel(player.quick), views[-1], "home", flat=True)
        weighed = tree.weigh(choices, 30, home, doubt=1e9)
        assert weighed[0][1] == home
        assert weighed[0][0] == max(value for value, _ in weighed)


def test_it_ends_a_hand_that_wins_the_match() -> None:
    """By passes alone: the judgement's order is not asked."""
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
    quick = quick_player(rules, "end", LEVELS[2])
    assert isinstance(quick, EarpPlayer)
    weighed = Tree(EarpModel(quick), view, "end").weigh(list(rules.legal_actions(view)), 120)
    assert rules.action_to_json(weighed[0][1]) == {"do": "lay", "outlaw": "belle-starr", "count": 1}
    assert weighed[0][0] > weighed[1][0] + 1, "the other choices let Burt play on"


def test_the_turn_of_way_out_west_is_played_on_by_everybody() -> None:
    _, player, views = searching("way-out-west", 3, 8)
    assert isinstance(player, SearchPlayer)
    model = WestModel(player.rules)
    view = views[-1]
    values = model.values(model.world(view, FastRandom("west")), ended=False)
    assert len(values) == 3
    weighed = Tree(model, view, "west").weigh(list(model.moves(view)), 6)
    assert weighed[0][0] != values[0]
