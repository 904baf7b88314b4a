"""A computer at somebody's seat: emails come in, files leave, a diary is kept, the seat is handed back."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from email.utils import make_msgid
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pbem.base.errors import PbemError, UsageProblem
from pbem.base.language import Language
from pbem.base.sentences import joined, sentence
from pbem.base.values import dataclass
from pbem.bots.labels import level_named
from pbem.player.mail.gate import MAX_MESSAGE
from pbem.player.mail.outgoing import MailHead, check_address, write_mail
from pbem.player.mail.own import OwnMail
from pbem.player.mail.ports import MailTrouble
from pbem.player.seat import PlayerClient, Signed, find_copy
from pbem.player.seat.moments import read_moment, wall_of
from pbem.player.seat.posting import Way, host_address, mail_file
from pbem.player.seat.stand_in import Handed, Manner, StandIn, openly_said
from pbem.player.store.durable import PRIVATE_FILE, read_file, write_file
from pbem.protocol.crypto.digest import short_id
from pbem.protocol.formats.messages import read_message

if TYPE_CHECKING:
    from pbem.player.mail.imap import FoundMail, ImapMailbox

DIARY: Final = "stand-in.txt"
_GOES_OUT: Final = "wyatt-earp"

Notify = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class StandInWishes:
    """What its owner wants: ``until`` as typed, ``to`` where the host reads."""

    until: str
    level: str
    stays: bool
    to: str | None = None


class SeatWatch:
    """A computer at one seat in one folder; ``now`` of the client is its clock, as records write the time.

    ``say`` is called with what goes into the diary, ``notify`` with troubles and notes.
    """

    def __init__(
        self,
        client: PlayerClient,
        kind: str,
        wishes: StandInWishes,
        language: Language,
        *,
        mail: OwnMail | None,
        say: Notify,
        notify: Notify,
    ) -> None:
        """``client``: the seat's, at its copy as it is; ``kind`` of its identity; ``mail``: its owner's, if set up.

        Raises:
            UsageProblem: no such level, an end that is past, nobody goes out in this game.
        """
        self.language, self.identity, self.mail = language, client.identity, mail
        self._now, self._to, self._say, self._notify = client.clock, wishes.to, say, notify
        self.folder = client.copy.folder.path
        self.match = short_id(client.record.game)
        self.stand_in = StandIn(client, self._manner(wishes, client), kind)

    def _manner(self, wishes: StandInWishes, client: PlayerClient) -> Manner:
        now, until = self._now(), ""
        if wishes.until:
            until = read_moment(wishes.until, now, wall_of(client.record.ledger.deadlines), ends=True)
            if until <= now:
                raise UsageProblem(sentence("that time is over: {until}", until=until))
        game = client.record.game_info
        if wishes.stays and game.id != _GOES_OUT:
            raise UsageProblem(
                sentence("nobody goes out in {title}", title=game.title),
                hint=sentence("Leave out --never-go-out."),
            )
        return Manner(level_named(wishes.level), wishes.stays, until)

    def client(self) -> PlayerClient:
        """The client at the copy as it is now, emails taken in.

        Raises:
            MailTrouble: the mailbox cannot be reached.
        """
        if self.mail is not None and (mailbox := self.mail.mailbox()) is not None:
            try:
                fetch_letters(mailbox, self.folder, self.match)
            finally:
                mailbox.close()
        return PlayerClient(find_copy(self.folder), self.identity, os.urandom, self._now)

    def let_go(self, client: PlayerClient, signed: Signed, output: Path | None) -> None:
        """A signed file leaves: by mail if that is set up, else into a file; the diary says so.

        Raises:
            MailTrouble: it did not leave; the next look tries the same file again.
        """
        address = self._address() if output is None else None
        if address is not None and self.mail is not None:
            mail_file(signed, Way(self.mail.address, self.mail.outgoing(), self.folder, address))
            place = address
        else:
            path = self.folder / signed.name if output is None else output
            if path.is_dir():
                path /= signed.name
            write_file(path, signed.raw + b"\n")
            client.leaves(signed, "write", str(path))
            place = str(path)
        did = sentence(
            "{what} → {place}",
            what=openly_said(client.record, read_message(signed.raw)),
            place=place,
        )
        for note in (*signed.warnings, *signed.notes):
            self._notify(self.language.translate(note))
        self.note(self.language.translate(did))

    def _address(self) -> str | None:
        if self.mail is None:
            return None
        return check_address(self._to) if self._to else host_address(self.folder, self.match)

    def note(self, text: str) -> None:
        """A line in the diary and on the screen."""
        path, line = self.folder / DIARY, f"{self._now()}  {text}"
        before = read_file(path) if path.exists() else b""
        write_file(path, before + line.encode() + b"\n", mode=PRIVATE_FILE)
        self._say(line)

    def hand_back(self, client: PlayerClient, why: Handed) -> None:
        """Say what was done: in the diary, and by mail to its owner if that is set up."""
        subject, text = self.stand_in.letter(client, why.why, self.language)
        self.note(text.rstrip("\n"))
        if self.mail is not None:
            address = self.mail.address
            own_id = make_msgid(domain=address.rpartition("@")[2])
            more = {"Auto-Submitted": "auto-generated"}
            raw = write_mail(MailHead(address, address, subject, own_id, datetime.now(UTC), more=more), text)
            outgoing = self.mail.outgoing()
            try:
                outgoing.send(address, [address], raw, self.match)
            except MailTrouble as fault:
                self._notify(fault.diagnostics())
            finally:
                outgoing.close()

    def look(self, output: Path | None) -> bool:
        """One look: take emails in, answer what is asked; whether the seat was handed back.

        What a mailbox or a server does not do now is tried at the next look. What the host did against what was signed
        ends it, with an email.
        """
        try:
            client = self.client()
        except MailTrouble as fault:
            self._notify(fault.diagnostics())
            return False
        try:
            result = self.stand_in.look(client)
            if isinstance(result, Signed):
                self.let_go(client, result, output)
        except MailTrouble as fault:
            self._notify(fault.diagnostics())
            return False
        except PbemError as fault:
            result = Handed(joined((sentence("it could not go on"), str(fault)), ": "))
        if isinstance(result, Handed):
            self.hand_back(client, result)
            return True
        return False


# --- fetching ---------------------------------------------------------------------------------------------
#
# A player's emails come into the folder of their copy by themselves: searched for in their mailbox, saved,
# never moved.
#
# Only emails with a match's own header are looked at; they stay where they are, unread as before. An email
# is saved under its name in the mailbox, so none is fetched twice; what it holds is judged when the copy
# takes it in, like what anybody saves there.

HEADER = "X-Pbem-Match"
_AT_ONCE: Final = 20
"""Emails in memory at a time: anybody may send many."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation that waits in the mailbox: the match's short name, the seat, the subject, the mail."""

    match: str
    seat: str
    subject: str
    mail: FoundMail


def fetch_letters(mailbox: ImapMailbox, folder: Path, match: str) -> int:
    """Save this match's emails that are not in ``folder`` yet; how many were new.

    Raises:
        MailTrouble: the mailbox cannot be reached; nothing half-written is left.
    """
    return _save(mailbox, folder, mailbox.letters(HEADER, match))


def invitations(mailbox: ImapMailbox) -> list[Invitation]:
    """The first email of each match in the mailbox, newest match first."""
    first: dict[str, FoundMail] = {}
    for mail in mailbox.letters(HEADER):
        if mail.match and not mail.answers:
            first.setdefault(mail.match, mail)
    return [Invitation(mail.match, mail.seat, mail.subject, mail) for mail in reversed(first.values())]


def save_invitation(mailbox: ImapMailbox, folder: Path, invitation: Invitation) -> Path:
    """Put an invitation into a folder, which is made if it is not there; where it lies."""
    folder.mkdir(parents=True, exist_ok=True)
    _save(mailbox, folder, [invitation.mail])
    return _place(folder, invitation.mail)


def _place(folder: Path, mail: FoundMail) -> Path:
    return folder / f"mail-{mail.name}.eml"


def _save(mailbox: ImapMailbox, folder: Path, mails: Iterable[FoundMail]) -> int:
    missing = [mail for mail in mails if mail.size <= MAX_MESSAGE and not _place(folder, mail).exists()]
    saved = 0
    for start in range(0, len(missing), _AT_ONCE):
        batch = missing[start : start + _AT_ONCE]
        bodies = mailbox.fetch([mail.uid for mail in batch])
        for mail in batch:
            if mail.uid in bodies:
                write_file(_place(folder, mail), bodies[mail.uid], mode=PRIVATE_FILE)
                saved += 1
    return saved
