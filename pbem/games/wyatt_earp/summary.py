"""Derived public figures of a hand for a person: a pure function of the public view's JSON.

::

    {"cp":       {outlaw: {seat: n}},      capture points that count now (G1): 0 under a Hideout (N2)
     "hidden":   {outlaw: {seat: n}},      what a covered group would count; seats without one are left out
     "total":    {outlaw: n},              all together (G2)
     "captured": {outlaw: bool},           total has reached capture_min
     "capture_min": 8,
     "money_order": [seat, …]}             richest first, seat order among equals
"""

from __future__ import annotations

from typing import Final

from pbem.game import JsonObject, Seat, Setup

_POINTS: Final = {"bank-robbery": 2, "stagecoach-robbery": 1, "fastest-gun": 3}
_OUTLAW: Final = 2
_PHOTO: Final = 4


def summary(view: JsonObject, setup: Setup) -> JsonObject:
    """The figures of this public view (or of a seat's view: hands are not looked at)."""
    capture_min = setup.options["capture_min"]
    outlaws = list(view["posters"])
    cp = {outlaw: {seat: _counting(_group(view, seat, outlaw)) for seat in setup.seats} for outlaw in outlaws}
    total = {outlaw: sum(points.values()) for outlaw, points in cp.items()}
    return {
        "cp": cp,
        "hidden": {outlaw: _hidden(view, setup, outlaw) for outlaw in outlaws},
        "total": total,
        "captured": {outlaw: points >= capture_min for outlaw, points in total.items()},
        "capture_min": capture_min,
        "money_order": sorted(setup.seats, key=lambda seat: -view["money"][seat]),
    }


def _group(view: JsonObject, seat: Seat, outlaw: str) -> JsonObject:
    group: JsonObject = view.get("territories", {}).get(seat, {}).get(outlaw) or {}
    return group


def _printed(group: JsonObject) -> int:
    attached = sum(points * group.get(card, 0) for card, points in _POINTS.items())
    return int(_OUTLAW * group.get("outlaws", 0) + _PHOTO * bool(group.get("photo")) + attached)


def _counting(group: JsonObject) -> int:
    return 0 if group.get("hideout") else _printed(group)


def _hidden(view: JsonObject, setup: Setup, outlaw: str) -> dict[str, int]:
    groups = {seat: _group(view, seat, outlaw) for seat in setup.seats}
    return {str(seat): _printed(group) for seat, group in groups.items() if group.get("hideout")}
