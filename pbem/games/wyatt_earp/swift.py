"""The commonest actions at one stroke: a draw, a discard, a lay.

Nine of ten actions are one of these, and nearly always nothing out of the ordinary hangs on them. Each function here
checks its action and makes the next state without a ``Transition``; it returns None where it is not sure that the
action is legal and ordinary, and then ``faults`` and ``turn`` look closely. They can do all of it: a test
plays with and without.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from pbem.game import Deal, Step
from pbem.games.wyatt_earp.actions import Action, Discard, Draw, Lay
from pbem.games.wyatt_earp.cards import NONE, ONE, ONE_CARD, PLACE, Hand, Kind, Stack, hand_of, put, size
from pbem.games.wyatt_earp.events import Discarded, Drew, Event, Laid, TurnEnded
from pbem.games.wyatt_earp.state import DRAW, PLAY, Match, State
from pbem.games.wyatt_earp.transition import deal_to

Made = Step[State, Event] | None

# Where the fields of a state are that change; the next state is made from a list.
_ACTIVE: Final = 2
_PHASE: Final = 3
_SHERIFF: Final = 4
_OPENED: Final = 6
_LAID: Final = 7
_POSTERS: Final = 8
_HANDS: Final = 10
_SUPPLY: Final = 11
_DISCARD: Final = 12
_TABLE: Final = 13
_FOUND: Final = 15
_DRAWN: Final = 16


def swift_step(match: Match, state: State, action: Action) -> Made:
    """The step of a legal action, equal to what ``turn.play`` makes of it; None if it needs a closer look."""
    if type(action) is Draw:
        return _draw(match, state, action)
    if type(action) is Discard:
        return _discard(state, action)
    return _lay(match, state, action) if type(action) is Lay else None


def _draw(match: Match, state: State, action: Draw) -> Made:
    """C2; whether the supply runs out is looked at elsewhere."""
    if state.phase != DRAW:
        return None
    seat, hands = state.active, state.hands
    after: list[object] = list(state)
    after[_PHASE] = PLAY
    if action.supply:
        supply = state.supply
        if len(supply) < 3:
            return None
        cards, drew = _two_cards(seat, supply[:2])
        after[_SUPPLY] = supply[2:]
        after[_HANDS] = put(hands, seat, hands[seat] + cards)
        return _new(Step, (_new(State, after), drew, _two_deals(match.seats[seat]), (), True))
    discard = state.discard
    if not discard:
        return None
    card = discard[0]
    after[_DISCARD] = left = discard[1:]
    after[_DRAWN] = card
    after[_HANDS] = put(hands, seat, hands[seat] + ONE[card])
    return _new(Step, (_new(State, after), _drew_discard(seat, card), (), (), bool(left)))


def _discard(state: State, action: Discard) -> Made:
    """E1, F1; whether the hand ends is looked at elsewhere."""
    seat, hands, card = state.active, state.hands, action.card
    if state.phase != PLAY or not hands[seat] >> PLACE[card] & 15:
        return None
    hands = put(hands, seat, hands[seat] - ONE[card])
    if not all(hands):
        return None
    after: list[object] = list(state)
    after[_ACTIVE] = (seat + 1) % len(hands)
    after[_PHASE] = DRAW
    after[_SHERIFF] = False
    after[_LAID] = 0
    after[_HANDS] = hands
    after[_DISCARD] = ONE_CARD[card] + state.discard
    after[_FOUND] = after[_DRAWN] = NONE
    return _new(Step, (_new(State, after), _turn_over(seat, card), (), (), False))


def _lay(match: Match, state: State, action: Lay) -> Made:
    """D; options that make the reward or the opening a longer story are looked at elsewhere."""
    outlaw, count, options = action.outlaw, action.count, match.options
    seat, hands, opened = state.active, state.hands, state.opened
    mine = hands[seat]
    if (
        state.phase != PLAY
        or not 0 < count <= mine >> PLACE[outlaw] & 15
        or size(mine) <= count
        or (count < 3 and (not opened >> outlaw & 1 or options.opened_test != "sticky"))
        or options.reward_batch == "per_turn"
        or options.bank_limit != "none"
    ):
        return None
    posters, table = state.posters, state.table
    at, reward = seat * 7 + outlaw, 1000 * (count - 1)
    after: list[object] = list(state)
    after[_OPENED] = opened | 1 << outlaw
    after[_POSTERS] = put(posters, outlaw, posters[outlaw] + reward)
    after[_HANDS] = put(hands, seat, mine - count * ONE[outlaw])
    after[_TABLE] = put(table, at, table[at] + count)
    after[_FOUND] = NONE
    laid = _new(Laid, (seat, outlaw, count, reward))
    return _new(Step, (_new(State, after), (laid,), (), (), False))


_new: Final = tuple.__new__
"""Makes a named tuple without the detour over its keyword arguments."""


@cache
def _two_cards(seat: int, cards: Stack) -> tuple[Hand, tuple[Event]]:
    return hand_of(cards), (Drew(seat, True, tuple(cards)),)


@cache
def _two_deals(seat: str) -> tuple[Deal, ...]:
    return (deal_to(seat),) * 2


@cache
def _drew_discard(seat: int, card: Kind) -> tuple[Event]:
    return (Drew(seat, False, (card,)),)


@cache
def _turn_over(seat: int, card: Kind) -> tuple[Event, ...]:
    return Discarded(seat, card, "turn"), TurnEnded(seat)
