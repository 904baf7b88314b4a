"""A player's emails come into the folder of their copy by themselves: found in their mailbox, saved, never moved.

Only emails with a match's own header are looked at; they stay where they are, unread as before. An email is saved under
its name in the mailbox, so none is fetched twice; what it holds is judged when the copy takes it in, like what anybody
saves there.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pbem.base.values import dataclass
from pbem.player.mail.gate import MAX_MESSAGE
from pbem.player.store.durable import PRIVATE_FILE, write_file

if TYPE_CHECKING:
    from pbem.player.mail.imap import FoundMail, ImapMailbox

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
