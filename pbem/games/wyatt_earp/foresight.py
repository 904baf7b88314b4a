"""What an action may name in advance, one thing at a time, for clients (``pbem.game.Foresight``)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from pbem.games.wyatt_earp.actions import Action, EarpRemove, EarpSearch, Hide, Rob, Steal
from pbem.games.wyatt_earp.cards import BY_NAME, EARP, NONE
from pbem.games.wyatt_earp.state import Match, Sight
from pbem.games.wyatt_earp.targets import hide_targets, remove_targets, rob_targets, steal_targets

MOST_PREFERENCES: Final = 8
"""Cards a client lets a search name; any number is legal."""


def extras(match: Match, sight: Sight, action: Action) -> tuple[Action, ...]:
    """``action`` with a target or one more preference named; it must be legal itself."""
    match action:
        case Rob(card, on) if on == NONE:
            return tuple(Rob(card, outlaw) for outlaw in rob_targets(sight, card))
        case Steal(outlaw, _) if outlaw == NONE:
            return tuple(Steal(*target) for target in steal_targets(match, sight))
        case Hide(on, _) if on == NONE:
            return tuple(Hide(*target) for target in hide_targets(match, sight))
        case EarpRemove(on) if on == NONE:
            return tuple(EarpRemove(outlaw) for outlaw in remove_targets(sight))
        case EarpSearch(take) if len(take) < MOST_PREFERENCES:
            more = (kind for kind in BY_NAME if kind != EARP and kind not in take)
            return tuple(replace(action, take=(*take, kind)) for kind in more)
        case _:
            return ()
