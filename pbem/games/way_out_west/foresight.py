"""What an action may name in advance, one thing at a time (``pbem.game.Foresight``)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pbem.games.way_out_west import actions
from pbem.games.way_out_west.boxes import box_kind
from pbem.games.way_out_west.legality import attack_strength, can_use_box
from pbem.games.way_out_west.state import Match, Position


def extras(match: Match, position: Position, seat: int, action: actions.Action) -> tuple[actions.Action, ...]:
    """``action`` with a plan, one more town of its plan, or a box named; it must be legal itself."""
    if isinstance(action, actions.Pass):
        return _blocked(match, position, action)
    if not isinstance(action, actions.BOX_ACTIONS):
        return ()
    plans = _plans(match, position, seat, action) if isinstance(action, actions.Gunfight) else ()
    return (*plans, *_boxes(match, position, seat, action))


def _plans(match: Match, position: Position, seat: int, action: actions.Gunfight) -> Iterator[actions.Action]:
    """Never retreat, or below each strength that a first loss can lead to; then where to."""
    number = match.board.numbers[action.town]
    if action.plan is None:
        farmer = isinstance(action.target, actions.FarmerTarget)
        strength = attack_strength(match, position.towns[number], seat, farmer=farmer)
        for below in (0, *range(2, strength + 1)):
            yield replace(action, plan=actions.Plan(below, ()))
    elif action.plan.retreat_below:
        others = match.town_names(match.other_towns(number))
        for town in sorted(others):
            if town not in action.plan.to:
                yield replace(action, plan=actions.Plan(action.plan.retreat_below, (*action.plan.to, town)))


def _boxes(
    match: Match, position: Position, seat: int, action: actions.BoxAction
) -> tuple[actions.Action, ...]:
    """Each box that can carry the action out, if there are several."""
    if action.box is not None:
        return ()
    named = [replace(action, box=box.id) for box in match.boxes if (box.kind, box.asset) == box_kind(action)]
    usable = [box for box in named if can_use_box(match, position, seat, box)]
    return tuple(usable) if len(usable) > 1 else ()


def _blocked(match: Match, position: Position, action: actions.Pass) -> tuple[actions.Action, ...]:
    """C8 under ``box_must_act=false``: the box that the token blocks."""
    if match.options.box_must_act or action.box is not None:
        return ()
    return tuple(actions.Pass(box.id) for box in match.boxes if box.id not in position.used)
