"""How far from chance: exact intervals and exact probabilities, no approximation.

``interval`` is Clopper and Pearson's (Biometrika 26, 1934): whatever the true rate is, it lies within at least as often
as it says. It never is too narrow; for few tries it is wide, and that is the honest answer. ``at_least_as_odd``
takes every try with the chance that it had (the Poisson binomial distribution).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, lgamma, log, log1p

CONFIDENCE = 0.95
_HALVINGS = 60


def interval(hits: int, tries: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Between which rates the true one lies, by ``hits`` of ``tries``; (0, 1) without a try."""
    if not 0 <= hits <= tries:
        raise ValueError(f"{hits} hits of {tries} tries")
    if not tries:
        return 0.0, 1.0
    tail = (1 - confidence) / 2
    low = _solve(lambda rate: _at_least(hits, tries, rate) < tail) if hits else 0.0
    high = _solve(lambda rate: _at_least(hits + 1, tries, rate) < 1 - tail) if hits < tries else 1.0
    return low, high


def _solve(below: Callable[[float], bool]) -> float:
    """Where the condition stops to hold, on its way from 0 to 1."""
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return (low + high) / 2


def _at_least(hits: int, tries: int, rate: float) -> float:
    """The chance of ``hits`` or more."""
    if rate <= 0 or rate >= 1:
        return 1.0 if hits <= 0 or rate >= 1 else 0.0
    return sum(exp(_log_chance(count, tries, rate)) for count in range(hits, tries + 1))


def _log_chance(hits: int, tries: int, rate: float) -> float:
    ways = lgamma(tries + 1) - lgamma(hits + 1) - lgamma(tries - hits + 1)
    return ways + hits * log(rate) + (tries - hits) * log1p(-rate)


def distribution(odds: Sequence[Fraction]) -> list[float]:
    """The chance of 0, 1, 2 … hits in tries that had these chances."""
    chances = [1.0]
    for odd in odds:
        rate = float(odd)
        missed = [chance * (1 - rate) for chance in chances] + [0.0]
        for count, chance in enumerate(chances):
            missed[count + 1] += chance * rate
        chances = missed
    return chances


def at_least_as_odd(hits: int, odds: Sequence[Fraction]) -> float:
    """The chance that a result as unlikely as this one, or more so, falls by itself (two-sided, exact)."""
    chances = distribution(odds)
    limit = chances[hits] * (1 + 1e-9)
    return min(1.0, sum(chance for chance in chances if chance <= limit))
