"""Exact chances in a gunfight fought to the end: nobody retreats (rules L1 to L5); and its dice as trials (L3).

A die hits on 5 or 6, so with probability 1/3. Alternating fire can go round without a hit; the two unknown chances are
then solved for, not iterated. Everything is a fraction.

A volley's event names a side; whose side it is says the ``gunfight`` event before it or, of a fight that was under way
already, the public view before. Farmers have no seat, so their dice are nobody's luck; a robbery's dice have no success
and are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import comb
from typing import Final

from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat, Trial

HIT: Final = Fraction(1, 3)


@dataclass(frozen=True, slots=True)
class Odds:
    """Chances of the attack, of the defence, and of a fight that wipes out both (L9)."""

    attack: Fraction
    defence: Fraction
    nobody: Fraction


@cache
def hits(dice: int, count: int) -> Fraction:
    """Chance that so many dice hit exactly so often."""
    return comb(dice, count) * HIT**count * (1 - HIT) ** (dice - count)


@cache
def firing(own: int, enemy: int) -> Fraction:
    """Chance to win of the side whose moment to fire it is, under alternating fire (L4)."""
    if own == 0 or enemy == 0:
        return Fraction(int(own > 0))
    missed, missed_back = hits(own, 0), hits(enemy, 0)
    ahead = missed + _after_hits(own, enemy) - missed * (_after_hits(enemy, own) + missed_back)
    return ahead / (1 - missed * missed_back)


@cache
def _after_hits(own: int, enemy: int) -> Fraction:
    """The part of ``firing`` in which this volley kills somebody."""
    return sum(
        (hits(own, count) * (1 - firing(max(0, enemy - count), own)) for count in range(1, own + 1)),
        Fraction(0),
    )


@cache
def together(attack: int, defence: int) -> Odds:
    """Chances under simultaneous fire (L2, L5), however strong the sides still are."""
    if attack == 0 or defence == 0:
        return Odds(Fraction(int(attack > 0)), Fraction(int(defence > 0)), Fraction(int(attack == defence)))
    sums = [Fraction(0)] * 3
    for killed in range(attack + 1):
        for lost in range(defence + 1):
            if killed == lost == 0:
                continue
            chance = hits(attack, killed) * hits(defence, lost)
            after = together(max(0, attack - lost), max(0, defence - killed))
            sums = [
                total + chance * part
                for total, part in zip(sums, (after.attack, after.defence, after.nobody), strict=True)
            ]
    again = 1 - hits(attack, 0) * hits(defence, 0)
    return Odds(sums[0] / again, sums[1] / again, sums[2] / again)


def odds(attack: int, defence: int) -> Odds:
    """Chances when strengths are compared: the weaker side fires first, equal sides together (L1, L2)."""
    if attack == defence:
        return together(attack, defence)
    if attack < defence:
        won = firing(attack, defence)
        return Odds(won, 1 - won, Fraction(0))
    won = firing(defence, attack)
    return Odds(1 - won, won, Fraction(0))


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
