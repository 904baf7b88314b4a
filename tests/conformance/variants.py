"""Optional fields: ways to say more in one action than its short form does (each game's ``action.schema.json``).

A table by game, since only the vocabulary knows which fields there are. What is yielded here is legal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

from pbem.game import AnyRules, IllegalAction, Json, JsonObject, MalformedAction
from pbem.games.way_out_west.actions import NAMES
from tests.conformance.keyed import Keyed

OUTLAWS = (
    "belle-starr",
    "billy-the-kid",
    "bob-dalton",
    "butch-cassidy",
    "jesse-james",
    "sundance-kid",
    "wes-hardin",
)
TOWNS = ("san-antonia", "kansas-city", "abilene", "dodge-city", "deadwood")
BOXED = {name for kind, name in NAMES.items() if any(field.name == "box" for field in fields(kind))}
"""Actions of Way Out West that may name their box; any other is refused for its form, whichever box it names."""


def variants(game_id: str, rules: AnyRules, view: Any, action: Any, keyed: Keyed) -> Iterator[Any]:
    """Legal actions whose short form is ``action``, with something named in advance."""
    for more in wishes(game_id, rules, rules.action_to_json(action), keyed):
        try:
            named = rules.action_from_json(more, bulk=True)
            rules.check(view, named)
        except (IllegalAction, MalformedAction):
            continue
        yield named


def wishes(game_id: str, rules: AnyRules, short: JsonObject, keyed: Keyed) -> list[JsonObject]:
    """``short`` with optional fields added; legal or not."""
    make = _BY_GAME.get(game_id)
    return [] if make is None else [{**short, **more} for more in make(rules, short, keyed)]


def _standoff(rules: AnyRules, short: JsonObject, keyed: Keyed) -> list[JsonObject]:
    if short["do"] == "shoot":
        return [{"at": seat} for seat in rules.setup.seats]
    kinds = ["ace", "king", "queen", "jack"]
    return [{"take": keyed.sample(kinds, 1 + keyed.below(3))}] if short["do"] == "search" else []


def _wyatt_earp(rules: AnyRules, short: JsonObject, keyed: Keyed) -> list[JsonObject]:
    on: list[JsonObject] = [{"on": outlaw} for outlaw in OUTLAWS]
    if short["do"] in ("bank-robbery", "stagecoach-robbery", "fastest-gun"):
        return on
    if short["do"] == "hideout":
        return [{**more, "seat": seat} for more in on for seat in rules.setup.seats]
    if short["do"] == "most-wanted" and "steal" in short:
        return [{"outlaw": outlaw, "seat": seat} for outlaw in OUTLAWS for seat in rules.setup.seats]
    if short["do"] == "wyatt-earp" and short["mode"] == "remove-hideout":
        return on
    if short["do"] == "wyatt-earp" and short["mode"] == "search":
        cards = [*OUTLAWS, "hideout", "most-wanted", "bank-robbery", "photo:wes-hardin"]
        return [{"take": keyed.sample(cards, 1 + keyed.below(5))} for _ in range(2)]
    return []


def _way_out_west(rules: AnyRules, short: JsonObject, keyed: Keyed) -> list[JsonObject]:
    board: Json = rules.setup.extra.get("board", {})
    boxes: list[JsonObject] = [{"box": box["id"]} for box in board.get("action_boxes", ())]
    if short["do"] not in BOXED:
        return boxes[:1]
    if short["do"] == "gunfight":
        to = keyed.sample([town for town in TOWNS if town != short["town"]], keyed.below(4))
        boxes.append({"plan": {"retreat_below": 1 + keyed.below(3), "to": to}})
    return boxes


_BY_GAME: dict[str, Callable[[AnyRules, JsonObject, Keyed], list[JsonObject]]] = {
    "standoff": _standoff,
    "wyatt-earp": _wyatt_earp,
    "way-out-west": _way_out_west,
}
