"""Luck against exact expectation, with a band that says honestly how far chance alone goes.

Two questions, two answers. *How many hits in all?* ``low`` to ``high`` of a row holds the number of hits with at least
95 % by chance alone. *Did the luck ever leave the band on its way?* A path of many tries leaves a pointwise band much
more often than one time in twenty; so the band of a path is simultaneous: by chance alone the **whole** path stays
inside with at least 95 %. Both are exact sums over the chances each try had, no approximation. Tries count as
independent; cards of one deck are not, they vary less: for them the bands are rather too wide than too narrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from pbem.game import JsonObject
from pbem.player.history.chances import CONFIDENCE, at_least_as_odd, distribution, interval
from pbem.protocol.audit import Draw, Luck, luck_of

MOST_POINTS = 300
"""A path with more tries is told at every second one, every third, …"""
_TAILS = tuple((1 - CONFIDENCE) / 1.35**step for step in range(20))
"""Pointwise tails that are tried, widest first, until the whole path stays inside often enough."""
_NOTHING = 1e-12


def luck_rows(draws: Sequence[Draw]) -> list[JsonObject]:
    """By seat and kind: hits, due, the range of chance, the interval of the true rate, how odd it is."""
    return [_row(luck, _of(draws, luck)) for luck in luck_of(draws)]


def _of(draws: Sequence[Draw], luck: Luck) -> list[Draw]:
    return [d for d in draws if d.trial.seat == luck.seat and luck.what in ("", d.trial.label)]


def _row(luck: Luck, mine: Sequence[Draw]) -> JsonObject:
    odds = [draw.odds for draw in mine]
    low, high = chance_range(distribution(odds))
    rates = interval(luck.hits, luck.count)
    return luck.to_json() | {
        "range": [low, high],
        "interval_thousandths": [round(1000 * rate) for rate in rates],
        "as_odd_thousandths": round(1000 * at_least_as_odd(luck.hits, odds)),
    }


def chance_range(chances: Sequence[float], tail: float = 1 - CONFIDENCE) -> tuple[int, int]:
    """The narrowest ``low`` to ``high`` that leave out at most half of ``tail`` on either side."""
    low, below = 0, 0.0
    while below + chances[low] <= tail / 2:
        below += chances[low]
        low += 1
    high, above = len(chances) - 1, 0.0
    while above + chances[high] <= tail / 2:
        above += chances[high]
        high -= 1
    return low, high


def paths(draws: Sequence[Draw]) -> list[JsonObject]:
    """For each seat how far the hits lay from expectation after each try, and the band around it; in thousandths."""
    seats = dict.fromkeys(draw.trial.seat for draw in draws)
    return [_path(seat, [draw for draw in draws if draw.trial.seat == seat]) for seat in seats]


def _path(seat: str, mine: Sequence[Draw]) -> JsonObject:
    odds = [draw.odds for draw in mine]
    band = simultaneous_band(odds)
    stride = -(-len(mine) // MOST_POINTS)
    due, hits, inside = Fraction(0), 0, True
    points = [[0, 0, 0, 0]]
    for number, draw in enumerate(mine, start=1):
        due, hits = due + draw.odds, hits + draw.trial.success
        low, high = band[number]
        inside = inside and low <= hits <= high
        if number % stride == 0 or number == len(mine):
            points.append([number, *(round(1000 * (count - due)) for count in (hits, low, high))])
    return {"seat": seat, "inside": inside, "points": points}


def simultaneous_band(odds: Sequence[Fraction]) -> list[tuple[int, int]]:
    """For 0, 1, 2 … tries the fewest and the most hits, so that a whole path stays inside with 95 %."""
    bands = _pointwise([float(odd) for odd in odds])
    for band in bands:
        if _stays([float(odd) for odd in odds], band) >= CONFIDENCE:
            return band
    return bands[-1]


def _pointwise(rates: Sequence[float]) -> list[list[tuple[int, int]]]:
    """A band for each tail: the range of chance after each number of tries."""
    bands: list[list[tuple[int, int]]] = [[(0, 0)] for _ in _TAILS]
    start, chances = 0, [1.0]
    for rate in rates:
        start, chances = _next(start, chances, rate)
        for band, tail in zip(bands, _TAILS, strict=True):
            low, high = chance_range(chances, tail)
            band.append((start + low, start + high))
    return bands


def _stays(rates: Sequence[float], band: Sequence[tuple[int, int]]) -> float:
    """The chance that the hits never leave the band."""
    start, chances = 0, [1.0]
    for rate, (low, high) in zip(rates, band[1:], strict=True):
        start, chances = _next(start, chances, rate)
        first, last = max(low, start), min(high, start + len(chances) - 1)
        start, chances = first, chances[first - start : last - start + 1]
    return sum(chances)


def _next(start: int, chances: Sequence[float], rate: float) -> tuple[int, list[float]]:
    """The distribution of the hits (from ``start`` on) after one more try; what can be neglected is cut off."""
    after = [0.0] * (len(chances) + 1)
    for count, chance in enumerate(chances):
        after[count] += chance * (1 - rate)
        after[count + 1] += chance * rate
    first, last = 0, len(after)
    while last - first > 1 and after[first] < _NOTHING:
        first += 1
    while last - first > 1 and after[last - 1] < _NOTHING:
        last -= 1
    return start + first, after[first:last]


def trials_by_record(draws: Iterable[Draw]) -> dict[int, list[Draw]]:
    """The trials of each record, in order."""
    found: dict[int, list[Draw]] = {}
    for draw in draws:
        found.setdefault(draw.seq, []).append(draw)
    return found
