"""Where a card may go, in the order of the actions' canonical JSON, and whether there are cards enough for it."""

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
    held,
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


# --- whether there is enough -------------------------------------------------------------------------------


def can_shoot(match: Match, sight: Sight, *, earp: bool = False) -> bool:
    """Whether a shot can be tried in the own turn (I14, I15); a Wyatt Earp is itself reshuffled (O1)."""
    return (
        sight.supply > 0
        or (not sight.reshuffled and (sight.discard > 0 or earp))
        or match.options.shot_no_supply == "hand_ends"
    )


def cards_for_earp(sight: Sight) -> int:
    """How many cards Wyatt Earp mode 1 could take: with the one reshuffle, itself included (O3)."""
    return sight.supply if sight.reshuffled else sight.supply + sight.discard + 1


def earp_draw_allowed(match: Match, sight: Sight) -> bool:
    """O4: a second shortage ends the hand, or is not allowed (``earp_short=illegal``)."""
    return match.options.earp_short == "hand_ends" or cards_for_earp(sight) >= 2


def draw_refills(match: Match, sight: Sight) -> bool:
    """E5: two cards can really be taken, and taking them does not end the hand."""
    if match.options.last_card_play == "never":
        return False
    cards = cards_for_earp(sight)
    ends_when_empty = match.options.exhaustion_end == "immediate" and (sight.reshuffled or sight.supply < 2)
    return cards >= 2 and not (ends_when_empty and cards == 2)


def search_allowed(match: Match, sight: Sight) -> bool:
    """O11: there is a card to find; in the supply (``earp_search=supply``) any card will do."""
    return sight.supply > 0 if match.options.earp_search == "supply" else sight.takeable > 0


def search_refills(match: Match, sight: Sight) -> bool:
    """E5: a card is certain to be found. In the supply: more cards than Wyatt Earps out of sight."""
    if match.options.last_card_play == "never":
        return False
    if match.options.earp_search == "discard":
        return sight.takeable > 0
    shown = held(sight.hand, EARP) + sight.discard - sight.takeable
    return sight.supply > 7 - shown
