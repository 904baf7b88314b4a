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
from typing import Final

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.host.database.database import Transaction
from pbem.host.database.mail import DONE, QUARANTINED
from pbem.host.database.matches import Matches, MatchRow, SeatRow
from pbem.host.database.notes import MailNotes
from pbem.host.service.context import ServiceContext
from pbem.host.service.letters import Letterbox
from pbem.host.service.matches import MatchClient
from pbem.host.store import Answered
from pbem.player.mail.look import Looked

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


class JoinHandler:
    """Answers an email that asks for a seat; ``name`` is that of the mail."""

    def __init__(self, context: ServiceContext, transaction: Transaction, name: str) -> None:
        self._context = context
        self._transaction = transaction
        self._notes = MailNotes(transaction)
        self._matches = Matches(transaction)
        self._letters = Letterbox(context, transaction)
        self._name = name

    def answer(self, mail: Looked) -> tuple[str, str] | None:
        """State and reason for the mail's row; None if it asks for no seat."""
        asked = _JOIN.fullmatch(mail.intake.words.partition("\n")[0].strip())
        if asked is None:
            return None
        if mail.quiet or not self._may_ask(mail.sender):
            return QUARANTINED, mail.quiet or "a seat, from somebody who may not ask for one"
        if not self._letters.may_answer(mail.sender, "join", "4/day"):
            return DONE, "JOIN: answered often enough today"
        short = (asked["match"] or "").lower()
        return self._take(mail, short, (asked["seat"] or "").lower()) if short else self._list(mail)

    def _may_ask(self, sender: str) -> bool:
        club = self._context.club
        if club.who == "known":
            return bool(self._matches.seats_of(sender))
        return club.who == "list" and sender in club.listed

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
        self._letters.answer(
            mail.sender,
            "club",
            self._name,
            Answered(mail.message_id, mail.sender),
            sentence("open matches"),
            matches=matches,
            fault=fault,
        )
        return DONE, "JOIN: answered with what is open"
