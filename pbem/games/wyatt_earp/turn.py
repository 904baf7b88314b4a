"""The actions of a turn (rules C, D, E, J, M2–M8, O), and how a shuffle that was asked for goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from pbem.game import Step
from pbem.games.wyatt_earp import actions, deck
from pbem.games.wyatt_earp.deck import NONE, Kind, Stack
from pbem.games.wyatt_earp.duel import shuffled
from pbem.games.wyatt_earp.ending import deal, end_hand, end_turn
from pbem.games.wyatt_earp.shots import REMOVE, decline, fire, react, settle, strike, turn_card
from pbem.games.wyatt_earp.state import CHOOSE, PLAY, Match, Pending, State, asked
from pbem.games.wyatt_earp.transition import Transition

# --- turn -------------------------------------------------------------------------------------------------


def play(match: Match, state: State, action: actions.Action) -> Step[State, actions.Event]:
    """Carry out a legal action."""
    change = Transition(match, state)
    change.set(found=NONE)
    _PLAYS[type(action)](change, action)
    return change.freeze()


def _discard(change: Transition, action: actions.Discard) -> None:
    """The card goes face up on the discard pile, and the turn ends (E1)."""
    seat = change.state.active
    change.put_down(seat, action.card, "turn")
    change.events.append(actions.TurnEnded(seat))
    end_turn(change)


def _draw(change: Transition, action: actions.Draw) -> None:
    if action.supply:
        _draw_two(change)
    else:
        _draw_from_discard(change)


def _draw_from_discard(change: Transition) -> None:
    """C2, C4: the top one; the card below is shown."""
    seat = change.state.active
    card = change.state.discard[0]
    change.set(discard=change.state.discard[1:], drawn=card)
    change.take_in(seat, card)
    change.events.append(actions.Drew(seat, False, (card,)))
    change.reveals = bool(change.state.discard)
    change.carry_on(PLAY)


def _lay(change: Transition, action: actions.Lay) -> None:
    """D2, D9; ``reward_batch=per_turn`` counts the Outlaw's cards of the whole turn."""
    seat, outlaw, count = change.state.active, action.outlaw, action.count
    again = outlaw in change.state.laid
    for _ in range(count):
        change.take_out(seat, outlaw)
    group = change.group(seat, outlaw)
    change.set_group(seat, outlaw, group._replace(outlaws=group.outlaws + count))
    change.set(opened=change.state.opened | {outlaw})
    if change.match.options.reward_batch == "per_turn":
        change.set(laid=change.state.laid | {outlaw})
    paid = change.reward(outlaw, 1000 * (count if again else count - 1))
    change.events.append(actions.Laid(seat, outlaw, count, paid))


def _photo(change: Transition, action: actions.PlayPhoto) -> None:
    """The Photo joins the seat's own group and raises the reward by 1000: the one Sheriff card of a turn (J2, J3)."""
    seat, outlaw = change.state.active, action.outlaw
    change.set(sheriff=True)
    change.take_out(seat, deck.PHOTO + outlaw)
    change.set_group(seat, outlaw, change.group(seat, outlaw)._replace(photo=True))
    change.events.append(actions.PhotoPlayed(seat, outlaw, change.reward(outlaw, 1000)))


def _ask_around(change: Transition, action: actions.Ask) -> None:
    """M2–M7: the others one after the other, until one has a card and hands it over."""
    seat, outlaw, count = change.state.active, action.outlaw, change.match.count
    step = 1 if action.clockwise else -1
    change.set(sheriff=True)
    change.reveals = True
    for of in action.order or [(seat + step * i) % count for i in range(1, count)]:
        has = outlaw in change.state.hands[of]
        change.events.append(actions.Asked(seat, outlaw, of, has))
        if has:
            change.take_out(of, outlaw)
            change.take_in(seat, outlaw)
            change.events.append(actions.Given(of, seat, outlaw))
            break
    change.put_down(seat, deck.WANTED, "used")


def _shoot(change: Transition, action: actions.Rob | actions.Steal | actions.Hide) -> None:
    change.set(sheriff=True)
    fire(change, _shot(action))


def _shot(action: actions.Rob | actions.Steal | actions.Hide) -> Pending:
    match action:
        case actions.Rob(card, on):
            return Pending(card, outlaw=on)
        case actions.Steal(outlaw, seat):
            return Pending(deck.WANTED, outlaw=outlaw, seat=seat)
        case actions.Hide(on, seat):
            return Pending(deck.HIDEOUT, outlaw=on, seat=seat)


def _answer(change: Transition, action: actions.Choose) -> None:
    question = asked(change.state.pending)
    if action.take != NONE:
        _find(change, action.take)
    elif action.decline:
        decline(change, question)
    else:
        strike(change, question._replace(outlaw=action.on, seat=action.seat))


def _earp(change: Transition, action: actions.EarpDraw | actions.EarpSearch | actions.EarpRemove) -> None:
    """O1: the card is put down first."""
    change.set(sheriff=True)
    change.put_down(change.state.active, deck.EARP, "used")
    match action:
        case actions.EarpDraw():
            _draw_two(change)
        case actions.EarpSearch(take):
            _search(change, take)
        case actions.EarpRemove(on):
            fire(change, Pending(deck.EARP, REMOVE, outlaw=on))


def _search(change: Transition, take: tuple[Kind, ...]) -> None:
    """O5: the first card preferred that is there, the only card there is, or the player looks and chooses.

    Whether the player is asked follows from the *number* of cards to take: in the discard everybody knows it
    (O18), while the kinds that are left there could betray an earlier, secret search (O10).
    """
    stack = change.state.supply if change.match.options.earp_search == "supply" else change.state.discard
    wanted = [kind for kind in take if kind != deck.EARP and kind in stack]
    answers = deck.takeable(stack)
    if wanted or answers == 1:
        _find(change, wanted[0] if wanted else next(kind for kind in stack if kind != deck.EARP))
    elif answers:
        change.add_stack(change.state.active, stack)
        change.events.append(actions.Searching(change.state.active, len(stack)))
        change.reveals = True
        change.ask(CHOOSE, Pending(deck.EARP, "search"))
    else:
        _after_search(change)


def _find(change: Transition, card: Kind) -> None:
    seat = change.state.active
    if change.match.options.earp_search == "supply":
        change.set(supply=deck.without(change.state.supply, card))
    else:
        change.set(discard=deck.without(change.state.discard, card))
    change.take_in(seat, card)
    change.set(found=card)
    change.add_found(seat, card)
    change.events.append(actions.Found(seat, card))
    change.reveals = True
    _after_search(change)


def _after_search(change: Transition) -> None:
    """The supply, once looked through, is shuffled (``earp_search=supply``); it may have been the last card."""
    change.carry_on(PLAY)
    if change.match.options.earp_search == "discard":
        return
    if change.state.supply:
        change.ask_chance(Pending(shuffle="search"))
    else:
        settle(change)


def _draw_two(change: Transition) -> None:
    """C2, O2; a first shortage asks for the reshuffle (C6), a second one ends the hand (C9, O4)."""
    available = len(change.state.supply)
    if available >= 2:
        _take(change, 2)
    elif change.state.reshuffled:
        if change.match.options.exhaustion_end == "immediate":
            change.draw_into_hand(change.state.active, available)
        end_hand(change, "exhausted")
    elif not change.state.discard:
        change.draw_into_hand(change.state.active, available)
        end_hand(change, "exhausted")
    else:
        if change.match.options.reshuffle_timing == "mid_draw":
            change.draw_into_hand(change.state.active, available)
        change.ask_chance(Pending(shuffle="draw", left=2 - len(change.deals)))


def _take(change: Transition, count: int) -> None:
    change.draw_into_hand(change.state.active, count)
    change.carry_on(PLAY)
    if change.second_supply_is_gone:
        end_hand(change, "exhausted")


_PLAYS: Final[dict[type, Callable[[Transition, Any], None]]] = {
    actions.Draw: _draw,
    actions.Lay: _lay,
    actions.PlayPhoto: _photo,
    actions.Rob: _shoot,
    actions.Ask: _ask_around,
    actions.Steal: _shoot,
    actions.Hide: _shoot,
    actions.EarpDraw: _earp,
    actions.EarpSearch: _earp,
    actions.EarpRemove: _earp,
    actions.Choose: _answer,
    actions.React: lambda change, action: react(change, earp=action.earp),
    actions.Discard: _discard,
}


def to_shuffle(state: State) -> Stack:
    """The cards of the shuffle that is asked for; the engine sorts them by the bytes of their names."""
    match asked(state.pending).shuffle:
        case "first-deal" | "deal" | "duel-all":
            return deck.ALL_CARDS
        case "search":
            return state.supply
        case "draw":
            return state.supply + state.discard
        case _:
            return state.discard


def after_shuffle(match: Match, state: State, cards: Stack) -> Step[State, actions.Event]:
    """Go on with ``cards``, top first, as what was shuffled."""
    change = Transition(match, state)
    pending = asked(state.pending)
    match pending.shuffle:
        case "first-deal" | "deal":
            deal(change, cards)
        case "duel" | "duel-all":
            shuffled(change, cards)
        case "search":
            change.set(supply=cards)
            change.events.append(actions.Reshuffled(len(cards)))
            settle(change)
        case _:
            change.set(supply=cards, discard=(), reshuffled=True)
            change.events.append(actions.Reshuffled(len(cards)))
            if pending.shuffle == "shot":
                turn_card(change, pending)
            elif len(cards) < pending.left:
                change.draw_into_hand(change.state.active, pending.left)
                end_hand(change, "exhausted")
            else:
                _take(change, pending.left)
    return change.freeze()
