"""Mail comes in: kept byte for byte before anything parses it, then sorted to the match it is for.

``keep`` is the only thing done with untrusted bytes before they are on the disk. ``sort_one`` looks into one mail and
decides: for a match (``ready``), dealt with at once (a bounce, a plain command), or quarantined with the reason
(``quarantined``). Nothing is deleted.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from pbem.base.errors import StoreError
from pbem.base.sentences import Sentence, joined, sentence
from pbem.game import Seat
from pbem.host.database.database import Transaction
from pbem.host.database.mail import (
    BY_HAND,
    DONE,
    POSTED,
    QUARANTINED,
    InboxRow,
    InboxRows,
    OutboxRow,
    OutboxRows,
)
from pbem.host.database.matches import Matches
from pbem.host.database.notes import MailNotes
from pbem.host.database.times import ObserverRows, is_known
from pbem.host.service.club import JoinHandler
from pbem.host.service.commands import CommandHandler
from pbem.host.service.context import ServiceContext
from pbem.host.service.crowd import Jumps
from pbem.host.service.heal import LOST, Healer
from pbem.host.service.letters import Letterbox
from pbem.host.store import NOBODY, Answered
from pbem.player.mail.confined import Broke
from pbem.player.mail.gate import (
    MAX_MESSAGE,
    MailRefused,
    body_of,
    peek_message_id,
    peek_sender,
    too_big,
)
from pbem.player.mail.intake import Command, DamagedPart
from pbem.player.mail.look import Looked
from pbem.player.mail.outgoing import FOUND_BY, envelope_token
from pbem.player.mail.ports import WaitingMail
from pbem.player.mail.robot import Bounce, base_address, robotic
from pbem.protocol.crypto.digest import b64, lp, short_id
from pbem.protocol.formats.messages import Message
from pbem.protocol.record import Record
from pbem.protocol.record.line import proves
from pbem.protocol.record.takeover import awaited_seats

_PROBE: Final = "probe"
_PROVES_FOR: Final = 14 * 86_400
"""Seconds after it left in which a bounce of an email counts."""
_ONCE: Final = "1/14 day"
SOFT_BOUNCES: Final = 5
"""Emails to a seat that came back in a row, for any reason, until its address is suspended."""
SIGNED: Final = "signed"
"""Why an email was taken that is over the limit: it brings a file that fits a match."""
HEADERS_ONLY: Final = b"X-Pbem-Kept: headers only, the mail is too big"
"""What the kept bytes of an email begin with that was not fetched; the mail itself stays in the mailbox."""
_ADVICE: Final = {
    "block": sentence(
        "Copy the whole text block again, from its first to its last line, or attach the file itself."
    ),
    "json": sentence(
        "Please attach the file, or paste the text block that --armour prints: it survives any mail program."
    ),
    "signature": sentence(
        "Please make the file again, and attach it or paste the text block that --armour prints."
    ),
    "winmail": sentence("Please send the email as plain text, or paste the text block that --armour prints."),
    "smime": sentence(
        "Turn encryption off for this email. Signing is fine if the text stays readable (clear-signed), or leave it"
        " out."
    ),
    "zip": sentence("Please attach the file itself."),
    "elsewhere": sentence("Look from which folder you have sent it, and to which host."),
    "nothing": sentence(
        "Attach the file that pbem has written, or paste its text block. For more, write HELP "
        "on the first line."
    ),
    "several-files": sentence(
        "Send one new file in one email; each has its own number and must see the answer to the last."
    ),
}
NOT_TAKEN: Final = {
    "nothing": sentence("there is no signed file in your email"),
    "block": sentence("the text block is damaged"),
    "json": sentence("the file is damaged"),
    "malformed": sentence("the file is not in the agreed form"),
    "winmail": sentence("the email is packed by Outlook"),
    "smime": sentence("the email is wrapped in S/MIME"),
    "zip": sentence("the file is packed"),
    "several-files": sentence("several files in one email"),
    "too-big": sentence("the email is too big"),
    "word": sentence("there is no such email command"),
    "elsewhere": sentence("the file is for another match"),
}
OTHERWISE: Final = sentence("your email cannot be read")
TOO_MANY: Final = "too-many"
"""What the reason of an email begins with that waits for another hour."""
_FLOOD: Final = "flood-hour"
_ASIDE: Final = 10
"""What is kept in a day of what everybody sent that brought nothing, in how much is kept of one domain."""
MOST_BEHIND: Final = 40
"""Characters behind a misspelt command, a name for instance, that need nobody's eyes."""
_OTHER_ADVICE: Final = sentence(
    "Attach the file that pbem has written, as it is, in an email without anything else."
)


def content_name(raw: bytes) -> str:
    """What an email is called: its Message-ID, its sender and its body, however it travelled."""
    own = peek_message_id(raw)
    return sha256(lp(own, peek_sender(raw), body_of(raw)) if own else raw).hexdigest()


def keep(context: ServiceContext, transaction: Transaction, raw: bytes, reason: str = "") -> tuple[int, str]:
    """Keep an email; its number and state. A witness copy of an email of ours is only noted (number 0).

    ``reason`` is ``SIGNED`` if a file in it was found to fit a match already.
    """
    mail = WaitingMail("", len(raw), peek_sender(raw), peek_message_id(raw))
    if ours(context, [mail]) and OutboxRows(transaction).witnessed([mail.message_id], context.now()):
        return 0, DONE
    rows, name = InboxRows(transaction), content_name(raw)
    return rows.keep(name, raw, context.now(), mail.message_id, mail.sender, reason)


def ours(context: ServiceContext, mails: Sequence[WaitingMail]) -> list[WaitingMail]:
    """Those of these emails that say that we have sent them: they may be witness copies."""
    own = base_address(context.sender.address)
    return [mail for mail in mails if mail.message_id and base_address(mail.sender) == own]


class Sorter:
    """Looks into mail that nobody has looked into yet."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context
        self.more = True
        """Whether there was another mail behind the last one."""
        self.healed = False
        """Whether an email has made a match go on that stood still."""

    def sort_one(self) -> bool:
        """Sort one mail; False if there is none."""
        context = self._context
        row: InboxRow | None = None
        try:
            with context.database.transaction() as transaction:
                row = InboxRows(transaction).claim_new()
                if row is None:
                    return False
                look = _Look(context, transaction, row)
                look.sort()
                look.count()
                self.more = InboxRows(transaction).unsorted()
                context.steps("sorted")
            for record in look.repaired:
                context.records.keep(record)
                self.healed = True
        except StoreError:
            raise
        except Exception as fault:  # whatever an email does to this program, the next one is looked at too
            if row is None:
                raise
            self.more = True
            with context.database.transaction() as transaction:
                Letterbox(context, transaction).quarantine(row, fault)
        return True


class Patient:
    """Looks again, every hour, at some of the emails that came in a flood."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context

    def look_again(self, transaction: Transaction) -> int:
        """Once in an hour: how many emails are looked at again."""
        notes, hour = MailNotes(transaction), self._context.now()[:13]
        if notes.get(_FLOOD) == hour:
            return 0
        notes.set(_FLOOD, hour)
        notes.forget_counts(self._context.now())
        return InboxRows(transaction).again_for(TOO_MANY, self._context.limits.per_domain)


class _Look:
    """One mail, claimed."""

    def __init__(self, context: ServiceContext, transaction: Transaction, row: InboxRow) -> None:
        self._context = context
        self._transaction = transaction
        self._inbox = InboxRows(transaction)
        self._matches = Matches(transaction)
        self._letters = Letterbox(context, transaction)
        self._healer = Healer(context, transaction, str(row.id))
        self._row = row
        self._counted: list[tuple[str, str]] = []
        """What this mail is counted for: a limit, and whose it is."""

    @property
    def repaired(self) -> list[Record]:
        """Matches that go on because of this mail."""
        return self._healer.repaired

    def sort(self) -> None:
        """Decide what the mail is."""
        if self._row.reason not in (BY_HAND, POSTED, SIGNED) and self._flooding():
            return
        try:
            if self._row.raw.startswith(HEADERS_ONLY):
                raise too_big(MAX_MESSAGE)
            mail = self._context.look_at(self._row.raw)
        except MailRefused as fault:
            sender = peek_sender(self._row.raw)
            answered = Answered(peek_message_id(self._row.raw), sender)
            self._quarantine(f"{fault.kind}: {fault}")
            if isinstance(fault, Broke):
                text = sentence(
                    "email {number} is quarantined: {fault}. To see it: pbem host quarantine {number}",
                    number=self._row.id,
                    fault=str(fault),
                )
                self._letters.notify_operator("mail-that-broke", text)
            if not robotic(self._row.raw):
                self._say_fault(sender, answered, DamagedPart(fault.kind, str(fault)))
            return
        if mail.bounce is not None and self._bounced(mail.bounce):
            return
        intake, quiet = mail.intake, mail.quiet
        brought = self._healer.take(mail)
        here = self._matches.games({b64(message.game) for message in intake.messages})
        hosted = [message for message in intake.messages if b64(message.game) in here]
        if hosted:
            self._file(mail, hosted, intake.command, quiet)
        elif brought:
            self._inbox.settle(self._row, DONE, brought)
        elif any(self._mine(message) for message in intake.messages):
            self._lost(intake.messages)
        elif intake.messages:
            self._quarantine("a signed file for a match that is not hosted here")
            if not quiet:
                text = sentence("The signed file in it is for a match that is not hosted here.")
                self._say_fault(mail.sender, Answered(mail.message_id), DamagedPart("elsewhere", text))
        else:
            self._no_file(mail)

    def _flooding(self) -> bool:
        """Put the mail aside, unlooked, if its sender or the mail domain has sent more in this hour than the limit.

        It is looked at later by itself. From proves nothing, so nothing of anybody's is lost by this.
        """
        sender, limits = peek_sender(self._row.raw), self._context.limits
        if base_address(sender) == base_address(self._context.sender.address):
            return False
        domain = sender.rpartition("@")[2]
        self._counted = [(f"{limits.per_sender}/hour", sender), (f"{limits.per_domain}/hour", f"@{domain}")]
        many = not all(self._letters.budgets.has(limit, "mails", name) for limit, name in self._counted)
        if many and not Jumps(self._context, self._transaction).jumps(self._row.raw):
            self._quarantine(f"{TOO_MANY}: from {sender or 'nobody'} in this hour")
            text = sentence("more emails from {sender} in an hour than are looked at", sender=sender or "?")
            self._letters.notify_of_state("flood", text)
            return True
        return False

    def count(self) -> None:
        """Count the mail for its sender and the domain: last of all, since others wait for that row from here on."""
        for limit, name in self._counted:
            self._letters.budgets.take(limit, "mails", name)

    def _file(self, mail: Looked, hosted: list[Message], command: Command | None, quiet: str) -> None:
        new = [
            message
            for message in hosted
            if self._matches.verdict(b64(message.game), b64(message.hash))[0] == ""
        ]
        if len(new) > 1:
            self._quarantine("several new files in one mail")
            if not quiet:
                text = sentence(
                    "The email holds {count} files that are new. One email brings one new file.",
                    count=len(new),
                )
                self._say_fault(mail.sender, Answered(mail.message_id), DamagedPart("several-files", text))
        elif command is not None and not new:
            self._command(mail, command, quiet)
        else:
            message = (new or hosted)[-1]
            match = self._matches.find(b64(message.game)) if new else None
            if match is not None:
                self._healer.look(match, message, mail.sender, quiet=bool(quiet))
            self._inbox.ready(self._row, b64(message.game))

    def _mine(self, message: Message) -> bool:
        """Whether this host has signed what the file has seen, in a match that is not in the database."""
        seen = message.body.get("seen")
        return seen is not None and proves(message.game, self._context.host.sign_public, seen)

    def _lost(self, messages: tuple[Message, ...]) -> None:
        short = short_id(next(message.game for message in messages if self._mine(message)))
        self._quarantine(f"{LOST} {short}: a file for a match of this host that is not in the database")
        text = sentence(
            "a file came for match {short}, which this host has signed and the database does not know: it was put"
            " back to an older state. Bring the match back from a copy: pbem host recover {short} COPY...",
            short=short,
        )
        self._letters.notify_operator("lost-match", text)

    def _no_file(self, mail: Looked) -> None:
        """A command, a word that may be one, words for the host, or something that was to be a file."""
        faults, command, near, quiet = mail.intake.faults, mail.intake.command, mail.intake.near, mail.quiet
        joined = JoinHandler(self._context, self._transaction, str(self._row.id)).answer(mail)
        if joined is not None:
            self._inbox.settle(self._row, *joined)
            return
        if command is not None and not faults:
            self._command(mail, command, quiet)
            return
        if faults:
            first = faults[0]
        elif near:
            first = DamagedPart("word", sentence("Its first line is not a command that this program knows."))
        else:
            first = DamagedPart("nothing", sentence("There is no signed file in it."))
        self._quarantine(f"{first.kind}: {first.sentence}" + (f" ({quiet})" if quiet else ""))
        if quiet:
            return
        first_line = mail.intake.words.partition("\n")[0]
        only = near and not faults and len(mail.intake.words) <= len(first_line) + MOST_BEHIND
        self._say_fault(
            mail.sender, Answered(mail.message_id), first, "" if faults or only else mail.intake.words, near
        )

    def _quarantine(self, reason: str) -> None:
        """Put it aside. Only so many bytes a day are kept here, of one domain and in all: of more, a hash."""
        self._inbox.settle(self._row, QUARANTINED, reason)
        budgets, most, size = self._letters.budgets, self._context.limits.aside, len(self._row.raw)
        domain = peek_sender(self._row.raw).rpartition("@")[2]
        fits = budgets.take(f"{most}/day", "aside-bytes", domain, cost=size)
        if not fits or not budgets.take(f"{_ASIDE * most}/day", "aside-bytes", "*", cost=size):
            self._inbox.let_go(self._row.id)

    def _say_fault(
        self, sender: str, answered: Answered, fault: DamagedPart, words: str = "", near: str = ""
    ) -> None:
        """Somebody known is answered once for each kind and day; else the host hears of it. A stranger hears nothing.

        What they wrote is the host's to read. So whatever a known address writes, one of the two is notified.
        """
        if not is_known(self._transaction, sender):
            return
        if words:
            text = sentence(
                "{sender}, email {number}: {words}", sender=sender, number=self._row.id, words=words
            )
            self._letters.notify_operator("words", text)
        once = "" if near else "1/day"
        if self._letters.may_answer(sender, fault.kind, once, to=sender, answered=answered):
            self._answer_fault(sender, answered, fault, words, near)
        elif not words:
            text = sentence(
                "{sender}, email {number}: {fault}", sender=sender, number=self._row.id, fault=fault.sentence
            )
            self._letters.notify_operator("aside", text)

    def _answer_fault(
        self, sender: str, answered: Answered, fault: DamagedPart, words: str, near: str
    ) -> None:
        advice = _ADVICE.get(fault.kind, _OTHER_ADVICE)
        if near:
            advice = sentence(
                "Did you mean {word}? Write only that on the first line. HELP lists all commands.",
                word=near.upper(),
            )
        if words:
            advice = joined((sentence("What you wrote was passed on to the host."), advice), " ")
        self._letters.answer(
            sender,
            "fault",
            str(self._row.id),
            answered,
            sentence("not taken: {why}", why=NOT_TAKEN.get(fault.kind, OTHERWISE)),
            sentence=fault.sentence,
            advice=advice,
            again=""
            if near
            else sentence("You get this answer at most once a day; after that the host hears of it."),
        )

    def _command(self, mail: Looked, command: Command, quiet: str) -> None:
        handler = CommandHandler(self._context, self._transaction, str(self._row.id))
        self._inbox.settle(self._row, *handler.answer(mail, command, quiet))

    def _bounced(self, bounce: Bounce) -> bool:
        """Deal with a delivery report on an email of ours; False if it is on none."""
        outbox = OutboxRows(self._transaction)
        letter = outbox.by_name(bounce.token[:FOUND_BY], bounce.message_id)
        if letter is None or not (bounce.token or bounce.message_id):
            return False
        answer = f"{bounce.action} {bounce.status} {bounce.reason}".strip()
        text = sentence("an email to {to} came back: {answer}", to=letter.rcpt, answer=answer)
        if bounce.failed and self._is_awaited(letter):
            self._letters.notify_operator("awaited-bounce", text, letter.game)
        else:
            MailNotes(self._transaction).write(self._context.now(), "bounce", text, letter.game)
        if bounce.failed and self._letters.budgets.take(
            _ONCE, "bounce", letter.token, self._proof(bounce, letter)
        ):
            self._failed(bounce, letter, text)
        self._inbox.settle(self._row, DONE, text)
        return True

    def _proof(self, bounce: Bounce, letter: OutboxRow) -> str:
        """By what a bounce shows that it is the answer to this email; empty: by nothing.

        The Message-ID stands in the email, where others may see it. The token of the envelope, and all of an email that
        asked once more, nobody has but the servers on its way.
        """
        if not letter.sent or letter.sent < self._context.later(-_PROVES_FOR):
            return ""
        if hmac.compare_digest(
            bounce.token.encode(), envelope_token(self._context.key, letter.token).encode()
        ):
            return "envelope"
        return _PROBE if letter.effect.startswith(f"{_PROBE}/") else ""

    def _failed(self, bounce: Bounce, letter: OutboxRow, text: Sentence) -> None:
        """An email did not arrive: its address is suspended, or asked once more if anybody may have written this."""
        proof = self._proof(bounce, letter)
        if not proof:
            if letter.seat and self._letters.budgets.take(_ONCE, _PROBE, letter.rcpt):
                subject = sentence("do emails still reach you?")
                self._letters.answer(letter.rcpt, _PROBE, str(self._row.id), NOBODY, subject)
            return
        many = self._matches.bounced(letter.game, letter.seat) if letter.seat else 0
        if proof == _PROBE or (letter.seat and (bounce.dead or many >= SOFT_BOUNCES)):
            self._suspend(letter.rcpt, text)

    def _is_awaited(self, letter: OutboxRow) -> bool:
        """Whether the match waits for the seat that this email was for: its file, its link, or its join."""
        match = self._matches.find(letter.game) if letter.seat else None
        if match is None or match.over:
            return False
        record = self._context.records.load(self._matches, match)
        seat = Seat(letter.seat)
        return seat in record.seats and (
            seat not in record.ledger.players or seat in awaited_seats(record.ledger)
        )

    def _suspend(self, address: str, text: Sentence) -> None:
        seats = self._matches.suspend(address, text[:200])
        OutboxRows(self._transaction).hold(address)
        for observer in ObserverRows(self._transaction).suspend(address, text[:200]):
            words = sentence(
                "{bounce}. Nothing more is sent to {address}, who is a spectator.",
                bounce=text,
                address=address,
            )
            self._letters.notify_operator("suspended", words, observer.game)
        for seat in seats:
            words = sentence(
                "{bounce}. Nothing more is sent to {seat} until a file of that seat comes in.",
                bounce=text,
                seat=seat.seat,
            )
            self._letters.notify_operator("suspended", words, seat.game)
