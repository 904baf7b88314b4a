"""A letter as a mail message."""

from __future__ import annotations

from dataclasses import replace

from pbem.letters import Letter
from pbem.letters.layout import clean
from pbem.mail.mime import Attached, Head, Picture, write_mail


def to_eml(letter: Letter, head: Head) -> bytes:
    """The message, ready for ``sendmail`` and for an ``.eml`` file; the subject of ``head`` is the letter's.

    Raises:
        UsageProblem: an address, id or header that a message cannot hold.
    """
    files = [Attached(letter.attachment_name, letter.attachment, "jsonl")] if letter.attachment else []
    files += [Attached(extra.name, extra.data, "json") for extra in letter.extra]
    pictures = [Picture(picture.cid, picture.png) for picture in letter.pictures]
    return write_mail(replace(head, subject=clean(letter.subject)), letter.text, letter.html, pictures, files)
