"""What the host may record without a player's file, each refused with the reason unless it is due."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.base.errors import RefusedError
from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.digest import b64, fingerprint, unb64
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.envelopes import make_file, seal_contact, seal_handed, verify_file
from pbem.protocol.formats.messages import Message
from pbem.protocol.record import Ledger, Record
from pbem.protocol.record.check_messages import key_fault, newcomer_fault
from pbem.protocol.record.kinds.agreements import must_agree, what_fault
from pbem.protocol.record.kinds.burn import burn_fault
from pbem.protocol.record.kinds.consent import record_agreed
from pbem.protocol.record.kinds.default import default_fault
from pbem.protocol.record.kinds.handover import (
    HANDOVER,
    agreement,
    handed_epochs,
    handed_parts,
    handing_fault,
)
from pbem.protocol.record.kinds.retake import join_fault, retake_fault, voided
from pbem.protocol.record.kinds.retire import RETIRE, accept_fault, held_until, offer_body, retire_fault
from pbem.protocol.record.kinds.withdraw import WITHDRAW
from pbem.protocol.record.takeover import (
    awaited_seats,
    completion_fault,
    host_must_act,
    moved,
    needs_proposal,
    overdue_from,
)
from pbem.protocol.referee.draft import Draft
from pbem.protocol.referee.ruling import Accepted, look_alike


def perform_default(record: Record, host: Identity, seat: Seat, at: str) -> Accepted:
    """Play an overdue seat's default actions, and burn the next epoch if its link is missing (schemas/README.md §5)."""
    draft = Draft(record, host, at)
    reason = default_fault(draft.ledger, seat, draft.at)
    if record.over:
        reason = sentence("the match has ended")
    if reason:
        raise RefusedError(
            reason, hint=sentence("'pbem host status' says who the match waits for, and until when")
        )
    play = draft.play()
    play.default(seat)
    members = {"epoch": play.table.epoch, "seat": seat, **draft.result(play, failed=seat)}
    draft.add("default", members)
    draft.burn_if_due()
    draft.go_on()
    return draft.accepted()


def burn(record: Record, host: Identity, at: str) -> Accepted:
    """Burn the announced epoch for every seat whose link is overdue."""
    draft = Draft(record, host, at)
    draft.burn_if_due()
    if not draft.lines:
        newest = draft.ledger.newest
        why = (
            burn_fault(draft.ledger, newest.number, newest.missing, draft.at)
            if newest
            else sentence("no deal is announced")
        )
        raise RefusedError(sentence("no deal can be voided now: {why}", why=why))
    draft.go_on()
    return draft.accepted()


def extend(record: Record, host: Identity, seat: Seat, due: str, at: str) -> Accepted:
    """Give the awaited seat more time."""
    now = record.as_of(max(at, record.head.at)).ledger
    if now.due is None or seat not in awaited_seats(now):
        raise RefusedError(
            sentence("the match does not wait for {seat}; there is nothing to extend", seat=seat)
        )
    if due <= now.due:
        raise RefusedError(
            sentence(
                "the deadline of {seat} is {due}; an extension must be later than that, not {asked}",
                seat=seat,
                due=now.due,
                asked=due,
            )
        )
    draft = Draft(record, host, at, extends=True)
    draft.add("extend", {"seat": seat, "due": due})
    return draft.accepted()


def after_outage(record: Record, host: Identity, since: str, until: str, at: str) -> Accepted | None:
    """Give whoever is awaited the time in which the host could not be reached; None if nobody's time was running.

    What was overdue before the outage began stays overdue, and in a pause no time runs.
    """
    begin = max(since, record.head.at)
    return _given(record, host, record.as_of(begin).ledger, (begin, until), at)


def give_time(record: Record, host: Identity, since: str, until: str, at: str) -> Accepted | None:
    """Give whoever is awaited the time from ``since`` to ``until``, in which nobody's time was to run.

    None if nobody's time was running at ``since``: what was overdue then stays overdue, and in a pause no time runs.
    """
    return _given(record, host, record.as_of(max(at, record.head.at)).ledger, (since, until), at)


def _given(record: Record, host: Identity, ledger: Ledger, span: tuple[str, str], at: str) -> Accepted | None:
    """Whoever is awaited, as the ledger has it, and was in time at the span's beginning gets its time."""
    since, until = span
    running = [seat for seat in awaited_seats(ledger) if (overdue_from(ledger, seat) or since) > since]
    due = moved(ledger, ledger.due, since, until)
    if not running or ledger.paused is not None or due is None or ledger.due is None or due <= ledger.due:
        return None
    draft = Draft(record, host, at, extends=True)
    draft.add("extend", {"seat": running[0], "due": due})
    return draft.accepted()


def carry_on(record: Record, host: Identity, at: str) -> Accepted | None:
    """What follows without anybody's file: after a pause that ended by its own ``until``; None if nothing does."""
    draft = Draft(record, host, at)
    draft.go_on()
    return draft.accepted() if draft.lines else None


def end_early(record: Record, host: Identity, why: str, consents: Sequence[JsonObject], at: str) -> Accepted:
    """End the match by consent of everybody who must agree."""
    what: JsonObject = {"kind": "end", **({"why": why} if why else {})}
    return _agreed(record, host, what, consents, at)


def _agreed(
    record: Record, host: Identity, what: JsonObject, consents: Sequence[JsonObject], at: str
) -> Accepted:
    reason = sentence("the match has ended") if record.over else what_fault(record.ledger, what)
    if reason:
        raise RefusedError(reason)
    files = consenting(record, what, consents)
    draft = Draft(record, host, at)
    record_agreed(draft, what, files)
    return draft.accepted()


def consenting(record: Record, what: JsonObject, consents: Sequence[JsonObject]) -> list[JsonObject]:
    """The consent files that this record needs; raises ``RefusedError`` naming the seats still missing."""
    given = {file["body"]["seat"]: file for file in consents if file["body"]["what"] == what}
    need = must_agree(record.ledger, what)
    missing = [seat for seat in need if seat not in given]
    if missing:
        raise RefusedError(
            sentence("{missing} must agree to {what} first", what=what["kind"], missing=", ".join(missing)),
            hint=sentence("each sends what 'pbem consent COPY {what}' makes", what=what["kind"]),
        )
    return [given[seat] for seat in need]


def substitute(
    record: Record, host: Identity, join: Message, consents: Sequence[JsonObject], at: str
) -> Accepted:
    """Put a new player into a seat: his join, the others' consents, the hand sealed anew to him.

    Only for a seat that has resigned it is done at once. Otherwise it is proposed, and done by the next call for it
    after the hold.
    """
    record = record.as_of(max(at, record.head.at))
    newcomer = fingerprint(unb64(join.body["sign"], 32))
    what: JsonObject = {"kind": "substitute", "seat": join.seat, "newcomer": newcomer}
    if Seat(join.seat) in record.ledger.proposals:
        return carry_out(record, host, Seat(join.seat), at, join)
    reason = sentence("the match has ended") if record.over else what_fault(record.ledger, what)
    if reason:
        raise RefusedError(reason)
    files = consenting(record, what, consents)
    _check_newcomer(record, join)
    draft = Draft(record, host, at)
    if needs_proposal(record.ledger, what):
        record_agreed(draft, what, files)
        return draft.accepted()
    seat = Seat(join.seat)
    members = draft.whole_packet(seat, unb64(join.body["seal"], 32))
    draft.add("substitute", {"what": what, "consents": files, "msg": join.file, **members})
    return draft.accepted(seat)


def _check_newcomer(record: Record, join: Message) -> None:
    """Refuse a join that nobody could take a seat over with."""
    verify_file("join", join.file, unb64(join.body["sign"], 32))
    seat = Seat(join.seat)
    reason = (
        key_fault(record.ledger, seat, join.body)
        or newcomer_fault(record.ledger, join.body)
        or look_alike(record.ledger, join.body["name"], seat)
    )
    if reason:
        raise RefusedError(
            sentence("the join of the new player of {seat} is refused: {reason}", seat=seat, reason=reason)
        )


def retake(record: Record, host: Identity, join: Message, at: str) -> Accepted:
    """Put somebody into a seat again who came with its invitation from another browser (schemas/README.md §7).

    That the join came with the invitation is for the caller to know: no reader of the record can see it.

    Raises:
        RefusedError: the seat cannot be taken again, or not by this join; the sentence says why.
        VerificationError: the join's signature does not hold.
    """
    verify_file("join", join.file, unb64(join.body["sign"], 32))
    draft, seat = Draft(record, host, at), Seat(join.seat)
    reason = (
        retake_fault(draft.ledger, seat)
        or join_fault(draft.ledger, join.body)
        or look_alike(draft.ledger, join.body["name"], seat)
    )
    if reason:
        raise RefusedError(reason)
    void = voided(draft.ledger)
    members = draft.whole_packet(seat, unb64(join.body["seal"], 32))
    if void is not None:
        members["void"] = void
    draft.add("retake", {"msg": join.file, **members})
    if void is not None:
        draft.announce()
    draft.go_on()
    return draft.accepted(seat)


def carry_out(
    record: Record, host: Identity, seat: Seat, at: str, join: Message | None = None, *, by_hand: bool = True
) -> Accepted:
    """Carry out what is proposed about ``seat``, once its hold is over (schemas/README.md §10.8).

    Args:
        record: the match.
        host: the host's identity.
        seat: whose seat it is about.
        at: the time now.
        join: the newcomer's join, if a substitute was proposed.
        by_hand: the operator has said so; in a match of two seats nothing else will do.

    Raises:
        RefusedError: nothing is proposed about the seat, it is held still, or it cannot be done now.
    """
    draft = Draft(record, host, at)
    proposal = draft.ledger.proposals.get(seat)
    if proposal is None:
        raise RefusedError(sentence("nothing is proposed about {seat}", seat=seat))
    reason = completion_fault(draft.ledger, proposal, draft.at)
    if proposal.counts:
        reason = sentence(
            "{seat} has resigned; that counts by itself from {until} on", seat=seat, until=proposal.until
        )
    if host_must_act(draft.ledger) and not by_hand:
        reason = sentence("in a match of two seats only the host's own command carries a proposal out")
    if proposal.what["kind"] == "rekey":
        reason = reason or key_fault(draft.ledger, seat, proposal.what)
    elif join is not None and join.seat != seat:
        raise RefusedError(sentence("this join is for another seat, {seat}", seat=join.seat))
    elif join is None:
        reason = reason or sentence("the join of the new player of {seat} is missing", seat=seat)
    if reason:
        raise RefusedError(reason)
    act: JsonObject = {"act": "host"} if host_must_act(draft.ledger) else {}
    named: JsonObject = {"proposal": proposal.line.seq, **act}
    if proposal.what["kind"] == "rekey" or join is None:
        draft.add("rekey", named | draft.whole_packet(seat, unb64(proposal.what["seal"], 32)))
        return draft.accepted()
    _check_newcomer(record, join)
    members = draft.whole_packet(seat, unb64(join.body["seal"], 32))
    draft.add("substitute", {**named, "msg": join.file, **members})
    return draft.accepted(seat)


def withdraw(record: Record, host: Identity, seat: Seat, at: str) -> Accepted:
    """Take back what is proposed about ``seat``: its player has been heard of outside of the match."""
    draft = Draft(record, host, at)
    proposal = draft.ledger.proposals.get(seat)
    if proposal is None:
        raise RefusedError(sentence("nothing is proposed about {seat}", seat=seat))
    draft.add("withdraw", {"proposal": proposal.line.seq})
    return draft.accepted()


def reseal(record: Record, host: Identity, seat: Seat, at: str) -> Accepted:
    """Seal again what a seat was told in the running epoch, after a complaint that it does not open."""
    running = record.ledger.running
    if running is None or running.closed is not None or not record.rules.has_secrets:
        raise RefusedError(sentence("no hand or game turn is running whose packets could be sealed again"))
    draft = Draft(record, host, at)
    draft.add("reseal", draft.whole_packet(seat))
    return draft.accepted()


# --- how a match goes from one host to another (schemas/README.md §10.11) ---------------------------------
#
# The new host signs an offer; the old one tells it to all, and after the hold signs his last record,
# which brings the new one what he needs. From then on only the new one signs.


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
