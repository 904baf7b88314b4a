"""Positions as JSON: what is left out, what is kept, and what no table could show, each refused in its own words."""

from __future__ import annotations

from typing import Any

import pytest

from pbem.game import PUBLIC, BadSetup, Json, JsonObject, MalformedAction, Seat
from pbem.games.way_out_west.state import NOBODY, Position
from tests.games.way_out_west.table import rules_for

SEATS = "anna, burt, curt"
TOWNS = "san-antonia, kansas-city, abilene, dodge-city, deadwood"
ASSETS = "stagecoach, train, bank, jail, store, hotel"
COWBOYS: JsonObject = {"anna": 2, "burt": 2}
STORE: JsonObject = {"cowboys": COWBOYS, "assets": {"store": "burt"}}
FIGHT: JsonObject = {
    "town": "abilene",
    "attacker": "anna",
    "target": {"asset": "store"},
    "asks": "fire",
    "seat": "burt",
}


def read(position: Json, players: int = 3) -> Position:
    return rules_for(players).position_from_json(position)


def refusal(position: Json) -> str:
    rules = rules_for(3)
    with pytest.raises(BadSetup) as refused:
        rules.position_from_json(position)
    with pytest.raises(MalformedAction):
        rules.public_from_json(position)
    return str(refused.value)


def fighting(town: JsonObject | None = None, **more: Any) -> JsonObject:
    """A gunfight in Abilene; a member that is None is left out."""
    fight = {name: value for name, value in {**FIGHT, **more}.items() if value is not None}
    return {"towns": {"abilene": STORE if town is None else town}, "fight": fight}


def fight_of(position: JsonObject) -> JsonObject:
    """The fight, read and written again; what was written is read as the same."""
    rules = rules_for(3)
    state = rules.position_from_json(position)
    written = rules.position_to_json(state)
    assert rules.position_from_json(written) == state
    fight: JsonObject = written["fight"]
    return fight


# --- what is left out -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "space", "cash"), [(3, 1, 20), (4, 4, 20), (5, 4, 25)])
def test_an_empty_position_is_the_start_of_an_action_phase(players: int, space: int, cash: int) -> None:
    """Rows: A2, A3, A8, C1."""
    position = read({}, players)
    assert (position.space, position.phase, position.active, position.used) == (space, "actions", 0, ())
    assert position.order == tuple(range(players))
    assert position.cash == (cash,) * players
    assert (position.tokens, position.farmers) == ((2,) * players, (1,) * players)
    assert position.wanted == position.bids == position.jails_lost == (0,) * players
    assert position.dropped == ()
    assert all(town.size == town.corrals_taken == sum(town.cowboys) == 0 for town in position.towns)


def test_a_farmer_on_the_map_is_none_in_stock() -> None:
    """Rows: N4. Unless the position says otherwise."""
    towns = {"abilene": {"farmer": "burt"}, "deadwood": {"farmer": "burt"}, "dodge-city": {"farmer": "curt"}}
    assert read({"towns": towns}).farmers == (1, 0, 0)
    assert read({"towns": towns, "farmers": {"anna": 0, "curt": 1}}).farmers == (0, 0, 1)


@pytest.mark.parametrize(
    ("position", "phase", "active"),
    [
        ({"auction": {"bids": {"anna": 2}}}, "auction", "anna"),
        ({"order": ["curt", "anna", "burt"]}, "actions", "curt"),
        ({"order": ["curt", "anna", "burt"], "auction": {"dropped": ["curt"]}}, "auction", "anna"),
        ({"order": ["curt", "anna", "burt"], "auction": {"dropped": ["curt"]}, "active": "burt"}, "auction", "burt"),
        ({"phase": "setup", "active": "burt"}, "setup", "burt"),
        (fighting(), "gunfight", "anna"),
        ({**fighting(), "active": "curt"}, "gunfight", "curt"),
        ({"phase": "chance"}, "chance", None),
        ({**fighting(rolls="attack"), "phase": "chance"}, "chance", "anna"),
        ({"phase": "over", "active": "anna"}, "over", None),
    ],
    ids=str,
)  # fmt: skip
def test_who_is_active_follows_from_the_phase(position: JsonObject, phase: str, active: str | None) -> None:
    filled = read(position)
    assert filled.phase == phase
    assert filled.active == (NOBODY if active is None else SEATS.split(", ").index(active))


@pytest.mark.parametrize(
    ("given", "filled"),
    [
        ({"seat": "burt"}, {"attack": 2, "defence": 2, "first": "both", "round": 1, "seat": "burt", "sheriff": "none"}),
        ({"asks": "ask-sheriff", "seat": None}, {"seat": "burt", "round": 0, "first": None}),
        ({"asks": "lend-sheriff", "seat": "curt", "first": "anna"}, {"seat": "curt", "round": 0, "first": None}),
        ({"asks": "fire", "seat": None}, {"seat": "anna"}),
        ({"asks": "take-wanted", "seat": None, "round": 3}, {"seat": "anna", "round": 3}),
        ({"attack": 2, "defence": 3}, {"first": "anna"}),
        ({"attack": 2, "defence": 3, "first": "both"}, {"first": "both"}),
        ({"attack": 2, "defence": 3, "first": "burt"}, {"first": "burt"}),
        ({"asks": None, "seat": None, "rolls": "defence"}, {"rolls": "defence", "hits": 0, "asks": None, "seat": None}),
        ({"asks": None, "seat": None, "rolls": "defence", "hits": 2}, {"rolls": "defence", "hits": 2}),
        ({"plan": {"retreat_below": 1, "to": ["deadwood"]}}, {"plan": {"retreat_below": 1, "to": ["deadwood"]}}),
        ({"plan": {"retreat_below": 0, "to": []}}, {"plan": {"retreat_below": 0, "to": []}}),
        ({"left": True}, {"left": True}),
        ({}, {"left": None, "plan": None, "rolls": None, "hits": None}),
        ({"defender": "farmer", "target": {"farmer": True}}, {"defender": "farmer", "attack": 2, "defence": 1}),
        ({"target": {"farmer": True}, "defence": 2, "sheriff": "defence"}, {"defender": "farmer", "first": "both"}),
    ],
    ids=str,
)  # fmt: skip
def test_a_fight_is_kept_and_filled_up(given: JsonObject, filled: JsonObject) -> None:
    """Rows: L1, L2. Strengths are those of the table, the weaker side is first; a table of nobody is left out."""
    fight = fight_of(fighting(STORE | {"farmer": "burt"}, **given))
    assert {name: fight.get(name) for name in filled} == filled


def test_the_target_may_have_changed_hands_when_only_the_wanted_counter_is_missing() -> None:
    """Rows: M12."""
    town = {"cowboys": COWBOYS, "assets": {"store": "anna"}}
    fight = fight_of(fighting(town, defender="burt", asks="take-wanted", seat="anna"))
    assert (fight["attacker"], fight["defender"]) == ("anna", "burt")


@pytest.mark.parametrize(
    ("town", "given"),
    [
        (STORE, {"attack": 2, "defence": 2}),
        (STORE, {"attack": 2, "defence": 3}),
        (STORE, {"attack": 2, "defence": 4, "sheriff": "defence"}),
        (STORE, {"attack": 3, "defence": 2, "sheriff": "attack"}),
        (STORE, {"attack": 2, "defence": 2, "sheriff": "attack"}),
        ({"assets": {"store": "burt"}, "cowboys": {"anna": 1}}, {"attack": 1, "defence": 0}),
        (STORE, {"attack": 9, "defence": 9, "asks": "leave-town", "seat": "anna"}),
        (STORE, {"attack": 9, "defence": 9, "asks": "take-wanted", "seat": "anna"}),
        (STORE, {"attack": 9, "defence": 9, "asks": None, "seat": None, "rolls": "robbery"}),
    ],
    ids=str,
)
def test_strengths_that_the_town_can_hold_are_kept(town: JsonObject, given: JsonObject) -> None:
    """Rows: J7, J9, J10, J11. Losses may have gone as far as they can; after the fight strengths are past."""
    fight = fight_of(fighting(town, **given))
    assert (fight["attack"], fight["defence"]) == (given["attack"], given["defence"])


# --- what cannot be ---------------------------------------------------------------------------------------

STRENGTHS = "position, fight: strengths do not agree with the cowboys in the town (J7 to J15)"

IMPOSSIBLE: list[tuple[Json, str]] = [
    ([], "position: expected an object, found a list of 0"),
    (
        {"pot": 3},
        (
            'position: unexpected member "pot"; known here: space, phase, order, active, '
            "cash, wanted, farmers, tokens, used_boxes, towns, auction, fight, jails_lost, "
            "waiting"
        ),
    ),
    ({"space": 0}, "position, space: expected at least 1, found a number 0"),
    ({"space": "3"}, 'position, space: expected an integer, found text "3"'),
    (
        {"phase": "tea"},
        (
            'position, phase: expected one of "setup", "auction", "actions", "gunfight", '
            '"chance", "over"; found text "tea"'
        ),
    ),
    ({"order": ["anna", "burt"]}, "position: 'order' must name every seat once"),
    (
        {"order": ["anna", "burt", "anna"]},
        ("position, order: expected every entry only once, found a list of 3 with one of them twice"),
    ),
    ({"order": "anna"}, 'position, order: expected a list, found text "anna"'),
    (
        {"order": ["anna", "burt", "zoe"]},
        'position, order 3: expected one of "anna", "burt", "curt"; found text "zoe"',
    ),
    ({"active": "zoe"}, 'position, active: expected one of "anna", "burt", "curt"; found text "zoe"'),
    ({"cash": 3}, "position, cash: expected an object, found a number 3"),
    ({"cash": {"zoe": 3}}, 'position, cash, zoe: expected one of "anna", "burt", "curt"; found text "zoe"'),
    ({"cash": {"anna": -1}}, "position, cash, anna: expected at least 0, found a number -1"),
    ({"used_boxes": "jail"}, 'position, used_boxes: expected a list, found text "jail"'),
    ({"auction": 3}, "position, auction: expected an object, found a number 3"),
    ({"auction": {"bid": {}}}, 'position, auction: unexpected member "bid"; known here: bids, dropped'),
    ({"auction": {"bids": [1]}}, "position, auction, bids: expected an object, found a list of 1"),
    (
        {"auction": {"dropped": ["burt", "burt"]}},
        (
            "position, auction, dropped: expected every entry only once, found a list of 2 "
            "with one of them twice"
        ),
    ),
    (
        {"auction": {"dropped": ["curt", "anna", "burt"]}},
        "position: an auction is over when one is left (B10)",
    ),
    ({"towns": [3]}, "position, towns: expected an object, found a list of 1"),
    (
        {"towns": {"tombstone": {}}},
        (
            'position, towns, tombstone: expected one of "san-antonia", "kansas-city", '
            '"abilene", "dodge-city", "deadwood"; found text "tombstone"'
        ),
    ),
    ({"towns": {"abilene": 3}}, "position, towns, abilene: expected an object, found a number 3"),
    (
        {"towns": {"abilene": {"sheep": 1}}},
        (
            'position, towns, abilene: unexpected member "sheep"; known here: cowboys, '
            "cattle, assets, farmer, sheriff_down"
        ),
    ),
    (
        {"towns": {"abilene": {"cattle": 3}}},
        "position, towns, abilene, cattle: expected an object, found a number 3",
    ),
    (
        {"towns": {"abilene": {"assets": ["store"]}}},
        "position, towns, abilene, assets: expected an object, found a list of 1",
    ),
    (
        {"towns": {"abilene": {"assets": {"saloon": "anna"}}}},
        (
            'position, towns, abilene, assets, saloon: expected one of "stagecoach", '
            '"train", "bank", "jail", "store", "hotel"; found text "saloon"'
        ),
    ),
    (
        {"towns": {"abilene": {"assets": {"store": "zoe"}}}},
        ('position, towns, abilene, assets, store: expected one of "anna", "burt", "curt"; found text "zoe"'),
    ),
    (
        {"towns": {"abilene": {"farmer": True}}},
        'position, towns, abilene, farmer: expected one of "anna", "burt", "curt"; found true',
    ),
    (
        {"towns": {"abilene": {"cattle": {"anna": 3, "burt": 2}, "farmer": "curt"}}},
        "position, abilene: 6 corral boxes taken of 5 (D2)",
    ),
    (
        {
            "towns": {
                "abilene": {"assets": dict.fromkeys(("bank", "jail", "store", "hotel", "train"), "anna")}
            }
        },
        "position, abilene: 5 assets in 4 building boxes (F1)",
    ),
    (
        {"towns": {"abilene": {"sheriff_down": True}}},
        "position, abilene: sheriff_down without a jail (K10)",
    ),
    (
        {"towns": {"abilene": {"cowboys": {"burt": 5}}, "deadwood": {"cowboys": {"burt": 5}}}},
        "position: burt has more cowboy counters than there are (A10)",
    ),
    (
        {
            "towns": {
                name: {"cowboys": {"burt": 3}, "assets": {"store": "burt"}} for name in TOWNS.split(", ")
            }
        },
        "position: burt has more cowboy counters than there are (A10)",
    ),
    (
        {
            "towns": {name: {"assets": {"jail": "curt"}} for name in ("abilene", "deadwood", "dodge-city")},
            "jails_lost": {"curt": 1},
        },
        "position: curt has more jail counters than there are (A10)",
    ),
    ({"fight": 3}, "position, fight: expected an object, found a number 3"),
    (fighting(town={}), "position, fight: the target is not in the town"),
    (
        fighting(why=1),
        (
            'position, fight: unexpected member "why"; known here: town, attacker, defender, '
            "target, attack, defence, first, round, asks, seat, sheriff, plan, left, rolls, "
            "hits"
        ),
    ),
    (fighting(attacker=None), "position, fight: member 'attacker' is missing"),
    (
        {**fighting(attacker="zoe"), "active": "anna"},
        'position, fight, attacker: expected one of "anna", "burt", "curt"; found text "zoe"',
    ),
    (
        fighting(defender="zoe"),
        'position, fight, defender: expected one of "anna", "burt", "curt"; found text "zoe"',
    ),
    (
        fighting(target={}),
        "position, fight, target: member 'asset' is missing",
    ),
    (fighting(asks=None), "position, fight: 'asks' must say what is asked"),
    (
        fighting(asks="dance"),
        (
            'position, fight, asks: expected one of "ask-sheriff", "lend-sheriff", "fire", '
            '"leave-town", "take-wanted"; found text "dance"'
        ),
    ),
    (
        fighting(sheriff="both"),
        'position, fight, sheriff: expected one of "attack", "defence", "none"; found text "both"',
    ),
    (fighting(first="curt"), "position, fight: 'first': curt does not fight"),
    (
        fighting(rolls="both"),
        ('position, fight, rolls: expected one of "attack", "defence", "robbery"; found text "both"'),
    ),
    (fighting(seat="zoe"), 'position, fight, seat: expected one of "anna", "burt", "curt"; found text "zoe"'),
    (fighting(round=-1), "position, fight, round: expected at least 0, found a number -1"),
    (fighting(hits=-1), "position, fight, hits: expected at least 0, found a number -1"),
    (fighting(attack=-1), "position, fight, attack: expected at least 0, found a number -1"),
    (fighting(defence=-1), "position, fight, defence: expected at least 0, found a number -1"),
    (fighting(plan=3), "position, fight, plan: expected an object, found a number 3"),
    (fighting(plan={"to": []}), "position, fight, plan: member 'retreat_below' is missing"),
    (
        fighting(plan={"retreat_below": -1, "to": []}),
        "position, fight, plan, retreat_below: expected at least 0, found a number -1",
    ),
    (fighting(attack=1), STRENGTHS),
    (fighting(attack=3), STRENGTHS),
    (
        fighting(attack=3, sheriff="defence"),
        STRENGTHS,
    ),
    (
        fighting(attack=4, sheriff="attack"),
        STRENGTHS,
    ),
    (fighting(defence=1), STRENGTHS),
    (fighting(defence=4), STRENGTHS),
    (
        fighting(defence=4, sheriff="attack"),
        STRENGTHS,
    ),
    (
        fighting(defence=5, sheriff="defence"),
        STRENGTHS,
    ),
    (
        fighting(town={"cowboys": COWBOYS, "farmer": "burt"}, target={"farmer": True}, defence=2),
        STRENGTHS,
    ),
]


@pytest.mark.parametrize(("position", "message"), IMPOSSIBLE, ids=[message for _, message in IMPOSSIBLE])
def test_what_no_table_can_show_is_shown_at_its_place(position: Json, message: str) -> None:
    """Rows: A10, B10, D2, F1, J7, K10."""
    assert refusal(position) == message


def test_boxes_that_are_not_on_the_board_cannot_be_used() -> None:
    """Those for five players lie on it, though with three nobody can use them; the order is that of the board."""
    assert read({"used_boxes": ["gunfight-3", "cattle-1"]}).used == ("cattle-1", "gunfight-3")
    message = refusal({"used_boxes": ["saloon"]})
    assert message.startswith('position, used_boxes 1: expected one of "cattle-1", ')
    assert message.endswith('; found text "saloon"')


def test_a_full_town_and_the_last_counters_are_possible() -> None:
    """Rows: A10, D2, F1."""
    full = {"cowboys": {"anna": 9}, "cattle": {"anna": 3, "burt": 1}, "farmer": "curt",
            "assets": dict.fromkeys(("bank", "jail", "store", "hotel"), "anna"), "sheriff_down": True}  # fmt: skip
    two = {"assets": dict.fromkeys(("bank", "jail", "store", "hotel"), "anna")}
    position = {"towns": {"abilene": full, "dodge-city": two}, "jails_lost": {"anna": 1}, "space": 1}
    filled = read(position)
    assert (filled.towns[2].corrals_taken, filled.towns[2].size, filled.towns[2].sheriff_down) == (5, 4, True)
    written = rules_for(3).position_to_json(filled)
    assert written["jails_lost"] == {"anna": 1, "burt": 0, "curt": 0}
    assert written["active"] == "anna"
    assert written["towns"]["abilene"] == full
    assert read(written) == filled


def test_what_is_empty_is_not_there() -> None:
    nothing: JsonObject = {
        "auction": {},
        "towns": {"abilene": {"cowboys": {}, "sheriff_down": False}, "deadwood": {}},
    }
    assert read({**nothing, "phase": "actions", "cash": {}, "order": [], "used_boxes": []}) == read({})


def test_a_public_view_without_cash_is_one_of_hidden_money() -> None:
    """Rows: A11, money_public=false. A scenario that names no cash means that of the start."""
    hidden = rules_for(3, money_public=False)
    assert hidden.public_from_json({}).position.cash == (0, 0, 0)
    assert hidden.position_from_json({}).cash == (20, 20, 20)
    view = hidden.observe(hidden.position_from_json({"cash": {"anna": 7}}), Seat("anna"))
    assert hidden.view_to_json(view)["cash"] == {"anna": 7}
    assert hidden.imagine(view).cash == (7, 20, 20)
    assert hidden.worlds(view) == (hidden.imagine(view),)
    assert hidden.observe(view.position, PUBLIC).shown == ()
