"""Rules for one turn: what a turn is, what happened in it, and that everybody has the same answer."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.game import Json, JsonObject, MalformedAction, Seat
from pbem.games.ordering import NOW
from pbem.games.way_out_west.rules import WayOutWestRules
from pbem.games.wyatt_earp.rules import WyattEarpRules
from pbem.player.seat.orders import running_turn, still_of_use
from pbem.protocol.record import HostOpenings, Record
from pbem.protocol.record.play import FileAction, OrderInForce, Play, after_events, first_turn
from tests.games.way_out_west.table import rules_for as west
from tests.games.wyatt_earp.table import rules_for as earp
from tests.ordering.playing import THREE, Ordered
from tests.ordering.test_reaction_window import ANNA, table_at
from tests.world import World

JESSE, BELLE = "jesse-james", "belle-starr"
TURN: JsonObject = {"epoch": 3, "number": 4}


def rule(when: str, do: JsonObject, turn: JsonObject | None = None, **facts: Json) -> JsonObject:
    members: JsonObject = {"when": when, "do": do}
    members |= {"turn": turn} if turn else {}
    return {**members, "if": facts} if facts else members


def answer(
    rules: WyattEarpRules | WayOutWestRules, position: JsonObject, now: JsonObject, *given: JsonObject
) -> JsonObject | None:
    rules.check_order({"rules": list(given)})
    state: Any = rules.position_from_json(position)
    node: Any = rules.node(state)
    view: Any = rules.observe(state, node.seat)
    action = rules.order_action(view, {"rules": list(given), NOW: now})
    return None if action is None else rules.action_to_json(action)  # type: ignore[arg-type]


# --- what a turn is ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["wyatt-earp", "way-out-west"])
def test_host_and_players_count_the_same_turns(game: str) -> None:
    match = Ordered(World(game, THREE, seed="turns").start())
    numbers = set()
    while match.files < 25 and match.move():
        record = match.world.record
        mine = running_turn(match.world.copy())
        if mine is not None:
            assert mine == record.table.turn
            numbers.add((mine["epoch"], mine["number"]))
    assert len(numbers) > 2


def test_a_turn_of_wyatt_earp_ends_with_its_discard() -> None:
    rules, turn = earp(3), first_turn(2)
    shot = {"event": "shot", "seat": "anna", "card": JESSE, "hit": True}
    turn = after_events(rules, turn, [shot])
    assert turn == {"epoch": 2, "number": 1, "after": {"anna": "hit"}}
    turn = after_events(rules, turn, [{**shot, "seat": "burt", "hit": False}])
    assert turn["after"] == {"anna": "hit", "burt": "miss"}
    assert after_events(rules, turn, [{"event": "turn-ended", "seat": "anna"}]) == {"epoch": 2, "number": 2}


def test_most_wanted_is_given_or_refused() -> None:
    rules, turn = earp(3), first_turn(1)
    asked = {"event": "asked", "seat": "anna", "outlaw": JESSE, "of": "burt", "has": False}
    refused = after_events(rules, turn, [asked])
    assert refused["after"] == {"anna": "refused"}
    given = {"event": "given", "from": "curt", "to": "anna", "outlaw": JESSE}
    assert after_events(rules, refused, [{**asked, "of": "curt", "has": True}, given])["after"] == {
        "anna": "given"
    }


def test_a_gunfight_is_won_or_lost_until_the_turn_of_the_game_ends() -> None:
    rules, turn = west(3), first_turn(4)
    begun = {"event": "gunfight", "town": "abilene", "attacker": "anna", "defender": "burt"}
    won = {"event": "gunfight-won", "winner": "burt", "loser": "anna"}
    after = after_events(rules, turn, [begun, won])
    assert after == {"epoch": 4, "number": 1, "after": {"anna": "lost", "burt": "won"}}
    both = {"event": "gunfight-won", "winner": "nobody", "loser": "both"}
    assert after_events(rules, turn, [begun, both])["after"] == {"anna": "lost", "burt": "lost"}
    farmer = after_events(rules, turn, [{**begun, "defender": "farmer"}, {**won, "winner": "farmer"}])
    assert farmer["after"] == {"anna": "lost"}
    assert after_events(rules, after, [{"event": "turn-ended", "space": 6}]) == {"epoch": 4, "number": 2}


# --- rules for a turn -------------------------------------------------------------------------------------


PLAY: JsonObject = {"phase": "play", "hands": {"anna": [JESSE] * 3 + ["hideout"], "burt": 2, "curt": 2}}
LAY: JsonObject = {"do": "lay", "any": True}
DROP: JsonObject = {"do": "discard", "first": ["hideout"]}


def test_a_rule_for_a_turn_holds_in_that_turn_alone() -> None:
    rules = earp(3)
    mine = rule("play", LAY, TURN)
    assert answer(rules, PLAY, TURN, mine) == {"do": "lay", "outlaw": JESSE, "count": 3}
    for other in ({"epoch": 3, "number": 5}, {"epoch": 3, "number": 3}, {"epoch": 4, "number": 4}, {}):
        assert answer(rules, PLAY, other, mine) is None


def test_after_a_hit_this_and_after_a_miss_that() -> None:
    rules = earp(3)
    orders = rule("play", LAY, TURN, after="hit"), rule("play", DROP, TURN, after="miss")
    hit: JsonObject = {**TURN, "after": {"anna": "hit"}}
    miss: JsonObject = {**TURN, "after": {"anna": "miss", "burt": "hit"}}
    assert answer(rules, PLAY, hit, *orders) == {"do": "lay", "outlaw": JESSE, "count": 3}
    assert answer(rules, PLAY, miss, *orders) == {"do": "discard", "card": "hideout"}
    assert answer(rules, PLAY, TURN, *orders) is None


def test_after_a_won_gunfight_this() -> None:
    rules = west(3)
    build = {"do": "first-of", "actions": [{"do": "build", "asset": "store", "town": "abilene"}]}
    acting: JsonObject = {"phase": "actions", "tokens": {"anna": 1}}
    won = rule("actions", build, TURN, after="won", tokens=1)
    assert answer(rules, acting, {**TURN, "after": {"anna": "won"}}, won) == build["actions"][0]
    assert answer(rules, acting, {**TURN, "after": {"anna": "lost"}}, won) is None


@pytest.mark.parametrize(("top", "lays"), [("bob-dalton", 1), ("wyatt-earp", 0)], ids=["hit", "miss"])
def test_a_shot_and_what_comes_after_it_travel_in_one_file(top: str, lays: int) -> None:
    """The file holds the shot; the orders that came with it finish the turn, whatever the shot was."""
    start = table_at(
        {
            "phase": "play",
            "hands": {"anna": ["bank-robbery", JESSE, JESSE, JESSE, "hideout"], "burt": 2},
            "territories": {"anna": {BELLE: {"outlaws": 3}}},
            "supply": [top, "bob-dalton"],
            "discard": ["hideout"],
        }
    )
    this = dict(start.turn)
    miss: JsonObject = {"do": "discard", "first": [JESSE]}
    then = [
        rule("play", LAY, this, after="hit"),
        rule("play", miss, this, after="miss"),
        rule("play", DROP, this),
    ]
    play = Play(start, {ANNA: OrderInForce(5, {"rules": then})})
    play.file(ANNA, [FileAction("file", {"do": "bank-robbery", "on": BELLE})])
    done = [(step["by"], step["action"]["do"]) for step in play.steps]
    assert done == [("file", "bank-robbery"), *[("order", "lay")] * lays, ("order", "discard")]


def test_rules_for_a_turn_that_is_over_leave_the_orders() -> None:
    match = Ordered(World("wyatt-earp", THREE, seed="past").start())
    now = running_turn(match.world.copy())
    assert now is not None
    this = {"epoch": now["epoch"], "number": now["number"]}
    later = {**this, "number": this["number"] + 1}
    orders = {"rules": [rule("play", LAY, this), rule("play", LAY, later), rule("play", DROP)]}
    assert still_of_use(match.world.copy(), orders) == orders
    while running_turn(match.world.copy()) == now or (running_turn(match.world.copy()) or {})["number"] == 1:
        assert match.move()
    assert still_of_use(match.world.copy(), orders) == {"rules": orders["rules"][1:]}


def test_a_turn_is_two_numbers_and_nothing_that_only_the_evaluation_adds() -> None:
    for rules in (earp(3), west(3)):
        do = (
            {"do": "draw", "from": "supply"}
            if isinstance(rules, WyattEarpRules)
            else {"do": "bid", "up_to": 1}
        )
        when = "draw" if isinstance(rules, WyattEarpRules) else "bid"
        rules.check_order({"rules": [rule(when, do, TURN)]})
        for turn in (
            5,
            {},
            {"epoch": 1},
            {"epoch": 1, "number": 0},
            {"epoch": 1, "number": True},
            {**TURN, "x": 1},
        ):
            with pytest.raises(MalformedAction):
                rules.check_order({"rules": [{"when": when, "turn": turn, "do": do}]})
        with pytest.raises(MalformedAction):
            rules.check_order({"rules": [], NOW: TURN})


def test_a_match_loaded_again_stands_in_the_same_turn() -> None:
    match = Ordered(World("wyatt-earp", THREE, seed="again").start())
    while match.files < 12 and match.move():
        pass
    world = match.world
    again = Record.load(world.lines, HostOpenings(world.host, world.record.lines[0]))
    assert again.table.turn == world.record.table.turn


# --- rules that are off -----------------------------------------------------------------------------------


def states(
    rules: WyattEarpRules, position: JsonObject, now: JsonObject, *given: JsonObject
) -> list[tuple[str, str]]:
    state = rules.position_from_json(position)
    results = rules.rule_states(rules.observe(state, Seat("anna")), {"rules": list(given), NOW: now})
    return [(result.state, result.why) for result in results]


def test_a_rule_that_fits_but_cannot_be_done_is_off_and_its_owner_learns_why() -> None:
    """Rows: E1, D4."""
    results = states(
        earp(3),
        PLAY,
        TURN,
        rule("draw", {"do": "draw", "from": "supply"}),
        rule("play", LAY, {"epoch": 3, "number": 3}),
        rule("play", LAY, {"epoch": 3, "number": 9}),
        rule("play", LAY, holding=BELLE),
        rule("play", {"do": "discard", "first": [BELLE]}),
        rule("play", {"do": "lay", "outlaw": BELLE, "count": 2}),
        rule("play", {"do": "photo", "best": True}),
        rule("play", LAY),
    )
    assert [state for state, _ in results] == [
        "waits",
        "past",
        "waits",
        "untrue",
        "off",
        "off",
        "off",
        "answers",
    ]
    assert results[3][1] == "holding"
    assert "(E1" in results[4][1]
    assert "D4" in results[5][1]
    assert results[6][1] == "there is nothing of the kind now"


def test_nothing_answers_where_the_seat_is_not_asked() -> None:
    state = earp(3).position_from_json(PLAY)
    view = earp(3).observe(state, Seat("burt"))
    assert [s.state for s in earp(3).rule_states(view, {"rules": [rule("play", LAY)], NOW: TURN})] == [
        "waits"
    ]
