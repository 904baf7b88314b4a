"""Shots and what follows them (rules I, K, L, M9–M17, N, O12–O19).

A shot is ``Pending``: the card, its mode, and the target named in advance. ``fire`` takes the shot or asks for the
reshuffle it needs (I14); ``turn_card`` is what happens once there is a supply.
"""

from __future__ import annotations

from pbem.games.wyatt_earp import actions, deck
from pbem.games.wyatt_earp.deck import NO_GROUP, NONE, Outlaw
from pbem.games.wyatt_earp.ending import end_hand
from pbem.games.wyatt_earp.legality import legal
from pbem.games.wyatt_earp.state import CHOOSE, PLAY, REACT, Pending, asked, sight_of
from pbem.games.wyatt_earp.transition import Transition

REMOVE = "remove-hideout"
REACTION = "react"


def fire(change: Transition, shot: Pending) -> None:
    """Take the shot, reshuffle for it (I14), or end the hand (I15, ``shot_no_supply=hand_ends``)."""
    if change.state.supply:
        turn_card(change, shot)
    elif change.no_shot_left:
        end_hand(change, "exhausted")
    else:
        change.ask_chance(shot._replace(shuffle="shot"))


def turn_card(change: Transition, shot: Pending) -> None:
    """Turn the top card of the supply; a hit has its effect, a miss uses the card up (I3–I6)."""
    if shot.mode == REACTION:
        _react(change, shot, hit=change.turn_over(shot.seat))
        return
    if change.turn_over(change.state.active):
        _hit(change, shot)
        return
    if shot.card != deck.EARP:
        change.put_down(change.state.active, shot.card, "missed")
    settle(change)


def settle(change: Transition) -> None:
    """The shot is resolved: the turn goes on, unless its card was the last one (``exhaustion_end``)."""
    change.carry_on(PLAY)
    if change.second_supply_is_gone:
        end_hand(change, "exhausted")


def _hit(change: Transition, shot: Pending) -> None:
    """I9, I10: the target named in advance, or the only one, or ask. "May" always asks."""
    if shot.outlaw != NONE:
        strike(change, shot)
        return
    question = Pending(shot.card, shot.mode)
    change.ask(CHOOSE, question)
    only = _only_answer(change)
    if only is not None:
        strike(change, question._replace(outlaw=only.on, seat=only.seat))


def _only_answer(change: Transition) -> actions.Choose | None:
    """The one legal answer, if there is just one: then nobody is asked."""
    answers = legal(change.match, sight_of(change.match, change.state))
    only = answers[0] if len(answers) == 1 else None
    return only if isinstance(only, actions.Choose) else None


def strike(change: Transition, shot: Pending) -> None:
    """The effect of a hit on its target."""
    change.set(pending=None)
    if shot.card == deck.HIDEOUT:
        _hide(change, shot.outlaw, shot.seat)
        return
    if shot.card in deck.REWARD:
        _attach(change, shot)
    elif shot.card == deck.WANTED:
        _steal(change, shot.outlaw, shot.seat)
    else:
        uncover(change, change.state.active, shot.outlaw)
    settle(change)


def decline(change: Transition, shot: Pending) -> None:
    """The player takes nothing; the card is used up all the same (I10)."""
    if shot.card == deck.WANTED:
        change.put_down(change.state.active, deck.WANTED, "used")
    settle(change)


def _attach(change: Transition, shot: Pending) -> None:
    """K1, K2, L1; a Fastest gun replaces the one that lay elsewhere (L4)."""
    card, outlaw, seat = shot.card, shot.outlaw, change.state.active
    change.take_out(seat, card)
    old = [at for at, group in enumerate(change.state.table) if card == deck.FASTEST and group.fastest]
    change.set_group(seat, outlaw, change.group(seat, outlaw).with_card(card))
    change.events.append(actions.Attached(seat, card, outlaw, change.reward(outlaw, deck.REWARD[card])))
    for at in old:
        owner, other = divmod(at, 7)
        change.set_group(owner, other, change.group(owner, other)._replace(fastest=False))
        change.remove(owner, deck.FASTEST, "replaced")


def _steal(change: Transition, outlaw: Outlaw, victim: int) -> None:
    """M10; then the used card, then the orphans (I16, I17, M12, M13)."""
    thief = change.state.active
    group = change.group(victim, outlaw)
    group = group._replace(outlaws=group.outlaws - 1)
    change.take_in(thief, outlaw)
    change.events.append(actions.Stolen(thief, victim, outlaw))
    change.put_down(thief, deck.WANTED, "used")
    if not group.anchored:
        for card in group.sheriff_cards:
            if card == deck.HIDEOUT:
                change.events.append(actions.Uncovered(victim, outlaw))
            change.remove(victim, card, "orphan")
        group = NO_GROUP
    change.set_group(victim, outlaw, group)


def _hide(change: Transition, outlaw: Outlaw, owner: int) -> None:
    """N1; then the affected player's window (N9), left out where no shot is left (O15)."""
    seat = change.state.active
    change.take_out(seat, deck.HIDEOUT)
    change.set_group(owner, outlaw, change.group(owner, outlaw)._replace(hideout=True))
    reward = change.match.options.hideout_reward
    change.events.append(actions.Hidden(seat, owner, outlaw, change.reward(outlaw, reward) if reward else 0))
    if owner == seat or change.no_shot_left:
        settle(change)
    else:
        change.ask(REACT, Pending(deck.HIDEOUT, outlaw=outlaw, seat=owner, by=seat))


def uncover(change: Transition, owner: int, outlaw: Outlaw) -> None:
    """The Hideout on a group goes to the discard (O12, O13)."""
    change.set_group(owner, outlaw, change.group(owner, outlaw)._replace(hideout=False))
    change.events.append(actions.Uncovered(owner, outlaw))
    change.remove(owner, deck.HIDEOUT, "removed")


def react(change: Transition, *, earp: bool) -> None:
    """The answer in the window: a Wyatt Earp against this Hideout, or nothing (O13)."""
    window = asked(change.state.pending)
    if not earp:
        settle(change)
        return
    change.put_down(window.seat, deck.EARP, "used")
    fire(change, window._replace(card=deck.EARP, mode=REACTION))


def _react(change: Transition, shot: Pending, *, hit: bool) -> None:
    """The reaction's shot; with its last card the reactor may have ended the hand (O16)."""
    if hit:
        uncover(change, shot.seat, shot.outlaw)
    if change.match.options.reaction_last_card == "at_once" and not change.state.hands[shot.seat]:
        end_hand(change, "last-card-reaction")
    else:
        settle(change)
