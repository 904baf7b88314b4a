"""The end of a pause (schemas/README.md §10.6)."""

from __future__ import annotations

from typing import Final

from pbem.base.sentences import Sentence, sentence
from pbem.game import JsonObject
from pbem.protocol.record.kind import Agreement, AgreementReader, never
from pbem.protocol.record.kinds.agreed import agreed
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Line
from pbem.protocol.record.takeover import move_holds, moved


def _fault(ledger: Ledger, _: JsonObject) -> str:
    return sentence("the match is not paused") if ledger.paused is None else ""


def _take(ledger: Ledger, line: Line) -> None:
    if ledger.paused is not None:
        ledger.due = moved(ledger, ledger.due, ledger.paused.at, line.at)
        move_holds(ledger, ledger.paused.at, line.at)
    ledger.paused = None


def _says(_: JsonObject, __: AgreementReader) -> Sentence:
    return sentence("Go on with the match")


RESUME: Final = agreed("resume", Agreement("all", _says, _fault, never), _take, asks=True)
