"""What is said of a seat's standing orders, and the result of a change."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap

from pbem.base.errors import UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import Sentence, columns, command, joined, sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.games import find_game
from pbem.games.ordering import Offer
from pbem.player.seat import orders
from pbem.player.seat.client import PlayerClient
from pbem.protocol.client import SeatView

_WIDTH = 100
_INDENT = " " * 5
_STATES = {
    "answers": sentence("answers now"),
    "untrue": sentence("not now"),
    "off": sentence("off"),
    "past": sentence("over"),
}


@dataclass(frozen=True, slots=True)
class Change:
    """What is to change; ``whole`` replaces all rules, as a file holds them."""

    whole: JsonObject | None
    presets: tuple[str, ...]
    rules: tuple[str, ...]
    remove: int | None
    withdraw: bool

    @property
    def asked(self) -> bool:
        """Whether anything is to change."""
        return bool(
            self.whole is not None or self.presets or self.rules or self.remove is not None or self.withdraw
        )


def changed(client: PlayerClient, change: Change) -> tuple[JsonObject, list[Sentence]]:
    """The orders after the change, and what their owner should know; those planned count before those in force.

    Raises:
        UsageProblem: the change contradicts itself, or a rule is none.
    """
    record = client.record
    if change.withdraw and (change.whole is not None or change.remove is not None):
        raise UsageProblem(sentence("--withdraw does not go with --set or --remove"))
    order = orders.NO_ORDERS if change.withdraw else _present(client)
    if change.whole is not None:
        order = orders.checked(record, change.whole)
    if change.remove is not None:
        order = orders.without_rule(order, change.remove)
    for name in change.presets:
        order = orders.with_preset(record, order, name)
    for text in change.rules:
        order = orders.with_rule(record, order, text)
    notes = [
        joined(
            (
                sentence(
                    "your orders may leave '{question}' open: when you are asked it,"
                    " others see that they did not answer",
                    question=question,
                ),
                sentence("end them with one that always holds, or use a ready-made one"),
            ),
            "\n",
        )
        for question in (orders.may_stay_silent(record, order) if change.asked else ())
    ]
    return order, notes


def in_advance(
    client: PlayerClient, order: JsonObject | None, names: Sequence[str], done: Sequence[JsonObject]
) -> JsonObject | None:
    """The orders that leave with the actions ``done``: with the offers of these names; None: as they are."""
    if not names:
        return order
    return orders.with_offers(client.record, client.seat, order or _present(client), names, done)


def offered_then(client: PlayerClient, language: Language) -> tuple[str, list[JsonObject]]:
    """What ``pbem turn --then`` takes now, of what is public alone; nothing if nobody can be asked any more."""
    record = client.record
    choices = () if record.over else orders.common_orders(record, client.seat)
    facts: list[JsonObject] = [
        {"name": offer.name, "words": offer.sentence, "rules": [*offer.rules]} for offer in choices
    ]
    if not choices:
        return "", facts
    order = _present(client)
    rows = [
        (
            "",
            f"--then {offer.name}",
            language.translate(offer.sentence),
            _said_already(offer, order, language),
        )
        for offer in choices
    ]
    head = language.translate(sentence("In advance, with pbem turn:"))
    return f"{head}\n{columns(rows)}", facts


def _said_already(offer: Offer, order: JsonObject, language: Language) -> str:
    return language.translate(sentence("(said already)")) if orders.has_offer(order, offer) else ""


def _present(client: PlayerClient) -> JsonObject:
    return client.own_orders.next(client.record, client.seat) or orders.NO_ORDERS


def listing(client: PlayerClient, language: Language) -> tuple[str, JsonObject]:
    """The orders in force and those planned, rule by rule, and what is offered to everybody."""
    record, view, translate = client.record, client.view, language.translate
    part = record.ledger.orders.get(client.seat)
    order, planned = client.orders(), client.own_orders.planned()
    facts: JsonObject = {"seat": client.seat, "offers": [name for name, _ in orders.offers(record)]}
    parts = []
    if part is not None and order is None:
        parts.append(translate(sentence("You have standing orders, and there is no copy of them here.")))
    elif part is not None and order is not None:
        rows_in_words = orders.rule_results(view, order)
        facts |= {"n": part.n, "rules": [rule.to_json() for rule in rows_in_words], "order": order}
        head = translate(sentence("In force:"))
        parts.append(f"{head}\n{rules_text(rows_in_words, language)}")
    else:
        parts.append(translate(sentence("You have no standing orders.")))
    if planned is not None:
        rows_in_words = orders.rule_results(view, planned)
        facts["planned"] = {"rules": [rule.to_json() for rule in rows_in_words], "order": planned}
        parts.append(f"{translate(sentence('For your next file:'))}\n{rules_text(rows_in_words, language)}")
    return "\n\n".join([*parts, *offered(client, language)]), facts


def rules_text(rules: list[orders.RuleResult], language: Language) -> str:
    """A list of rules, each with its result now."""
    if not rules:
        return "  " + language.translate(sentence("no rules: they answer nothing"))
    return "\n".join(line for rule in rules for line in _rule_lines(rule, language))


def _rule_lines(rule: orders.RuleResult, language: Language) -> list[str]:
    """The words of a rule, folded, and under them its result."""
    lines = wrap(f"{rule.number:3}. {rule.words}", _WIDTH, subsequent_indent=_INDENT, break_on_hyphens=False)
    said = [language.translate(text) for text in (_STATES.get(rule.state, ""), rule.why) if text]
    return [*lines, *([f"{_INDENT}({': '.join(said)})"] if rule.state in _STATES else [])]


def offered(client: PlayerClient, language: Language) -> list[str]:
    """The same words for every seat, whatever it holds and whatever its orders are (the reaction window)."""
    rows = [
        ("", f"--preset {name}", language.translate(words)) for name, words in orders.offers(client.record)
    ]
    head = sentence("For everybody, in every hand (pbem orders COPY --preset NAME):")
    return [language.translate(head) + "\n" + columns(rows)] if rows else []


def why_asked(view: SeatView, order: JsonObject | None) -> str:
    """Why the orders in force did not answer what this seat is asked, where one of their rules would have."""
    if order is None:
        return ""
    if unused := orders.left_unused(view, order):
        return sentence(
            "Your orders should have answered this: {answer}. The host did not use them. The match file proves it when "
            "the hand ends: keep it and tell the others.",
            answer=unused,
        )
    rows_in_words = orders.off_now(view, order)
    lines = [
        joined(
            (
                sentence("Rule {number} of your orders is off: {rule}", number=rule.number, rule=rule.words),
                rule.why,
            ),
            "\n  ",
        )
        for rule in rows_in_words
    ]
    return joined(lines, "\n") if lines else ""


def orders_said(client: PlayerClient, language: Language) -> tuple[str, ...]:
    """For ``pbem show``: the rules that are off, and the offer, which is the same for everybody in every hand."""
    record = client.record
    off = why_asked(client.view, client.orders()) if record.public is not None else ""
    ways = [command("pbem orders COPY --preset {name}", name=name) for name, _ in orders.offers(record)]
    offer = (
        sentence(
            "Your answer to a Hideout can be said in advance: {command}",
            command="; ".join(ways),
        )
        if ways
        else ""
    )
    return tuple(language.translate(text) for text in (off, "" if record.over else offer) if text)


def would(client: PlayerClient, order: JsonObject, language: Language) -> tuple[str, JsonObject]:
    """What these orders would answer now."""
    answers = orders.would_do(client.view, order)
    rows_in_words = orders.rule_results(client.view, order)
    said = [("", language.translate(words), language.translate(answer)) for words, answer in answers]
    head = ("", language.gettext("if asked"), language.gettext("they answer"))
    table = columns(said, head) if said else language.gettext("Nothing has been dealt yet.")
    facts: JsonObject = {
        "rules": [rule.to_json() for rule in rows_in_words],
        "would": [{"asked": words, "answer": answer} for words, answer in answers],
    }
    return f"{rules_text(rows_in_words, language)}\n\n{table}", facts


def vocabulary(client: PlayerClient, language: Language) -> tuple[str, JsonObject]:
    """Everything that may be typed for this game."""
    forms = orders.order_words(find_game(client.record.game_info.id)).order_forms
    questions = [
        f"when {when} do {language.translate(does)}\n"
        f"    {orders.fact_help({n: f for n, f in forms.facts.items() if when in f.whens})}"
        for when, does in forms.whens.items()
    ]
    presets = columns(
        [("", name, language.translate(preset.sentence)) for name, preset in forms.presets.items()]
    )
    form = language.translate(sentence("A rule is: {form}", form=orders.FORM))
    text = "\n\n".join([form, *questions, f"{language.gettext('Presets:')}\n{presets}"])
    facts: JsonObject = {
        "form": orders.FORM,
        "questions": dict(forms.whens),
        "facts": {name: {"words": form.words, "kind": form.kind} for name, form in forms.facts.items()},
        "presets": {name: preset.sentence for name, preset in forms.presets.items()},
    }
    return text, facts
