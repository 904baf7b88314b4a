"""What a position of Way Out West promises each seat, in points: the judgement of the computer players.

Town by town: property at the size that the town will probably have, income of the paydays to come, control, what
cowboys there can buy and take, and what others can take. Beside that money, and the bonuses for most cash and most
Wanted counters. At the end of the last turn it is the score itself, near enough. Everything lies open; hidden cash
counts as it is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import exp, log
from operator import add
from typing import Final, NamedTuple, TypeAlias

from pbem.games.way_out_west.board import ASSETS
from pbem.games.way_out_west.draft import Draft
from pbem.games.way_out_west.options import Options
from pbem.games.way_out_west.scoring import SOURCES, cattle_income, cattle_points, town_income
from pbem.games.way_out_west.state import JAIL, NOBODY, STAGECOACH, Match, Position, Town, is_open
from pbem.games.way_out_west.worth import chance

_MOST_CACHED: Final = 20_000
"""Towns whose values are cached."""


class Taste(NamedTuple):
    """The numbers of the judgement, set by hand; how strong they are is measured by ``tests.bench.strength``."""

    dollar: float = 0.06
    """Points that a dollar buys when nothing is left to buy, and more for each turn to come."""
    dollar_turn: float = 0.04
    growth: float = 0.12
    """Free building boxes that are filled in a turn, in one town."""
    attack: float = 0.30
    """How often in a turn somebody who could win a fight fights it."""
    reach: float = 0.05
    """The chance to lose what no enemy stands beside: cowboys ride."""
    cowboy: float = 0.35
    more_cowboys: float = 0.10
    buyer: float = 0.8
    """A cowboy where cattle can be bought."""
    coach: float = 0.8
    """What a stagecoach earns in a turn."""
    jail: float = 0.5
    spread: float = 2.0
    """Points of difference that are as good as none, at the end and more for each turn to come."""
    spread_turn: float = 0.8
    cash_sure: float = 1.5
    cash_turn: float = 4.0
    wanted_sure: float = 0.4
    wanted_turn: float = 0.35
    poor: float = 0.4
    """Each dollar below four, while there is something to buy."""
    gain: float = 0.7
    """Of what an attack may take, what it is worth to the attacker: it costs an action."""


TASTE: Final = Taste()


AnyPosition: TypeAlias = Position | Draft
"""A position, or one that is being changed."""


class TurnsLeft(NamedTuple):
    """What the turn track says: turns of action left, points a dollar buys, points a dollar of income brings."""

    turns: float
    dollar: float
    payday: float
    last: bool
    """One payday is left, and no turn after it."""


@lru_cache(maxsize=4096)
def _times(paydays: frozenset[int], last: int, space: int, acting: bool, taste: Taste) -> TurnsLeft:
    turns = last - space + (0.75 if acting else 0.0)
    dollars = [
        taste.dollar + taste.dollar_turn * min(9.0, last - payday) for payday in paydays if payday >= space
    ]
    rate = taste.dollar + taste.dollar_turn * min(9.0, turns)
    return TurnsLeft(turns, rate, sum(dollars), space >= last)


class _TownValue(NamedTuple):
    """The value of one town, whatever lies elsewhere."""

    values: tuple[float, ...]
    incomes: tuple[int, ...]
    vacant: bool
    """A corral box is."""
    buyers: tuple[int, ...]
    """Seats with a cowboy."""


class Valuer:
    """The judgement of one match."""

    def __init__(self, match: Match, taste: Taste = TASTE) -> None:
        self.match = match
        self.taste = taste
        self.auction: tuple[object, list[list[tuple[float, tuple[str, str | None]]]]] = (None, [])
        """What a judge found out about the auction that goes on: the same for everybody, since everything lies open."""
        self._cached: dict[TurnsLeft, dict[tuple[int, Town], _TownValue]] = {}

    def times(self, table: AnyPosition) -> TurnsLeft:
        """What is left of the match; a turn counts as long as somebody still acts in it."""
        board = self.match.board
        acting = any(table.tokens) or table.phase in ("setup", "auction")
        return _times(board.income_spaces, board.last_space, table.space, acting, self.taste)

    def points(self, table: AnyPosition, times: TurnsLeft) -> list[float]:
        """What each seat may expect to score, as far as it can be estimated."""
        taste, towns = self.taste, table.towns
        cached = self._cached.get(times)
        if cached is None:
            if sum(map(len, self._cached.values())) > _MOST_CACHED:
                self._cached.clear()
            cached = self._cached[times] = {}
        bonus = taste.buyer * min(1.0, times.turns / 2)
        cash = table.cash
        dollar = times.dollar
        total = [dollar * had for had in cash]
        incomes: list[tuple[int, ...]] = []
        for at, town in enumerate(towns):
            worth = cached.get((at, town))
            if worth is None:
                worth = cached[at, town] = self._town(at, town, times)
            total = list(map(add, total, worth.values))
            if times.last:
                incomes.append(worth.incomes)
            if worth.vacant and worth.buyers and is_open(self.match, towns, at):
                for seat in worth.buyers:
                    total[seat] += bonus
        if times.last:
            cash = [had + sum(more) for had, *more in zip(cash, *incomes, strict=True)]
        most_cash = _shares(tuple(cash), taste.cash_sure + taste.cash_turn * times.turns)
        most_wanted = _shares(tuple(table.wanted), taste.wanted_sure + taste.wanted_turn * times.turns)
        poor = taste.poor * min(1.0, times.turns)
        return [
            amount + 5 * cash_share + 4 * wanted_share - (poor * (4 - had) if had < 4 else 0.0)
            for amount, cash_share, wanted_share, had in zip(
                total, most_cash, most_wanted, table.cash, strict=True
            )
        ]

    def worth(self, table: AnyPosition, seat: int) -> float:
        """How far ahead a seat is: of the best of the others, softened by the turns to come."""
        times = self.times(table)
        points = self.points(table, times)
        soft = self.taste.spread + self.taste.spread_turn * times.turns
        own = points.pop(seat)
        top = max(points)
        return own - top - soft * log(sum([exp((point - top) / soft) for point in points]))

    def _town(self, at: int, town: Town, times: TurnsLeft) -> _TownValue:
        options, taste = self.match.options, self.taste
        seats = range(len(town.cattle))
        turns = times.turns
        size = town.size
        plan = self.match.board.towns[at]
        space = plan.buildings - size
        grown = size + min(float(space), taste.growth * turns * min(1, size + 1))
        values = [0.0] * len(town.cattle)
        incomes = tuple(
            sum(town_income(options, town, seat, source) for source in SOURCES)
            if town.cattle[seat] or seat in town.assets
            else 0
            for seat in seats
        )
        counts = [town.holdings(seat) + town.cattle[seat] for seat in seats]
        control = _control(counts, turns)
        beasts = cattle_points(town)
        for seat in seats:
            value = town.holdings(seat) * grown + town.cattle[seat] * beasts + control[seat] * grown
            values[seat] = value + times.payday * incomes[seat]
        coach = town.assets[STAGECOACH]
        if coach != NOBODY:
            values[coach] += times.dollar * taste.coach * turns
        if town.assets[JAIL] != NOBODY:
            values[town.assets[JAIL]] += taste.jail * min(1.0, turns)
        self._threats(town, times, grown, beasts, options, values)
        for seat in seats:
            cowboys = town.cowboys[seat]
            if cowboys and turns > 0:
                presence = taste.cowboy + taste.more_cowboys * (min(cowboys, 4) - 1)
                values[seat] += presence * min(1.0, turns / 2)
        return _TownValue(
            tuple(values),
            incomes,
            vacant=town.corrals_taken < plan.corrals,
            buyers=tuple(seat for seat in seats if town.cowboys[seat]),
        )

    def _threats(
        self, town: Town, times: TurnsLeft, grown: float, beasts: int, options: Options, values: list[float]
    ) -> None:
        """What the strongest enemy beside it may take of each seat's best property here."""
        taste = self.taste
        risk = 1 - (1 - taste.attack) ** times.turns
        if not risk:
            return
        jail = town.assets[JAIL]
        prizes = [self._prize(town, seat, times, grown, beasts, options) for seat in range(len(town.cattle))]
        strengths = [count + (jail == seat) if count else 0 for seat, count in enumerate(town.cowboys)]
        guards = [max(1, count + (jail == seat)) for seat, count in enumerate(town.cowboys)]
        best = [0.0] * len(prizes)
        for seat, prize in enumerate(prizes):
            if not prize:
                continue
            danger = taste.reach
            for other, strength in enumerate(strengths):
                if strength and other != seat:
                    wins = chance(strength, guards[seat])
                    danger = max(danger, wins)
                    best[other] = max(best[other], wins * prize)
            values[seat] -= risk * danger * prize
        for seat, prize in enumerate(best):
            values[seat] += taste.gain * risk * prize

    def _prize(
        self, town: Town, seat: int, times: TurnsLeft, grown: float, beasts: int, options: Options
    ) -> float:
        """What one fight can take of a seat here."""
        best = 0.0
        if town.cattle[seat]:
            best = min(2, town.cattle[seat]) * (beasts + times.payday * cattle_income(town) + 0.3 * grown)
        for number, owner in enumerate(town.assets):
            if owner == seat:
                asset = ASSETS[number]
                if asset == "bank":
                    best = max(best, 9 * times.dollar)
                    continue
                income = town_income(options, town, seat, asset) if asset in SOURCES else 0
                best = max(best, (0.5 if asset == "jail" else 1.3) * grown + times.payday * income)
        return best


@lru_cache(maxsize=1 << 14)
def _shares(counts: tuple[int, ...], soft: float) -> tuple[float, ...]:
    top = max(counts)
    parts = [exp((count - top) / soft) for count in counts]
    whole = sum(parts)
    return tuple(part / whole for part in parts)


def _control(counts: Sequence[int], turns: float) -> list[float]:
    """Everybody's chance to have most counters in a town in the end; a tie for most gives nobody the bonus."""
    top = max(counts)
    if not top:
        return [0.0] * len(counts)
    if turns <= 0:
        alone = list(counts).count(top) == 1
        return [float(alone and count == top) for count in counts]
    return [
        share if count else 0.0
        for count, share in zip(counts, _shares(tuple(counts), 0.35 + 0.12 * min(turns, 9.0)), strict=True)
    ]


_VALUERS: dict[int, Valuer] = {}
_MOST_MATCHES: Final = 16


def valuer_of(match: Match) -> Valuer:
    """The judgement of a match, one for all who play in it: what it caches follows from what lies open."""
    valuer = _VALUERS.get(id(match))
    if valuer is None or valuer.match is not match:
        if len(_VALUERS) >= _MOST_MATCHES:
            _VALUERS.clear()
        valuer = _VALUERS[id(match)] = Valuer(match)
    return valuer
