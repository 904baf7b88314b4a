"""What wakes the operator: a line in the log with its time, and an email in their language that says what to do.

Each cause has at most one mail an hour; what comes in between is sent by the next one. The mail goes through the same
outbox as every email, in the transaction of what caused it, so that it leaves exactly once. Where the database is the
trouble, ``FallbackAlert`` writes by SMTP alone, as well as it can, and remembers in a small file whom it woke when.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final, NamedTuple

from pbem.base.errors import PbemError
from pbem.base.language import Language, language_of
from pbem.base.sentences import joined, sentence, term
from pbem.base.values import dataclass
from pbem.host.database.database import Transaction
from pbem.host.database.driver import DatabaseDamaged, DatabaseFull
from pbem.host.database.mail import NewLetter, OutboxRows
from pbem.host.database.notes import AlarmRows, MailNotes, Note
from pbem.host.service.context import ServiceContext, utc_now
from pbem.player.letters.layout import capital, fill, subject_line
from pbem.player.letters.rendering import Style, environment
from pbem.player.mail.outgoing import Sender, message_id, one_line, plain_mail, robot_headers, token_of
from pbem.player.mail.ports import LoginRefused, MailTrouble, Outgoing
from pbem.player.store.durable import PRIVATE_FILE, create_file
from pbem.protocol.record.deadlines import format_time, parse_time


class Alarm(NamedTuple):
    """A cause: what it is, what to do about it, and how many hours lie between two emails."""

    headline: str
    advice: str
    hours: int = 1


_DECIDE: Final = sentence("A match waits for your decision")
_COMMAND: Final = sentence(
    "The line above names the command. Until then nothing is lost, and the match goes on as far as it can."
)
_COPIES: Final = sentence(
    "Nothing is signed in that match until it is whole again, and nobody's time runs. The line above names the command."
)
ALARMS: Final[Mapping[str, Alarm]] = {
    "awaited-bounce": Alarm(
        sentence("An email to a player the match waits for came back"),
        sentence(
            "That player's time runs on. Reach them in another way: any file of theirs, from any "
            "address, wakes the seat again. To give them time: pbem host extend MATCH +24h. To "
            "invite a replacement player: pbem host invite MATCH SEAT=ADDRESS --substitute."
        ),
    ),
    "suspended": Alarm(
        sentence("An address does not accept emails any more"),
        sentence(
            "Emails to it are kept. They leave when a file of that player comes in, or with: pbem "
            "host quarantine --release --letters ADDRESS. Reach the player in another way, or invite somebody "
            "for the seat."
        ),
    ),
    "mailbox": Alarm(
        sentence("The mailbox cannot be read"),
        sentence(
            "Email stays in the mailbox, and nobody's time is up while it cannot be read. Look at the server, its"
            " certificate and [imap] in service.toml, then: pbem host run-once."
        ),
    ),
    "submission": Alarm(
        sentence("Emails cannot be sent"),
        sentence(
            "They are kept and leave later, each once. Look at the server, its certificate and [smtp] in service.toml,"
            " then: pbem host run-once."
        ),
    ),
    "login": Alarm(
        sentence("A mail server refuses the password"),
        sentence(
            "The password was changed, has run out, or the provider wants another kind of login. Put the new one where"
            " service.toml says that it is; the service reads it again by itself."
        ),
    ),
    "certificate": Alarm(
        sentence("The certificate of a mail server ends soon"),
        sentence(
            "Once it has ended, nothing is fetched or sent there. Whoever runs that server has to renew it; the service"
            " takes the new one by itself."
        ),
        24,
    ),
    "works-again": Alarm(sentence("Email works again"), sentence("There is nothing to do.")),
    "outage": Alarm(
        sentence("The service was away and is back"),
        sentence(
            "There is nothing to do: whoever it was waiting for has that time back. Was it meant to be away?"
        ),
    ),
    "clock": Alarm(
        sentence("This machine's clock has jumped"),
        sentence(
            "Nothing is fetched, ruled on or sent until the clock is right again. If it is right now, say so: pbem host"
            " go-on --clock-is-right. Nobody's time is up because of it."
        ),
    ),
    "brake": Alarm(
        sentence("More emails in an hour than the limit allows"),
        sentence(
            "Look what causes them: pbem host matches, pbem host log. Then: pbem host go-on. The limit is per_hour in"
            " service.toml."
        ),
    ),
    "silent-twice": Alarm(
        sentence("Somebody was silent twice"),
        sentence(
            "That player's time ran out twice in a row, and the match went on without them. Ask "
            "them in another way whether email arrives; 'pbem host log MATCH/SEAT' shows what "
            "left and what came. They can write at any time, or somebody else can take the seat: "
            "pbem host invite MATCH SEAT=ADDRESS --substitute."
        ),
    ),
    "match-brake": Alarm(
        sentence("One match writes more emails than the limit allows"),
        sentence(
            "Its emails leave later by themselves, and the email of other matches goes on. Look what causes them: pbem"
            " host log. The limit is per_match in service.toml."
        ),
    ),
    "flood": Alarm(
        sentence("More emails from one sender than the limit allows"),
        sentence(
            "They are quarantined and looked at later, a few every hour; the signed files in them "
            "are not lost. The limits are per_sender and per_domain in service.toml."
        ),
    ),
    "not-sent": Alarm(
        sentence("An email was refused for good"),
        sentence(
            "Nobody got it. If the address is wrong, the player corrects it by sending any file "
            "from the right one, and asks for what is missing with RESEND."
        ),
    ),
    "no-address": Alarm(
        sentence("A seat has no address"),
        sentence("Its emails are not written. Invite it: pbem host invite MATCH SEAT=ADDRESS."),
    ),
    "bad-contact": Alarm(
        sentence("An address in a join cannot be used"),
        sentence("Emails go to the address that was invited, if there is one. Tell the player."),
    ),
    "aside": Alarm(
        sentence("Emails of a player were not understood"),
        sentence(
            "The player got an answer the first time today, and may think that the move was made. "
            "Look: pbem host quarantine NUMBER. To have it looked at again: pbem host quarantine --release NUMBER."
        ),
    ),
    "words": Alarm(
        sentence("A player has written to you"),
        sentence(
            "The service does not answer for you. The player's address stands above, and their time runs on."
        ),
    ),
    "program-fault": Alarm(
        sentence("A bug in this program"),
        sentence(
            "That email or match is quarantined, the others go on. Keep the email (pbem host "
            "quarantine NUMBER) and report the bug; after an upgrade: pbem host quarantine --release NUMBER."
        ),
    ),
    "mail-that-broke": Alarm(
        sentence("An email could not be read within the limits"),
        sentence("It is kept and was not taken. If you know the sender, ask for a simpler email."),
    ),
    "lost-match": Alarm(sentence("A match is not in the database"), _COPIES),
    "older-state": Alarm(sentence("The database is older than what was signed"), _COPIES),
    "forked-state": Alarm(sentence("Two histories of a match were signed"), _COPIES),
    "copies-do-not-hold": Alarm(sentence("Records that were sent do not hold"), _COPIES),
    "goes-on": Alarm(sentence("A match goes on"), sentence("There is nothing to do.")),
    "confirm": Alarm(_DECIDE, _COMMAND),
    "substitute": Alarm(_DECIDE, _COMMAND),
    "consent": Alarm(_DECIDE, _COMMAND),
    "proposal": Alarm(_DECIDE, _COMMAND),
    "observe": Alarm(_DECIDE, _COMMAND),
    "webhook": Alarm(
        sentence("A chat webhook takes nothing any more"),
        sentence(
            "Nothing else is affected; emails go on. The line above names the command that sets it again."
        ),
    ),
    "wrong-code": Alarm(
        sentence("A join with a wrong invite code"),
        sentence(
            "It does not count, and its sender got no answer. If it is the right person, invite "
            "them again: pbem host invite MATCH SEAT=ADDRESS."
        ),
    ),
    "disk-full": Alarm(
        sentence("The disk is full"),
        sentence(
            "Make room on the disk of the database; the service then goes on by itself. What was taken in is kept,"
            " email stays in the mailbox, and nobody's time is up meanwhile."
        ),
    ),
    "damaged": Alarm(
        sentence("The database is not what was written"),
        sentence(
            "This worker has stopped and signs nothing. Do what the line above says. Never restore a backup over a"
            " database that answers."
        ),
    ),
    "database": Alarm(
        sentence("The database cannot be used"),
        sentence(
            "The service tries again by itself, and nothing is lost. Look at the disk, at the rights of the file, or at"
            " the database's server."
        ),
    ),
}
"""Every cause that is sent by mail. The other kinds of lines are in the log alone."""

_SOON: Final = 14
"""Days before a certificate ends from which on the operator hears of it."""
PATIENCE: Final = 300
"""Seconds of trouble that are none yet: servers are restarted."""
_TROUBLE: Final = "trouble-"
_NOTIFIED: Final = "notified"


def program_fault(fault: Exception) -> str:
    """What is said of a fault that nobody has foreseen."""
    return sentence(
        "a bug in this program: {name}: {fault}", name=type(fault).__name__, fault=one_line(str(fault))
    )


class Alarms:
    """Notifies the operator through the outbox, within one transaction."""

    def __init__(self, context: ServiceContext, transaction: Transaction) -> None:
        self._context = context
        self._language = language_of(context.language)
        self._notes = MailNotes(transaction)
        self._rows = AlarmRows(transaction)
        self._outbox = OutboxRows(transaction)

    def words(self, text: str) -> str:
        """In the operator's language."""
        return self._language.translate(text)

    def notify(self, kind: str, text: str, game: str = "") -> None:
        """A line in the log, and an email unless this cause had one within its time: then the next one shows it."""
        words = self._language.translate(text)
        self._notes.write(self._context.now(), kind, words, game)
        self._mail(kind)

    def notify_of_state(self, kind: str, text: str) -> None:
        """The same about what lasts, as often as there may be an email: no line is written in between."""
        if not self._rows.notified_since(kind, self._before(kind), self._context.now()):
            self.notify(kind, text)

    def late(self) -> int:
        """Mail what came while its cause had to wait; how many emails."""
        context = self._context
        kinds = self._rows.late(context.now(), context.later(-3600))
        return sum(self._mail(kind) for kind in kinds if kind in ALARMS)

    def _before(self, kind: str) -> str:
        return self._context.later(-3600 * ALARMS[kind].hours)

    def _mail(self, kind: str) -> int:
        context = self._context
        if not self._rows.claim(kind, context.now(), self._before(kind)):
            return 0
        lines, count = self._rows.unreported(kind)
        if not lines or not context.operator:  # who has no mail reads it at the terminal, and in the log
            return 0
        now = context.now()
        effect = f"operator/{kind}/{lines[-1].id}/{now}"  # after a restored backup a number comes again
        token = token_of(context.key, effect)
        own = message_id(token, context.sender.address)
        raw = _mail_of(context.sender, context.operator, self._language, kind, lines, count, own, now)
        letter = NewLetter(effect, token, own, "", "", context.operator, context.sender.envelope(token), raw)
        return int(self._outbox.add(letter, now))


def _mail_of(
    sender: Sender, to: str, language: Language, kind: str, lines: list[Note], count: int, own: str, at: str
) -> bytes:
    """What happened when, and what to do; ``kind`` stands in a header too, for whoever sorts their mail."""
    headline, advice, hours = ALARMS[kind]
    template = environment(Style.TEXT, language).get_template("service/alarm.txt.jinja")
    more = count - len(lines)
    text = template.render(headline=headline, advice=advice, lines=lines, more=more, hours=hours)
    subject = subject_line(capital(language.translate(headline)))
    headers = robot_headers(sender, answer=False) | {"X-Pbem-Alarm": kind}
    return plain_mail(sender, to, subject, fill(text), own, parse_time(at), headers)


def _trouble(notes: MailNotes, kind: str) -> tuple[str, bool]:
    """Since when a server does not work, and whether the operator was alerted to that.

    One fault may be followed by a round that takes long; that it works again is news only for who knows of it.
    """
    since, _, reported = notes.get(_TROUBLE + kind).partition(" ")
    return since, bool(reported)


class ServerWatch:
    """Looks whether the mail servers work, over rounds and restarts: trouble counts once it has lasted a while."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context
        self._looked: dict[str, str] = {}
        """In which hour something was last known to work: nothing is asked of the database in a good round."""

    def failed(self, kind: str, fault: MailTrouble) -> None:
        """A round could not use this server (``mailbox`` or ``submission``)."""
        context = self._context
        self._looked.pop(kind, None)
        with context.database.transaction() as transaction:
            notes, alarms, now = MailNotes(transaction), Alarms(context, transaction), context.now()
            since, reported = _trouble(notes, kind)
            if not since or since > now:
                since, reported = now, False
                notes.set(_TROUBLE + kind, since)
            if isinstance(fault, LoginRefused):
                alarms.notify_of_state("login", str(fault))
            elif since <= context.later(-PATIENCE):
                alarms.notify_of_state(
                    kind, sentence("since {since}: {fault}", since=since, fault=str(fault))
                )
            else:
                return
            if not reported:
                notes.set(_TROUBLE + kind, f"{since} {_NOTIFIED}")

    def worked(self, kind: str, until: str = "") -> bool:
        """A round has used it; ``until`` is when its certificate ends. Whether the operator is alerted."""
        context = self._context
        hour = context.now()[:13]
        if self._looked.get(kind) == hour:
            return False
        self._looked[kind] = hour
        with context.database.transaction() as transaction:
            notes, alarms = MailNotes(transaction), Alarms(context, transaction)
            since, known_of = _trouble(notes, kind)
            lasted = known_of and since <= context.later(-PATIENCE)
            if since:
                notes.set(_TROUBLE + kind, "")
            if lasted:
                text = sentence("{what}: it did not work from {since} on", what=term(kind), since=since)
                alarms.notify("works-again", text)
            ends = bool(until) and until < context.later(_SOON * 86_400)
            if ends:
                text = sentence("{what}: the certificate ends at {until}", what=term(kind), until=until)
                alarms.notify_of_state("certificate", text)
        return lasted or ends


_SINCE: Final = "database-since"
_FILE_SIZE: Final = 8192
"""Bytes of the fallback alert's file. It is written over, never longer: so it can be written when the disk is full."""


@dataclass
class FallbackAlert:
    """Wakes the operator by SMTP alone, when the database cannot hold an email."""

    sender: Sender
    operator: str
    language: str
    outgoing: Outgoing
    path: Path | None = None
    clock: Callable[[], datetime] = utc_now
    _rung: dict[str, list[str]] = field(default_factory=dict)
    """By cause when it was sent, and its words; since when there is trouble, whichever process met it first."""

    @classmethod
    def of(cls, context: ServiceContext, outgoing: Outgoing) -> FallbackAlert:
        """The fallback alert of a service."""
        path = None if context.heads.path is None else fallback_file(context.heads.path)
        return cls(context.sender, context.operator, context.language, outgoing, path, context.clock)

    def ready(self) -> None:
        """Reserve space for the file while there is some, and read what an earlier process has noted."""
        if self.path is not None:
            with suppress(PbemError, FileExistsError):
                create_file(self.path, b" " * _FILE_SIZE, mode=PRIVATE_FILE)
            self._rung = {**read_fallback_alert(self.path), **self._rung}

    def trouble(self, fault: PbemError) -> bool:
        """The database could not be used; whether an email left."""
        now = format_time(self.clock())
        if isinstance(fault, DatabaseDamaged):
            return self.ring("damaged", joined((str(fault), fault.hint or ""), " "))
        if isinstance(fault, DatabaseFull):
            return self.ring("disk-full", str(fault))
        self.ready()
        _, since = self._rung.get(_SINCE, ("", now))
        if since >= now:  # the first that is met, or a clock was ahead
            since = now
            self._rung[_SINCE] = ["", since]
            self._remember()
        if since <= format_time(self.clock() - timedelta(seconds=PATIENCE)):
            return self.ring("database", str(fault))
        return False

    def works(self) -> None:
        """A round went through."""
        if _SINCE in self._rung:
            self.ready()
            del self._rung[_SINCE]
            self._remember()

    def ring(self, kind: str, text: str) -> bool:
        """Send one mail, unless this cause had one within its time; whether it left."""
        self.ready()
        now, language = format_time(self.clock()), language_of(self.language)
        before = format_time(self.clock() - timedelta(hours=ALARMS[kind].hours))
        last = self._rung.get(kind, [""])[0]
        if before < last <= now:
            return False
        shown = language.translate(text)[:1000]
        token, lines = secrets.token_hex(13), [Note(0, now, kind, "", shown)]
        own = message_id(token, self.sender.address)
        raw = _mail_of(self.sender, self.operator, language, kind, lines, 1, own, now)
        try:
            if self.operator:
                self.outgoing.send(self.sender.envelope(token), [self.operator], raw, token)
        except PbemError:
            now = last  # the next round tries it again
        self._rung[kind] = [now, shown]
        self._remember()
        return now != last

    def _remember(self) -> None:
        if self.path is None:
            return
        raw = json.dumps(self._rung, sort_keys=True).encode()
        with suppress(OSError), self.path.open("r+b") as file:
            file.write(raw[:_FILE_SIZE].ljust(_FILE_SIZE))


def fallback_file(heads: Path) -> Path:
    """Where the fallback alert remembers: beside the file of heads."""
    return heads.with_name(heads.name.replace(".heads.jsonl", ".alarms.json"))


def read_fallback_alert(path: Path) -> dict[str, list[str]]:
    """What was noted without the database: by cause its time and words; nothing if the file is no such thing."""
    try:
        rung, kinds = json.loads(path.read_bytes()), (*ALARMS, _SINCE)
        return {str(kind): [str(at), str(text)] for kind, (at, text) in rung.items() if kind in kinds}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
