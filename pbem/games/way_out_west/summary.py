"""Derived public figures of Way Out West for a person: a pure function of the public view's JSON.

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

from collections.abc import Mapping
from typing import Final

from pbem.game import JsonObject, Seat, Setup
from pbem.games.way_out_west.board import COUNTERS, Board, read_board

_SOURCES: Final = ("cattle", "bank", "store", "hotel")
_MOST_CASH: Final = (5, 2)
_MOST_WANTED: Final = (4, 2)
"""Points for the most, and for each of several who tie (Q6, Q7)."""

_Towns = Mapping[str, JsonObject]


def summary(view: JsonObject, setup: Setup) -> JsonObject:
    """The figures of this view."""
    board = read_board(setup.extra["board"])
    towns: _Towns = {town.id: _filled_in(view.get("towns", {}).get(town.id, {})) for town in board.towns}
    later = [space for space in sorted(board.income_spaces) if space >= view["space"]]
    return {
        "towns": _town_rows(towns, board, setup),
        "boxes": _boxes(view, board, setup),
        "income": {str(seat): _income(towns, seat, setup) for seat in setup.seats},
        "next_income": later[0] if later else None,
        "last_space": board.last_space,
        "points": _points(view, towns, setup),
        "stock": {str(seat): _stock(view, towns, board, seat) for seat in setup.seats},
        "wanted_supply": max(0, board.wanted - sum(view.get("wanted", {}).values())),
    }


def _filled_in(town: JsonObject) -> JsonObject:
    return {
        "cowboys": town.get("cowboys") or {},
        "cattle": town.get("cattle") or {},
        "assets": {asset: owner for asset, owner in (town.get("assets") or {}).items() if owner},
        "farmer": town.get("farmer"),
    }


# --- towns and boxes --------------------------------------------------------------------------------------


def _town_rows(towns: _Towns, board: Board, setup: Setup) -> list[JsonObject]:
    rows: list[JsonObject] = []
    opened = True
    for number, plan in enumerate(board.towns, 1):
        town = towns[plan.id]
        filled = _corrals_filled(town, setup)
        rows.append(
            {
                "id": plan.id,
                "name": plan.name,
                "number": number,
                "corrals": plan.corrals,
                "filled": filled,
                "needed": plan.corrals // 2 + 1,
                "open": opened,
                "buildings": plan.buildings,
                "size": len(town["assets"]),
                "control": _control(town, setup),
            }
        )
        passes = 2 * filled > plan.corrals
        opened = passes and (opened or setup.options["cattle_gate"] != "all_lower")
    return rows


def _corrals_filled(town: JsonObject, setup: Setup) -> int:
    """D3, D5: a farmer fills a corral unless the option says otherwise."""
    farmer = bool(town["farmer"]) and setup.options["farmer_fills"]
    return int(sum(town["cattle"].values()) + farmer)


def _boxes(view: JsonObject, board: Board, setup: Setup) -> list[JsonObject]:
    used = set(view.get("used_boxes", ()))
    return [
        {
            "id": box.id,
            "kind": box.kind,
            "asset": box.asset,
            "price": box.price,
            "per_counter": box.per_counter,
            "value": box.value,
            "used": box.id in used,
        }
        for box in board.boxes
        if box.min_players <= len(setup.seats)
    ]


def _stock(view: JsonObject, towns: _Towns, board: Board, seat: Seat) -> dict[str, int]:
    gone = {"jail": view.get("jails_lost", {}).get(seat, 0)}

    def on_map(what: str) -> int:
        if what in ("cowboy", "cattle"):
            member = "cowboys" if what == "cowboy" else "cattle"
            return sum(town[member].get(seat, 0) for town in towns.values())
        return sum(town["assets"].get(what) == seat for town in towns.values())

    return {what: board.counters[what] - on_map(what) - gone.get(what, 0) for what in COUNTERS}


# --- income (P4–P9) ---------------------------------------------------------------------------------------


def _income(towns: _Towns, seat: Seat, setup: Setup) -> dict[str, int]:
    paid = dict.fromkeys(_SOURCES, 0)
    for town in towns.values():
        paid["cattle"] += town["cattle"].get(seat, 0) * _per_cattle(town)
        if town["assets"].get("bank") == seat:
            paid["bank"] += 2 * sum(owner != seat for owner in town["assets"].values())
        if town["assets"].get("store") == seat:
            paid["store"] += _store(town, seat, setup)
        if town["assets"].get("hotel") == seat:
            paid["hotel"] += _others(town["cowboys"], seat)
    return {**paid, "total": sum(paid.values())}


def _per_cattle(town: JsonObject) -> int:
    """P4: 2 / 1 / 4 / 2 for none / farmer / train / both."""
    return (1 if town["farmer"] else 2) * (2 if "train" in town["assets"] else 1)


def _store(town: JsonObject, seat: Seat, setup: Setup) -> int:
    """P6–P8: one for each foreign cattle, two more for a farmer; ``store_follows_cattle`` and ``store_own_farmer``."""
    sold = _others(town["cattle"], seat)
    if setup.options["store_follows_cattle"]:
        sold *= 2 if "train" in town["assets"] else 1
        sold = (sold + 1) // 2 if town["farmer"] else sold
    own_farmer = town["farmer"] == seat and setup.options["store_own_farmer"] == "no"
    return sold + (2 if town["farmer"] and not own_farmer else 0)


def _others(counts: Mapping[str, int], seat: Seat) -> int:
    return sum(count for owner, count in counts.items() if owner != seat)


# --- points (Q1–Q7) ---------------------------------------------------------------------------------------


def _points(view: JsonObject, towns: _Towns, setup: Setup) -> JsonObject:
    cash = view.get("cash", {})
    rich = _most(cash, setup, _MOST_CASH) if all(seat in cash for seat in setup.seats) else {}
    wanted = _most(view.get("wanted", {}), setup, _MOST_WANTED)
    points: JsonObject = {}
    for seat in setup.seats:
        parts = {"assets": 0, "cattle": 0, "control": 0, "cash": rich.get(seat, 0), "wanted": wanted[seat]}
        for town in towns.values():
            size = len(town["assets"])
            parts["assets"] += size * sum(owner == seat for owner in town["assets"].values())
            each = 1 + ("train" in town["assets"]) - bool(town["farmer"])
            parts["cattle"] += each * town["cattle"].get(seat, 0)
            parts["control"] += size if _control(town, setup) == seat else 0
        points[seat] = {**parts, "total": sum(parts.values())}
    return points


def _control(town: JsonObject, setup: Setup) -> Seat | None:
    """Q3: most assets and cattle together; a tie is nobody's."""
    holdings = {
        seat: town["cattle"].get(seat, 0) + sum(owner == seat for owner in town["assets"].values())
        for seat in setup.seats
    }
    most = max(holdings.values())
    leaders = [seat for seat, count in holdings.items() if count == most]
    return leaders[0] if most and len(leaders) == 1 else None


def _most(amounts: Mapping[str, int], setup: Setup, prize: tuple[int, int]) -> dict[Seat, int]:
    """Q6, Q7, also for 0 (Q8)."""
    most = max(amounts.get(seat, 0) for seat in setup.seats)
    leaders = [seat for seat in setup.seats if amounts.get(seat, 0) == most]
    points = prize[0] if len(leaders) == 1 else prize[1]
    return {seat: points if seat in leaders else 0 for seat in setup.seats}
