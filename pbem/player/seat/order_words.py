"""A rule of standing orders as a person types and reads it.

::

    when react do wyatt-earp if reward at least 5000 and on jesse-james or belle-starr
    when draw do discard if top is jesse-james or photo:jesse-james
    this turn when play do discard first hideout belle-starr if after miss

The frame is the same in every game: a question, what to do, facts. Which there are says the game (``OrderWords``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.game import Game, Json, JsonObject, MalformedAction
from pbem.games.ordering import FactForm, OrderForms, OrderWords

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
    found: JsonObject = {}
    clause: list[str] = []
    for word in [*words, "and"]:
        if word != "and":
            clause.append(word)
            continue
        name, value = _fact(forms, when, clause)
        if name in found:
            raise UsageProblem(sentence("{names!r}: that fact is named already", names=" ".join(clause)))
        found[name] = value
        clause = []
    return found


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


# --- writing ----------------------------------------------------------------------------------------------


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
