"""Who may know what: views, events, packets, and the traps where a secret could show in something public."""

from __future__ import annotations

import json

import pytest

from pbem.game import FULL, PUBLIC, Chance, JsonObject, NotHeld, Seat, Terminal
from pbem.games.wyatt_earp.deck import NAMES
from pbem.games.wyatt_earp.rules import WyattEarpRules
from pbem.games.wyatt_earp.state import State
from pbem.games.wyatt_earp.views import Knowledge
from tests.games.wyatt_earp.refusing import targeted, universe
from tests.games.wyatt_earp.table import rules_for

ANNA, BURT, CURT = map(Seat, ("anna", "burt", "curt"))
SEARCH: JsonObject = {"do": "wyatt-earp", "mode": "search"}


def position(rules: WyattEarpRules, **members: object) -> State:
    base: JsonObject = {
        "phase": "play",
        "hands": {"anna": ["wyatt-earp", "hideout"], "burt": 3, "curt": 3},
        "supply": 9,
    }
    return rules.position_from_json({**base, **members})


def act(rules: WyattEarpRules, state: State, action: JsonObject) -> tuple[State, list[JsonObject]]:
    step = rules.apply(state, rules.action_from_json(action))
    return step.state, [rules.event_to_json(event, PUBLIC) for event in step.events]


def public(rules: WyattEarpRules, state: State) -> str:
    return json.dumps(rules.view_to_json(rules.observe(state, PUBLIC)), sort_keys=True)


def test_whether_a_search_asks_follows_from_numbers_that_everybody_knows() -> None:
    """Two states that differ below the top of the discard go on alike in public. Rows: O10, O18, P5, P7."""
    rules = rules_for(3)
    shown = []
    for below in (["jesse-james", "jesse-james"], ["jesse-james", "wes-hardin"]):
        state = position(rules, discard=["belle-starr", *below])
        after, events = act(rules, state, SEARCH)
        shown.append((public(rules, after), events))
    assert shown[0] == shown[1]


def test_a_match_has_secrets_and_shows_nothing_of_a_seat_again_and_again() -> None:
    """Rows: B5."""
    rules = rules_for(3)
    assert rules.has_secrets
    assert rules.standing_facts(position(rules)) == ()
    assert rules.knowledge(ANNA) == Knowledge(ANNA)


def test_full_knowledge_is_no_view() -> None:
    rules = rules_for(3)
    with pytest.raises(ValueError, match="full knowledge is no view"):
        rules.observe(position(rules), FULL)


def test_the_stack_is_shown_to_the_searcher_alone_and_only_while_he_is_asked() -> None:
    """Rows: O11, P2."""
    rules = rules_for(3)
    state = position(rules, discard=["belle-starr", "jesse-james"])
    step = rules.apply(state, rules.action_from_json(SEARCH))
    assert [(fact.seat, fact.body) for fact in step.facts] == [
        ("anna", {"stack": ["wyatt-earp", "belle-starr", "jesse-james"]})
    ]
    assert step.reveals
    assert rules.shown([{"events": [rules.event_to_json(event, PUBLIC) for event in step.events]}]) == 3
    assert rules.shown([{"events": []}]) == rules.shown([]) == 0
    seen = rules.view_to_json(rules.observe(step.state, ANNA))
    assert seen["stack"] == ["wyatt-earp", "belle-starr", "jesse-james"]
    for viewer in (PUBLIC, BURT):
        assert "stack" not in rules.view_to_json(rules.observe(step.state, viewer))
    after = rules.apply(step.state, rules.action_from_json({"do": "choose", "take": "jesse-james"}))
    assert [fact.body for fact in after.facts] == [{"found": "jesse-james"}]
    assert "stack" not in rules.view_to_json(rules.observe(after.state, ANNA))


def test_what_a_search_takes_is_public_only_if_the_match_says_so() -> None:
    """Rows: O10, search_public=false, search_public=true."""
    taking: JsonObject = {**SEARCH, "take": ["jesse-james"]}
    for public in (False, True):
        rules = rules_for(3, search_public=public)
        action = rules.action_from_json(taking)
        assert rules.is_secret(action) != public
        assert rules.public_action(action) == (taking if public else SEARCH)
        chosen = rules.action_from_json({"do": "choose", "take": "jesse-james"})
        assert rules.is_secret(chosen) != public
        shown: JsonObject = {"do": "choose", "take": "jesse-james"} if public else {"do": "choose"}
        assert rules.public_action(chosen) == shown
        _, events = act(rules, position(rules, discard=["belle-starr", "jesse-james"]), taking)
        assert ("jesse-james" in json.dumps(events)) == public


def test_an_action_without_a_secret_is_its_own_public_form() -> None:
    """Rows: O10."""
    rules = rules_for(3)
    for obj in (*universe(3), *targeted(3)):
        action = rules.action_from_json(obj)
        assert rules.is_secret(action) is ("take" in obj)
        assert rules.public_action(action) == {name: obj[name] for name in obj if name != "take"}


def test_the_window_is_offered_whether_or_not_a_wyatt_earp_is_held() -> None:
    """Rows: P6, N9, O13."""
    rules = rules_for(3)
    shown = []
    for hand in (["wyatt-earp", "belle-starr"], ["jesse-james", "belle-starr"]):
        state = position(
            rules,
            hands={"anna": ["hideout", "bob-dalton"], "burt": hand, "curt": 3},
            territories={"burt": {"wes-hardin": {"outlaws": 3}}},
            supply=["sundance-kid", "sundance-kid"],
        )
        after, events = act(rules, state, {"do": "hideout"})
        shown.append((public(rules, after), events))
    assert shown[0] == shown[1]
    assert '"waiting": {"phase": "react", "seat": "burt"}' in shown[0][0]


def test_after_a_hand_the_discard_is_a_number_since_the_hands_lie_in_it() -> None:
    """Rows: F6, P5, B5."""
    rules = rules_for(3)
    state = position(
        rules, hands={"anna": ["hideout"], "burt": ["jesse-james"] * 4, "curt": 3}, discard=["wyatt-earp"]
    )
    after, _ = act(rules, state, {"do": "discard", "card": "hideout"})
    assert isinstance(rules.node(after), Chance)
    for viewer in (PUBLIC, ANNA, BURT, CURT):
        assert rules.view_to_json(rules.observe(after, viewer))["discard"] == {"count": 9}


def test_when_the_match_is_over_the_discard_is_a_number_too() -> None:
    """Rows: F6, P5, B5."""
    rules = rules_for(3)
    state = position(
        rules,
        hands={"anna": ["hideout"], "burt": ["jesse-james"] * 4, "curt": 3},
        discard=["wyatt-earp"],
        money={"anna": 26000},
    )
    after, _ = act(rules, state, {"do": "discard", "card": "hideout"})
    assert isinstance(rules.node(after), Terminal)
    for viewer in (PUBLIC, ANNA, BURT, CURT):
        assert rules.view_to_json(rules.observe(after, viewer))["discard"] == {"count": 9}


def test_while_the_discard_is_shuffled_for_a_draw_its_top_still_lies_open() -> None:
    """Rows: P1, P7, C6."""
    rules = rules_for(3)
    state = position(rules, phase="draw", supply=[], discard=["hideout", "wyatt-earp", "belle-starr"])
    after, _ = act(rules, state, {"do": "draw", "from": "supply"})
    assert isinstance(rules.node(after), Chance)
    for viewer in (PUBLIC, ANNA, BURT, CURT):
        shown = rules.view_to_json(rules.observe(after, viewer))["discard"]
        assert shown == {"count": 3, "top": "hideout", "takeable": 2}


def test_a_draw_from_the_supply_is_shown_to_its_owner() -> None:
    """Rows: P2, P3."""
    rules = rules_for(3)
    state = position(rules, phase="draw", supply=["jesse-james", "photo:wes-hardin"])
    step = rules.apply(state, rules.action_from_json({"do": "draw", "from": "supply"}))
    (event,) = step.events
    assert [deal.to for deal in step.deals] == ["anna", "anna"]
    for viewer in (PUBLIC, BURT):
        assert rules.event_to_json(event, viewer) == {
            "event": "drew",
            "seat": "anna",
            "from": "supply",
            "count": 2,
        }
    for viewer in (FULL, ANNA):
        assert rules.event_to_json(event, viewer)["cards"] == ["jesse-james", "photo:wes-hardin"]


def test_a_found_card_is_not_a_deal_and_no_view_but_the_finders_has_it() -> None:
    """Rows: O7, P2."""
    rules = rules_for(3)
    step = rules.apply(position(rules, discard=["hideout"]), rules.action_from_json(SEARCH))
    assert step.deals == ()
    assert rules.view_to_json(rules.observe(step.state, ANNA))["found"] == "hideout"
    assert "found" not in public(rules, step.state)
    after, _ = act(rules, step.state, {"do": "discard", "card": "hideout"})
    assert "found" not in rules.view_to_json(rules.observe(after, ANNA))


@pytest.mark.parametrize(
    ("draws", "shown", "size"),
    [
        (0, 0, 512),
        (2, 0, 512),
        (3, 0, 1024),
        (10, 0, 1536),
        (0, 10, 512),
        (0, 11, 1024),
        (0, 31, 1024),
        (2, 40, 1536),
        (1, 6, 1024),
        (8, 37, 2048),
        (22, 57, 4096),
    ],
)
def test_packets_have_the_size_of_the_formula(draws: int, shown: int, size: int) -> None:
    assert rules_for(3).packet_size(draws, shown) == size


# --- what a seat learns -----------------------------------------------------------------------------------


def learned(own: Knowledge, *events: JsonObject, seat: str = "anna", **body: object) -> Knowledge:
    steps = [{"by": "file", "seat": seat, "action": {}, "chance": [], "events": list(events)}]
    return rules_for(3).learn(own, steps, {"draws": [], "facts": [], **body})


def test_a_hand_is_folded_from_packets_and_public_events() -> None:
    own = Knowledge(ANNA, ("hideout", "jesse-james", "wyatt-earp"))
    draws = [{"card": "bank-robbery"}, {"card": "jesse-james"}]
    own = learned(own, {"event": "drew", "seat": "anna", "from": "supply", "count": 2}, draws=draws)
    own = learned(own, {"event": "laid", "seat": "anna", "outlaw": "jesse-james", "count": 2, "reward": 1000})
    own = learned(
        own, {"event": "attached", "seat": "anna", "card": "bank-robbery", "outlaw": "x", "reward": 1000}
    )
    own = learned(own, {"event": "discarded", "seat": "anna", "card": "fastest-gun", "why": "replaced"})
    own = learned(own, {"event": "given", "from": "burt", "to": "anna", "outlaw": "wes-hardin"})
    own = learned(own, {"event": "hidden", "seat": "anna", "of": "burt", "outlaw": "wes-hardin"})
    own = learned(own, {"event": "discarded", "seat": "anna", "card": "wyatt-earp", "why": "used"})
    own = learned(
        own, {"event": "drew", "seat": "anna", "from": "discard", "count": 1, "card": "most-wanted"}
    )
    assert own.hand == ("most-wanted", "wes-hardin")
    own = learned(own, {"event": "given", "from": "anna", "to": "burt", "outlaw": "wes-hardin"}, seat="burt")
    own = learned(own, {"event": "stolen", "seat": "anna", "from": "burt", "outlaw": "belle-starr"})
    assert own.hand == ("belle-starr", "most-wanted")
    assert learned(own, {"event": "hand-ended", "reason": "exhausted"}).hand == ()


@pytest.mark.parametrize(
    ("event", "out", "into"),
    [
        ({"event": "laid", "outlaw": "jesse-james", "count": 2, "reward": 1000}, ["jesse-james"] * 2, []),
        ({"event": "photo-played", "outlaw": "jesse-james", "reward": 1000}, ["photo:jesse-james"], []),
        ({"event": "attached", "card": "bank-robbery", "outlaw": "x", "reward": 1000}, ["bank-robbery"], []),
        ({"event": "hidden", "of": "burt", "outlaw": "wes-hardin"}, ["hideout"], []),
        ({"event": "discarded", "card": "bank-robbery", "why": "turn"}, ["bank-robbery"], []),
        ({"event": "discarded", "card": "bank-robbery", "why": "missed"}, ["bank-robbery"], []),
        ({"event": "discarded", "card": "hideout", "why": "used"}, ["hideout"], []),
        ({"event": "discarded", "card": "hideout", "why": "removed"}, [], []),
        ({"event": "discarded", "card": "hideout", "why": "orphan"}, [], []),
        ({"event": "discarded", "card": "fastest-gun", "why": "replaced"}, [], []),
        ({"event": "drew", "from": "discard", "count": 1, "card": "hideout"}, [], ["hideout"]),
        ({"event": "drew", "from": "supply", "count": 2}, [], []),
        ({"event": "stolen", "from": "burt", "outlaw": "jesse-james"}, [], ["jesse-james"]),
        ({"event": "shot", "card": "hideout", "hit": False}, [], []),
        ({"event": "asked", "outlaw": "jesse-james", "of": "burt", "has": True}, [], []),
        ({"event": "turn-ended"}, [], []),
        ({"event": "uncovered", "outlaw": "jesse-james"}, [], []),
    ],
    ids=lambda value: f"{value['event']} {value.get('why', '')}" if isinstance(value, dict) else "",
)
def test_an_event_moves_cards_of_the_seat_that_it_names(
    event: JsonObject, out: list[str], into: list[str]
) -> None:
    """schemas/README.md §14.1: what goes into a hand and out of it."""
    hand = ("bank-robbery", "hideout", "jesse-james", "jesse-james", "photo:jesse-james")
    after = list(hand)
    for card in out:
        after.remove(card)
    own = learned(Knowledge(ANNA, hand), {**event, "seat": "anna"})
    assert own.hand == tuple(sorted([*after, *into]))
    assert learned(Knowledge(ANNA, hand), {**event, "seat": "burt"}, seat="burt").hand == hand


@pytest.mark.parametrize(("giver", "to"), [("anna", "burt"), ("burt", "anna"), ("burt", "curt")])
def test_a_card_handed_over_goes_from_one_hand_to_the_other(giver: str, to: str) -> None:
    """Rows: M4."""
    hand = ("jesse-james", "jesse-james")
    given: JsonObject = {"event": "given", "from": giver, "to": to, "outlaw": "jesse-james"}
    count = 2 - (giver == "anna") + (to == "anna")
    for seat in ("anna", "burt"):
        assert learned(Knowledge(ANNA, hand), given, seat=seat).hand == ("jesse-james",) * count


def test_whoever_is_asked_twice_in_one_record_is_believed_by_the_hand_as_it_is_then() -> None:
    """Standing orders play several turns in one record. Rows: M4."""
    asked: JsonObject = {"event": "asked", "outlaw": "jesse-james", "of": "anna"}
    given: JsonObject = {"event": "given", "from": "anna", "to": "burt", "outlaw": "jesse-james"}
    taken: JsonObject = {
        "event": "drew",
        "seat": "anna",
        "from": "discard",
        "count": 1,
        "card": "jesse-james",
    }
    ended: JsonObject = {"event": "hand-ended", "reason": "exhausted"}
    for between, has in (((given,), False), ((given, taken), True), ((ended,), False)):

        def followed(has: bool, between: tuple[JsonObject, ...] = between) -> Knowledge:
            events = [[{**asked, "has": True}], [*between], [{**asked, "has": has}]]
            steps = [
                {"by": "order", "seat": "burt", "action": {}, "chance": [], "events": row} for row in events
            ]
            return rules_for(3).learn(Knowledge(ANNA, ("jesse-james",)), steps, {"draws": [], "facts": []})

        assert followed(has).hand == ("jesse-james",) * has
        with pytest.raises(NotHeld, match="was asked for jesse-james"):
            followed(not has)


def test_the_card_found_is_known_until_the_finders_next_action() -> None:
    """Rows: O7, O8."""
    event: JsonObject = {"event": "found", "seat": "anna"}
    own = learned(Knowledge(ANNA), event, facts=[{"found": "hideout"}])
    assert (own.hand, own.found) == (("hideout",), "hideout")
    assert learned(own, seat="burt").found == "hideout"
    assert learned(own).found is None
    assert learned(own).hand == ("hideout",)


def test_of_a_packet_sent_again_the_last_word_stands() -> None:
    """A rekey or a substitute gets what a search found and showed once more; nothing was done since."""
    own = Knowledge(ANNA, ("hideout",), "hideout", ("hideout", "wyatt-earp"))
    facts = [
        {"found": "jesse-james"},
        {"stack": ["bob-dalton"]},
        {"found": "wes-hardin"},
        {"stack": ["hideout"]},
    ]
    again = rules_for(3).learn(own, [], {"draws": [], "facts": facts})
    assert (again.found, again.stack) == ("wes-hardin", ("hideout",))
    once = rules_for(3).learn(own, [], {"draws": [], "facts": facts[:2]})
    assert (once.found, once.stack) == ("jesse-james", ("bob-dalton",))
    thrice = rules_for(3).learn(own, [], {"draws": [], "facts": [*facts, *facts[:2]]})
    assert (thrice.found, thrice.stack) == ("jesse-james", ("bob-dalton",))
    drawn = rules_for(3).learn(own, [], {"draws": [{"card": "bob-dalton"}], "facts": []})
    assert (drawn.hand, drawn.found, drawn.stack) == (("bob-dalton", "hideout"), own.found, own.stack)


def test_the_stack_shown_is_known_until_the_searchers_next_action() -> None:
    """Rows: O5, O11."""
    searching: JsonObject = {"event": "searching", "seat": "anna", "cards": 2}
    shown = ("hideout", "wyatt-earp")
    own = learned(Knowledge(ANNA), searching, facts=[{"stack": list(shown)}])
    assert (own.hand, own.found, own.stack) == ((), None, shown)
    assert learned(own, {"event": "turn-ended", "seat": "burt"}, seat="burt").stack == shown
    drawn = [{"card": "bob-dalton"}]
    assert learned(own, {**searching, "seat": "burt"}, seat="burt", draws=drawn).stack == shown
    assert learned(own).stack == ()
    ended: JsonObject = {"event": "hand-ended", "reason": "exhausted"}
    assert learned(own, ended, seat="burt").stack == ()
    hands = learned(own, {"event": "found", "seat": "anna"}, facts=[{"found": "hideout"}])
    assert (hands.found, hands.stack) == ("hideout", ())
    assert learned(hands, {"event": "found", "seat": "burt"}, seat="burt", draws=drawn).found == "hideout"
    assert learned(hands, ended, seat="burt").found is None


@pytest.mark.parametrize("seat", [ANNA, BURT, CURT])
@pytest.mark.parametrize(
    "members",
    [
        {},
        {"found": "hideout"},
        {"phase": "draw"},
        {"phase": "choose", "pending": {"card": "wyatt-earp", "mode": "search"}},
        {"phase": "choose", "pending": {"card": "hideout"}},
        {"phase": "choose", "active": "burt", "pending": {"card": "wyatt-earp", "mode": "search"}},
        {"phase": "over", "winners": ["curt"]},
    ],
    ids=str,
)
def test_a_seat_sees_on_its_own_machine_what_the_referee_sees_for_it(members: JsonObject, seat: Seat) -> None:
    """Rows: P1, P2, O7, O11. It knows its hand, what it found, and the stack it was shown last."""
    rules = rules_for(3)
    state = position(rules, discard=["wyatt-earp", "hideout", "jesse-james"], **members)
    seen = rules.observe(state, seat)
    hand = tuple(rules.position_to_json(state)["hands"][seat])
    card = members.get("found") if seat == ANNA else None
    own = Knowledge(seat, hand, card, ("wyatt-earp", "hideout", "jesse-james"))
    assert rules.view_of(rules.observe(state, PUBLIC), own) == seen
    searching = members.get("pending", {}).get("mode") == "search" and seat == members.get("active", ANNA)
    assert ("stack" in rules.view_to_json(seen)) is searching


@pytest.mark.parametrize("seat", [ANNA, BURT, PUBLIC], ids=str)
def test_what_a_seat_imagines_agrees_with_what_it_sees(seat: Seat) -> None:
    """Rows: P1, P2. Cards that it cannot know differ from one imagined state to another."""
    rules = rules_for(3)
    view = rules.observe(position(rules, discard=["belle-starr", "wyatt-earp", "jesse-james"]), seat)
    worlds = rules.worlds(view)
    assert len(set(worlds)) > 1
    assert all(rules.observe(world, seat) == view for world in (*worlds, rules.imagine(view)))


@pytest.mark.parametrize("card", [NAMES[0], "wyatt-earp"])
@pytest.mark.parametrize("after", [[], [{"event": "hand-ended", "reason": "went-out"}]])
def test_a_card_that_was_never_held_is_noticed(card: str, after: list[JsonObject]) -> None:
    with pytest.raises(NotHeld, match=card):
        learned(Knowledge(ANNA), {"event": "discarded", "seat": "anna", "card": card, "why": "turn"}, *after)
