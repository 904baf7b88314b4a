"""What a position is worth to a seat, in points: the computer player's judgement, not a rule.

Points as they would be scored now, expected income and cash turned into points, property weighed by how well it
is guarded, cowboys by what they can reach. Everything is public; hidden cash counts as nothing.
"""

from __future__ import annotations

from functools import cache

from pbem.games.way_out_west.odds import odds
from pbem.games.way_out_west.position import (
    JAIL,
    STAGECOACH,
    Match,
    Position,
    Town,
    is_open,
    vacant_corrals,
)
from pbem.games.way_out_west.scoring import cattle_points, controller, town_income


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


def cash_rate(match: Match, position: Position) -> float:
    """Points that a dollar still buys: falls towards the end, where only most cash counts."""
    return 0.06 + 0.04 * min(9, turns_left(match, position))


def worth(match: Match, position: Position, seat: int) -> float:
    """The seat's prospects, less a part of what the others have."""
    own = _prospects(match, position, seat)
    others = [_holdings(match, position, other) for other in range(len(match.seats)) if other != seat]
    return own - 0.5 * max(others) - 0.1 * sum(others)


def _prospects(match: Match, position: Position, seat: int) -> float:
    total = _holdings(match, position, seat) + cash_rate(match, position) * position.cash[seat]
    total += _reserve(position.cash[seat], turns_left(match, position))
    for number, town in enumerate(position.towns):
        total += _presence(match, position, number, town, seat)
    return total + 0.7 * position.wanted[seat]


def _reserve(cash: int, turns: int) -> float:
    """Without a few dollars nothing can be bought next turn."""
    return -0.4 * max(0, 4 - cash) if turns else 0.0


def _holdings(match: Match, position: Position, seat: int) -> float:
    """Property: points, income to come, less what may be taken."""
    paydays, rate = paydays_left(match, position), cash_rate(match, position)
    total = 0.0
    for town in position.towns:
        if not (town.cattle[seat] or seat in town.assets):
            continue
        points = town.holdings(seat) * town.size + town.cattle[seat] * cattle_points(town)
        points += town.size if controller(town) == seat else 0
        income = sum(
            town_income(match, town, seat, source) for source in ("cattle", "bank", "store", "hotel")
        )
        value = points + rate * paydays * income
        if town.assets[STAGECOACH] == seat:
            value += rate * 0.8 * turns_left(match, position)
        if town.assets[JAIL] == seat:
            value += 0.5
        total += value * (1 - 0.25 * _danger(town, seat))
    return total


def _danger(town: Town, seat: int) -> float:
    """How likely the strongest neighbour would win a fight here."""
    strongest = max(count if other != seat else 0 for other, count in enumerate(town.cowboys))
    sheriff = town.assets[JAIL] == seat
    return chance(strongest, max(1, town.cowboys[seat] + sheriff)) if strongest else 0.05


def _presence(match: Match, position: Position, number: int, town: Town, seat: int) -> float:
    """What own cowboys in a town are good for: buying cattle, taking what others own."""
    cowboys = town.cowboys[seat]
    if not cowboys:
        return 0.0
    value = 0.25 + 0.1 * min(cowboys, 4)
    if vacant_corrals(match, position.towns, number) and is_open(match, position.towns, number):
        value += 0.8
    strength = cowboys + (town.assets[JAIL] == seat)
    prize = 0.0
    for other in range(len(match.seats)):
        if other != seat and (town.cattle[other] or other in town.assets):
            defence = max(1, town.cowboys[other] + (town.assets[JAIL] == other))
            held = town.size * town.holdings(other) + min(2, town.cattle[other])
            prize = max(prize, chance(strength, defence) * min(held, town.size + 2))
    return value + 0.25 * prize * min(1, turns_left(match, position))
