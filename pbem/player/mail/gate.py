"""The gate: the one place where mail is parsed. Cheap checks on the raw bytes first, then a parse that never raises.

The standard library's parser takes minutes, or all memory, for some hostile emails, and merely reading a header of
``policy.default`` can raise. So size, lines, headers, boundaries and nesting are counted on the bytes first; then the
``compat32`` policy is used, and every header goes through ``Mail.header``. What does not pass is ``MailRefused``.

Whatever is unpacked, decoded, mended or searched in an email later is paid from one ``Work``, so that none costs more
than a fixed multiple of its bytes.
"""

from __future__ import annotations

import binascii
import email
import email.policy
import re
from base64 import b64encode
from collections.abc import Iterator
from email.header import decode_header, make_header
from email.message import Message
from email.utils import getaddresses
from functools import cached_property
from typing import Final

from pbem.base.errors import FormatError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.protocol.formats.strict_json import harmless

MAX_MESSAGE: Final = 512 * 1024
MAX_HEADERS: Final = 64 * 1024
MAX_PARTS: Final = 40
MAX_DEPTH: Final = 8
MAX_NESTED: Final = 4
MAX_DASHES: Final = 1000
"""Lines that begin with two hyphens, as the boundaries of parts do."""
_LINES_AT_LEAST: Final = 20_000
_BYTES_A_LINE: Final = 16
"""An email may have 20,000 line ends, and one more for every sixteen bytes: the parser's cost is by the line."""
_WORK_AT_LEAST: Final = 512 * 1024
_WORK_A_BYTE: Final = 96
"""Bytes that may be looked at for an email: every way to mend a file that was quoted, wrapped and made typographic."""
_MAX_HEADER: Final = 4000
_MAX_WORDS: Final = 50
_MAX_ADDRESSES: Final = 50

_MAIL: Final = re.compile(rb"(?:From [^\n]*+\n)?[A-Za-z][A-Za-z0-9-]{0,60}:[ \t\r\n]")
_TYPE: Final = re.compile(rb"(?im)^content-type:")
_NESTED: Final = re.compile(rb"(?im)^content-type:\s*+message/")
_FOLDED: Final = re.compile(rb"[^\n]*+(?:\n[ \t][^\n]*+)*+")
_MESSAGE_ID: Final = re.compile(r"<[^<>\s@]{1,400}@[^<>\s@]{1,400}>")
_ADDRESS: Final = re.compile(r"[^\s@<>\"(),:;\\]{1,64}@[A-Za-z0-9.-]{1,253}")
_CHARSETS: Final = frozenset(
    (
        *(
            "utf-8",
            "utf8",
            "us-ascii",
            "ascii",
            "iso-8859-1",
            "iso-8859-2",
            "iso-8859-15",
            "latin-1",
            "cp1252",
        ),
        *("windows-1250", "windows-1251", "windows-1252", "koi8-r", "iso-2022-jp", "shift_jis", "euc-jp"),
        *("gb2312", "gbk", "gb18030", "big5", "euc-kr", "utf-16", "utf-16le", "utf-16be"),
    )
)


class MailRefused(FormatError):
    """An email that is not looked into; ``kind`` is stable, for the answer and the log."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Work:
    """How much may still be looked at for one mail, in bytes; shared by everything that is done with it."""

    def __init__(self, size: int) -> None:
        self.left = _WORK_AT_LEAST + _WORK_A_BYTE * size

    def spend(self, amount: int) -> None:
        """Pay for looking at ``amount`` bytes.

        Raises:
            MailRefused: kind ``too-much``; whatever was found until then counts.
        """
        if amount > self.left:
            self.left = 0
            raise MailRefused(
                "too-much", sentence("this email unfolds into more than is looked at for one of its length")
            )
        self.left -= amount


@dataclass(frozen=True)
class Part:
    """One leaf of an email, its transfer encoding undone; ``inner`` if it lies in an email inside this one."""

    data: bytes
    kind: str
    charset: str
    attached: bool
    inner: bool = False

    @cached_property
    def text(self) -> str:
        """The data as characters; a charset that is unknown, dangerous or wrong is read as UTF-8."""
        charset = self.charset if self.charset in _CHARSETS else "utf-8"
        if self.data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            charset = "utf-16"
        try:
            return self.data.decode(charset)
        except (UnicodeError, LookupError):
            return self.data.decode("utf-8", "replace")


class Mail:
    """An email that passed the gate: headers that can be read without danger, and its leaves."""

    def __init__(self, message: Message, parts: tuple[Part, ...], work: Work) -> None:
        self.message = message
        self.parts = parts
        self.work = work

    def header(self, name: str, limit: int = 998) -> str:
        """A header decoded, on one line, without what ``characters`` lists; empty if it is not there."""
        return clean_header(self.message.get(name), limit)

    def headers(self, name: str) -> list[str]:
        """All headers of this name."""
        return [clean_header(value) for value in (self.message.get_all(name) or [])[:_MAX_ADDRESSES]]

    @cached_property
    def message_id(self) -> str:
        """The Message-ID, or nothing if it is none."""
        match = _MESSAGE_ID.search(self.header("Message-ID"))
        return match[0] if match else ""

    @cached_property
    def references(self) -> tuple[str, ...]:
        """The ids that the mail answers, oldest first; Exchange and iOS separate them by commas."""
        text = f"{self.header('References', _MAX_HEADER)} {self.header('In-Reply-To')}"
        return tuple(dict.fromkeys(_MESSAGE_ID.findall(text)[-40:]))

    @cached_property
    def sender(self) -> str:
        """The one address in From, lower case; nothing if there is none or several. It proves nothing."""
        senders = _addresses([self.header("From")])
        return senders[0] if len(senders) == 1 else ""

    @cached_property
    def recipients(self) -> tuple[str, ...]:
        """Every address that this mail may have been delivered for."""
        names = ("To", "Cc", "Delivered-To", "X-Original-To", "Envelope-To", "X-Envelope-To")
        return tuple(dict.fromkeys(_addresses([text for name in names for text in self.headers(name)])))

    @property
    def content_type(self) -> str:
        """The type of the whole mail."""
        return self.message.get_content_type()

    def reports(self) -> Iterator[Message]:
        """The ``message/*`` parts of the mail itself, not of emails inside it: a bounce has its story there."""
        for part, _, inner in _walk(self.message):
            kind = part.get_content_type()
            if not inner and (kind.startswith("message/") or kind == "text/rfc822-headers"):
                yield part


def is_mail(raw: bytes) -> bool:
    """Whether these bytes begin with a header, as an email does."""
    return _MAIL.match(raw) is not None


def read_mail(raw: bytes, limit: int = MAX_MESSAGE) -> Mail:
    """The mail in ``raw``, which may have ``limit`` bytes.

    Raises:
        MailRefused: too big, too many lines or parts, too deep, or not to be parsed.
    """
    _check_bytes(raw, limit)
    work = Work(len(raw))
    try:
        message = email.message_from_bytes(raw, policy=email.policy.compat32)
        parts = tuple(_parts(message, work))
    except (MailRefused, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - the parser fails in many ways; all mean the same to us
        raise MailRefused("unreadable", sentence("this email cannot be read")) from None
    return Mail(message, parts, work)


def _base64_marks(text: bytes) -> Iterator[bytes]:
    """How a text may look within base64: by where it begins, without what its neighbours have a part in."""
    for before in range(3):
        coded = b64encode(b"\0" * before + text)
        start, end = -(-before * 8 // 6), (before + len(text)) * 8 // 6
        yield coded[start:end]


_SIGNED: Final = (b'"game":', b'"seat":', b'"sig":')
_MARKS: Final = (
    *_SIGNED,
    *(mark.replace(b'"', b"=22") for mark in _SIGNED),
    *(coded for mark in _SIGNED for coded in _base64_marks(mark)),
    b"UEsDB",  # a zip
    b"H4sI",  # gzip
    b"eJ8+I",  # winmail.dat
)
_BLOCK: Final = re.compile(rb"P[\s>-]*B[\s>-]*E[\s>-]*M[\s>-]*1[\s>-]*B", re.IGNORECASE)


def peek_header(raw: bytes, name: str) -> str:
    """One header of an email that may never pass the gate, from its first bytes."""
    head = b"\n" + _plain_ends(raw[:MAX_HEADERS]).split(b"\n\n", 1)[0]
    at = head.lower().find(b"\n" + name.lower().encode() + b":")
    if at < 0:
        return ""
    match = _FOLDED.match(head, at + len(name) + 2, at + _MAX_HEADER)
    return clean_header(match[0].decode("latin-1").replace("\n", " ")) if match else ""


def peek_sender(raw: bytes) -> str:
    """The address in From of such an email."""
    senders = _addresses([peek_header(raw, "From")])
    return senders[0] if len(senders) == 1 else ""


def peek_message_id(raw: bytes) -> str:
    """The Message-ID of such an email."""
    match = _MESSAGE_ID.search(peek_header(raw, "Message-ID"))
    return match[0] if match else ""


def may_hold_file(raw: bytes) -> bool:
    """Whether an email may bring a signed file, by a look at its bytes: if not, it brings none in any form."""
    whole = raw.replace(b"\r", b"").replace(b"=\n", b"").replace(b"\n", b"")
    return any(mark in whole for mark in _MARKS) or bool(_BLOCK.search(whole))


def body_of(raw: bytes) -> bytes:
    """What stands after the headers: with the Message-ID it names an email whatever its way here was."""
    ends = [(raw.find(mark), len(mark)) for mark in (b"\r\n\r\n", b"\n\n")]
    first = min((end for end in ends if end[0] >= 0), default=(len(raw), 0))
    return raw[first[0] + first[1] :]


def clean_header(value: object, limit: int = 998) -> str:
    """A header's value decoded (RFC 2047), on one line, harmless on a terminal; never raises, never slow."""
    if value is None:
        return ""
    text = str(value)[: limit * 4]
    try:
        if 0 < text.count("=?") <= _MAX_WORDS:
            text = str(make_header(decode_header(text)))
    except Exception:  # noqa: BLE001 - see read_mail
        text = text.encode("ascii", "replace").decode()
    return " ".join(harmless(text).split())[:limit].strip()


def _addresses(texts: list[str]) -> list[str]:
    addresses = []
    try:
        pairs = getaddresses([text[:2000] for text in texts if text.count("(") < _MAX_WORDS])
    except Exception:  # noqa: BLE001 - see read_mail
        return []
    for _, address in pairs[:_MAX_ADDRESSES]:
        if _ADDRESS.fullmatch(address):
            addresses.append(address.lower())
    return addresses


def _plain_ends(raw: bytes) -> bytes:
    """Every line end as the parser counts them: it takes a lone carriage return for one, too."""
    return raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def too_big(limit: int) -> MailRefused:
    """What is said of an email of more than ``limit`` bytes."""
    return MailRefused("too-big", sentence("an email has at most {most} KiB", most=limit // 1024))


def _too_many_parts() -> MailRefused:
    text = sentence("an email has at most {parts} parts, {deep} deep", parts=MAX_PARTS, deep=MAX_DEPTH)
    return MailRefused("too-many-parts", text)


def _check_bytes(raw: bytes, limit: int) -> None:
    if len(raw) > limit:
        raise too_big(limit)
    plain = _plain_ends(raw)
    if plain.count(b"\n") > _LINES_AT_LEAST + len(raw) // _BYTES_A_LINE:
        raise MailRefused("too-many-lines", sentence("this email has too many lines for its length"))
    end = plain.find(b"\n\n")
    if (end if end >= 0 else len(plain)) > MAX_HEADERS:
        raise MailRefused(
            "headers-too-big", sentence("the headers are longer than {most} KiB", most=MAX_HEADERS // 1024)
        )
    starts = [match.end() for match in _TYPE.finditer(plain)]
    if len(starts) > MAX_PARTS or plain.count(b"\n--") > MAX_DASHES:
        raise _too_many_parts()
    types = [_folded(plain, start) for start in starts]
    if any(len(header) > _MAX_HEADER for header in types):
        raise MailRefused(
            "headers-too-big", sentence("a content type is longer than {most} characters", most=_MAX_HEADER)
        )
    if sum(b"boundary" in header.lower() for header in types) > MAX_DEPTH * 2:
        raise _too_many_parts()
    if len(_NESTED.findall(plain)) > MAX_NESTED:
        raise MailRefused(
            "too-many-parts", sentence("an email has at most {most} emails inside", most=MAX_NESTED)
        )


def _folded(plain: bytes, start: int) -> bytes:
    """The header that goes on there, continued lines included, as far as an honest one may go and one byte more."""
    match = _FOLDED.match(plain, start, start + _MAX_HEADER + 1)
    return match[0] if match else b""


def _walk(message: Message) -> Iterator[tuple[Message, int, bool]]:
    """Every part with its depth, outermost first, and whether it lies in an email inside this one."""
    stack = [(message, 0, False)]
    seen = 0
    while stack:
        part, depth, inner = stack.pop()
        seen += 1
        if seen > MAX_PARTS or depth > MAX_DEPTH:
            raise _too_many_parts()
        yield part, depth, inner
        payload = part.get_payload() if part.is_multipart() else None
        if isinstance(payload, list) and part.get_content_type() != "message/delivery-status":
            inside = inner or part.get_content_maintype() == "message"
            stack.extend((item, depth + 1, inside) for item in reversed(payload) if isinstance(item, Message))


def _decoded(part: Message) -> bytes:
    """A part without its transfer encoding; a charset that makes the library stumble is forgotten first."""
    try:
        data = part.get_payload(decode=True)
    except (LookupError, ValueError):
        part.del_param("charset")
        data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _packed_letter(part: Message) -> bytes:
    """An email inside this one that was packed as base64, which RFC 2046 forbids and Exchange does; else nothing."""
    if part.get_content_type() != "message/rfc822" or not part.is_multipart():
        return b""
    if clean_header(part.get("Content-Transfer-Encoding")).lower() != "base64":
        return b""
    inside = part.get_payload()
    first = inside[0] if isinstance(inside, list) and inside else None
    text = first.get_payload() if isinstance(first, Message) else ""
    if not isinstance(text, str):
        return b""
    try:
        return binascii.a2b_base64(text)
    except ValueError:
        return b""


def _parts(message: Message, work: Work) -> Iterator[Part]:
    packed: set[int] = set()
    for part, _, inner in _walk(message):
        data = _packed_letter(part)
        if data:
            packed.update(id(child) for child in part.get_payload())
            work.spend(len(data))
            yield Part(data, "message/rfc822", "", attached=True, inner=inner)
            continue
        if id(part) in packed or part.is_multipart() or part.get_content_maintype() == "message":
            continue
        data = _decoded(part)
        work.spend(len(data))
        if not data:
            continue
        charset = clean_header(part.get_content_charset()).lower()
        attached = clean_header(part.get("Content-Disposition")).lower().startswith("attachment")
        yield Part(data, part.get_content_type(), charset, attached, inner)
