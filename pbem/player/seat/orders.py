"""A player's standing orders as they work on them: adding, presets, what each would do now, what went off and why.

Why a rule did not answer is said here, on their own machine, and nowhere else. An email says the same to everybody
whether an order was there or not; the reason would show a hand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import Game, Json, JsonObject, MalformedAction, Seat
from pbem.games import find_game
from pbem.games.ordering import NOW, FactForm, Offer, Offering, OrderForms, Ordering, OrderWords, RuleState
from pbem.protocol.client import SeatView
from pbem.protocol.record import Record
from pbem.protocol.record.deadlines import Joins, Over
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.open_play import public_value
from pbem.protocol.record.play import after_events, first_turn

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
    always = [at for at, other in enumerate(rules) if other["when"] == rule["when"] and _always(other)]
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
class RuleResult:
    """One rule: its words, its result now, and why."""

    number: int
    words: str
    state: str
    why: str

    def to_json(self) -> JsonObject:
        """For programs."""
        return {"rule": self.number, "words": self.words, "state": self.state, "why": self.why}


def rule_results(view: SeatView, order: JsonObject) -> list[RuleResult]:
    """Each rule of the orders, and its result in this seat's view."""
    game, states = _game(view.record), states_of(view, order)
    return [
        RuleResult(number, _words(game, rule), *_said(game, rule, state))
        for number, (rule, state) in enumerate(zip(order["rules"], states, strict=True), 1)
    ]


def states_of(view: SeatView, order: JsonObject) -> Sequence[RuleState]:
    """The result of each rule; nothing is known before the first cards are dealt."""
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


def off_now(view: SeatView, order: JsonObject) -> list[RuleResult]:
    """The rules that fit what this seat is asked now, but want what cannot be done: why it is asked at all."""
    waiting = view.record.waiting
    if waiting is None or waiting["seat"] != view.seat:
        return []
    return [result for result in rule_results(view, order) if result.state == "off"]


def left_unused(view: SeatView, order: JsonObject) -> str:
    """What these orders, in force, should have answered to what this seat is asked; empty if it is rightly asked.

    Nobody's orders go on behind a stop; in a pause, or after a rewind, only the close shows it.
    """
    record, rules, turn = view.record, view.record.rules, running_turn(view.record)
    epoch = record.ledger.running
    if turn is None or epoch is None or not _is_asked(record, view.seat) or not isinstance(rules, Ordering):
        return ""
    first, last = epoch.results[0].seq, epoch.results[-1]
    rewound = any(KINDS[line.kind].goes_back for line in record.lines[first:])
    if rewound or "stopped" in last.body or any(KINDS[line.kind].halts for line in record.lines[last.seq :]):
        return ""
    action = rules.order_action(view.view, {**order, NOW: turn})
    return "" if action is None else _answer_in_words(_game(record), rules, action)


def would_do(view: SeatView, order: JsonObject) -> list[tuple[str, str]]:
    """What the orders would answer if this or that were asked now: the question, the answer in words."""
    record = view.record
    rules, turn = record.rules, running_turn(record)
    if turn is None or not isinstance(rules, Ordering):
        return []
    game = _game(record)
    asked = [(sentence("what you are asked now"), view.view)] if _is_asked(record, view.seat) else []
    answers = []
    for words, supposed in (*asked, *rules.suppose(view.view)):
        action = rules.order_action(supposed, {**order, NOW: turn})
        answers.append((words, _answer_in_words(game, rules, action)))
    return answers


def _is_asked(record: Record, seat: Seat) -> bool:
    return record.waiting is not None and record.waiting["seat"] == seat


def _answer_in_words(game: Game, rules: Any, action: Any) -> str:
    return sentence("you are asked") if action is None else game.action_to_words(rules.action_to_json(action))


def offers(record: Record) -> list[tuple[str, str]]:
    """Presets that a client offers to every seat in every hand, in the same words whatever it holds: name, sentence."""
    game = _game(record)
    presets = game.order_forms.presets if isinstance(game, OrderWords) else {}
    return [(name, preset.sentence) for name, preset in presets.items() if preset.offered]


def may_stay_silent(record: Record, order: JsonObject) -> list[str]:
    """Questions of offered presets that these orders may leave open: being asked then shows that they are silent."""
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


# --- A rule of standing orders as a person types and reads it ---------------------------------------------
#
# ::
#
#     when react do wyatt-earp if reward at least 5000 and on jesse-james or belle-starr
#     when draw do discard if top is jesse-james or photo:jesse-james
#     this turn when play do discard first hideout belle-starr if after miss
#
# The frame is the same in every game: a question, what to do, facts. Which there are says the game
# (``OrderWords``).

FORM = "[this turn] when QUESTION do WHAT [if FACT [and FACT …]]"


def order_words(game: Game) -> OrderWords:
    """The game's vocabulary of orders; ``UsageProblem`` if it has none."""
    if not isinstance(game, OrderWords):
        raise UsageProblem(
            sentence("the orders of {title} can only be written as JSON", title=game.info.title)
        )
    return game


# --- reading ----------------------------------------------------------------------------------------------


def rule_from_words(game: Game, text: str, turn: JsonObject | None) -> JsonObject:
    """The rule that a person typed; ``turn`` is the running one, for ``this turn``.

    Raises:
        UsageProblem: with what may be typed.
    """
    speaks = order_words(game)
    rule: JsonObject = {}
    words, named = _turn(text.lower().split(), turn)
    parts = _parts(words)
    when = " ".join(parts.get("when", []))
    if when not in speaks.order_forms.whens:
        raise UsageProblem(
            sentence("a rule is: {FORM}; there is no question {when!r}", FORM=FORM, when=when or "named"),
            hint=sentence("The questions are {names}.", names=", ".join(speaks.order_forms.whens)),
        )
    rule["when"] = when
    if named is not None:
        rule["turn"] = named
    if "if" in parts:
        rule["if"] = _facts(speaks.order_forms, when, parts["if"])
    try:
        rule["do"] = speaks.do_from_words(when, parts.get("do", []))
    except MalformedAction as fault:
        raise UsageProblem(sentence("{text!r}: {fault}", text=text, fault=fault)) from fault
    return rule


def _turn(words: list[str], turn: JsonObject | None) -> tuple[list[str], JsonObject | None]:
    match words:
        case ["this", "turn", *rest]:
            if turn is None:
                raise UsageProblem(sentence("no turn is running that a rule could be for"))
            return rest, {"epoch": turn["epoch"], "number": turn["number"]}
        case ["in", "turn", number, "of", "epoch", epoch, *rest] if number.isdigit() and epoch.isdigit():
            return rest, {"epoch": int(epoch), "number": int(number)}
        case _:
            return words, None


def _parts(words: Sequence[str]) -> dict[str, list[str]]:
    """What stands behind ``when``, ``do`` and ``if``, in any order."""
    parts: dict[str, list[str]] = {}
    inside: list[str] | None = None
    for word in words:
        if word in ("when", "do", "if"):
            if word in parts:
                raise UsageProblem(sentence("{word!r} stands twice; a rule is: {FORM}", word=word, FORM=FORM))
            inside = parts[word] = []
        elif inside is None:
            raise UsageProblem(
                sentence("a rule is: {FORM}; found {names!r}", FORM=FORM, names=" ".join(words))
            )
        else:
            inside.append(word)
    return parts


def _facts(forms: OrderForms, when: str, words: Sequence[str]) -> JsonObject:
    facts: JsonObject = {}
    clause: list[str] = []
    for word in [*words, "and"]:
        if word != "and":
            clause.append(word)
            continue
        name, value = _fact(forms, when, clause)
        if name in facts:
            raise UsageProblem(sentence("{names!r}: that fact is named already", names=" ".join(clause)))
        facts[name] = value
        clause = []
    return facts


def _fact(forms: OrderForms, when: str, clause: list[str]) -> tuple[str, Json]:
    text = " ".join(clause)
    fitting = {name: form for name, form in forms.facts.items() if when in form.whens}
    best: tuple[int, str, Json] | None = None
    for name, form in fitting.items():
        for value, rest in _openings(form, clause):
            read = value if value is not None else _READ[form.kind](form, rest)
            if read is not None and (best is None or len(form.words) > best[0]):
                best = (len(form.words), name, read)
    if best is None:
        raise UsageProblem(
            sentence("{text!r} is not a condition", text=text or "nothing"), hint=fact_help(fitting)
        )
    return best[1], best[2]


def _openings(form: FactForm, clause: list[str]) -> list[tuple[Json, list[str]]]:
    """The words behind the fact's own, if the clause begins with them; a flag has its value at once."""
    own = form.words.split()
    if form.kind == "flag":
        return [(True, [])] if clause == own else [(False, [])] if clause == ["no", *own] else []
    return [(None, clause[len(own) :])] if clause[: len(own)] == own else []


def _number(_: FactForm, rest: list[str]) -> Json:
    word = rest[0].lstrip("$").replace(".", "") if len(rest) == 1 else ""
    return int(word) if word.isascii() and word.isdigit() else None


def _name(form: FactForm, rest: list[str]) -> Json:
    return rest[0] if len(rest) == 1 and (not form.names or rest[0] in form.names) else None


def _names(form: FactForm, rest: list[str]) -> Json:
    names = [word for word in rest if word != "or"]
    return names if names and all(not form.names or name in form.names for name in names) else None


def _numbers(form: FactForm, rest: list[str]) -> Json:
    names = _names(form, rest)
    return [int(name) for name in names] if names and all(name.isdigit() for name in names) else None


def _counted(form: FactForm, rest: list[str]) -> Json:
    count = _number(form, rest[:1])
    card = _name(form, rest[1:])
    return None if count is None or card is None else {"card": card, "at_least": count}


_READ: dict[str, Callable[[FactForm, list[str]], Json]] = {
    "number": _number,
    "name": _name,
    "names": _names,
    "numbers": _numbers,
    "counted": _counted,
}
_HOLE = {
    "number": "N",
    "name": "NAME",
    "names": "NAME [or NAME …]",
    "numbers": "N [or N …]",
    "counted": "N NAME",
}


def fact_help(forms: dict[str, FactForm]) -> str:
    """The facts that may be typed, for a hint."""
    typed = [
        f"[no] {form.words}" if form.kind == "flag" else f"{form.words} {_HOLE[form.kind]}"
        for form in forms.values()
    ]
    return "There are: " + "; ".join(typed)


def rule_to_words(game: Game, rule: JsonObject) -> str:
    """The words that ``rule_from_words`` reads back."""
    speaks = order_words(game)
    forms = speaks.order_forms
    head = f"in turn {rule['turn']['number']} of epoch {rule['turn']['epoch']} " if "turn" in rule else ""
    does = speaks.do_to_words(rule["when"], rule["do"])
    facts = [fact_to_words(forms, name, value) for name, value in rule.get("if", {}).items()]
    return f"{head}when {rule['when']} do {does}" + (f" if {' and '.join(facts)}" if facts else "")


def fact_to_words(forms: OrderForms, name: str, value: Json) -> str:
    """One fact in words."""
    form = forms.facts[name]
    match form.kind:
        case "flag":
            return form.words if value else f"no {form.words}"
        case "names" | "numbers":
            return f"{form.words} {' or '.join(map(str, value))}"
        case "counted":
            return f"{form.words} {value['at_least']} {value['card']}"
        case _:
            return f"{form.words} {value}"
