"""From rulings to rows of the outbox: which email, to which address, under which name; and from a name the email.

Every email is an *effect*: a text that names what it is the effect of (a batch of records and a seat; a mail and the
kind of answer). The effect is unique in the outbox and, under the host's secret, becomes the Message-ID. An email of a
match is kept as its name (``pbem.host.letter_mail``) and made when it leaves; an answer of text alone is kept itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pbem.base.errors import PbemError
from pbem.base.language import Language, language_of
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import Seat
from pbem.host.acts import public_kind
from pbem.host.budgets import Budgets, Spent
from pbem.host.database.database import Transaction
from pbem.host.database.lists import DatabaseCounts
from pbem.host.database.mail import QUARANTINED, InboxRow, InboxRows, NewLetter, OutboxRow, OutboxRows
from pbem.host.database.matches import Matches, SeatRow
from pbem.host.database.notes import MailNotes
from pbem.host.database.tables import MATCHES
from pbem.host.database.times import Observer, ObserverRows
from pbem.host.letter_mail import (
    INVITATION,
    NOWHERE,
    PUBLIC,
    RECORDS,
    REFUSED,
    Around,
    Contacts,
    Envelope,
    LetterName,
    Name,
    answer_mail,
    dated,
    is_of,
    letter_mail,
    make_letter,
)
from pbem.host.service.access_codes import AccessCodes
from pbem.host.service.alarms import Alarms, program_fault
from pbem.host.service.context import ServiceContext
from pbem.host.store import NOBODY, Answered, Plain
from pbem.player.letters.letter import Kind, Link, joined_in
from pbem.player.letters.rendering import LetterContexts
from pbem.player.mail.outgoing import Sender, check_address, envelope_token
from pbem.player.mail.robot import base_address
from pbem.protocol.crypto.digest import b64, short_id
from pbem.protocol.formats.envelopes import open_contact
from pbem.protocol.formats.strict_json import MAX_FILE, parse
from pbem.protocol.record import Line, Record
from pbem.protocol.record.kinds import KINDS


@dataclass(frozen=True, slots=True)
class Reader:
    """Who gets an email: a seat, or somebody who reads along; ``held`` if nothing is sent there for now."""

    name: str
    address: str
    held: bool = False


class NotMade(Exception):
    """An email that is not sent any more, since what it was to say is no longer so; ``str()`` says why."""


class Letterbox:
    """Writes emails into the outbox, within one transaction, and makes them from there."""

    def __init__(self, context: ServiceContext, transaction: Transaction) -> None:
        self._context = context
        self._transaction = transaction
        self._outbox = OutboxRows(transaction)
        self._matches = Matches(transaction)
        self._notes = MailNotes(transaction)
        self._observers = ObserverRows(transaction)
        self._alarms = Alarms(context, transaction)
        self._codes = AccessCodes(context, transaction)
        self.budgets = Budgets(DatabaseCounts(transaction, context.later))
        self._letter_contexts = LetterContexts()

    def public(self, record: Record, first: int) -> int:
        """What who reads along gets of the records from ``first`` on: the public email, if there is one."""
        game, last = b64(record.game), record.head.seq
        kind = public_kind(record, first, last)
        if kind is None:
            return 0
        count = 0
        for observer in self._observers.of(game):
            name = LetterName(PUBLIC, "", kind.value, min(observer.since, last), last)
            count += self._queue(
                record, name, _reader(observer), f"{game}/{last}/{observer.name}/{kind.value}"
            )
            self._observers.sent(game, observer.address, last)
        return count

    def observer_records(
        self, record: Record, observer: Observer, since: int, answered: Answered, name: str
    ) -> int:
        """The records from ``since`` on to somebody who reads along, with where the match stands."""
        head, game = record.head.seq, b64(record.game)
        letter = LetterName(PUBLIC, "", Kind.NOTICE.value, min(max(since, 0), head) - 1, head)
        effect = f"resend/{name}/{game}/{observer.name}"
        number = self._queue(record, letter, _reader(observer), effect, answered)
        self._observers.sent(game, observer.address, head)
        return number

    def invitation(self, record: Record, seat: SeatRow, number: int, upto: int = 0) -> int:
        """The invitation with its invite code; a second one has another ``number``, ``upto`` is what it brings."""
        name = LetterName(INVITATION, seat.seat, Kind.INVITATION.value, -1, upto)
        effect = f"{seat.game}/invitation/{seat.seat}/{seat.invited}/{number}"
        if not seat.address:
            return self.letter(record, name, effect)
        return self._queue(record, name, Reader(f"@{seat.invited}", seat.invited), effect)

    def records(self, record: Record, seat: Seat, since: int, answered: Answered, name: str) -> int:
        """The records from ``since`` on, once more, with where the match stands."""
        head = record.head.seq
        letter = LetterName(RECORDS, seat, Kind.NOTICE.value, min(max(since, 0), head) - 1, head)
        return self.letter(record, letter, f"resend/{name}/{b64(record.game)}/{seat}", answered)

    def letter(
        self, record: Record, name: LetterName, effect: str, answered: Answered = NOBODY, wait: int = -1
    ) -> int:
        """Queue one email; 0 if its seat has no address, or the effect its email.

        With a ``wait`` it leaves after so many seconds at the earliest, unless another email to that seat is queued
        until it leaves.
        """
        game = b64(record.game)
        row = self.seat(game, name.seat)
        if not row.reach and (row.by_link or not self._context.mails):
            return 0
        if not row.reach and self._context.by_hand:
            nowhere = Reader(name.seat, handed_over(name.seat), held=True)
            return self._queue(record, name, nowhere, effect, answered)
        if not row.reach:
            text = sentence(
                "match {short}: no address for {seat}: {subject}",
                short=short_id(record.game),
                seat=name.seat,
                subject=name.kind,
            )
            self.notify_operator("no-address", text, game)
            return 0
        reader = Reader(name.seat, row.reach, bool(row.suspended))
        return self._queue(record, name, reader, effect, answered, wait)

    def _queue(
        self,
        record: Record,
        name: LetterName,
        reader: Reader,
        effect: str,
        answered: Answered = NOBODY,
        wait: int = -1,
    ) -> int:
        context, game = self._context, b64(record.game)
        own = Name.of(context.key, effect, context.sender)
        whole = replace(
            name,
            **dated(name, record, self.contacts(game)),
            at=context.now(),
            address=reader.address,
            answers=answered.message_id,
        )
        sender = context.sender.envelope(envelope_token(context.key, own.token))
        new = NewLetter(
            effect, own.token, own.own_id, game, reader.name, reader.address, sender,
            name=whole.to_json(), held=reader.held, not_before=context.later(wait) if wait >= 0 else "",
        )  # fmt: skip
        return int(self._outbox.add(new, context.now()))

    def ready(self, row: OutboxRow, *, leaves: bool = True) -> Callable[[], bytes]:
        """What makes an email of the outbox: all that it needs of the database is read now, the mail made later.

        Where the seat has another address since the email was named, it has no way in by browser.

        Args:
            row: the email.
            leaves: it is to be sent; otherwise somebody asks what was sent.

        Raises:
            NotMade: it is not to be sent any more.
        """
        if not row.name:
            return lambda: row.raw
        name, context = LetterName.from_json(row.name), self._context
        match = self._transaction.once(MATCHES, row.game, lambda: self._matches.find(row.game))
        if match is None:
            raise NotMade(sentence("its match is not here"))
        context.before_showing(match)
        record = context.records.load(self._matches, match)
        if not is_of(name, record):
            raise NotMade(sentence("it tells of a record that is not in the match"))
        link, word = self._way_in(name, record, match.game) if name.seat else (None, "")
        if leaves and name.what == INVITATION and not word and not context.by_hand:
            raise NotMade(sentence("the invitation is not open any more"))
        contacts = self.contacts(match.game)
        reject = self._matches.verdict(match.game, name.file)[1] if name.what == REFUSED else b""
        around = Around(
            contacts,
            called(contacts) if context.by_hand else context.sender.name,
            link,
            word,
            context.pictures,
            lambda _: parse(reject, limit=MAX_FILE),
            self._letter_contexts,
        )
        letter = make_letter(name, record, around)
        thread = self._outbox.thread(match.game, row.seat, row.id)
        envelope = Envelope(sender_of(context, row), row.rcpt, row.message_id, name.at, thread, name.answers)
        answers = letter.kind.answers and bool(name.answers)
        return lambda: letter_mail(record, letter, envelope, answer=answers, paint=context.paint)

    def _way_in(self, name: LetterName, record: Record, game: str) -> tuple[Link | None, str]:
        """The link and the invite code of an email, as far as they are still its reader's."""
        row = self.seat(game, name.seat)
        if name.what == INVITATION:
            mine = name.address == row.invited
            return (self._codes.link(row, joined=False), row.word) if mine and row.word else (None, "")
        joined = Seat(name.seat) in record.ledger.players and name.address == row.reach
        return (self._codes.link(row, joined=True) if joined else None), ""

    def contacts(self, game: str) -> Contacts:
        """What the host noted beside the match."""
        return Contacts.from_json(self._matches.contacts(game))

    def seat(self, game: str, seat: str) -> SeatRow:
        """How a seat is reached."""
        return self._matches.seats(game)[seat]

    def learn_addresses(self, record: Record, lines: Sequence[Line]) -> None:
        """Take the addresses that new joins carry, sealed to the host, into use."""
        for line in lines:
            body = line.body.get("msg", {}).get("body", {})
            if KINDS[line.kind].newcomer and "contact" in body:
                address = self._open_contact(record, body["seat"], body["contact"])
                if address:
                    self._matches.set_address(b64(record.game), body["seat"], address)

    def _open_contact(self, record: Record, seat: str, contact: str) -> str:
        host = self._context.host
        try:
            return check_address(open_contact(record.game, seat, host.seal_key, host.seal_public, contact))
        except PbemError as fault:
            text = sentence(
                "match {short}: the address in the join of {seat} cannot be used: {fault}",
                short=short_id(record.game),
                seat=seat,
                fault=str(fault),
            )
            self.notify_operator("bad-contact", text, b64(record.game))
            return ""

    def language(self, address: str) -> Language:
        """The language of this address's join in its newest match; English for who has joined none.

        One match is read, not all: people who play for years have hundreds.
        """
        for row in self._matches.seats_of(address):
            match = self._matches.find(row.game)
            if match is not None:
                record = self._context.records.load(self._matches, match)
                at, tag = joined_in(record, Seat(row.seat), record.head.seq)
                if at:
                    return language_of(tag)
        return language_of("en")

    def answer(
        self,
        to: str,
        kind: str,
        name: str,
        answered: Answered,
        subject: str,
        *,
        about: Record | None = None,
        language: Language | None = None,
        **values: Any,
    ) -> int:
        """A plain answer made from ``templates/service/<kind>.txt.jinja``; ``name`` is that of the mail.

        ``about`` is the match that it is about. Without a ``language`` it is in the one of the newest join from this
        address.
        """
        language = language or self.language(to)
        match, title = ("", "") if about is None else (short_id(about.game), about.game_info.title)
        return self.plain(to, Plain(kind, name, subject, language, values, match, title), answered)

    def plain(self, to: str, answer: Plain, answered: Answered, seat: str = "", *, held: bool = False) -> int:
        """The same, once it is known in which language; ``held``: a person hands it over."""
        context = self._context
        if not context.mails or not to:
            return 0
        effect = f"{answer.kind}/{answer.name}/{to}"
        name = Name.of(context.key, effect, context.sender)
        raw = answer_mail(
            answer, Envelope(context.sender, to, name.own_id, context.now(), (), answered.message_id)
        )
        quiet = context.null_sender and answer.kind == "fault"
        sender = "" if quiet else context.sender.envelope(envelope_token(context.key, name.token))
        new = NewLetter(effect, name.token, name.own_id, "", seat, to, sender, raw, held=held)
        return int(self._outbox.add(new, context.now()))

    def notify_operator(self, kind: str, text: str, game: str = "") -> None:
        """A line in the log, and an email to the operator (``alarms``)."""
        self._alarms.notify(kind, text, game)

    def quarantine(self, mail: InboxRow, fault: Exception) -> None:
        """An email that this program fails at is quarantined, and the operator alerted."""
        reason = program_fault(fault)
        InboxRows(self._transaction).settle(mail, QUARANTINED, reason)
        text = sentence("email {number}: {fault}", number=mail.id, fault=reason)
        self.notify_operator("program-fault", text)

    def notify_of_state(self, kind: str, text: str) -> None:
        """The same of what lasts: no line is written as long as there was an email within its time."""
        self._alarms.notify_of_state(kind, text)

    def may_answer(
        self,
        person: str,
        kind: str,
        limit: str = "",
        *,
        to: str = "",
        answered: Answered = NOBODY,
        game: str = "",
    ) -> bool:
        """Whether this person may get one more answer: of this kind, and of any.

        At its end one answer says so (``to``, if it is known where), and one line of the log; then there is silence.

        Args:
            person: an address, or ``match/seat``.
            kind: what it is about.
            limit: how many of this kind there are in a time; empty if it is not counted apart.
            to: where the answer would go.
            answered: the mail that it would answer.
            game: the match that it is about.
        """
        if limit and not self.budgets.take(limit, kind, person):
            return False
        spent = self.budgets.spend(self._context.limits.to_one, "answers", person)
        if spent is Spent.ENDS:
            text = sentence("{person}: no more answers for a while", person=to or person)
            self._notes.write(self._context.now(), "spent", self._alarms.words(text), game)
            if to:
                subject = sentence("no more answers for a while")
                limits = self._context.limits
                self.answer(
                    to, "limit", f"{person}/{self._context.now()}", answered, subject,
                    hour=limits.answers_hour, day=limits.answers,
                )  # fmt: skip
        return spent is Spent.GOOD


def called(contacts: Contacts) -> str:
    """How invitations name a host who has no service: with the address that answers go to."""
    return f"{contacts.name} <{contacts.mail}>" if contacts.mail else contacts.name


def handed_over(seat: str) -> str:
    """What stands for the address of a seat that has given none: the host hands its emails over."""
    return f"{seat}@{NOWHERE}"


def sender_of(context: ServiceContext, row: OutboxRow) -> Sender:
    """Who an email comes from: a service with several mailboxes has an address for each."""
    address = base_address(row.env_from or context.sender.address)
    return Sender(address, context.sender.name, context.sender.plus)


def _reader(observer: Observer) -> Reader:
    return Reader(observer.name, observer.address, bool(observer.suspended))
