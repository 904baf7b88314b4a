"""Refusals: the list of legal actions and the check agree on every action there is, and name known rows."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from pbem.game import IllegalAction, JsonObject, MalformedAction, Seat
from pbem.games.wyatt_earp.actions import React
from pbem.games.wyatt_earp.deck import NAMES, OUTLAW_NAMES
from tests.conformance.keyed import Keyed
from tests.games.wyatt_earp.refusing import ROWS, in_order, refused, rows_against, targeted, universe
from tests.games.wyatt_earp.table import SEATS, any_options, at_random, decisions, rules_for

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios" / "wyatt-earp"


@pytest.mark.parametrize("number", range(16))
def test_what_is_not_in_the_list_is_refused_and_changes_nothing(number: int) -> None:
    keyed = Keyed(f"refusals {number}")
    rules = rules_for(2 + number % 3, **(any_options(keyed) if number > 3 else {}))
    everything = [rules.action_from_json(obj, bulk=True) for obj in universe(rules.match.count)]
    for state, _ in list(decisions(rules, keyed, at_random(keyed)))[number % 7 :: 7][:60]:
        before = rules.position_to_json(state)
        legal = set(rules.legal(state))
        for action in everything:
            assert (action in legal) != refused(rules, state, action), (before, action)
        assert rules.position_to_json(state) == before


@pytest.mark.parametrize("number", range(8))
def test_a_named_target_is_legal_just_where_the_question_would_offer_it(number: int) -> None:
    """Rows: I9, I7, L3, N1, N5, M15, O12."""
    keyed = Keyed(f"named {number}")
    rules = rules_for(3, hideout_target="any" if number % 2 else "opponent")
    before_shot = rules_for(3, shot_target="before_shot", hideout_target="any" if number % 2 else "opponent")
    everything = [rules.action_from_json(obj, bulk=True) for obj in targeted(3)]
    for state, _ in list(decisions(rules, keyed, at_random(keyed)))[::5][:80]:
        offered = set(before_shot.legal(state))
        for action in everything:
            assert (action in offered) != refused(rules, state, action), action


def test_the_same_rules_refuse_whoever_else_acts() -> None:
    """A seat that is not asked has no legal action, and is refused by row. Rows: B8, F1, O13."""
    keyed = Keyed("others")
    rules = rules_for(3)
    for state, seat in list(decisions(rules, keyed, at_random(keyed)))[::9]:
        for other in rules.setup.seats:
            if other == seat:
                continue
            view = rules.observe(state, other)
            for obj in universe(3)[::11]:
                with pytest.raises(IllegalAction) as caught:
                    rules.check(view, rules.action_from_json(obj, bulk=True))
                assert set(caught.value.rules) <= ROWS


@pytest.mark.parametrize("file", sorted(SCENARIOS.glob("*.json")), ids=lambda file: str(file.stem))
def test_what_is_not_in_the_list_is_refused_where_scenarios_begin(file: Path) -> None:
    """Scenarios ask the check alone; here the list answers, too, at all their borders."""
    for load in json.loads(file.read_text(encoding="utf-8")):
        names = tuple(map(Seat, load["seats"]))
        if names != SEATS[: len(names)]:
            continue
        rules = rules_for(len(names), **load.get("options", {}))
        state = rules.position_from_json(load.get("position", {}))
        before_shot = rules.match.options.shot_target == "before_shot"
        everything = universe(len(names)) + (targeted(len(names)) if before_shot else ())
        allowed = [
            action for action in map(rules.action_from_json, everything) if not refused(rules, state, action)
        ]
        assert set(rules.legal(state)) == set(allowed), load["title"]


@pytest.mark.parametrize("opened", [False, True])
@pytest.mark.parametrize("count", range(1, 8))
@pytest.mark.parametrize("other", [0, 1])
def test_what_may_be_laid_of_so_many_cards(count: int, other: int, opened: bool) -> None:
    """Rows: D4, D5, E4. A set of three or more, later any number; one card must be left to discard."""
    rules = rules_for(2)
    for outlaw in OUTLAW_NAMES:
        position: JsonObject = {
            "phase": "play",
            "opened": [outlaw] if opened else [],
            "hands": {"anna": [outlaw] * count + ["hideout"] * other, "burt": 2},
        }
        state = rules.position_from_json(position)
        laid = [action for action in map(rules.action_to_json, rules.legal(state)) if action["do"] == "lay"]
        numbers = range(1 if opened else 3, count + other)
        assert laid == [{"do": "lay", "outlaw": outlaw, "count": number} for number in numbers]
        for number in numbers:
            after = rules.apply(state, rules.action_from_json({**laid[0], "count": number})).state
            left = rules.position_to_json(after)["hands"]["anna"]
            assert sorted(left) == sorted([outlaw] * (count - number) + ["hideout"] * other)


GROUPS: list[JsonObject] = [
    {"outlaws": 1},
    {"photo": True},
    {"outlaws": 1, "hideout": True},
    {"photo": True, "hideout": True},
    {"outlaws": 2, "fastest-gun": 1},
    {"photo": True, "bank-robbery": 1, "fastest-gun": 1, "hideout": True},
]


@pytest.mark.parametrize("hideout_target", ["opponent", "any"])
@pytest.mark.parametrize("group", GROUPS, ids=" ".join)
def test_what_may_be_played_on_the_one_group_that_lies_there(group: JsonObject, hideout_target: str) -> None:
    """Rows: I7, J4, J5, J6, L3, M10, M11, M15, N1, N5, O12, hideout_target=any. Whosever and of whom it is."""
    rules = rules_for(3, hideout_target=hideout_target)
    hand = ["bank-robbery", "stagecoach-robbery", "fastest-gun", "most-wanted", "hideout", "wyatt-earp"]
    for active in SEATS[:3]:
        for owner, outlaw in itertools.product(SEATS[:3], OUTLAW_NAMES):
            own = owner == active
            expected = {
                "bank-robbery": own,
                "stagecoach-robbery": own,
                "fastest-gun": own and "fastest-gun" not in group,
                "most-wanted": not own and "outlaws" in group,
                "hideout": "hideout" not in group and (not own or hideout_target == "any"),
                "wyatt-earp": own and "hideout" in group,
            }
            position: JsonObject = {
                "phase": "play",
                "active": active,
                "hands": {active: hand},
                "territories": {owner: {outlaw: group}},
                "supply": 9,
            }
            offered = map(rules.action_to_json, rules.legal(rules.position_from_json(position)))
            shots = [
                action["do"]
                for action in offered
                if set(action) <= {"do", "steal"} or "remove" in action.get("mode", "")
            ]
            assert shots == [card for card in sorted(expected) if expected[card]], position


@pytest.mark.parametrize("shot_no_supply", ["illegal", "hand_ends"])
@pytest.mark.parametrize(
    ("supply", "discard", "reshuffled", "shots", "earp"),
    [
        (1, 0, True, True, True),
        (1, 0, False, True, True),
        (0, 1, False, True, True),
        (0, 0, False, False, True),
        (0, 2, True, False, False),
        (0, 0, True, False, False),
    ],
)
def test_the_shots_offered_follow_from_the_cards_there_are(
    supply: int, discard: int, reshuffled: bool, shots: bool, earp: bool, shot_no_supply: str
) -> None:
    """Rows: I14, I15, O1, shot_no_supply=hand_ends. A Wyatt Earp is itself something to reshuffle."""
    rules = rules_for(2, shot_no_supply=shot_no_supply)
    cards = ["bank-robbery", "fastest-gun", "hideout", "most-wanted", "stagecoach-robbery"]
    position: JsonObject = {
        "phase": "play",
        "reshuffled": reshuffled,
        "hands": {"anna": [*cards, "wyatt-earp"], "burt": 2},
        "territories": {
            "anna": {"wes-hardin": {"outlaws": 3, "hideout": True}},
            "burt": {"wes-hardin": {"outlaws": 3}},
        },
        "supply": supply,
        "discard": discard,
    }
    listed = list(map(rules.action_to_json, rules.legal(rules.position_from_json(position))))
    offered = [action["do"] for action in listed if action["do"] in cards and "ask" not in action]
    always = shot_no_supply == "hand_ends"
    assert offered == (cards if shots or always else [])
    assert ({"do": "wyatt-earp", "mode": "remove-hideout"} in listed) is (earp or always)


@pytest.mark.parametrize(
    ("group", "rows"),
    [
        ({}, {"M10", "M17"}),
        ({"photo": True}, {"M10", "M17", "J5"}),
        ({"photo": True, "bank-robbery": 1, "hideout": True}, {"M10", "M17", "J5"}),
    ],
)
def test_a_theft_where_no_outlaw_card_lies_is_refused(group: JsonObject, rows: set[str]) -> None:
    """Rows: J5, M10, M17. That a Photo cannot be stolen is said only where there is one."""
    rules = rules_for(2)
    position: JsonObject = {
        "phase": "play",
        "hands": {"anna": ["most-wanted", "bob-dalton"], "burt": 2},
        "territories": {"burt": {"belle-starr": {"outlaws": 3}, "wes-hardin": group}},
        "supply": 9,
    }
    theft: JsonObject = {"do": "most-wanted", "steal": True, "outlaw": "wes-hardin", "seat": "burt"}
    assert set(rows_against(rules, rules.position_from_json(position), theft)) == rows


@pytest.mark.parametrize(
    ("active", "table", "covered"),
    [
        ("anna", {}, False),
        ("anna", {"anna": {"belle-starr": {"outlaws": 3}}}, False),
        ("anna", {"anna": {"belle-starr": {"outlaws": 3, "hideout": True}}}, False),
        ("anna", {"anna": {"wes-hardin": {"outlaws": 3, "hideout": True}}}, False),
        ("anna", {"burt": {"wes-hardin": {"outlaws": 3, "hideout": True}}}, True),
        ("anna", {"burt": {"belle-starr": {"photo": True, "hideout": True}}}, True),
        ("anna", {"dora": {"wes-hardin": {"photo": True, "hideout": True}}}, True),
        ("burt", {"burt": {"belle-starr": {"outlaws": 3, "hideout": True}}}, False),
        ("burt", {"burt": {"wes-hardin": {"outlaws": 3, "hideout": True}}}, False),
        ("burt", {"anna": {"wes-hardin": {"outlaws": 3, "hideout": True}}}, True),
        ("burt", {"curt": {"belle-starr": {"outlaws": 3, "hideout": True}}}, True),
    ],
)
def test_a_hideout_without_a_group_is_refused_for_covered_ones_only_if_there_are(
    active: str, table: JsonObject, covered: bool
) -> None:
    """Rows: I8, N1, N5."""
    rules = rules_for(4)
    position: JsonObject = {
        "phase": "play",
        "active": active,
        "hands": {active: ["hideout", "bob-dalton"]},
        "territories": table,
        "supply": 9,
    }
    rows = rows_against(rules, rules.position_from_json(position), {"do": "hideout"})
    assert {"N1", "I8"} <= set(rows)
    assert ("N5" in rows) is covered


def test_a_refusal_names_every_row_that_is_broken() -> None:
    """Rows: I1, L3, E4, I15."""
    rules = rules_for(2)
    state = rules.position_from_json(
        {
            "phase": "play",
            "sheriff_played": True,
            "reshuffled": True,
            "hands": {"anna": ["fastest-gun"], "burt": 2},
            "territories": {"anna": {"jesse-james": {"outlaws": 3, "fastest-gun": 1}}},
        }
    )
    with pytest.raises(IllegalAction) as caught:
        rules.apply(state, rules.action_from_json({"do": "fastest-gun", "on": "jesse-james"}))
    assert {"I1", "L3", "I8", "E4", "E5", "I15"} <= set(caught.value.rules)


@pytest.mark.parametrize(
    "action",
    [
        {"do": "most-wanted", "ask": "bob-dalton", "direction": "clockwise", "order": ["burt", "curt"]},
        {"do": "most-wanted", "steal": True, "outlaw": "bob-dalton", "seat": "curt"},
        {"do": "hideout", "on": "bob-dalton", "seat": "curt"},
        {"do": "choose", "on": "bob-dalton", "seat": "curt"},
    ],
    ids=in_order,
)
def test_a_seat_is_one_of_the_match(action: JsonObject) -> None:
    """Rows: A1."""
    assert rules_for(3).action_to_json(rules_for(3).action_from_json(action)) == action
    with pytest.raises(MalformedAction, match="curt"):
        rules_for(2).action_from_json(action)


def test_what_is_no_action_is_shown_shortened() -> None:
    with pytest.raises(MalformedAction, match="found text of 200 characters") as caught:
        rules_for(2).action_from_json({"do": "x" * 200})
    assert "xx" not in str(caught.value)


@pytest.mark.parametrize(("opened_test", "named"), [("sticky", False), ("presence", True)])
def test_a_photo_is_refused_by_the_row_of_the_option(opened_test: str, named: bool) -> None:
    """Rows: J1, D8, D6. Only if presence is asked for does D6 forbid it."""
    rules = rules_for(2, opened_test=opened_test)
    hand = ["photo:jesse-james", "belle-starr"]
    state = rules.position_from_json({"phase": "play", "hands": {"anna": hand, "burt": 2}})
    with pytest.raises(IllegalAction) as caught:
        rules.apply(state, rules.action_from_json({"do": "photo", "outlaw": "jesse-james"}))
    assert ("D6" in caught.value.rules) is named
    assert {"J1", "D8"} <= set(caught.value.rules)


@pytest.mark.parametrize(("opened_test", "named"), [("sticky", False), ("presence", True)])
def test_too_small_a_set_is_refused_by_the_row_of_the_option(opened_test: str, named: bool) -> None:
    """Rows: D4, D6, D8. A Photo in the hand does not make up for the third card."""
    rules = rules_for(2, opened_test=opened_test)
    hand = ["belle-starr", "belle-starr", "photo:belle-starr", "bob-dalton", "bob-dalton", "hideout"]
    state = rules.position_from_json({"phase": "play", "hands": {"anna": hand, "burt": 2}})
    for outlaw, photo in (("belle-starr", True), ("bob-dalton", False)):
        rows = rows_against(rules, state, {"do": "lay", "outlaw": outlaw, "count": 2})
        assert "D4" in rows
        assert ("D6" in rows) is named
        assert ("D8" in rows) is photo


@pytest.mark.parametrize("card", NAMES)
@pytest.mark.parametrize("played", [False, True])
def test_every_sheriff_card_that_a_search_found_may_be_played_at_once(card: str, played: bool) -> None:
    """Rows: I1, O7, O8. Found, or else as the first Sheriff card of the turn; never as a second one."""
    rules = rules_for(2)
    kinds = ("bank-robbery", "stagecoach-robbery", "fastest-gun", "most-wanted", "hideout", "wyatt-earp")
    photos = [f"photo:{outlaw}" for outlaw in OUTLAW_NAMES]
    position: JsonObject = {
        "phase": "play",
        "sheriff_played": played,
        "hands": {"anna": [*kinds, *photos, "bob-dalton"], "burt": 2},
        "territories": {
            "anna": {"wes-hardin": {"outlaws": 3}, "bob-dalton": {"outlaws": 3, "hideout": True}},
            "burt": {"jesse-james": {"outlaws": 3}},
        },
        "opened": list(OUTLAW_NAMES),
        "discard": ["jesse-james", "hideout"],
        "supply": 9,
    }
    members = {"found": card} if played else {}
    state = rules.position_from_json({**position, **members})
    offered = [rules.action_to_json(action) for action in rules.legal(state)]
    shown = {f"photo:{action['outlaw']}" if action["do"] == "photo" else action["do"] for action in offered}
    sheriff = set(kinds) | set(photos)
    assert shown & sheriff == ({card} & sheriff if played else sheriff)


@pytest.mark.parametrize("played", [False, True])
@pytest.mark.parametrize("held", [False, True])
def test_after_a_theft_that_missed_the_other_mode_is_refused_by_name(played: bool, held: bool) -> None:
    """Rows: I1, M9."""
    rules = rules_for(2)
    position: JsonObject = {
        "phase": "play",
        "sheriff_played": played,
        "hands": {"anna": ["bob-dalton", "hideout", *["most-wanted"] * held], "burt": 2},
    }
    ask: JsonObject = {"do": "most-wanted", "ask": "bob-dalton", "direction": "clockwise"}
    state = rules.position_from_json(position)
    if held and not played:
        assert rules.apply(state, rules.action_from_json(ask)).reveals
        return
    rows = rows_against(rules, state, ask)
    assert ("M9" in rows) is played
    assert ("I1" in rows) is played
    assert ("M1" in rows) is not held


@pytest.mark.parametrize("card", ["hideout", "bob-dalton"])
def test_before_the_draw_nothing_is_played_and_the_rows_say_no_more(card: str) -> None:
    """Rows: C1."""
    rules = rules_for(2)
    state = rules.position_from_json({"hands": {"anna": [card] * 3, "burt": 2}, "supply": 9})
    lay: JsonObject = {"do": "lay", "outlaw": card, "count": 3}
    play: JsonObject = {"do": card} if card == "hideout" else lay
    for action in (play, {"do": "discard", "card": card}):
        assert rows_against(rules, state, action) == ("C1",)


@pytest.mark.parametrize(
    ("supply", "reshuffled", "barred"), [(0, True, True), (1, True, False), (0, False, False)]
)
@pytest.mark.parametrize("seat", ["anna", "burt"])
def test_a_reaction_out_of_time_is_refused_for_want_of_a_shot_too(
    seat: str, supply: int, reshuffled: bool, barred: bool
) -> None:
    """Rows: O13, O15, O20. Only if no shot is left; alike for who is to play and for who is not.

    The French text names no moment for it (O20): under its profile nothing else is allowed.
    """
    rules = rules_for(2, "french")
    state = rules.position_from_json(
        {
            "phase": "play",
            "supply": supply,
            "reshuffled": reshuffled,
            "hands": {"anna": ["wyatt-earp", "hideout"], "burt": ["wyatt-earp", "hideout"]},
            "discard": ["bob-dalton"],
        }
    )
    with pytest.raises(IllegalAction) as caught:
        rules.check(rules.observe(state, Seat(seat)), React(earp=True))
    assert {"O13", "N9"} <= set(caught.value.rules)
    assert ("O20" in caught.value.rules) is (seat != "anna")
    assert ("O15" in caught.value.rules) is barred


def test_the_first_sheriff_card_of_a_turn_is_not_refused_as_a_second() -> None:
    """Rows: I1, I6. A Sheriff card that the hand does not hold is refused for that, not as a second one."""
    rules = rules_for(2)
    state = rules.position_from_json(
        {"phase": "play", "hands": {"anna": ["belle-starr", "hideout"], "burt": 2}}
    )
    with pytest.raises(IllegalAction) as caught:
        rules.apply(state, rules.action_from_json({"do": "fastest-gun", "on": "jesse-james"}))
    assert "I1" not in caught.value.rules
    assert "I6" not in caught.value.rules


def test_without_a_card_to_turn_nobody_shoots_but_with_a_wyatt_earp_that_is_reshuffled() -> None:
    """Rows: I15, I14, O1, O12. Supply and discard are empty and the reshuffle is to come."""
    rules = rules_for(2)
    state = rules.position_from_json(
        {
            "phase": "play",
            "supply": 0,
            "discard": [],
            "hands": {"anna": ["wyatt-earp", "bank-robbery", "bob-dalton"]},
            "territories": {"anna": {"jesse-james": {"outlaws": 3, "hideout": True}}},
        }
    )
    assert set(rows_against(rules, state, {"do": "bank-robbery"})) == {"I15"}
    listed = [rules.action_to_json(action) for action in rules.legal(state)]
    assert {"do": "wyatt-earp", "mode": "remove-hideout"} in listed
    assert {"do": "bank-robbery"} not in listed
