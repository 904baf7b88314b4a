"""A pause: nothing is due until it ends (schemas/README.md §10.6)."""

from __future__ import annotations

from typing import Final

from pbem.base.sentences import Sentence, sentence
from pbem.game import JsonObject
from pbem.protocol.record.kind import Agreement, AgreementReader, never
from pbem.protocol.record.kinds.agreed import agreed
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Line


def _fault(ledger: Ledger, _: JsonObject) -> str:
    return sentence("the match is paused already") if ledger.paused is not None else ""


def _take(ledger: Ledger, line: Line) -> None:
    ledger.paused = line


def _says(terms: JsonObject, reader: AgreementReader) -> Sentence:
    if "until" in terms:
        return sentence("Pause the match until {until}", until=reader.moment(terms["until"]))
    return sentence("Pause the match")


PAUSE: Final = agreed("pause", Agreement("all", _says, _fault, never), _take, halts=True)
