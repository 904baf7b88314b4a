"""Standing orders of the computer player, and views as if something were asked now.

The orders say what ``suggest`` would do, as far as the vocabulary can: bids by cash, answers in gunfights, and for the
second action of this turn the best actions of now, in order. Where none of these is possible any more it is asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from pbem.base.sentences import sentence
from pbem.game import IllegalAction, JsonObject
from pbem.games.ordering import rule
from pbem.games.way_out_west import actions
from pbem.games.way_out_west.draft import Draft, use_box
from pbem.games.way_out_west.legality import sheriff_attacks
from pbem.games.way_out_west.listing import first_listed, single_moves, usable_forms
from pbem.games.way_out_west.order_words import chance_to_win, fight_of
from pbem.games.way_out_west.orders import question_of, retreat_to
from pbem.games.way_out_west.results import take_target, with_strengths
from pbem.games.way_out_west.scoring import points_of
from pbem.games.way_out_west.state import (
    JAIL,
    NOBODY,
    Fight,
    Match,
    Position,
    View,
    on_map,
    sheriff_available,
    target_owner,
)
from pbem.games.way_out_west.worth import chance, worth

_MOST_WISHES: Final = 5
_MOST_REFUGES: Final = 2
"""Actions, and towns of a plan, that an order names: orders should fit their envelope (schemas/README.md §3)."""


def advise_orders(match: Match, view: View, turn: JsonObject) -> JsonObject:
    """The orders that go with the actions a player of this view sends now."""
    position = view.position
    rules = [*_bids(position, view.viewer), *_gunfights(match, position, view.viewer)]
    if position.phase == "setup":
        lowest = [town.id for town in match.board.towns]
        rules.append(rule("setup", {"do": "place-cowboy", "towns": lowest[:3]}))
    if position.phase == "actions" and position.tokens[view.viewer]:
        wanted = wishes(match, position, view.viewer)
        do: JsonObject = {"do": "first-of", "actions": wanted} if wanted else {"do": "pass"}
        this = {"epoch": turn["epoch"], "number": turn["number"]}
        rules.append({"when": "actions", "turn": this, "if": {"tokens": 1}, "do": do})
    return {"rules": rules}


def _bids(position: Position, seat: int) -> list[JsonObject]:
    """For this auction and the next, as high as the cash then allows."""
    spaces = [position.space] if position.phase in ("setup", "auction") else []
    rules = []
    for space in (*spaces, position.space + 1):
        for most in range(keenness(space, seat), 0, -1):
            bid: JsonObject = {"do": "bid", "up_to": most}
            rules.append(rule("bid", bid, space_in=[space], cash_at_least=6 * most))
    return [*rules, rule("bid", {"do": "bid", "up_to": 0})]


def _gunfights(match: Match, position: Position, seat: int) -> list[JsonObject]:
    others = [other for other in position.order if other != seat]
    refuges = [
        town.id for town in sorted(match.board.towns, key=lambda town: _stake(match, position, town.id, seat))
    ]
    robbed: JsonObject = {
        "do": "take-wanted",
        "from": [match.seats[at] for at in most_wanted(position, seat)],
    }
    return [
        rule("ask-sheriff", {"do": "ask-sheriff", "ask": True}),
        *_loans(match, position, seat, others),
        rule("lend-sheriff", {"do": "lend-sheriff", "lend": False}),
        rule("fire", {"do": "fire", "odds_below": HOPELESS, "to": refuges}),
        rule("leave-town", {"do": "leave-town", "to": refuges}),
        rule("take-wanted", robbed),
    ]


def _stake(match: Match, position: Position, town: str, seat: int) -> tuple[int, int]:
    number = match.board.numbers[town]
    return -at_stake(position, number, seat), number


def _loans(match: Match, position: Position, seat: int, others: list[int]) -> list[JsonObject]:
    """Help against whoever is ahead; a farmer only if it is the seat's own."""
    points = points_of(match, position)
    lend: JsonObject = {"do": "lend-sheriff", "lend": True}
    rules = []
    for defender in others:
        ahead = [
            match.seats[at] for at in others if at != defender and points[at].total >= points[defender].total
        ]
        if ahead:
            rules.append(rule("lend-sheriff", lend, defender_in=[match.seats[defender]], attacker_in=ahead))
    farms = [
        town.id for town, lying in zip(match.board.towns, position.towns, strict=True) if lying.farmer == seat
    ]
    if farms:
        rules.append(rule("lend-sheriff", lend, defender_in=["farmer"], town_in=farms))
    return rules


def wishes(match: Match, position: Position, seat: int) -> list[JsonObject]:
    """The actions after which the seat stands best, best first; none that is worse than to pass."""
    ranked: list[tuple[float, actions.BoxAction]] = []
    least = worth(match, position, seat)
    for action in candidates(match, position, seat):
        value = worth_after(match, position, seat, action)
        if value > least:
            ranked.append((value, action))
    ranked.sort(key=lambda pair: -pair[0])
    best = [action for _, action in ranked[: min(_MOST_WISHES, 9 - len(match.seats))]]
    planned = [_planned(match, position, seat, a) if isinstance(a, actions.Gunfight) else a for a in best]
    return [
        actions.action_to_json(action) for action in (*planned, *([actions.Pass()] if not planned else []))
    ]


def _planned(match: Match, position: Position, seat: int, action: actions.Gunfight) -> actions.Gunfight:
    plan = with_plan(match, position, seat, action).plan
    return replace(action, plan=plan and replace(plan, to=plan.to[:_MOST_REFUGES]))


def suppose(match: Match, view: View) -> tuple[tuple[str, View], ...]:
    """The bidding and each action of this turn, as if they were asked now."""
    position, seat = view.position, view.viewer
    if seat == NOBODY or position.phase == "over":
        return ()
    bidding = position._replace(
        phase="auction", active=seat, bids=(0,) * len(match.seats), dropped=(), fight=None
    )
    supposed = [(sentence("the first bid"), replace(view, position=bidding))]
    for left, words in ((2, sentence("your first action")), (1, sentence("your second action"))):
        tokens = tuple(left if at == seat else count for at, count in enumerate(position.tokens))
        acting = position._replace(phase="actions", active=seat, tokens=tokens, fight=None)
        supposed.append((words, replace(view, position=acting)))
    return tuple(supposed)


# --- a sensible computer player: deterministic, and only from its seat's view -----------------------------
#
# It tries every simple action on a copy of the position and takes the one after which the seat stands best
# (``worth``); a gunfight is weighed by its exact odds. It bids for an early place while that is cheap,
# fights a gunfight out while there is hope, and gives its attacks a plan, so that nobody has to ask it
# again.

HOPELESS: Final = 15
"""Percent: below this a side with cowboys to save retreats."""
ROBBERY: Final = 10
"""What three dice pay, near enough."""


def suggest(match: Match, view: View) -> actions.Action:
    """What a sensible player does here."""
    question = question_of(view.position) if view.decides else None
    if question is None:
        raise IllegalAction((), sentence("it is not this seat's decision"))
    if question == "actions":
        return _act(match, view)
    return first_listed(match, view.position, [_ANSWERS[question](match, view)])


def _setup(match: Match, view: View) -> actions.Action:
    """A cowboy in each of the lowest towns: cattle are bought there first (D3, D6)."""
    placed = on_map(view.position.towns, view.viewer, "cowboy")
    return actions.PlaceCowboy(match.board.towns[min(placed, len(match.board.towns) - 1)].id)


def _bid(match: Match, view: View) -> actions.Action:
    """Raise while it costs little of what one has; how keen one is on an early place changes from turn to turn."""
    del match
    cash, least = view.position.cash[view.viewer], max(view.position.bids) + 1
    return (
        actions.Bid(least)
        if least <= min(cash // 6, keenness(view.position.space, view.viewer))
        else actions.DropOut()
    )


def keenness(space: int, seat: int) -> int:
    """The most dollars that a seat with cash enough bids in the turn of this space."""
    return (5 * space + 7 * seat) % 4


def _act(match: Match, view: View) -> actions.Action:
    """The action after which the seat stands best; pass if none is better than nothing."""
    position, seat = view.position, view.viewer
    best: actions.Action = actions.Pass()
    best_worth = worth(match, position, seat)
    for action in candidates(match, position, seat):
        value = worth_after(match, position, seat, action)
        if value > best_worth or (value == best_worth and actions.sort_key(action) < actions.sort_key(best)):
            best, best_worth = action, value
    return with_plan(match, position, seat, best) if isinstance(best, actions.Gunfight) else best


def candidates(match: Match, position: Position, seat: int) -> Iterator[actions.BoxAction]:
    """The simpler forms that are legal now: cowboys are moved from one town to one other."""
    numbers = match.board.numbers
    for action in usable_forms(match, position, seat):
        match action:
            case actions.Cowboys(towns):
                if towns and numbers[towns[0]] <= numbers[towns[-1]]:
                    yield action
            case actions.MoveCattle(origin, to, mover):
                if mover is None and origin != to and position.towns[numbers[origin]].cattle[seat]:
                    yield action
            case actions.Cattle(towns):
                if towns:
                    yield action
            case actions.Farmer(_, displaced):
                if displaced != match.seats[seat]:
                    yield action
            case actions.Build() | actions.Gunfight():
                yield action
            case _:
                pass
    yield from single_moves(match, position, seat)


def worth_after(match: Match, position: Position, seat: int, action: actions.BoxAction) -> float:
    """What the position is worth to the seat after an action that it may do."""
    if isinstance(action, actions.Gunfight):
        return _worth_of_fight(match, position, seat, action)
    draft = Draft(match, position)
    use_box(draft, seat, action)
    return worth(match, draft.freeze(), seat)


# --- gunfights --------------------------------------------------------------------------------------------


def imagined_fight(match: Match, position: Position, seat: int, action: actions.Gunfight) -> Fight:
    """The fight that the action would begin, a third player's sheriff helping the defence."""
    number = match.board.numbers[action.town]
    town = position.towns[number]
    defender = target_owner(position.towns, number, action.target, match.seat_numbers)
    fight = Fight(number, seat, defender, action.target, 0, 0)
    if sheriff_attacks(match, town, seat, farmer=defender == NOBODY):
        fight = fight._replace(sheriff="attack")
    elif sheriff_available(town) and town.assets[JAIL] != seat:
        fight = fight._replace(sheriff="defence")
    return with_strengths(town, fight)


def _worth_of_fight(match: Match, position: Position, seat: int, action: actions.Gunfight) -> float:
    fight = imagined_fight(match, position, seat, action)
    won = chance(fight.attack, fight.defence)
    if won < 0.35:
        return float("-inf")
    good = _after_victory(match, position, seat, action, fight)
    bad = _after_defeat(match, position, seat, action, fight)
    return won * worth(match, good, seat) + (1 - won) * worth(match, bad, seat)


def _after_victory(
    match: Match, position: Position, seat: int, action: actions.Gunfight, fight: Fight
) -> Position:
    """Half as many own cowboys lost as the defence was strong; the defenders gone; the target taken."""
    draft = Draft(match, position)
    use_box(draft, seat, action)
    mine = draft.towns[fight.town].cowboys[seat]
    _lose(draft, fight.town, seat, min(mine - 1, fight.defence // 2))
    if fight.defender != NOBODY:
        _lose(draft, fight.town, fight.defender, draft.towns[fight.town].cowboys[fight.defender])
    draft.wanted[seat] += 1
    if isinstance(fight.target, actions.AssetTarget) and fight.target.asset == "bank":
        loot = min(ROBBERY, draft.cash[fight.defender])
        draft.pay(fight.defender, loot)
        draft.earn(seat, loot)
    else:
        take_target(draft, fight)
    return draft.freeze()


def _after_defeat(
    match: Match, position: Position, seat: int, action: actions.Gunfight, fight: Fight
) -> Position:
    """All own cowboys of the town lost, and half as many of the defenders."""
    draft = Draft(match, position)
    use_box(draft, seat, action)
    _lose(draft, fight.town, seat, draft.towns[fight.town].cowboys[seat])
    if fight.defender != NOBODY:
        number = draft.towns[fight.town].cowboys[fight.defender]
        _lose(draft, fight.town, fight.defender, min(number, fight.attack // 2))
        draft.wanted[fight.defender] += 1
    return draft.freeze()


def _lose(draft: Draft, town: int, seat: int, count: int) -> None:
    draft.set_town(town, draft.towns[town].add_cowboys(seat, -max(0, count)))


def with_plan(match: Match, position: Position, seat: int, action: actions.Gunfight) -> actions.Gunfight:
    """Fight on while two are left of a strong attack; a weak one has nothing to save."""
    fight = imagined_fight(match, position, seat, action)
    return replace(
        action, plan=actions.Plan(2 if fight.attack >= 4 else 1, _refuges(match, position, fight.town, seat))
    )


def _refuges(match: Match, position: Position, town: int, seat: int) -> tuple[str, ...]:
    """The other towns, those first in which the seat has most to guard."""
    towns = sorted(match.other_towns(town), key=lambda at: (-at_stake(position, at, seat), at))
    return match.town_names(towns)


def at_stake(position: Position, town: int, seat: int) -> int:
    """What a seat has to guard in a town."""
    lying = position.towns[town]
    return lying.holdings(seat) * lying.size + lying.cattle[seat]


def _fire(match: Match, view: View) -> actions.Action:
    """Retreat when it is hopeless and there are cowboys to save."""
    fight = fight_of(view.position)
    cowboys = view.position.towns[fight.town].cowboys[view.viewer]
    if cowboys and chance_to_win(view.position) * 100 < HOPELESS:
        return retreat_to(match, view.position, list(_refuges(match, view.position, fight.town, view.viewer)))
    return actions.Fire()


def _lend(match: Match, view: View) -> actions.Action:
    """Help against whoever is ahead; for a farmer only if it is one's own."""
    fight = fight_of(view.position)
    if fight.defender == NOBODY:
        return actions.LendSheriff(lend=view.position.towns[fight.town].farmer == view.viewer)
    points = points_of(match, view.position)
    return actions.LendSheriff(lend=points[fight.attacker].total >= points[fight.defender].total)


def _leave(match: Match, view: View) -> actions.Action:
    """All together to where they are worth most."""
    fight = fight_of(view.position)
    town = _refuges(match, view.position, fight.town, view.viewer)[0]
    return actions.LeaveTown(((town, view.position.towns[fight.town].cowboys[view.viewer]),))


def _take_wanted(match: Match, view: View) -> actions.Action:
    """From whoever has most."""
    return actions.TakeWanted(match.seats[most_wanted(view.position, view.viewer)[0]])


def most_wanted(position: Position, seat: int) -> list[int]:
    """The other seats by the Wanted counters that they have."""
    others = [other for other in position.order if other != seat]
    return sorted(others, key=lambda other: -position.wanted[other])


_ANSWERS: Final[dict[str, Callable[[Match, View], actions.Action]]] = {
    "setup": _setup,
    "bid": _bid,
    "ask-sheriff": lambda _match, _view: actions.AskSheriff(ask=True),
    "lend-sheriff": _lend,
    "fire": _fire,
    "leave-town": _leave,
    "take-wanted": _take_wanted,
}
