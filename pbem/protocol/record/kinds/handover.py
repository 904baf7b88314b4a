"""The match goes to another host: the last record that the host before signs (schemas/README.md §10.11).

Every record behind it has the new host's signature. It brings them, sealed, what they need to go on: the seeds of the
epochs that are laid and not closed, the keys of what players sealed to the host before, and their addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from pbem.base.errors import PbemError, RefusedError
from pbem.base.sentences import Sentence, sentence
from pbem.base.values import replace
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import Identity, check_seal_key, check_sign_key
from pbem.protocol.formats.envelopes import handed_length, make_file, seal_contact, seal_handed, verify_file
from pbem.protocol.record.agreement import check_consents, take_consents
from pbem.protocol.record.kind import Agreement, AgreementReader, Kind, RulingContext, never
from pbem.protocol.record.kinds.object import named_fault
from pbem.protocol.record.ledger import Epoch, Ledger, SealedPart
from pbem.protocol.record.line import Fault, Line, differs, everybody


def _says(_: JsonObject, __: AgreementReader) -> Sentence:
    return sentence("Another host takes the match, and plays")


AGREED: Final = Agreement("all", _says, named_fault, never, by_host=True)
"""That a host who plays takes the match."""


def offer_body(game: bytes, host: JsonObject) -> JsonObject:
    """What a new host signs, as a file of kind ``handover``: this match, the keys, where files go."""
    return {"game": b64(game), **host}


def offer(
    game: bytes, host: Identity, *, seat: str = "", mail: str = "", api: str = "", page: bool = False
) -> JsonObject:
    """A new host's signed offer to take the match ``game``; what is empty is left out.

    Args:
        game: the name of record 0.
        host: their identity as a host.
        seat: the seat that they play there.
        mail: where they take files by email.
        api: where they take files by HTTP.
        page: whether they serve a page to play in.
    """
    keys = {"sign": b64(host.sign_public), "seal": b64(host.seal_public)}
    facts: JsonObject = {"seat": seat, "mail": mail, "door": api, "page": page}
    more = {name: value for name, value in facts.items() if value}
    return make_file(HANDOVER.name, offer_body(game, {**keys, **more}), host.sign_key, host.sign_public)


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


def accept_fault(ledger: Ledger, host: JsonObject, accept: str) -> str:
    """Why the new host has not signed that they take this match, in words; empty if they have."""
    file = {"body": offer_body(ledger.game, host), "sig": {"key": host["sign"], "value": accept}}
    try:
        verify_file(HANDOVER.name, file, unb64(host["sign"], 32))
    except PbemError as error:
        return sentence("the new host has not signed to take over this match: {error}", error=error)
    return ""


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
    retiring, terms = ledger.retiring, agreement(ledger)
    if retiring is None or line.body["proposal"] != retiring.line.seq:
        yield line.fault(2, "proposal", "nobody gives this match to another host now")
        return
    reason = handing_fault(ledger, line.at)
    if reason:
        yield line.fault(4, "hold", reason)
    if line.body.get("what") != terms:
        yield line.fault(2, "consent", "what was agreed to is not what this record does")
    elif terms is not None:
        yield from check_consents(ledger, line, AGREED)
    expected = handed_length(
        (epoch.number for epoch in handed_epochs(ledger)),
        ((part.seat, part.n, part.part) for part in handed_parts(ledger)),
    )
    if len(unb64(line.body["ct"])) != expected:
        actual = len(unb64(line.body["ct"]))
        yield line.fault(2, "handed", differs(sentence("bytes handed over"), expected, actual))
    for seat in line.body["contacts"]:
        if seat not in ledger.seats:
            yield line.fault(2, "no-seat", "there is no seat {seat}", seat=seat)


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
    "handover", _check, _take, audience=everybody, text="handover", counted=False, agreement=AGREED
)


def hand_over(
    context: RulingContext,
    contacts: Mapping[Seat, str],
    consents_to: Callable[[JsonObject], Sequence[JsonObject]],
) -> None:
    """The last record of this host: the match goes to the one to whom it is being given.

    Args:
        context: the ruling.
        contacts: the mail address of each seat that has one.
        consents_to: those of each seat to this, if the new host plays.

    Raises:
        RefusedError: it cannot yet; the sentence says why.
    """
    ledger, read = context.ledger, context.openings
    reason, retiring = handing_fault(ledger, context.at), ledger.retiring
    if reason or retiring is None:
        raise RefusedError(reason)
    terms = agreement(ledger)
    agreed = {} if terms is None else {"what": terms, "consents": list(consents_to(terms))}
    seal = unb64(retiring.line.body["host"]["seal"], 32)
    seeds = {str(epoch.number): b64(read.seed(epoch.number)) for epoch in handed_epochs(ledger)}
    parts = [read.handed(part) for part in handed_parts(ledger)]
    members: JsonObject = {
        "proposal": retiring.line.seq,
        "ct": seal_handed(ledger.game, ledger.head.seq + 1, seal, seeds, parts),
        "contacts": {seat: seal_contact(ledger.game, seat, seal, mail) for seat, mail in contacts.items()},
    }
    context.add(HANDOVER.name, {**members, **agreed})
