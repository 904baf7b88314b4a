"""A club: the operator lists matches as open, and who may ask takes a free seat of one by email.

::

    JOIN                        the open matches, with their free seats
    JOIN 7q3kdw1x               a free seat of this one; an invitation follows
    JOIN 7q3kdw1x burt          this seat

*From* proves nothing: all that an email can cause is one email to the listed address that it names, and a seat is taken
only by the code in that invitation and a signed join. A seat that was asked for and not taken is free again after some
days.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from pbem.base.errors import UsageProblem
from pbem.base.sentences import counted, joined, sentence
from pbem.game import JsonObject, Seat
from pbem.host.database.database import Transaction
from pbem.host.database.mail import DONE, QUARANTINED, OutboxRows
from pbem.host.database.matches import Matches, MatchRow, SeatRow
from pbem.host.database.notes import MailNotes
from pbem.host.database.times import Observer, ObserverRows, Times
from pbem.host.reminders import USUAL, read_wish, words_of_wish
from pbem.host.service.context import ServiceContext
from pbem.host.service.letters import Letterbox
from pbem.host.service.matches import MatchClient
from pbem.host.status import status_of
from pbem.host.store import Answered
from pbem.player.letters.standing import waiting_at
from pbem.player.mail.intake import Command
from pbem.player.mail.look import Looked
from pbem.player.mail.robot import plus_part
from pbem.protocol.record import Record

_JOIN: Final = re.compile(
    r"JOIN(?: (?P<match>[0-9a-z]{8})(?: (?P<seat>[a-z][a-z0-9-]{0,15}))?)?", re.IGNORECASE
)
_OPEN: Final = "club-open/"
_LISTED: Final = "listed"
_ASKED: Final = "club-asked/"
_DAYS: Final = 3
"""After so many days a seat that was asked for and not taken is free again."""


def list_open(transaction: Transaction, game: str, *, shut: bool = False) -> None:
    """List a match as open from now on, or no more."""
    MailNotes(transaction).set(_OPEN + game, "" if shut else _LISTED)


def open_matches(context: ServiceContext, transaction: Transaction) -> list[JsonObject]:
    """What is open: ``match``, ``title``, ``game``, the free ``seats``; a match that is full or over is left out."""
    matches, offered = Matches(transaction), []
    rows = transaction.run(
        "SELECT matches.game FROM matches JOIN meta ON meta.name = 'club-open/' || matches.game"
        " WHERE meta.value = 'listed' AND matches.over = 0 ORDER BY matches.game"
    )
    for (game,) in rows:
        match = matches.find(str(game))
        seats = [] if match is None else free_seats(context, transaction, match)
        if match is not None and seats:
            title = Letterbox(context, transaction).contacts(match.game).title
            offered.append({"match": match.short, "title": title, "seats": seats})
    return offered


def free_seats(context: ServiceContext, transaction: Transaction, match: MatchRow) -> list[str]:
    """The seats that nobody has, and that nobody was asked for."""
    notes, matches = MailNotes(transaction), Matches(transaction)
    players = context.records.load(matches, match).ledger.players

    def free(seat: SeatRow) -> bool:
        at, _, address = notes.get(_ASKED + f"{match.game}/{seat.seat}").partition(" ")
        void = bool(at) and address == seat.invited and at < context.later(-_DAYS * 86_400)
        return Seat(seat.seat) not in players and (void or not (seat.invited or seat.by_link))

    return [name for name, seat in matches.seats(match.game).items() if free(seat)]


class RequestHandler:
    """Answers an email by which somebody asks this service for a table or a seat; ``name`` is that of the mail."""

    def __init__(self, context: ServiceContext, transaction: Transaction, name: str) -> None:
        self._context = context
        self._transaction = transaction
        self._notes = MailNotes(transaction)
        self._matches = Matches(transaction)
        self._letters = Letterbox(context, transaction)
        self._name = name

    def turned_away(self, mail: Looked, subject: str) -> tuple[str, str] | None:
        """State and reason for the mail's row, if its sender, who asks for ``subject``, is not answered."""
        tables, sender = self._context.tables, mail.sender
        known = tables.who == "known" and bool(self._matches.seats_of(sender))
        if not mail.quiet and (known or (tables.who == "list" and sender in tables.listed)):
            return None
        return QUARANTINED, mail.quiet or f"{subject}, from somebody who may not ask for one"

    def say(self, mail: Looked, letter: str, subject: str, **values: Any) -> None:
        """Answer the sender by an email of this kind."""
        answered = Answered(mail.message_id, mail.sender)
        self._letters.answer(mail.sender, letter, self._name, answered, subject, **values)


class JoinHandler(RequestHandler):
    """Answers an email that asks for a seat."""

    def answer(self, mail: Looked) -> tuple[str, str] | None:
        """State and reason for the mail's row; None if it asks for no seat."""
        asked = _JOIN.fullmatch(mail.intake.words.partition("\n")[0].strip())
        if asked is None:
            return None
        if away := self.turned_away(mail, "a seat"):
            return away
        if not self._letters.may_answer(mail.sender, "join", "4/day"):
            return DONE, "JOIN: answered often enough today"
        short = (asked["match"] or "").lower()
        return self._take(mail, short, (asked["seat"] or "").lower()) if short else self._list(mail)

    def _take(self, mail: Looked, short: str, seat: str) -> tuple[str, str]:
        named = self._matches.named(short)
        match = self._matches.hold(named.game) if named is not None else None
        if match is None or match.over or self._notes.get(_OPEN + match.game) != _LISTED:
            return self._list(mail, sentence("{match} is not an open match", match=short))
        mine = [
            row for row in self._matches.seats(match.game).values() if mail.sender in (row.reach, row.invited)
        ]
        free = free_seats(self._context, self._transaction, match)
        if mine:
            return self._list(mail, sentence("you have a seat in {match} already", match=short))
        if not free or (seat and seat not in free):
            return self._list(mail, sentence("{match} has no such free seat", match=short))
        taken, record = seat or free[0], self._context.records.load(self._matches, match)
        try:
            MatchClient(self._context).invite_within(self._transaction, match, record, taken, mail.sender)
        except UsageProblem as fault:
            return self._list(mail, str(fault))
        self._notes.set(_ASKED + f"{match.game}/{taken}", f"{self._context.now()} {mail.sender}")
        return DONE, f"JOIN: {taken} of {short} was asked for"

    def _list(self, mail: Looked, fault: str = "") -> tuple[str, str]:
        matches = open_matches(self._context, self._transaction)
        self.say(mail, "club", sentence("open matches"), matches=matches, fault=fault)
        return DONE, "JOIN: answered with what is open"


# Email commands: HELP, STATUS, RESEND, REMIND, RESULTS, OBSERVE, LEAVE on the first line of a
# mail.
#
# They work for a registered address, a seat's or that of somebody who reads along, and change nothing in
# a match: From proves nothing. So a command can at most send emails to the address that is registered
# already, within the daily limits. With several matches at one mailbox a command is for the match that the
# address (games+7q3kdw1x@…), the subject or the line itself names; otherwise for all of the sender's.

_SHORT: Final = re.compile(r"[0-9a-z]{8}")


class CommandHandler:
    """Answers one command, within one transaction."""

    def __init__(self, context: ServiceContext, transaction: Transaction, name: str) -> None:
        self._context = context
        self._matches = Matches(transaction)
        self._observers = ObserverRows(transaction)
        self._times = Times(transaction)
        self._letters = Letterbox(context, transaction)
        self._outbox = OutboxRows(transaction)
        self._name = name
        """What the answers are called after: the number of the mail."""

    def answer(self, mail: Looked, command: Command, quiet: str) -> tuple[str, str]:
        """State and reason for the mail's row."""
        all_seats = self._matches.seats_of(mail.sender)
        all_watched = self._observers.named(mail.sender) if mail.sender else []
        if command.word == "observe" and not quiet:
            return self._observe(mail, command, known=bool(all_seats or all_watched))
        if quiet or not (all_seats or all_watched):
            return QUARANTINED, quiet or f"{command.word} from somebody who is not registered"
        if not self._letters.may_answer(
            mail.sender, command.word, to=mail.sender, answered=Answered(mail.message_id)
        ):
            return DONE, f"{command.word}: too many today"
        named = self._named(mail, command)
        seats = [seat for seat in all_seats if seat.game in named]
        watched = [observer for observer in all_watched if observer.game in named]
        if not (seats or watched):
            seats, watched = all_seats, all_watched
        answered = Answered(mail.message_id, mail.sender)
        {
            "help": self._help,
            "status": self._status,
            "resend": self._resend,
            "remind": self._remind,
            "results": self._results,
            "leave": self._leave,
        }[command.word](seats, watched, command, answered)
        return DONE, command.word

    def _named(self, mail: Looked, command: Command) -> set[str]:
        """The matches that the address, the email that is answered, the subject or the command's own line names."""
        words = {plus_part(address) for address in mail.recipients} | set(
            _SHORT.findall(command.rest.lower())
        )
        subject = mail.subject.lower()
        return {
            match.game
            for short in words | set(_SHORT.findall(subject))
            if (match := self._matches.named(short)) is not None
        } | self._outbox.matches_of(mail.references, mail.sender)

    def _with_records(self, games: Sequence[str]) -> list[tuple[MatchRow, Record]]:
        rows = [self._matches.find(game) for game in dict.fromkeys(games)]
        return [(row, self._context.records.load(self._matches, row)) for row in rows if row is not None]

    def _help(self, seats: list[SeatRow], watched: list[Observer], _: Command, answered: Answered) -> None:
        names = [
            match.short
            for match, _record in self._with_records(
                [*(seat.game for seat in seats), *(observer.game for observer in watched)]
            )
        ]
        limits = counted(
            "At most {n} such answer a day is sent to one person.",
            "At most {n} such answers a day are sent to one person.",
            self._context.limits.answers,
        )
        subject = sentence("help")
        self._letters.answer(
            answered.sender, "help", self._name, answered, subject, matches=names, limits=limits
        )

    def _status(self, seats: list[SeatRow], watched: list[Observer], _: Command, answered: Answered) -> None:
        now = self._context.now()
        places = [(seat_row.game, str(seat_row.seat)) for seat_row in seats] + [
            (observer.game, "") for observer in watched
        ]
        matches: list[JsonObject] = []
        records: list[Record] = []
        language = self._letters.language(answered.sender)
        for game, seat in places:
            for _match, record in self._with_records([game]):
                records.append(record)
                hours = self._times.wishes(game).get(seat, USUAL)
                seen = record.as_of(max(now, record.head.at))
                words = waiting_at(seen, Seat(seat) if seat else None, seen.head.seq, language, now=now)
                more = {
                    "you": seat,
                    "reminders": words_of_wish(hours),
                    "stands": words.described(),
                    "by": words.by(),
                }
                matches.append(status_of(record, now, language) | more)
        about = records[0] if len(records) == 1 else None
        self._letters.answer(
            answered.sender, "status", self._name, answered, sentence("status"),
            about=about, language=language, matches=matches,
        )  # fmt: skip

    def _resend(
        self, seats: list[SeatRow], watched: list[Observer], command: Command, answered: Answered
    ) -> None:
        for seat in seats:
            for _match, record in self._with_records([seat.game]):
                self._letters.records(record, Seat(seat.seat), command.number, answered, self._name)
        for observer in watched:
            for _match, record in self._with_records([observer.game]):
                self._letters.observer_records(record, observer, command.number, answered, self._name)

    def _remind(
        self, seats: list[SeatRow], _watched: list[Observer], command: Command, answered: Answered
    ) -> None:
        words = [
            word for word in command.rest.replace(",", " ").split() if not _SHORT.fullmatch(word.lower())
        ]
        wishes, fault = [], ""
        try:
            hours = read_wish(words) if words else None
        except UsageProblem as problem:
            hours, fault = None, joined((str(problem), problem.hint or ""), ". ")
        for seat in seats:
            if hours is not None:
                self._times.wish(seat.game, seat.seat, hours)
            wish = self._times.wishes(seat.game).get(seat.seat, USUAL)
            match = self._matches.find(seat.game)
            if match is not None:
                wishes.append({"match": match.short, "seat": seat.seat, "wish": words_of_wish(wish)})
        self._letters.answer(
            answered.sender,
            "remind",
            self._name,
            answered,
            sentence("reminders"),
            wishes=wishes,
            fault=fault,
        )

    def _results(
        self, seats: list[SeatRow], _watched: list[Observer], command: Command, answered: Answered
    ) -> None:
        """Whether subjects show results: ``RESULTS hide``, ``RESULTS show``; alone, how it is."""
        words = {word for word in command.rest.lower().split() if not _SHORT.fullmatch(word)}
        shown, known = [], words in ({"hide"}, {"show"}, set())
        for seat in seats:
            contacts = self._letters.contacts(seat.game)
            if known and words:
                contacts = contacts.with_results(seat.seat, shown=words == {"show"})
                self._matches.set_contacts(seat.game, contacts.to_json())
            shown += [
                {"match": match.short, "seat": seat.seat, "shown": seat.seat not in contacts.discreet}
                for match, _record in self._with_records([seat.game])
            ]
        self._letters.answer(
            answered.sender,
            "results",
            self._name,
            answered,
            sentence("results in subjects"),
            seats=shown,
            fault="" if known else command.rest,
        )

    def _observe(self, mail: Looked, command: Command, *, known: bool) -> tuple[str, str]:
        """Somebody asks to read along. The host decides; a stranger hears nothing until then."""
        named = self._named(mail, command)
        match = self._matches.find(min(named)) if named else None
        if match is None or not mail.sender:
            return QUARANTINED, "observe: no match of this host is named"
        text = sentence(
            "{sender} asks to read along; if that is right: pbem host observe {short} {sender}",
            sender=mail.sender,
            short=match.short,
        )
        if self._letters.may_answer(mail.sender, "observe", "1/day"):
            self._letters.notify_operator("observe", text, match.game)
            if known:
                answered = Answered(mail.message_id, mail.sender)
                subject = sentence("reading along")
                self._letters.answer(mail.sender, "observe", self._name, answered, subject, match=match.short)
        return DONE, f"observe: the host was notified of {mail.sender}"

    def _leave(self, _seats: list[SeatRow], watched: list[Observer], _: Command, answered: Answered) -> None:
        left = []
        for observer in watched:
            if self._observers.remove(observer.game, observer.address):
                left += [match.short for match, _record in self._with_records([observer.game])]
        subject = sentence("no more emails")
        self._letters.answer(answered.sender, "leave", self._name, answered, subject, matches=left)
