"""Exact expectations and tail probabilities for the statistics of the draws; no tables, no samples.

``chi_square`` uses the regularised incomplete gamma function (series and continued fraction, Abramowitz and Stegun
6.5.29 and 6.5.31), ``binomial_tail`` sums exactly. All tests are two-sided: a fit that is too good is a fault too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, exp, lgamma, log, log1p

LEAST_EXPECTED = 25
"""Classes that expect fewer are put together, so that the chi-square distribution fits."""
_CLOSE = 1e-15
_TINY = 1e-300


@dataclass(frozen=True, slots=True)
class Check:
    """One test: how many things were counted, the statistic with its degrees of freedom, and its two-sided p."""

    name: str
    size: int
    statistic: float
    freedom: int
    p: float


def chi_square(name: str, size: int, statistic: float, freedom: int) -> Check:
    """A check whose statistic has the chi-square distribution if all is well."""
    lower, upper = gamma_tails(freedom / 2, statistic / 2)
    return Check(name, size, statistic, freedom, min(1.0, 2 * min(lower, upper)))


def gamma_tails(a: float, x: float) -> tuple[float, float]:
    """Lower and upper regularised incomplete gamma functions; the smaller of the two is accurate."""
    if x <= 0:
        return 0.0, 1.0
    front = exp(a * log(x) - x - lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while term > total * _CLOSE:
            n += 1
            term *= x / n
            total += term
        lower = front * total
        return lower, 1 - lower
    b = x + 1 - a
    c, d = 1 / _TINY, 1 / b
    fraction, step = d, 0
    while True:
        step += 1
        numerator = -step * (step - a)
        b += 2
        d = 1 / (numerator * d + b or _TINY)
        c = b + numerator / c or _TINY
        fraction *= c * d
        if abs(c * d - 1) < _CLOSE:
            return 1 - front * fraction, front * fraction


def binomial_tail(count: int, tries: int, rate: float) -> float:
    """The chance of a count at least as far out as this one, on its side, both sides counted."""
    step = 1 if count > tries * rate else -1
    total, at = 0.0, count
    while 0 <= at <= tries:
        ways = lgamma(tries + 1) - lgamma(at + 1) - lgamma(tries - at + 1)
        chance = exp(ways + at * log(rate) + (tries - at) * log1p(-rate))
        total += chance
        if chance < total * _CLOSE or chance < _TINY:
            break
        at += step
    return min(1.0, 2 * total)


def classes(name: str, counts: Mapping[int, int], chances: Mapping[int, Fraction]) -> Check:
    """Counts by class against their exact chances; neighbouring classes that expect too little are put together."""
    size = sum(counts.values())
    assert sum(chances.values()) == 1, name
    assert set(counts) <= set(chances), name
    groups: list[tuple[int, Fraction]] = []
    count, chance = 0, Fraction(0)
    for key in sorted(chances):
        count, chance = count + counts.get(key, 0), chance + chances[key]
        if chance * size >= LEAST_EXPECTED:
            groups.append((count, chance))
            count, chance = 0, Fraction(0)
    if groups and chance:
        last = groups.pop()
        groups.append((last[0] + count, last[1] + chance))
    if len(groups) < 2:
        return Check(name, size, 0.0, 0, 1.0)  # too few to say anything
    statistic = sum((seen - float(odds * size)) ** 2 / float(odds * size) for seen, odds in groups)
    return chi_square(name, size, statistic, len(groups) - 1)


def hypergeometric(marked: int, deck: int, drawn: int) -> dict[int, Fraction]:
    """How many of ``drawn`` cards are marked, of a deck with so many marked ones."""
    return {
        hits: Fraction(comb(marked, hits) * comb(deck - marked, drawn - hits), comb(deck, drawn))
        for hits in range(min(marked, drawn) + 1)
    }


def binomial(tries: int, rate: Fraction) -> dict[int, Fraction]:
    """How many of so many tries succeed."""
    return {hits: comb(tries, hits) * rate**hits * (1 - rate) ** (tries - hits) for hits in range(tries + 1)}


def geometric(rate: Fraction, last: int) -> dict[int, Fraction]:
    """How many failures come before a success; ``last`` stands for itself and all that are longer."""
    chances = {length: (1 - rate) ** length * rate for length in range(last)}
    return chances | {last: (1 - rate) ** last}


def runs(marked: int, others: int) -> dict[int, Fraction]:
    """How many runs a row of two kinds has (Wald and Wolfowitz, Annals of Mathematical Statistics 11, 1940)."""
    ways = comb(marked + others, marked)
    chances = {}
    for number in range(2, 2 * min(marked, others) + 2):
        half, odd = divmod(number, 2)
        count = (
            comb(marked - 1, half) * comb(others - 1, half - 1)
            + comb(marked - 1, half - 1) * comb(others - 1, half)
            if odd
            else 2 * comb(marked - 1, half - 1) * comb(others - 1, half - 1)
        )
        chances[number] = Fraction(count, ways)
    return chances


def ascents(size: int) -> dict[int, Fraction]:
    """How often a permutation goes up from one to the next: Eulerian numbers (Knuth, TAOCP 3, 5.1.3)."""
    row = [1]
    for n in range(2, size + 1):
        row = [
            (k + 1) * (row[k] if k < len(row) else 0) + (n - k) * (row[k - 1] if k else 0) for k in range(n)
        ]
    ways = sum(row)
    return {k: Fraction(count, ways) for k, count in enumerate(row)}


# --- permutations -------------------------------------------------------------------------------------------


def places(name: str, table: Sequence[Sequence[int]], size: int) -> Check:
    """How often each card lay at each place, all together.

    Rows and columns are fixed, so the counts of uniform permutations vary in (n − 1)² directions, in each with the
    variance ``size`` / (n − 1): the covariance is a multiple of the projection onto what rows and columns leave free.
    """
    n = len(table)
    expected = size / n
    squares = sum((count - expected) ** 2 for row in table for count in row)
    return chi_square(name, size, squares * (n - 1) / size, (n - 1) ** 2)


def worst_place(name: str, table: Sequence[Sequence[int]], size: int) -> Check:
    """The card that came most (or least) often to one place, against the binomial; times the number of pairs."""
    n = len(table)
    worst = max((count for row in table for count in row), key=lambda count: abs(count - size / n))
    spread = (size * (n - 1)) ** 0.5 / n
    p = min(1.0, n * n * binomial_tail(worst, size, 1 / n))
    return Check(name, size, (worst - size / n) / spread, 0, p)


def neighbours(name: str, table: Sequence[Sequence[int]], size: int) -> tuple[Check, Check]:
    """How often card b came right after card a: first regardless of the order of the two, then by it.

    For uniform permutations of n cards the covariance of these counts has, on tables without row and column sums, the
    eigenvalue ``size`` / n on symmetric ones (n(n − 3)/2 of them) and ``size`` (n + 1) / (n (n − 1)) on antisymmetric
    ones ((n − 1)(n − 2)/2). What row and column sums say is who lay first and last, which ``places`` knows.
    """
    n = len(table)
    gap = [[table[a][b] - size / n if a != b else 0.0 for b in range(n)] for a in range(n)]
    even = [[(gap[a][b] + gap[b][a]) / 2 for b in range(n)] for a in range(n)]
    odd = [[(gap[a][b] - gap[b][a]) / 2 for b in range(n)] for a in range(n)]
    u = [sum(row) / (n - 2) for row in even]
    v = [sum(row) / n for row in odd]
    pairs = [(a, b) for a in range(n) for b in range(n) if a != b]
    together = sum((even[a][b] - u[a] - u[b]) ** 2 for a, b in pairs)
    ordered = sum((odd[a][b] - v[a] + v[b]) ** 2 for a, b in pairs)
    return (
        chi_square(f"{name}, either way", size, together * n / size, n * (n - 3) // 2),
        chi_square(
            f"{name}, by order", size, ordered * n * (n - 1) / (size * (n + 1)), (n - 1) * (n - 2) // 2
        ),
    )
