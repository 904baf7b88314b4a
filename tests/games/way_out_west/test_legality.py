"""Legal actions: the list and the check agree, whatever else is written down is refused and changes nothing."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.game import Decision, IllegalAction, JsonObject, MalformedAction, Seat
from pbem.games.way_out_west.actions import BOX_ACTIONS, Action, Gunfight, MoveCowboys, Pass, sort_key
from pbem.games.way_out_west.listing import can_act
from pbem.games.way_out_west.moves import MoveSets
from pbem.games.way_out_west.rules import WayOutWestRules
from tests.conformance.keyed import Keyed
from tests.games.way_out_west.listed import TOWNS, compare, every_form
from tests.games.way_out_west.table import Moment, any_kind, play, rules_for


def decisions(rules: WayOutWestRules, key: str, every: int) -> Iterator[Moment]:
    moments = [moment for moment in play(rules, Keyed(key), any_kind) if moment.seat is not None]
    yield from moments[::every]
    yield from (moment for moment in moments if moment.before.phase == "gunfight")


@pytest.mark.parametrize("players", [3, 4, 5])
def test_exactly_the_listed_actions_pass_the_check(players: int) -> None:
    rules = rules_for(players)
    forms = [rules.action_from_json(obj, bulk=True) for obj in every_form(rules)]
    for moment in decisions(rules, f"legality {players}", 6):
        assert moment.seat is not None
        view = rules.observe(moment.before, moment.seat)
        legal = rules.legal_actions(view)
        listed = set(legal)
        assert len(listed) == len(legal)
        before = rules.position_to_json(moment.before)
        for form in forms:
            if form in listed:
                rules.check(view, form)
                continue
            with pytest.raises(IllegalAction) as refusal:
                rules.apply(moment.before, form)
            assert refusal.value.rules, form
            assert str(refusal.value)
        assert rules.position_to_json(moment.before) == before
        for action in legal[:: max(1, len(legal) // 60)]:
            rules.apply(moment.before, action)


def test_a_list_of_one_position_says_nothing_about_another() -> None:
    """Rows: C9. The same seat and phase, the same objects, less cash."""
    rules = rules_for(3)
    rich = rules.position_from_json({"cash": {"anna": 20}})
    poor = rich._replace(cash=(0, *rich.cash[1:]))
    bought = next(action for action in rules.legal(rich) if rules.action_to_json(action)["do"] == "cowboys")
    assert rules.apply(rich, bought).events
    with pytest.raises(IllegalAction) as refusal:
        rules.apply(poor, bought)
    assert "C9" in refusal.value.rules


def _without_options(action: Action) -> Action:
    """The action without its optional fields, as the list of legal actions holds it."""
    if isinstance(action, Gunfight):
        return replace(action, plan=None, box=None)
    return replace(action, box=None) if isinstance(action, (*BOX_ACTIONS, Pass)) else action


@pytest.mark.parametrize("players", [3, 5])
def test_the_list_is_in_order_of_canonical_json_and_of_short_forms(players: int) -> None:
    rules = rules_for(players)
    for moment in decisions(rules, f"order {players}", 3):
        assert moment.seat is not None
        legal = rules.legal_actions(rules.observe(moment.before, moment.seat))
        assert [sort_key(action) for action in legal] == sorted(sort_key(action) for action in legal)
        assert all(_without_options(action) == action for action in legal)
        assert any(isinstance(action, Pass) for action in legal) == (moment.before.phase == "actions")


def test_nobody_else_has_legal_actions() -> None:
    """Rows: C2, J6, L16."""
    rules = rules_for(3)
    for moment in decisions(rules, "others", 4):
        for seat in rules.setup.seats:
            if seat != moment.seat:
                view = rules.observe(moment.before, seat)
                assert rules.legal_actions(view) == ()
                with pytest.raises(IllegalAction):
                    rules.check(view, moment.action)  # type: ignore[arg-type]


@settings(deadline=None)
@given(st.lists(st.integers(0, 3), min_size=3, max_size=3), st.integers(1, 3))
def test_move_sets_are_complete(cowboys: list[int], value: int) -> None:
    """Rows: G1, G2."""
    towns = ("a", "b", "c")
    ways = [(a, b) for a in towns for b in towns if a != b]
    expected = set()
    for counts in product(range(value + 1), repeat=len(ways)):
        leaving = {
            town: sum(c for c, (a, _) in zip(counts, ways, strict=True) if a == town) for town in towns
        }
        if 0 < sum(counts) <= value and all(leaving[t] <= cowboys[at] for at, t in enumerate(towns)):
            expected.add(tuple((a, b, c) for c, (a, b) in zip(counts, ways, strict=True) if c))
    moves = MoveSets(towns, tuple(cowboys), value)
    assert {tuple((m.origin, m.to, m.count) for m in action.moves) for action in moves} == expected
    assert len(moves) == len(expected)


@settings(deadline=None)
@given(st.lists(st.integers(0, 12), min_size=4, max_size=4), st.integers(1, 3))
def test_each_way_to_move_is_found_by_its_place(cowboys: list[int], value: int) -> None:
    towns = ("d", "a", "c", "b")
    moves = MoveSets(towns, tuple(cowboys), value)
    ways = list(moves)
    assert [moves[at] for at in range(len(moves))] == ways
    assert all(way in moves for way in (*ways[:2], *ways[-1:]))
    assert not moves.__contains__(Pass())
    assert [sort_key(way) for way in ways] == sorted(sort_key(way) for way in ways)
    assert moves[2:5] == tuple(ways[2:5])
    assert not ways or moves[-1] == ways[-1]
    with pytest.raises(IndexError):
        moves[len(moves)]


def test_counts_of_two_digits_stand_where_their_text_stands() -> None:
    """A board of one's own may let ten cowboys and more move at once."""
    ways = list(MoveSets(("a", "b"), (11, 0), 11))
    assert [sort_key(way) for way in ways] == sorted(sort_key(way) for way in ways)
    assert len(ways) == 11


def test_the_list_and_the_refusals_agree_under_random_options() -> None:
    """A share of the 2,000 positions of ``python -m tests.games.volumes``."""
    listed, refused = compare(240, "random options")
    assert listed > 2_000
    assert refused > 100_000


def test_the_longest_list_there_is_is_made_in_a_moment() -> None:
    """Nine cowboys over five towns, value 4: 10,575 short forms and more; measured, not judged."""
    rules = rules_for(5)
    towns = {town: {"cowboys": {"anna": count}} for town, count in zip(TOWNS, (3, 2, 2, 1, 1), strict=True)}
    state = rules.position_from_json({"towns": towns})
    started = time.perf_counter()
    legal = rules.legal_actions(rules.observe(state, rules.setup.seats[0]))
    assert sum(isinstance(action, MoveCowboys) for action in legal) > 4000
    print(f"{len(legal)} legal actions in {time.perf_counter() - started:.3f} s")


def test_one_action_has_one_spelling() -> None:
    rules = rules_for(3)
    moves = [{"from": "deadwood", "to": "abilene", "count": 1}, {"from": "abilene", "to": "deadwood", "count": 1},
             {"from": "deadwood", "to": "abilene", "count": 2}]  # fmt: skip
    action = rules.action_from_json({"do": "move-cowboys", "moves": moves})
    assert rules.action_to_json(action)["moves"] == [
        {"from": "abilene", "to": "deadwood", "count": 1},
        {"from": "deadwood", "to": "abilene", "count": 3},
    ]
    retreat = rules.action_from_json({"do": "retreat", "to": ["deadwood", "abilene"]})
    assert rules.action_to_json(retreat) == {"do": "retreat", "to": ["abilene", "deadwood"]}
    cattle = rules.action_from_json({"do": "cattle", "towns": ["deadwood", "abilene"]})
    assert rules.action_to_json(cattle)["towns"] == ["deadwood", "abilene"]
    plan = {"retreat_below": 1, "to": ["deadwood", "abilene"]}
    fight = {"do": "gunfight", "town": "kansas-city", "target": {"farmer": True}, "plan": plan}
    assert rules.action_to_json(rules.action_from_json(fight)) == fight


MALFORMED: list[tuple[object, str]] = [
    (None, "expected an object, found null"), ({"do": "fly"}, "place-cowboy"), ({"do": "bid"}, "amount"),
    ({"do": "bid", "amount": True}, "an integer, found true"), ({"do": "bid", "amount": "3"}, "an integer, found text"),
    ({"do": "build", "asset": "saloon", "town": "abilene"}, "saloon"),
    ({"do": "build", "asset": "bank", "town": "tombstone"}, "tombstone"),
    ({"do": "cattle", "towns": "abilene"}, "list"), ({"do": "pass", "box": "nope"}, "nope"),
    ({"do": "move-cowboys", "moves": [3]}, "an object, found a number 3"),
    ({"do": "move-cowboys", "moves": [{"from": "abilene", "to": "deadwood", "count": 0}]}, "at least 1"),
    ({"do": "gunfight", "town": "abilene", "target": {"farmer": False}}, "true"),
    ({"do": "gunfight", "town": "abilene", "target": {"farmer": True}, "plan": {"to": []}}, "retreat_below"),
    ({"do": "gunfight", "town": "abilene", "target": 3}, "object"),
    ({"do": "farmer", "town": "abilene", "replace": "zoe"}, "zoe"), ({"do": "ask-sheriff", "ask": 1}, "true or false"),
    ({"do": "leave-town", "moves": []}, "at least 1 entry"), ({"do": "fire", "at": "anna"}, "unexpected member"),
]  # fmt: skip


@pytest.mark.parametrize(("obj", "message"), MALFORMED)
def test_what_is_no_action_is_refused_in_words(obj: object, message: str) -> None:
    with pytest.raises(MalformedAction, match=message):
        rules_for(3).action_from_json(obj)


def test_every_row_that_forbids_an_action_is_named() -> None:
    """Rows: D2, D3, D6, C9."""
    rules = rules_for(3)
    town = {"kansas-city": {"cattle": {"burt": 5}}}
    state = rules.position_from_json({"towns": town, "cash": {"anna": 0}})
    with pytest.raises(IllegalAction) as refusal:
        rules.apply(state, rules.action_from_json({"do": "cattle", "towns": ["kansas-city"]}))
    assert {"D2", "D3", "D6", "C9"} <= set(refusal.value.rules)


def test_only_fights_may_reveal_and_nothing_is_secret() -> None:
    rules = rules_for(3)
    for moment in play(rules, Keyed("reveals"), any_kind):
        if moment.action is None:
            continue
        assert not rules.is_secret(moment.action)
        assert rules.public_action(moment.action) == rules.action_to_json(moment.action)
        needs_dice = rules.node(moment.after).__class__.__name__ == "Chance"
        assert rules.may_reveal(moment.action) or not needs_dice
        if isinstance(moment.action, BOX_ACTIONS) and not rules.may_reveal(moment.action):
            assert moment.after.fight is None


def test_a_decision_names_the_seat_and_the_phase_of_the_position() -> None:
    rules = rules_for(4)
    for moment in play(rules, Keyed("phases"), any_kind):
        node = rules.node(moment.after)
        if isinstance(node, Decision):
            assert rules.view_to_json(rules.observe(moment.after, node.seat))["waiting"] == {
                "seat": node.seat,
                "phase": moment.after.phase,
            }


def test_who_can_only_move_cowboys_is_asked_and_who_can_do_nothing_is_not() -> None:
    """Rows: C10. Without a box to use there is nothing but to pass, and that is not asked."""
    rules = rules_for(3)
    state = next(moment.after for moment in play(rules, Keyed("last box")) if moment.after.phase == "actions")
    seat = state.active
    assert any(town.cowboys[seat] for town in state.towns)
    moving = [box.id for box in rules.match.boxes if box.kind == "move_cowboys"]
    others = tuple(box.id for box in rules.match.boxes if box.id not in moving)
    only_moving = state._replace(used=others)
    assert can_act(rules.match, only_moving, seat)
    assert not can_act(rules.match, state._replace(used=(*others, *moving)), seat)
    gone = tuple(town._replace(cowboys=(0,) * 3) for town in state.towns)
    assert not can_act(rules.match, only_moving._replace(towns=gone), seat)
    blocking = rules_for(3, box_must_act=False).match
    assert can_act(blocking, only_moving._replace(towns=gone), seat)
    assert not can_act(blocking, state._replace(used=(*others, *moving)), seat)


def test_nothing_is_applied_where_nobody_decides_and_no_dice_are_rolled_where_none_are_needed() -> None:
    rules = rules_for(3)
    state = rules.initial_state()
    with pytest.raises(IllegalAction, match="nobody is to decide now"):
        rules.apply(state, rules.action_from_json({"do": "pass"}))
    with pytest.raises(ValueError, match="no dice are needed now"):
        rules.resolve(rules.resolve(state, (1,)).state, (1,))


@pytest.mark.parametrize(
    ("owner", "seat", "whose"),
    [("own", {}, "one's own"), ("any", {}, "anybody's"), ("any", {"seat": "curt"}, "curt")],
)
def test_whose_cattle_are_missing_is_said(owner: str, seat: JsonObject, whose: str) -> None:
    """Rows: H1, H4."""
    rules = rules_for(3, move_cattle_owner=owner)
    state = rules.position_from_json({})
    move = {"do": "move-cattle", "from": "abilene", "to": "deadwood", **seat}
    with pytest.raises(IllegalAction) as refusal:
        rules.apply(state, rules.action_from_json(move))
    assert str(refusal.value) == f"no cattle counter ({whose}) in abilene"
    assert refusal.value.rules == ("H4", "H1")


def test_robbers_may_leave_together_or_for_different_towns() -> None:
    """Rows: M5. Every way once; nobody stays."""
    rules = rules_for(3)
    town = {"cowboys": {"anna": 2}, "assets": {"bank": "burt", "jail": "curt"}}
    fight = {"town": "abilene", "attacker": "anna", "target": {"asset": "bank"}, "asks": "leave-town"}
    state = rules.position_from_json({"towns": {"abilene": town}, "fight": fight})
    listed = [
        rules.action_to_json(action) for action in rules.legal_actions(rules.observe(state, Seat("anna")))
    ]
    others = sorted({*TOWNS} - {"abilene"})
    assert listed == sorted(
        (
            {"do": "leave-town", "moves": [{"to": to, "count": where.count(to)} for to in sorted({*where})]}
            for where in combinations_with_replacement(others, 2)
        ),
        key=lambda action: json.dumps(action, sort_keys=True, separators=(",", ":")),
    )


FIRING: JsonObject = {
    "towns": {"abilene": {"cowboys": {"anna": 2}, "assets": {"store": "burt", "jail": "curt"}}},
    "fight": {"town": "abilene", "attacker": "anna", "target": {"asset": "store"}, "asks": "fire"},
}
SHERIFF = ("K4", "K9")
UNASKED: list[tuple[JsonObject, JsonObject, str, tuple[str, ...]]] = [
    (
        {},
        {"do": "place-cowboy", "town": "abilene"},
        "this action belongs to the phase setup; this is actions",
        ("A6", "B1"),
    ),
    ({}, {"do": "bid", "amount": 1}, "this action belongs to the phase auction; this is actions", ("B1",)),
    ({}, {"do": "drop-out"}, "this action belongs to the phase auction; this is actions", ("B1",)),
    (
        {"phase": "setup"},
        {"do": "pass"},
        "this action belongs to the phase actions; this is setup",
        ("C2", "B1"),
    ),
    (
        FIRING,
        {"do": "cowboys", "towns": ["abilene"]},
        "this action belongs to the phase actions; this is gunfight",
        ("C2", "B1"),
    ),
    (
        {},
        {"do": "fire"},
        "this action answers a question of a gunfight; the phase is actions",
        ("L10", "L11", "L16"),
    ),
    (
        {},
        {"do": "retreat", "to": []},
        "this action answers a question of a gunfight; the phase is actions",
        ("L10", "L11", "L16"),
    ),
    (
        {"phase": "setup"},
        {"do": "ask-sheriff", "ask": True},
        "this action answers a question of a gunfight; the phase is setup",
        SHERIFF,
    ),
    (
        FIRING,
        {"do": "ask-sheriff", "ask": True},
        "this action answers another question; now it is: fire or retreat",
        SHERIFF,
    ),
    (
        FIRING,
        {"do": "lend-sheriff", "lend": True},
        "this action answers another question; now it is: fire or retreat",
        SHERIFF,
    ),
    (
        FIRING,
        {"do": "take-wanted", "from": "burt"},
        "this action answers another question; now it is: fire or retreat",
        ("M10",),
    ),
    (
        FIRING,
        {"do": "leave-town", "moves": [{"to": "deadwood", "count": 2}]},
        "this action answers another question; now it is: fire or retreat",
        ("M5",),
    ),
]


@pytest.mark.parametrize(
    ("position", "action", "message", "rows"), UNASKED, ids=[message for _, _, message, _ in UNASKED]
)
def test_an_action_that_is_not_asked_for_says_what_is(
    position: JsonObject, action: JsonObject, message: str, rows: tuple[str, ...]
) -> None:
    """Rows: A6, B1, C2, K4, K9, L10, L11, L16, M5, M10."""
    rules = rules_for(3)
    state = rules.position_from_json(position)
    with pytest.raises(IllegalAction) as refusal:
        rules.apply(state, rules.action_from_json(action))
    assert (str(refusal.value), refusal.value.rules) == (message, rows)


def test_one_cowboy_that_leaves_is_shown_in_the_singular() -> None:
    """Rows: L13, M5."""
    rules = rules_for(3)
    alone: JsonObject = {"abilene": {"cowboys": {"anna": 1}, "assets": {"store": "burt", "bank": "burt"}}}
    for fight, action, message in (
        ({**FIRING["fight"]}, {"do": "retreat", "to": []}, "this retreat names 1 town, found 0"),
        (
            {**FIRING["fight"], "target": {"asset": "bank"}, "asks": "leave-town"},
            {"do": "leave-town", "moves": [{"to": "deadwood", "count": 2}]},
            "your cowboy leaves, found 2",
        ),
    ):
        state = rules.position_from_json({"towns": alone, "fight": fight})
        with pytest.raises(IllegalAction) as refusal:
            rules.apply(state, rules.action_from_json(action))
        assert str(refusal.value) == message
