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

from pbem.game import JsonObject
from pbem.games.wyatt_earp.cards import HIDEOUT_BIT, OUTLAW_NAMES, capture_points
from pbem.games.wyatt_earp.position_json import table_from_json
from pbem.games.wyatt_earp.state import Match


def summary(match: Match, view: JsonObject) -> JsonObject:
    """The figures of this public view (or of a seat's view: hands are not looked at)."""
    table = table_from_json(view.get("territories", {}), match.seats)
    groups = {
        name: dict(zip(match.seats, table[outlaw::7], strict=True))
        for outlaw, name in enumerate(OUTLAW_NAMES)
    }
    cp = {name: {seat: capture_points(group) for seat, group in of.items()} for name, of in groups.items()}
    total = {name: sum(points.values()) for name, points in cp.items()}
    least = match.options.capture_min
    return {
        "cp": cp,
        "hidden": {
            name: {
                seat: capture_points(group & ~HIDEOUT_BIT)
                for seat, group in of.items()
                if group & HIDEOUT_BIT
            }
            for name, of in groups.items()
        },
        "total": total,
        "captured": {name: points >= least for name, points in total.items()},
        "capture_min": least,
        "money_order": sorted(match.seats, key=lambda seat: -view["money"][seat]),
    }
