"""Computer players: no match without end, no choice by what the seat cannot know, a few choices anybody would make."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pbem.bots import LEVELS, STRONG, ComputerPlayer, Level, player_for
from pbem.bots.west import endings
from pbem.game import PUBLIC, Chance, Decision, JsonObject, Seat, Terminal
from pbem.games.way_out_west.odds import odds
from pbem.games.wyatt_earp.counting import CardMemory
from tests.bench.strength import CHEAP, LONGEST, MAKERS, ends, mixed, rules_for
from tests.conformance.keyed import Keyed

HAND: JsonObject = {
    "phase": "draw",
    "active": "anna",
    "dealer": "burt",
    "hands": {"anna": ["jesse-james", "jesse-james"], "burt": ["jesse-james", "jesse-james"]},
    "discard": ["jesse-james", "photo:belle-starr"],
    "territories": {},
}


def position(**more: Any) -> tuple[Any, Any]:
    rules = rules_for("wyatt-earp", 2)
    return rules, rules.position_from_json({**HAND, **more})


def on(rules: Any, state: Any, kinds: dict[Seat, str], limit: int) -> int:
    """Play on until the hand ends; how many decisions that took."""
    players = {seat: MAKERS[kind](rules, "loop") for seat, kind in kinds.items()}
    dice, count, span = Keyed("loop"), 0, rules.span(state)
    while not isinstance(node := rules.node(state), Terminal) and rules.span(state) == span:
        if isinstance(node, Chance):
            step = rules.resolve(state, dice.outcome(node.draw))
        else:
            assert isinstance(node, Decision)
            step = rules.apply(state, players[node.seat].choose(rules.observe(state, node.seat)))
            count += 1
        state = step.state
        for player in players.values():
            player.follow(
                [rules.event_to_json(event, PUBLIC) for event in step.events], rules.observe(state, PUBLIC)
            )
        if count > limit:
            break
    return count


def test_two_hands_that_wait_for_the_same_card_do_not_wait_for_ever() -> None:
    """Both hold [X, X], X lies on top: the rules' own suggestion goes round and round, as it always did."""
    rules, state = position()
    anna, burt = map(Seat, ("anna", "burt"))
    assert on(rules, state, {anna: "suggest", burt: "suggest"}, 400) > 400
    for kinds in (
        {anna: "easy", burt: "suggest"},
        {anna: "suggest", burt: "easy"},
        {anna: "easy", burt: "easy"},
    ):
        assert on(rules, state, kinds, 400) < 400


@pytest.mark.parametrize("part", range(4))
def test_no_match_of_any_mix_passes_twice_the_longest_of_people(part: int) -> None:
    """200 of the cheapest players; 20,000 of all: ``python -m tests.bench.strength --mixed 20000 --log FILE``."""
    for number in range(50 * part, 50 * part + 50):
        result = mixed(number, CHEAP)
        assert result.finished, number
        assert result.decisions <= 2 * LONGEST[result.game], number


def test_a_log_of_mixed_matches_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """What is in it is not played again, and its sum says what ran."""
    log = tmp_path / "mixed.jsonl"
    line = {"from": 0, "to": 19_999, "unfinished": [7], "seconds": 60.0}
    log.write_text(json.dumps(line) + "\n")
    end = ends(20_000, 10, log)
    assert end.startswith("1 unfinished of 20000 mixed matches; 1 minutes")
    last = json.loads(log.read_text().splitlines()[-1])
    assert (last["from"], last["to"], last["unfinished"]) == (19_999, 20_000, [])
    assert ends(20_000, 10, log) == end


def walk(
    game: str, seats: int, decisions: int, level: Level = STRONG
) -> tuple[Any, ComputerPlayer, list[Any]]:
    """A match by suggestions; the first seat's player has received every event, and its views."""
    rules = rules_for(game, seats)
    me, dice, state = rules.setup.seats[0], Keyed("walk"), rules.initial_state()
    views: list[Any] = []
    player = player_for(rules, "walk", level)
    while len(views) < decisions:
        node = rules.node(state)
        if isinstance(node, Chance):
            step = rules.resolve(state, dice.outcome(node.draw))
        else:
            assert isinstance(node, Decision)
            view = rules.observe(state, node.seat)
            if node.seat == me:
                views.append(view)
            step = rules.apply(state, rules.suggest(view))
        state = step.state
        if len(views) < decisions:
            events = [rules.event_to_json(event, PUBLIC) for event in step.events]
            player.follow(events, rules.observe(state, PUBLIC))
    return rules, player, views


@pytest.mark.parametrize(("game", "seats"), [("wyatt-earp", 4), ("way-out-west", 3)])
def test_choices_are_legal_and_follow_from_the_seed(game: str, seats: int) -> None:
    rules, player, views = walk(game, seats, 12)
    for view in views[-3:]:
        weighed = player.weigh(view)
        assert weighed == player.weigh(view)
        for candidate in weighed:
            rules.check(view, candidate.action)
        assert [candidate.value for candidate in weighed] == sorted(
            (candidate.value for candidate in weighed), reverse=True
        )


def test_what_the_others_hold_changes_nothing() -> None:
    """The unseen cards dealt again: the same view, so the same values."""
    rules, player, views = walk("wyatt-earp", 3, 20)
    weighed = player.weigh(views[-1])
    me = rules.setup.seats[0]
    worlds = rules.worlds(views[-1])
    assert len({str(world.hands) for world in worlds}) > 3
    for world in worlds[:5]:
        assert player.weigh(rules.observe(world, me)) == weighed


def test_cards_that_everybody_saw_are_counted() -> None:
    notes = CardMemory(("anna", "burt"))
    for event in (
        {"event": "discarded", "seat": "anna", "card": "jesse-james", "why": "turn"},
        {"event": "drew", "seat": "burt", "from": "discard", "count": 1, "card": "jesse-james"},
        {"event": "shot", "seat": "burt", "card": "hideout", "hit": False},
    ):
        notes.note(event)
    assert notes.discard.total() == 1
    assert notes.held[1].total() == 1
    notes.note({"event": "laid", "seat": "burt", "outlaw": "jesse-james", "count": 3, "reward": 2000})
    assert notes.held[1].total() == 0
    notes.note({"event": "reshuffled", "cards": 1})
    assert notes.discard.total() == 0


def test_it_does_not_end_a_hand_that_it_loses() -> None:
    """Anna could lay two and go out; Burt would take everything, and the match with it."""
    group = {"outlaws": 6, "photo": True}
    rules, state = position(
        phase="play",
        hands={"anna": ["belle-starr", "belle-starr", "wes-hardin"], "burt": ["bob-dalton"] * 4},
        opened=["belle-starr", "jesse-james"],
        territories={"burt": {"jesse-james": group}},
        posters={"jesse-james": 9000, "belle-starr": 1000},
        supply=63,
        money={"burt": 17000},
        discard=["sundance-kid"],
    )
    view = rules.observe(state, Seat("anna"))
    weighed = player_for(rules, "end", STRONG).weigh(view)
    values = {str(rules.action_to_json(candidate.action)): candidate.value for candidate in weighed}
    assert rules.action_to_json(weighed[0].action) != {"do": "lay", "outlaw": "belle-starr", "count": 2}, (
        values
    )


@pytest.mark.parametrize(("attack", "defence"), [(1, 1), (3, 2), (2, 4), (4, 4)])
def test_the_ways_a_fight_ends_agree_with_its_odds(attack: int, defence: int) -> None:
    side = "both" if attack == defence else "attack" if attack < defence else "defence"
    chances = endings(attack, defence, side)
    assert sum(chances.values()) == pytest.approx(1)
    won = sum(chance for (mine, _), chance in chances.items() if mine)
    assert won == pytest.approx(float(odds(attack, defence).attack))


def test_levels_go_from_weak_to_strong() -> None:
    assert [level.noise for level in LEVELS] == sorted((level.noise for level in LEVELS), reverse=True)
    assert STRONG.noise == 0
