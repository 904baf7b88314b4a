"""How mail leaves: who this service is in mail and what a robot says of itself, and the one writer of messages.

A **Message-ID** is a MAC under the host's secret over what the email is an effect of. It is the same whenever the
email is made again, so an email is never sent twice unnoticed; and nobody can send it first. The same MAC stands
in the envelope sender (VERP), so a bounce names its email and cannot be invented.

A message is bytes that can be stored, sent as they are and read again unchanged (RFC 5322, RFC 2045):
``multipart/mixed`` of ``multipart/alternative`` (text, then HTML, with its pictures in ``multipart/related``) and the
attached files; what is not there is left out. Built with the SMTP policy and serialised with ``max_line_length=998``:
at 78 the standard library encodes or folds the long message ids that other programs write in ``In-Reply-To`` and
``References``, and threading breaks. Body lines stay within 76 to 78 columns all the same.
"""

from __future__ import annotations

import re
from binascii import b2a_base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from datetime import datetime, timedelta
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Final, NamedTuple

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.player.mail.robot import VERP, base_address
from pbem.protocol.crypto import digest as base32
from pbem.protocol.crypto.digest import lp, mac, sha
from pbem.protocol.formats.strict_json import harmless

_LONG_LINES: Final = SMTP.clone(max_line_length=998)
_MESSAGE_ID: Final = re.compile(r"<[^<>\s@]+@[^<>\s@]+>")
_MOST: Final = 900
"""Characters of a message id that is written back: more does not fit on a line."""
_ADDRESS: Final = re.compile(r"[A-Za-z0-9]+(?:[.+_-][A-Za-z0-9]+)*@[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*")
_WORDS: Final = re.compile(r"(?!.*=\?)[!-~]+(?: [!-~]+)*")
_OF_ONE_LETTER: Final = frozenset({"Subject", "Date", "Message-ID", "In-Reply-To", "References"})
_HEADER_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*")


@dataclass(frozen=True, slots=True)
class MailHead:
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


class InlinePicture(NamedTuple):
    """A PNG that HTML shows by its ``cid``."""

    cid: str
    png: bytes


class AttachedFile(NamedTuple):
    """A file beside the text; its type is ``main/kind``, with these parameters."""

    name: str
    data: bytes
    kind: str
    main: str = "application"
    parameters: Mapping[str, str] = MappingProxyType({})


def known_ids(ids: Sequence[str]) -> tuple[str, ...]:
    """Only what is a message id, each once."""
    return tuple(dict.fromkeys(name for name in ids if len(name) <= _MOST and _MESSAGE_ID.fullmatch(name)))


def write_mail(
    head: MailHead,
    text: str,
    html: str = "",
    pictures: Sequence[InlinePicture] = (),
    files: Sequence[AttachedFile] = (),
) -> bytes:
    """The message. Two calls with the same arguments give the same bytes: boundaries follow from ``own_id``.

    Raises:
        UsageProblem: an address, id or header that a message cannot hold.
    """
    try:
        written = _head(head)
    except (ValueError, IndexError) as fault:  # the header parser's ways to say no
        raise UsageProblem(sentence("this cannot stand in a message header: {fault}", fault=fault)) from None
    body = _Part(_TEXT, _quoted(text))
    if html:
        shown = _Part(_HTML, _quoted(html))
        if pictures:
            images = [_Part(_picture_head(cid), _base64(png)) for cid, png in pictures]
            shown = _Part(_MIME, parts=("related", [_Part(_HTML_ALONE, shown.body), *images]))
        body = _Part(b"", parts=("alternative", [body, shown]))
    if files:
        attached = [
            _Part(
                _file_head(file.name, file.main, file.kind, tuple(file.parameters.items())),
                _base64(file.data),
            )
            for file in files
        ]
        body = _Part(b"", parts=("mixed", [body, *attached]))
    chunks = [written]
    if body.parts:
        chunks.append(_MIME)
        _write_part(chunks, body, sha(head.own_id.encode()).hex()[:20], iter(range(1 << 30)))
    else:
        chunks += (body.head, _MIME, _END, body.body)
    return b"".join(chunks)


def _head(head: MailHead) -> bytes:
    if not _MESSAGE_ID.fullmatch(head.own_id):
        raise ValueError(f"expected a message id in angle brackets, found {head.own_id!r}")
    given: dict[str, str] = {
        "Subject": head.subject,
        "Date": format_datetime(head.date),
        "Message-ID": head.own_id,
    }
    if answered := known_ids((head.answers,)):
        given["In-Reply-To"] = answered[0]
    if references := known_ids(head.references):
        given["References"] = " ".join(references)
    lines = [_person("From", head.sender), _person("To", head.to)]
    lines += [_line(name, value) for name, value in given.items()]
    names = {"from", "to", *(name.lower() for name in given)}
    for name, value in head.more.items():
        if not _HEADER_NAME.fullmatch(name) or name.lower() in names:
            raise ValueError(f"{name!r} is no header that can be added")
        names.add(name.lower())
        lines.append(_line(name, value))
    return b"".join(lines)


def _person(name: str, who: str | Address) -> bytes:
    return _line(name, who) if isinstance(who, str) else _addressed(name, who.display_name, who.addr_spec)


@lru_cache(maxsize=256)
def _addressed(name: str, called: str, address: str) -> bytes:
    """The same people get emails again and again, and the library takes addresses apart word by word."""
    return _LONG_LINES.fold_binary(*SMTP.header_store_parse(name, Address(called, addr_spec=address)))


def _line(name: str, value: str) -> bytes:
    """One header; what differs from email to email and is plain needs no parser: it would be written as it is."""
    plain = _ADDRESS if name == "To" else _WORDS if name in _OF_ONE_LETTER else None
    if plain is not None and len(value) <= _MOST and plain.fullmatch(value):
        return f"{name}: {value}\r\n".encode()
    return _parsed(name, value)


@lru_cache(maxsize=256)
def _parsed(name: str, value: str) -> bytes:
    """One header, parsed and folded by the library."""
    return _LONG_LINES.fold_binary(*SMTP.header_store_parse(name, value))


# --- parts, as bytes --------------------------------------------------------------------------------------
#
# The standard library writes what has a head that is folded or encoded; bodies are put behind each other here, since
# it would take every line of them into its hands twice. That the two agree to the byte is tested.

_END: Final = b"\r\n"
_MIME: Final = b"MIME-Version: 1.0\r\n"
_TEXT: Final = b'Content-Type: text/plain; charset="utf-8"\r\nContent-Transfer-Encoding: quoted-printable\r\n'
_HTML_ALONE: Final = _TEXT.replace(b"plain", b"html")
_HTML: Final = _HTML_ALONE + _MIME
_QUOTED: Final = 78
"""Characters of a line of quoted-printable."""
_PLAIN: Final = b" \t\n" + bytes(range(33, 127))
_MARK: Final = ord("=")
_COLUMNS: Final = 76
"""Characters of a line of base64 (RFC 2045 §6.8)."""


class _Part(NamedTuple):
    """The lines of a head without the one about parts, and a body, or the kind of a multipart and what it holds."""

    head: bytes
    body: bytes = b""
    parts: tuple[str, Sequence[_Part]] | None = None


def _write_part(chunks: list[bytes], part: _Part, token: str, numbers: Iterator[int]) -> None:
    """Boundaries depend on the message only, so that an outbox made again is the same to the byte."""
    number = next(numbers)
    chunks.append(part.head)
    if part.parts is None:
        chunks += (_END, part.body)
        return
    kind, parts = part.parts
    boundary = f"=_{token}_{number}_="
    chunks.append(f'Content-Type: multipart/{kind}; boundary="{boundary}"\r\n\r\n'.encode())
    for child in parts:
        chunks.append(f"--{boundary}\r\n".encode())
        _write_part(chunks, child, token, numbers)
        chunks.append(_END)
    chunks.append(f"--{boundary}--\r\n".encode())


def _quoted(text: str) -> bytes:
    """Quoted-printable (RFC 2045 §6.7), to the byte as the standard library's messages have it."""
    body = b"\n".join(text.encode("utf-8").splitlines())
    marked = body.replace(b"=", b"=3D")
    for byte in set(body.translate(None, _PLAIN)):
        marked = marked.replace(bytes((byte,)), b"=%02X" % byte)
    lines: list[bytes] = []
    for line in marked.split(b"\n"):
        at = 0
        while len(line) - at > _QUOTED:
            cut = at + _QUOTED - 1
            if line[cut - 2] == _MARK:  # no escape is broken up
                cut -= 2
            elif line[cut - 1] == _MARK:
                cut -= 1
            lines.append(line[at:cut] + b"=")
            at = cut
        rest = line[at:]
        lines.append(_blank_at_end(rest) if rest.endswith((b" ", b"\t")) else rest)
    return _END.join(lines) + _END


def _blank_at_end(line: bytes) -> bytes:
    """A blank at the end of a line would be lost on the way: it is an escape, or not at the end."""
    if len(line) == _QUOTED - 1:
        return line + b"=" + _END
    soft_break = b"=" + _END if len(line) == _QUOTED else b""
    return line[:-1] + soft_break + b"=%02X" % line[-1]


@lru_cache(maxsize=32)
def _base64(data: bytes) -> bytes:
    """Base64 in lines; the same picture and the same records go to every seat."""
    plain = b2a_base64(data, newline=False)
    return b"".join(plain[at : at + _COLUMNS] + _END for at in range(0, len(plain), _COLUMNS))


def _picture_head(cid: str) -> bytes:
    """Beside the HTML, in a ``multipart/related`` (RFC 2387)."""
    part = EmailMessage(policy=SMTP)
    name = cid.partition("@")[0] + ".png"
    part.set_content(b"", "image", "png", cid=f"<{cid}>", disposition="inline", filename=name)
    return _head_of(part)


@lru_cache(maxsize=256)
def _file_head(name: str, main: str, kind: str, parameters: tuple[tuple[str, str], ...]) -> bytes:
    part = EmailMessage(policy=SMTP)
    part.set_content(b"", main, kind, filename=name, params=dict(parameters) or None)
    return _head_of(part)


def _head_of(part: EmailMessage) -> bytes:
    return part.as_bytes(policy=_LONG_LINES).removesuffix(_END)


# --- who this service is in mail: names that cannot be guessed, headers a robot owes ----------------------

MARK: Final = "<pbem."
WITNESS: Final = "sent"
FOUND_BY: Final = 10
"""Letters of an email's token that a bounce names it by."""
_PLAIN_ADDRESS: Final = re.compile(
    r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?"
)


def check_address(text: str) -> str:
    """A plain mail address in lower case.

    Raises:
        UsageProblem: anything that SMTP would need quoting for, or that is no address.
    """
    address = text.strip()
    if not _PLAIN_ADDRESS.fullmatch(address) or ".." in address:
        raise UsageProblem(
            sentence("{text!r} is not an email address", text=text),
            hint=sentence("Expected something like anna@example.org."),
        )
    return address.lower()


def plus_address(address: str, part: str) -> str:
    """``games+part@example.org``."""
    local, _, domain = base_address(address).rpartition("@")
    return f"{local}+{part}@{domain}"


def token_of(key: bytes, effect: str) -> str:
    """26 lower-case letters and digits that name an effect: 130 bits nobody can guess."""
    return base32.encode(mac(key, lp("pbem/1 letter", effect)))[:26].lower()


def envelope_token(key: bytes, token: str) -> str:
    """What only the envelope of the email with this token has: ten letters to find it by, and 80 bits of proof."""
    return token[:FOUND_BY] + token_of(key, f"envelope {token}")[:16]


def message_id(token: str, address: str) -> str:
    """The Message-ID of the email with this token; ``MARK`` begins it, so that a mailbox can be asked for answers."""
    return f"{MARK}{token}@{address.rpartition('@')[2].lower()}>"


@dataclass(frozen=True, slots=True)
class Sender:
    """Who this service is in mail."""

    address: str
    name: str = "pbem"
    plus: bool = True
    """Whether the mail server delivers ``address`` with a plus part."""

    @property
    def domain(self) -> str:
        """What stands after the @."""
        return self.address.rpartition("@")[2].lower()

    def header(self) -> Address:
        """The From header."""
        return _taken_apart(self.name, self.address)

    def envelope(self, token: str) -> str:
        """The envelope sender of an email: where its bounce goes."""
        return plus_address(self.address, VERP + token) if self.plus else self.address

    def witness(self) -> str:
        """Where the witness copy of every email goes."""
        return plus_address(self.address, WITNESS) if self.plus else self.address

    def route(self, match: str) -> str:
        """Where a reply about a match goes; routing only, never authority."""
        return plus_address(self.address, match) if self.plus else self.address


@lru_cache(maxsize=16)
def _taken_apart(name: str, address: str) -> Address:
    return Address(name, addr_spec=address)


def robot_headers(
    sender: Sender, *, answer: bool, match: str = "", seat: str = "", title: str = ""
) -> dict[str, str]:
    """What a robot says of itself (RFC 3834, RFC 2919); ``answer`` if it answers one."""
    headers = {
        "Auto-Submitted": "auto-replied" if answer else "auto-generated",
        "X-Auto-Response-Suppress": "OOF, AutoReply",
        "Precedence": "list",
        "Reply-To": sender.route(match) if match else sender.address,
    }
    if match:
        words = re.sub(r"[^A-Za-z0-9 -]", "", title)
        headers["List-Id"] = f"{words} {match} <{match}.games.{sender.domain}>".strip()
        headers["X-Pbem-Match"] = match
    if seat:
        headers["X-Pbem-Seat"] = seat
    return headers


def one_line(text: str, limit: int = 200) -> str:
    """Text for a header: no line ends, no control characters."""
    return harmless(text)[:limit].strip()


def plain_mail(
    sender: Sender,
    to: str,
    subject: str,
    text: str,
    own_id: str,
    date: datetime,
    headers: dict[str, str],
    references: tuple[str, ...] = (),
    files: tuple[AttachedFile, ...] = (),
) -> bytes:
    """An email without pictures: help, status, what was wrong. The original is never attached (no backscatter)."""
    ids = known_ids(references)
    more = {name: one_line(value) for name, value in headers.items()}
    answers = ids[-1] if ids else ""
    head = MailHead(sender.header(), check_address(to), one_line(subject), own_id, date, answers, ids, more)
    return write_mail(head, text, files=files)


# --- A deadline as an entry for a calendar: an iCalendar file (RFC 5545) in the shape of RFC 5546 ---------
#
# It is published, not requested: nobody is asked whether they come, and no answer goes anywhere. A moved
# deadline is the same UID with a higher SEQUENCE, one that holds no more is cancelled
# (RFC 5546 §4.1.2 and §4.1.3). The file lies beside the email as an attachment: as an alternative of the
# text, some mail programs would show it in the email's place.

NAME: Final = "deadline.ics"
LENGTH: Final = timedelta(minutes=30)
"""The entry ends when the time is up; one without a length is hardly seen in a calendar."""


def calendar_entry(
    uid: str, number: int, due: datetime, summary: str, about: str, *, holds: bool, at: datetime, by: Address
) -> AttachedFile:
    """The file for an entry that ends at ``due``; ``at`` is when this was said, ``by`` who says it.

    ``number`` must grow from one saying to the next. ``holds`` is false to take the entry away. Times are aware.
    """
    from icalendar import Calendar, Event, vCalAddress

    method = "PUBLISH" if holds else "CANCEL"
    event = Event()
    event.add("uid", uid)
    event.add("sequence", number)
    event.add("dtstamp", at)
    event.add("dtstart", due - LENGTH)
    event.add("dtend", due)
    event.add("summary", summary)
    event.add("description", about)
    event.add("status", "CONFIRMED" if holds else "CANCELLED")
    event.add("transp", "TRANSPARENT")  # whoever has a deadline is free all the same
    organizer = vCalAddress(f"mailto:{by.addr_spec}")
    if by.display_name:
        organizer.params["CN"] = by.display_name
    event["organizer"] = organizer
    calendar = Calendar()
    calendar.add("prodid", "-//pbem//deadlines//EN")
    calendar.add("version", "2.0")
    calendar.add("method", method)
    calendar.add_component(event)
    return AttachedFile(NAME, calendar.to_ical(), "calendar", "text", {"method": method, "charset": "utf-8"})
