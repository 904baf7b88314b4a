"""The dice of gunfights as trials: each die hits on 5 or 6 (L3), whoever rolls it.

A volley's event names a side; whose side it is says the ``gunfight`` event before it. Of a fight that began before
the given steps only those volleys are counted that one seat's ``fire`` brought about alone. Farmers have no seat,
so their dice are nobody's luck; a robbery's dice have no success and are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pbem.game import JsonObject, Seat, Trial
from pbem.sentences import sentence

_SIDES: Final = {
    "attack": sentence("attack in a gunfight"),
    "defence": sentence("defence in a gunfight"),
}


def trials(steps: Sequence[JsonObject]) -> tuple[Trial, ...]:
    """One trial for each die that a seat rolled in a volley."""
    return tuple(_trials(steps))


def _trials(steps: Sequence[JsonObject]) -> Iterator[Trial]:
    sides: dict[str, str] = {}
    for step in steps:
        for event in step.get("events", ()):
            if event["event"] == "gunfight":
                sides = {"attack": event["attacker"], "defence": event["defender"]}
            elif event["event"] == "gunfight-won":
                sides = {}
            elif event["event"] == "volley":
                seat = sides.get(event["side"]) or _who_fired(step)
                yield from _volley(seat, event)


def _who_fired(step: JsonObject) -> str:
    fired = step.get("action", {}).get("do") == "fire"
    return str(step["seat"]) if fired and _volleys(step) == 1 else "farmer"


def _volleys(step: JsonObject) -> int:
    return sum(event["event"] == "volley" for event in step["events"])


def _volley(seat: str, event: JsonObject) -> Iterator[Trial]:
    if seat == "farmer":
        return
    for value in event["dice"]:
        yield Trial(Seat(seat), _SIDES[event["side"]], (1, 3), value >= 5)
