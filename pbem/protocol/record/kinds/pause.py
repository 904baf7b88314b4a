"""A pause: nothing is due until it ends. In it a newer one sets another end, or ends it (schemas/README.md §10.6)."""

from __future__ import annotations

from typing import Final

from pbem.base.sentences import Sentence, sentence
from pbem.game import JsonObject
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.record.kind import Agreement, AgreementReader
from pbem.protocol.record.kinds.agreed import agreed
from pbem.protocol.record.ledger import Ledger, Pause
from pbem.protocol.record.line import Line
from pbem.protocol.record.takeover import end_pause

LONGEST: Final = 24 * 60
"""Hours from its own record: nothing holds a match for ever."""
USUAL: Final = 24 * 14
"""Hours of a pause for which nobody has named an end."""


def _fault(ledger: Ledger, terms: JsonObject) -> str:
    return _untimely(ledger, terms, ledger.head.at) if terms["until"] <= ledger.head.at else ""


def _untimely(ledger: Ledger, terms: JsonObject, at: str) -> str:
    if terms["until"] > plus_hours(at, LONGEST):
        return sentence("a pause lasts for at most {LONGEST_PAUSE} hours (60 days)", LONGEST_PAUSE=LONGEST)
    if ledger.paused is None and terms["until"] <= at:
        return sentence("the match is not paused, and this pause would be over already")
    return ""


def _by_all(ledger: Ledger, _: JsonObject) -> bool:
    """What genesis lets one of them begin, nobody but all makes longer or shorter."""
    return ledger.paused is not None


def _take(ledger: Ledger, line: Line) -> None:
    until, since = line.body["what"]["until"], ledger.paused.since if ledger.paused else line.at
    if until > line.at:
        ledger.paused = Pause(since, until, line.seq)
    elif ledger.paused is not None:
        end_pause(ledger, since, line.at)


def _says(terms: JsonObject, reader: AgreementReader) -> Sentence:
    if reader.passed(terms["until"]):
        return sentence("Go on with the match")
    return sentence("Pause the match until {until}", until=reader.moment(terms["until"]))


AGREED: Final = Agreement("all", _says, _fault, _by_all, untimely=_untimely)
PAUSE: Final = agreed("pause", AGREED, _take, asks=True, halts=True)
