"""All that seats can agree to, by kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pbem.game import JsonObject, Seat
from pbem.protocol.record.agreement import at_once, who_has_a_say, who_must_agree, why_not
from pbem.protocol.record.kind import Agreement
from pbem.protocol.record.kinds.absence import ABSENCE
from pbem.protocol.record.kinds.end import END
from pbem.protocol.record.kinds.pause import PAUSE
from pbem.protocol.record.kinds.rekey import REKEY
from pbem.protocol.record.kinds.resign import RESIGN
from pbem.protocol.record.kinds.rewind import REWIND
from pbem.protocol.record.kinds.substitute import SUBSTITUTE
from pbem.protocol.record.ledger import Ledger

AGREEMENTS: Final[dict[str, Agreement]] = {
    kind.name: kind.agreement
    for kind in (PAUSE, ABSENCE, RESIGN, SUBSTITUTE, REKEY, REWIND, END)
    if kind.agreement is not None
}


def must_agree(ledger: Ledger, terms: JsonObject, at: str = "") -> tuple[Seat, ...]:
    """The seats whose consent a record with these ``terms`` needs, at this time or that of the newest record."""
    return who_must_agree(ledger, terms, AGREEMENTS[terms["kind"]], at or ledger.head.at)


def have_a_say(ledger: Ledger, terms: JsonObject) -> tuple[Seat, ...]:
    """The seats of which one at least agrees to these ``terms``, though each of them may be excused."""
    return who_has_a_say(ledger, terms, AGREEMENTS[terms["kind"]])


def terms_fault(ledger: Ledger, terms: JsonObject) -> str:
    """Why nobody can agree to these ``terms`` now, in words; empty if they can."""
    return why_not(ledger, terms, AGREEMENTS.get(terms["kind"]))


def untimely(ledger: Ledger, terms: JsonObject, at: str) -> str:
    """Why no record of this time can say that these ``terms`` were agreed to, in words; empty if it can."""
    return AGREEMENTS[terms["kind"]].untimely(ledger, terms, at)


def needs_proposal(ledger: Ledger, terms: JsonObject, consents: Iterable[JsonObject] = ()) -> bool:
    """Whether this needs a proposal and its hold: what is done about a seat without the word of its recovery key."""
    agreement = AGREEMENTS.get(terms["kind"])
    proposed = agreement is not None and agreement.proposed(ledger, terms)
    return proposed and not at_once(ledger, terms, consents)
