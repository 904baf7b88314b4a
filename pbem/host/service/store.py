"""The store of a match in a service's database, within one transaction that has claimed it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from pbem.base.sentences import sentence
from pbem.game import JsonObject, Seat
from pbem.host.acts import quiet_until
from pbem.host.database.database import Transaction
from pbem.host.database.lists import Lists, MatchSummary
from pbem.host.database.mail import OutboxRows
from pbem.host.database.matches import Matches, MatchRow
from pbem.host.database.notes import MailNotes
from pbem.host.database.push import OPEN, ApiRows, PushRows
from pbem.host.database.times import ObserverRows, Stops, Times, is_known
from pbem.host.letter_mail import Contacts, effect_of
from pbem.host.maintenance import Maintenance
from pbem.host.match import MatchHost
from pbem.host.reminders import Wishes
from pbem.host.service.access_codes import AccessCodes
from pbem.host.service.context import ServiceContext
from pbem.host.service.heal import ABANDONED, Healer
from pbem.host.service.letters import Letterbox
from pbem.host.service.webhooks import Webhooks
from pbem.host.store import NOBODY, Caller, Known, Plain, Shown, Written
from pbem.protocol.crypto.digest import b64, unb64
from pbem.protocol.formats.envelopes import body_hash
from pbem.protocol.formats.messages import Message, read_message
from pbem.protocol.formats.strict_json import MAX_FILE, canon, parse
from pbem.protocol.record import Line, Record
from pbem.protocol.record.kinds import KINDS
from pbem.protocol.record.kinds.join import JOIN
from pbem.protocol.record.kinds.rekey import REKEY
from pbem.protocol.record.takeover import excused_left, host_must_act, overdue_from, taken_seat
from pbem.protocol.referee import Accepted, Departed, Ignored

_TALK: Final = "20/hour; 100/day"
_REPEATED: Final = "1/hour"


class DatabaseStore:
    """See ``MatchStore``; ``caller`` names the mail that is ruled on, by its number."""

    def __init__(self, context: ServiceContext, transaction: Transaction, match: MatchRow) -> None:
        self.steps = context.steps
        self.grown = False
        """Whether there are new records: to be remembered once the transaction is committed."""
        self._context = context
        self._transaction = transaction
        self._matches = Matches(transaction)
        self._times = Times(transaction)
        self._letters = Letterbox(context, transaction)
        self._match = match
        self._record = context.records.load(self._matches, match)

    def host(self) -> MatchHost:
        """The host at these store, now."""
        return MatchHost(self._context.host, self, self._context.now())

    def keep(self) -> None:
        """The transaction is committed: what it brought is remembered."""
        if self.grown:
            self._context.records.keep(self._record)

    @property
    def name(self) -> str:
        """See ``MatchStore``."""
        return self._match.short

    @property
    def record(self) -> Record:
        """See ``MatchStore``."""
        return self._record

    @property
    def contacts(self) -> Contacts:
        """See ``MatchStore``."""
        return self._letters.contacts(self._match.game)

    def addresses(self) -> Mapping[Seat, str]:
        """See ``MatchStore``."""
        rows = self._matches.seats(self._match.game)
        return {Seat(seat): row.reach for seat, row in rows.items() if row.reach}

    def note_contacts(self, contacts: Contacts) -> None:
        """See ``MatchStore``."""
        self._matches.set_contacts(self._match.game, contacts.to_json())

    def append(self, done: Accepted) -> None:
        """See ``MatchStore``: addresses, codes and wishes follow the people."""
        match, last = self._match, done.record.head
        now, lines = self._context.now(), [(line.raw, line.hash.hex()) for line in done.lines]
        # In maintenance whoever is awaited is given its time first.
        maintenance = Maintenance(MailNotes(self._transaction)).running(now)
        wake = "" if maintenance else quiet_until(done.record, self._context.host, self.wishes(), now)
        self._matches.append(match, lines, over=done.record.over, wake=wake, now=now)
        self._match = replace(match, seq=last.seq, head=last.hash.hex(), over=done.record.over)
        self._record, self.grown = done.record, True
        self._letters.learn_addresses(done.record, done.lines)
        webhooks = Webhooks(self._context, self._transaction)
        self._context.calls |= webhooks.wake(match.game) or PushRows(self._transaction).any(match.game)
        Lists(self._transaction).note(match.game, compact_view_of(done.record, self._context.now()))
        for line in done.lines:
            for name in messages_of(line):
                self._note(name, "line")
            if KINDS[line.kind].keys and line.kind != JOIN.name:
                webhooks.forget(done.record, taken_seat(done.record.ledger, line))
            if line.kind == REKEY.name:
                ApiRows(self._transaction).count_on(match.game, taken_seat(done.record.ledger, line))
            match KINDS[line.kind].invitation:
                case "taken":
                    self._matches.spend_invite_code(match.game, line.body["msg"]["body"]["seat"])
                case "replaced":
                    self._seated(line.body["msg"]["body"]["seat"])
                case "again":
                    ApiRows(self._transaction).count_on(match.game, line.body["msg"]["body"]["seat"])
                case "played":
                    self._played(line.body["msg"]["body"]["seat"])
                case "":
                    pass

    def _played(self, seat: str) -> None:
        """The link of the seat's invitation has done its work with its first turn."""
        codes = AccessCodes(self._context, self._transaction)
        if codes.code(self._matches.seats(self._match.game)[seat]):
            codes.spend(self._match.game, seat)

    def _seated(self, seat: str) -> None:
        """Somebody new sits there: the invite code is spent, the address good, what the forerunner wished forgotten."""
        game = self._match.game
        self._matches.spend_invite_code(game, seat)
        self._matches.note_contact(game, seat, self._context.now())
        self._times.forget_wish(game, seat)
        ApiRows(self._transaction).withdraw(game, seat, invitation=OPEN)

    def known(self, message: Message) -> Known:
        """See ``MatchStore``."""
        verdict, reject = self._matches.verdict(self._match.game, b64(message.hash))
        if verdict == "refused":
            return Known(parse(reject, limit=MAX_FILE))
        return Known(given_up=verdict == ABANDONED)

    def refuse(self, message: Message, reject: JsonObject) -> None:
        """See ``MatchStore``."""
        self._note(b64(message.hash), "refused", canon(reject))

    def hold(self, message: Message) -> None:
        """See ``MatchStore``."""
        name = b64(message.hash)
        self._matches.keep_consent(self._match.game, name, message.seat, canon(message.file))
        self._note(name, "held")

    def _note(self, name: str, verdict: str, reject: bytes = b"") -> None:
        self._matches.keep_verdict(self._match.game, name, verdict, self._context.now(), reject)

    def consents(self) -> list[Message]:
        """See ``MatchStore``."""
        return [read_message(raw) for raw in self._matches.consents(self._match.game).values()]

    def drop(self, message: Message) -> None:
        """See ``MatchStore``."""
        self._matches.drop_consent(self._match.game, b64(message.hash))

    def note_contact(self, message: Message, caller: Caller) -> None:
        """See ``MatchStore``: emails that were held back are sent."""
        game = self._match.game
        if self._matches.note_contact(game, message.seat, self._context.now(), mailed=caller.mailed):
            OutboxRows(self._transaction).release(game, message.seat)

    def webhook(self, message: Message, address: str) -> str:
        """See ``MatchStore``."""
        return Webhooks(self._context, self._transaction).ask(self._match, message, address)

    def shown(self) -> Sequence[Shown]:
        """See ``MatchStore``."""
        return Stops(self._transaction).proven(self._match.game)

    def given_up(self) -> int:
        """See ``MatchStore``."""
        return Stops(self._transaction).era(self._match.game)[1]

    def stand_still(self, ruling: Departed, caller: Caller) -> None:
        """See ``MatchStore``: the match stands still, and all mail waits with this one for it."""
        sender = "" if caller.quiet else caller.sender
        healer = Healer(self._context, self._transaction, caller.name)
        healer.stop(self._match, ruling.seen, ruling.seat, sender)

    def wishes(self) -> Wishes:
        """See ``MatchStore``."""
        return {Seat(seat): hours for seat, hours in self._times.wishes(self._match.game).items()}

    def wish(self, seat: Seat, hours: Sequence[int]) -> None:
        """See ``MatchStore``."""
        self._times.wish(self._match.game, seat, hours)

    def reminded(self) -> str:
        """See ``MatchStore``."""
        return self._times.row(self._match.game).reminded

    def remind_from(self, moment: str) -> None:
        """See ``MatchStore``."""
        self._times.remind_from(self._match.game, moment)

    def observers(self) -> Sequence[str]:
        """See ``MatchStore``."""
        return tuple(observer.address for observer in ObserverRows(self._transaction).of(self._match.game))

    def let_in(self, address: str) -> None:
        """See ``MatchStore``."""
        rows, game = ObserverRows(self._transaction), self._match.game
        rows.add(game, address)
        (mine,) = [observer for observer in rows.of(game) if observer.address == address]
        self._letters.observer_records(self._record, mine, 0, NOBODY, f"welcome {self._context.now()}")

    def let_go(self, address: str) -> None:
        """See ``MatchStore``."""
        ObserverRows(self._transaction).remove(self._match.game, address)

    def write(self, letters: Sequence[Written]) -> tuple[str, ...]:
        """See ``MatchStore``."""
        game, written = unb64(self._match.game, 32), []
        for letter in letters:
            name = letter.name
            kind = f"{name.kind}-again-{letter.caller.name}" if letter.again else name.kind
            effect = effect_of(game, name.upto, name.seat, kind)
            wait = self._context.limits.receipts if letter.spare else 0
            queued = self._letters.letter(self._record, name, effect, letter.caller, wait=wait)
            written += [effect] if queued else []
        return tuple(written)

    def public(self, first: int) -> None:
        """See ``MatchStore``."""
        self._letters.public(self._record, first)

    def say(self, seat: Seat, answer: Plain, caller: Caller = NOBODY) -> tuple[str, ...]:
        """See ``MatchStore``."""
        row = self._letters.seat(self._match.game, seat)
        if not row.reach or row.suspended:
            return ()
        self._letters.plain(row.reach, answer, caller)
        return (f"{answer.kind}/{answer.name}",)

    def may_answer(
        self, seat: Seat, kind: str, caller: Caller, limit: str = "", *, pays: bool = True
    ) -> bool:
        """See ``MatchStore``."""
        game, row = self._match.game, self._letters.seat(self._match.game, seat)
        person = f"{game}/{seat}" if pays else caller.sender or f"{game}/{seat}"
        to = "" if row.suspended else row.reach
        return self._letters.may_answer(person, kind, limit, to=to, answered=caller, game=game)

    def may_talk(self, seat: Seat) -> bool:
        """See ``MatchStore``."""
        return self._letters.budgets.take(_TALK, "talk", self._match.game, seat)

    def may_repeat(self, seat: Seat, message: Message, caller: Caller) -> bool:
        """See ``MatchStore``."""
        row = self._letters.seat(self._match.game, seat)
        return caller.sender == row.reach and self._letters.budgets.take(
            _REPEATED, "repeated", self._match.game, b64(message.hash)
        )

    def notify_host(self, kind: str, text: str) -> None:
        """See ``MatchStore``."""
        self._letters.notify_operator(kind, text, self._match.game)

    def notify_quarantined(self, reason: str, caller: Caller) -> None:
        """The host hears of what its sender does not hear of; strangers are in the quarantine alone."""
        if not caller.quiet and is_known(self._transaction, caller.sender):
            text = sentence(
                "{sender}, email {number}: {fault}", sender=caller.sender, number=caller.name, fault=reason
            )
            self.notify_host("aside", text)

    def put_aside(self, fault: str, caller: Caller) -> None:
        """See ``MatchStore``."""
        self.notify_host(
            "program-fault", sentence("email {number}: {fault}", number=caller.name, fault=fault)
        )

    def ignore(self, message: Message, ruling: Ignored, caller: Caller) -> None:
        """See ``MatchStore``; who was invited to a seat that is taken is informed, once a day."""
        seat = self._matches.seats(self._match.game).get(message.seat)
        invited = seat is not None and caller.sender in (seat.invited, seat.address)
        if not (ruling.taken and invited and not caller.quiet):
            self.notify_quarantined(ruling.reason, caller)
            return
        why = sentence("seat {seat} is taken already; later joins for it do not count", seat=message.seat)
        if not self._letters.may_answer(caller.sender, "seat-taken", "1/day"):
            self.notify_quarantined(why, caller)
            return
        text = sentence("not taken: {why}", why=sentence("the seat is taken"))
        self._letters.answer(
            caller.sender,
            "fault",
            caller.name,
            caller,
            text,
            about=self.record,
            sentence=why,
            advice=sentence("If this is a mistake, write to the person who hosts the match."),
            again="",
        )


def compact_view_of(record: Record, now: str) -> MatchSummary:
    """What a list says of this match at ``now``; it changes of itself when a pause ends or an excused miss comes up."""
    seen = record.as_of(max(now, record.head.at))
    ledger, waiting, until = seen.ledger, seen.waiting, ""
    if ledger.paused is not None:
        until = ledger.paused.until
    elif waiting is not None and excused_left(ledger, Seat(waiting["seat"])):
        until = overdue_from(ledger, Seat(waiting["seat"])) or ""
    by_hand = bool(ledger.proposals) and host_must_act(ledger)
    return MatchSummary(
        record.head.hash.hex(), seen.game_info.id, seen.due or "", "" if seen.over else until, by_hand
    )


def messages_of(line: Line) -> list[str]:
    """The names of the players' files in a record."""
    return [b64(body_hash(file["body"])) for file in line.messages]
