"""Standing orders and default actions: answers to a decision that need no mail (protocol §2.2, spec §2.2).

An order is ``{"rules": [{"when": W, "if": {…}, "do": {…}}, …]}``. ``when`` is what is asked; the facts of ``if``
must all hold (none: always); ``do`` says what to answer. Rules are tried in order, from the seat's own view; the
first that fits and yields a legal action answers. The vocabulary is schemas/way-out-west/orders.schema.json.

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

from collections.abc import Callable
from fractions import Fraction
from typing import Final

from pbem.game import IllegalAction, Json, JsonObject, MalformedAction
from pbem.games.way_out_west.action_json import Reader, action_from_json
from pbem.games.way_out_west.actions import (
    BOX_ACTIONS,
    NAMES,
    Action,
    AskSheriff,
    Bid,
    DropOut,
    Fire,
    LeaveTown,
    LendSheriff,
    Pass,
    PlaceCowboy,
    Retreat,
    TakeWanted,
)
from pbem.games.way_out_west.board import ASSETS
from pbem.games.way_out_west.legality import check
from pbem.games.way_out_west.odds import firing, together
from pbem.games.way_out_west.position import NOBODY, Fight, Match, Position, Side, on_map
from pbem.games.way_out_west.view import View

MAX_RULES: Final = 64


def question_of(position: Position) -> str | None:
    """The ``when`` of the decision that is open; None if there is none."""
    if position.decider == NOBODY:
        return None
    if position.phase == "gunfight" and position.fight is not None:
        return position.fight.asks
    return {"setup": "setup", "auction": "bid", "actions": "actions"}[position.phase]


# --- default actions --------------------------------------------------------------------------------------


def default_action(match: Match, view: View) -> Action:
    """Spec §2.2: fixed by the rules, the same for everybody who sits there."""
    position = view.position
    question = question_of(position)
    if question is None:
        raise IllegalAction((), "nobody is to decide now")
    if question == "leave-town":
        return _lowest_town(match, position)
    if question == "take-wanted":
        rich = [seat for seat in position.order if position.wanted[seat] and seat != position.decider]
        return TakeWanted(match.seats[rich[0]])
    simple: dict[str, Action] = {
        "setup": PlaceCowboy(match.board.towns[0].id),
        "bid": DropOut(),
        "actions": Pass(),
        "ask-sheriff": AskSheriff(ask=False),
        "lend-sheriff": LendSheriff(lend=False),
        "fire": Fire(),
    }
    return simple[question]


def _lowest_town(match: Match, position: Position) -> Action:
    fight = _fight(position)
    lowest = match.town_names(match.other_towns(fight.town))[0]
    return LeaveTown(((lowest, position.towns[fight.town].cowboys[fight.attacker]),))


def _fight(position: Position) -> Fight:
    assert position.fight is not None  # noqa: S101 (a question of a gunfight is open)
    return position.fight


# --- standing orders --------------------------------------------------------------------------------------


def order_action(match: Match, view: View, order: JsonObject) -> Action | None:
    """What the order answers now, or None."""
    if not view.decides:
        return None
    question = question_of(view.position)
    for rule in order.get("rules", []):
        if rule["when"] == question and _facts_hold(match, view, rule.get("if", {})):
            action = _ANSWERS[question](match, view, rule["do"])
            if action is not None and _is_legal(match, view, action):
                return action
    return None


def _is_legal(match: Match, view: View, action: Action) -> bool:
    try:
        check(match, view.position, view.viewer, action)
    except IllegalAction:
        return False
    return True


def _facts_hold(match: Match, view: View, facts: JsonObject) -> bool:
    return all(_FACTS[name](match, view, wanted) for name, wanted in facts.items())


def _fight_fact(about: Callable[[Match, Position, Fight], str]) -> Callable[[Match, View, Json], bool]:
    """A fact that holds if something about the gunfight is in the list that the rule names."""

    def holds(match: Match, view: View, wanted: Json) -> bool:
        fight = view.position.fight
        return fight is not None and about(match, view.position, fight) in wanted

    return holds


def _defender_name(match: Match, _: Position, fight: Fight) -> str:
    return "farmer" if fight.defender == NOBODY else match.seats[fight.defender]


def _target_name(_match: Match, _: Position, fight: Fight) -> str:
    return getattr(fight.target, "asset", None) or ("cattle" if hasattr(fight.target, "cattle") else "farmer")


def _role(_match: Match, _: Position, fight: Fight) -> str:
    return {fight.attacker: "attacker", fight.defender: "defender"}.get(fight.seat, "jail-owner")


def _strength_below(_: Match, view: View, wanted: Json) -> bool:
    return view.position.fight is not None and own_strength(view.position) < int(wanted)


def _odds_below(_: Match, view: View, wanted: Json) -> bool:
    return view.position.fight is not None and chance_to_win(view.position) * 100 < int(wanted)


_FACTS: Final[dict[str, Callable[[Match, View, Json], bool]]] = {
    "space_in": lambda _, view, wanted: view.position.space in wanted,
    "tokens": lambda _, view, wanted: view.position.tokens[view.viewer] == wanted,
    "cash_at_least": lambda _, view, wanted: view.position.cash[view.viewer] >= wanted,
    "town_in": _fight_fact(lambda match, _, fight: match.board.towns[fight.town].id),
    "attacker_in": _fight_fact(lambda match, _, fight: match.seats[fight.attacker]),
    "defender_in": _fight_fact(_defender_name),
    "target_in": _fight_fact(_target_name),
    "role_in": _fight_fact(_role),
    "strength_below": _strength_below,
    "odds_below": _odds_below,
}


def own_strength(position: Position) -> int:
    """Present strength of the side of the seat that is asked."""
    fight = _fight(position)
    return fight.attack if fight.seat == fight.attacker else fight.defence


def chance_to_win(position: Position) -> Fraction:
    """Chance of the asked seat's side if both fight on to the end, now that it may fire."""
    fight = _fight(position)
    side: Side = "attack" if fight.seat == fight.attacker else "defence"
    own, enemy = (fight.attack, fight.defence) if side == "attack" else (fight.defence, fight.attack)
    if fight.first == "both":
        chances = together(fight.attack, fight.defence)
        return chances.attack if side == "attack" else chances.defence
    return firing(own, enemy)


# --- what a rule answers ----------------------------------------------------------------------------------


def _answer_setup(_: Match, view: View, do: JsonObject) -> Action | None:
    placed = on_map(view.position.towns, view.viewer, "cowboy")
    return PlaceCowboy(do["towns"][placed]) if placed < len(do["towns"]) else None


def _answer_bid(_: Match, view: View, do: JsonObject) -> Action | None:
    position = view.position
    place_now = len(position.order) - len(position.dropped)
    least = max(position.bids) + 1
    content = place_now <= do.get("place", 1)
    return DropOut() if content or least > min(do["up_to"], position.cash[view.viewer]) else Bid(least)


def _answer_actions(match: Match, view: View, do: JsonObject) -> Action | None:
    if do["do"] == "pass":
        return Pass()
    actions = (action_from_json(match, obj) for obj in do["actions"])
    return next((action for action in actions if _is_legal(match, view, action)), None)


def _answer_fire(match: Match, view: View, do: JsonObject) -> Action | None:
    weak = own_strength(view.position) < do.get("retreat_below", 0)
    hopeless = chance_to_win(view.position) * 100 < do.get("odds_below", 0)
    return retreat_to(match, view.position, do.get("to", [])) if weak or hopeless else Fire()


def retreat_to(match: Match, position: Position, wish: list[str]) -> Retreat:
    """A retreat to the towns wished for, then to the lowest (L13, L14)."""
    fight = _fight(position)
    others = match.town_names(match.other_towns(fight.town))
    towns = [*(town for town in wish if town in others), *(town for town in others if town not in wish)]
    cowboys = position.towns[fight.town].cowboys[fight.seat]
    return Retreat(tuple(sorted(towns[: min(cowboys, len(others))])))


def _answer_leave(match: Match, view: View, do: JsonObject) -> Action | None:
    fight = _fight(view.position)
    others = match.town_names(match.other_towns(fight.town))
    town = next((town for town in do["to"] if town in others), None)
    if town is None:
        return None
    return LeaveTown(((town, view.position.towns[fight.town].cowboys[fight.attacker]),))


def _answer_wanted(match: Match, view: View, do: JsonObject) -> Action | None:
    rich = {
        match.seats[seat] for seat, count in enumerate(view.position.wanted) if count and seat != view.viewer
    }
    seat = next((seat for seat in do["from"] if seat in rich), None)
    return None if seat is None else TakeWanted(seat)


_ANSWERS: Final[dict[str | None, Callable[[Match, View, JsonObject], Action | None]]] = {
    "setup": _answer_setup,
    "bid": _answer_bid,
    "actions": _answer_actions,
    "ask-sheriff": lambda _match, _view, do: AskSheriff(do["ask"]),
    "lend-sheriff": lambda _match, _view, do: LendSheriff(do["lend"]),
    "fire": _answer_fire,
    "leave-town": _answer_leave,
    "take-wanted": _answer_wanted,
}


# --- is it an order ---------------------------------------------------------------------------------------


def check_order(match: Match, order: Json) -> None:
    """Raise ``MalformedAction`` unless ``order`` is written in this vocabulary, for this match's names."""
    if not isinstance(order, dict):
        raise MalformedAction(f"an order is a JSON object, found {order!r}")
    read = Reader(match, order, "orders")
    read.members(["rules"])
    rules = read.entries("rules")
    if len(rules) > MAX_RULES:
        raise read.fail(f"at most {MAX_RULES} rules, found {len(rules)}")
    for rule in rules:
        _check_rule(rule)


def _check_rule(rule: Reader) -> None:
    rule.members(["when", "do"], ["if"])
    when = rule.one_of("when", rule.obj["when"], _DO, "question")
    do = rule.under("do")
    name = "first-of" if when == "actions" and do.obj.get("do") == "first-of" else _DO[when]
    if do.obj.get("do") != name:
        raise do.fail(f"'do' must be {name!r} when {when!r} is asked, found {do.obj.get('do')!r}")
    _CHECKS[name](do)
    if "if" in rule.obj:
        facts = rule.under("if")
        facts.members([], _FACT_CHECKS)
        for fact in facts.obj:
            _FACT_CHECKS[fact](facts, fact)


def _check_list(read: Reader, name: str, known: tuple[Json, ...], what: str) -> None:
    value = read.obj[name]
    if not isinstance(value, list) or not value:
        raise read.fail(f"{name!r} must be a list that names at least one {what}")
    for entry in value:
        read.one_of(name, entry, known, what)


def _check_seats(read: Reader, name: str) -> None:
    _check_list(read, name, read.match.seats, "seat")


def _check_spaces(read: Reader, name: str) -> None:
    value = read.obj[name]
    if not isinstance(value, list) or not all(isinstance(space, int) and space > 0 for space in value):
        raise read.fail(f"{name!r} must be a list of spaces of the turn track")


_FACT_CHECKS: Final[dict[str, Callable[[Reader, str], object]]] = {
    "space_in": _check_spaces,
    "tokens": lambda read, name: read.number(name, 1, 2),
    "cash_at_least": lambda read, name: read.number(name, 0),
    "town_in": lambda read, name: _check_list(read, name, tuple(read.match.board.numbers), "town"),
    "attacker_in": _check_seats,
    "defender_in": lambda read, name: _check_list(read, name, (*read.match.seats, "farmer"), "seat"),
    "target_in": lambda read, name: _check_list(read, name, (*ASSETS, "cattle", "farmer"), "target"),
    "role_in": lambda read, name: _check_list(read, name, ("attacker", "defender", "jail-owner"), "role"),
    "strength_below": lambda read, name: read.number(name, 0),
    "odds_below": lambda read, name: read.number(name, 0, 100),
}
_DO: Final = {
    "setup": "place-cowboy", "bid": "bid", "actions": "pass", "ask-sheriff": "ask-sheriff",
    "lend-sheriff": "lend-sheriff", "fire": "fire", "leave-town": "leave-town", "take-wanted": "take-wanted",
}  # fmt: skip


def _check_bid(do: Reader) -> None:
    do.members(["up_to"], ["place"])
    do.number("up_to", 0)
    if "place" in do.obj:
        do.number("place", 1, len(do.match.seats))


def _check_first_of(do: Reader) -> None:
    do.members(["actions"])
    for entry in do.entries("actions"):
        action = action_from_json(do.match, entry.obj)
        if not isinstance(action, (*BOX_ACTIONS, Pass)):
            raise entry.fail(f"{NAMES[type(action)]} is not an action of the action phase")


def _check_towns(do: Reader, required: str) -> None:
    do.members([required])
    do.towns(required)


def _check_flag(name: str) -> Callable[[Reader], None]:
    def checked(do: Reader) -> None:
        do.members([name])
        do.flag(name)

    return checked


def _check_fire(do: Reader) -> None:
    do.members([], ["retreat_below", "odds_below", "to"])
    if "retreat_below" in do.obj:
        do.number("retreat_below", 0)
    if "odds_below" in do.obj:
        do.number("odds_below", 0, 100)
    if "to" in do.obj:
        do.towns("to")


def _check_wanted(do: Reader) -> None:
    do.members(["from"])
    _check_seats(do, "from")


_CHECKS: Final[dict[str, Callable[[Reader], None]]] = {
    "place-cowboy": lambda do: _check_towns(do, "towns"),
    "bid": _check_bid,
    "first-of": _check_first_of,
    "pass": lambda do: do.members([]),
    "ask-sheriff": _check_flag("ask"),
    "lend-sheriff": _check_flag("lend"),
    "fire": _check_fire,
    "leave-town": lambda do: _check_towns(do, "to"),
    "take-wanted": _check_wanted,
}
