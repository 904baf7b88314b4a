"""Standing orders: what a seat wants done when it is asked, said in advance (schemas/README.md §14.3).

An order is ``{"rules":[{"when":QUESTION,"turn":{"epoch":E,"number":N},"if":{FACT:VALUE,…},"do":ACTION}, …]}``. The
rules are tried in order; the first one for the question asked whose facts all hold and whose action is legal answers.
``turn`` and ``if`` may be left out; the facts are those of ``order_facts``. No rules withdraws.

A rule with ``turn`` holds only in turn N of the hand that is epoch E: that is how a player says what comes after a hit
and after a miss (*then*-orders). Turns are counted by the public ``turn-ended`` events (``turn_so_far``).

A rule whose facts hold but whose action cannot be done is off for that decision: it is passed over, the next rules are
tried, and if none answers the seat is asked as if it had no orders. Why a rule is off is told to nobody but its owner,
on his own machine (``rule_states``), since the reason would tell his hand.

Actions: any action object of the vocabulary, and these, which fill themselves in:
``{"do":"lay","any":true}`` the biggest set or addition that may be laid; ``{"do":"lay","outlaw":O,"all":true}`` all
cards held of him; ``{"do":"discard","first":[CARD, …]}`` the first of these held;
``{"do":"choose","first":[CARD, …]}`` the first of these the search shows; ``{"do":"choose","outlaws":[O, …]}`` the
first of these that may be the target, of the richest seat; ``{"do":"choose","best":true}`` the target with the most
money on its poster; ``"best":true`` with ``photo``, ``bank-robbery``, ``stagecoach-robbery``, ``fastest-gun``,
``hideout``, ``most-wanted`` (``steal``) and
``wyatt-earp`` (``remove-hideout``) likewise, never a group of one's own where it does harm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pbem.base.sentences import sentence
from pbem.base.shapes.schema import narrowed
from pbem.game import Json, JsonObject, MalformedAction
from pbem.games.ordering import NOW, RuleState, RuleTrial, next_turn, why_illegal, with_after
from pbem.games.wyatt_earp.actions import (
    Action,
    Choose,
    Discard,
    EarpRemove,
    Hide,
    Lay,
    PlayPhoto,
    Rob,
    Steal,
    read_action,
)
from pbem.games.wyatt_earp.cards import BANK, FASTEST, KIND_OF, NONE, OUTLAW_OF, STAGE, Outlaw, held
from pbem.games.wyatt_earp.conditions import check, faults
from pbem.games.wyatt_earp.legality import extras, legal
from pbem.games.wyatt_earp.order_words import FACTS, Moment
from pbem.games.wyatt_earp.state import Match, Sight
from pbem.games.wyatt_earp.view import View, sight_in

# --- the running turn -------------------------------------------------------------------------------------


def turn_so_far(turn: JsonObject, events: Sequence[JsonObject]) -> JsonObject:
    """The number of the turn, and under ``after`` what each seat's last card came to in it."""
    for event in events:
        kind = event["event"]
        if kind == "turn-ended":
            turn = next_turn(turn)
        elif kind == "shot":
            turn = with_after(turn, {event["seat"]: "hit" if event["hit"] else "miss"})
        elif kind == "asked":
            turn = with_after(turn, {event["seat"]: "refused"})
        elif kind == "given":
            turn = with_after(turn, {event["to"]: "given"})
    return turn


# --- the vocabulary ---------------------------------------------------------------------------------------


def check_order(match: Match, order: Json) -> None:
    """Return if ``order`` is in the vocabulary of ``orders.schema.json``.

    Raises:
        MalformedAction: with the rule and what was expected there.
    """
    fault = narrowed("wyatt-earp/orders", match.words).fault(order, bulk=True)
    if fault is not None:
        raise MalformedAction(fault.told("orders"))


# --- the answer -------------------------------------------------------------------------------------------


def order_action(match: Match, view: View, order: JsonObject) -> Action | None:
    """What the order answers in this view, or None."""
    return _trial(match, view, order).first_answer(order)


def rule_states(match: Match, view: View, order: JsonObject) -> tuple[RuleState, ...]:
    """What each rule comes to here; for its owner alone."""
    return _trial(match, view, order).states(order)


def _trial(match: Match, view: View, order: JsonObject) -> RuleTrial:
    now = order.get(NOW, {})
    moment, sight = Moment(match, view, now), sight_in(match, view)
    asked = view.viewer != NONE and view.waiting == view.viewer

    def answer(do: JsonObject) -> tuple[Action | None, str]:
        first: Action | None = None
        for action in _actions(moment, sight, do):
            if not faults(match, sight, action):
                return action, ""
            first = first or action
        return None, _why_not(match, sight, first)

    return RuleTrial(moment, view.phase if asked else None, now, FACTS, answer)


def _why_not(match: Match, sight: Sight, action: Action | None) -> str:
    if action is None:
        return sentence("there is nothing of the kind now")
    return why_illegal(lambda: check(match, sight, action))


def _actions(moment: Moment, sight: Sight, do: JsonObject) -> Iterator[Action]:
    """The actions that a template may mean, best first."""
    match, view = moment.match, moment.view
    if "any" in do:
        lays = [action for action in legal(match, sight) if isinstance(action, Lay)]
        yield from sorted(lays, key=lambda lay: (-lay.count, -view.posters[lay.outlaw], lay.outlaw))
    elif "all" in do:
        outlaw = OUTLAW_OF[do["outlaw"]]
        yield Lay(outlaw, max(1, held(view.hand, outlaw)))
    elif "best" in do:
        yield from _best(moment, sight, do)
    elif "outlaws" in do:
        targets = _by_money(view, [a for a in legal(match, sight) if isinstance(a, Choose)])
        for name in do["outlaws"]:
            yield from (target for target in targets if target.on == OUTLAW_OF[name])
    elif "first" in do:
        kinds = [KIND_OF[name] for name in do["first"]]
        yield from map(Discard, kinds) if do["do"] == "discard" else (Choose(take=kind) for kind in kinds)
    else:
        yield read_action(match, do)


def _by_money(view: View, answers: Sequence[Choose]) -> list[Choose]:
    """Those of the richest seat first."""
    return sorted(answers, key=lambda a: -view.money[a.seat] if a.seat != NONE else 0)


# --- the best target --------------------------------------------------------------------------------------


def _best(moment: Moment, sight: Sight, do: JsonObject) -> list[Action]:
    """Targets by the money on their poster, then in the order of the list."""
    view, match = moment.view, moment.match
    found: list[tuple[Outlaw, Action]]
    if do["do"] == "choose":
        answers = [a for a in legal(match, sight) if isinstance(a, Choose) and a.on != NONE]
        harms = view.pending is not None and view.pending.card == KIND_OF["hideout"]
        found = [(a.on, a) for a in answers if not harms or a.seat != view.viewer]
    elif do["do"] == "photo":
        found = [(a.outlaw, a) for a in legal(match, sight) if isinstance(a, PlayPhoto)]
    else:
        aimed = extras(match, sight, _UNAIMED[do["do"]])
        found = [(_outlaw_of(a), a) for a in aimed if not (isinstance(a, Hide) and a.seat == view.viewer)]
    return [action for _, action in sorted(found, key=lambda pair: -view.posters[pair[0]])]


_UNAIMED: Final[dict[str, Action]] = {
    "bank-robbery": Rob(BANK),
    "stagecoach-robbery": Rob(STAGE),
    "fastest-gun": Rob(FASTEST),
    "hideout": Hide(),
    "most-wanted": Steal(),
    "wyatt-earp": EarpRemove(),
}


def _outlaw_of(action: Action) -> Outlaw:
    match action:
        case Rob(_, on) | Hide(on, _) | EarpRemove(on):
            return on
        case Steal(outlaw, _):
            return outlaw
        case _:
            raise AssertionError(action)
