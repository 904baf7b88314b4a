"""Judgement for Way Out West: every action by the position after it, in points (``worth``).

A gunfight is weighed by the exact chance of each way it can end, a first action together with the best second one,
and a place in the turn order by what the best action loses if somebody else takes its box first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Final, TypeAlias

from pbem.games.way_out_west.actions import (
    Action,
    AskSheriff,
    AssetTarget,
    Bid,
    BoxAction,
    DropOut,
    Fire,
    Gunfight,
    LendSheriff,
    Pass,
    Retreat,
)
from pbem.games.way_out_west.box_actions import use_box
from pbem.games.way_out_west.draft import Draft
from pbem.games.way_out_west.legality import can_use_box
from pbem.games.way_out_west.listing import legal_actions
from pbem.games.way_out_west.odds import hits
from pbem.games.way_out_west.order_facts import chance_to_win
from pbem.games.way_out_west.player import ROBBERY, candidates, imagined_fight, suggest, with_plan
from pbem.games.way_out_west.position import NOBODY, Fight, Match, Position
from pbem.games.way_out_west.results import take_target
from pbem.games.way_out_west.view import View
from pbem.games.way_out_west.worth import cash_rate, turns_left, worth

_LOOK: Final = 5
"""First actions whose best second action is looked at."""
_LOST: Final = 0.25
"""How often somebody who is earlier takes the box one wants most."""

Weighed: TypeAlias = tuple[float, Action]
_Tried: TypeAlias = tuple[float, BoxAction | Pass]


def weigh(match: Match, view: View) -> list[Weighed]:
    """The choices worth a look with their values in points.

    Raises:
        ValueError: if the viewer is not asked anything.
    """
    if not view.decides:
        raise ValueError("this seat is not asked anything")
    position, seat = view.position, view.viewer
    if position.phase == "auction":
        return _bids(match, position, seat)
    if position.phase == "actions":
        return _actions(match, position, seat)
    return _answers(match, view)


# --- bidding ----------------------------------------------------------------------------------------------


def _bids(match: Match, position: Position, seat: int) -> list[Weighed]:
    """The least raise, or out: an early place is worth what the best box gains over the next one."""
    acting = replace(position, phase="actions", active=seat, used=(), fight=None)
    found = _first_look(match, acting, seat)
    best = found[0] if found else (0.0, Pass())
    other = next((value for value, action in found if type(action) is not type(best[1])), best[0])
    rate = cash_rate(turns_left(match, position))
    place = _LOST * (best[0] - other)
    least = max(position.bids) + 1
    out: Weighed = (0.0, DropOut())
    if least > position.cash[seat]:
        return [out]
    reserve = 0.3 * max(0, least - position.cash[seat] // 5)
    return [(place - rate * (least - position.bids[seat]) - reserve, Bid(least)), out]


# --- actions ----------------------------------------------------------------------------------------------


def _first_look(match: Match, position: Position, seat: int) -> list[_Tried]:
    """Every simple action by the position after it, best first."""
    found: list[_Tried] = [
        (_after(match, position, seat, action), action)
        for action in candidates(match, position, seat)
        if can_use_box(match, position, seat, action)
    ]
    found.sort(key=lambda pair: -pair[0])
    return found


def _actions(match: Match, position: Position, seat: int) -> list[Weighed]:
    stay = worth(match, position, seat)
    found: list[_Tried] = [*_first_look(match, position, seat), (stay, Pass())]
    if position.tokens[seat] > 1:
        found = [
            *((_with_second(match, position, seat, pair), pair[1]) for pair in found[:_LOOK]),
            *((value, action) for value, action in found[_LOOK:]),
        ]
    planned: list[Weighed] = [
        (value - stay, with_plan(match, position, seat, action) if isinstance(action, Gunfight) else action)
        for value, action in found
    ]
    planned.sort(key=lambda pair: -pair[0])
    return planned


def _with_second(match: Match, position: Position, seat: int, first: _Tried) -> float:
    """What the first action and, half as sure, the best second one come to."""
    value, action = first
    if isinstance(action, Gunfight | Pass):
        return value
    draft = Draft(match, position)
    use_box(draft, seat, action)
    after = replace(draft.freeze(), phase="actions", active=seat)
    gains = [
        _after(match, after, seat, second)
        for second in candidates(match, after, seat)
        if not isinstance(second, Gunfight) and can_use_box(match, after, seat, second)
    ]
    return value + 0.5 * max(0.0, max(gains, default=value) - value)


def _after(match: Match, position: Position, seat: int, action: BoxAction) -> float:
    if isinstance(action, Gunfight):
        return _fought(match, position, seat, action)
    draft = Draft(match, position)
    use_box(draft, seat, action)
    return worth(match, draft.freeze(), seat)


# --- gunfights --------------------------------------------------------------------------------------------


@cache
def endings(attack: int, defence: int, side: str) -> Mapping[tuple[int, int], float]:
    """How a fight to the end may end: strengths left and their chances; ``side`` fires next, or ``both`` (L1 to L5)."""
    if not attack or not defence:
        return {(attack, defence): 1.0}
    found: dict[tuple[int, int], float] = defaultdict(float)
    if side == "both":
        again = float(hits(attack, 0) * hits(defence, 0))
        for killed in range(attack + 1):
            for lost in range(defence + 1):
                if killed or lost:
                    chance = float(hits(attack, killed) * hits(defence, lost)) / (1 - again)
                    _add(found, chance, endings(max(0, attack - lost), max(0, defence - killed), "both"))
        return found
    own, enemy = (attack, defence) if side == "attack" else (defence, attack)
    missed, back = float(hits(own, 0)), float(hits(enemy, 0))
    share = 1 / (1 - missed * back)
    other = "defence" if side == "attack" else "attack"
    for count in range(1, own + 1):
        left = max(0, enemy - count)
        after = (attack, left) if side == "attack" else (left, defence)
        _add(found, share * float(hits(own, count)), endings(*after, other))
    for count in range(1, enemy + 1):
        left = max(0, own - count)
        after = (left, defence) if side == "attack" else (attack, left)
        _add(found, share * missed * float(hits(enemy, count)), endings(*after, side))
    return found


def _add(found: dict[tuple[int, int], float], chance: float, after: Mapping[tuple[int, int], float]) -> None:
    for end, part in after.items():
        found[end] += chance * part


def fight_endings(fight: Fight) -> Mapping[tuple[int, int], float]:
    """The ways this fight may end: the weaker side fires first, equal ones together."""
    if fight.attack == fight.defence:
        return endings(fight.attack, fight.defence, "both")
    return endings(fight.attack, fight.defence, "attack" if fight.attack < fight.defence else "defence")


def fight_chances(match: Match, view: View, action: Action) -> tuple[float, float, float] | None:
    """Attack, defence, nobody, if the fight that is on (or that ``action`` begins) is fought to the end."""
    fight = view.position.fight
    if isinstance(action, Gunfight):
        fight = imagined_fight(match, view.position, view.viewer, action)
    if fight is None or not fight.attack or not fight.defence:
        return None
    found = fight_endings(fight)
    attack = sum(chance for (mine, _), chance in found.items() if mine)
    defence = sum(chance for (_, theirs), chance in found.items() if theirs)
    return attack, defence, max(0.0, 1 - attack - defence)


def _fought(match: Match, position: Position, seat: int, action: Gunfight) -> float:
    """The mean over the ways in which the fight may end."""
    fight = imagined_fight(match, position, seat, action)
    total = 0.0
    for (attack, defence), chance in fight_endings(fight).items():
        if chance > 0.01:
            total += chance * worth(
                match, _ended(match, position, seat, action, fight, attack, defence), seat
            )
    return total


def _ended(
    match: Match, position: Position, seat: int, action: Gunfight, fight: Fight, attack: int, defence: int
) -> Position:
    """The position after a fight that leaves these strengths."""
    draft = Draft(match, position)
    use_box(draft, seat, action)
    draft.fight = None
    town = draft.towns[fight.town]
    _keep(draft, fight.town, seat, min(town.cowboys[seat], attack))
    if fight.defender != NOBODY:
        _keep(draft, fight.town, fight.defender, min(town.cowboys[fight.defender], defence))
    if attack and not defence:
        draft.wanted[seat] += 1
        if isinstance(fight.target, AssetTarget) and fight.target.asset == "bank":
            loot = min(ROBBERY, draft.cash[fight.defender])
            draft.pay(fight.defender, loot)
            draft.earn(seat, loot)
        else:
            take_target(draft, fight)
    elif defence and not attack and fight.defender != NOBODY:
        draft.wanted[fight.defender] += 1
    return draft.freeze()


def _keep(draft: Draft, town: int, seat: int, count: int) -> None:
    draft.set_town(town, draft.towns[town].add_cowboys(seat, count - draft.towns[town].cowboys[seat]))


# --- answers ----------------------------------------------------------------------------------------------


def _answers(match: Match, view: View) -> list[Weighed]:
    """What a sensible player answers; firing by the chance to win."""
    chosen = suggest(match, view)
    if isinstance(chosen, Fire | Retreat) and view.position.fight is not None:
        won = float(chance_to_win(view.position))
        retreat = chosen if isinstance(chosen, Retreat) else None
        found: list[Weighed] = [(won, Fire())]
        if retreat is not None:
            found.append((won + 0.1, retreat))
        return found
    others: list[Weighed] = []
    if isinstance(chosen, AskSheriff | LendSheriff):
        others = [(-1.0, action) for action in legal_actions(match, view.position) if action != chosen]
    return [(0.0, chosen), *others]
