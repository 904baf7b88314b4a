"""The match goes to another host: the last record that the host before signs (schemas/README.md §10.11).

Every record behind it has the new host's signature. It brings him, sealed, what he needs to go on: the seeds of the
epochs that are laid and not closed, the keys of what players sealed to the host before, and their addresses.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pbem.base.sentences import sentence
from pbem.base.values import replace
from pbem.game import JsonObject
from pbem.protocol.crypto.digest import fingerprint, unb64
from pbem.protocol.formats.envelopes import handed_length
from pbem.protocol.record.agreement import check_consents, never, take_consents
from pbem.protocol.record.kind import Agreement, Kind, everybody
from pbem.protocol.record.kinds.retire import host_fault, named_fault
from pbem.protocol.record.ledger import Epoch, Ledger, SealedPart
from pbem.protocol.record.line import Fault, Line

AGREED: Final = Agreement("all", named_fault, never)
"""That a host who plays takes the match."""


def handing_fault(ledger: Ledger, at: str) -> str:
    """Why the match does not go to the host to whom it is being given at this time, in words; empty if it does."""
    retiring = ledger.retiring
    if retiring is None:
        return sentence("nobody gives this match to another host now")
    if ledger.paused is not None:
        return sentence("the match is paused")
    if at < retiring.until:
        return sentence(
            "what record {seq} says is held until {until}", seq=retiring.line.seq, until=retiring.until
        )
    host = retiring.line.body["host"]
    newest, seat = ledger.newest, host.get("seat")
    if newest is not None and newest.opened is None and not newest.burned and seat in newest.missing:
        return sentence(
            "{seat} must send a part of the shuffle for deal {number} before seeing what is committed there",
            seat=seat,
            number=newest.number,
        )
    return host_fault(ledger, host)


def agreement(ledger: Ledger) -> JsonObject | None:
    """To what all seats must agree before the match goes to a host who plays; None if nobody must."""
    retiring = ledger.retiring
    if retiring is None or "seat" not in retiring.line.body["host"]:
        return None
    return {"kind": "handover", "to": retiring.line.reference}


def handed_epochs(ledger: Ledger) -> list[Epoch]:
    """The epochs whose seeds go with the match: laid, neither closed nor burned, rising."""
    return [
        epoch for number, epoch in sorted(ledger.epochs.items()) if epoch.closed is None and not epoch.burned
    ]


def handed_parts(ledger: Ledger) -> list[SealedPart]:
    """The parts whose keys go with the match: sealed to a host and not opened yet, by seat, number and name."""
    return sorted(ledger.unopened.values(), key=lambda part: (part.seat, part.n, part.part))


def _check(ledger: Ledger, line: Line) -> Iterator[Fault]:
    retiring, what = ledger.retiring, agreement(ledger)
    if retiring is None or line.body["proposal"] != retiring.line.seq:
        yield Fault(line.seq, 2, "proposal", f"record {line.body['proposal']} gives the match to nobody now")
        return
    reason = handing_fault(ledger, line.at)
    if reason:
        yield Fault(line.seq, 4, "hold", reason)
    if line.body.get("what") != what:
        yield Fault(line.seq, 2, "consent", "all seats agree to a host who plays, and to no other")
    elif what is not None:
        yield from check_consents(ledger, line, AGREED)
    expected = handed_length(
        (epoch.number for epoch in handed_epochs(ledger)),
        ((part.seat, part.n, part.part) for part in handed_parts(ledger)),
    )
    if len(unb64(line.body["ct"])) != expected:
        found = len(unb64(line.body["ct"]))
        yield Fault(line.seq, 2, "handed", f"its ct has {found} bytes; what must be in it gives {expected}")
    for seat in line.body["contacts"]:
        if seat not in ledger.seats:
            yield Fault(line.seq, 2, "no-seat", f"there is no seat {seat}")


def _take(ledger: Ledger, line: Line) -> None:
    retiring = ledger.retiring
    if retiring is None or line.body["proposal"] != retiring.line.seq:
        return  # a fault; nobody else hosts
    take_consents(ledger, line)
    ledger.retiring = None
    ledger.hosts = (*ledger.hosts, line)
    for seat, player in ledger.players.items():
        ledger.players[seat] = replace(player, contact=line.body["contacts"].get(seat))


HANDOVER: Final = Kind(
    "handover", _check, _take, audience=everybody, text="handover", counted=False, what=AGREED
)


def gone_from(ledger: Ledger, sign: bytes) -> str:
    """Where the match is now, in words, if it has gone from the host with this key to another; empty if it has not."""
    if not ledger.hosts or sign == ledger.host_sign:
        return ""
    host = ledger.host
    return sentence(
        "since record {seq} another host has this match, {key}: {where}",
        seq=ledger.hosts[-1].seq,
        key=fingerprint(ledger.host_sign),
        where=", ".join(host[name] for name in ("door", "mail") if name in host)
        or sentence("ask the one who had it before for the address"),
    )


# --- files that were under way ------------------------------------------------------------------------------


def sealed_to_another(ledger: Ledger, body: JsonObject) -> str:
    """Why what this file seals is for no host of now, in words; empty if it is, or seals nothing."""
    if not ledger.hosts or not ("sealed" in body or "orders" in body):
        return ""
    newest = ledger.hosts[-1]
    if body["seen"]["seq"] >= newest.seq:
        return ""
    return sentence(
        "{seat} had not seen record {seq}, since which another host has the match, and sealed to the one before; "
        "sign a new file",
        seat=body["seat"],
        seq=newest.seq,
    )
