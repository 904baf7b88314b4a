"""What the host may record without a player's file, each refused with the reason unless it is due.

What each of them writes stands with its kind (``pbem.protocol.record.kinds``); here it becomes a ruling.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pbem.base.errors import RefusedError
from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import Message
from pbem.protocol.record import Ledger, Record
from pbem.protocol.record.agreement import at_once
from pbem.protocol.record.kinds import burn as burns
from pbem.protocol.record.kinds import default as defaults
from pbem.protocol.record.kinds import end as ends
from pbem.protocol.record.kinds import extend as extensions
from pbem.protocol.record.kinds import propose
from pbem.protocol.record.kinds import reseal as reseals
from pbem.protocol.record.kinds import retake as retakes
from pbem.protocol.record.kinds import substitute as substitutes
from pbem.protocol.record.kinds import withdraw as withdrawals
from pbem.protocol.record.kinds.agreements import have_a_say, must_agree, needs_proposal, terms_fault
from pbem.protocol.record.kinds.consent import record_agreed
from pbem.protocol.record.takeover import awaited_seats, moved, overdue_from
from pbem.protocol.referee.draft import Draft
from pbem.protocol.referee.ruling import Accepted


def _ruled(
    record: Record, host: Identity, at: str, write: Callable[[Draft], object], sender: Seat | None = None
) -> Accepted:
    """The ruling with what ``write`` adds to it."""
    draft = Draft(record, host, at)
    write(draft)
    return draft.accepted(sender)


def perform_default(record: Record, host: Identity, seat: Seat, at: str) -> Accepted:
    """Play an overdue seat's default actions, and burn the next epoch if its link is missing (schemas/README.md §5)."""
    return _ruled(record, host, at, lambda draft: defaults.perform_default(draft, seat))


def burn(record: Record, host: Identity, at: str) -> Accepted:
    """Burn the announced epoch for every seat whose link is overdue."""
    return _ruled(record, host, at, burns.burn_now)


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
    return _extended(record, host, seat, due, at)


def _extended(record: Record, host: Identity, seat: Seat, due: str, at: str) -> Accepted:
    draft = Draft(record, host, at, extends=True)
    extensions.extend(draft, seat, due)
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
    return _extended(record, host, running[0], due, at)


def carry_on(record: Record, host: Identity, at: str) -> Accepted | None:
    """What follows without anybody's file: after a pause that ended by its own ``until``; None if nothing does."""
    accepted = _ruled(record, host, at, Draft.go_on)
    return accepted if accepted.lines else None


def end_early(record: Record, host: Identity, why: str, consents: Sequence[JsonObject], at: str) -> Accepted:
    """End the match by consent of everybody who must agree."""
    terms = ends.agreement_to(why)
    files = _agreeing(record.as_of(max(at, record.head.at)), terms, consents, at)
    return _ruled(record, host, at, lambda draft: record_agreed(draft, terms, files))


def _agreeing(record: Record, terms: JsonObject, consents: Sequence[JsonObject], at: str) -> list[JsonObject]:
    """The consents to what can be agreed to now; raises ``RefusedError``."""
    reason = sentence("the match has ended") if record.over else terms_fault(record.ledger, terms)
    if reason:
        raise RefusedError(reason)
    return consenting(record, terms, consents, at)


def consenting(
    record: Record, terms: JsonObject, consents: Sequence[JsonObject], at: str = ""
) -> list[JsonObject]:
    """The consent files that this record needs; raises ``RefusedError`` naming the seats still missing."""
    given = {file["body"]["seat"]: file for file in consents if file["body"]["what"] == terms}
    need = must_agree(record.ledger, terms, max(at, record.head.at))
    missing = [seat for seat in need if seat not in given]
    hint = sentence("each sends what this makes: pbem consent COPY {what}", what=terms["kind"])
    if missing:
        raise RefusedError(
            sentence("{missing} must agree to {what} first", what=terms["kind"], missing=", ".join(missing)),
            hint=hint,
        )
    if not given and have_a_say(record.ledger, terms):
        raise RefusedError(sentence("nobody has agreed"), hint=hint)
    return [given[seat] for seat in sorted(given) if seat in need or not need]


def substitute(
    record: Record, host: Identity, join: Message, consents: Sequence[JsonObject], at: str
) -> Accepted:
    """Put a new player into a seat: their join, the others' consents, the hand sealed again to them.

    For a seat that has resigned, or whose recovery key has agreed, it is done at once. Otherwise it is proposed, and
    done by the next call for it after the hold.
    """
    record = record.as_of(max(at, record.head.at))
    seat, terms = Seat(join.seat), substitutes.agreement_to(join)
    own = [file for file in consents if file["body"]["what"] == terms and file["body"]["seat"] == seat]
    released = at_once(record.ledger, terms, own)
    if seat in record.ledger.proposals and not released:
        return carry_out(record, host, seat, at, join)
    files = _agreeing(record, terms, consents, at) + (own if released else [])
    if needs_proposal(record.ledger, terms, files):

        def propose_it(draft: Draft) -> None:
            substitutes.check_join(draft, join)
            record_agreed(draft, terms, files)

        return _ruled(record, host, at, propose_it)
    named = {"what": terms, "consents": files}
    return _ruled(record, host, at, lambda draft: substitutes.seat_newcomer(draft, join, named), seat)


def retake(record: Record, host: Identity, join: Message, at: str) -> Accepted:
    """Put somebody into a seat again who came with its invitation from another browser (schemas/README.md §7).

    That the join came with the invitation is for the caller to know: no reader of the record can see it.

    Raises:
        RefusedError: the seat cannot be taken again, or not by this join; the sentence says why.
        VerificationError: the join's signature does not hold.
    """
    return _ruled(record, host, at, lambda draft: retakes.retake(draft, join), Seat(join.seat))


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
    newcomer = propose.carry_out(draft, seat, join, by_hand=by_hand)
    return draft.accepted(seat if newcomer else None)


def withdraw(record: Record, host: Identity, seat: Seat, at: str) -> Accepted:
    """Take back what is proposed about ``seat``: its player has been heard of outside of the match."""
    draft = Draft(record, host, at)
    proposal = draft.ledger.proposals.get(seat)
    if proposal is None:
        raise RefusedError(sentence("nothing is proposed about {seat}", seat=seat))
    withdrawals.withdraw(draft, proposal)
    return draft.accepted()


def reseal(record: Record, host: Identity, seat: Seat, at: str) -> Accepted:
    """Seal again what a seat learned in the running epoch, after a complaint that it does not open."""
    return _ruled(record, host, at, lambda draft: reseals.reseal(draft, seat))
