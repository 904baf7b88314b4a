"""Income and final scoring: pure counting on one position (rules P4 to P15, Q)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from pbem.base.values import dataclass
from pbem.games.way_out_west.options import Options
from pbem.games.way_out_west.state import ASSET_NUMBER, NOBODY, TRAIN, Match, Position, Town

SOURCES: Final = ("cattle", "bank", "store", "hotel")
"""Of income (P4 to P9)."""


class Payment(NamedTuple):
    """Income of a seat from one source in one town, in dollars."""

    seat: int
    source: str
    town: int
    amount: int


def income_of(match: Match, position: Position) -> Iterator[Payment]:
    """What income would pay now; seats clockwise, nothing for 0."""
    for seat in range(len(match.seats)):
        for source in SOURCES:
            number = ASSET_NUMBER.get(source)
            for at, town in enumerate(position.towns):
                if town.cattle[seat] if number is None else town.assets[number] == seat:
                    amount = town_income(match.options, town, seat, source)
                    if amount:
                        yield Payment(seat, source, at, amount)


def town_income(options: Options, town: Town, seat: int, source: str) -> int:
    """Dollars that a seat gets from one source in one town."""
    if source == "cattle":
        return town.cattle[seat] * cattle_income(town)
    if town.owner(source) != seat:
        return 0
    if source == "bank":
        return 2 * (town.size - town.holdings(seat))
    if source == "store":
        return _store_income(options, town, seat)
    return sum(town.cowboys) - town.cowboys[seat]


def cattle_income(town: Town) -> int:
    """P4: 2, 1 with a farmer, doubled by anybody's train."""
    return (1 if town.farmer != NOBODY else 2) * (2 if town.assets[TRAIN] != NOBODY else 1)


def _store_income(options: Options, town: Town, seat: int) -> int:
    """P6 to P8."""
    income = sum(town.cattle) - town.cattle[seat]
    if options.store_follows_cattle:
        income *= 2 if town.assets[TRAIN] != NOBODY else 1
        income = -(-income // 2) if town.farmer != NOBODY else income
    if town.farmer != NOBODY and (town.farmer != seat or options.store_own_farmer == "pays"):
        income += 2
    return income


@dataclass(frozen=True, slots=True)
class Score:
    """Points of one seat by source (Q1 to Q7)."""

    assets: int
    cattle: int
    control: int
    cash: int
    wanted: int

    @property
    def sources(self) -> tuple[int, int, int, int, int]:
        """In the order of the ``scored`` event."""
        return self.assets, self.cattle, self.control, self.cash, self.wanted

    @property
    def total(self) -> int:
        """The points by which the match is won (Q10)."""
        return sum(self.sources)


def points_of(match: Match, position: Position) -> tuple[Score, ...]:
    """Final points of every seat, if the match ended here."""
    towns = [(town, town.size, cattle_points(town), controller(town)) for town in position.towns]
    cash = _most(position.cash, 5)
    wanted = _most(position.wanted, 4)
    return tuple(
        Score(
            assets=sum([town.holdings(seat) * size for town, size, _, _ in towns]),
            cattle=sum([town.cattle[seat] * points for town, _, points, _ in towns]),
            control=sum([size for _, size, _, ruler in towns if ruler == seat]),
            cash=cash[seat],
            wanted=wanted[seat],
        )
        for seat in range(len(match.seats))
    )


def cattle_points(town: Town) -> int:
    """Q2: 1, one more with a train, one less with a farmer."""
    return 1 + (town.assets[TRAIN] != NOBODY) - (town.farmer != NOBODY)


def controller(town: Town) -> int:
    """Q3, Q4: who has most assets and cattle together; NOBODY on a tie."""
    held = [town.holdings(seat) + town.cattle[seat] for seat in range(len(town.cattle))]
    most = max(held)
    return held.index(most) if held.count(most) == 1 else NOBODY


def _most(counts: Sequence[int], bonus: int) -> list[int]:
    """Q6 to Q8: the bonus for the only one who has most; 2 for each who shares it, 0 counters included."""
    most = max(counts)
    share = bonus if list(counts).count(most) == 1 else 2
    return [share if count == most else 0 for count in counts]


def winners_of(points: Sequence[Score]) -> tuple[int, ...]:
    """Q10: everybody with the most points."""
    best = max(score.total for score in points)
    return tuple(seat for seat, score in enumerate(points) if score.total == best)
