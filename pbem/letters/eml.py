"""A letter as a mail message: bytes that can be stored, sent and read again unchanged (RFC 5322, RFC 2045).

``multipart/mixed`` of ``multipart/alternative`` (text, then HTML, with its pictures in ``multipart/related``) and the
attached lines. Built with the SMTP policy
and serialised with ``max_line_length=998``: at 78 the standard library encodes or folds the long message
ids that other programs write in ``In-Reply-To`` and ``References``, and threading breaks. Body lines stay within 76
to 78 columns all the same. Send these bytes as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime

from pbem.crypto.digest import sha
from pbem.errors import UsageProblem
from pbem.letters.layout import clean
from pbem.letters.letter import Letter

_LONG_LINES = SMTP.clone(max_line_length=998)
_MESSAGE_ID = re.compile(r"<[^<>\s@]+@[^<>\s@]+>")
_HEADER_NAME = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


def to_eml(
    letter: Letter,
    from_addr: str | Address,
    to_addr: str | Address,
    message_id: str,
    date: datetime,
    in_reply_to: str = "",
    references: tuple[str, ...] = (),
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """The message, ready for ``sendmail`` and for an ``.eml`` file.

    Two calls with the same arguments give the same bytes: boundaries follow from ``message_id``.

    Args:
        letter: what to send.
        from_addr: the host's address; a ``headerregistry.Address`` may carry a display name.
        to_addr: the player's address.
        message_id: with angle brackets.
        date: an aware time; the clock is the caller's.
        in_reply_to: message id of the player's mail, as it came; what is no message id is left out.
        references: message ids, oldest first; what is no message id is left out.
        headers: further headers (``Auto-Submitted``, ``Reply-To`` …), names unique.

    Raises:
        UsageProblem: an address, id or header that a message cannot hold.
    """
    message = EmailMessage(policy=SMTP)
    try:
        _address(message, letter, from_addr, to_addr, message_id, date)
        _thread(message, in_reply_to, references)
        _further(message, headers or {})
    except (ValueError, IndexError) as fault:  # the header parser's ways to say no
        raise UsageProblem(f"this cannot stand in a message header: {fault}") from None
    message.set_content(letter.text, cte="quoted-printable")
    message.add_alternative(letter.html, subtype="html", cte="quoted-printable")
    _show_pictures(message, letter)
    for name, data, subtype in _files(letter):
        message.add_attachment(data, maintype="application", subtype=subtype, filename=name)
    _fix_boundaries(message, message_id)
    return message.as_bytes(policy=_LONG_LINES)


def _address(
    message: EmailMessage,
    letter: Letter,
    from_addr: str | Address,
    to_addr: str | Address,
    message_id: str,
    date: datetime,
) -> None:
    if not _MESSAGE_ID.fullmatch(message_id):
        raise ValueError(f"expected a message id in angle brackets, found {message_id!r}")
    message["From"] = from_addr
    message["To"] = to_addr
    message["Subject"] = clean(letter.subject)
    message["Date"] = format_datetime(date)
    message["Message-ID"] = message_id


def _thread(message: EmailMessage, in_reply_to: str, references: tuple[str, ...]) -> None:
    """Ids come from other people's mails: only what is a message id is written back."""
    if _MESSAGE_ID.fullmatch(in_reply_to):
        message["In-Reply-To"] = in_reply_to
    known = [reference for reference in references if _MESSAGE_ID.fullmatch(reference)]
    if known:
        message["References"] = " ".join(known)


def _further(message: EmailMessage, headers: Mapping[str, str]) -> None:
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name) or name in message:
            raise ValueError(f"{name!r} is no header that can be added")
        message[name] = value


def _show_pictures(message: EmailMessage, letter: Letter) -> None:
    """Beside the HTML, in a ``multipart/related`` (RFC 2387); without pictures there is none."""
    html = list(message.iter_parts())[-1]
    for picture in letter.pictures:
        name = picture.cid.partition("@")[0] + ".png"
        html.add_related(
            picture.png, "image", "png", cid=f"<{picture.cid}>", disposition="inline", filename=name
        )


def _files(letter: Letter) -> list[tuple[str, bytes, str]]:
    files = [(letter.attachment_name, letter.attachment, "jsonl")] if letter.attachment else []
    return files + [(extra.name, extra.data, "json") for extra in letter.extra]


def _fix_boundaries(message: EmailMessage, message_id: str) -> None:
    """Boundaries that depend on the message only, so that an outbox made again is the same to the byte."""
    token = sha(message_id.encode()).hex()[:20]
    for number, part in enumerate(message.walk()):
        if part.is_multipart():
            part.set_boundary(f"=_{token}_{number}_=")
