"""The store of a match in a service's database, within one transaction that has claimed it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count

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
from pbem.host.letter_mail import Contacts, LetterName, effect_of
from pbem.host.maintenance import Maintenance
from pbem.host.match import MatchHost
from pbem.host.policy import Unlimited
from pbem.host.reminders import Wishes
from pbem.host.service.access_codes import AccessCodes
from pbem.host.service.context import ServiceContext
from pbem.host.service.heal import ABANDONED, Healer
from pbem.host.service.letters import Letterbox, handed_over
from pbem.host.service.policy import Limited
from pbem.host.service.webhooks import Webhooks
from pbem.host.store import NOBODY, Caller, Known, Plain, Written
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
        self.outbox = OutboxRows(transaction)
        self.notes = MailNotes(transaction)
        self._match = match
        self._record = context.records.load(self._matches, match)

    def host(self, now: str = "") -> MatchHost:
        """The host at this store, at the time ``now`` or by the clock."""
        context = self._context
        policy = Unlimited() if context.by_hand else Limited(self._letters, self._match.game)
        return MatchHost(context.host, self, policy, now or context.now())

    def keep(self) -> None:
        """The transaction is committed: what it brought is remembered."""
        if self.grown:
            self._context.records.keep(self._record)

    @property
    def name(self) -> str:
        """See ``MatchStore``."""
        return str(self._context.folder or self._match.short)

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

    def note_addresses(self, addresses: Mapping[str, str]) -> None:
        """Where the emails of these seats go as long as no join has brought their own addresses."""
        for seat, address in addresses.items():
            self._matches.invite(self._match.game, seat, address, "")

    def note_contacts(self, contacts: Contacts) -> None:
        """See ``MatchStore``."""
        self._matches.set_contacts(self._match.game, contacts.to_json())

    def append(self, done: Accepted) -> None:
        """See ``MatchStore``: addresses, codes and wishes follow the people."""
        match, last = self._match, done.record.head
        now, lines = self._context.now(), [(line.raw, line.hash.hex()) for line in done.lines]
        # In maintenance whoever is awaited is given its time first.
        maintenance = Maintenance(self.notes).running(now)
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
            self.outbox.release(game, message.seat)

    def webhook(self, message: Message, address: str) -> str:
        """See ``MatchStore``."""
        if self._context.by_hand:
            return sentence("This host calls no webhooks.")
        return Webhooks(self._context, self._transaction).ask(self._match, message, address)

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

    def lost_is_given_back(self) -> None:
        """The match has the time of an outage back."""
        self._times.give_back(self._match.game)

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
            kind = self._again(name, letter.caller) if letter.again else name.kind
            effect = effect_of(game, name.upto, name.seat, kind)
            wait = self._spared_for if letter.spare else -1
            queued = self._letters.letter(self._record, name, effect, letter.caller, wait=wait)
            written += [effect] if queued or self._context.by_hand else []
        return tuple(written)

    @property
    def _spared_for(self) -> int:
        """Seconds that a mere receipt waits for another email to its seat; a host by hand sends when they like."""
        return 0 if self._context.by_hand else self._context.limits.receipts or -1

    def _again(self, name: LetterName, caller: Caller) -> str:
        """What an email is called that is written again: after who asked, or by the first number that has not left."""
        if not self._context.by_hand:
            return f"{name.kind}-again-{caller.name}"
        game, outbox = unb64(self._match.game, 32), self.outbox
        numbers = (f"{name.kind}-again-{number}" for number in count(1))
        return next(
            kind for kind in numbers if not outbox.has_left(effect_of(game, name.upto, name.seat, kind))
        )

    def public(self, first: int) -> None:
        """See ``MatchStore``."""
        self._letters.public(self._record, first)

    def say(self, seat: Seat, answer: Plain, caller: Caller = NOBODY) -> tuple[str, ...]:
        """See ``MatchStore``."""
        row = self._letters.seat(self._match.game, seat)
        if self._context.by_hand:
            to = row.reach or handed_over(seat)
            self._letters.plain(to, answer, caller, seat, held=not row.reach)
            return (f"{answer.kind}/{answer.name}/{to}",)
        if not row.reach or row.suspended:
            return ()
        self._letters.plain(row.reach, answer, caller, seat)
        return (f"{answer.kind}/{answer.name}/{row.reach}",)

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
        if self._context.by_hand:
            return
        self.notify_host(
            "program-fault", sentence("email {number}: {fault}", number=caller.name, fault=fault)
        )

    def ignore(self, message: Message, ruling: Ignored, caller: Caller) -> None:
        """See ``MatchStore``; who was invited to a seat that is taken is informed, once a day."""
        if self._context.by_hand:  # whoever has handed it in hears of it at once
            return
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
