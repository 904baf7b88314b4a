"""The end of a hand (F), the end of the match (H5, H6), and the next deal (B, H2–H4)."""

from __future__ import annotations

from itertools import chain

from pbem.game import TABLE, Deal
from pbem.games.wyatt_earp import actions, deck
from pbem.games.wyatt_earp.deck import NO_GROUP, NONE, Stack
from pbem.games.wyatt_earp.duel import start_duel, win
from pbem.games.wyatt_earp.scoring import circle_from, score_poster
from pbem.games.wyatt_earp.state import DRAW, WIN, Match, Pending, State, asked, money_in_bank
from pbem.games.wyatt_earp.transition import Transition, deal_to

_HAND = 10
"""Cards dealt to each player (B3)."""


def end_turn(change: Transition) -> None:
    """After the turn's discard: F2, F3, then the next player (F1, F7)."""
    if not change.state.hands[change.state.active]:
        end_hand(change, "went-out")
    elif not all(change.state.hands):
        end_hand(change, "empty-hand")
    else:
        change.set(active=(change.state.active + 1) % change.match.count)
        _fresh_turn(change)
        change.carry_on(DRAW)


def _fresh_turn(change: Transition) -> None:
    change.set(sheriff=False, found=NONE, drawn=NONE, laid=frozenset())


def end_hand(change: Transition, reason: str) -> None:
    """The hands go face down under the discard (F6), the posters are scored, and the match may end."""
    change.events.append(actions.HandEnded(reason))
    hands = tuple(chain.from_iterable(change.state.hands))
    change.set(discard=change.state.discard + hands, hands=((),) * change.match.count)
    _fresh_turn(change)
    if not _score(change):
        change.ask_chance(Pending(shuffle="deal"))
        return
    best = max(change.state.money)
    richest = [seat for seat, money in enumerate(change.state.money) if money == best]
    if len(richest) == 1:
        win(change, richest[0])
    else:
        start_duel(change, richest)


def _score(change: Transition) -> bool:
    """Score the posters in circle order (A15); whether somebody has won (H5; ``end_condition``)."""
    at_once = change.match.options.end_condition == "first_to_25000"
    for outlaw in circle_from(change.match.options.first_poster):
        _score_poster(change, outlaw)
        if at_once and max(change.state.money) >= WIN:
            return True
    return max(change.state.money) >= WIN


def _score_poster(change: Transition, outlaw: int) -> None:
    points = tuple([group.counted for group in change.state.table[outlaw::7]])
    captured, paid = score_poster(change.match.options, points, change.state.posters[outlaw])
    left = change.state.posters[outlaw] - sum(paid)
    if captured:
        money = tuple(map(sum, zip(change.state.money, paid, strict=True)))
        change.set(posters=deck.put(change.state.posters, outlaw, left), money=money)
    change.events.append(actions.PosterScored(outlaw, points, captured, paid, left))


def before_the_match(match: Match) -> State:
    """Posters as B1 has them; the first deal waits for its shuffle."""
    return State(
        hand=1,
        dealer=match.dealer,
        active=(match.dealer + 1) % match.count,
        phase="chance",
        sheriff=False,
        reshuffled=False,
        opened=frozenset(),
        laid=frozenset(),
        posters=(1000,) * 7,
        money=(0,) * match.count,
        hands=((),) * match.count,
        supply=(),
        discard=(),
        table=(NO_GROUP,) * (7 * match.count),
        pending=Pending(shuffle="first-deal"),
        found=NONE,
        drawn=NONE,
        duel=None,
        winner=NONE,
    )


def deal(change: Transition, cards: Stack) -> None:
    """All 78 cards, one at a time, clockwise from the dealer's left; then the first discard (B3–B6, H4)."""
    match = change.match
    if asked(change.state.pending).shuffle == "deal":
        _next_hand(change)
    starter = (change.state.dealer + 1) % match.count
    order = [(starter + i) % match.count for i in range(match.count)]
    dealt = _HAND * match.count
    hands = {seat: deck.hand_of(cards[at : dealt : match.count]) for at, seat in enumerate(order)}
    change.deals += [deal_to(match.seats[seat]) for seat in order] * _HAND
    change.deals.append(Deal("main", TABLE))
    change.set(
        hands=tuple(hands[seat] for seat in range(match.count)),
        discard=cards[dealt : dealt + 1],
        supply=cards[dealt + 1 :],
        table=(NO_GROUP,) * (7 * match.count),
        opened=frozenset(),
        reshuffled=False,
        active=starter,
    )
    _fresh_turn(change)
    change.carry_on(DRAW)
    change.events.append(actions.HandStarted(change.state.hand, change.state.dealer, starter))


def _next_hand(change: Transition) -> None:
    """H2: 1000 for every poster, in circle order as far as the bank has it; H3: the next dealer."""
    change.set(hand=change.state.hand + 1)
    for outlaw in circle_from(change.match.options.first_poster):
        left = money_in_bank(change.match, change.state.posters, change.state.money)
        added = 1000 if left is None else min(1000, left)
        change.set(posters=deck.put(change.state.posters, outlaw, change.state.posters[outlaw] + added))
    if change.match.options.next_dealer == "last_turn_player":
        change.set(dealer=change.state.active)
    else:
        change.set(dealer=(change.state.dealer + 1) % change.match.count)
