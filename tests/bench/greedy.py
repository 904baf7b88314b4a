"""The greedy opponent: most capture points now (Wyatt Earp), most points and income now (Way Out West)."""

from __future__ import annotations

from typing import Any

from pbem.game import AnyRules
from pbem.games.way_out_west.actions import Bid, DropOut, Gunfight, Pass
from pbem.games.way_out_west.draft import Draft, use_box
from pbem.games.way_out_west.player import candidates, imagined_fight
from pbem.games.way_out_west.scoring import income_of, points_of
from pbem.games.way_out_west.state import Match, Position
from pbem.games.way_out_west.worth import chance
from pbem.games.wyatt_earp.actions import (
    Ask,
    Choose,
    Discard,
    Draw,
    EarpDraw,
    EarpRemove,
    EarpSearch,
    Hide,
    Lay,
    PlayPhoto,
    React,
    Rob,
    Steal,
)
from pbem.games.wyatt_earp.deck import BANK, EARP, FASTEST, NONE, PHOTO
from pbem.games.wyatt_earp.legality import legal
from pbem.games.wyatt_earp.rules import WyattEarpRules
from pbem.games.wyatt_earp.views import View, sight_in


def greedy(rules: AnyRules, view: Any) -> Any:
    """What it does in this view."""
    if isinstance(rules, WyattEarpRules):
        return _earp(rules, view)
    return _west(rules, view)


def _earp(rules: WyattEarpRules, view: View) -> Any:
    actions = [
        extra
        for action in legal(rules.match, sight_in(rules.match, view))
        for extra in (
            rules.extras(view, action) if isinstance(action, Rob | Hide | Steal | EarpRemove) else ()
        )
        or (action,)
    ]
    return max(actions, key=lambda action: _points(view, action))


def _points(view: View, action: Any) -> float:
    me = view.viewer
    match action:
        case Draw(supply):
            top = view.top
            wanted = top != NONE and top < PHOTO and (top in view.opened or view.hand.count(top) >= 2)
            return 1 if supply != wanted or (supply and view.top == NONE) else 0
        case Lay(_, count):
            return 20 + 2 * count
        case PlayPhoto():
            return 14
        case Rob(card, _):
            return 10 + {BANK: 2, FASTEST: 3}.get(card, 1)
        case Hide(on, seat):
            return 8 + view.table[seat * 7 + on].counted / 20 if seat != me else -20
        case Steal():
            return 7
        case EarpRemove(on):
            return 9 + view.table[me * 7 + on].points / 20
        case Ask(outlaw):
            return 6 if outlaw in view.opened or view.hand.count(outlaw) >= 2 else -5
        case EarpDraw():
            return 2
        case EarpSearch():
            return 1
        case React(earp):
            return 1 if earp else 0
        case Choose(on=on, seat=seat, take=take, decline=decline):
            if decline:
                return -1
            return _keep(view, take) if take != NONE else view.posters[on] / 1000
        case Discard(card):
            return -1 - _keep(view, card) / 10
        case _:
            return -30


def _keep(view: View, card: int) -> float:
    if card < PHOTO:
        return view.hand.count(card) + 3 * (card in view.opened)
    return 1 if card == EARP else 3


def _west(rules: Any, view: Any) -> Any:
    match, position, seat = rules.match, view.position, view.viewer
    if position.phase == "auction":
        return Bid(1) if max(position.bids) == 0 and position.cash[seat] else DropOut()
    if position.phase != "actions":
        return rules.suggest(view)
    now = _value(match, position, seat)
    options: list[tuple[float, Any]] = [(now, Pass())]
    for action in candidates(match, position, seat):
        if isinstance(action, Gunfight):
            fight = imagined_fight(match, position, seat, action)
            options.append((now + (1 if chance(fight.attack, fight.defence) > 0.6 else -1), action))
        else:
            draft = Draft(match, position)
            use_box(draft, seat, action)
            options.append((_value(match, draft.freeze(), seat), action))
    return max(options, key=lambda pair: pair[0])[1]


def _value(match: Match, position: Position, seat: int) -> float:
    """Points and income now, and a little for cowboys."""
    income = sum(paid for to, _, _, paid in income_of(match, position) if to == seat)
    cowboys = sum(town.cowboys[seat] for town in position.towns)
    return points_of(match, position)[seat].total + income + 0.1 * cowboys
