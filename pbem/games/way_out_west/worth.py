"""What a position is worth to a seat, in points: the computer player's judgement, not a rule.

Points as they would be scored now, expected income and cash turned into points, property weighed by how well it
is guarded, cowboys by what they can reach. Everything is public; hidden cash counts as nothing.
"""

from __future__ import annotations

from functools import cache, lru_cache

from pbem.games.way_out_west.odds import odds
from pbem.games.way_out_west.options import Options
from pbem.games.way_out_west.scoring import SOURCES, cattle_points, controller, town_income
from pbem.games.way_out_west.state import JAIL, STAGECOACH, Match, Position, Town, is_open, vacant_corrals


@cache
def chance(attack: int, defence: int) -> float:
    """The attack's chance in a fight to the end."""
    return float(odds(attack, defence).attack) if attack and defence else float(attack > 0)


def paydays_left(match: Match, position: Position) -> int:
    """Incomes still to come."""
    return sum(space >= position.space for space in match.board.income_spaces)


def turns_left(match: Match, position: Position) -> int:
    """Turns after this one."""
    return match.board.last_space - position.space


def cash_rate(turns: int) -> float:
    """Points that a dollar still buys with so many turns to come; at the end only most cash counts."""
    return 0.06 + 0.04 * min(9, turns)


def worth(match: Match, position: Position, seat: int) -> float:
    """The seat's prospects, less a part of what the others have."""
    paydays, turns = paydays_left(match, position), turns_left(match, position)
    options = match.options
    by_town = [_holdings(options, town, paydays, turns) for town in position.towns]
    holdings = list(map(sum, zip(*by_town, strict=True)))
    own = _prospects(match, position, seat, holdings.pop(seat), turns)
    return own - 0.5 * max(holdings) - 0.1 * sum(holdings)


def _prospects(match: Match, position: Position, seat: int, holdings: float, turns: int) -> float:
    total = holdings + cash_rate(turns) * position.cash[seat]
    total += _reserve(position.cash[seat], turns)
    for number, town in enumerate(position.towns):
        if town.cowboys[seat]:
            vacant = vacant_corrals(match, position.towns, number) > 0
            total += _presence(town, seat, vacant and is_open(match, position.towns, number), turns > 0)
    return total + 0.7 * position.wanted[seat]


def _reserve(cash: int, turns: int) -> float:
    """Without a few dollars nothing can be bought next turn."""
    return -0.4 * max(0, 4 - cash) if turns else 0.0


@lru_cache(maxsize=20_000)
def _holdings(options: Options, town: Town, paydays: int, turns: int) -> tuple[float, ...]:
    """Everybody's property in one town: points, income to come, less what may be taken.

    Cached: an action that is tried changes one town or two.
    """
    return tuple(
        _seat_holdings(options, town, seat, paydays, turns) if count or seat in town.assets else 0.0
        for seat, count in enumerate(town.cattle)
    )


def _seat_holdings(options: Options, town: Town, seat: int, paydays: int, turns: int) -> float:
    rate = cash_rate(turns)
    points = town.holdings(seat) * town.size + town.cattle[seat] * cattle_points(town)
    points += town.size if controller(town) == seat else 0
    income = sum(town_income(options, town, seat, source) for source in SOURCES)
    value = points + rate * paydays * income
    if town.assets[STAGECOACH] == seat:
        value += rate * 0.8 * turns
    if town.assets[JAIL] == seat:
        value += 0.5
    return value * (1 - 0.25 * _danger(town, seat))


def _danger(town: Town, seat: int) -> float:
    """How likely the strongest neighbour would win a fight here."""
    strongest = max(count if other != seat else 0 for other, count in enumerate(town.cowboys))
    sheriff = town.assets[JAIL] == seat
    return chance(strongest, max(1, town.cowboys[seat] + sheriff)) if strongest else 0.05


@lru_cache(maxsize=20_000)
def _presence(town: Town, seat: int, may_buy: bool, goes_on: bool) -> float:
    """The value of own cowboys in a town: for buying cattle, and for taking what others own."""
    cowboys = town.cowboys[seat]
    value = 0.25 + 0.1 * min(cowboys, 4) + (0.8 if may_buy else 0)
    strength = cowboys + (town.assets[JAIL] == seat)
    prize = 0.0
    for other in range(len(town.cowboys)):
        if other != seat and (town.cattle[other] or other in town.assets):
            defence = max(1, town.cowboys[other] + (town.assets[JAIL] == other))
            held = town.size * town.holdings(other) + min(2, town.cattle[other])
            prize = max(prize, chance(strength, defence) * min(held, town.size + 2))
    return value + (0.25 * prize if goes_on else 0)
