"""The end of a hand (F), its scoring (G), the end of the match (H5, H6), and the next deal (B, H2–H4)."""

from __future__ import annotations

from pbem.game import TABLE, Deal
from pbem.games.wyatt_earp.cards import NONE, capture_points, hand_of, kinds_in, put
from pbem.games.wyatt_earp.duel import start_duel, win
from pbem.games.wyatt_earp.events import HandEnded, HandStarted, PosterScored
from pbem.games.wyatt_earp.scoring import circle_from, score_poster
from pbem.games.wyatt_earp.state import DRAW, WIN, Match, Pending, State, asked, money_in_bank
from pbem.games.wyatt_earp.transition import Transition, deal_to

_HAND = 10
"""Cards dealt to each player (B3)."""


def end_turn(change: Transition) -> None:
    """After the turn's discard: F2, F3, then the next player (F1, F7)."""
    if not change.hands[change.active]:
        end_hand(change, "went-out")
    elif not all(change.hands):
        end_hand(change, "empty-hand")
    else:
        change.active = (change.active + 1) % change.match.count
        _fresh_turn(change)
        change.carry_on(DRAW)


def _fresh_turn(change: Transition) -> None:
    change.sheriff = False
    change.found = NONE
    change.drawn = NONE
    change.laid = 0


def end_hand(change: Transition, reason: str) -> None:
    """The hands go face down under the discard (F6), the posters are scored, and the match may end."""
    change.events.append(HandEnded(reason))
    change.discard += b"".join(map(kinds_in, change.hands))
    change.hands = (0,) * change.match.count
    _fresh_turn(change)
    if not _score(change):
        change.ask_chance(Pending(shuffle="deal"))
        return
    best = max(change.money)
    richest = [seat for seat, money in enumerate(change.money) if money == best]
    if len(richest) == 1:
        win(change, richest[0])
    else:
        start_duel(change, richest)


def _score(change: Transition) -> bool:
    """Score the posters in circle order (A15); whether somebody has won (H5; ``end_condition``)."""
    at_once = change.match.options.end_condition == "first_to_25000"
    for outlaw in circle_from(change.match.options.first_poster):
        _score_poster(change, outlaw)
        if at_once and max(change.money) >= WIN:
            return True
    return max(change.money) >= WIN


def _score_poster(change: Transition, outlaw: int) -> None:
    points = tuple(map(capture_points, change.table[outlaw::7]))
    captured, paid = score_poster(change.match.options, points, change.posters[outlaw])
    left = change.posters[outlaw] - sum(paid)
    if captured:
        change.posters = put(change.posters, outlaw, left)
        change.money = tuple(map(sum, zip(change.money, paid, strict=True)))
    change.events.append(PosterScored(outlaw, points, captured, paid, left))


# --- dealing ----------------------------------------------------------------------------------------------


def before_the_match(match: Match) -> State:
    """Posters as B1 has them; the first deal waits for its shuffle."""
    return State(
        hand=1,
        dealer=match.dealer,
        active=(match.dealer + 1) % match.count,
        phase="chance",
        sheriff=False,
        reshuffled=False,
        opened=0,
        laid=0,
        posters=(1000,) * 7,
        money=(0,) * match.count,
        hands=(0,) * match.count,
        supply=b"",
        discard=b"",
        table=(0,) * (7 * match.count),
        pending=Pending(shuffle="first-deal"),
        found=NONE,
        drawn=NONE,
        duel=None,
        winner=NONE,
    )


def deal(change: Transition, cards: bytes) -> None:
    """All 78 cards, one at a time, clockwise from the dealer's left; then the first discard (B3–B6, H4)."""
    match = change.match
    if asked(change.pending).shuffle == "deal":
        _next_hand(change)
    starter = (change.dealer + 1) % match.count
    order = [(starter + i) % match.count for i in range(match.count)]
    dealt = _HAND * match.count
    hands = [0] * match.count
    for at, seat in enumerate(order):
        hands[seat] = hand_of(cards[at : dealt : match.count])
    change.deals += [deal_to(match.seats[seat]) for seat in order] * _HAND
    change.deals.append(Deal("main", TABLE))
    change.hands = tuple(hands)
    change.discard = cards[dealt : dealt + 1]
    change.supply = cards[dealt + 1 :]
    change.table = (0,) * (7 * match.count)
    change.opened = 0
    change.reshuffled = False
    change.active = starter
    _fresh_turn(change)
    change.carry_on(DRAW)
    change.events.append(HandStarted(change.hand, change.dealer, starter))


def _next_hand(change: Transition) -> None:
    """H2: 1000 for every poster, in circle order as far as the bank has it; H3: the next dealer."""
    change.hand += 1
    for outlaw in circle_from(change.match.options.first_poster):
        left = money_in_bank(change.match, change.posters, change.money)
        added = 1000 if left is None else min(1000, left)
        change.posters = put(change.posters, outlaw, change.posters[outlaw] + added)
    if change.match.options.next_dealer == "last_turn_player":
        change.dealer = change.active
    else:
        change.dealer = (change.dealer + 1) % change.match.count
