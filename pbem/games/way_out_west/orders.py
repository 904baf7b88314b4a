"""Standing orders and default actions: answers to a decision that need no email (schemas/README.md §14.2, §14.3).

An order is ``{"rules": [{"when": W, "turn": {"epoch","number"}, "if": {…}, "do": {…}}, …]}``. ``when`` is what is
asked; the facts of ``if`` (``order_words.FACTS``) must all hold (none: always); ``do`` says what to answer. Rules are
tried in order, from the seat's own view; the first that fits and yields a legal action answers. A rule with ``turn``
holds in that game turn alone: an epoch is a game turn, so its ``number`` is 1.

A rule whose facts hold but whose action cannot be done is off for that decision: it is passed over. Why is shown to
nobody but its owner, on their own machine (``rule_states``). The vocabulary is schemas/way-out-west/orders.schema.json.

==============  ============================================================================================
when            do
==============  ============================================================================================
setup           ``{"do":"place-cowboy","towns":[T,…]}``: the first, second, third cowboy
bid             ``{"do":"bid","up_to":n}``, optionally ``"place":k``: raise by the minimum while dropping out
                would give a place worse than k (without: 1) and the bid stays within n; else drop out
actions         ``{"do":"first-of","actions":[action, …]}``: the first that is legal now; or ``{"do":"pass"}``
ask-sheriff     ``{"do":"ask-sheriff","ask":true}``
lend-sheriff    ``{"do":"lend-sheriff","lend":true}``
fire            ``{"do":"fire"}``, optionally with ``retreat_below`` (strength), ``odds_below`` (percent) and
                ``to`` (towns in order of preference): retreat if either holds, else fire
leave-town      ``{"do":"leave-town","to":[T,…]}``: all cowboys together to the first that is another town
take-wanted     ``{"do":"take-wanted","from":[S,…]}``: the first who has one
==============  ============================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from pbem.base.sentences import sentence
from pbem.base.shapes.schema import narrowed
from pbem.game import IllegalAction, Json, JsonObject, MalformedAction
from pbem.games.ordering import NOW, RuleState, RuleTrial, next_turn, why_illegal, with_after
from pbem.games.way_out_west import actions
from pbem.games.way_out_west.legality import check
from pbem.games.way_out_west.listing import first_listed
from pbem.games.way_out_west.order_words import FACTS, Moment, chance_to_win, fight_of, own_strength
from pbem.games.way_out_west.position_json import read_action
from pbem.games.way_out_west.state import NOBODY, Match, Position, View, on_map


def question_of(position: Position) -> str | None:
    """The ``when`` of the decision that is open; None if there is none."""
    if position.decider == NOBODY:
        return None
    if position.phase == "gunfight" and position.fight is not None:
        return position.fight.asks
    return {"setup": "setup", "auction": "bid", "actions": "actions"}[position.phase]


def default_action(match: Match, view: View) -> actions.Action:
    """schemas/README.md §14.2: fixed by the rules, the same for everybody who sits there."""
    position = view.position
    question = question_of(position)
    if question is None:
        raise IllegalAction((), sentence("nobody is to decide now"))
    return first_listed(match, position, _defaults(match, position)[question])


def _defaults(match: Match, position: Position) -> dict[str, list[actions.Action]]:
    """What is played for a silent seat, by question; a gunfight's answers only where one is fought."""
    defaults: dict[str, list[actions.Action]] = {
        "setup": [actions.PlaceCowboy(match.board.towns[0].id)],
        "bid": [actions.DropOut()],
        "actions": [actions.Pass()],
        "ask-sheriff": [actions.AskSheriff(ask=False)],
        "lend-sheriff": [actions.LendSheriff(lend=False)],
        "fire": [actions.Fire()],
        "take-wanted": [actions.TakeWanted(match.seats[seat]) for seat in position.order],
    }
    if position.fight is not None:
        defaults["leave-town"] = [_lowest_town(match, position)]
    return defaults


def _lowest_town(match: Match, position: Position) -> actions.Action:
    fight = fight_of(position)
    lowest = match.town_names(match.other_towns(fight.town))[0]
    return actions.LeaveTown(((lowest, position.towns[fight.town].cowboys[fight.attacker]),))


def turn_so_far(turn: JsonObject, events: Sequence[JsonObject]) -> JsonObject:
    """The number of the turn within its epoch (always 1), and how each seat's last gunfight went in it."""
    for event in events:
        kind = event["event"]
        if kind == "turn-ended":
            turn = next_turn(turn)
        elif kind == "gunfight":
            sides = [event[side] for side in ("attacker", "defender") if event[side] != "farmer"]
            turn = with_after(turn, dict.fromkeys(sides, "fighting"))
        elif kind == "gunfight-won":
            fought = [seat for seat, how in turn.get("after", {}).items() if how == "fighting"]
            turn = with_after(turn, {seat: "won" if seat == event["winner"] else "lost" for seat in fought})
    return turn


def order_action(match: Match, view: View, order: JsonObject) -> actions.Action | None:
    """What the order answers now, or None."""
    return _trial(match, view, order).first_answer(order) if view.decides else None


def rule_states(match: Match, view: View, order: JsonObject) -> tuple[RuleState, ...]:
    """The result of each rule here; for its owner alone."""
    return _trial(match, view, order).states(order)


def _trial(match: Match, view: View, order: JsonObject) -> RuleTrial:
    now = order.get(NOW, {})
    question = question_of(view.position) if view.decides else None

    def answer(do: JsonObject) -> tuple[actions.Action | None, str]:
        action = _ANSWERS[question](match, view, do)
        why = _nothing(match, view, do) if action is None else _illegal(match, view, action)
        return (None, why) if why else (action, "")

    return RuleTrial(Moment(match, view, now), question, now, FACTS, answer)


def _nothing(match: Match, view: View, do: JsonObject) -> str:
    """Why an answer found nothing: of a list of wishes, what is wrong with the first."""
    if "actions" not in do:
        return sentence("it names nothing that is left to do")
    return _illegal(match, view, read_action(match, do["actions"][0]))


def _illegal(match: Match, view: View, action: actions.Action) -> str:
    return why_illegal(lambda: check(match, view.position, view.viewer, action))


# --- what a rule answers ----------------------------------------------------------------------------------


def _answer_setup(_: Match, view: View, do: JsonObject) -> actions.Action | None:
    placed = on_map(view.position.towns, view.viewer, "cowboy")
    return actions.PlaceCowboy(do["towns"][placed]) if placed < len(do["towns"]) else None


def _answer_bid(_: Match, view: View, do: JsonObject) -> actions.Action | None:
    position = view.position
    place_now = len(position.order) - len(position.dropped)
    least = max(position.bids) + 1
    content = place_now <= do.get("place", 1)
    return (
        actions.DropOut()
        if content or least > min(do["up_to"], position.cash[view.viewer])
        else actions.Bid(least)
    )


def _answer_actions(match: Match, view: View, do: JsonObject) -> actions.Action | None:
    if do["do"] == "pass":
        return actions.Pass()
    wishes = (read_action(match, obj) for obj in do["actions"])
    return next((action for action in wishes if not _illegal(match, view, action)), None)


def _answer_fire(match: Match, view: View, do: JsonObject) -> actions.Action | None:
    weak = own_strength(view.position) < do.get("retreat_below", 0)
    hopeless = chance_to_win(view.position) * 100 < do.get("odds_below", 0)
    return retreat_to(match, view.position, do.get("to", [])) if weak or hopeless else actions.Fire()


def retreat_to(match: Match, position: Position, wish: list[str]) -> actions.Retreat:
    """A retreat to the towns wished for, then to the lowest (L13, L14)."""
    fight = fight_of(position)
    others = match.town_names(match.other_towns(fight.town))
    towns = [*(town for town in wish if town in others), *(town for town in others if town not in wish)]
    cowboys = position.towns[fight.town].cowboys[fight.seat]
    return actions.Retreat(tuple(sorted(towns[: min(cowboys, len(others))])))


def _answer_leave(match: Match, view: View, do: JsonObject) -> actions.Action | None:
    fight = fight_of(view.position)
    others = match.town_names(match.other_towns(fight.town))
    town = next((town for town in do["to"] if town in others), None)
    if town is None:
        return None
    return actions.LeaveTown(((town, view.position.towns[fight.town].cowboys[fight.attacker]),))


def _answer_wanted(match: Match, view: View, do: JsonObject) -> actions.Action | None:
    rich = {
        match.seats[seat] for seat, count in enumerate(view.position.wanted) if count and seat != view.viewer
    }
    seat = next((seat for seat in do["from"] if seat in rich), None)
    return None if seat is None else actions.TakeWanted(seat)


_ANSWERS: Final[dict[str | None, Callable[[Match, View, JsonObject], actions.Action | None]]] = {
    "setup": _answer_setup,
    "bid": _answer_bid,
    "actions": _answer_actions,
    "ask-sheriff": lambda _match, _view, do: actions.AskSheriff(do["ask"]),
    "lend-sheriff": lambda _match, _view, do: actions.LendSheriff(do["lend"]),
    "fire": _answer_fire,
    "leave-town": _answer_leave,
    "take-wanted": _answer_wanted,
}


def check_order(match: Match, order: Json, *, bulk: bool = False) -> None:
    """Raise ``MalformedAction`` unless ``order`` is as ``orders.schema.json`` says; ``bulk`` as for ``Rules``."""
    fault = narrowed("way-out-west/orders", match.words).fault(order, bulk=bulk)
    if fault is not None:
        raise MalformedAction(fault.describe("orders"))
    for number, rule in enumerate(order["rules"], 1):
        do = rule["do"]
        if do.get("place", 1) > len(match.seats):
            raise MalformedAction(
                sentence(
                    "orders, rules {number}, do, place: there are {most} places, found {place}",
                    number=number,
                    most=len(match.seats),
                    place=do["place"],
                )
            )
        for wish in do.get("actions", ()):
            read_action(match, wish)
