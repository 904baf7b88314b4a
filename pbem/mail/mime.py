"""The one writer of mail: bytes that can be stored, sent and read again unchanged (RFC 5322, RFC 2045).

``multipart/mixed`` of ``multipart/alternative`` (text, then HTML, with its pictures in ``multipart/related``) and the
attached files; what is not there is left out. Built with the SMTP policy and serialised with ``max_line_length=998``:
at 78 the standard library encodes or folds the long message ids that other programs write in ``In-Reply-To`` and
``References``, and threading breaks. Body lines stay within 76 to 78 columns all the same.
Send these bytes as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from types import MappingProxyType
from typing import Final, NamedTuple

from pbem.crypto.digest import sha
from pbem.errors import UsageProblem

_LONG_LINES: Final = SMTP.clone(max_line_length=998)
_MESSAGE_ID: Final = re.compile(r"<[^<>\s@]+@[^<>\s@]+>")
_MOST: Final = 900
"""Characters of a message id that is written back: more does not fit on a line."""
_HEADER_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


@dataclass(frozen=True, slots=True)
class Head:
    """Who writes to whom about what; ``own_id`` with angle brackets, ``date`` an aware time.

    Of ``answers`` (the mail that is answered) and ``references`` (oldest first) what is no message id is left out:
    they come from other people's mail. ``more`` are further headers (``Auto-Submitted`` …), names unique.
    """

    sender: str | Address
    to: str | Address
    subject: str
    own_id: str
    date: datetime
    answers: str = ""
    references: tuple[str, ...] = ()
    more: Mapping[str, str] = field(default_factory=dict)


class Picture(NamedTuple):
    """A PNG that HTML shows by its ``cid``."""

    cid: str
    png: bytes


class Attached(NamedTuple):
    """A file beside the text; its type is ``main/kind``, with these parameters."""

    name: str
    data: bytes
    kind: str
    main: str = "application"
    parameters: Mapping[str, str] = MappingProxyType({})


def known_ids(ids: Sequence[str]) -> tuple[str, ...]:
    """Only what is a message id, each once."""
    return tuple(dict.fromkeys(one for one in ids if len(one) <= _MOST and _MESSAGE_ID.fullmatch(one)))


def write_mail(
    head: Head, text: str, html: str = "", pictures: Sequence[Picture] = (), files: Sequence[Attached] = ()
) -> bytes:
    """The message. Two calls with the same arguments give the same bytes: boundaries follow from ``own_id``.

    Raises:
        UsageProblem: an address, id or header that a message cannot hold.
    """
    message = EmailMessage(policy=SMTP)
    try:
        _write_head(message, head)
    except (ValueError, IndexError) as fault:  # the header parser's ways to say no
        raise UsageProblem(f"this cannot stand in a message header: {fault}") from None
    message.set_content(text, cte="quoted-printable")
    if html:
        message.add_alternative(html, subtype="html", cte="quoted-printable")
        _show_pictures(message, pictures)
    for one in files:
        message.add_attachment(
            one.data, one.main, one.kind, filename=one.name, params=dict(one.parameters) or None
        )
    _fix_boundaries(message, head.own_id)
    return message.as_bytes(policy=_LONG_LINES)


def _write_head(message: EmailMessage, head: Head) -> None:
    if not _MESSAGE_ID.fullmatch(head.own_id):
        raise ValueError(f"expected a message id in angle brackets, found {head.own_id!r}")
    message["From"] = head.sender
    message["To"] = head.to
    message["Subject"] = head.subject
    message["Date"] = format_datetime(head.date)
    message["Message-ID"] = head.own_id
    if answered := known_ids((head.answers,)):
        message["In-Reply-To"] = answered[0]
    if references := known_ids(head.references):
        message["References"] = " ".join(references)
    for name, value in head.more.items():
        if not _HEADER_NAME.fullmatch(name) or name in message:
            raise ValueError(f"{name!r} is no header that can be added")
        message[name] = value


def _show_pictures(message: EmailMessage, pictures: Sequence[Picture]) -> None:
    """Beside the HTML, in a ``multipart/related`` (RFC 2387); without pictures there is none."""
    html = list(message.iter_parts())[-1]
    for cid, png in pictures:
        name = cid.partition("@")[0] + ".png"
        html.add_related(png, "image", "png", cid=f"<{cid}>", disposition="inline", filename=name)


def _fix_boundaries(message: EmailMessage, own_id: str) -> None:
    """Boundaries that depend on the message only, so that an outbox made again is the same to the byte."""
    token = sha(own_id.encode()).hex()[:20]
    for number, part in enumerate(message.walk()):
        if part.is_multipart():
            part.set_boundary(f"=_{token}_{number}_=")
