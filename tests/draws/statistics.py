"""The statistics of the draws: 100,000 decks of Wyatt Earp and 1,000,000 dice, through the real path.

::

    python -m tests.draws.statistics                 # deals, rolls, prints the table
    python -m tests.draws.statistics --write         # and keeps it in examples/draw-statistics.md

Every deck is laid from an epoch's seed and cut with the links of three seats' chains; every die opens the next link of
a tape, exactly as in a match. Seeds follow from the number of the match, so the table is the same on every machine.
What is counted is compared with exact expectation. All checks together raise a false alarm about once in a million
runs with other seeds (Bonferroni: each check has its equal share).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import islice
from pathlib import Path
from random import Random

from pbem.games import find_game
from pbem.protocol.crypto.digest import sha
from pbem.protocol.draws import (
    LENGTH,
    chain,
    cut,
    entropy,
    epoch_seed,
    lay,
    permutation,
    roll,
    seat_label,
    tape_label,
)
from tests.draws.exact import (
    Check,
    ascents,
    binomial,
    classes,
    geometric,
    hypergeometric,
    neighbours,
    places,
    runs,
    worst_place,
)

DECKS, DICE = 100_000, 1_000_000
SLICE = 10  # the tests count again a part of this size
FALSE_ALARM = 1e-6
"""How often all checks together cry out although all is well."""
PAGE = Path(__file__).resolve().parents[2] / "examples" / "draw-statistics.md"

CARDS = find_game("wyatt-earp").info.decks["main"]
SIZE = len(CARDS)
SHERIFF = ("bank-robbery", "stagecoach-robbery", "fastest-gun", "most-wanted", "hideout", "wyatt-earp")
HITS = tuple(card not in SHERIFF and not card.startswith("photo:") for card in CARDS)
"""Outlaw cards have the bullet hole (A2): 49 of 78."""
DEALT = 30
"""After a deal to three the next card is the first that could be shot."""
SHOTS = 10
SEATS = ("anna", "burt", "curt")
VOLLEY = 4
OTHER_SIDES = (3, 4, 5)
"""Dice for who begins, in Way Out West."""

Deck = tuple[Sequence[int], Sequence[int], Sequence[int]]
"""How a deck was laid, how it was cut, and the cards in the order in which they are drawn, by their place in CARDS."""


# --- the real path ------------------------------------------------------------------------------------------


def decks(count: int) -> Iterator[Deck]:
    """Decks of epoch after epoch of match after match; every second one is a reshuffle (generation 1)."""
    return islice(_all_decks(), count)


def _all_decks() -> Iterator[Deck]:
    match = 0
    while True:
        match += 1
        game, master = sha(f"TEST match {match}".encode()), sha(f"TEST master {match}".encode())
        chains = {seat: chain(seat_label(seat), game, sha(f"TEST {seat} {match}".encode())) for seat in SEATS}
        for epoch in range(1, LENGTH + 1):
            seed = epoch_seed(master, game, epoch)
            gen = epoch % 2
            laid = lay(seed, game, epoch, "main", gen, CARDS)
            mixed = entropy(game, epoch, {seat: links[epoch] for seat, links in chains.items()})
            cuts = cut(mixed, "main", gen, SIZE)
            yield laid.order, cuts, permutation(laid.order, cuts)


def dice(count: int, sides: int = 6) -> Iterator[int]:
    """Dice of tape after tape, as many of each as a chain has links."""
    return islice(_all_dice(sides), count)


def _all_dice(sides: int) -> Iterator[int]:
    game = sha(f"TEST dice of {sides}".encode())
    master = sha(b"TEST master of dice")
    epoch = 0
    while True:
        epoch += 1
        links = chain(tape_label("public", epoch), game, epoch_seed(master, game, epoch))
        mixed = entropy(game, epoch, {seat: sha(f"TEST {seat} {epoch}".encode()) for seat in SEATS})
        for j in range(1, LENGTH + 1):
            yield roll(links[j], mixed, "public", j, sides)


# --- counting -----------------------------------------------------------------------------------------------


class DeckTally:
    """What is counted of decks."""

    def __init__(self) -> None:
        self.count = 0
        self.laid, self.cuts, self.drawn = ([0] * (SIZE * SIZE) for _ in range(3))
        self.after = [0] * (SIZE * SIZE)
        self.ups: Counter[int] = Counter()
        self.runs: Counter[int] = Counter()
        self.hits: Counter[int] = Counter()
        self.first: Counter[int] = Counter()
        self.two: Counter[int] = Counter()
        self.even: Counter[int] = Counter()

    def take(self, decks: Iterable[Deck]) -> DeckTally:
        """Count these decks."""
        for laid, cuts, drawn in decks:
            self.count += 1
            for table, order in ((self.laid, laid), (self.cuts, cuts), (self.drawn, drawn)):
                base = 0
                for card in order:
                    table[base + card] += 1
                    base += SIZE
            self._neighbours(drawn)
            self._shots(drawn)
            self.even[_parity(drawn)] += 1
        return self

    def _neighbours(self, drawn: Sequence[int]) -> None:
        after, before, ups, changes = self.after, drawn[0], 0, 1
        hit = HITS[before]
        for card in drawn[1:]:
            after[before * SIZE + card] += 1
            ups += card > before
            if HITS[card] is not hit:
                changes += 1
                hit = not hit
            before = card
        self.ups[ups] += 1
        self.runs[changes] += 1

    def _shots(self, drawn: Sequence[int]) -> None:
        shots = [HITS[card] for card in drawn[DEALT : DEALT + SHOTS]]
        self.hits[sum(shots)] += 1
        self.first[shots[0]] += 1
        self.two[2 * shots[0] + shots[1]] += 1

    def checks(self) -> list[Check]:
        """All checks of decks."""
        checks = []
        for title, table in (("as laid", self.laid), ("of the cut", self.cuts), ("as drawn", self.drawn)):
            square = [table[start : start + SIZE] for start in range(0, SIZE * SIZE, SIZE)]
            checks += [
                places(f"every card at every place, {title}", square, self.count),
                worst_place(f"the oddest card at one place, {title}", square, self.count),
            ]
        square = [self.after[start : start + SIZE] for start in range(0, SIZE * SIZE, SIZE)]
        checks += neighbours("pairs of neighbouring cards", square, self.count)
        marked = sum(HITS)
        rate = Fraction(marked, SIZE)
        both = Fraction(marked * (marked - 1), SIZE * (SIZE - 1))
        mixed = rate - both
        return [
            *checks,
            classes("even and odd orders", self.even, {0: Fraction(1, 2), 1: Fraction(1, 2)}),
            classes("steps upwards in a deck", self.ups, ascents(SIZE)),
            classes("runs of hits and misses in a deck", self.runs, runs(marked, SIZE - marked)),
            classes("the first shot after a deal to three: 49 in 78", self.first, {0: 1 - rate, 1: rate}),
            classes(
                "two shots, one after the other",
                self.two,
                {0: 1 - both - 2 * mixed, 1: mixed, 2: mixed, 3: both},
            ),
            classes(f"hits among the first {SHOTS} shots", self.hits, hypergeometric(marked, SIZE, SHOTS)),
        ]


def _parity(order: Sequence[int]) -> int:
    """0 for an even permutation, 1 for an odd one."""
    seen, cycles = bytearray(len(order)), 0
    for start in range(len(order)):
        if not seen[start]:
            cycles, at = cycles + 1, start
            while not seen[at]:
                seen[at] = 1
                at = order[at]
    return (len(order) - cycles) % 2


def dice_checks(values: Sequence[int], sides: int = 6) -> list[Check]:
    """All checks of dice; runs and volleys for those with six sides."""
    face = Fraction(1, sides)
    faces = classes(
        f"faces of a die with {sides} sides", Counter(values), dict.fromkeys(range(1, sides + 1), face)
    )
    if sides != 6:
        return [faces]
    pairs: list[Counter[int]] = [
        Counter(6 * a + b for a, b in zip(values[start::2], values[start + 1 :: 2], strict=False))
        for start in (0, 1)
    ]
    chances = {6 * a + b: face**2 for a in range(1, 7) for b in range(1, 7)}
    hit = Fraction(1, 3)
    gaps, rows, volleys = _runs(values)
    first = Counter(values[start] for start in range(0, len(values), LENGTH))
    return [
        faces,
        classes("the first die of every tape", first, dict.fromkeys(range(1, 7), face)),
        classes("two dice, one after the other (1 2, 3 4, …)", pairs[0], chances),
        classes("two dice, one after the other (2 3, 4 5, …)", pairs[1], chances),
        classes("misses before a hit of 5 or 6", gaps, geometric(hit, 24)),
        classes("the same number again and again", rows, geometric(1 - face, 8)),
        classes(f"hits of a volley of {VOLLEY}: one in three each", volleys, binomial(VOLLEY, hit)),
    ]


def _runs(values: Sequence[int]) -> tuple[Counter[int], Counter[int], Counter[int]]:
    """Misses before each hit; repetitions before each change; hits of each volley."""
    gaps: Counter[int] = Counter()
    rows: Counter[int] = Counter()
    volleys: Counter[int] = Counter()
    gap = row = 0
    before = values[0]
    for value in values[1:]:
        if value == before:
            row += 1
        else:
            rows[min(row, 8)] += 1
            row, before = 0, value
    for value in values:
        if value >= 5:
            gaps[min(gap, 24)] += 1
            gap = 0
        else:
            gap += 1
    for start in range(0, len(values) - VOLLEY + 1, VOLLEY):
        volleys[sum(value >= 5 for value in values[start : start + VOLLEY])] += 1
    return gaps, rows, volleys


# --- planted biases: the checks must find them ----------------------------------------------------------------


def with_a_swap(honest: Iterable[Deck]) -> Iterator[Deck]:
    """In one deck of a hundred the host has a Wyatt Earp change places with the first card that is drawn."""
    favourite = CARDS.index("wyatt-earp")
    for number, (laid, cuts, drawn) in enumerate(honest):
        if number % 100 == 0:
            swapped = list(drawn)
            at = swapped.index(favourite)
            swapped[0], swapped[at] = swapped[at], swapped[0]
            yield laid, cuts, swapped
        else:
            yield laid, cuts, drawn


def off_by_one(count: int) -> Iterator[Deck]:
    """A Fisher and Yates that never lets a card stay where it is (``below(i)`` for ``below(i + 1)``)."""
    chance = Random(1)

    def shuffled() -> list[int]:
        order = list(range(SIZE))
        for i in range(SIZE - 1, 0, -1):
            j = chance.randrange(i)
            order[i], order[j] = order[j], order[i]
        return order

    for _ in range(count):
        laid, cuts = shuffled(), shuffled()
        yield laid, cuts, permutation(laid, cuts)


def last_swap_forgotten(count: int) -> Iterator[Deck]:
    """A Fisher and Yates that stops one step early, in the laying only; the cut is right."""
    chance = Random(2)
    for _ in range(count):
        laid = list(range(SIZE))
        for i in range(SIZE - 1, 1, -1):
            j = chance.randrange(i + 1)
            laid[i], laid[j] = laid[j], laid[i]
        cuts = list(range(SIZE))
        chance.shuffle(cuts)
        yield laid, cuts, permutation(laid, cuts)


def modulo_dice(count: int) -> list[int]:
    """A die made of one byte modulo six: 5 and 6 come 42 times in 256, the others 43 times."""
    return [1 + byte % 6 for byte in Random(3).randbytes(count)]


def sticky_dice(values: Sequence[int]) -> list[int]:
    """One die in a hundred repeats the number before it."""
    rolled = list(values)
    for place in range(100, len(rolled), 100):
        rolled[place] = rolled[place - 1]
    return rolled


# --- the table ------------------------------------------------------------------------------------------------


def measured(deals: int = DECKS, rolls: int = DICE) -> list[Check]:
    """Deal, roll, count: every check."""
    checks = DeckTally().take(decks(deals)).checks()
    others = rolls // 50
    checks += dice_checks(list(dice(rolls - others * len(OTHER_SIDES))))
    for sides in OTHER_SIDES:
        checks += dice_checks(list(dice(others, sides)), sides)
    return checks


def alarms(checks: Sequence[Check], whole: int | None = None) -> list[Check]:
    """The checks that failed, each at its share of the false-alarm rate (of ``whole`` checks, if these are some)."""
    limit = FALSE_ALARM / (whole or len(checks))
    return [check for check in checks if check.p < limit]


def table(checks: Sequence[Check]) -> str:
    """The checks as a table in Markdown."""
    limit = FALSE_ALARM / len(checks)
    rows = [
        "| What | Counted | Statistic | Degrees of freedom | p | |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for check in checks:
        freedom = f"{check.freedom:,}" if check.freedom else "the largest of 6,084"
        verdict = "**alarm**" if check.p < limit else "fine"
        rows.append(
            f"| {check.name} | {check.size:,} | {check.statistic:,.2f} | {freedom} | {check.p:.3f} | {verdict} |"
        )
    return "\n".join(rows)


def report(checks: Sequence[Check], some: Sequence[Check], deals: int, rolls: int) -> str:
    """The page: ``checks`` of all, ``some`` of the first part, which a test counts again."""
    raised = alarms(checks)
    verdict = (
        f"{len(raised)} of {len(checks)} checks cried out."
        if raised
        else f"None of the {len(checks)} cried out."
    )
    return f"""# The statistics of the draws

{deals:,} decks of Wyatt Earp and {rolls:,} dice, dealt and rolled through the real path: seeds, chains of three seats,
leaves, cut, tapes. Every second deck is a reshuffle (generation 1). Made by:

```
python -m tests.draws.statistics --write
```

Every check compares counts with their exact expectation. It is two-sided, so a fit that is too good would cry out,
too. With honest draws all of them together cry out about once in a million runs: each has its share of that,
p < {FALSE_ALARM / len(checks):.1e}. The seeds are fixed, so these tables are the same on every machine. {verdict}

{table(checks)}

## The first {deals // SLICE:,} decks and {rolls // SLICE:,} dice

Every run of the tests counts these again and compares this table.

{table(some)}

## Would it be noticed?

That the checks can fail is tested with planted biases: two cards exchanged in one deck of a hundred, a Fisher and Yates
that is off by one, one that stops a step early, a die made of a byte modulo six, a die that repeats itself one time
in a hundred. Each is caught.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; exit code 1 if a check cried out."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--decks", type=int, default=DECKS)
    parser.add_argument("--dice", type=int, default=DICE)
    parser.add_argument("--write", action="store_true", help=f"keep the page as {PAGE.name}")
    wish = parser.parse_args(arguments)
    checks = measured(wish.decks, wish.dice)
    some = measured(wish.decks // SLICE, wish.dice // SLICE)
    text = report(checks, some, wish.decks, wish.dice)
    sys.stdout.write(text)
    if wish.write:
        PAGE.write_text(text, encoding="utf-8")
    return 1 if alarms(checks) else 0


if __name__ == "__main__":
    sys.exit(main())
