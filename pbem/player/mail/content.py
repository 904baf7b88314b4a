"""What some bytes bring, found by content and never by name: a signed file, lines of a game file, or both.

Taken are: lines of a game file; one signed file as JSON in any layout; text with armour blocks or pasted JSON; an email
(RFC 5322) with any of these in its parts. Whatever was mended or unpacked on the way was found as the host finds it
in mail (``intake``); nothing is verified here. What reads emails is loaded when there is one.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, Final, NamedTuple

from pbem.base.errors import FormatError
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
from pbem.protocol.record.line import lines_in

MAX_INPUT: Final = 64 * 1024 * 1024
"""Bytes of a file that is looked into at all; a long game file has some megabytes."""
_MAX_TEXT: Final = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Content:
    """``files``: signed files of players (or rejects), as bytes; ``lines``: of a game file, without newlines.

    ``seat`` is what an email says it is for, as a hint; ``damages`` are blocks that could not be read.
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
    lines = lines_in(stripped)
    if lines is not None:
        return Content(lines=lines, kind="game")
    if stripped[:1] in (b"{", b"["):
        return Content(files=(stripped.strip(),), kind="file")
    if _reading().gate.is_mail(stripped):
        return _of_mail(stripped)
    content = _of_text(raw.decode("utf-8", "replace"))
    if content.files or content.damages or content.lines:
        return content
    return Content(files=(raw,) if raw else (), kind="nothing")


class _Reading(NamedTuple):
    gate: Any
    intake: Any


@cache
def _reading() -> _Reading:
    """What reads an email: a match file, which is looked at with every command, needs none of it."""
    from pbem.player.mail import gate, intake

    return _Reading(gate, intake)


def _of_text(text: str) -> Content:
    if len(text) > _MAX_TEXT:
        return Content(
            damages=(FormatError(sentence("more than {most} characters of text", most=_MAX_TEXT)),),
            kind="armour",
        )
    try:
        return _gathered(_reading().intake.items_of_text(text, _reading().gate.Work(len(text))), "armour")
    except _reading().gate.MailRefused as fault:
        return Content(damages=(fault,), kind="armour")


def _of_mail(raw: bytes) -> Content:
    try:
        mail = _reading().gate.read_mail(raw, MAX_INPUT)
    except _reading().gate.MailRefused as fault:
        return Content(damages=(fault,), kind="mail")
    return _gathered(_reading().intake.items_of(mail), "mail", mail.header("X-Pbem-Seat"))


def _gathered(items: Iterable[Any], kind: str, seat: str = "") -> Content:
    files: dict[bytes, None] = {}
    lines: list[bytes] = []
    damages: list[FormatError] = []
    for item in items:
        if isinstance(item, _reading().intake.Lines):
            lines += item.lines
        elif isinstance(item, _reading().intake.Paper):
            files[item.raw] = None
        else:
            damages.append(FormatError(item.sentence))
    return Content(tuple(files), tuple(lines), seat, tuple(damages) if not files else (), kind)
