"""From rulings to rows of the outbox: which letter, to which address, in which thread, under which name.

Every letter is an *effect*: a text that names what it is the effect of (a batch of records and a seat; a mail and the
kind of answer). The effect is unique in the outbox and, under the host's secret, becomes the Message-ID.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pbem.crypto.digest import b64, short_id
from pbem.errors import PbemError
from pbem.formats.envelopes import open_contact
from pbem.formats.strict_json import canon
from pbem.game import JsonObject, Seat
from pbem.host.circle import Circle
from pbem.host.letter_mail import to_eml
from pbem.host.observers import public_kind
from pbem.host.reminders import Reminder
from pbem.host.service.alarms import Alarms
from pbem.host.service.office import Office
from pbem.host.service.words import Words
from pbem.language import Language, language_of
from pbem.letters import (
    Beside,
    Kind,
    Letter,
    Link,
    compose,
    invitation_letter,
    letters_for,
    public_letter,
    refusal_letter,
    reminder_letter,
)
from pbem.letters.environment import Style, environment
from pbem.letters.layout import fill
from pbem.letters.people import joined_in
from pbem.mail.mime import Head, known_ids
from pbem.mail.outgoing import (
    check_address,
    message_id,
    plain_mail,
    robot_headers,
    token_of,
)
from pbem.record import Line, Record
from pbem.record.deadlines import parse_time
from pbem.sentences import sentence
from pbem.store.database import Transaction
from pbem.store.database_mail import NewLetter, Notes, OutboxRows
from pbem.store.database_matches import Matches, SeatRow
from pbem.store.database_times import Observer, ObserverRows


@dataclass(frozen=True, slots=True)
class Answered:
    """The mail that a letter answers, as far as headers need it."""

    message_id: str = ""
    sender: str = ""


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
        self._notes = Notes(transaction)
        self._observers = ObserverRows(transaction)
        self._alarms = Alarms(office, transaction)
        self._words = Words(office, transaction)

    # --- letters of a match -------------------------------------------------------------------------------

    def batch(self, record: Record, first: int, sender: Seat | None, answered: Answered | None = None) -> int:
        """The letters that records ``first`` to the newest cause; how many."""
        office, game, last = self._office, b64(record.game), record.head.seq
        made, links, beside = 0, self._links(record), self.circle(game).beside(record, first)
        for letter in letters_for(
            record, first, last, sender, pictures=office.pictures, links=links, beside=beside
        ):
            mine = answered if letter.seat == sender else None
            made += self.letter(record, letter, f"{game}/{last}/{letter.seat}/{letter.kind.value}", mine)
        return made + self._observers_letters(record, first)

    def _links(self, record: Record) -> Callable[[Seat], Link | None]:
        """The way in by browser of each seat."""
        seats = self._matches.seats(b64(record.game))
        return lambda seat: self._words.link(seats[seat], joined=seat in record.ledger.players)

    def _observers_letters(self, record: Record, first: int) -> int:
        """What who reads along gets of a batch: the public letter, if there is one."""
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

    def receipt_again(
        self, record: Record, first: int, last: int, seat: Seat, answered: Answered, name: str
    ) -> int:
        """The earlier receipt once more, under the name of the mail that asked for it."""
        pictures = self._office.pictures
        beside, links = self.circle(b64(record.game)).beside(record, first), self._links(record)
        made = letters_for(record, first, last, seat, pictures=pictures, links=links, beside=beside)
        letters = [letter for letter in made if letter.seat == seat]
        return sum(self.letter(record, letter, f"again/{name}/{seat}", answered) for letter in letters)

    def refusal(
        self, record: Record, reject: JsonObject, sentence: str, answered: Answered, name: str = ""
    ) -> int:
        """The answer to a refused file; ``name`` is that of the mail if it was answered before."""
        body = reject["body"]
        seat = Seat(body["seat"])
        link, beside = self._links(record)(seat), self._named(record)
        letter = refusal_letter(
            record, seat, reject, sentence, reject_bytes=canon(reject), link=link, beside=beside
        )
        effect = f"again/{name}/{body['seat']}" if name else f"{body['game']}/refused/{body['hash']}"
        return self.letter(record, letter, effect, answered)

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

    def reminder(self, record: Record, reminder: Reminder) -> int:
        """A seat is told that its answer is still awaited; ``record`` is seen at the present moment."""
        link, beside = self._links(record)(reminder.seat), self._named(record)
        pictures = self._office.pictures
        letter = reminder_letter(
            record, reminder.seat, reminder.moment, pictures=pictures, link=link, beside=beside
        )
        return self.letter(record, letter, f"{b64(record.game)}/reminder/{reminder.seat}/{reminder.moment}")

    def records(self, record: Record, seat: Seat, since: int, answered: Answered, name: str) -> int:
        """The records from ``since`` on, once more, with where the match stands."""
        first = min(max(since, 0), record.head.seq)
        link, beside = self._links(record)(seat), self._named(record)
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
        token = token_of(office.key, effect)
        own = message_id(token, office.sender.address)
        thread = self._outbox.thread(game, reader.name)
        references = known_ids((*thread, answered.message_id) if answered else thread)
        replying = (answered.message_id if answered else "") or (thread[-1] if thread else "")
        short = short_id(record.game)
        headers = robot_headers(
            office.sender,
            answer=letter.kind.answers and answered is not None,
            match=short,
            seat=letter.seat,
            title=record.game_info.title,
        )
        at = parse_time(office.now())
        head = Head(
            office.sender.header(), reader.address, letter.subject, own, at, replying, references, headers
        )
        raw = to_eml(letter, head)
        envelope = office.sender.envelope(token)
        new = NewLetter(effect, token, own, game, reader.name, reader.address, envelope, raw, reader.held)
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
        """The language of the newest join from this address; English for who has no seat."""
        newest, tag = "", "en"
        for row in self._matches.seats_of(address):
            match = self._matches.find(row.game)
            if match is not None:
                record = self._office.records.load(self._matches, match)
                at, found = joined_in(record, Seat(row.seat), record.head.seq)
                newest, tag = max((newest, tag), (at, found))
        return language_of(tag)

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
        office = self._office
        language = language or self.language(to)
        effect = f"{kind}/{name}/{to}"
        token = token_of(office.key, effect)
        own = message_id(token, office.sender.address)
        template = environment(Style.TEXT, language).get_template(f"service/{kind}.txt.jinja")
        text = fill(template.render(values))
        headers = robot_headers(office.sender, answer=bool(answered.message_id))
        told, at = language.tell(subject), parse_time(office.now())
        raw = plain_mail(office.sender, to, told, text, own, at, headers, (answered.message_id,))
        envelope = "" if office.null_sender and kind == "fault" else office.sender.envelope(token)
        return int(self._outbox.add(NewLetter(effect, token, own, "", "", to, envelope, raw), office.now()))

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
