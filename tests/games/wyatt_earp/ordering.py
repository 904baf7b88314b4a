"""What the tests of standing orders share: orders of the vocabulary, and what an order answers."""

from __future__ import annotations

from pbem.game import Json, JsonObject, Seat
from tests.games.wyatt_earp.table import rules_for

JESSE, BELLE = "jesse-james", "belle-starr"


def rule(when: str, do: JsonObject, **facts: Json) -> JsonObject:
    return {"when": when, **({"if": facts} if facts else {}), "do": do}


def order(*rules: JsonObject) -> JsonObject:
    return {"rules": list(rules)}


PASS: JsonObject = {"do": "react", "with": "pass"}


ANSWER: JsonObject = {"do": "react", "with": "wyatt-earp"}


SUPPLY: JsonObject = {"do": "draw", "from": "supply"}


TOP: JsonObject = {"do": "draw", "from": "discard"}


DROP: JsonObject = {"do": "discard", "first": ["hideout"]}


GOOD_ORDERS: list[JsonObject] = [
    order(),
    order(
        rule("react", ANSWER, outlaws=[JESSE], reward_at_least=4000, holding="wyatt-earp"),
        rule("react", PASS),
    ),
    order(
        rule("draw", TOP, top_in=[JESSE, "photo:jesse-james"]), rule("draw", SUPPLY, top_not_in=["hideout"])
    ),
    order(
        rule("play", {"do": "lay", "any": True}), rule("play", {"do": "discard", "first": [BELLE, "hideout"]})
    ),
    order(rule("play", {"do": "bank-robbery", "on": JESSE}, holding="bank-robbery")),
    order(rule("play", {"do": "wyatt-earp", "mode": "search", "take": ["hideout"]})),
    order(rule("choose", {"do": "choose", "first": [JESSE]}), rule("choose", {"do": "choose", "best": True})),
    order(rule("choose", {"do": "choose", "decline": True}, asks="most-wanted")),
    order(
        rule(
            "play",
            {"do": "lay", "outlaw": JESSE, "all": True},
            after="hit",
            sheriff_played=True,
            hand_at_least=2,
            hand_at_most=9,
            not_holding="hideout",
            holding_at_least={"card": JESSE, "at_least": 2},
            supply_at_most=30,
        ),
        rule("choose", {"do": "choose", "outlaws": [JESSE, BELLE]}, after="refused"),
        {**rule("draw", SUPPLY), "turn": {"epoch": 2, "number": 7}},
    ),
    order(rule("react", ANSWER, points_at_least=6, by=["anna", "curt"])),
    order(
        {**rule("draw", SUPPLY, supply_at_most=0), "turn": {"epoch": 1, "number": 1}},
        rule("play", DROP, holding_at_least={"card": JESSE, "at_least": 1}),
    ),
    order(
        rule("play", {"do": "photo", "best": True}),
        rule("play", {"do": "fastest-gun", "best": True}),
        rule("play", {"do": "hideout", "best": True}),
        rule("play", {"do": "most-wanted", "steal": True, "best": True}),
        rule("play", {"do": "wyatt-earp", "mode": "remove-hideout", "best": True}),
    ),
]


def answer(position: JsonObject, seat: str, given: JsonObject) -> JsonObject | None:
    rules = rules_for(3)
    rules.check_order(given)
    state = rules.position_from_json(position)
    action = rules.order_action(rules.observe(state, Seat(seat)), given)
    return None if action is None else rules.action_to_json(action)


WINDOW: JsonObject = {
    "phase": "react",
    "pending": {"card": "hideout", "by": "anna", "outlaw": JESSE},
    "territories": {"burt": {JESSE: {"outlaws": 3, "hideout": True}}},
    "posters": {JESSE: 4000},
    "hands": {"anna": 2, "burt": ["wyatt-earp", BELLE], "curt": 2},
    "supply": 5,
}


BAD_ORDERS: list[Json] = [
    None,
    [],
    {},
    {"rules": {}},
    {"rules": [], "more": 1},
    order({"when": "draw"}),
    order({"do": SUPPLY}),
    order(rule("night", SUPPLY)),
    order(rule("draw", PASS)),
    order(rule("react", SUPPLY)),
    order(rule("draw", SUPPLY, reward_at_least=1)),
    order(rule("draw", SUPPLY, top_in=JESSE)),
    order(rule("draw", SUPPLY, top_in=["nobody"])),
    order(rule("react", PASS, reward_at_least="much")),
    order(rule("react", PASS, outlaws=["hideout"])),
    order(rule("play", {"do": "lay", "any": False})),
    order(rule("play", {"do": "lay", "any": True, "outlaw": JESSE})),
    order(rule("play", {"do": "discard", "first": []})),
    order(rule("play", {"do": "discard"})),
    order(rule("choose", {"do": "choose", "best": 1})),
    order({**rule("draw", SUPPLY), "else": PASS}),
    order(*[rule("draw", SUPPLY)] * 65),
    order({**rule("draw", SUPPLY), "if": []}),
    order(rule("draw", SUPPLY, supply_at_most=-1)),
    order(rule("play", DROP, holding_at_least={"card": "nobody", "at_least": 1})),
    order(rule("play", DROP, holding_at_least={"card": JESSE, "at_least": 1, "at_most": 2})),
    order(rule("draw", SUPPLY, after="hit")),
    order(rule("play", DROP, after="luck")),
    order(rule("play", DROP, sheriff_played=1)),
    order(rule("play", DROP, hand_at_most=True)),
    order(rule("play", DROP, holding_at_least={"card": JESSE})),
    order(rule("play", DROP, holding_at_least={"card": JESSE, "at_least": 0})),
    order(rule("react", PASS, by=[])),
    order(rule("play", {"do": "lay", "outlaw": "hideout", "all": True})),
    order(rule("play", {"do": "lay", "all": True})),
    order(rule("play", {"do": "most-wanted", "best": True})),
    order(rule("play", {"do": "wyatt-earp", "mode": "draw", "best": True})),
    order(rule("play", {"do": "discard", "best": True})),
    order(rule("choose", {"do": "choose", "outlaws": ["hideout"]})),
    order({**rule("draw", SUPPLY), "turn": 3}),
    order({**rule("draw", SUPPLY), "turn": {"epoch": 1, "number": 0}}),
    order({**rule("draw", SUPPLY), "turn": {"epoch": 0, "number": 1}}),
]
