"""Where a card may go: the legal targets, each list in the order of the actions' canonical JSON."""

from __future__ import annotations

from pbem.games.wyatt_earp.cards import (
    ANCHOR,
    BY_NAME,
    EARP,
    FASTEST,
    FASTEST_BIT,
    HIDEOUT_BIT,
    OUTLAWS,
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
    return [outlaw for outlaw in range(7) if sight.table[base + outlaw] & HIDEOUT_BIT]


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


def can_hide(match: Match, sight: Sight) -> bool:
    """Whether ``hide_targets`` has any."""
    barred = () if match.options.hideout_target == "any" else range(sight.seat * 7, sight.seat * 7 + 7)
    return any(
        group & ANCHOR and group < HIDEOUT_BIT and at not in barred for at, group in enumerate(sight.table)
    )


def can_steal(sight: Sight) -> bool:
    """Whether ``steal_targets`` has any."""
    base = sight.seat * 7
    return any(group & OUTLAWS and not base <= at < base + 7 for at, group in enumerate(sight.table))


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
