"""Exact intervals and exact chances."""

from __future__ import annotations

from fractions import Fraction
from math import comb, isclose

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.player.lookback.chance import at_least_as_odd, distribution, interval

# Clopper and Pearson's limits as tables of the binomial distribution give them, to four places.
KNOWN = [
    (0, 10, 0.0, 0.3085),
    (5, 10, 0.1871, 0.8129),
    (10, 10, 0.6915, 1.0),
    (1, 20, 0.0013, 0.2487),
    (30, 100, 0.2124, 0.3998),
]


@pytest.mark.parametrize(("hits", "tries", "low", "high"), KNOWN)
def test_the_interval_is_the_one_of_the_tables(hits: int, tries: int, low: float, high: float) -> None:
    bounds = interval(hits, tries)
    assert isclose(bounds[0], low, abs_tol=6e-5)
    assert isclose(bounds[1], high, abs_tol=6e-5)


def test_without_a_try_nothing_is_known_and_nonsense_is_refused() -> None:
    assert interval(0, 0) == (0.0, 1.0)
    with pytest.raises(ValueError, match="3 hits of 2 tries"):
        interval(3, 2)


@pytest.mark.parametrize("tries", [1, 5, 12, 26])
def test_the_interval_holds_the_true_rate_as_often_as_it_says_whatever_that_rate_is(tries: int) -> None:
    intervals = [interval(hits, tries) for hits in range(tries + 1)]
    for thousandths in range(5, 1000, 5):
        rate = thousandths / 1000
        within = sum(
            comb(tries, hits) * rate**hits * (1 - rate) ** (tries - hits)
            for hits, (low, high) in enumerate(intervals)
            if low <= rate <= high
        )
        assert within >= 0.95 - 1e-9


@settings(deadline=None)
@given(st.integers(1, 60).flatmap(lambda tries: st.tuples(st.integers(0, tries), st.just(tries))))
def test_the_rate_lies_in_its_interval_and_misses_mirror_hits(pair: tuple[int, int]) -> None:
    hits, tries = pair
    low, high = interval(hits, tries)
    assert 0 <= low <= hits / tries <= high <= 1
    mirrored = interval(tries - hits, tries)
    assert isclose(low, 1 - mirrored[1], abs_tol=1e-9)


ODDS = st.lists(st.fractions(0, 1, max_denominator=30), max_size=12)


@settings(deadline=None)
@given(ODDS)
def test_the_chances_of_all_results_come_to_one_and_their_mean_is_the_expectation(
    odds: list[Fraction],
) -> None:
    chances = distribution(odds)
    assert len(chances) == len(odds) + 1
    assert isclose(sum(chances), 1, abs_tol=1e-12)
    mean = sum(hits * chance for hits, chance in enumerate(chances))
    assert isclose(mean, float(sum(odds)), abs_tol=1e-9)


def test_equal_chances_give_the_binomial_distribution() -> None:
    chances = distribution([Fraction(1, 3)] * 9)
    for hits, chance in enumerate(chances):
        assert isclose(chance, comb(9, hits) * 2 ** (9 - hits) / 3**9)


def test_the_likeliest_result_is_not_odd_and_a_sure_thing_that_failed_is() -> None:
    assert isclose(at_least_as_odd(5, [Fraction(1, 2)] * 10), 1)
    assert isclose(at_least_as_odd(0, [Fraction(1, 2)] * 10), 2 / 1024)
    assert isclose(at_least_as_odd(2, [Fraction(1, 3)] * 2), 1 / 9)
    assert at_least_as_odd(0, [Fraction(1)]) == 0
    assert at_least_as_odd(0, []) == 1
