"""A host gives the match to another host's identity: told to all, held, then done (schemas/README.md §10.11).

The new host has signed that he takes it. Any seat that objects while it is held stops it; if the new host plays, all
seats must agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.base.errors import PbemError
from pbem.base.sentences import sentence
from pbem.game import JsonObject
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import check_sign_key
from pbem.protocol.crypto.sealing import check_seal_key
from pbem.protocol.formats.envelopes import verify_file
from pbem.protocol.record.agreement import never
from pbem.protocol.record.kind import Agreement, Kind, everybody
from pbem.protocol.record.kinds.agreed import agreed
from pbem.protocol.record.ledger import Ledger, Proposal
from pbem.protocol.record.line import Fault, Line
from pbem.protocol.record.takeover import hold_until


def offer_body(game: bytes, host: JsonObject) -> JsonObject:
    """What a new host signs, as a file of kind ``handover``: this match, the keys, where files go."""
    return {"game": b64(game), **host}


def retire_fault(ledger: Ledger, host: JsonObject) -> str:
    """Why the match cannot be given to this host now, in words; empty if it can."""
    if not ledger.complete:
        return sentence("not everybody has joined yet")
    if ledger.ended is not None:
        return sentence("the match has ended")
    if ledger.retiring is not None:
        return sentence("record {seq} gives it to another host already", seq=ledger.retiring.line.seq)
    return host_fault(ledger, host)


def host_fault(ledger: Ledger, host: JsonObject) -> str:
    """Why these keys or this seat cannot be a host's, in words: they must be proper, and have no other use."""
    brought = unb64(host["sign"], 32), unb64(host["seal"], 32)
    try:
        check_sign_key(brought[0])
        check_seal_key(brought[1])
    except PbemError as error:
        return str(error)
    players = {key for player in ledger.players.values() for key in (player.sign, player.seal)}
    if brought[0] == brought[1] or (players | ledger.host_keys) & set(brought):
        return sentence("a key of the new host has another use in this match already")
    if "seat" in host and host["seat"] not in ledger.seats:
        return sentence("there is no seat {seat}", seat=host["seat"])
    return ""


def held_until(ledger: Ledger, at: str) -> str:
    """Until when a hand-over told at ``at`` is held: no seat has less time to object than for a takeover of its own."""
    return max(hold_until(ledger, seat, at) for seat in ledger.seats)


def accept_fault(ledger: Ledger, host: JsonObject, accept: str) -> str:
    """Why the new host has not signed that he takes this match, in words; empty if he has."""
    file = {"body": offer_body(ledger.game, host), "sig": {"key": host["sign"], "value": accept}}
    try:
        verify_file("handover", file, unb64(host["sign"], 32))
    except PbemError as error:
        return sentence("the new host has not signed to take over this match: {error}", error=error)
    return ""


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    host = line.body["host"]
    for reason in filter(None, (retire_fault(ledger, host), accept_fault(ledger, host, line.body["accept"]))):
        yield Fault(line.seq, 2, "retire", reason)
    if ledger.complete and line.body["until"] != held_until(ledger, line.at):
        words = (
            f"held until {line.body['until']}; the deadlines of this match give {held_until(ledger, line.at)}"
        )
        yield Fault(line.seq, 4, "hold", words)


def _take(ledger: Ledger, line: Line) -> None:
    ledger.retiring = Proposal(line, line.body["until"])


RETIRE: Final = Kind("retire", _check, _take, audience=everybody, text="retire")


# --- what the seats say of it -------------------------------------------------------------------------------


def named_fault(ledger: Ledger, what: JsonObject) -> str:
    """Why this word is about no hand-over that is held now; empty if it is."""
    if ledger.retiring is None:
        return sentence("nobody gives this match to another host now")
    if ledger.retiring.line.reference != what["to"]:
        return sentence("it is about another record than {seq}", seq=ledger.retiring.line.seq)
    return ""


def _stopped(ledger: Ledger, _: Line) -> None:
    ledger.retiring = None


OBJECT: Final = agreed("object", Agreement("seat", named_fault, never), _stopped)
"""A seat's no."""
