"""Deal again what a viewer cannot see: another state in which that viewer must see just the same.

A table by game: what is hidden is the game's own matter (rules P1, P2, P5 of Wyatt Earp; ``money_public`` of
Way Out West). None means that this viewer sees everything there is. A game that is not in the table fills it in itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pbem.game import PUBLIC, AnyRules, JsonObject, Seat, Viewer
from tests.conformance.keyed import Keyed

EARP = "wyatt-earp"


def resampled(game_id: str, rules: AnyRules, state: Any, viewer: Viewer, keyed: Keyed) -> Any | None:
    """A state that differs from ``state`` only in what ``viewer`` does not know."""
    return _BY_GAME.get(game_id, _imagined)(rules, state, viewer, keyed)


def _imagined(rules: AnyRules, state: Any, viewer: Viewer, keyed: Keyed) -> Any:
    """What the game itself fills in for all that the viewer cannot see."""
    return rules.imagine(rules.observe(state, viewer))


def _shuffle_slots(areas: list[list[str]], keyed: Keyed, movable: Callable[[str], bool]) -> None:
    """Mix, over all areas, the cards that are movable; each area keeps its size."""
    slots = [(area, at) for area in areas for at, card in enumerate(area) if movable(card)]
    cards = keyed.shuffled([area[at] for area, at in slots])
    for (area, at), card in zip(slots, cards, strict=True):
        area[at] = card


def _cards(rules: AnyRules, state: Any, viewer: Viewer, keyed: Keyed) -> Any | None:
    position: JsonObject = rules.position_to_json(state)
    stack = "stack" in rules.view_to_json(rules.observe(state, viewer))
    asking = _laid_aside(position, viewer)
    others = [hand for seat, hand in position["hands"].items() if seat != viewer]
    hidden = others if stack else [*others, position["supply"]]
    _shuffle_slots(hidden, keyed, bool)
    if not stack and position["discard"]:
        below = position["discard"][1:]
        _shuffle_slots([*hidden, below], keyed, lambda card: card != EARP)
        position["discard"][1:] = keyed.shuffled(below)
    if asking:
        position["hands"][position["active"]].append(asking)
    for hand in others:
        hand.sort()
    if "found" in position and position["active"] != viewer:
        known = [card for card in position["hands"][position["active"]] if card != EARP]
        if not known:
            return None
        position["found"] = keyed.choice(known)
    return rules.position_from_json(position)


def _laid_aside(position: JsonObject, viewer: Viewer) -> str:
    """The played card that asks something is known to all, also while it is counted in the hand."""
    card: str = position.get("pending", {}).get("card", "")
    hand = position["hands"][position["active"]]
    if position["active"] == viewer or position["phase"] != "choose" or card not in hand:
        return ""
    hand.remove(card)
    return card


def _cash(rules: AnyRules, state: Any, viewer: Viewer, keyed: Keyed) -> Any | None:
    if rules.setup.options["money_public"] in (True, "true"):
        return None
    position: JsonObject = rules.position_to_json(state)
    for seat in position["cash"]:
        if seat != viewer:
            position["cash"][seat] += keyed.below(9)
    return rules.position_from_json(position)


_BY_GAME: dict[str, Callable[[AnyRules, Any, Viewer, Keyed], Any | None]] = {
    "standoff": _cards,
    "wyatt-earp": _cards,
    "way-out-west": _cash,
}


def viewers(rules: AnyRules) -> list[Viewer]:
    return [PUBLIC, *(Seat(seat) for seat in rules.setup.seats)]
