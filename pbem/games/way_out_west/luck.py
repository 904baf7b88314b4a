"""The dice of gunfights as trials: each die hits on 5 or 6 (L3), whoever rolls it.

A volley's event names a side; whose side it is says the ``gunfight`` event before it or, of a fight that was under
way already, the public view before. Farmers have no seat, so their dice are nobody's luck; a robbery's dice have no
success and are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat, Trial

_SIDES: Final = {
    "attack": sentence("attack in a gunfight"),
    "defence": sentence("defence in a gunfight"),
}


def trials(steps: Sequence[JsonObject], before: JsonObject | None) -> tuple[Trial, ...]:
    """One trial for each die that a seat rolled in a volley; ``before`` is the public view the steps begin from."""
    return tuple(_trials(steps, (before or {}).get("fight")))


def _trials(steps: Sequence[JsonObject], fight: JsonObject | None) -> Iterator[Trial]:
    for step in steps:
        for event in step.get("events", ()):
            if event["event"] == "gunfight":
                fight = event
            elif event["event"] == "volley" and fight is not None:
                yield from _volley(fight["attacker" if event["side"] == "attack" else "defender"], event)


def _volley(seat: str, event: JsonObject) -> Iterator[Trial]:
    if seat == "farmer":
        return
    for value in event["dice"]:
        yield Trial(Seat(seat), _SIDES[event["side"]], (1, 3), value >= 5)
