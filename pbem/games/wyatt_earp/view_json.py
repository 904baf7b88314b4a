"""Views as JSON: what records, letters and players are shown (schemas/wyatt-earp/view.schema.json)."""

from __future__ import annotations

from pbem.base.shapes.schema import narrowed
from pbem.game import BadSetup, Json, JsonObject, MalformedAction
from pbem.games.wyatt_earp.cards import KIND_OF, NAMES, NONE, kinds_in
from pbem.games.wyatt_earp.state import Match
from pbem.games.wyatt_earp.table_json import common_from_json, common_to_json
from pbem.games.wyatt_earp.view import View


def view_to_json(match: Match, view: View) -> JsonObject:
    """The position with every secret replaced by its number, and what the viewer alone knows."""
    told = common_to_json(match, view, view.hand_number)
    hands: JsonObject = dict(zip(match.seats, view.sizes, strict=True))
    discard: JsonObject = {"count": view.discard}
    if view.top != NONE:
        discard["top"] = NAMES[view.top]
    if view.takeable != NONE:
        discard["takeable"] = view.takeable
    told |= {"hands": hands, "supply": view.supply, "discard": discard}
    if view.waiting != NONE:
        told["waiting"] = {"seat": match.seats[view.waiting], "phase": view.phase}
    if view.viewer == NONE:
        return told
    hands[match.seats[view.viewer]] = [NAMES[kind] for kind in kinds_in(view.hand)]
    if view.found != NONE:
        told["found"] = NAMES[view.found]
    if view.stack is not None:
        told["stack"] = [NAMES[kind] for kind in view.stack]
    return told


def public_from_json(match: Match, obj: Json) -> View:
    """The public view that a record holds.

    Raises:
        MalformedAction: if it is none.
    """
    fault = narrowed("wyatt-earp/view", match.words).fault(obj)
    if fault is not None:
        raise MalformedAction(fault.told("public"))
    try:
        common = common_from_json(match, obj)
    except BadSetup as error:
        raise MalformedAction(str(error)) from error
    discard = obj["discard"]
    return View(
        hand_number=obj["hand"],
        sizes=tuple(obj["hands"][seat] for seat in match.seats),
        supply=obj["supply"],
        discard=discard["count"],
        top=KIND_OF[discard["top"]] if "top" in discard else NONE,
        takeable=discard.get("takeable", NONE),
        **common,
    )
