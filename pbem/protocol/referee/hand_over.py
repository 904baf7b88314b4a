"""How a match goes from one host to another (schemas/README.md §10.11).

The new host signs an offer; the old one tells it to all, and after the hold signs his last record, which brings the
new one what he needs. From then on only the new one signs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.base.errors import RefusedError
from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import make_file, seal_contact, seal_handed
from pbem.protocol.record import Record
from pbem.protocol.record.kinds.handover import (
    HANDOVER,
    agreement,
    handed_epochs,
    handed_parts,
    handing_fault,
)
from pbem.protocol.record.kinds.retire import RETIRE, accept_fault, held_until, offer_body, retire_fault
from pbem.protocol.record.kinds.withdraw import WITHDRAW
from pbem.protocol.referee.draft import Draft
from pbem.protocol.referee.host_acts import consenting
from pbem.protocol.referee.ruling import Accepted


def offer(
    game: bytes, host: Identity, *, seat: str = "", mail: str = "", api: str = "", page: bool = False
) -> JsonObject:
    """A new host's signed word that he takes the match ``game``; what is empty is left out.

    Args:
        game: the name of record 0.
        host: his identity as a host.
        seat: the seat that he plays there.
        mail: where he takes files by email.
        api: where he takes files by HTTP.
        page: whether he serves a page to play in.
    """
    keys = {"sign": b64(host.sign_public), "seal": b64(host.seal_public)}
    told: JsonObject = {"seat": seat, "mail": mail, "door": api, "page": page}
    more = {name: value for name, value in told.items() if value}
    return make_file("handover", offer_body(game, {**keys, **more}), host.sign_key, host.sign_public)


def retire(record: Record, host: Identity, offered: JsonObject, at: str) -> Accepted:
    """Tell all seats that the match goes to the host who signed this offer.

    Raises:
        RefusedError: it cannot; the sentence says why.
    """
    draft = Draft(record, host, at)
    body = dict(offered["body"])
    if body.pop("game", None) != b64(draft.ledger.game):
        raise RefusedError(sentence("this offer is for another match"))
    accept = offered["sig"]["value"]
    reason = retire_fault(draft.ledger, body) or accept_fault(draft.ledger, body, accept)
    if reason:
        raise RefusedError(reason)
    draft.add(RETIRE.name, {"host": body, "accept": accept, "until": held_until(draft.ledger, draft.at)})
    return draft.accepted()


def stay(record: Record, host: Identity, at: str) -> Accepted:
    """Take back that the match goes to another host, while that is held.

    Raises:
        RefusedError: it goes to nobody.
    """
    draft = Draft(record, host, at)
    retiring = draft.ledger.retiring
    if retiring is None:
        raise RefusedError(sentence("nobody gives this match to another host now"))
    draft.add(WITHDRAW.name, {"proposal": retiring.line.seq})
    return draft.accepted()


def hand_over(
    record: Record, host: Identity, contacts: Mapping[Seat, str], consents: Sequence[JsonObject], at: str
) -> Accepted:
    """The last record of this host: the match goes to the one to whom it is being given.

    Args:
        record: the match.
        host: the host who gives it.
        contacts: the mail address of each seat that has one.
        consents: those that were kept; a host who plays needs one of each seat.
        at: the time now.

    Raises:
        RefusedError: it cannot yet; the sentence says why.
    """
    draft = Draft(record, host, at)
    ledger = draft.ledger
    reason, retiring = handing_fault(ledger, draft.at), ledger.retiring
    if reason or retiring is None:
        raise RefusedError(reason)
    what = agreement(ledger)
    agreed = {} if what is None else {"what": what, "consents": consenting(draft.record, what, consents)}
    seal = unb64(retiring.line.body["host"]["seal"], 32)
    seeds = {str(epoch.number): b64(draft.openings.seed(epoch.number)) for epoch in handed_epochs(ledger)}
    parts = [draft.openings.handed(part) for part in handed_parts(ledger)]
    members = {
        "proposal": retiring.line.seq,
        "ct": seal_handed(ledger.game, ledger.head.seq + 1, seal, seeds, parts),
        "contacts": {seat: seal_contact(ledger.game, seat, seal, mail) for seat, mail in contacts.items()},
    }
    draft.add(HANDOVER.name, {**members, **agreed})
    return draft.accepted()
