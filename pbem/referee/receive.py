"""Ruling on one file of a player (protocol §4.1, §4.3, §4.4).

In this order:

1. its form: size, strict JSON, schema;
2. whose it is: this match, a seat, that seat's signature (anything else is ignored, never answered);
3. its number: the same file again gets the earlier receipt, a lower or equal number is stale;
4. what it had seen: a record of this branch;
5. what it is: join, ready, turn, rekey, consent.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pbem.crypto.digest import b64, unb64
from pbem.crypto.identity import Identity
from pbem.errors import FormatError, PbemError, VerificationError
from pbem.formats.messages import Message, build_reject, check_keys, message_of, read_message
from pbem.formats.signed import verify_file
from pbem.game import JsonObject, Seat
from pbem.record import Record
from pbem.record.check_consents import must_agree, takeover_fault, what_fault
from pbem.record.check_messages import link_fault, signing_key
from pbem.referee.draft import Draft
from pbem.referee.ruling import Accepted, Held, Ignored, Refusal, Refused, Repeated, Ruling
from pbem.referee.turn import rule_turn
from pbem.sentences import sentence


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
    stranger = _stranger(record, message)
    if stranger:
        return Ignored(stranger)
    earlier = record.earlier_line(message.hash)
    if earlier is not None:
        return Repeated(earlier, Seat(message.seat))
    try:
        _check_turn_of_events(record, message)
        return _RULINGS[message.kind](record, host, message, at, consents)
    except Refusal as refusal:
        return refused(record, host, message, at, refusal)


def refused(record: Record, host: Identity, message: Message, at: str, refusal: Refusal) -> Refused:
    """The refusal with the host's signed ``reject`` (§4.4): rows only for a fault in an open action."""
    reject = build_reject(
        host,
        message,
        code=refusal.code,
        head=(record.head.seq, record.head.hash),
        at=max(at, record.head.at),
        action=refusal.action,
        rules=refusal.rules if refusal.action is not None else None,
    )
    return Refused(refusal.code, str(refusal), Seat(message.seat), refusal.rules, refusal.action, reject)


# --- who it is --------------------------------------------------------------------------------------------


def _stranger(record: Record, message: Message) -> str:
    """Why this is nobody's file for this match; empty if it is somebody's."""
    if message.kind == "reject":
        return "a reject is the host's own word, not a player's file"
    if message.game != record.game:
        return f"a {message.kind} for another match ({b64(message.game)})"
    if message.seat not in record.seats:
        return f"a {message.kind} for seat {message.seat}, which this match does not have"
    player = record.ledger.players.get(Seat(message.seat))
    if message.kind == "join":
        key = _own_key(message)
    elif player is None:
        return f"a {message.kind} of {message.seat}, who has not joined"
    else:
        key = signing_key(player, message.kind, message.file)
    try:
        verify_file(message.kind, message.file, key)
    except (VerificationError, FormatError) as error:
        return f"the signature on the {message.kind} of {message.seat}: {error}"
    return ""


def _own_key(message: Message) -> bytes:
    return unb64(message.body["sign"], 32)


def _check_turn_of_events(record: Record, message: Message) -> None:
    seat = Seat(message.seat)
    player = record.ledger.players.get(seat)
    if message.kind != "join" and player is not None and message.n <= player.n:
        raise Refusal(
            "stale",
            sentence(
                "your file is number {n}, but number {n2} is in the record already; sign a new one",
                n=message.n,
                n2=player.n,
            ),
        )
    known = record.ledger.line_at(message.seen_seq)
    if known is None or known.hash != message.seen_line:
        raise Refusal(
            "stale",
            sentence(
                "your copy of the game file differs from the host's at record {seen_seq}; "
                "compare the two copies with 'pbem compare'",
                seen_seq=message.seen_seq,
            ),
        )
    if record.over:
        raise Refusal("match-over", sentence("the match has ended"))


# --- each kind --------------------------------------------------------------------------------------------


def _rule_join(record: Record, host: Identity, message: Message, at: str, _: Sequence[JsonObject]) -> Ruling:
    if Seat(message.seat) in record.ledger.players:
        return Ignored(f"a join for seat {message.seat}, which is taken")
    try:
        check_keys(message)
    except PbemError as error:
        raise Refusal("malformed", str(error)) from error
    if message.n != 0:
        raise Refusal("malformed", sentence("a join has number 0, found {n}", n=message.n))
    draft = Draft(record, host, at)
    draft.add("join", {"msg": message.file})
    draft.go_on()
    return Accepted(tuple(draft.lines), draft.record, Seat(message.seat))


def _rule_ready(record: Record, host: Identity, message: Message, at: str, _: Sequence[JsonObject]) -> Ruling:
    check_link(record, message)
    draft = Draft(record, host, at)
    draft.add("ready", {"msg": message.file})
    draft.go_on()
    return Accepted(tuple(draft.lines), draft.record, Seat(message.seat))


def check_link(record: Record, message: Message) -> None:
    """Refuse a link that may not be used (``bad-link``)."""
    link = message.body.get("link")
    reason = link_fault(record.ledger, Seat(message.seat), link, message.seen_seq) if link else ""
    if reason:
        raise Refusal("bad-link", reason)


def _rule_turn(record: Record, host: Identity, message: Message, at: str, _: Sequence[JsonObject]) -> Ruling:
    check_link(record, message)
    return rule_turn(record, host, message, at)


def _rule_rekey(record: Record, host: Identity, message: Message, at: str, _: Sequence[JsonObject]) -> Ruling:
    try:
        check_keys(message)
    except PbemError as error:
        raise Refusal("malformed", str(error)) from error
    _check_last_link(record, message)
    draft = Draft(record, host, at)
    members = draft.whole_packet(Seat(message.seat), unb64(message.body["seal"], 32))
    draft.add("rekey", {"msg": message.file, **members})
    draft.burn_if_due()
    return Accepted(tuple(draft.lines), draft.record, Seat(message.seat))


def _check_last_link(record: Record, message: Message) -> None:
    """A new key ends the old chain: who still has that chain gives its last link first."""
    seat = Seat(message.seat)
    if seat not in record.missing_links:
        return
    if unb64(message.file["sig"]["key"], 32) == record.ledger.players[seat].sign:
        raise Refusal(
            "link-missing", sentence("send the link of the announced epoch first (ready), then the new key")
        )
    reason = takeover_fault(record.ledger, seat)
    if reason:
        raise Refusal("illegal", reason)


def _rule_consent(
    record: Record, host: Identity, message: Message, at: str, consents: Sequence[JsonObject]
) -> Ruling:
    what = message.body["what"]
    reason = what_fault(record.ledger, what)
    if reason:
        raise Refusal("illegal", reason)
    given = {message.seat: message.file}
    for file in consents:
        if file["body"]["what"] == what and not _unusable(record, message_of(file)):
            given.setdefault(file["body"]["seat"], file)
    need = must_agree(record.ledger, what)
    missing = tuple(seat for seat in need if seat not in given)
    if missing or what["kind"] == "substitute":
        return Held(Seat(message.seat), what, missing)
    files = [given[seat] for seat in sorted(given) if seat in need]
    draft = Draft(record, host, at)
    record_consented(draft, what, files)
    return Accepted(tuple(draft.lines), draft.record, Seat(message.seat))


def _unusable(record: Record, message: Message) -> str:
    player = record.ledger.players.get(Seat(message.seat))
    if player is None or message.n <= player.n:
        return "used up"
    return _stranger(record, message)


def record_consented(draft: Draft, what: JsonObject, files: Sequence[JsonObject]) -> None:
    """Write the record that everybody who must has agreed to, and what follows from it."""
    kind = what["kind"]
    members: JsonObject = {"what": what, "consents": list(files)}
    if kind == "end":
        outcome: JsonObject = {"winners": []}
        why = {"why": what["why"]} if "why" in what else {}
        draft.end({"outcome": outcome, **members, **why})
        return
    if kind == "rekey":
        members |= draft.whole_packet(Seat(what["seat"]), unb64(what["seal"], 32))
    draft.add(kind, members)
    if kind == "resume":
        draft.go_on()
    if kind == "rekey":
        draft.burn_if_due()


_RULINGS: dict[str, Callable[[Record, Identity, Message, str, Sequence[JsonObject]], Ruling]] = {
    "join": _rule_join,
    "ready": _rule_ready,
    "turn": _rule_turn,
    "rekey": _rule_rekey,
    "consent": _rule_consent,
}
