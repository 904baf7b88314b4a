"""Hidden money (``money_public=false``), reckoned from what everybody saw: every payment is an event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pbem.game import JsonObject
from pbem.games.way_out_west.state import Match


def remembered(match: Match, memory: JsonObject, steps: Sequence[JsonObject]) -> JsonObject:
    """``memory`` (``{"cash": by seat}``; empty before the match: A3) after these public steps."""
    cash = dict(memory.get("cash") or dict.fromkeys(match.seats, match.start_cash))
    for step in steps:
        for event in step["events"]:
            for seat, amount in _payments(event):
                cash[seat] += amount
    return {"cash": cash}


def _payments(event: JsonObject) -> Iterator[tuple[str, int]]:
    """Who got how much by an event; less than nothing where somebody paid."""
    match event["event"]:
        case "dropped-out" | "placed" | "box-paid":
            yield event["seat"], -event["paid"]
        case "turn-order" if "paid" in event:  # who dropped out has paid already (B8)
            yield event["order"][0], -event["paid"][event["order"][0]]
        case "toll":
            yield event["to"], event["amount"]
        case "income":
            yield event["seat"], event["amount"]
        case "robbed":
            yield event["from"], -event["amount"]
            yield event["seat"], event["amount"]
        case _:
            pass
