"""Derived public figures of Way Out West for a person, from the public view's JSON and the rules that score it.

::

    {"towns":  [{"id", "name", "number", "corrals", "filled", "needed", "open", "buildings", "size", "control"}, …]
     "boxes":  [{"id", "kind", "price", "per_counter", "value", "asset", "used"}, …]     boxes of this match (C6)
     "income": {seat: {"cattle", "bank", "store", "hotel", "total"}}                 if it were paid now (P4–P9)
     "next_income": space or null,  "last_space": n
     "points": {seat: {"assets", "cattle", "control", "cash", "wanted", "total"}}    if the match ended now (Q1–Q7)
     "stock":  {seat: {"cowboy", "cattle", …}},  "wanted_supply": n}

``needed`` is how many filled corrals open the next town (D3); ``control`` the seat that would score it, or null.
Where cash is not public (``money_public=false``) nobody scores for it here.
"""

from __future__ import annotations

from dataclasses import asdict, replace

from pbem.game import JsonObject
from pbem.games.way_out_west.board import COUNTERS
from pbem.games.way_out_west.position_json import lying_from_json
from pbem.games.way_out_west.scoring import SOURCES, controller, income_of, points_of
from pbem.games.way_out_west.state import (
    NOBODY,
    Match,
    Position,
    filled_corrals,
    is_open,
    stock_on_board,
    wanted_supply,
)


def summary(match: Match, view: JsonObject) -> JsonObject:
    """The figures of this view (or of a seat's)."""
    position = lying_from_json(match, view)
    board = match.board
    later = [space for space in sorted(board.income_spaces) if space >= view["space"]]
    return {
        "towns": [_town(match, position, number) for number in range(len(board.towns))],
        "boxes": [
            {
                "id": box.id,
                "kind": box.kind,
                "asset": box.asset,
                "price": box.price,
                "per_counter": box.per_counter,
                "value": box.value,
                "used": box.id in view.get("used_boxes", ()),
            }
            for box in match.boxes
        ],
        "income": _income(match, position),
        "next_income": later[0] if later else None,
        "last_space": board.last_space,
        "points": _points(match, position, cash_known=len(view.get("cash", {})) == len(match.seats)),
        "stock": {
            seat: {what: stock_on_board(match, position, at, what) for what in COUNTERS}
            for at, seat in enumerate(match.seats)
        },
        "wanted_supply": wanted_supply(match, position),
    }


def _town(match: Match, position: Position, number: int) -> JsonObject:
    plan, town = match.board.towns[number], position.towns[number]
    ruler = controller(town)
    return {
        "id": plan.id,
        "name": plan.name,
        "number": number + 1,
        "corrals": plan.corrals,
        "filled": filled_corrals(match, town),
        "needed": plan.corrals // 2 + 1,
        "open": is_open(match, position.towns, number),
        "buildings": plan.buildings,
        "size": town.size,
        "control": None if ruler == NOBODY else match.seats[ruler],
    }


def _income(match: Match, position: Position) -> JsonObject:
    paid: JsonObject = {seat: {**dict.fromkeys(SOURCES, 0), "total": 0} for seat in match.seats}
    for seat, source, _, amount in income_of(match, position):
        paid[match.seats[seat]][source] += amount
        paid[match.seats[seat]]["total"] += amount
    return paid


def _points(match: Match, position: Position, *, cash_known: bool) -> JsonObject:
    scores = zip(match.seats, points_of(match, position), strict=True)
    counted = {seat: score if cash_known else replace(score, cash=0) for seat, score in scores}
    return {seat: {**asdict(score), "total": score.total} for seat, score in counted.items()}
