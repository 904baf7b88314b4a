"""The end of a match: by the rules, or before its time by consent (schemas/README.md §7, §11, 10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.base.sentences import Sentence, sentence
from pbem.game import JsonObject
from pbem.protocol.record.agreement import check_consents, no_fault
from pbem.protocol.record.kind import Agreement, AgreementReader, Kind, RulingContext, never
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Fault, Line, difference, everybody
from pbem.protocol.record.openings import agreed_end, check_opened, parts_to_open, take_opened
from pbem.protocol.record.takeover import gone_before_deal


def _says(terms: JsonObject, reader: AgreementReader) -> Sentence:
    if terms.get("why"):
        return sentence("End the match now ({why})", why=reader.typed(terms["why"]))
    return sentence("End the match now")


AGREED: Final = Agreement("all", _says, no_fault, never, excuses=gone_before_deal)
NO_WINNER: Final[JsonObject] = {"winners": []}
"""The outcome of a match that ends by agreement."""


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    """Everything opened is closed, nothing sealed is left; before its time a match ends only by consent."""
    terms, outcome, closing = line.body.get("what"), line.body["outcome"], agreed_end(ledger)
    if "consents" in line.body:
        yield from check_consents(ledger, line, AGREED)
    if (terms != closing or "consents" in line.body) if closing else (terms and "consents" not in line.body):
        yield line.fault(10, "consent", "what was agreed to is not what this record does")
    if terms is not None:
        if outcome != NO_WINNER:
            yield line.fault(10, "outcome", "a match that ends by agreement has no winner")
    elif ledger.waiting is not None:
        yield line.fault(10, "early", "the match still waits for {seat}", seat=ledger.waiting["seat"])
    elif ledger.shown is None:
        yield line.fault(10, "early", "nothing was dealt yet: only an agreement ends the match")
    elif outcome != outcome_shown(ledger):
        words = difference(outcome_shown(ledger), outcome, sentence("the result"))
        yield line.fault(10, "outcome", words)
    for epoch in ledger.epochs.values():
        if epoch.opened is not None and epoch.closed is None:
            yield line.fault(10, "end", "deal {number} was never closed", number=epoch.number)
    yield from check_opened(ledger, line, ledger.unopened.values(), 10)


def outcome_shown(ledger: Ledger) -> JsonObject | None:
    """What the last result says of the end of the match: its event ``match-ended``; None if there is none."""
    steps = ledger.shown.body["steps"] if ledger.shown is not None else []
    ended = [event for step in steps for event in step["events"] if event["event"] == "match-ended"]
    return {name: value for name, value in ended[-1].items() if name != "event"} if ended else None


def _take(ledger: Ledger, line: Line) -> None:
    take_opened(ledger, line)
    ledger.ended = line
    ledger.proposals.clear()  # nobody can carry them out, and nobody has to undo them


def agreement_to(why: str) -> JsonObject:
    """To what all agree so that the match ends before its time."""
    return {"kind": END.name, **({"why": why} if why else {})}


def end(context: RulingContext, members: JsonObject) -> None:
    """End a match in which everything is closed."""
    opened = [context.openings.opening(part) for part in parts_to_open(context.ledger, None)]
    context.add(END.name, {**members, "opened": opened})


END: Final = Kind(
    "end",
    _check,
    _take,
    audience=everybody,
    letter="match-end",
    text="end",
    counted=False,
    ends="match",
    agreement=AGREED,
)
