"""Ruling on one mail for one match: everything it causes is committed in one transaction.

The match's row is claimed first, so one match is never worked on by two. What is ruled and what follows is the business
of ``MatchHost``; here are the mail that brought the file, and joins, which need an invite code.
"""

from __future__ import annotations

import hmac
from dataclasses import replace
from typing import Final

from pbem.base.errors import RefusedError, StoreError, VerificationError
from pbem.base.language import language_of
from pbem.base.sentences import Sentence, joined, sentence
from pbem.base.values import dataclass
from pbem.game import Seat
from pbem.host.budgets import Budgets
from pbem.host.database.database import Transaction
from pbem.host.database.joins import MOST, WaitingJoins, key_of
from pbem.host.database.lists import DatabaseCounts
from pbem.host.database.mail import DONE, QUARANTINED, READY, InboxRow, InboxRows
from pbem.host.database.matches import Matches, MatchRow, SeatRow
from pbem.host.database.push import ApiRows
from pbem.host.service.access_codes import AccessCodes
from pbem.host.service.context import ServiceContext
from pbem.host.service.letters import Letterbox
from pbem.host.service.store import DatabaseStore
from pbem.host.store import Caller, GivenUp, Outcome
from pbem.player.mail.confined import Broke
from pbem.protocol import referee
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.formats.envelopes import verify_file
from pbem.protocol.formats.messages import Message, invitation_proof
from pbem.protocol.record import Record
from pbem.protocol.record.verifier import brings_somebody

MOST_TRIES: Final = 3
NEAR: Final = 64
"""Of so many matches whose mail waits longest a worker takes rather one that it has at hand."""
OLDEST_EACH: Final = 8
"""So often, at least, the one that waits longest is taken, whoever has it at hand."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What becomes of the mail: ``state`` of its row and why; the record to remember once it is committed."""

    state: str
    reason: str
    record: Record | None = None
    code: str = ""
    """What was decided about a file that is new: ``accepted``, ``held``, ``unrecorded``, or the code of its refusal."""
    refused: str = ""
    """The seat whose file it is, if it was refused."""
    seat: str = ""
    """Whose file it is."""
    message_id: str = ""
    """The Message-ID of the mail that brought it."""


class RulingWorker:
    """Rules on mail that waits for its match."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context
        self._taken = 0
        self._oldest: list[MatchRow] = []
        """Matches whose mail waited longest when that was asked last, without those that were looked at since."""
        self.more = True
        """Whether there was more to rule on behind the last mail."""

    def _claimed(self, transaction: Transaction) -> MatchRow | None:
        """The match to rule on; among several workers each rules on rather where it has ruled last itself.

        Another one would have to read what was recorded since, or to verify the whole match. Who is served, and when,
        does not rest on it: nobody's mail is passed over for long.
        """
        matches = Matches(transaction)
        self._taken += 1
        near = None
        if transaction.shared and self._taken % OLDEST_EACH:
            near = self._at_hand(matches)
        return near or matches.claim_one_with_mail(fewest=bool(self._taken % 2))

    def _at_hand(self, matches: Matches) -> MatchRow | None:
        """Of the matches whose mail waits longest one that this worker has at hand, and that nobody works on."""
        self._oldest = self._oldest or matches.with_oldest_mail(NEAR)
        while self._oldest:
            match = self._oldest.pop(0)
            if self._context.records.at_hand(match):
                claimed = matches.claim_if_mail_waits(match.game)
                if claimed is not None:
                    return claimed
                self._oldest.clear()  # it is not as it was
        return None

    def work_one(self) -> bool:
        """Rule on one mail; False if there is none, or others are at work on all matches that have some."""
        context = self._context
        mail: InboxRow | None = None
        try:
            with context.database.transaction() as transaction:
                match = self._claimed(transaction)
                mail = InboxRows(transaction).next_ready(match.game) if match else None
                if match is None or mail is None:
                    return False
                verdict = _Case(context, transaction, match, mail).decide()
                kept_by_itself = verdict.code in ("accepted", "held", "unrecorded")
                InboxRows(transaction).settle(mail, verdict.state, verdict.reason, let_go=kept_by_itself)
                if verdict.refused:
                    self._let_go(transaction, mail, verdict.refused)
                self.more = bool(self._oldest) or Matches(transaction).have_mail()
                context.steps("ruled")
        except StoreError:
            raise
        except Exception as fault:  # a fault of this program must not stop the others' matches
            if mail is None:
                raise
            self._give_up(mail, fault)
            self.more = True
            return True
        context.steps("committed")
        if verdict.record is not None:
            context.records.keep(verdict.record)
        return True

    def _let_go(self, transaction: Transaction, mail: InboxRow, seat: str) -> None:
        """Of refused files only so many bytes are kept for a seat and day: of the others their names and rejects."""
        limit = f"{self._context.limits.refused}/day"
        budgets = Budgets(DatabaseCounts(transaction, self._context.later))
        if not budgets.take(limit, "refused-bytes", mail.game, seat, cost=len(mail.raw)):
            InboxRows(transaction).let_go(mail.id)

    def _give_up(self, mail: InboxRow, fault: Exception) -> None:
        with self._context.database.transaction() as transaction:
            inbox = InboxRows(transaction)
            if inbox.failed(mail) >= MOST_TRIES or isinstance(fault, Broke):
                Letterbox(self._context, transaction).quarantine(mail, fault)


class _Case:
    """One mail on one match, claimed."""

    def __init__(
        self, context: ServiceContext, transaction: Transaction, match: MatchRow, row: InboxRow
    ) -> None:
        self._context = context
        self._transaction = transaction
        self._matches = Matches(transaction)
        self._letters = Letterbox(context, transaction)
        self._match = match
        self._row = row
        self._mail = context.look_at(row.raw)
        mailed = not ApiRows(transaction).brought(row.id)  # by HTTP: does not show that emails arrive
        self._caller = Caller(
            self._mail.message_id, self._mail.sender, str(row.id), self._mail.quiet, mailed=mailed
        )
        self._store = DatabaseStore(context, transaction, match)

    def decide(self) -> Settled:
        """Rule on what the mail brings for this match."""
        game = self._match.game
        messages = [message for message in self._mail.intake.messages if b64(message.game) == game]
        new = [msg for msg in messages if self._matches.verdict(game, b64(msg.hash))[0] in ("", "held")]
        message = new[0] if new else messages[-1]
        held = self._join(message) if new and brings_somebody(message) else None
        if held is not None:
            return held
        return self._settled(message, self._store.host().take(message, self._caller))

    def _settled(self, message: Message, outcome: Outcome) -> Settled:
        record = self._store.record if self._store.grown else None
        own = self._mail.message_id
        return replace(_verdict(message, outcome), record=record, seat=message.seat, message_id=own)

    def _join(self, message: Message) -> Settled | None:
        """None if the join may be ruled on, else why not: it needs the invite code, or its address and a yes."""
        seat = self._matches.seats(self._match.game).get(message.seat)
        if seat is None:
            return None  # the referee says what is wrong
        given = "proof" in message.body
        fits, linked = _proves(message, seat.word), self._by_link(seat, message)
        if Seat(message.seat) in self._store.record.ledger.players:
            if linked:
                return self._again(seat, message)
            return self._substitute(seat, message) if fits else None
        if fits or linked:
            return None
        if given:
            text = sentence(
                "match {short}: a join for {seat} with a wrong invite code, from {sender}",
                short=self._match.short,
                seat=seat.seat,
                sender=self._mail.sender,
            )
            self._letters.notify_operator("wrong-code", text, seat.game)
            return Settled(QUARANTINED, f"a join for seat {seat.seat} with a wrong invite code")
        if not seat.invited or self._mail.sender != seat.invited:
            return Settled(
                QUARANTINED, f"a join for seat {seat.seat} without its invite code, from {self._mail.sender}"
            )
        return self._ask_host(seat, message)

    def _by_link(self, seat: SeatRow, message: Message) -> bool:
        """Whether the join proves the code of the seat's link, as long as that takes the seat."""
        return _proves(message, AccessCodes(self._context, self._transaction).code(seat))

    def _again(self, seat: SeatRow, message: Message) -> Settled:
        """The link takes its seat a second time, from another browser: a record of its own, announced to all."""
        try:
            done = self._store.host().act(
                lambda record, at, _: referee.retake(record, self._context.host, message, at)
            )
        except (RefusedError, VerificationError) as fault:
            return Settled(QUARANTINED, f"a second join for seat {seat.seat}: {fault}")
        return self._settled(message, done)

    def _substitute(self, seat: SeatRow, message: Message) -> Settled:
        """The join of somebody who was invited to take a seat over: it waits for the others and the host."""
        short = self._match.short
        text = sentence(
            "{sender} would take over {seat}. Those who must agree send what this makes:\n"
            "pbem consent COPY substitute seat={seat} newcomer={newcomer}\n"
            "Then: pbem host substitute {short} {seat} {newcomer}",
            sender=self._mail.sender,
            seat=seat.seat,
            newcomer=key_of(message),
            short=short,
        )
        return self._waits(seat, message, "substitute", text)

    def _ask_host(self, seat: SeatRow, message: Message) -> Settled:
        text = sentence(
            "An email from {sender} wants to join as {seat} without the invite code, with the key {key}. Anybody can"
            " write {sender} into an email, so ask the player for their key fingerprint, by phone. If it is this one:"
            " pbem host confirm {short} {seat} {key}",
            sender=self._mail.sender,
            seat=seat.seat,
            key=key_of(message),
            short=self._match.short,
        )
        return self._waits(seat, message, "confirm", text)

    def _waits(self, seat: SeatRow, message: Message, kind: str, text: Sentence) -> Settled:
        """Let a join wait, beside others; alert the operator, and answer its sender in the language it asks for."""
        try:
            verify_file(message.kind, message.file, unb64(message.body["sign"], 32))
        except VerificationError as fault:
            return Settled(QUARANTINED, f"a join for seat {seat.seat}: {fault}")
        waits = WaitingJoins(self._transaction)
        kept = waits.keep(seat.game, seat.seat, message, self._mail.sender)
        waiting = waits.of(seat.game, seat.seat)
        if not kept:
            text = sentence(
                "One more join for {seat} of match {short} came from {sender}, and is not kept: {most} wait already.",
                seat=seat.seat,
                short=self._match.short,
                sender=self._mail.sender,
                most=MOST,
            )
        if len(waiting) > 1:
            several = sentence("For seat {seat} there wait:", seat=seat.seat)
            text = joined((text, several, *(join.words() for join in waiting)), "\n")
        self._letters.notify_operator(kind, text, seat.game)
        tag = str(message.body.get("lang", "en"))
        if not self._mail.quiet and self._letters.may_answer(self._mail.sender, "pending", "1/day"):
            self._letters.answer(
                self._mail.sender,
                "pending" if kind == "confirm" else kind,
                str(self._row.id),
                self._caller,
                sentence("your join waits for the host"),
                about=self._store.record,
                language=language_of(tag),
                seat=seat.seat,
                key=key_of(message) if kept else "",
            )
        if not kept:
            return Settled(QUARANTINED, f"a join for seat {seat.seat}, for which {MOST} wait already")
        return Settled(DONE, f"a join for {seat.seat} that waits for the host's yes")


def _verdict(message: Message, outcome: Outcome) -> Settled:
    """What becomes of the mail that brought a file."""
    subject, ruling = f"{message.kind} {message.n} of {message.seat}", outcome.ruling
    match ruling:
        case referee.Accepted():
            return Settled(DONE, f"{subject}: accepted", code="accepted")
        case referee.Held():
            return Settled(DONE, f"{subject}: held", code="held")
        case referee.Refused():
            if outcome.again:
                return Settled(DONE, f"{subject}: a refused file again", refused=message.seat)
            why = joined((f"{subject}: {ruling.code}", ruling.in_clear), ": ")
            return Settled(DONE, why, code=ruling.code, refused=message.seat)
        case referee.Repeated():
            return Settled(DONE, f"{subject}: again")
        case referee.Unchanged():
            return Settled(DONE, f"{subject}: {ruling.sentence}")
        case referee.Unrecorded():
            return Settled(DONE, f"{subject}: for the host alone", code="unrecorded")
        case GivenUp():
            return Settled(DONE, f"{subject}: {ruling.reason}")
        case referee.Departed():
            return Settled(READY, f"{subject}: waits for missing records")
        case referee.Quarantined():
            return Settled(QUARANTINED, ruling.fault)
        case referee.Ignored():
            return Settled(QUARANTINED, ruling.reason)


def _proves(join: Message, code: str) -> bool:
    """Whether this join proves that its sender has the code, if there is one."""
    proof = join.body.get("proof", "")
    expected = invitation_proof(code, join.game, join.seat, unb64(join.body["sign"], 32)) if code else ""
    return bool(code and proof) and hmac.compare_digest(proof, expected)
