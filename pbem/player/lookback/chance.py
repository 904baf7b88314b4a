"""How far from chance: exact intervals, exact probabilities, and bands; no approximation.

``interval`` is Clopper and Pearson's (Biometrika 26, 1934): whatever the true rate is, it lies within at least as often
as it says. It is never too narrow; for few tries it is wide, and that is the honest answer. ``at_least_as_odd`` takes
every try with the chance that it had (the Poisson binomial distribution). A path of many tries leaves a pointwise band
much more often than one time in twenty; so the band of a path is simultaneous: by chance alone the **whole** path stays
inside with at least 95 %. Tries count as independent; cards of one deck are not, they vary less: for them all bands are
rather too wide than too narrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import exp, lgamma, log, log1p

from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.protocol.audit import Draw

CONFIDENCE = 0.95
_HALVINGS = 60
MOST_POINTS = 300
"""A path with more tries is shown at every second one, every third, …"""
_TAILS = tuple((1 - CONFIDENCE) / 1.35**step for step in range(20))
"""Pointwise tails that are tried, widest first, until the whole path stays inside often enough."""
_NOTHING = 1e-12


@dataclass(frozen=True, slots=True)
class Luck:
    """One player's tries of one kind (``purpose`` empty: all kinds; no ``player``: all) and the chances they had.

    By chance alone the hits lie within ``range`` with 95 %; the true rate lies within ``rate`` with 95 % confidence.
    ``odd`` is how often chance alone gives a result at least as unlikely.
    """

    player: str
    purpose: str
    count: int
    hits: int
    expected: Fraction
    range: tuple[int, int]
    rate: tuple[float, float]
    odd: float

    def to_json(self) -> JsonObject:
        """For programs; in thousandths, since there are no floats in pbem's JSON."""
        return {
            "for": self.purpose,
            "count": self.count,
            "hits": self.hits,
            "expected_thousandths": round(self.expected * 1000),
            "range": list(self.range),
            "interval_thousandths": [round(rate * 1000) for rate in self.rate],
            "as_odd_thousandths": round(self.odd * 1000),
        }


def luck_of(draws: Iterable[Draw]) -> list[Luck]:
    """The luck of the seats of one match, in the order in which they first tried."""
    return luck_by_player([(str(draw.trial.seat), draw) for draw in draws])


def luck_by_player(draws: Sequence[tuple[str, Draw]]) -> list[Luck]:
    """Each player's luck by kind, and together where there are several kinds."""
    rows = []
    for player in dict.fromkeys(player for player, _ in draws):
        mine = [draw for owner, draw in draws if owner == player]
        kinds = dict.fromkeys(draw.trial.label for draw in mine)
        rows += [_luck(player, kind, [draw for draw in mine if draw.trial.label == kind]) for kind in kinds]
        if len(kinds) > 1:
            rows.append(together(player, mine))
    return rows


def together(player: str, draws: Sequence[Draw]) -> Luck:
    """All tries of a player, or of all, whatever they were for."""
    return _luck(player, "", draws)


def _luck(player: str, purpose: str, draws: Sequence[Draw]) -> Luck:
    odds = [draw.odds for draw in draws]
    hits = sum(draw.trial.success for draw in draws)
    chances = distribution(odds)
    due, rate = sum(odds, Fraction(0)), interval(hits, len(draws))
    return Luck(
        player, purpose, len(draws), hits, due, chance_range(chances), rate, at_least_as_odd(hits, odds)
    )


def interval(hits: int, tries: int) -> tuple[float, float]:
    """Between which rates the true one lies, by ``hits`` of ``tries``; (0, 1) without a try."""
    if not 0 <= hits <= tries:
        raise ValueError(f"{hits} hits of {tries} tries")
    if not tries:
        return 0.0, 1.0
    tail = (1 - CONFIDENCE) / 2
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
