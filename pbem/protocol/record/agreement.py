"""What seats agree to by consents: who must, what its members are, and that exactly this was signed by them.

Genesis says by kind who must agree: ``all`` seats, the ``others`` than the one it is about, that ``seat``, or the
``host`` alone; a kind not named there needs what its ``Agreement`` says (schemas/README.md §7).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from pbem.base.sentences import sentence
from pbem.base.shapes.schema import load
from pbem.game import JsonObject, Seat
from pbem.protocol.record.check_messages import by_recovery, check_message, number_again, take_message
from pbem.protocol.record.kind import Agreement
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Fault, Line
from pbem.protocol.record.takeover import forgotten_word, unseen_word


def _terms_members() -> Iterator[tuple[str, tuple[frozenset[str], frozenset[str]]]]:
    for case in load("consent")["properties"]["body"]["properties"]["what"]["allOf"]:
        form = case["then"]
        required = frozenset(form["required"]) - {"kind"}
        yield form["properties"]["kind"]["const"], (required, form["properties"].keys() - required - {"kind"})


TERMS_MEMBERS: Final = dict(_terms_members())
"""Members of ``what`` beside ``kind`` as the schema of consents names them: those it must have, those it may have."""


def no_fault(_: Ledger, __: JsonObject) -> str:
    """Seats may agree to it at any time."""
    return ""


def who_must_agree(ledger: Ledger, terms: JsonObject, agreement: Agreement, at: str) -> tuple[Seat, ...]:
    """The seats whose consent a record of this time with these ``terms`` needs."""
    seats = who_has_a_say(ledger, terms, agreement)
    return tuple(seat for seat in seats if not agreement.excuses(ledger, seat, at))


def who_has_a_say(ledger: Ledger, terms: JsonObject, agreement: Agreement) -> tuple[Seat, ...]:
    """The seats of which one at least agrees, though each of them may be excused."""
    rule = ledger.genesis["consent"].get(terms["kind"], agreement.rule)
    about = terms.get("seat")
    if agreement.by_all(ledger, terms):
        return ledger.seats
    if rule == "host":
        return ()
    if rule == "seat":
        return (Seat(about),) if about else ledger.seats
    if rule == "others":
        return tuple(seat for seat in ledger.seats if seat != about)
    return ledger.seats


def why_not(ledger: Ledger, terms: JsonObject, agreement: Agreement | None) -> str:
    """Why nobody can agree to these ``terms`` now, in words; empty if they can."""
    kind = terms["kind"]
    members = TERMS_MEMBERS.get(kind)
    if members is None or agreement is None:
        return sentence(
            "there is nothing called {kind!r} to agree to; there are {names}",
            kind=kind,
            names=", ".join(sorted(TERMS_MEMBERS)),
        )
    required, optional = members
    named = set(terms) - {"kind"}
    if not required <= named or named - required - optional:
        return sentence(
            "{kind} takes {names}, found {names2}",
            kind=kind,
            names=", ".join(sorted(required | optional)) or "no member",
            names2=", ".join(sorted(named)),
        )
    if "seat" in terms and terms["seat"] not in ledger.seats:
        return sentence("there is no seat {seat}", seat=terms["seat"])
    return agreement.fault(ledger, terms)


def check_agreed(ledger: Ledger, line: Line, agreement: Agreement) -> Iterator[Fault]:
    """The record's ``what`` can be agreed to now, and those who must have agreed to exactly this."""
    terms = line.body["what"]
    reason = why_not(ledger, terms, agreement) or agreement.untimely(ledger, terms, line.at)
    if reason:
        yield line.fault(2, line.kind, reason)
        return
    yield from check_consents(ledger, line, agreement)


def check_consents(ledger: Ledger, line: Line, agreement: Agreement) -> Iterator[Fault]:
    """Consents: each about exactly this ``what``, together from every seat that must agree."""
    terms = line.body["what"]
    given: dict[str, int] = {}
    for file in line.body["consents"]:
        body = file["body"]
        if body["n"] <= given.get(body["seat"], -1):
            yield line.fault(2, "number", number_again(body, given[body["seat"]]))
        given[body["seat"]] = body["n"]
        if body["what"] != terms:
            yield line.fault(2, "consent", "{seat} agreed to something else", seat=body["seat"])
        yield from check_message(ledger, line, "consent", file)
    for seat in who_must_agree(ledger, terms, agreement, line.at):
        if seat not in given:
            yield line.fault(2, "consent", "{seat} has not agreed", seat=seat)
    if not given and who_has_a_say(ledger, terms, agreement):
        yield line.fault(2, "consent", "nobody has agreed")


def at_once(ledger: Ledger, terms: JsonObject, consents: Iterable[JsonObject]) -> bool:
    """Whether the recovery key of the very seat that this is about has agreed to it: then nothing is held."""
    about = terms.get("seat")
    player = ledger.players.get(Seat(str(about)))
    return player is not None and any(
        file["body"]["seat"] == about and by_recovery(player, file) for file in consents
    )


def check_words(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """No consent to what is done with a seat is older than the end of the last proposal about it.

    What the recovery key of that seat has signed is not undone by anything; it is forgotten in time.
    """
    seat = Seat(line.body["what"]["seat"])
    player = ledger.players.get(seat)
    for file in line.body["consents"]:
        body = file["body"]
        if player is not None and body["seat"] == seat and by_recovery(player, file):
            reason = forgotten_word(ledger, body, line.at)
        else:
            reason = unseen_word(ledger, seat, body)
        if reason:
            yield line.fault(2, "consent", reason)


def take_consents(ledger: Ledger, line: Line) -> None:
    """Take the consents of a record; each is a message of its seat."""
    for file in line.body.get("consents", ()):
        take_message(ledger, line, file)
