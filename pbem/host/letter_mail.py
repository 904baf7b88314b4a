"""A letter as a mail message."""

from __future__ import annotations

from dataclasses import replace
from email.headerregistry import Address

from pbem.letters import Letter
from pbem.letters.layout import clean
from pbem.mail.entry import calendar_entry
from pbem.mail.mime import Attached, Head, Picture, write_mail
from pbem.record.deadlines import parse_time


def to_eml(letter: Letter, head: Head) -> bytes:
    """The message, ready for ``sendmail`` and for an ``.eml`` file; the subject of ``head`` is the letter's.

    Raises:
        UsageProblem: an address, id or header that a message cannot hold.
    """
    files = [Attached(letter.attachment_name, letter.attachment, "jsonl")] if letter.attachment else []
    files += [Attached(extra.name, extra.data, "json") for extra in letter.extra]
    if (entry := letter.deadline) is not None:
        by = head.sender if isinstance(head.sender, Address) else Address(addr_spec=head.sender)
        files.append(
            calendar_entry(
                entry.uid,
                entry.number,
                parse_time(entry.due),
                entry.summary,
                entry.told,
                holds=entry.holds,
                at=head.date,
                by=by,
            )
        )
    pictures = [Picture(picture.cid, picture.png) for picture in letter.pictures]
    return write_mail(replace(head, subject=clean(letter.subject)), letter.text, letter.html, pictures, files)
