"""What a sensible computer player puts into one file: actions up to the first look, and standing orders.

Used by the demo, and by the count of mails in ``tests/bench/mails_per_turn.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pbem.base.values import dataclass
from pbem.game import AnyRules, Decision, JsonObject, Seat
from pbem.games.ordering import Ordering

_MOST_ACTIONS = 16


@dataclass(frozen=True, slots=True)
class Chosen:
    """Actions for one file, and the seat's view after those whose end is known."""

    actions: list[JsonObject]
    view: Any


def choose_actions(
    rules: AnyRules, view: Any, seat: Seat, choose: Callable[[Any], Any] | None = None
) -> Chosen:
    """What the computer player does now, up to the first action that shows something new.

    ``choose`` gives the action for a view; without it the rules' own suggestion is played.
    """
    choose = choose or rules.suggest
    state = rules.imagine(view)
    actions: list[JsonObject] = []
    while len(actions) < _MOST_ACTIONS:
        action = choose(view)
        actions.append(rules.action_to_json(action))
        if rules.may_reveal(action):
            break
        step = rules.apply(state, action)
        if step.reveals or step.deals or step.facts:
            break
        state, view = step.state, rules.observe(step.state, seat)
        node = rules.node(state)
        if not isinstance(node, Decision) or node.seat != seat:
            break
    return Chosen(actions, view)


def choose_orders(rules: AnyRules, view: Any, turn: JsonObject) -> JsonObject | None:
    """The standing orders that go with these actions; None if the game's computer player gives none."""
    return rules.advise_orders(view, turn) if isinstance(rules, Ordering) else None
