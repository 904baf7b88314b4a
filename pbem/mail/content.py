"""What some bytes bring, found by content and never by name: a signed file, lines of a game file, or both.

Taken are: lines of a game file; one signed file as JSON in any layout; text with armour blocks (protocol §6);
a mail message (RFC 5322) with any of these attached, or with a block or the JSON in its text. Nothing is verified
here, and nothing is parsed further than needed to tell one from the other.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from email import policy
from email.errors import MessageError
from email.message import EmailMessage
from email.parser import BytesParser
from typing import Final

from pbem.errors import FormatError
from pbem.formats.armour import scan
from pbem.formats.strict_json import MAX_FILE, parse

MAX_INPUT: Final = 64 * 1024 * 1024
"""Bytes of a file that is looked into at all; a long game file has some megabytes."""
_MAX_PARTS: Final = 64
_MAX_TEXT: Final = 4 * 1024 * 1024

_HEADER: Final = re.compile(rb"(?:From [^\n]*\n)?[A-Za-z][A-Za-z0-9-]{0,60}:[ \t]")
_LINE: Final = re.compile(rb'\{"body":\{[^\n]*"sig":\{[^\n]*\}\}\Z')
_RECORD: Final = re.compile(rb'"prev":"[A-Za-z0-9_-]{0,43}"')
_MARKER: Final = re.compile(r"P\W*B\W*E\W*M\W*[1IL]\W*(?:B\W*E\W*G|E\W*N\W*D)", re.IGNORECASE)
"""A hint that an armour block may be there: looking for it costs much more than this."""
_TAG: Final = re.compile(r"<[^>]{0,4000}>")


@dataclass(frozen=True, slots=True)
class Content:
    """``files``: signed files of players (or rejects), as bytes; ``lines``: of a game file, without newlines.

    ``seat`` is what a letter says it is for, as a hint; ``damages`` are blocks that could not be read.
    """

    files: tuple[bytes, ...] = ()
    lines: tuple[bytes, ...] = ()
    seat: str = ""
    damages: tuple[FormatError, ...] = ()
    kind: str = "nothing"
    """``game`` (lines), ``file``, ``armour``, ``mail`` or ``nothing``."""


def content_of(raw: bytes) -> Content:
    """What ``raw`` brings. Never raises for what it holds: unreadable bytes are a ``file`` that will be refused."""
    stripped = raw.lstrip(b" \t\r\n\xef\xbb\xbf")
    if looks_like_lines(stripped):
        return Content(lines=tuple(line for line in stripped.split(b"\n") if line), kind="game")
    if stripped[:1] in (b"{", b"["):
        return Content(files=(stripped.strip(),), kind="file")
    if _HEADER.match(stripped):
        return _of_mail(stripped)
    found = _of_text(raw.decode("utf-8", "replace"))
    if found.files or found.damages:
        return found
    return Content(files=(raw,) if raw else (), kind="nothing")


def looks_like_lines(raw: bytes) -> bool:
    """Whether these bytes begin with a record of a game file: one line with body, ``prev`` and signature."""
    first = raw.split(b"\n", 1)[0]
    return _LINE.match(first) is not None and _RECORD.search(first) is not None


# --- text ---------------------------------------------------------------------------------------------------


def _of_text(text: str) -> Content:
    if len(text) > _MAX_TEXT:
        return Content(damages=(FormatError(f"more than {_MAX_TEXT} characters of text"),), kind="armour")
    if _MARKER.search(text):
        try:
            found = scan(text)
        except FormatError as fault:
            return Content(damages=(fault,), kind="armour")
        if found.blocks or found.damages:
            return Content(files=found.blocks, damages=found.damages, kind="armour")
    pasted = _pasted(text)
    return Content(files=(pasted,), kind="file") if pasted else Content()


def _pasted(text: str) -> bytes:
    """JSON that somebody pasted among other words: from the first brace to the last one."""
    start, end = text.find('{"'), text.rfind("}")
    if start < 0 or end <= start:
        return b""
    raw = text[start : end + 1].encode()
    try:
        parse(raw, limit=MAX_FILE)
    except FormatError:
        return b""
    return raw


# --- mail ---------------------------------------------------------------------------------------------------


def _of_mail(raw: bytes) -> Content:
    try:
        message = BytesParser(policy=policy.default).parsebytes(raw)
        parts = [part for part in message.walk() if not part.is_multipart()][:_MAX_PARTS]
        found = [_of_part(part) for part in parts]
        seat = str(message.get("X-Pbem-Seat", ""))
    except (MessageError, ValueError, LookupError, TypeError, AttributeError) as fault:
        # The standard library's parser fails in many ways on mangled mail; all mean the same to us.
        return Content(damages=(FormatError(f"this mail cannot be read: {fault}"),), kind="mail")
    files: dict[bytes, None] = {}
    lines: list[bytes] = []
    damages: list[FormatError] = []
    for one in found:
        files.update(dict.fromkeys(one.files))
        lines += one.lines
        damages += one.damages
    return Content(tuple(files), tuple(lines), seat, tuple(damages) if not files else (), "mail")


def _of_part(part: EmailMessage) -> Content:
    payload = part.get_payload(decode=True)
    if not isinstance(payload, bytes) or not payload:
        return Content()
    stripped = payload.lstrip(b" \t\r\n\xef\xbb\xbf")
    if looks_like_lines(stripped.replace(b"\r\n", b"\n")):
        clean = stripped.replace(b"\r\n", b"\n")
        return Content(lines=tuple(line for line in clean.split(b"\n") if line), kind="game")
    attached = part.get_content_disposition() == "attachment"
    if stripped[:1] == b"{" and (attached or part.get_content_type() == "application/json"):
        return Content(files=(stripped.strip(),), kind="file")
    if part.get_content_maintype() != "text":
        return Content()
    text = payload.decode(part.get_content_charset() or "utf-8", "replace")
    if part.get_content_subtype() == "html":
        text = html.unescape(_TAG.sub("", text))
    return _of_text(text)
