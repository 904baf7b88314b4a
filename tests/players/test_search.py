"""The search: only what the seat can know, the same again by its seed, and two ends of a hand."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.game import Seat
from pbem.players import LEVELS, Player, player_for
from pbem.players.chance import Chance
from pbem.players.player import EarpPlayer, Level
from pbem.players.search import EarpModel, SearchPlayer, Tree, WestModel
from tests.players.test_players import position, walk

FEW = Level("few", 4, 0.0, 20)


def searching(game: str, seats: int, decisions: int) -> tuple[Any, Player, list[Any]]:
    """A match by suggestions; the first seat's searching player has heard it all, and its views."""
    return walk(game, seats, decisions, FEW)


@pytest.mark.parametrize("seats", [2, 4])
def test_every_imagined_world_agrees_with_what_the_seat_sees_and_was_shown(seats: int) -> None:
    rules, player, views = searching("wyatt-earp", seats, 24)
    assert isinstance(player, SearchPlayer)
    quick, me = player.quick, rules.setup.seats[0]
    assert isinstance(quick, EarpPlayer)
    view, notes = views[-1], quick.notes
    worlds = [EarpModel(quick).world(view, Chance(str(number))) for number in range(30)]
    assert len({world.hands for world in worlds}) > 20
    known = [(seat, kind) for seat, held in enumerate(notes.held) for kind in held if held[kind] and seat]
    for world in worlds:
        assert rules.observe(world, me) == view
        for seat, kind in known:
            assert world.hands[seat] >> 4 * kind & 15 >= min(notes.held[seat][kind], view.sizes[seat])


@pytest.mark.parametrize(("game", "seats", "decisions"), [("wyatt-earp", 3, 20), ("way-out-west", 3, 6)])
def test_what_the_others_hold_changes_nothing_and_a_seed_says_everything(
    game: str, seats: int, decisions: int
) -> None:
    """The unseen dealt anew gives the same view, so the same values; another seed gives other values."""
    rules, player, views = searching(game, seats, decisions)
    view, me = views[-1], rules.setup.seats[0]
    told = player.weigh(view)
    assert len(told) > 1
    for world in rules.worlds(view)[:3]:
        assert player.weigh(rules.observe(world, me)) == told
    for one in told:
        rules.check(view, one.action)
    assert [one.value for one in told] == sorted((one.value for one in told), reverse=True)
    assert isinstance(player, SearchPlayer)
    other = SearchPlayer(player.quick, "another", FEW).weigh(view)
    assert {str(one.action) for one in other} == {str(one.action) for one in told}
    assert [one.value for one in other] != [one.value for one in told]


def test_it_takes_as_many_passes_as_it_was_given() -> None:
    rules, player, views = searching("wyatt-earp", 2, 12)
    assert isinstance(player, SearchPlayer)
    assert isinstance(player.quick, EarpPlayer)
    tree = Tree(EarpModel(player.quick), views[-1], "count")
    choices = list(rules.legal_actions(views[-1]))[:4]
    found = tree.weigh(choices, 64)
    assert 48 <= tree.passes <= 64
    assert {action for _, action in found} == set(choices)


def test_it_ends_a_hand_that_wins_the_match() -> None:
    """By passes alone: the judgement's order is not asked."""
    rules, state = position(
        phase="play",
        opened=["belle-starr", "jesse-james"],
        hands={"anna": ["belle-starr", "wes-hardin"], "burt": ["bob-dalton"] * 4},
        discard=["sundance-kid"],
        territories={"anna": {"jesse-james": {"outlaws": 5, "photo": True}}},
        posters={"jesse-james": 26000},
    )
    view = rules.observe(state, Seat("anna"))
    quick = player_for(rules, "end", LEVELS[2])
    assert isinstance(quick, EarpPlayer)
    found = Tree(EarpModel(quick), view, "end").weigh(list(rules.legal_actions(view)), 120)
    assert rules.action_to_json(found[0][1]) == {"do": "lay", "outlaw": "belle-starr", "count": 1}
    assert found[0][0] > found[1][0] + 1, "the other choices let Burt play on"


def test_the_turn_of_way_out_west_is_played_on_by_everybody() -> None:
    _, player, views = searching("way-out-west", 3, 8)
    assert isinstance(player, SearchPlayer)
    model = WestModel(player.rules)
    view = views[-1]
    values = model.values(model.world(view, Chance("west")), ended=False)
    assert len(values) == 3
    found = Tree(model, view, "west").weigh(list(model.moves(view)), 6)
    assert found[0][0] != values[0]
