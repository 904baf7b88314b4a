"""Ruling on one file of a player: its form, what everybody can see of it, then what the host alone can add.

Form is size, strict JSON and schema. What everybody can see is ``pbem.protocol.record.judge``. Here the file becomes
a record, or the host's signed ``reject`` (schemas/README.md §9).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pbem.base.errors import FormatError
from pbem.base.values import replace
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import Message, build_reject, message_of, read_message
from pbem.protocol.record import Record
from pbem.protocol.record.check_consents import must_agree
from pbem.protocol.record.check_messages import has_seen
from pbem.protocol.record.judge import Again, NothingNew, Refusal, Stranger, judge, stranger
from pbem.protocol.record.line import proves
from pbem.protocol.record.takeover import hold_until, needs_proposal, unseen_word
from pbem.protocol.referee.draft import Draft
from pbem.protocol.referee.names import look_alike
from pbem.protocol.referee.ruling import (
    Departed,
    Held,
    Ignored,
    PutAside,
    Refused,
    Repeated,
    Ruling,
    Unchanged,
    Unreadable,
)
from pbem.protocol.referee.turn import rule_turn


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
        ruling: Ruling = _RULINGS[message.kind](record, host, message, at, consents)
    except Refusal as refusal:
        ruling = refused(record, host, message, at, refusal)
    except Unreadable as fault:
        ruling = _put_aside(message, fault)
    return _heard(record, host, message, at, ruling)


def _put_aside(message: Message, fault: Unreadable) -> PutAside:
    told = f"{message.kind} {message.n} of {message.seat} ({b64(message.hash)}): {fault}"
    return PutAside(Seat(message.seat), told)


def _heard(record: Record, host: Identity, message: Message, at: str, ruling: Ruling) -> Ruling:
    """A file that no record holds is a word of its seat too: it withdraws what was proposed about the seat.

    A join proves nothing about who sits there now, and an old file that is in the record already can come from anybody.
    """
    proposal = record.ledger.proposals.get(Seat(message.seat))
    if (
        proposal is None
        or message.kind == "join"
        or not isinstance(ruling, (Refused, Held, PutAside, Unchanged))
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
    if has_seen(record.ledger, seen) or not proves(record.game, record.ledger.host_sign, seen):
        return None
    return Departed(Seat(message.seat), seen, forked=message.seen_seq <= record.head.seq)


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


# --- each kind --------------------------------------------------------------------------------------------


def _rule_join(record: Record, host: Identity, message: Message, at: str, _: Sequence[JsonObject]) -> Ruling:
    reason = look_alike(record, message.body["name"], message.seat) if message.kind == "join" else ""
    if reason:
        raise Refusal("malformed", reason)
    draft = Draft(record, host, at)
    draft.add(message.kind, {"msg": message.file})
    draft.go_on()
    return draft.accepted(Seat(message.seat))


def _rule_turn(record: Record, host: Identity, message: Message, at: str, _: Sequence[JsonObject]) -> Ruling:
    return rule_turn(record, host, message, at)


def _rule_rekey(record: Record, host: Identity, message: Message, at: str, _: Sequence[JsonObject]) -> Ruling:
    draft = Draft(record, host, at)
    members = draft.whole_packet(Seat(message.seat), unb64(message.body["seal"], 32))
    draft.add("rekey", {"msg": message.file, **members})
    return draft.accepted(Seat(message.seat))


def _rule_consent(
    record: Record, host: Identity, message: Message, at: str, consents: Sequence[JsonObject]
) -> Ruling:
    what = message.body["what"]
    given = {message.seat: message.file}
    for file in consents:
        if file["body"]["what"] == what and not _unusable(record, message_of(file), what):
            given.setdefault(file["body"]["seat"], file)
    need = must_agree(record.ledger, what)
    missing = tuple(seat for seat in need if seat not in given)
    if missing or (what["kind"] == "substitute" and not needs_proposal(record.ledger, what)):
        return Held(Seat(message.seat), what, missing)
    files = [given[seat] for seat in sorted(given) if seat in need]
    draft = Draft(record, host, at)
    record_consented(draft, what, files)
    return draft.accepted(Seat(message.seat))


def _unusable(record: Record, message: Message, what: JsonObject) -> bool:
    player = record.ledger.players.get(Seat(message.seat))
    if player is None or message.n <= player.n:
        return True
    if needs_proposal(record.ledger, what) and unseen_word(record.ledger, Seat(what["seat"]), message.body):
        return True
    return stranger(record, message) is not None


def record_consented(draft: Draft, what: JsonObject, files: Sequence[JsonObject]) -> None:
    """Write the record that everybody who must has agreed to, and what follows from it."""
    kind = what["kind"]
    members: JsonObject = {"what": what, "consents": list(files)}
    if kind == "end":
        outcome: JsonObject = {"winners": []}
        why = {"why": what["why"]} if "why" in what else {}
        draft.end({"outcome": outcome, **members, **why})
        return
    if needs_proposal(draft.ledger, what):
        until = hold_until(draft.ledger, Seat(what["seat"]), draft.at)
        draft.add("propose", {**members, "until": until})
        return
    draft.add(kind, members)
    if kind == "resume":
        draft.go_on()


_RULINGS: dict[str, Callable[[Record, Identity, Message, str, Sequence[JsonObject]], Ruling]] = {
    "join": _rule_join,
    "ready": _rule_join,
    "turn": _rule_turn,
    "rekey": _rule_rekey,
    "consent": _rule_consent,
}
