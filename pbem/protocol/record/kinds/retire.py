"""A host gives the match to another host's identity: announced to all, held, then done (schemas/README.md §10.11).

The new host has signed that they take it. Any seat that objects while it is held stops it; if the new host plays, all
seats must agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.base.errors import RefusedError
from pbem.base.sentences import sentence
from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64
from pbem.protocol.record.kind import Kind, RulingContext
from pbem.protocol.record.kinds.handover import accept_fault, host_fault
from pbem.protocol.record.ledger import Ledger, Proposal
from pbem.protocol.record.line import Fault, Line, differs, everybody
from pbem.protocol.record.takeover import hold_until


def retire_fault(ledger: Ledger, host: JsonObject) -> str:
    """Why the match cannot be given to this host now, in words; empty if it can."""
    if not ledger.complete:
        return sentence("not everybody has joined yet")
    if ledger.ended is not None:
        return sentence("the match has ended")
    if ledger.retiring is not None:
        return sentence("record {seq} gives it to another host already", seq=ledger.retiring.line.seq)
    return host_fault(ledger, host)


def held_until(ledger: Ledger, at: str) -> str:
    """Until when a hand-over made at ``at`` is held: no seat has less time to object than for a takeover of its own."""
    return max(hold_until(ledger, seat, at) for seat in ledger.seats)


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    host = line.body["host"]
    for reason in filter(None, (retire_fault(ledger, host), accept_fault(ledger, host, line.body["accept"]))):
        yield line.fault(2, "retire", reason)
    if ledger.complete and line.body["until"] != held_until(ledger, line.at):
        words = differs(sentence("held until"), held_until(ledger, line.at), line.body["until"])
        yield line.fault(4, "hold", words)


def _take(ledger: Ledger, line: Line) -> None:
    ledger.retiring = Proposal(line, line.body["until"])


def retire(context: RulingContext, offered: JsonObject) -> None:
    """Notify all seats that the match goes to the host who signed this offer; ``RefusedError`` says why it cannot."""
    body = dict(offered["body"])
    if body.pop("game", None) != b64(context.ledger.game):
        raise RefusedError(sentence("this offer is for another match"))
    accept = offered["sig"]["value"]
    reason = retire_fault(context.ledger, body) or accept_fault(context.ledger, body, accept)
    if reason:
        raise RefusedError(reason)
    until = held_until(context.ledger, context.at)
    context.add(RETIRE.name, {"host": body, "accept": accept, "until": until})


RETIRE: Final = Kind("retire", _check, _take, audience=everybody, text="retire")
