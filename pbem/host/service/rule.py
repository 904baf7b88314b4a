"""Ruling on one mail for one match: everything it causes is committed in one transaction.

The match's row is claimed first, so one match is never worked on by two. A file that was refused once is refused
again with the same ``reject``: a line and a ``reject`` for one message would prove the host's misconduct
(schemas/README.md §9).
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, replace
from typing import Final

from pbem.crypto.digest import b64
from pbem.errors import StoreError
from pbem.formats.messages import Message, read_message
from pbem.formats.strict_json import MAX_FILE, canon, parse
from pbem.game import JsonObject, Seat
from pbem.host.batches import batches_of
from pbem.host.service.alarms import program_fault
from pbem.host.service.heal import ABANDONED, Healer
from pbem.host.service.letters import Answered, Letterbox
from pbem.host.service.matches import commit
from pbem.host.service.office import Office
from pbem.language import language_of
from pbem.mail.confined import Broke
from pbem.record import Record
from pbem.record.takeover import host_must_act
from pbem.referee import (
    Accepted,
    Departed,
    Held,
    Ignored,
    PutAside,
    Refused,
    Repeated,
    Ruling,
    Unchanged,
    rule_message,
)
from pbem.sentences import joined, sentence, term
from pbem.store.database import Transaction
from pbem.store.database_door import DoorRows
from pbem.store.database_mail import DONE, READY, SHUNTED, InboxRow, InboxRows, OutboxRows
from pbem.store.database_matches import Matches, MatchRow, SeatRow
from pbem.store.database_times import is_known

MOST_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of the mail: ``state`` of its row and why; the record to remember once it is committed."""

    state: str
    reason: str
    record: Record | None = None
    code: str = ""
    """What was decided about a file that is new: ``accepted``, ``held``, or the code of its refusal."""


class Ruler:
    """Rules on mail that waits for its match."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def work_one(self) -> bool:
        """Rule on one mail; False if there is none, or others are at work on all matches that have some."""
        office = self._office
        mail: InboxRow | None = None
        try:
            with office.database.transaction() as transaction:
                match = Matches(transaction).claim_one_with_mail()
                mail = InboxRows(transaction).next_ready(match.game) if match else None
                if match is None or mail is None:
                    return False
                verdict = _Case(office, transaction, match, mail).decide()
                InboxRows(transaction).settle(mail, verdict.state, verdict.reason)
                office.steps("ruled")
        except StoreError:
            raise
        except Exception as fault:  # a fault of this program must not stop the others' matches
            if mail is None:
                raise
            self._give_up(mail, fault)
            return True
        office.steps("committed")
        if verdict.code:
            office.meter.ruled(verdict.code)
        if verdict.record is not None:
            office.records.keep(verdict.record)
        return True

    def _give_up(self, mail: InboxRow, fault: Exception) -> None:
        with self._office.database.transaction() as transaction:
            inbox = InboxRows(transaction)
            if inbox.failed(mail) >= MOST_TRIES or isinstance(fault, Broke):
                reason = program_fault(fault)
                inbox.settle(mail, SHUNTED, reason)
                told = sentence("mail {number}: {fault}", number=mail.id, fault=reason)
                Letterbox(self._office, transaction).tell_operator("program-fault", told)


class _Case:
    """One mail on one match, claimed."""

    def __init__(self, office: Office, transaction: Transaction, match: MatchRow, row: InboxRow) -> None:
        self._office = office
        self._transaction = transaction
        self._matches = Matches(transaction)
        self._outbox = OutboxRows(transaction)
        self._letters = Letterbox(office, transaction)
        self._healer = Healer(office, transaction, str(row.id))
        self._match = match
        self._row = row
        self._mail = office.look_at(row.raw)
        self._answered = Answered(self._mail.message_id, self._mail.sender)
        self._quiet = self._mail.quiet
        self._mailed = not DoorRows(transaction).brought(row.id)
        """Whether it came by mail; what came by the HTTP door does not show that letters arrive."""

    def decide(self) -> Verdict:
        """Rule on what the mail brings for this match."""
        found = [message for message in self._mail.intake.messages if b64(message.game) == self._match.game]
        known = [(message, *self._matches.verdict(self._match.game, b64(message.hash))) for message in found]
        new = [message for message, verdict, _ in known if verdict in ("", "held")]
        if new:
            return self._rule(new[0])
        message, verdict, reject = known[-1]
        if self._quiet or not self._may_answer(message.seat, "again"):
            return Verdict(DONE, "the same file again, not answered")
        record = self._record()
        if verdict == ABANDONED:
            self._given_up()
            return Verdict(DONE, "a file of a history that was given up")
        if verdict == "refused":
            sent = parse(reject, limit=MAX_FILE)
            self._letters.refusal(record, sent, "", self._answered, str(self._row.id))
            return Verdict(DONE, "a refused file again")
        return self._repeated(record, message)

    def _record(self) -> Record:
        return self._office.records.load(self._matches, self._match)

    def _rule(self, message: Message) -> Verdict:
        record = self._record()
        if message.kind == "join":
            held = self._join(record, message)
            if held is not None:
                return held
        consents = [parse(raw, limit=MAX_FILE) for raw in self._matches.consents(self._match.game).values()]
        ruling = rule_message(record, self._office.host, message, self._office.now(), consents)
        return self._take(record, message, ruling)

    def _take(self, record: Record, message: Message, ruling: Ruling) -> Verdict:
        if isinstance(ruling, (Refused, Held, PutAside, Unchanged)) and ruling.withdrawn is not None:
            commit(self._office, self._transaction, self._match, record, ruling.withdrawn)
            after = ruling.withdrawn.record
            verdict = self._take(after, message, replace(ruling, withdrawn=None))
            return replace(verdict, record=verdict.record or after)
        if isinstance(ruling, Accepted):
            return self._accept(record, message, ruling)
        if isinstance(ruling, Refused):
            return self._refuse(record, message, ruling)
        if isinstance(ruling, Held):
            return self._hold(record, message, ruling)
        if isinstance(ruling, Repeated):
            return self._repeated(record, message)
        if isinstance(ruling, Departed):
            return self._depart(message, ruling)
        if isinstance(ruling, Unchanged):
            return self._unchanged(message, ruling)
        if isinstance(ruling, PutAside):
            told = sentence("mail {number}: {fault}", number=self._row.id, fault=ruling.fault)
            self._letters.tell_operator("program-fault", told, self._match.game)
            return Verdict(SHUNTED, ruling.fault)
        return self._ignore(message, ruling)

    # --- rulings --------------------------------------------------------------------------------------------

    def _accept(self, record: Record, message: Message, ruling: Accepted) -> Verdict:
        game, office = self._match.game, self._office
        lines = [(line.raw, line.hash.hex()) for line in ruling.lines]
        self._matches.append(self._match, lines, over=ruling.record.over)
        self._keep(message, "line")
        if self._matches.hear(game, message.seat, office.now(), mailed=self._mailed):
            self._outbox.release(game, message.seat)
        self._letters.learn_addresses(ruling.record, ruling.lines)
        if message.kind == "join":
            self._matches.spend_word(game, message.seat)
        self._letters.batch(ruling.record, record.head.seq + 1, Seat(message.seat), self._answered)
        self._drop_consents(ruling.record)
        self._tell_proposed(ruling)
        return Verdict(
            DONE, f"{message.kind} {message.n} of {message.seat}: accepted", ruling.record, "accepted"
        )

    def _tell_proposed(self, ruling: Accepted) -> None:
        for line in ruling.lines:
            if line.kind == "propose":
                what = line.body["what"]
                told = sentence(
                    "match {short}: record {seq} proposes: {what} of {seat}, held until {until}",
                    short=self._match.short,
                    seq=line.seq,
                    what=term(what["kind"]),
                    seat=what["seat"],
                    until=line.body["until"],
                )
                if host_must_act(ruling.record.ledger):
                    command = "carry-out" if what["kind"] == "rekey" else "substitute"
                    full = f"pbem host {command} {self._match.short} {what['seat']}"
                    told = joined((told, sentence("nobody does it but you: {command}", command=full)))
                self._letters.tell_operator("proposal", told, self._match.game)

    def _refuse(self, record: Record, message: Message, ruling: Refused) -> Verdict:
        if ruling.reject is None:
            self._tell_aside(ruling.sentence)
            return Verdict(SHUNTED, f"{ruling.code}: {ruling.sentence}")
        self._keep(message, "refused", canon(ruling.reject))
        self._matches.hear(self._match.game, message.seat, self._office.now(), mailed=self._mailed)
        if not self._quiet and self._may_answer(message.seat, "refused"):
            self._letters.refusal(record, ruling.reject, ruling.in_clear, self._answered)
        told = f"{message.kind} {message.n} of {message.seat}: {ruling.code}"
        return Verdict(DONE, joined((told, ruling.in_clear), ": "), code=ruling.code)

    def _hold(self, record: Record, message: Message, ruling: Held) -> Verdict:
        game = self._match.game
        self._matches.keep_consent(game, b64(message.hash), message.seat, canon(message.file))
        self._keep(message, "held")
        words = _what_words(ruling.what)
        title = f"[pbem {self._match.short}] {record.game_info.title}: "
        subject = joined((title, term(ruling.what["kind"])), "")
        for seat in dict.fromkeys((ruling.seat, *ruling.missing)):
            row = self._letters.seat(game, seat)
            mine = seat == ruling.seat
            if row.reach and not row.suspended and not (mine and self._quiet):
                self._letters.answer(
                    row.reach,
                    "held",
                    f"{b64(message.hash)}/{seat}",
                    self._answered if mine else Answered(),
                    subject,
                    mine=mine,
                    who=record.names.get(ruling.seat, ruling.seat),
                    what=words,
                    command=ruling.what["kind"],
                    missing=list(ruling.missing),
                )
        if not ruling.missing:
            told = sentence("match {short}: all have agreed: {what}", short=self._match.short, what=words)
            self._letters.tell_operator("consent", told, game)
        return Verdict(DONE, f"consent {message.n} of {message.seat}: held", code="held")

    def _depart(self, message: Message, ruling: Departed) -> Verdict:
        """The database is not the newest: the match stands still, and this mail waits with all others for it."""
        if self._healer.given_up(self._match, message.seen_seq):
            self._given_up()
            return Verdict(
                DONE, f"{message.kind} {message.n} of {message.seat}: of a history that was given up"
            )
        sender = "" if self._quiet else self._mail.sender
        self._healer.stop(self._match, ruling.seen, message.seat, sender)
        return Verdict(READY, f"{message.kind} {message.n} of {message.seat}: waits for missing records")

    def _given_up(self) -> None:
        if not self._quiet:
            self._fault(
                "given-up",
                sentence("another history counts"),
                sentence(
                    "your file belongs to a history of this match that was given up; a letter said which one counts"
                ),
            )

    def _repeated(self, record: Record, message: Message) -> Verdict:
        line = record.earlier_line(message.hash)
        if line is None or self._quiet:
            return Verdict(DONE, "the same file again")
        batch = next(found for found in batches_of(record.lines) if found.first <= line.seq <= found.last)
        seat = Seat(message.seat)
        self._letters.receipt_again(record, batch.first, batch.last, seat, self._answered, str(self._row.id))
        return Verdict(DONE, f"{message.kind} {message.n} of {message.seat}: again")

    def _unchanged(self, message: Message, ruling: Unchanged) -> Verdict:
        """What would change nothing is answered, as often as any file, and not recorded."""
        if not self._quiet and self._may_answer(message.seat, "unchanged"):
            subject = joined((f"[pbem {self._match.short}]", sentence("nothing to do")), " ")
            self._letters.answer(
                self._mail.sender,
                "unchanged",
                str(self._row.id),
                self._answered,
                subject,
                sentence=ruling.sentence,
                record=ruling.line.seq,
            )
        return Verdict(DONE, f"{message.kind} {message.n} of {message.seat}: {ruling.sentence}")

    def _ignore(self, message: Message, ruling: Ignored) -> Verdict:
        seat = self._matches.seats(self._match.game).get(message.seat)
        if ruling.taken and seat and self._mail.sender in (seat.invited, seat.address) and not self._quiet:
            self._fault(
                "seat-taken",
                sentence("the seat is taken"),
                sentence("seat {seat} is taken already; later joins for it do not count", seat=message.seat),
            )
        else:
            self._tell_aside(ruling.reason)
        return Verdict(SHUNTED, ruling.reason)

    # --- joins ----------------------------------------------------------------------------------------------

    def _join(self, record: Record, message: Message) -> Verdict | None:
        """None if the join may be ruled on, else why not: it needs its word, or the invited address and the host."""
        seat = self._matches.seats(self._match.game).get(message.seat)
        if seat is None:
            return None  # the referee says what is wrong
        word = str(message.body.get("word", "")).strip().lower()
        fits = bool(seat.word and word) and hmac.compare_digest(word, seat.word)
        if Seat(message.seat) in record.ledger.players:
            return self._substitute(seat, message) if fits else None
        if fits:
            return None
        if word:
            told = sentence(
                "match {short}: a join for {seat} with a wrong word, from {sender}",
                short=self._match.short,
                seat=seat.seat,
                sender=self._mail.sender,
            )
            self._letters.tell_operator("wrong-word", told, seat.game)
            return Verdict(SHUNTED, f"a join for seat {seat.seat} with a wrong word")
        if not seat.invited or self._mail.sender != seat.invited:
            return Verdict(SHUNTED, f"a join for seat {seat.seat} without its word, from {self._mail.sender}")
        return self._ask_host(seat, message)

    def _substitute(self, seat: SeatRow, message: Message) -> Verdict:
        """The join of somebody who was invited to take a seat over: it waits for the others and the host."""
        self._matches.set_pending(seat.game, seat.seat, canon(message.file), self._mail.sender)
        short = self._match.short
        told = sentence(
            "{sender} would take over {seat}. When those who must have sent what 'pbem consent GAME substitute"
            " seat={seat}' makes: pbem host substitute {short} {seat}",
            sender=self._mail.sender,
            seat=seat.seat,
            short=short,
        )
        self._letters.tell_operator("substitute", told, seat.game)
        return self._waits(seat, message, "substitute")

    def _ask_host(self, seat: SeatRow, message: Message) -> Verdict:
        self._matches.set_pending(seat.game, seat.seat, canon(message.file), self._mail.sender)
        told = sentence(
            "{sender} wants to join as {seat} without the word of the invitation; if it is the right person:"
            " pbem host confirm {short} {seat}",
            sender=self._mail.sender,
            seat=seat.seat,
            short=self._match.short,
        )
        self._letters.tell_operator("confirm", told, seat.game)
        return self._waits(seat, message)

    def _waits(self, seat: SeatRow, message: Message, template: str = "pending") -> Verdict:
        """Tell the sender of a join, in the language that it asks for."""
        tag = str(message.body.get("lang", "en"))
        if not self._quiet and self._letters.may_answer(self._mail.sender, "pending", 1):
            subject = joined((f"[pbem {self._match.short}]", sentence("your join waits for the host")), " ")
            self._letters.answer(
                self._mail.sender,
                template,
                str(self._row.id),
                self._answered,
                subject,
                language=language_of(tag),
                seat=seat.seat,
            )
        return Verdict(DONE, f"a join for {seat.seat} that waits for the host's word")

    # --- small things -----------------------------------------------------------------------------------------

    def _keep(self, message: Message, verdict: str, reject: bytes = b"") -> None:
        self._matches.keep_verdict(self._match.game, b64(message.hash), verdict, self._office.now(), reject)

    def _may_answer(self, seat: str, kind: str) -> bool:
        """Whether this seat may have one more such answer today; the host hears of it if not."""
        may = self._letters.may_answer(f"{self._match.game}/{seat}", kind, self._office.limits.answers)
        if not may:
            self._tell_aside(sentence("more mails of {seat} today than are answered", seat=seat))
        return may

    def _tell_aside(self, reason: str) -> None:
        """The host hears of what its sender does not hear of; strangers are in the digest."""
        if not self._quiet and is_known(self._transaction, self._mail.sender):
            told = sentence(
                "{sender}, mail {number}: {fault}",
                sender=self._mail.sender,
                number=self._row.id,
                fault=reason,
            )
            self._letters.tell_operator("aside", told, self._match.game)

    def _fault(self, kind: str, short: str, why: str) -> None:
        if not self._letters.may_answer(self._mail.sender, kind, 1):
            self._tell_aside(why)
        else:
            told = sentence("not taken: {why}", why=short)
            subject = joined((f"[pbem {self._match.short}]", told), " ")
            self._letters.answer(
                self._mail.sender,
                "fault",
                str(self._row.id),
                self._answered,
                subject,
                sentence=why,
                advice=sentence("If this is a mistake, write to the person who hosts the match."),
                again="",
            )

    def _drop_consents(self, record: Record) -> None:
        """Consents whose number is used up by the record cannot count any more."""
        for name, raw in self._matches.consents(self._match.game).items():
            message = read_message(raw)
            player = record.ledger.players.get(Seat(message.seat))
            if player is None or message.n <= player.n:
                self._matches.drop_consent(self._match.game, name)


def _what_words(what: JsonObject) -> str:
    rest = ", ".join(
        f"{name} {value}" for name, value in what.items() if name != "kind" and isinstance(value, str)
    )
    return joined((term(what["kind"]), f" ({rest})" if rest else ""), "")
