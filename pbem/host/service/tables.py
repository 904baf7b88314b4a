"""A table at a neighbour's: somebody asks this service by email for a match of people, and has no power in it.

::

    TABLE wyatt-earp saturday          the asker; answered by one email with a one-time code, to listed askers only
    anna anna@example.org
    burt burt@example.org
    hours 48

    TABLE 7q3kdw1xab                   the code comes back: the match is made, and the invitations leave
    NO 7q3kdw1xab                      the code of an invitation: that address is asked for no further table

*From* proves nothing, so a forged mail causes at most one email, to the listed asker whom it names, and none to
others. No free text of an asker reaches anybody. The match has the operator's defaults, and nobody of it is the host.
"""

from __future__ import annotations

import hmac
import json
import re
from dataclasses import asdict
from typing import Any, Final

from pbem.base.errors import UsageProblem
from pbem.base.sentences import counted, sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.host.database.database import Transaction
from pbem.host.database.mail import DONE, QUARANTINED
from pbem.host.database.matches import Matches
from pbem.host.database.notes import MailNotes
from pbem.host.letter_mail import Contacts
from pbem.host.service.club import RequestHandler
from pbem.host.service.context import ServiceContext
from pbem.host.service.matches import MatchClient
from pbem.player.mail.look import Looked
from pbem.player.mail.outgoing import check_address
from pbem.protocol.crypto import digest as base32
from pbem.protocol.crypto.digest import lp, mac
from pbem.protocol.crypto.identity import SECRET_SIZE, Identity
from pbem.protocol.record import Deadlines
from pbem.protocol.referee import MatchPlan, create_match

_ASKED: Final = re.compile(r"TABLE (?P<game>[a-z0-9-]{1,32}) (?P<title>[a-z0-9-]{1,16})", re.IGNORECASE)
_WORD: Final = re.compile(r"(?P<what>TABLE|NO) (?P<word>[0-9a-z]{10})", re.IGNORECASE)
_SEAT: Final = re.compile(
    r"(?P<seat>[a-z][a-z0-9-]{0,15}) <?(?P<address>[^\s<>@]+@[^\s<>@]+)>?", re.IGNORECASE
)
_HOURS: Final = re.compile(r"hours (?P<hours>[0-9]{1,3})", re.IGNORECASE)
_MOST_LINES: Final = 12
_PENDING: Final = "table-asked/"
_MAKE: Final = "table-make/"
_OPEN: Final = "table-open/"
_NEVER: Final = "table-never/"
_DAYS: Final = 3
"""After so many days a code that did not come back is void."""


@dataclass(frozen=True, slots=True)
class AskedTable:
    """A table as an asker wrote it."""

    game: str
    title: str
    seats: dict[str, str]
    hours: int | None = None

    def plan(self) -> MatchPlan:
        """What is played: the operator's defaults but for the hours."""
        policy = Deadlines() if self.hours is None else Deadlines(hours=self.hours)
        return MatchPlan(self.game, list(self.seats), deadlines=policy)


def read_table(words: str) -> AskedTable:
    """The table that an email asks for.

    Raises:
        UsageProblem: a line that is none of it, or a match that the rules do not allow.
    """
    first, *rest = [line for line in words.splitlines() if line.strip()][: _MOST_LINES + 1]
    head = _ASKED.fullmatch(first.strip())
    if head is None or len(rest) > _MOST_LINES:
        raise UsageProblem(sentence("a table is asked for by TABLE, a game and a title of a-z, 0-9 and -"))
    seats: dict[str, str] = {}
    hours = None
    for line in rest:
        if (match := _HOURS.fullmatch(line.strip())) is not None:
            hours = int(match["hours"])
        elif (match := _SEAT.fullmatch(line.strip())) is not None:
            seats[match["seat"].lower()] = check_address(match["address"])
        elif line.startswith("--"):
            break
        else:
            raise UsageProblem(sentence("a line is a seat and an address, or hours and a number"))
    asked = AskedTable(head["game"].lower(), head["title"].lower(), seats, hours)
    create_match(asked.plan(), Identity(bytes(SECRET_SIZE)), bytes(16), "2026-01-01T00:00:00Z")
    return asked


class TableHandler(RequestHandler):
    """Answers an email about a table."""

    def answer(self, mail: Looked) -> tuple[str, str] | None:
        """State and reason for the mail's row; None if it is about no table."""
        first = mail.intake.words.partition("\n")[0].strip()
        word, asked = _WORD.fullmatch(first), _ASKED.fullmatch(first)
        if word is not None and word["what"].upper() == "NO":
            return self._never(mail, word["word"].lower())
        if word is None and asked is None:
            return None
        if away := self.turned_away(mail, "a table"):
            return away
        return self._asked(mail) if word is None else self._back(mail, word["word"].lower())

    def _asked(self, mail: Looked) -> tuple[str, str]:
        """One email a day, with the code that makes the table, or with what is wrong."""
        if not self._letters.may_answer(mail.sender, "table", "1/day"):
            return DONE, "a table: answered today already"
        try:
            asked = read_table(mail.intake.words)
        except UsageProblem as fault:
            self._say(mail, fault=str(fault))
            return DONE, "a table that cannot be"
        plan, at = asdict(asked), self._context.now()
        word = base32.encode(mac(self._context.key, lp("pbem/1 table", mail.sender, json.dumps(plan), at)))[
            :10
        ].lower()
        self._notes.set(_PENDING + mail.sender, json.dumps({"word": word, "at": at, "plan": plan}))
        self._say(mail, word=word, seats=list(asked.seats), title=asked.title)
        return DONE, "a table was asked for"

    def _back(self, mail: Looked, word: str) -> tuple[str, str]:
        """The code came back: the table is made in the next step, outside of this mail's transaction."""
        raw = self._notes.get(_PENDING + mail.sender)
        kept: JsonObject = json.loads(raw) if raw else {}
        fits = bool(kept) and hmac.compare_digest(word, kept["word"])
        if not fits or kept["at"] < self._context.later(-_DAYS * 86_400):
            return QUARANTINED, "a table's word that is void"
        fault = self._limit(mail.sender, kept["plan"])
        self._notes.set(_PENDING + mail.sender, "")
        if fault:
            if self._letters.may_answer(mail.sender, "table-limit", "1/day"):
                self._say(mail, fault=fault)
            return DONE, "a table beyond the limits"
        self._notes.set(_MAKE + word, json.dumps({"asker": mail.sender, "at": self._context.now(), **kept}))
        return DONE, "a table is made"

    def _limit(self, asker: str, plan: JsonObject) -> str:
        tables, seats = self._context.tables, len(plan["seats"])
        if open_tables(self._transaction).get(asker, 0) >= tables.most:
            return counted(
                "you have {n} open table here already", "you have {n} open tables here already", tables.most
            )
        if not self._letters.budgets.take(f"{tables.seats_a_day}/day", "table-seats", asker, cost=seats):
            return sentence("more seats in a day than are invited here")
        if any(self._notes.get(_NEVER + address) for address in plan["seats"].values()):
            return sentence("one of these people takes part in no tables")
        return ""

    def _never(self, mail: Looked, word: str) -> tuple[str, str]:
        """``NO`` counts only with the code of an invitation to this very address."""
        rows = [row for row in self._matches.seats_of(mail.sender) if row.word]
        if not any(hmac.compare_digest(row.word, word) for row in rows):
            return QUARANTINED, "NO without the code of an invitation"
        self._notes.set(_NEVER + mail.sender, self._context.now())
        return DONE, f"{mail.sender} takes part in no further tables"

    def _say(self, mail: Looked, **rest: Any) -> None:
        self.say(
            mail, "table", sentence("a table"), **{"word": "", "fault": "", "seats": (), "title": "", **rest}
        )


def open_tables(transaction: Transaction) -> dict[str, int]:
    """How many matches that are not over each asker has here."""
    rows = transaction.run(
        "SELECT value FROM meta JOIN matches ON meta.name = 'table-open/' || matches.game WHERE matches.over = 0"
    )
    counts: dict[str, int] = {}
    for (asker,) in rows:
        counts[str(asker)] = counts.get(str(asker), 0) + 1
    return counts


class TableMaker:
    """Makes the tables whose words came back: each once, however often this is begun."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context

    def make_one(self) -> bool:
        """Make one table; False if none waits."""
        context = self._context
        with context.database.reading() as transaction:
            rows = transaction.run(
                "SELECT name, value FROM meta WHERE name LIKE 'table-make/%' ORDER BY name LIMIT 1"
            )
        if not rows:
            return False
        name, kept = str(rows[0][0]), json.loads(rows[0][1])
        plan, client = kept["plan"], MatchClient(context)
        asked = AskedTable(**plan)
        nonce = mac(context.key, lp("pbem/1 table nonce", name))[:16]
        contacts = Contacts(context.sender.name, title=asked.title, asker=kept["asker"], seats=asked.seats)
        # The same match, if it is made again.
        short = client.create(asked.plan(), nonce, contacts, at=kept["at"])
        context.steps("table-created")
        with context.database.transaction() as transaction:
            match = Matches(transaction).named(short)
            assert match is not None  # noqa: S101 - it was made just now
            MailNotes(transaction).set(_OPEN + match.game, kept["asker"])
            seats = Matches(transaction).seats(match.game)
        missing = {seat: address for seat, address in asked.seats.items() if not seats[seat].invited}
        if missing:
            client.invite(short, missing)
        with context.database.transaction() as transaction:
            transaction.run("DELETE FROM meta WHERE name = ?", name)
        return True
