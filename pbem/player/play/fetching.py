"""A player's letters come into the folder of his copy by themselves: searched for in his mailbox, saved, never moved.

Only mails with a match's own header are looked at; they stay where they are, unread as before. A letter is saved under
its name in the mailbox, so none is fetched twice; what it holds is judged when the copy takes it in, like what anybody
saves there.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pbem.base.values import dataclass
from pbem.player.mail.gate import MAX_MESSAGE
from pbem.player.mail.imap import FoundMail, ImapMailbox
from pbem.player.store.durable import PRIVATE_FILE, write_file

HEADER = "X-Pbem-Match"
_AT_ONCE: Final = 20
"""Mails in memory at a time: anybody may send many."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation that waits in the mailbox: the match's short name, the seat, the subject, the mail."""

    match: str
    seat: str
    subject: str
    mail: FoundMail


def fetch_letters(mailbox: ImapMailbox, folder: Path, match: str) -> int:
    """Save this match's letters that are not in ``folder`` yet; how many were new.

    Raises:
        MailTrouble: the mailbox cannot be reached; nothing half-written is left.
    """
    return _save(mailbox, folder, mailbox.letters(HEADER, match))


def invitations(mailbox: ImapMailbox) -> list[Invitation]:
    """The first letter of each match in the mailbox, newest match first."""
    first: dict[str, FoundMail] = {}
    for mail in mailbox.letters(HEADER):
        if mail.match and not mail.answers:
            first.setdefault(mail.match, mail)
    return [
        Invitation(found_mail.match, found_mail.seat, found_mail.subject, found_mail)
        for found_mail in reversed(first.values())
    ]


def save_invitation(mailbox: ImapMailbox, folder: Path, one: Invitation) -> Path:
    """Put an invitation into a folder, which is made if it is not there; where it lies."""
    folder.mkdir(parents=True, exist_ok=True)
    _save(mailbox, folder, [one.mail])
    return _place(folder, one.mail)


def _place(folder: Path, mail: FoundMail) -> Path:
    return folder / f"mail-{mail.name}.eml"


def _save(mailbox: ImapMailbox, folder: Path, mails: Iterable[FoundMail]) -> int:
    missing = [mail for mail in mails if mail.size <= MAX_MESSAGE and not _place(folder, mail).exists()]
    saved = 0
    for start in range(0, len(missing), _AT_ONCE):
        some = missing[start : start + _AT_ONCE]
        bodies = mailbox.fetch([found_mail.uid for found_mail in some])
        for found_mail in (found_mail for found_mail in some if found_mail.uid in bodies):
            write_file(_place(folder, found_mail), bodies[found_mail.uid], mode=PRIVATE_FILE)
            saved += 1
    return saved
