"""Where a card may go: the legal targets, each list in the order of the actions' canonical JSON."""

from __future__ import annotations

from typing import Final

from pbem.games.wyatt_earp.cards import (
    ANCHOR,
    BY_NAME,
    EARP,
    FASTEST,
    FASTEST_BIT,
    HIDEOUT_BIT,
    OUTLAWS,
    Group,
    Kind,
    Outlaw,
    Stack,
)
from pbem.games.wyatt_earp.state import Match, Sight, on_table


def rob_targets(sight: Sight, card: Kind) -> list[Outlaw]:
    """Own groups for a Bank robbery, Stagecoach robbery (I7) or Fastest gun (L3)."""
    base = sight.seat * 7
    mine = sight.table[base : base + 7]
    if card != FASTEST:
        return [outlaw for outlaw, group in enumerate(mine) if group & ANCHOR]
    barred = on_table(sight.table, FASTEST_BIT)
    return [outlaw for outlaw, group in enumerate(mine) if group & ANCHOR and not barred >> outlaw & 1]


def remove_targets(sight: Sight) -> list[Outlaw]:
    """Own groups under a Hideout (O12)."""
    base = sight.seat * 7
    return [outlaw for outlaw, group in enumerate(sight.table[base : base + 7]) if group & HIDEOUT_BIT]


def hide_targets(match: Match, sight: Sight) -> list[tuple[Outlaw, int]]:
    """Groups without a Hideout (N5), of other players (N1) or of anybody (``hideout_target=any``)."""
    table = sight.table
    barred = -1 if match.options.hideout_target == "any" else sight.seat
    return [
        (outlaw, seat)
        for outlaw in range(7)
        for seat in match.by_name
        if (group := table[seat * 7 + outlaw]) & ANCHOR and not group & HIDEOUT_BIT and seat != barred
    ]


# Whether there are any, as loops that stop at the first one: every list of a turn asks.

_NO_GROUPS: Final[tuple[Group, ...]] = (0,) * 7


def can_rob(table: tuple[Group, ...], base: int) -> bool:
    """Whether a Bank or Stagecoach robbery has a target: any own group (I7); ``base`` is where the own ones begin."""
    return table[base : base + 7] != _NO_GROUPS


def can_place_fastest(table: tuple[Group, ...], base: int) -> bool:
    """Whether the Fastest gun has one: an own group of an Outlaw on whom it does not lie yet (L3)."""
    for outlaw in range(7):
        if table[base + outlaw]:
            for group in table[outlaw::7]:
                if group & FASTEST_BIT:
                    break
            else:
                return True
    return False


def can_remove(table: tuple[Group, ...], base: int) -> bool:
    """Whether ``remove_targets`` has any."""
    return max(table[base : base + 7]) >= HIDEOUT_BIT


def can_hide(table: tuple[Group, ...]) -> bool:
    """Whether any of these groups is there and not covered (N1, N5)."""
    for group in table:  # noqa: SIM110  a generator would cost twice as much
        if 0 < group < HIDEOUT_BIT:
            return True
    return False


def can_steal(table: tuple[Group, ...]) -> bool:
    """Whether any of these groups holds an Outlaw card (M10)."""
    for group in table:  # noqa: SIM110  a generator would cost twice as much
        if group & OUTLAWS:
            return True
    return False


def steal_targets(match: Match, sight: Sight) -> list[tuple[Outlaw, int]]:
    """Groups of other players that hold an Outlaw card (M10, M15); a Hideout does not matter."""
    table = sight.table
    return [
        (outlaw, seat)
        for outlaw in range(7)
        for seat in match.by_name
        if table[seat * 7 + outlaw] & OUTLAWS and seat != sight.seat
    ]


def search_answers(stack: Stack) -> list[Kind]:
    """The kinds a search may take: everything but Wyatt Earps (O5)."""
    return [kind for kind in BY_NAME if kind != EARP and kind in stack]
