"""The course of a match: setup, auction, whose action is next, the end of a turn (rules A, B, C, P).

``settle`` is called after every transition: it answers for a seat that has only one legal answer
(asking would decide nothing and cost a mail), ends a turn when all tokens are used, and stops where somebody must be
asked or dice are needed.
"""

from __future__ import annotations

from pbem.games.way_out_west.draft import Draft
from pbem.games.way_out_west.events import (
    BidMade,
    DroppedOut,
    Income,
    MatchEnded,
    Scored,
    TurnEnded,
    TurnOrder,
)
from pbem.games.way_out_west.listing import can_act
from pbem.games.way_out_west.scoring import income_of, points_of, winners_of
from pbem.games.way_out_west.state import NOBODY, SETUP_COWBOYS, TOKENS, Match, Position, Town, added, on_map
from pbem.games.way_out_west.usable import Counted


def first_position(match: Match) -> Position:
    """Before the roll for the first player (A2, A3, A8)."""
    count = len(match.seats)
    zeros = (0,) * count
    return Position(
        space=match.start_space,
        phase="chance",
        order=tuple(range(count)),
        active=NOBODY,
        cash=(match.start_cash,) * count,
        wanted=zeros,
        farmers=(match.board.farmers,) * count,
        tokens=(TOKENS,) * count,
        used=(),
        towns=(Town(cowboys=zeros, cattle=zeros),) * len(match.board.towns),
        bids=zeros,
        dropped=(),
        jails_lost=zeros,
    )


def decide_first_player(draft: Draft, value: int) -> None:
    """A5: the v-th seat of the match; play goes clockwise from him."""
    count = len(draft.match.seats)
    draft.order = tuple((value - 1 + step) % count for step in range(count))
    draft.note(TurnOrder(tuple(draft.match.seats[seat] for seat in draft.order)))
    draft.phase, draft.active = "setup", draft.order[0]


def place_in_setup(draft: Draft, seat: int, town: int) -> None:
    """A6: one cowboy; when everybody has three the first auction begins."""
    draft.place_cowboy(seat, town, 0, bought=False)
    for other in _behind(draft.order, seat):
        if on_map(draft.towns, other, "cowboy") < SETUP_COWBOYS:
            draft.active = other
            return
    open_auction(draft)


def _behind(circle: tuple[int, ...], seat: int) -> tuple[int, ...]:
    """Everybody in turn from the next seat on; the seat itself is the last."""
    at = circle.index(seat) + 1
    return circle[at:] + circle[:at]


# --- auction ----------------------------------------------------------------------------------------------


def open_auction(draft: Draft) -> None:
    """B2: the first player of the last turn (of A5 in the first) starts the bidding."""
    draft.phase, draft.active = "auction", draft.order[0]
    draft.bids = (0,) * len(draft.bids)
    draft.dropped = ()


def bid(draft: Draft, seat: int, amount: int) -> None:
    """B4."""
    draft.bids = added(draft.bids, seat, amount - draft.bids[seat])
    draft.note(BidMade(draft.match.seats[seat], amount))
    draft.active = _next_bidder(draft, seat)


def drop_out(draft: Draft, seat: int) -> None:
    """B8, B9; when one is left the auction is over (B10)."""
    place = len(draft.order) - len(draft.dropped)
    draft.pay(seat, draft.bids[seat])
    draft.note(DroppedOut(draft.match.seats[seat], place, draft.bids[seat]))
    draft.dropped = (*draft.dropped, seat)
    draft.active = _next_bidder(draft, seat)
    if len(draft.dropped) == len(draft.order) - 1:
        _close_auction(draft, draft.active)


def _next_bidder(draft: Draft, seat: int) -> int:
    """B3: round the play order of the last turn, or round the table (``auction_order``)."""
    circle = draft.order
    if draft.match.options.auction_order == "clockwise":
        circle = tuple(range(len(circle)))
    for other in _behind(circle, seat):
        if other not in draft.dropped:
            return other
    raise AssertionError("everybody has dropped out")


def _close_auction(draft: Draft, winner: int) -> None:
    names = draft.match.seats
    draft.pay(winner, draft.bids[winner])
    draft.order = (winner, *reversed(draft.dropped))
    paid = tuple((names[seat], draft.bids[seat]) for seat in draft.order)
    draft.note(TurnOrder(tuple(names[seat] for seat in draft.order), paid))
    draft.bids, draft.dropped = (0,) * len(draft.bids), ()
    draft.phase, draft.active = "actions", winner


# --- actions ----------------------------------------------------------------------------------------------


def next_action(draft: Draft) -> None:
    """C2: the next seat in turn order that has a token; NOBODY if the turn is over (P1)."""
    tokens = draft.tokens
    for seat in _behind(draft.order, draft.active):
        if tokens[seat] > 0:
            draft.active = seat
            return
    draft.active = NOBODY


def settle(draft: Draft) -> Position:
    """Go on until somebody has a choice, dice are needed, or the match is over; the position then."""
    while True:
        if draft.phase == "auction" and _must_drop_out(draft):
            drop_out(draft, draft.active)
        elif draft.phase == "actions" and draft.active == NOBODY:
            end_turn(draft)
        else:
            position = draft.freeze()
            if draft.phase != "actions":
                return position
            if can_act(Counted(draft.match, position, draft.active)):
                return position
            draft.spend_token(draft.active, None)
            next_action(draft)


def _must_drop_out(draft: Draft) -> bool:
    """B13; with hidden money he is asked all the same, since being skipped would tell his cash."""
    return draft.match.options.money_public and draft.cash[draft.active] <= max(draft.bids)


# --- the end of a turn ------------------------------------------------------------------------------------


def end_turn(draft: Draft) -> None:
    """P1 to P3: income on the income spaces, then the marker advances, or the match ends."""
    if draft.space in draft.match.board.income_spaces:
        _pay_income(draft)
    draft.note(TurnEnded(draft.space))
    if draft.space >= draft.match.board.last_space:
        _end_match(draft)
        return
    draft.space += 1
    draft.tokens = [TOKENS] * len(draft.tokens)
    draft.used = ()
    draft.towns = [town._replace(sheriff_down=False) if town.sheriff_down else town for town in draft.towns]
    open_auction(draft)


def _pay_income(draft: Draft) -> None:
    """P12: everything is computed on one position, so it is listed before anybody is paid."""
    for seat, source, town, amount in income_of(draft.match, draft.freeze()):
        draft.earn(seat, amount)
        draft.note(Income(draft.match.seats[seat], source, draft.town_name(town), amount))


def _end_match(draft: Draft) -> None:
    """Q10."""
    draft.phase, draft.active = "over", NOBODY
    position, names = draft.freeze(), draft.match.seats
    points = points_of(draft.match, position)
    for seat, score in enumerate(points):
        draft.note(Scored(names[seat], *score.sources, score.total))
    winners = tuple(names[seat] for seat in winners_of(points))
    draft.note(MatchEnded(winners, tuple((names[seat], score.total) for seat, score in enumerate(points))))
