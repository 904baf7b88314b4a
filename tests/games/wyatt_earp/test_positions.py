"""Positions as scenarios write them: what is impossible is refused with the member that says so, the rest is kept."""

from __future__ import annotations

import pytest

from pbem.game import PUBLIC, BadSetup, Chance, JsonObject, MalformedAction, Seat, Shuffle
from pbem.games.wyatt_earp.state import sight_of
from pbem.games.wyatt_earp.views import sight_in
from tests.games.wyatt_earp.table import DECK, cards_in, rules_for

REACT: JsonObject = {
    "phase": "react",
    "pending": {"card": "hideout", "outlaw": "bob-dalton"},
    "territories": {"burt": {"bob-dalton": {"outlaws": 3, "hideout": True}}},
}

WRONG: list[tuple[JsonObject, str]] = [
    ({"round": 1}, 'position: unexpected member "round"; known here: hand, dealer, active, phase,'),
    ({"hand": -1}, "position, hand: expected at least 0, found a number -1"),
    ({"hand": True}, "position, hand: expected an integer, found true"),
    ({"hand": "1"}, 'position, hand: expected an integer, found text "1"'),
    ({"dealer": "dora"}, 'position, dealer: expected one of "anna", "burt", "curt"; found text "dora"'),
    ({"dealer": 1}, 'position, dealer: expected one of "anna", "burt", "curt"; found a number 1'),
    ({"active": "dora"}, 'position, active: expected one of "anna", "burt", "curt"; found text "dora"'),
    ({"phase": "shoot"}, 'position, phase: expected one of "draw", "play", "choose", "react", "chance",'),
    ({"sheriff_played": 1}, "position, sheriff_played: expected true or false, found a number 1"),
    ({"reshuffled": "no"}, 'position, reshuffled: expected true or false, found text "no"'),
    ({"opened": ["anna"]}, 'position, opened 1: expected one of "belle-starr", "billy-the-kid",'),
    ({"opened": "bob-dalton"}, 'position, opened: expected a list, found text "bob-dalton"'),
    ({"laid": [7]}, 'position, laid 1: expected one of "belle-starr", "billy-the-kid", "bob-dalton",'),
    ({"posters": {"anna": 1}}, 'position, posters: unexpected member "anna"; known here: belle-starr,'),
    (
        {"posters": {"bob-dalton": -1000}},
        "position, posters, bob-dalton: expected at least 0, found a number -1000",
    ),
    ({"posters": []}, "position, posters: expected an object, found a list of 0"),
    (
        {"money": {"dora": 1}},
        'position, money, dora: expected one of "anna", "burt", "curt"; found text "dora"',
    ),
    ({"money": {"anna": -1}}, "position, money, anna: expected at least 0, found a number -1"),
    (
        {"hands": {"dora": 1}},
        'position, hands, dora: expected one of "anna", "burt", "curt"; found text "dora"',
    ),
    (
        {"hands": {"anna": ["joker"]}},
        'position, hands, anna 1: expected one of "belle-starr", "billy-the-kid",',
    ),
    ({"hands": {"anna": -1}}, "position, hands, anna: expected at least 0, found a number -1"),
    ({"hands": {"anna": True}}, "position, hands, anna: expected a list, found true"),
    ({"hands": {"anna": [3]}}, 'position, hands, anna 1: expected one of "belle-starr", "billy-the-kid",'),
    ({"supply": 79}, "position, supply: 79 cards wanted, 78 are named nowhere else"),
    ({"hands": {"anna": 40}, "supply": 39}, "position, supply: 39 cards wanted, 38 are named nowhere else"),
    ({"supply": ["bob-dalton"] * 8}, "position: 8 bob-dalton, but there are only 7"),
    (
        {"supply": ["hideout"] * 3, "hands": {"anna": ["hideout"]}},
        "position: 4 hideout, but there are only 3",
    ),
    (
        {"territories": {"dora": {}}},
        'position, territories, dora: expected one of "anna", "burt", "curt"; found text',
    ),
    (
        {"territories": {"anna": {"anna": {}}}},
        'position, territories, anna: unexpected member "anna"; known here: belle-starr,',
    ),
    (
        {"territories": {"anna": {"bob-dalton": {"cards": 3}}}},
        'position, territories, anna, bob-dalton: unexpected member "cards"; known here:',
    ),
    (
        {"territories": {"anna": {"bob-dalton": {"outlaws": 8}}}},
        "position, territories, anna, bob-dalton, outlaws: expected at most 7, found a",
    ),
    (
        {"territories": {"anna": {"bob-dalton": {"outlaws": 3, "bank-robbery": 5}}}},
        "position, territories, anna, bob-dalton, bank-robbery: expected at most 4,",
    ),
    (
        {"territories": {"anna": {"bob-dalton": {"outlaws": 3, "stagecoach-robbery": 3}}}},
        "position, territories, anna, bob-dalton, stagecoach-robbery: expected at most",
    ),
    (
        {"territories": {"anna": {"bob-dalton": {"outlaws": 3, "fastest-gun": 2}}}},
        "position, territories, anna, bob-dalton, fastest-gun: expected one of 0, 1,",
    ),
    (
        {"territories": {"anna": {"bob-dalton": {"hideout": True}}}},
        "territories, anna, bob-dalton: expected an Outlaw card or the Photo in every group",
    ),
    (
        {"territories": {"anna": {"bob-dalton": {"outlaws": 3, "photo": 1}}}},
        "position, territories, anna, bob-dalton, photo: expected true or false, found a",
    ),
    ({"phase": "choose"}, "pending: expected the question of the phase choose"),
    ({"phase": "react"}, "pending: expected the question of the phase react"),
    (
        {"phase": "choose", "pending": {"card": "bob-dalton"}},
        "position, pending: member 'shuffle' is missing",
    ),
    (
        {"phase": "choose", "pending": {"card": "wyatt-earp"}},
        "pending, card: a wyatt-earp asks with its mode, any other card without",
    ),
    (
        {"phase": "choose", "pending": {"card": "hideout", "mode": "search"}},
        "pending, card: a wyatt-earp asks with its mode, any other card without",
    ),
    (
        {"phase": "choose", "pending": {"card": "hideout", "suit": 1}},
        'position, pending: unexpected member "suit"; known here: card, mode, by, of,',
    ),
    (
        {**REACT, "pending": {"card": "hideout"}},
        "pending, outlaw: expected the Outlaw of the group just covered",
    ),
    (
        {**REACT, "pending": {**REACT["pending"], "of": "curt"}},
        "pending, of: expected another seat whose group of that Outlaw lies under a",
    ),
    (
        {**REACT, "pending": {**REACT["pending"], "outlaw": "wes-hardin"}},
        "pending, of: expected another seat whose group of that Outlaw lies under a",
    ),
    (
        {**REACT, "pending": {**REACT["pending"], "by": "burt"}},
        "pending, of: expected another seat whose group of that Outlaw lies under a",
    ),
    ({"phase": "chance", "pending": {"mode": "search"}}, "position, pending: member 'card' is missing"),
    (
        {"phase": "chance", "pending": {"shuffle": "cards"}},
        'position, pending, shuffle: expected one of "first-deal", "deal", "draw",',
    ),
    ({"phase": "chance", "pending": {"left": -1}}, "position, pending: member 'shuffle' is missing"),
    ({"duel": {"seats": []}}, "position, duel, seats: expected at least 1 entry, found a list of 0"),
    (
        {"duel": {"seats": ["dora"]}},
        'position, duel, seats 1: expected one of "anna", "burt", "curt"; found text',
    ),
    ({"duel": {"seats": ["anna"], "hits": 1}}, "position, duel, hits: expected a list, found a number 1"),
    (
        {"duel": {"seats": ["anna"], "hits": [1]}},
        "position, duel, hits 1: expected true or false, found a number 1",
    ),
    (
        {"duel": {"seats": ["anna"], "score": [1, 2]}},
        "position, duel, score: expected a number for each seat of the duel",
    ),
    (
        {"duel": {"seats": ["anna"], "score": ["1"]}},
        'position, duel, score 1: expected an integer, found text "1"',
    ),
    (
        {"phase": "over", "winners": ["anna", "burt"]},
        "position, winners: expected at most 1 entry, found a list of 2",
    ),
    (
        {"phase": "over", "winners": ["dora"]},
        'position, winners 1: expected one of "anna", "burt", "curt"; found text "dora"',
    ),
    ({"phase": "over", "winners": "anna"}, 'position, winners: expected a list, found text "anna"'),
]


@pytest.mark.parametrize(("position", "says"), WRONG, ids=[str(index) for index in range(len(WRONG))])
def test_an_impossible_position_is_refused_by_the_member_that_says_so(
    position: JsonObject, says: str
) -> None:
    with pytest.raises(BadSetup) as refused:
        rules_for(3).position_from_json(position)
    assert str(refused.value).startswith(says)


def test_a_position_is_an_object() -> None:
    with pytest.raises(BadSetup, match="position: expected an object, found a list of 0"):
        rules_for(3).position_from_json([])


def test_what_is_left_out_has_its_default() -> None:
    rules = rules_for(3)
    body = rules.position_to_json(rules.position_from_json({}))
    assert (body["hand"], body["dealer"], body["active"], body["phase"]) == (1, "curt", "anna", "draw")
    assert set(body["posters"].values()) == {1000}
    assert set(body["money"].values()) == {0}


@pytest.mark.parametrize(
    "position",
    [
        {"hand": 0, "posters": {"bob-dalton": 0}, "money": {"anna": 0}, "supply": 78},
        {"hands": {"anna": 0, "burt": 78}, "supply": 0, "discard": 0},
        {"territories": {"anna": {"bob-dalton": {"outlaws": 7, "bank-robbery": 4, "stagecoach-robbery": 2}}}},
        {"territories": {"anna": {"bob-dalton": {"photo": True, "fastest-gun": 1, "hideout": True}}}},
        REACT,
        {
            "phase": "chance",
            "pending": {"shuffle": "duel"},
            "duel": {"seats": ["anna", "burt"], "hits": [True], "score": [2, 1]},
        },
        {"phase": "chance"},
        {"phase": "chance", "pending": {"shuffle": "draw", "left": 1}},
        {"phase": "chance", "pending": {"shuffle": "shot", "card": "bank-robbery", "outlaw": "belle-starr"}},
        {
            "phase": "chance",
            "pending": {"shuffle": "shot", "card": "wyatt-earp", "mode": "react", "of": "anna", "by": "burt"},
        },
        {"phase": "over", "winners": ["burt"]},
    ],
)
def test_what_is_just_possible_is_kept(position: JsonObject) -> None:
    rules = rules_for(3)
    body = rules.position_to_json(rules.position_from_json(position))
    assert rules.position_to_json(rules.position_from_json(body)) == body
    assert body["hand"] == position.get("hand", 1)
    if "territories" in position:
        for seat, groups in position["territories"].items():
            for outlaw, group in groups.items():
                assert group.items() <= body["territories"][seat][outlaw].items()
    if "duel" in position:
        assert body["duel"] == position["duel"]
    if position.get("phase") == "chance":
        assert body["pending"] == position.get("pending", {"shuffle": "deal"})
    if position == REACT:
        assert body["pending"] == {**position["pending"], "by": "anna", "of": "burt"}


@pytest.mark.parametrize(
    ("action", "members", "pending"),
    [
        ({"do": "draw", "from": "supply"}, {"phase": "draw"}, {"shuffle": "draw", "left": 2}),
        ({"do": "draw", "from": "supply"}, {"phase": "draw", "supply": 1}, {"shuffle": "draw", "left": 1}),
        ({"do": "wyatt-earp", "mode": "draw"}, {}, {"shuffle": "draw", "left": 2}),
        ({"do": "bank-robbery"}, {}, {"shuffle": "shot", "card": "bank-robbery"}),
        (
            {"do": "bank-robbery", "on": "wes-hardin"},
            {},
            {"shuffle": "shot", "card": "bank-robbery", "outlaw": "wes-hardin"},
        ),
        (
            {"do": "hideout", "on": "jesse-james", "seat": "curt"},
            {},
            {"shuffle": "shot", "card": "hideout", "outlaw": "jesse-james", "of": "curt"},
        ),
        (
            {"do": "wyatt-earp", "mode": "remove-hideout"},
            {},
            {"shuffle": "shot", "card": "wyatt-earp", "mode": "remove-hideout"},
        ),
        (
            {"do": "discard", "card": "bank-robbery"},
            {"hands": {"anna": ["bank-robbery"]}},
            {"shuffle": "deal"},
        ),
    ],
    ids=str,
)
def test_a_position_says_what_the_shuffle_is_for(
    action: JsonObject, members: JsonObject, pending: JsonObject
) -> None:
    """Rows: C6, I14, H4, O3. Taken up again from there, the match goes on as it would have."""
    rules = rules_for(3)
    base: JsonObject = {
        "phase": "play",
        "hands": {"anna": ["bank-robbery", "hideout", "wyatt-earp", "bob-dalton"], "burt": 2, "curt": 2},
        "territories": {
            "anna": {"wes-hardin": {"outlaws": 3}, "belle-starr": {"outlaws": 3, "hideout": True}},
            "curt": {"jesse-james": {"outlaws": 3}},
        },
        "discard": ["butch-cassidy", "most-wanted", "sundance-kid"],
    }
    state = rules.apply(rules.position_from_json({**base, **members}), rules.action_from_json(action)).state
    body = rules.position_to_json(state)
    assert (body["phase"], body["pending"]) == ("chance", pending)
    again = rules.position_from_json(body)
    assert again == state
    node = rules.node(state)
    assert isinstance(node, Chance)
    assert rules.node(again) == node
    assert isinstance(node.draw, Shuffle)
    order = tuple(range(len(node.draw.cards)))
    assert rules.resolve(again, order) == rules.resolve(state, order)


@pytest.mark.parametrize(("shuffle", "cleared"), [("duel-all", True), ("duel", False)])
def test_the_deck_of_all_cards_for_a_duel_takes_in_the_territories(shuffle: str, cleared: bool) -> None:
    """Rows: H9, H10, A2."""
    rules = rules_for(3)
    territories: JsonObject = {
        "anna": {"bob-dalton": {"outlaws": 3}},
        "curt": {"wes-hardin": {"photo": True}},
    }
    position: JsonObject = {
        "phase": "chance",
        "pending": {"shuffle": shuffle},
        "duel": {"seats": ["anna", "burt"]},
        "territories": territories,
        "supply": 0 if cleared else 4,
        "discard": 0 if cleared else 70,
    }
    state = rules.position_from_json(position)
    node = rules.node(state)
    assert isinstance(node, Chance)
    assert isinstance(node.draw, Shuffle)
    assert len(node.draw.cards) == (78 if cleared else 70)
    if cleared:
        after = rules.position_to_json(rules.resolve(state, tuple(range(78))).state)
        assert cards_in(after) == DECK
        assert after["territories"] == {"anna": {}, "burt": {}, "curt": {}}


def test_a_duel_begins_without_hits_and_without_a_score() -> None:
    """Rows: H7."""
    rules = rules_for(3)
    position: JsonObject = {
        "phase": "chance",
        "pending": {"shuffle": "duel"},
        "duel": {"seats": ["curt", "burt"]},
    }
    body = rules.position_to_json(rules.position_from_json(position))
    assert body["duel"] == {"seats": ["curt", "burt"], "hits": [], "score": [0, 0]}
    assert "duel" not in rules.position_to_json(rules.position_from_json({}))


@pytest.mark.parametrize(("by", "of"), [("anna", "burt"), ("burt", "curt"), ("dora", "burt")])
def test_the_window_is_that_of_the_next_covered_group_clockwise(by: str, of: str) -> None:
    """Rows: N9, O13. Where the position does not name the seat."""
    rules = rules_for(4)
    covered = {"bob-dalton": {"outlaws": 2, "hideout": True}}
    position: JsonObject = {**REACT, "active": by, "territories": {"burt": covered, "curt": covered}}
    body = rules.position_to_json(rules.position_from_json(position))
    assert body["pending"] == {"card": "hideout", "outlaw": "bob-dalton", "by": by, "of": of}


@pytest.mark.parametrize("held", [[], ["bob-dalton"], ["hideout"]])
@pytest.mark.parametrize(
    ("asks", "card"),
    [
        ({"phase": "choose", "pending": {"card": "hideout"}}, "hideout"),
        ({"phase": "choose", "pending": {"card": "most-wanted"}}, "most-wanted"),
        ({"phase": "choose", "pending": {"card": "wyatt-earp", "mode": "search"}}, None),
        ({"phase": "choose", "pending": {"card": "wyatt-earp", "mode": "remove-hideout"}}, None),
        ({"phase": "play", "found": "hideout"}, "hideout"),
        ({"phase": "play"}, None),
        (REACT, None),
    ],
)
def test_the_card_that_asks_or_was_found_is_in_the_hand_though_nobody_wrote_it(
    asks: JsonObject, card: str | None, held: list[str]
) -> None:
    """Rows: I16, O7. A Wyatt Earp that asks was put down before (O1)."""
    rules = rules_for(3)
    body = rules.position_to_json(rules.position_from_json({**asks, "hands": {"anna": held}}))
    owed = [card] if card is not None and card not in held else []
    assert sorted(body["hands"]["anna"]) == sorted([*held, *owed])
    assert body["hands"]["burt"] == body["hands"]["curt"] == []


def test_cards_that_nobody_named_are_those_that_lie_nowhere() -> None:
    """Rows: A2. Hands first, in the order of the seats, then supply and discard; no card stands twice."""
    rules = rules_for(3)
    position: JsonObject = {
        "territories": {
            "anna": {"belle-starr": {"outlaws": 7, "photo": True}},
            "curt": {"wes-hardin": {"photo": True, "bank-robbery": 4, "fastest-gun": 1, "hideout": True}},
        },
        "hands": {"anna": ["billy-the-kid"] * 6, "burt": 2},
        "supply": 3,
        "discard": 52,
    }
    body = rules.position_to_json(rules.position_from_json(position))
    assert cards_in(body) == DECK
    assert body["hands"]["burt"] == ["billy-the-kid", "bob-dalton"]
    assert body["supply"] == ["bob-dalton"] * 3


@pytest.mark.parametrize(
    ("members", "says"),
    [
        *(
            ({name: None}, f"public: member {name!r} is missing")
            for name in (
                *("hand", "dealer", "active", "phase", "posters", "money", "hands", "supply", "discard"),
            )
        ),
        ({"posters": {"bob-dalton": 1000}}, "public, posters: member 'belle-starr' is missing"),
        ({"money": {"anna": 0, "burt": 0}}, "public, money: member 'curt' is missing"),
        ({"territories": {}}, "public, territories: member 'anna' is missing"),
        ({"found": "hideout"}, 'public: unexpected member "found"'),
        ({"stack": ["hideout"]}, 'public: unexpected member "stack"'),
        ({"hands": {"anna": ["hideout"], "burt": 1, "curt": 1}}, "public, hands, anna: expected an integer"),
        ({"supply": ["hideout"]}, "public, supply: expected an integer"),
        ({"discard": {"count": 2, "below": ["hideout"]}}, 'public, discard: unexpected member "below"'),
        ({"discard": {"count": 1, "top": "joker"}}, "public, discard, top: expected one of "),
        ({"discard": {"count": 1, "takeable": -1}}, "public, discard, takeable: expected at least 0"),
        ({"winners": "anna"}, "public, winners: expected a list"),
        ({"winners": ["anna", "burt"]}, "public, winners: expected at most 1 entry"),
        ({"winners": ["dora"]}, "public, winners 1: expected one of "),
        ({"phase": "choose"}, "pending: expected the question of the phase choose"),
    ],
)
def test_what_is_no_public_view_is_refused_by_the_member_that_says_so(members: JsonObject, says: str) -> None:
    """Rows: P1, P2. A record may not hold more than everybody may know, nor less."""
    rules = rules_for(3)
    state = rules.position_from_json({"hands": {"anna": 3, "burt": 2, "curt": 1}, "supply": 9, "discard": 2})
    public = rules.view_to_json(rules.observe(state, PUBLIC))
    assert rules.public_from_json(public) == rules.observe(state, PUBLIC)
    changed = {name: value for name, value in {**public, **members}.items() if value is not None}
    with pytest.raises(MalformedAction) as refused:
        rules.public_from_json(changed)
    assert str(refused.value).startswith(says)


@pytest.mark.parametrize("winners", [[], ["anna"], ["curt"]])
def test_the_public_view_of_a_match_that_is_over_has_its_winner(winners: list[str]) -> None:
    """Rows: H6, P1."""
    rules = rules_for(3)
    state = rules.position_from_json({"phase": "over", "winners": winners, "supply": 9, "discard": 2})
    public = rules.view_to_json(rules.observe(state, PUBLIC))
    assert public.get("winners", []) == winners
    assert "waiting" not in public
    assert rules.public_from_json(public) == rules.observe(state, PUBLIC)


@pytest.mark.parametrize("opened_test", ["sticky", "presence"])
@pytest.mark.parametrize("table", [{}, {"burt": {"bob-dalton": {"photo": True}}}])
def test_a_player_sees_who_is_opened_as_the_referee_does(opened_test: str, table: JsonObject) -> None:
    """Rows: D4, D6. Jesse James was opened and is gone from the table; whether that still counts is an option."""
    rules = rules_for(3, opened_test=opened_test)
    hand = ["jesse-james", "bob-dalton", "belle-starr"]
    position = {"phase": "play", "opened": ["jesse-james"], "territories": table, "hands": {"anna": hand}}
    state = rules.position_from_json(position)
    view = rules.observe(state, Seat("anna"))
    assert sight_in(rules.match, view) == sight_of(rules.match, state)
    laid = {
        action["outlaw"]
        for action in map(rules.action_to_json, rules.legal_actions(view))
        if "count" in action
    }
    if opened_test == "sticky":
        assert laid == {"jesse-james"}
    else:
        assert laid == ({"bob-dalton"} if table else set())


@pytest.mark.parametrize(("written", "cards"), [(True, 1), (False, 0)])
def test_a_card_that_lies_once_or_not_may_be_written_as_true_or_false(written: bool, cards: int) -> None:
    def position(fastest: bool | int) -> JsonObject:
        return {"territories": {"anna": {"bob-dalton": {"outlaws": 3, "fastest-gun": fastest}}}}

    rules = rules_for(2)
    assert rules.position_from_json(position(written)) == rules.position_from_json(position(cards))
