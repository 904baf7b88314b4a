"""Checking actions offline, with the rules the host uses, as far as the seat's own view reaches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import AnyRules, Chance, Decision, IllegalAction, JsonObject, MalformedAction, Seat


@dataclass(frozen=True, slots=True)
class CheckedActions:
    """How far a list of actions could be checked.

    ``checked`` actions are legal; ``fault`` says what is wrong with the next one (``rules``: the broken rows, ``code``:
    ``illegal``, or ``malformed`` if it is no action at all). With no fault and ``checked`` less than their number,
    ``open_until`` says what has to be known first.
    """

    checked: int
    fault: str = ""
    rules: tuple[str, ...] = ()
    open_until: str = ""
    code: str = "illegal"


def check_actions(rules: AnyRules, view: Any, seat: Seat, actions: Sequence[JsonObject]) -> CheckedActions:
    """Try ``actions`` one by one on a position that agrees with the seat's view.

    The trial stops without verdict where an action shows something new: what comes after depends on it.
    """
    state = rules.imagine(view)
    for index, written in enumerate(actions):
        node = rules.node(state)
        if isinstance(node, Chance):
            return CheckedActions(index, open_until=sentence("what is drawn or rolled"))
        if not isinstance(node, Decision):
            return CheckedActions(index, open_until=sentence("the match is over"))
        if node.seat != seat:
            return CheckedActions(index, open_until=sentence("{seat} has answered", seat=node.seat))
        try:
            action = rules.action_from_json(written)
            seen = rules.observe(state, seat) if index else view
            rules.check(seen, action)
            step = rules.apply(state, action)
        except (IllegalAction, MalformedAction) as error:
            code = "illegal" if isinstance(error, IllegalAction) else "malformed"
            return CheckedActions(index, fault=str(error), rules=tuple(error.rules), code=code)
        if index + 1 < len(actions) and (step.reveals or step.deals or step.facts):
            return CheckedActions(index + 1, open_until=sentence("what this action shows"))
        state = step.state
    return CheckedActions(len(actions))
