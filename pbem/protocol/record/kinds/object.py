"""A seat objects to a hand-over: the match stays with its host (schemas/README.md §10.11)."""

from __future__ import annotations

from typing import Final

from pbem.base.sentences import Sentence, sentence
from pbem.game import JsonObject
from pbem.protocol.record.kind import Agreement, AgreementReader, never
from pbem.protocol.record.kinds.agreed import agreed
from pbem.protocol.record.ledger import Ledger
from pbem.protocol.record.line import Line


def named_fault(ledger: Ledger, terms: JsonObject) -> str:
    """Why these terms name no hand-over that is held now; empty if they do."""
    if ledger.retiring is None:
        return sentence("nobody gives this match to another host now")
    if ledger.retiring.line.reference != terms["to"]:
        return sentence("it is about another record than {seq}", seq=ledger.retiring.line.seq)
    return ""


def _stopped(ledger: Ledger, _: Line) -> None:
    ledger.retiring = None


def _says(_: JsonObject, __: AgreementReader) -> Sentence:
    return sentence("The match stays with its host")


OBJECT: Final = agreed("object", Agreement("seat", _says, named_fault, never), _stopped)
