"""Email commands: HELP, STATUS, RESEND, REMIND, RESULTS, OBSERVE, LEAVE on the first line of a mail.

They work for a registered address, a seat's or that of somebody who reads along, and change nothing in a match: From
proves nothing. So a command can at most send emails to the address that is registered already, within the daily limits.
With several matches at one mailbox a command is for the match that the address (games+7q3kdw1x@…), the subject or the
line itself names; otherwise for all of the sender's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pbem.base.errors import UsageProblem
from pbem.base.sentences import counted, joined, sentence
from pbem.game import JsonObject, Seat
from pbem.host.database.database import Transaction
from pbem.host.database.mail import DONE, QUARANTINED, OutboxRows
from pbem.host.database.matches import Matches, MatchRow, SeatRow
from pbem.host.database.times import Observer, ObserverRows, Times
from pbem.host.reminders import USUAL, read_wish, words_of_wish
from pbem.host.service.context import ServiceContext
from pbem.host.service.letters import Letterbox
from pbem.host.status import status_of
from pbem.host.store import Answered
from pbem.player.letters.standing import waiting_at
from pbem.player.mail.intake import Command
from pbem.player.mail.look import Looked
from pbem.player.mail.robot import plus_part
from pbem.protocol.record import Record

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
