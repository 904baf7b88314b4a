"""The statistics of the draws, and that they would notice: planted biases are caught, exact expectations are exact."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import groupby, pairwise, permutations
from random import Random

import pytest

from tests.draws import statistics
from tests.draws.exact import (
    ascents,
    binomial,
    binomial_tail,
    classes,
    gamma_tails,
    geometric,
    hypergeometric,
    neighbours,
    places,
    runs,
)
from tests.draws.statistics import (
    DECKS,
    DICE,
    FALSE_ALARM,
    PAGE,
    SIZE,
    SLICE,
    Deck,
    DeckTally,
    alarms,
    decks,
    dice_checks,
    last_swap_forgotten,
    measured,
    modulo_dice,
    off_by_one,
    sticky_dice,
    table,
    with_a_swap,
)

SOME = 10_000


# --- the arithmetic -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("freedom", "statistic", "upper"),
    [
        (1, 3.841458820694124, 0.05),
        (5, 15.08627246938899, 0.01),
        (10, 2.558212, 0.99),
        (100, 149.449253, 0.001),
    ],
)
def test_chi_square_tails_are_those_of_the_tables(freedom: int, statistic: float, upper: float) -> None:
    lower, upper_tail = gamma_tails(freedom / 2, statistic / 2)
    assert upper_tail == pytest.approx(upper, rel=1e-5)
    assert lower == pytest.approx(1 - upper, rel=1e-5)


def test_tails_far_out_are_small_numbers_and_not_nothing() -> None:
    assert 0 < gamma_tails(2964.5, 4000.0)[1] < 1e-60
    assert 0 < gamma_tails(2964.5, 2000.0)[0] < 1e-60
    assert binomial_tail(9, 10, 0.5) == pytest.approx(2 * 11 / 1024)
    assert binomial_tail(1, 10, 0.5) == pytest.approx(2 * 11 / 1024)


@pytest.mark.parametrize(
    "chances",
    [
        hypergeometric(49, 78, 10),
        binomial(4, Fraction(1, 3)),
        geometric(Fraction(1, 3), 24),
        runs(49, 29),
        ascents(78),
    ],
    ids=["hypergeometric", "binomial", "geometric", "runs", "ascents"],
)
def test_chances_add_up(chances: dict[int, Fraction]) -> None:
    assert sum(chances.values()) == 1


def test_runs_and_ascents_are_what_counting_gives() -> None:
    every = list(permutations(range(6)))
    marked = Counter(sum(1 for _ in groupby(order, lambda card: card < 4)) for order in every)
    assert {key: Fraction(count, 720) for key, count in marked.items()} == {
        key: chance for key, chance in runs(4, 2).items() if chance
    }
    up = Counter(sum(a < b for a, b in pairwise(order)) for order in every)
    assert {key: Fraction(count, 720) for key, count in up.items()} == ascents(6)


def test_the_statistics_of_permutations_come_out_as_their_degrees_of_freedom_on_average() -> None:
    """Over all orders of five cards, exactly: so their scales are right, whatever the sample."""
    sums: Counter[str] = Counter()
    freedom: dict[str, int] = {}
    for order in permutations(range(5)):
        at = [[int(order[place] == card) for card in range(5)] for place in range(5)]
        next_to = [[0] * 5 for _ in range(5)]
        for a, b in pairwise(order):
            next_to[a][b] = 1
        for check in (places("places", at, 1), *neighbours("pairs", next_to, 1)):
            sums[check.name] += Fraction(check.statistic)  # type: ignore[assignment]
            freedom[check.name] = check.freedom
    for name, expected in freedom.items():
        assert float(sums[name]) / 120 == pytest.approx(expected), name


def test_rare_classes_are_put_together() -> None:
    check = classes("x", Counter({0: 50, 1: 30, 2: 20}), binomial(2, Fraction(3, 10)))
    assert check.freedom == 1
    assert classes("few", Counter({0: 3}), {0: Fraction(1, 2), 1: Fraction(1, 2)}).p == 1


def test_the_parity_of_an_order_is_that_of_its_exchanges() -> None:
    for order in permutations(range(5)):
        exchanges = sum(a > b for i, a in enumerate(order) for b in order[i + 1 :])
        assert statistics._parity(order) == exchanges % 2


# --- it can fail ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def honest() -> list[Deck]:
    """A tenth of the decks."""
    return list(decks(SOME))


CHECKS = 24
"""How many checks the whole table has; each gets this share of the false-alarm rate."""


def cried(decks: Iterable[Deck]) -> set[str]:
    return {check.name for check in alarms(DeckTally().take(decks).checks(), CHECKS)}


@pytest.mark.slow
def test_honest_decks_raise_no_alarm(honest: list[Deck]) -> None:
    assert cried(honest) == set()


@pytest.mark.slow
def test_two_cards_exchanged_in_one_deck_of_a_hundred_are_noticed(honest: list[Deck]) -> None:
    assert cried(with_a_swap(honest)) == {"the oddest card at one place, as drawn"}


@pytest.mark.parametrize(
    ("planted", "where"),
    [
        (off_by_one, {"every card at every place, as laid", "even and odd orders"}),
        (last_swap_forgotten, {"the oddest card at one place, as laid"}),
    ],
)
def test_a_shuffle_that_is_off_by_one_is_noticed(
    planted: Callable[[int], Iterable[Deck]], where: set[str]
) -> None:
    assert where <= cried(planted(6_000))


def test_dice_of_a_byte_modulo_six_are_noticed() -> None:
    assert "faces of a die with 6 sides" in {
        check.name for check in alarms(dice_checks(modulo_dice(DICE)), CHECKS)
    }


def test_dice_that_repeat_themselves_are_noticed() -> None:
    fair = [1 + number % 6 for number in Random(4).choices(range(6), k=300_000)]
    assert not alarms(dice_checks(fair), CHECKS)
    assert "the same number again and again" in {
        check.name for check in alarms(dice_checks(sticky_dice(fair)), CHECKS)
    }


# --- the whole count ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_tenth_of_the_decks_and_dice_falls_as_it_should_and_as_the_page_says() -> None:
    checks = measured(DECKS // SLICE, DICE // SLICE)
    assert len(checks) == CHECKS
    assert not alarms(checks)
    assert sum(check.size for check in checks if check.name.startswith("faces of")) == DICE // SLICE
    assert {check.size for check in checks if "place" in check.name} == {DECKS // SLICE}
    assert f"again and compares this table.\n\n{table(checks)}\n" in PAGE.read_text(encoding="utf-8")


def test_the_false_alarm_rate_is_the_one_that_is_stated() -> None:
    assert FALSE_ALARM == 1e-6
    assert "once in a million" in PAGE.read_text(encoding="utf-8")
    assert len(re.findall(r"\| fine \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)) == 2 * CHECKS
    assert SIZE == 78
