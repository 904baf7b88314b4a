"""A player's standing orders as he works on them: adding, presets, what each would do now, what went off and why.

Why a rule did not answer is said here, on his own machine, and nowhere else. A letter says the same to everybody
whether an order was there or not; the reason would tell a hand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import Game, JsonObject, MalformedAction, Seat
from pbem.games import find_game
from pbem.games.ordering import NOW, Offer, Offering, Ordering, OrderWords, RuleState
from pbem.player.seat.order_words import fact_to_words, order_words, rule_from_words, rule_to_words
from pbem.protocol.client import SeatView
from pbem.protocol.record import Record
from pbem.protocol.record.open_play import public_value
from pbem.protocol.record.standing import Joins, Over
from pbem.protocol.record.table import after_events, first_turn

NO_ORDERS: JsonObject = {"rules": []}


def running_turn(record: Record) -> JsonObject | None:
    """What the public events say of the running turn; None if no epoch runs."""
    epoch = record.ledger.running
    if epoch is None or (epoch.closed is not None and not record.over):
        return None
    turn = first_turn(epoch.number)
    for line in epoch.results:
        for step in line.body["steps"]:
            turn = after_events(record.rules, turn, step["events"])
    return turn


def checked(record: Record, order: JsonObject) -> JsonObject:
    """``order``, if the game takes it; ``UsageProblem`` says what is wrong."""
    try:
        record.rules.check_order(order)
    except MalformedAction as fault:
        raise UsageProblem(sentence("these are not standing orders: {fault}", fault=fault)) from fault
    return order


# --- changing ---------------------------------------------------------------------------------------------


def with_rule(record: Record, order: JsonObject, text: str) -> JsonObject:
    """The orders with one more rule, typed in words.

    It goes to the end, but before a rule for the same question that always holds: behind that it would never be tried.
    """
    rule = rule_from_words(_game(record), text, running_turn(record))
    rules = list(order["rules"])
    always = [at for at, one in enumerate(rules) if one["when"] == rule["when"] and _always(one)]
    rules.insert(always[0] if always and not _always(rule) else len(rules), rule)
    return checked(record, {"rules": rules})


def _always(rule: JsonObject) -> bool:
    return "turn" not in rule and not rule.get("if")


def with_preset(record: Record, order: JsonObject, name: str) -> JsonObject:
    """The orders with ready-made rules in place of all for the same questions."""
    presets = order_words(_game(record)).order_forms.presets
    if name not in presets:
        raise UsageProblem(
            sentence("there is no ready-made standing order {name!r}", name=name),
            hint=sentence("There are: {names}.", names=", ".join(presets)),
        )
    rules = presets[name].rules
    asked = {rule["when"] for rule in rules}
    kept = [rule for rule in order["rules"] if rule["when"] not in asked]
    return checked(record, {"rules": [*rules, *kept]})


def common_orders(record: Record, seat: Seat, done: Sequence[JsonObject] = ()) -> tuple[Offer, ...]:
    """What most people at this seat would say in advance, behind the actions ``done``; of the public view alone.

    Before the cards are dealt, too: what a ready file brings is in force when the first turn begins.
    """
    if not isinstance(record.rules, Offering) or isinstance(record.standing, Joins | Over):
        return ()
    public = None if record.public is None else public_value(record.rules, record.public)
    return record.rules.common_orders(public, seat, running_turn(record) or {}, done)


def has_offer(order: JsonObject, offer: Offer) -> bool:
    """Whether all rules of an offer are among the orders."""
    return all(rule in order["rules"] for rule in offer.rules)


def with_offer(record: Record, order: JsonObject, offer: Offer) -> JsonObject:
    """The orders with an offer taken: for its questions it stands in place of what was there.

    Rules for one turn stand before those that always hold, and do not touch them.
    """
    asked = {(rule["when"], "turn" in rule) for rule in offer.rules}
    kept = [rule for rule in order["rules"] if (rule["when"], "turn" in rule) not in asked]
    rules = [*offer.rules, *kept]
    return checked(record, {"rules": sorted(rules, key=lambda rule: "turn" not in rule)})


def without_offer(order: JsonObject, offer: Offer) -> JsonObject:
    """The orders with an offer taken back."""
    return {"rules": [rule for rule in order["rules"] if rule not in offer.rules]}


def with_offers(
    record: Record, seat: Seat, order: JsonObject, names: Sequence[str], done: Sequence[JsonObject]
) -> JsonObject:
    """The orders with these offers taken, by name.

    Raises:
        UsageProblem: there is no such offer now; it says which there are.
    """
    offered = {offer.name: offer for offer in common_orders(record, seat, done)}
    for name in names:
        if name not in offered:
            raise UsageProblem(
                sentence("nothing called {name!r} is offered now", name=name),
                hint=sentence("There are: {names}.", names=", ".join(offered) or "-"),
            )
        order = with_offer(record, order, offered[name])
    return order


def without_rule(order: JsonObject, number: int) -> JsonObject:
    """The orders without rule ``number``, from 1."""
    rules = list(order["rules"])
    if not 1 <= number <= len(rules):
        raise UsageProblem(
            sentence("there is no rule {number}; there are {count}", number=number, count=len(rules))
        )
    del rules[number - 1]
    return {"rules": rules}


def still_of_use(record: Record, order: JsonObject) -> JsonObject:
    """The orders without rules for turns that are over: they can never answer again."""
    turn = running_turn(record)
    if turn is None:
        epochs = [number for number, epoch in record.ledger.epochs.items() if epoch.opened is not None]
        turn = {"epoch": max(epochs, default=0), "number": 1 << 31}
    now = (turn["epoch"], turn["number"])
    rules = [
        rule
        for rule in order["rules"]
        if "turn" not in rule or (rule["turn"]["epoch"], rule["turn"]["number"]) >= now
    ]
    return {"rules": rules}


def _game(record: Record) -> Game:
    return find_game(record.game_info.id)


# --- looking ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Told:
    """One rule: its words, what it comes to now, and why."""

    number: int
    words: str
    state: str
    why: str

    def to_json(self) -> JsonObject:
        """For programs."""
        return {"rule": self.number, "words": self.words, "state": self.state, "why": self.why}


def told_rules(view: SeatView, order: JsonObject) -> list[Told]:
    """Each rule of the orders, and what it comes to in this seat's view."""
    game, states = _game(view.record), states_of(view, order)
    return [
        Told(number, _words(game, rule), *_said(game, rule, state))
        for number, (rule, state) in enumerate(zip(order["rules"], states, strict=True), 1)
    ]


def states_of(view: SeatView, order: JsonObject) -> Sequence[RuleState]:
    """What each rule comes to; nothing is known before the first cards are dealt."""
    record = view.record
    turn = running_turn(record)
    if turn is None or not isinstance(record.rules, Ordering):
        return [RuleState("waits")] * len(order["rules"])
    return record.rules.rule_states(view.view, {**order, NOW: turn})


def _words(game: Game, rule: JsonObject) -> str:
    return rule_to_words(game, rule) if isinstance(game, OrderWords) else str(rule)


def _said(game: Game, rule: JsonObject, state: RuleState) -> tuple[str, str]:
    if state.state == "untrue" and isinstance(game, OrderWords):
        fact = fact_to_words(game.order_forms, state.why, rule["if"][state.why])
        return state.state, sentence("it is not so: {fact}", fact=fact)
    return state.state, state.why


def off_now(view: SeatView, order: JsonObject) -> list[Told]:
    """The rules that fit what this seat is asked now, but want what cannot be done: why it is asked at all."""
    waiting = view.record.waiting
    if waiting is None or waiting["seat"] != view.seat:
        return []
    return [told_rule for told_rule in told_rules(view, order) if told_rule.state == "off"]


def would_do(view: SeatView, order: JsonObject) -> list[tuple[str, str]]:
    """What the orders would answer if this or that were asked now: the question, the answer in words."""
    record = view.record
    rules, turn = record.rules, running_turn(record)
    if turn is None or not isinstance(rules, Ordering):
        return []
    game = _game(record)
    asked = [(sentence("what you are asked now"), view.view)] if _is_asked(record, view.seat) else []
    found = []
    for words, supposed in (*asked, *rules.suppose(view.view)):
        action = rules.order_action(supposed, {**order, NOW: turn})
        found.append((words, _deed(game, rules, action)))
    return found


def _is_asked(record: Record, seat: Seat) -> bool:
    return record.waiting is not None and record.waiting["seat"] == seat


def _deed(game: Game, rules: Any, action: Any) -> str:
    return sentence("you are asked") if action is None else game.action_to_words(rules.action_to_json(action))


# --- the reaction window ----------------------------------------------------------------------------------


def offers(record: Record) -> list[tuple[str, str]]:
    """Presets that a client offers to every seat in every hand, in the same words whatever it holds: name, sentence."""
    game = _game(record)
    presets = game.order_forms.presets if isinstance(game, OrderWords) else {}
    return [(name, preset.sentence) for name, preset in presets.items() if preset.offered]


def may_stay_silent(record: Record, order: JsonObject) -> list[str]:
    """Questions of offered presets that these orders may leave open: being asked then tells that they are silent."""
    game = _game(record)
    presets = game.order_forms.presets.values() if isinstance(game, OrderWords) else ()
    questions = {rule["when"] for preset in presets if preset.offered for rule in preset.rules}
    some = {rule["when"] for rule in order["rules"]}
    closed = {
        rule["when"]
        for rule in order["rules"]
        if _always(rule) and any(preset.offered and rule == preset.rules[-1] for preset in presets)
    }
    return sorted((questions & some) - closed)
