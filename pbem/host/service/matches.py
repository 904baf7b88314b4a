"""Matches of the service: made, taken over from a folder, invited to, confirmed, and acted on by the host."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple

from pbem.base.errors import RefusedError, UsageProblem
from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import counted, sentence
from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.host.acts import agreed, still_counts
from pbem.host.database.database import Transaction
from pbem.host.database.heads import Head
from pbem.host.database.joins import WaitingJoins, chosen
from pbem.host.database.lists import STATES, Lists, Wanted
from pbem.host.database.mail import InboxRows
from pbem.host.database.matches import Matches, MatchRow
from pbem.host.database.push import ApiRows
from pbem.host.database.times import FORKED, OLDER, Stop, Stops
from pbem.host.folder_database import database_at, opened_database
from pbem.host.letter_mail import Contacts
from pbem.host.rematch import contacts_again, plan_again
from pbem.host.service.access_codes import AccessCodes
from pbem.host.service.context import ServiceContext
from pbem.host.service.heal import LOST
from pbem.host.service.letters import Letterbox
from pbem.host.service.store import DatabaseStore, compact_view_of, messages_of
from pbem.host.service.webhooks import Webhooks
from pbem.host.status import status_of
from pbem.host.store import Act, Outcome, opened
from pbem.player.letters.letter import Link
from pbem.player.mail.outgoing import check_address
from pbem.player.store import MatchFolder
from pbem.protocol import referee
from pbem.protocol.crypto.digest import b64, short_id
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.formats.messages import read_message
from pbem.protocol.record import Line, Record
from pbem.protocol.record.deadlines import plus_hours
from pbem.protocol.record.takeover import awaited_seats
from pbem.protocol.referee import Accepted, MatchPlan, Refused

MOST_INVITATIONS: Final = 20
"""Invitations to one seat at one address: each is an email of its own."""

SLACK: Final = 120
"""Seconds by which the newest record of a match that is taken over may be ahead of this clock."""


@dataclass(frozen=True, slots=True)
class Invited:
    """A seat and where its invitation goes."""

    seat: str
    address: str
    word: str


class Rematch(NamedTuple):
    """The next match of the same people: its short name, who was invited, the seats without an address."""

    name: str
    invited: list[Invited]
    unknown: list[str]


class MatchClient:
    """What the host does with the matches of their service, each in one transaction."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context

    def create(self, plan: MatchPlan, nonce: bytes, contacts: Contacts | None = None, at: str = "") -> str:
        """A new match; its short name. Nobody is invited yet. ``contacts`` is what its emails say besides.

        With the same ``nonce`` and time ``at`` it is the same match, however often it is made.
        """
        declared = replace(plan, page=bool(self._context.page))
        genesis = referee.create_match(declared, self._context.host, nonce, at or self._context.now())
        return self._add([genesis], contacts)

    def again(self, short: str, nonce: bytes, title: str | None = None) -> Rematch:
        """The next match of the same people; everybody with an address is invited.

        Raises:
            RefusedError: the match is not over.
        """
        before = self.contacts(short)
        with self._context.database.transaction() as transaction:
            _match, record = self._open(transaction, short)
        plan = plan_again(record)
        contacts = contacts_again(record, before, self._context.host, title)
        name = self.create(plan, nonce, contacts)
        invited = self.invite(name, contacts.seats)
        return Rematch(name, invited, [seat for seat in plan.seats if seat not in contacts.seats])

    def adopt(self, folder: Path) -> str:
        """Take a match over from its folder: from now on it lives in this database, and the folder's is put aside.

        One match must not be led in two places: two lines with one number would prove the host's misconduct.
        """
        match_folder = MatchFolder(folder)
        with match_folder.lock():
            database = opened_database(folder)
            with closing(database), database.transaction() as source:
                theirs = Matches(source)
                (match,) = theirs.all()
                record = opened(theirs.lines(match.game), self._context.host)
                if record.head.at > self._context.later(SLACK):
                    raise UsageProblem(
                        sentence("the newest record is of {at}, later than this clock", at=record.head.at),
                        hint=sentence("If this computer's clock is behind, set it."),
                    )
                with self._context.database.transaction() as transaction:
                    self.add_within(
                        transaction, record.lines, Contacts.from_json(theirs.contacts(match.game))
                    )
                    Letterbox(self._context, transaction).learn_addresses(record, record.lines)
                    self._take_over(transaction, theirs, match)
            self._context.heads.note(match.game, Head(0, match.seq, match.head))
            for path in (match_folder.game.path, database_at(folder)):
                with suppress(FileNotFoundError):
                    path.rename(path.with_name(f"{path.name}.adopted"))
        return match.short

    def _take_over(self, transaction: Transaction, theirs: Matches, match: MatchRow) -> None:
        """What was refused stays refused, and a consent that waits waits on."""
        matches, now = Matches(transaction), self._context.now()
        for name, reject in theirs.rejects(match.game).items():
            matches.keep_verdict(match.game, name, "refused", now, reject)
        for name, raw in theirs.consents(match.game).items():
            matches.keep_consent(match.game, name, read_message(raw).seat, raw)
            matches.keep_verdict(match.game, name, "held", now)

    def bring_back(self, lines: Sequence[Line], record: Record) -> str:
        """A match that the database has lost, from a copy that was verified; its short name."""
        short = self._add(lines)
        with self._context.database.transaction() as transaction:
            Letterbox(self._context, transaction).learn_addresses(record, lines)
            InboxRows(transaction).again_for(f"{LOST} {short}")
        return short

    def _add(self, lines: Sequence[Line], contacts: Contacts | None = None) -> str:
        with self._context.database.transaction() as transaction:
            self.add_within(transaction, lines, contacts)
        self._context.heads.note(b64(lines[0].hash), Head(0, lines[-1].seq, lines[-1].hash.hex()))
        return short_id(lines[0].hash)

    def add_within(
        self, transaction: Transaction, lines: Sequence[Line], contacts: Contacts | None = None
    ) -> MatchRow:
        """Put a match with these records into the database, unless it is there; its row."""
        matches, game = Matches(transaction), b64(lines[0].hash)
        if matches.find(game) is None:
            matches.add(game, short_id(lines[0].hash), self._context.now(), lines[0].body["seats"])
            row = matches.claim(game)
            assert row is not None  # noqa: S101 - it was made just now
            if contacts is not None:
                matches.set_contacts(game, contacts.to_json())
            over = lines[-1].kind == "end"
            matches.append(row, [(line.raw, line.hash.hex()) for line in lines], over=over)
            for line in lines:
                for message in messages_of(line):
                    matches.keep_verdict(game, message, "line", line.at)
        added = matches.find(game)
        assert added is not None  # noqa: S101 - it was there, or was added
        return added

    def invite(
        self,
        short: str,
        addresses: Mapping[str, str],
        *,
        substitutes: bool = False,
        title: str | None = None,
        lang: str | None = None,
    ) -> list[Invited]:
        """Send an invitation with an invite code to each of these seats; a new one makes the old code void.

        ``title`` is what the host calls the match from now on, ``lang`` the language of these invitations; None: as
        noted.
        ``substitutes``: the seats are taken, and these people are to take them over. They get the whole match; their
        joins wait for the others' consent and the host's ``substitute``.
        """
        invited = []
        with self._context.database.transaction() as transaction:
            match, record = self._open(transaction, short)
            matches, letters = Matches(transaction), Letterbox(self._context, transaction)
            upto = record.head.seq if substitutes else 0
            contacts = letters.contacts(match.game)
            contacts = replace(contacts, title=contacts.title if title is None else title)
            if lang is not None:
                others = {seat: tag for seat, tag in contacts.langs.items() if seat not in addresses}
                contacts = replace(contacts, lang=lang, langs=others)
            matches.set_contacts(match.game, contacts.to_json())
            for seat, text in addresses.items():
                matches.required_seat(match, seat)
                _check_seat(record, seat, substitutes=substitutes)
                invited.append(self.invite_within(transaction, match, record, seat, text, upto=upto))
        return invited

    def invite_within(
        self,
        transaction: Transaction,
        match: MatchRow,
        record: Record,
        seat: str,
        text: str,
        *,
        upto: int = 0,
    ) -> Invited:
        """One invitation, with the records up to ``upto``, within a transaction that holds the match.

        Raises:
            UsageProblem: the address is none, is in too many matches, or was invited too often.
        """
        matches, address = Matches(transaction), check_address(text)
        self._check_open(matches, match, address)
        word = self._context.invite_code(match.game, seat, address)
        if matches.seats(match.game)[seat].invited != address:
            WaitingJoins(transaction).drop(match.game, seat)  # the host has chosen somebody else
        matches.invite(match.game, seat, address, word)
        ApiRows(transaction).invite(match.game, seat)
        row, letters = matches.seats(match.game)[seat], Letterbox(self._context, transaction)
        if not any(letters.invitation(record, row, n, upto=upto) for n in range(MOST_INVITATIONS)):
            raise UsageProblem(
                sentence(
                    "{address} was invited {most_invitations} times already",
                    address=address,
                    most_invitations=MOST_INVITATIONS,
                )
            )
        return Invited(seat, address, word)

    def _check_open(self, matches: Matches, match: MatchRow, address: str) -> None:
        """Nobody is in too many matches at once."""
        most, mine = self._context.limits.open_matches, matches.seats(match.game).values()
        if matches.open_of(address) >= most and address not in {row.reach for row in mine}:
            raise UsageProblem(
                counted(
                    "{address} has a seat in {n} match that is not over",
                    "{address} has a seat in {n} matches that are not over",
                    most,
                    address=address,
                ),
                hint=sentence("End some of them, or raise limits.open_matches in service.toml."),
            )

    def confirm(self, short: str, seat: str, which: str) -> None:
        """Let the join with this key count (``joins.chosen``) that came from the invited address without its code."""
        with self._context.database.transaction() as transaction:
            match, _ = self._open(transaction, short)
            joins = WaitingJoins(transaction)
            waiting = joins.of(match.game, seat)
            if not waiting:
                raise UsageProblem(
                    sentence(
                        "no join for {seat} of match {short} waits for confirmation", seat=seat, short=short
                    )
                )
            join = chosen(waiting, which)
            joins.drop(match.game, seat, join.key)
            store = DatabaseStore(self._context, transaction, match)
            ruling = store.host().take(join.message).ruling
        store.keep()
        if not isinstance(ruling, Accepted):
            reason = ruling.sentence if isinstance(ruling, Refused) else "it no longer counts"
            raise RefusedError(sentence("the join for {seat} is refused: {reason}", seat=seat, reason=reason))

    def act(self, short: str, act: Act) -> Outcome:
        """Do something of the host's own accord: records and emails in one transaction.

        Raises:
            RefusedError: it is not due.
        """
        with self._context.database.transaction() as transaction:
            match, _ = self._open(transaction, short)
            store = DatabaseStore(self._context, transaction, match)
            outcome = store.host().act(act)
        store.keep()
        return outcome

    def extend_all(self, hours: int) -> tuple[list[str], list[tuple[str, str]]]:
        """Give whoever is awaited in a running match so many hours more; those matches, and the others with why not."""
        with self._context.database.transaction() as transaction:
            rows = Matches(transaction).all()
            stopped = {stop.game for stop in Stops(transaction).all()}
        done, not_done = [], []
        for row in rows:
            if state_of(row, stopped) != "running":
                continue
            try:
                self.act(row.short, lambda record, at, _: _extended(record, self._context.host, hours, at))
                done.append(row.short)
            except RefusedError as fault:
                not_done.append((row.short, str(fault)))
        return done, not_done

    def _open(self, transaction: Transaction, short: str) -> tuple[MatchRow, Record]:
        matches = Matches(transaction)
        match = matches.hold(matches.required(short).game)
        assert match is not None  # noqa: S101 - no match is ever removed
        self.refuse_stopped(transaction, match)
        return match, self._context.records.load(matches, match)

    def refuse_stopped(self, transaction: Transaction, match: MatchRow) -> None:
        """Sign nothing in a match that stands still.

        Raises:
            RefusedError: it does.
        """
        stop = Stops(transaction).of(match.game)
        if stop is not None:
            raise RefusedError(
                sentence(
                    "match {short} stands still since {since}: {stands_still}",
                    short=match.short,
                    since=stop.since,
                    stands_still=STANDS_STILL[stop.state],
                ),
                hint=sentence("See: {command}", command=self._context.recover_command(match.short)),
            )

    def access_code(self, short: str, seat: str, *, new: bool = False) -> tuple[Link | None, str]:
        """A seat's link, if this host has an API, and its access code; a ``new`` one makes the old one void."""
        with self._context.database.transaction() as transaction:
            matches = Matches(transaction)
            match = matches.required(short)
            row = matches.required_seat(match, seat)
            codes = AccessCodes(self._context, transaction)
            code = codes.of(row.game, seat, new=new)
            if new:
                record = self._context.records.load(matches, match)
                Webhooks(self._context, transaction).forget(record, seat)
            link = codes.link(row, joined=True)
            return None if link is None else replace(link, word=code), code

    def lines(self, short: str) -> list[bytes]:
        """The game file of a match."""
        with self._context.database.transaction() as transaction:
            matches = Matches(transaction)
            match = matches.required(short)
            self._context.before_showing(match)
            return matches.lines(match.game)

    def webhook(
        self, short: str, address: str | None, seat: str = "", *, off: bool = False
    ) -> dict[str, str]:
        """Set a chat webhook of a match, or turn it off; the service of each seat's that is called now.

        Raises:
            UsageProblem: there is no such match or seat, or it is no address of a webhook.
        """
        with self._context.database.transaction() as transaction:
            match, _ = self._open(transaction, short)
            if seat:
                Matches(transaction).required_seat(match, seat)
            webhooks = Webhooks(self._context, transaction)
            if off:
                webhooks.off(match.game, seat)
            elif address is not None:
                webhooks.set(match, address, seat)
            return webhooks.services(match.game)

    def record(self, short: str) -> Record:
        """The match as it stands."""
        with self._context.database.transaction() as transaction:
            return self._open(transaction, short)[1]

    def noted_addresses(self, short: str) -> Mapping[str, str]:
        """Where the host noted, when the match was made, that invitations go."""
        with self._context.database.reading() as transaction:
            match = Matches(transaction).required(short)
            return Letterbox(self._context, transaction).contacts(match.game).seats

    def contacts(self, short: str) -> Contacts:
        """What is noted beside a match, with the addresses at which its seats are reached."""
        with self._context.database.transaction() as transaction:
            matches = Matches(transaction)
            named = matches.required(short)
            reached = {seat: row.reach for seat, row in matches.seats(named.game).items() if row.reach}
            return replace(Letterbox(self._context, transaction).contacts(named.game), seats=reached)

    def page(self, wanted: Wanted, first: int, size: int) -> tuple[list[str], int]:
        """The short names of one page of such matches, and how many there are. Records are read if they are new."""
        with self._context.database.transaction() as transaction:
            lists, matches, now = Lists(transaction), Matches(transaction), self._context.now()
            for row in lists.stale(now) if wanted.by_records else ():
                lists.note(row.game, compact_view_of(self._context.records.load(matches, row), now))
            return lists.page(wanted, first, size), lists.count(wanted)

    def status(self, shorts: Sequence[str] | None = None, language: Language = ENGLISH) -> list[JsonObject]:
        """Where these matches stand (all, if none are named), and how their seats are reached; in the order named."""
        with self._context.database.transaction() as transaction:
            matches = Matches(transaction)
            stops = {stop.game: stop for stop in Stops(transaction).all()}
            rows = matches.all() if shorts is None else [matches.named(short) for short in shorts]
            return [
                self._status(transaction, row, language) | _stopped(stops.get(row.game))
                for row in rows
                if row is not None
            ]

    def counts(self) -> dict[str, int]:
        """How many matches there are: ``running``, ``stopped``, ``over``."""
        with self._context.database.transaction() as transaction:
            return {state: Lists(transaction).count(Wanted([state])) for state in STATES}

    def _status(self, transaction: Transaction, match: MatchRow, language: Language) -> JsonObject:
        matches = Matches(transaction)
        record = self._context.records.load(matches, match)
        seats, joins = matches.seats(match.game), WaitingJoins(transaction)
        mail = [
            {
                "seat": str(seat),
                "address": seats[seat].reach,
                "suspended": seats[seat].suspended,
                "waiting": [
                    {"number": join.number, "key": join.key, "sender": join.sender}
                    for join in joins.of(match.game, seat)
                ],
                "heard": seats[seat].heard,
            }
            for seat in record.seats
        ]
        consents = [read_message(raw) for raw in matches.consents(match.game).values()]
        kept = agreed(message.file for message in consents if still_counts(record, message))
        named = Contacts.from_json(matches.contacts(match.game)).title
        facts = status_of(record, self._context.now(), language) | {"mail": mail, "consents": kept}
        return facts | ({"name": named} if named else {})


def _check_seat(record: Record, seat: str, *, substitutes: bool) -> None:
    """A seat to invite for is free, or taken if its player is to be replaced."""
    taken = Seat(seat) in record.ledger.players
    if substitutes and not taken:
        raise UsageProblem(
            sentence("seat {seat} is free", seat=seat), hint=sentence("Leave --substitute out.")
        )
    if taken and not substitutes:
        raise UsageProblem(
            sentence("seat {seat} is taken already", seat=seat),
            hint=sentence("A new player: --substitute."),
        )


STANDS_STILL: Final = {
    OLDER: sentence("the database is older than what was signed"),
    FORKED: sentence("two histories of it were signed"),
}
"""What the states of a match that stands still mean."""


def _stopped(stop: Stop | None) -> JsonObject:
    return {} if stop is None else {"stopped": {"state": stop.state, "since": stop.since}}


def _extended(record: Record, host: Identity, hours: int, at: str) -> Accepted:
    now = record.as_of(max(at, record.head.at)).ledger
    seats = awaited_seats(now)
    if now.due is None or not seats:
        raise RefusedError(sentence("nobody's time runs in it"))
    return referee.extend(record, host, seats[0], plus_hours(max(now.due, at), hours), at)


def state_of(row: MatchRow, stopped: Container[str]) -> str:
    """``over``, ``stopped`` or ``running``; ``stopped`` are the matches that stand still."""
    return "over" if row.over else "stopped" if row.game in stopped else "running"
