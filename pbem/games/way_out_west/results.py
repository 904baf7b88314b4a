"""Results of a gunfight (rules M); the course of a match: setup, auction, next action, end of a turn (A, B, C, P)."""

from __future__ import annotations

from typing import TypeAlias

from pbem.games.way_out_west import actions, state
from pbem.games.way_out_west.draft import Draft
from pbem.games.way_out_west.listing import can_act
from pbem.games.way_out_west.scoring import income_of, points_of, winners_of


def won(draft: Draft, side: state.Side) -> None:
    """Board result, then leaving town, then the Wanted counter (M12)."""
    fight = current(draft)
    attacker, defender = draft.seat_name(fight.attacker), draft.seat_name(fight.defender)
    if side == "defence":
        draft.note(actions.GunfightWon(defender, attacker, fight.target))
        finish(draft, fight.defender)
        return
    draft.note(actions.GunfightWon(attacker, defender, fight.target))
    if isinstance(fight.target, actions.AssetTarget) and fight.target.asset == "bank":
        draft.phase = "chance"
        draft.fight = fight.rolling("robbery")
        return
    take_target(draft, fight)
    finish(draft, fight.attacker)


def take_target(draft: Draft, fight: state.Fight) -> None:
    """M1 to M3: what the attacker wins, unless it is a robbery."""
    town, name = draft.towns[fight.town], draft.town_name(fight.town)
    if isinstance(fight.target, actions.FarmerTarget):
        draft.set_town(fight.town, town._replace(farmer=state.NOBODY))
        draft.note(actions.Removed("farmer", name))
    elif isinstance(fight.target, actions.CattleTarget):
        _take_cattle(draft, fight, fight.target.cattle)
    elif fight.target.asset == "jail":
        _remove_asset(draft, fight, "jail")
    elif state.stock(draft.match, draft, fight.attacker, fight.target.asset) < 1:
        _remove_asset(draft, fight, fight.target.asset)
    else:
        draft.set_town(fight.town, town.give(fight.target.asset, fight.attacker))
        owner = draft.seat_name(fight.defender)
        draft.note(actions.Captured(draft.seat_name(fight.attacker), owner, fight.target.asset, name))


def _remove_asset(draft: Draft, fight: state.Fight, asset: str) -> None:
    """Off the board, into the owner's stock; a jail perhaps out of the game (``jail_fate``)."""
    draft.set_town(fight.town, draft.towns[fight.town].give(asset, state.NOBODY))
    draft.note(actions.Removed(asset, draft.town_name(fight.town)))
    if asset == "jail" and draft.match.options.jail_fate == "out_of_game":
        draft.jails_lost = state.added(draft.jails_lost, fight.defender, 1)


def _take_cattle(draft: Draft, fight: state.Fight, count: int) -> None:
    """M1; under ``takeover_without_counter=remove`` what the winner has no counter for goes back to its owner."""
    names = draft.seat_name(fight.attacker), draft.seat_name(fight.defender)
    town = draft.town_name(fight.town)
    for _ in range(count):
        has_counter = state.stock(draft.match, draft, fight.attacker, "cattle") > 0
        draft.set_town(fight.town, draft.towns[fight.town].add_cattle(fight.defender, -1))
        if has_counter:
            draft.set_town(fight.town, draft.towns[fight.town].add_cattle(fight.attacker, 1))
            draft.note(actions.Captured(*names, "cattle", town))
        else:
            draft.note(actions.Returned(names[1], "cattle", town, 1))


def rob(draft: Draft, dice: tuple[int, ...]) -> None:
    """M4; then the robbers may have to leave (M5, M7)."""
    fight = current(draft)
    amount = min(sum(dice), draft.cash[fight.defender])
    closed = amount < sum(dice)
    draft.pay(fight.defender, amount)
    draft.earn(fight.attacker, amount)
    names = draft.seat_name(fight.attacker), draft.seat_name(fight.defender)
    draft.note(actions.Robbed(*names, dice, amount, closed))
    if closed:
        _remove_asset(draft, fight, "bank")
    town = draft.towns[fight.town]
    if town.assets[state.JAIL] in (state.NOBODY, fight.attacker) or not town.cowboys[fight.attacker]:
        finish(draft, fight.attacker)
        return
    others = draft.match.other_towns(fight.town)
    if len(others) == 1:
        leave(draft, ((others[0], town.cowboys[fight.attacker]),))
    else:
        ask(draft, "leave-town", fight.attacker)


def leave(draft: Draft, moves: tuple[tuple[int, int], ...]) -> None:
    """M5, M6: all cowboys of the robber leave."""
    fight = current(draft)
    names = draft.seat_name(fight.attacker), draft.town_name(fight.town)
    for town, count in moves:
        draft.shift_cowboys(fight.attacker, fight.town, town, count)
        draft.note(actions.Moved(names[0], "cowboy", names[1], draft.town_name(town), count))
    finish(draft, fight.attacker)


def finish(draft: Draft, winner: int) -> None:
    """M9 to M11: one Wanted counter for a player who won; then the turn goes on."""
    if winner == state.NOBODY:
        close(draft)
    elif state.wanted_supply(draft.match, draft):
        take_wanted(draft, winner, state.NOBODY)
    else:
        rich = [seat for seat, count in enumerate(draft.wanted) if count and seat != winner]
        if len(rich) > 1:
            ask(draft, "take-wanted", winner)
        elif rich:
            take_wanted(draft, winner, rich[0])
        else:
            close(draft)


def take_wanted(draft: Draft, winner: int, giver: int) -> None:
    """From the supply (NOBODY) or from another player."""
    if giver != state.NOBODY:
        draft.wanted[giver] -= 1
    draft.wanted[winner] += 1
    source = "supply" if giver == state.NOBODY else draft.seat_name(giver)
    draft.note(actions.WantedTaken(draft.seat_name(winner), source))
    close(draft)


def close(draft: Draft) -> None:
    """The gunfight is over: the next action."""
    draft.fight = None
    draft.phase = "actions"
    next_action(draft)


# --- who fights and how strongly: garrison, sheriff, the order of losses (rules J7 to J16, L6) ------------
#
# Strengths hold all that fights: what they count beyond the cowboy counters in town is the garrison
# (default cowboy, guard or crew) and the sheriff.

Loss: TypeAlias = tuple[str, int]
"""What can be killed and how many of it there are, in the order of losses (L6)."""


def other(side: state.Side) -> state.Side:
    """The enemy's side."""
    return "defence" if side == "attack" else "attack"


def current(draft: Draft) -> state.Fight:
    """The fight under way."""
    assert draft.fight is not None  # noqa: S101 (callers are stages of a fight)
    return draft.fight


def with_strengths(town: state.Town, fight: state.Fight) -> state.Fight:
    """Both strengths as they are at the start (J7 to J15)."""
    cowboys = 0 if fight.defender == state.NOBODY else town.cowboys[fight.defender]
    return fight.with_strengths(
        town.cowboys[fight.attacker] + (fight.sheriff == "attack"),
        cowboys + garrison_of(town, fight) + (fight.sheriff == "defence"),
    )


def garrison_of(town: state.Town, fight: state.Fight) -> int:
    """Default cowboy, guard or crew when strengths are compared (J9 to J15): 0 or 1."""
    if isinstance(fight.target, actions.FarmerTarget) or _guarded(fight):
        return 1
    own_sheriff = fight.sheriff == "defence" and town.assets[state.JAIL] == fight.defender
    return int(town.cowboys[fight.defender] == 0 and not own_sheriff)


def _guarded(fight: state.Fight) -> bool:
    return isinstance(fight.target, actions.AssetTarget) and fight.target.asset in ("bank", "train")


def garrison_name(fight: state.Fight) -> str:
    """What the garrison is called in events."""
    if isinstance(fight.target, actions.FarmerTarget):
        return "farmer"
    if isinstance(fight.target, actions.AssetTarget) and fight.target.asset in ("bank", "train"):
        return "guard" if fight.target.asset == "bank" else "crew"
    return "default-cowboy"


def losses_in_order(town: state.Town, fight: state.Fight, side: state.Side) -> list[Loss]:
    """What is left of a side, first to die first (L6, ER5)."""
    strength = fight.attack if side == "attack" else fight.defence
    seat = fight.attacker if side == "attack" else fight.defender
    joined = int(fight.sheriff == side)
    if seat == state.NOBODY:
        return [("sheriff", strength - 1), ("farmer", 1)]
    beyond = strength - town.cowboys[seat]
    sheriff = min(joined, beyond)
    return [("cowboy", town.cowboys[seat]), (garrison_name(fight), beyond - sheriff), ("sheriff", sheriff)]


def strength_of(draft: Draft, side: state.Side) -> int:
    """Present strength of a side."""
    fight = current(draft)
    return fight.attack if side == "attack" else fight.defence


def ask(draft: Draft, question: state.Ask, seat: int) -> None:
    """The next decision of the match is this seat's."""
    draft.phase = "gunfight"
    draft.fight = current(draft).asking(question, seat)


# --- the course of a match: setup, auction, whose action is next, the end of a turn (rules A, B, C, P) ----
#
# ``settle`` is called after every transition: it answers for a seat that has only one legal answer
# (asking would decide nothing and cost an email), ends a turn when all tokens are used, and stops where
# somebody must be asked or dice are needed.


def first_position(match: state.Match) -> state.Position:
    """Before the roll for the first player (A2, A3, A8)."""
    count = len(match.seats)
    zeros = (0,) * count
    return state.Position(
        space=match.start_space,
        phase="chance",
        order=tuple(range(count)),
        active=state.NOBODY,
        cash=(match.start_cash,) * count,
        wanted=zeros,
        farmers=(match.board.farmers,) * count,
        tokens=(state.TOKENS,) * count,
        used=(),
        towns=(state.Town(cowboys=zeros, cattle=zeros),) * len(match.board.towns),
        bids=zeros,
        dropped=(),
        jails_lost=zeros,
    )


def decide_first_player(draft: Draft, value: int) -> None:
    """A5: the v-th seat of the match; play goes clockwise from there."""
    count = len(draft.match.seats)
    draft.order = tuple((value - 1 + step) % count for step in range(count))
    draft.note(actions.TurnOrder(tuple(draft.match.seats[seat] for seat in draft.order)))
    draft.phase, draft.active = "setup", draft.order[0]


def place_in_setup(draft: Draft, seat: int, town: int) -> None:
    """A6: one cowboy; when everybody has three the first auction begins."""
    draft.place_cowboy(seat, town, 0, bought=False)
    for other in _behind(draft.order, seat):
        if state.on_map(draft.towns, other, "cowboy") < state.SETUP_COWBOYS:
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
    """The seat's bid is now ``amount`` in all, and the next bidder is asked (B4)."""
    draft.bids = state.added(draft.bids, seat, amount - draft.bids[seat])
    draft.note(actions.BidMade(draft.match.seats[seat], amount))
    draft.active = _next_bidder(draft, seat)


def drop_out(draft: Draft, seat: int) -> None:
    """B8, B9; when one is left the auction is over (B10)."""
    place = len(draft.order) - len(draft.dropped)
    draft.pay(seat, draft.bids[seat])
    draft.note(actions.DroppedOut(draft.match.seats[seat], place, draft.bids[seat]))
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
    draft.note(actions.TurnOrder(tuple(names[seat] for seat in draft.order), paid))
    draft.bids, draft.dropped = (0,) * len(draft.bids), ()
    draft.phase, draft.active = "actions", winner


def next_action(draft: Draft) -> None:
    """C2: the next seat in turn order that has a token; NOBODY if the turn is over (P1)."""
    tokens = draft.tokens
    for seat in _behind(draft.order, draft.active):
        if tokens[seat] > 0:
            draft.active = seat
            return
    draft.active = state.NOBODY


def settle(draft: Draft) -> state.Position:
    """Go on until somebody has a choice, dice are needed, or the match is over; the position then."""
    while True:
        if draft.phase == "auction" and _must_drop_out(draft):
            drop_out(draft, draft.active)
        elif draft.phase == "actions" and draft.active == state.NOBODY:
            end_turn(draft)
        else:
            position = draft.freeze()
            if draft.phase != "actions":
                return position
            if can_act(draft.match, position, draft.active):
                return position
            draft.spend_token(draft.active, None)
            next_action(draft)


def _must_drop_out(draft: Draft) -> bool:
    """B13; with hidden money the player is asked all the same, since being skipped would show the cash."""
    return draft.match.options.money_public and draft.cash[draft.active] <= max(draft.bids)


# --- the end of a turn ------------------------------------------------------------------------------------


def end_turn(draft: Draft) -> None:
    """P1 to P3: income on the income spaces, then the marker advances, or the match ends."""
    if draft.space in draft.match.board.income_spaces:
        _pay_income(draft)
    draft.note(actions.TurnEnded(draft.space))
    if draft.space >= draft.match.board.last_space:
        _end_match(draft)
        return
    draft.space += 1
    draft.tokens = [state.TOKENS] * len(draft.tokens)
    draft.used = ()
    draft.towns = [town._replace(sheriff_down=False) if town.sheriff_down else town for town in draft.towns]
    open_auction(draft)


def _pay_income(draft: Draft) -> None:
    """P12: everything is computed on one position, so it is listed before anybody is paid."""
    for seat, source, town, amount in income_of(draft.match, draft.freeze()):
        draft.earn(seat, amount)
        draft.note(actions.Income(draft.match.seats[seat], source, draft.town_name(town), amount))


def _end_match(draft: Draft) -> None:
    """The match is over: every seat's points are noted, and who has most; a tie stays one (Q10)."""
    draft.phase, draft.active = "over", state.NOBODY
    position, names = draft.freeze(), draft.match.seats
    points = points_of(draft.match, position)
    for seat, score in enumerate(points):
        draft.note(actions.Scored(names[seat], *score.sources, score.total))
    winners = tuple(names[seat] for seat in winners_of(points))
    draft.note(
        actions.MatchEnded(winners, tuple((names[seat], score.total) for seat, score in enumerate(points)))
    )
