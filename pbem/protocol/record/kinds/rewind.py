"""The match goes back to an earlier result, never across a draw or anything that was shown (schemas/README.md §7)."""

from __future__ import annotations

from typing import Final

from pbem.base.sentences import Sentence, sentence, term
from pbem.base.values import replace
from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64
from pbem.protocol.record.kind import Agreement, AgreementReader
from pbem.protocol.record.kinds.agreed import agreed
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Line
from pbem.protocol.record.takeover import ask_again

SHOWS: Final = frozenset({"drew", "asked", "given", "found", "searching", "shot", "volley", "robbed"})
"""Events by which somebody learnt something that no view held before."""


def _fault(ledger: Ledger, terms: JsonObject) -> str:
    return rewind_fault(ledger, terms["to"])


def rewind_fault(ledger: Ledger, to: JsonObject) -> str:
    """Why the match cannot go back to this record; empty if it can."""
    target = ledger.line_at(to["seq"])
    if target is None or b64(target.hash) != to["line"] or "steps" not in target.body:
        return sentence("record {seq} of this file has no result to go back to", seq=to["seq"])
    barred = set(ledger.index.bars)
    for line in ledger.lines[target.seq + 1 :]:
        if line.seq in barred:
            return sentence("record {seq} ({kind}) lies between", seq=line.seq, kind=term(line.kind))
        for step in line.body.get("steps", ()):
            if step["chance"] or any(event["event"] in SHOWS for event in step["events"]):
                return sentence("record {seq} showed something that cannot be un-seen", seq=line.seq)
    return ""


def _by_all(_: Ledger, __: JsonObject) -> bool:
    return True


def _take(ledger: Ledger, line: Line) -> None:
    target = ledger.line_at(line.body["what"]["to"]["seq"])
    if target is None or "public" not in target.body:
        return
    ledger.shown, ledger.result, ledger.asks = target, line, "due" in target.body
    running = ledger.running
    if running is not None:
        back = {record.seq for record in running.results if record.seq > target.seq}
        ledger.epochs[running.number] = replace(running, taken_back=running.taken_back | back)
    ask_again(ledger, line)


def _says(terms: JsonObject, _: AgreementReader) -> Sentence:
    return sentence("Go back to record {number} of the match file", number=terms["to"]["seq"])


REWIND: Final = agreed(
    "rewind", Agreement("all", _says, _fault, _by_all, awaited=True), _take, asks=True, goes_back=True
)
