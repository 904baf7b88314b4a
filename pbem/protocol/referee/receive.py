"""Ruling on one file of a player: its form, what everybody can see of it, then what the host alone can add.

Form is size, strict JSON and schema. What everybody can see is ``pbem.protocol.record.judge``. Here the file becomes
a record, or the host's signed ``reject`` (schemas/README.md §9).
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.base.errors import FormatError
from pbem.base.values import replace
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import Message, build_reject, read_message
from pbem.protocol.record import Record
from pbem.protocol.record.check_messages import NothingNew, Refusal, has_seen
from pbem.protocol.record.judge import Again, Stranger, judge
from pbem.protocol.record.kinds import FILES
from pbem.protocol.record.kinds.join import JOIN
from pbem.protocol.record.line import proves
from pbem.protocol.referee.draft import Draft
from pbem.protocol.referee.ruling import (
    Departed,
    Held,
    Ignored,
    Quarantined,
    Refused,
    Repeated,
    Ruling,
    Unchanged,
    Unreadable,
)


def receive(
    record: Record, host: Identity, raw: bytes, at: str, consents: Sequence[JsonObject] = ()
) -> Ruling:
    """Rule on the bytes of one file.

    Args:
        record: the match, loaded with the host's openings; it is not changed.
        host: the host's identity.
        raw: the file as it came.
        at: the time now, as records write it.
        consents: consent files kept from before (see ``Held``).

    Returns:
        What to append and answer. The caller commits ``Accepted.lines`` before anything is sent.
    """
    try:
        message = read_message(raw)
    except FormatError as error:
        return Refused("malformed", str(error))
    return rule_message(record, host, message, at, consents)


def rule_message(
    record: Record, host: Identity, message: Message, at: str, consents: Sequence[JsonObject] = ()
) -> Ruling:
    """The same for a message whose form is known to be good."""
    record = record.as_of(max(at, record.head.at))
    departed = departed_from(record, message)
    if departed is not None:
        return departed
    try:
        judged = judge(record, message)
        if isinstance(judged, Stranger):
            return Ignored(judged.reason, taken=judged.taken)
        if isinstance(judged, Again):
            return Repeated(judged.line, Seat(message.seat))
        if isinstance(judged, NothingNew):
            idle = Unchanged(judged.line, Seat(message.seat), judged.sentence)
            return _heard(record, host, message, at, idle)
        ruling = _ruled(record, host, message, at, consents)
    except Refusal as refusal:
        ruling = refused(record, host, message, at, refusal)
    except Unreadable as fault:
        ruling = _put_aside(message, fault)
    return _heard(record, host, message, at, ruling)


def _ruled(
    record: Record, host: Identity, message: Message, at: str, consents: Sequence[JsonObject]
) -> Ruling:
    seat, draft = Seat(message.seat), Draft(record, host, at)
    awaits = FILES[message.kind].rule(draft, message, consents)
    return draft.accepted(seat) if awaits is None else Held(seat, awaits.what, awaits.missing)


def _put_aside(message: Message, fault: Unreadable) -> Quarantined:
    text = f"{message.kind} {message.n} of {message.seat} ({b64(message.hash)}): {fault}"
    return Quarantined(Seat(message.seat), text)


def _heard(record: Record, host: Identity, message: Message, at: str, ruling: Ruling) -> Ruling:
    """A file that no record holds is a word of its seat too: it withdraws what was proposed about the seat.

    A join proves nothing about who sits there now, and an old file that is in the record already can come from anybody.
    """
    proposal = record.ledger.proposals.get(Seat(message.seat))
    if (
        proposal is None
        or message.kind == JOIN.name
        or not isinstance(ruling, (Refused, Held, Quarantined, Unchanged))
    ):
        return ruling
    draft = Draft(record, host, at)
    try:
        draft.add("withdraw", {"proposal": proposal.line.seq})
    except Unreadable as fault:
        return _put_aside(message, fault)
    return replace(ruling, withdrawn=draft.accepted())


def departed_from(record: Record, message: Message) -> Departed | None:
    """Whether the message has seen what its host signed and this record does not hold (schemas/README.md §6).

    Whoever sent it, this proves that the record is not the newest one: what is signed now would be a second history.
    """
    seen = message.body.get("seen")
    if message.game != record.game or message.seat not in record.seats or seen is None:
        return None
    if has_seen(record.ledger, seen) or not _signed_by_host(record, seen):
        return None
    return Departed(Seat(message.seat), seen, forked=message.seen_seq <= record.head.seq)


def _signed_by_host(record: Record, seen: JsonObject) -> bool:
    """Whether the host signed what a file has seen, or the one to whom this match was being given."""
    hosts = [record.ledger.host]
    if record.ledger.retiring is not None:
        hosts.append(record.ledger.retiring.line.body["host"])
    return any(proves(record.game, unb64(host["sign"], 32), seen) for host in hosts)


def refused(record: Record, host: Identity, message: Message, at: str, refusal: Refusal) -> Refused:
    """The refusal with the host's signed ``reject`` (schemas/README.md §9): rows only for a fault in an open action."""
    reject = build_reject(
        host,
        message,
        code=refusal.code,
        head=record.head.reference,
        at=max(at, record.head.at),
        action=refusal.action,
        rules=refusal.rules if refusal.action is not None else None,
    )
    return Refused(
        refusal.code,
        str(refusal),
        Seat(message.seat),
        refusal.rules,
        refusal.action,
        reject,
        sealed=refusal.sealed,
    )
