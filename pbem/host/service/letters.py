"""From rulings to rows of the outbox: which letter, to which address, in which thread, under which name.

Every letter is an *effect*: a text that names what it is the effect of (a batch of records and a seat; a mail and the
kind of answer). The effect is unique in the outbox and, under the host's secret, becomes the Message-ID.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pbem.base.errors import PbemError
from pbem.base.language import Language, language_of
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.host.books import Answered, Plain
from pbem.host.circle import Circle
from pbem.host.database.database import Transaction
from pbem.host.database.mail import MailNotes, NewLetter, OutboxRows
from pbem.host.database.matches import Matches, SeatRow
from pbem.host.database.times import Observer, ObserverRows
from pbem.host.letter_mail import Envelope, Name, answer_mail, letter_mail
from pbem.host.observers import public_kind
from pbem.host.service.alarms import Alarms
from pbem.host.service.office import Office
from pbem.host.service.words import DoorWords
from pbem.player.letters import (
    Beside,
    Kind,
    Letter,
    Link,
    compose,
    invitation_letter,
    public_letter,
)
from pbem.player.letters.people import joined_in
from pbem.player.mail.outgoing import (
    check_address,
)
from pbem.protocol.crypto.digest import b64, short_id
from pbem.protocol.formats.envelopes import open_contact
from pbem.protocol.record import Line, Record


@dataclass(frozen=True, slots=True)
class Reader:
    """Who gets a letter: a seat, or somebody who reads along; ``held`` if nothing is sent there for now."""

    name: str
    address: str
    held: bool = False


class Letterbox:
    """Writes letters into the outbox, within one transaction."""

    def __init__(self, office: Office, transaction: Transaction) -> None:
        self._office = office
        self._outbox = OutboxRows(transaction)
        self._matches = Matches(transaction)
        self._notes = MailNotes(transaction)
        self._observers = ObserverRows(transaction)
        self._alarms = Alarms(office, transaction)
        self._words = DoorWords(office, transaction)

    # --- letters of a match -------------------------------------------------------------------------------

    def links(self, record: Record) -> Callable[[Seat], Link | None]:
        """The way in by browser of each seat."""
        seats = self._matches.seats(b64(record.game))
        return lambda seat: self._words.link(seats[seat], joined=seat in record.ledger.players)

    def public(self, record: Record, first: int) -> int:
        """What who reads along gets of the records from ``first`` on: the public letter, if there is one."""
        game, last = b64(record.game), record.head.seq
        kind = public_kind(record, first, last)
        if kind is None:
            return 0
        made = 0
        for observer in self._observers.of(game):
            since = min(observer.since, last)
            title = self.circle(game).title
            letter = public_letter(record, last, since, kind, pictures=self._office.pictures, title=title)
            reader = Reader(observer.name, observer.address, bool(observer.suspended))
            made += self._queue(record, letter, reader, f"{game}/{last}/{observer.name}/{kind.value}")
            self._observers.sent(game, observer.address, last)
        return made

    def observer_records(
        self, record: Record, observer: Observer, since: int, answered: Answered, name: str
    ) -> int:
        """The records from ``since`` on to somebody who reads along, with where the match stands."""
        head, game = record.head.seq, b64(record.game)
        first, pictures = min(max(since, 0), head), self._office.pictures
        letter = public_letter(
            record, head, first - 1, Kind.NOTICE, pictures=pictures, title=self.circle(game).title
        )
        reader = Reader(observer.name, observer.address, bool(observer.suspended))
        made = self._queue(record, letter, reader, f"resend/{name}/{game}/{observer.name}", answered)
        self._observers.sent(game, observer.address, head)
        return made

    def invitation(self, record: Record, seat: SeatRow, number: int, upto: int = 0) -> int:
        """The invitation with its word; ``number`` tells a second one from the first, ``upto`` is what it brings."""
        circle = self.circle(seat.game)
        letter = invitation_letter(
            record,
            Seat(seat.seat),
            language_of(circle.language(seat.seat)),
            host=self._office.sender.name,
            title=circle.title,
            word=seat.word,
            joined=[player.name for player in record.ledger.players.values()],
            upto=upto,
            link=self._words.link(seat, joined=False),
        )
        effect = f"{seat.game}/invitation/{seat.seat}/{seat.invited}/{number}"
        if not seat.address:
            return self.letter(record, letter, effect)
        return self._queue(record, letter, Reader(f"@{seat.invited}", seat.invited), effect)

    def records(self, record: Record, seat: Seat, since: int, answered: Answered, name: str) -> int:
        """The records from ``since`` on, once more, with where the match stands."""
        first = min(max(since, 0), record.head.seq)
        link, beside = self.links(record)(seat), self._named(record)
        letter = compose(record, seat, record.head.seq, first - 1, Kind.NOTICE, link=link, beside=beside)
        return self.letter(record, letter, f"resend/{name}/{b64(record.game)}/{seat}", answered)

    def letter(self, record: Record, letter: Letter, effect: str, answered: Answered | None = None) -> int:
        """Queue one letter; 0 if its seat has no address, or the effect its letter."""
        game = b64(record.game)
        row = self.seat(game, letter.seat)
        if not row.reach:
            told = sentence(
                "match {short}: no address for {seat}: {subject}",
                short=short_id(record.game),
                seat=letter.seat,
                subject=letter.subject,
            )
            self.tell_operator("no-address", told, game)
            return 0
        return self._queue(
            record, letter, Reader(letter.seat, row.reach, bool(row.suspended)), effect, answered
        )

    def _queue(
        self, record: Record, letter: Letter, reader: Reader, effect: str, answered: Answered | None = None
    ) -> int:
        office, game = self._office, b64(record.game)
        name = Name.of(office.key, effect, office.sender)
        thread = self._outbox.thread(game, reader.name)
        mail = answered.message_id if answered else ""
        envelope = Envelope(office.sender, reader.address, name.own_id, office.now(), thread, mail)
        answers = letter.kind.answers and answered is not None
        raw = letter_mail(record, letter, envelope, answer=answers, paint=office.paint)
        sender = office.sender.envelope(name.token)
        new = NewLetter(
            effect, name.token, name.own_id, game, reader.name, reader.address, sender, raw, reader.held
        )
        return int(self._outbox.add(new, office.now()))

    def circle(self, game: str) -> Circle:
        """What the host noted beside the match."""
        note = self._matches.circle(game)
        return Circle.from_json(note) if note else Circle()

    def _named(self, record: Record) -> Beside:
        return Beside(self.circle(b64(record.game)).title)

    def seat(self, game: str, seat: str) -> SeatRow:
        """How a seat is reached."""
        return self._matches.seats(game)[seat]

    def learn_addresses(self, record: Record, lines: Sequence[Line]) -> None:
        """Take the addresses that new joins carry, sealed to the host, into use."""
        game = b64(record.game)
        for line in lines:
            body = line.body.get("msg", {}).get("body", {})
            if line.kind in ("join", "substitute") and "contact" in body:
                address = self._open_contact(record, body)
                if address:
                    self._matches.set_address(game, body["seat"], address)

    def _open_contact(self, record: Record, body: JsonObject) -> str:
        host = self._office.host
        try:
            return check_address(
                open_contact(record.game, body["seat"], host.seal_key, host.seal_public, body["contact"])
            )
        except PbemError as fault:
            told = sentence(
                "match {short}: the address in the join of {seat} cannot be used: {fault}",
                short=short_id(record.game),
                seat=body["seat"],
                fault=str(fault),
            )
            self.tell_operator("bad-contact", told, b64(record.game))
            return ""

    # --- answers without a letter of the match ----------------------------------------------------------------

    def language(self, address: str) -> Language:
        """The language of this address's join in its newest match; English for who has joined none.

        One match is read, not all: people who play for years have hundreds.
        """
        for row in self._matches.seats_of(address):
            match = self._matches.find(row.game)
            if match is not None:
                record = self._office.records.load(self._matches, match)
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
        language: Language | None = None,
        **values: Any,
    ) -> int:
        """A plain answer made from ``templates/service/<kind>.txt.jinja``; ``name`` is that of the mail.

        Without a ``language`` it is in the one of the newest join from this address.
        """
        language = language or self.language(to)
        return self.plain(to, Plain(kind, name, subject, language, values), answered)

    def plain(self, to: str, answer: Plain, answered: Answered) -> int:
        """The same, once it is known in which language."""
        office = self._office
        effect = f"{answer.kind}/{answer.name}/{to}"
        name = Name.of(office.key, effect, office.sender)
        raw = answer_mail(
            answer, Envelope(office.sender, to, name.own_id, office.now(), (), answered.message_id)
        )
        quiet = office.null_sender and answer.kind == "fault"
        sender = "" if quiet else office.sender.envelope(name.token)
        new = NewLetter(effect, name.token, name.own_id, "", "", to, sender, raw)
        return int(self._outbox.add(new, office.now()))

    def tell_operator(self, kind: str, text: str, game: str = "") -> None:
        """A line in the log, and a mail to the operator (``alarms``)."""
        self._alarms.tell(kind, text, game)

    def tell_of_state(self, kind: str, text: str) -> None:
        """The same of what lasts: no line is written as long as there was a mail within its time."""
        self._alarms.tell_of_state(kind, text)

    def may_answer(self, person: str, kind: str, most: int) -> bool:
        """Whether this person may get one more answer of this kind today, and one more answer at all."""
        today = self._office.today()
        if self._notes.count(person, kind, today) > most:
            return False
        return self._notes.count(person, "any", today) <= self._office.limits.answers
