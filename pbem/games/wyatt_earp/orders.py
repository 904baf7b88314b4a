"""Standing orders: what a seat wants done when it is asked, said in advance (protocol §2.2).

An order is ``{"rules":[{"when":PHASE,"if":{FACT:VALUE,…},"do":ACTION}, …]}``. The rules are tried in order; the
first one of the phase asked whose facts all hold and whose action is legal answers. No rules withdraws.

Facts (all optional, all of the seat's own view):
``holding`` CARD: it is in the hand. ``outlaws`` [OUTLAW, …]: the covered group (react) is of one of them.
``reward_at_least`` DOLLARS: that Outlaw's poster (react). ``top_in`` / ``top_not_in`` [CARD, …]: the top of the
discard (draw). ``asks`` CARD: the card that asks (choose).

Actions: any action object of the vocabulary, and four that fill themselves in:
``{"do":"lay","any":true}`` the biggest set or addition that may be laid; ``{"do":"discard","first":[CARD, …]}``
the first of these held; ``{"do":"choose","first":[CARD, …]}`` the first of these the search shows;
``{"do":"choose","best":true}`` the target with the most money on its poster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from pbem.game import Json, JsonObject, MalformedAction
from pbem.games.wyatt_earp.actions import Action, Choose, Discard, Lay, action_from_json
from pbem.games.wyatt_earp.cards import KIND_OF, NAMES, NONE, OUTLAW_OF, Outlaw, held
from pbem.games.wyatt_earp.faults import faults
from pbem.games.wyatt_earp.legal import legal
from pbem.games.wyatt_earp.state import CHOOSE, DRAW, PLAY, REACT, Match, Sight
from pbem.games.wyatt_earp.views import View, sight_in

_PLAYS: Final = (
    "lay",
    "photo",
    "bank-robbery",
    "stagecoach-robbery",
    "fastest-gun",
    "most-wanted",
    "hideout",
    "wyatt-earp",
    "discard",
)
_DOES: Final = {DRAW: ("draw",), PLAY: _PLAYS, CHOOSE: ("choose",), REACT: ("react",)}
"""What a rule of each phase may do."""

_FACTS: Final = {
    DRAW: ("holding", "top_in", "top_not_in"),
    PLAY: ("holding",),
    CHOOSE: ("holding", "asks"),
    REACT: ("holding", "outlaws", "reward_at_least"),
}
"""The facts of each phase."""

_MOST_RULES: Final = 64


# --- the vocabulary ---------------------------------------------------------------------------------------


def check_order(match: Match, order: Json) -> None:
    """Return if ``order`` is in the vocabulary.

    Raises:
        MalformedAction: with the rule and what was expected there.
    """
    if not isinstance(order, dict) or set(order) != {"rules"} or not isinstance(order["rules"], list):
        raise MalformedAction('an order is {"rules": […]}')
    if len(order["rules"]) > _MOST_RULES:
        raise MalformedAction(f"an order has at most {_MOST_RULES} rules")
    for number, rule in enumerate(order["rules"], 1):
        try:
            _check_rule(match, rule)
        except MalformedAction as fault:
            raise MalformedAction(f"rule {number}: {fault}") from None


def _check_rule(match: Match, rule: Json) -> None:
    if not isinstance(rule, dict) or not {"when", "do"} <= set(rule) <= {"when", "if", "do"}:
        raise MalformedAction('a rule is {"when": phase, "if": facts, "do": action}')
    phase = rule["when"]
    if not isinstance(phase, str) or phase not in _DOES:
        raise MalformedAction(f"'when' is one of {', '.join(_DOES)}, found {phase!r}")
    facts = rule.get("if", {})
    if not isinstance(facts, dict):
        raise MalformedAction(f"'if' is an object of facts, found {facts!r}")
    for name, value in facts.items():
        if name not in _FACTS[phase]:
            raise MalformedAction(f"{phase}: no fact {name!r}; there are: {', '.join(_FACTS[phase])}")
        _check_fact(name, value)
    _check_template(match, phase, rule["do"])


def _check_fact(name: str, value: Json) -> None:
    if name == "reward_at_least":
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise MalformedAction(f"{name!r} is a number of dollars, found {value!r}")
    elif name in ("holding", "asks"):
        _check_names(name, [value], KIND_OF)
    else:
        _check_names(name, value, OUTLAW_OF if name == "outlaws" else KIND_OF)


def _check_names(name: str, value: Json, known: dict[str, int]) -> None:
    if not isinstance(value, list) or not value or not all(isinstance(v, str) and v in known for v in value):
        raise MalformedAction(f"{name!r} names {', '.join(known)}; found {value!r}")


def _check_template(match: Match, phase: str, do: Json) -> None:
    if not isinstance(do, dict) or do.get("do") not in _DOES[phase]:
        raise MalformedAction(f"{phase}: 'do' is one of {', '.join(_DOES[phase])}, found {do!r}")
    kind = do["do"]
    if "first" in do and kind in ("discard", "choose") and set(do) == {"do", "first"}:
        _check_names("first", do["first"], KIND_OF)
    elif (kind, set(do)) in (("lay", {"do", "any"}), ("choose", {"do", "best"})):
        if do.get("any", do.get("best")) is not True:
            raise MalformedAction(f"{kind}: 'any' and 'best' can only be true")
    else:
        action_from_json(do, match.seats)


# --- the answer -------------------------------------------------------------------------------------------


def order_action(match: Match, view: View, order: JsonObject) -> Action | None:
    """What the order answers in this view, or None. A rule that no longer makes sense is passed over."""
    if view.waiting != view.viewer or view.viewer == NONE:
        return None
    sight = sight_in(match, view)
    for rule in order.get("rules", ()):
        if rule["when"] != view.phase or not _holds(view, rule.get("if", {})):
            continue
        for action in _actions(match, view, sight, rule["do"]):
            if not faults(match, sight, action):
                return action
    return None


def _holds(view: View, facts: JsonObject) -> bool:
    return all(_FACT[name](view, value) for name, value in facts.items())


def _covered(view: View) -> Outlaw:
    return NONE if view.pending is None else view.pending.outlaw


_FACT: Final[dict[str, Callable[[View, Json], bool]]] = {
    "holding": lambda view, card: held(view.hand, KIND_OF[card]) > 0,
    "asks": lambda view, card: view.pending is not None and view.pending.card == KIND_OF[card],
    "outlaws": lambda view, names: _covered(view) in {OUTLAW_OF[name] for name in names},
    "reward_at_least": lambda view, dollars: view.posters[_covered(view)] >= dollars,
    "top_in": lambda view, names: view.top != NONE and NAMES[view.top] in names,
    "top_not_in": lambda view, names: view.top != NONE and NAMES[view.top] not in names,
}


def _actions(match: Match, view: View, sight: Sight, do: JsonObject) -> Iterator[Action]:
    """The actions that a template may mean, best first."""
    if "any" in do:
        lays = [action for action in legal(match, sight) if isinstance(action, Lay)]
        yield from sorted(lays, key=lambda lay: (-lay.count, -view.posters[lay.outlaw], lay.outlaw))
    elif "best" in do:
        yield from _best(view, legal(match, sight))
    elif "first" in do:
        kinds = [KIND_OF[name] for name in do["first"]]
        yield from map(Discard, kinds) if do["do"] == "discard" else (Choose(take=kind) for kind in kinds)
    else:
        yield action_from_json(do, match.seats)


def _best(view: View, answers: Sequence[Action]) -> list[Action]:
    """Targets by the money on their poster, then in the order of the list."""
    targets = [answer for answer in answers if isinstance(answer, Choose) and answer.on != NONE]
    targets.sort(key=lambda answer: -view.posters[answer.on])
    return list(targets)
