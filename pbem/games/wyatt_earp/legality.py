"""The list of legal actions: the candidates whose conditions hold, from the sight of the seat to act alone.

The list holds short forms, ordered by the bytes of their canonical JSON; the order is a contract, since defaults take
the first. Under ``shot_target=before_shot`` an action that shoots has its target in it: there is no short form.
A candidate is what the cards in the hand bring to mind; what it takes to be legal is said in ``conditions`` alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from pbem.games.wyatt_earp import actions, deck
from pbem.games.wyatt_earp.conditions import (
    allowed,
    hide_targets,
    remove_targets,
    rob_targets,
    search_answers,
    steal_targets,
)
from pbem.games.wyatt_earp.deck import NONE, Kind
from pbem.games.wyatt_earp.state import CHOOSE, DRAW, PLAY, REACT, Match, Sight, asked

_DISCARDS: Final = tuple(map(actions.Discard, deck.BY_NAME))
_ASKS: Final = tuple(actions.Ask(outlaw, clockwise) for outlaw in range(7) for clockwise in (True, False))
_SHERIFF_PLAYS: Final[tuple[tuple[Kind, actions.Action], ...]] = (
    *(
        (deck.BANK, actions.Rob(deck.BANK)),
        (deck.FASTEST, actions.Rob(deck.FASTEST)),
        (deck.HIDEOUT, actions.Hide()),
        (deck.WANTED, actions.Steal()),
    ),
    *((deck.PHOTO + outlaw, actions.PlayPhoto(outlaw)) for outlaw in range(7)),
    *(
        (deck.STAGE, actions.Rob(deck.STAGE)),
        (deck.EARP, actions.EarpDraw()),
        (deck.EARP, actions.EarpRemove()),
        (deck.EARP, actions.EarpSearch()),
    ),
)
"""Each card and what it is played for, no target named."""


def legal(match: Match, sight: Sight) -> tuple[actions.Action, ...]:
    """What the seat to act may play; nothing while chance is asked and when the match is over."""
    return tuple([action for action in _candidates(match, sight) if allowed(match, sight, action)])


def _candidates(match: Match, sight: Sight) -> Iterator[actions.Action]:
    if sight.phase == DRAW:
        yield from (actions.Draw(supply=False), actions.Draw(supply=True))
    elif sight.phase == REACT:
        yield from (actions.React(earp=False), actions.React(earp=True))
    elif sight.phase == CHOOSE:
        yield actions.Choose(decline=True)
        yield from _answers(match, sight)
    elif sight.phase == PLAY:
        yield from _plays(match, sight)


def _answers(match: Match, sight: Sight) -> Iterator[actions.Action]:
    pending = asked(sight.pending)
    if pending.card == deck.HIDEOUT:
        yield from (actions.Choose(outlaw, seat) for outlaw, seat in hide_targets(match, sight))
    elif pending.card == deck.WANTED:
        yield from (actions.Choose(outlaw, seat) for outlaw, seat in steal_targets(match, sight))
    elif pending.card != deck.EARP:
        yield from map(actions.Choose, rob_targets(sight, pending.card))
    elif pending.mode == "search":
        yield from (actions.Choose(take=kind) for kind in search_answers(sight.stack or ()))
    else:
        yield from map(actions.Choose, remove_targets(sight))


def _plays(match: Match, sight: Sight) -> Iterator[actions.Action]:
    hand = sight.hand
    if deck.WANTED in hand:  # it is also asked with, and that comes first of all
        yield from _ASKS
    yield from (discard for discard in _DISCARDS if discard.card in hand)
    counts = [hand.count(outlaw) for outlaw in range(7)]
    for count in range(1, 8):
        yield from (actions.Lay(outlaw, count) for outlaw in range(7) if counts[outlaw] >= count)
    aimed = match.options.shot_target == "before_shot"
    for card, play in _SHERIFF_PLAYS:
        if card in hand:
            yield from _aimed(match, sight, play) if aimed else (play,)


def _aimed(match: Match, sight: Sight, play: actions.Action) -> Iterator[actions.Action]:
    """A play as it is; one that shoots with each of its targets."""
    match play:
        case actions.Rob(card):
            yield from (actions.Rob(card, outlaw) for outlaw in rob_targets(sight, card))
        case actions.Hide():
            yield from (actions.Hide(*target) for target in hide_targets(match, sight))
        case actions.Steal():
            yield from (actions.Steal(*target) for target in steal_targets(match, sight))
        case actions.EarpRemove():
            yield from map(actions.EarpRemove, remove_targets(sight))
        case _:
            yield play


# --- what an action may name in advance, one thing at a time (``pbem.game.Foresight``) --------------------


MOST_PREFERENCES: Final = 8
"""Cards a client lets a search name; any number is legal."""


def extras(match: Match, sight: Sight, action: actions.Action) -> tuple[actions.Action, ...]:
    """``action`` with a target or one more preference named; it must be legal itself."""
    match action:
        case actions.Rob(card, on) if on == NONE:
            return tuple(actions.Rob(card, outlaw) for outlaw in rob_targets(sight, card))
        case actions.Steal(outlaw, _) if outlaw == NONE:
            return tuple(actions.Steal(*target) for target in steal_targets(match, sight))
        case actions.Hide(on, _) if on == NONE:
            return tuple(actions.Hide(*target) for target in hide_targets(match, sight))
        case actions.EarpRemove(on) if on == NONE:
            return tuple(actions.EarpRemove(outlaw) for outlaw in remove_targets(sight))
        case actions.EarpSearch(take) if len(take) < MOST_PREFERENCES:
            more = (kind for kind in deck.BY_NAME if kind != deck.EARP and kind not in take)
            return tuple(replace(action, take=(*take, kind)) for kind in more)
        case _:
            return ()
