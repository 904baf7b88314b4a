"""What may be said about the bytes behind the last newline of a game file.

A line of a game file is one JSON object in canonical form (schemas/README.md §1.2, §7): it begins with ``{``, holds no
control characters, and is at its end where its first bracket closes. So bytes that just stop, before that
bracket closes, are an append that never ended. A whole object is a line that lacks its newline. Anything else
was not left by an interrupted append, for instance a committed line whose newline was damaged; that is not
for a program to cut.
"""

from __future__ import annotations

import json
import re
from enum import Enum
from typing import Final


class Tail(Enum):
    """What the bytes behind the last newline are."""

    NONE = "none"
    WHOLE = "whole"
    CUT_SHORT = "cut short"
    DAMAGED = "damaged"


_SKIP: Final = re.compile(rb'[^"{}\[\]\x00-\x1f\x7f]+')
_STRING: Final = re.compile(rb'"(?:[^"\\\x00-\x1f\x7f]++|\\[^\x00-\x1f\x7f])*+')
_PAIRS: Final = {b"{": b"}", b"[": b"]"}


def judge_tail(torn: bytes) -> Tail:
    """Judge ``torn``; NUL bytes at its end are what a power failure leaves, and count as missing."""
    if not torn:
        return Tail.NONE
    text = torn.rstrip(b"\x00")
    end = _scan(text)
    if end is None:
        return Tail.CUT_SHORT
    if end == len(torn) and _is_object(torn):
        return Tail.WHOLE
    return Tail.DAMAGED


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _scan(text: bytes) -> int | None:
    """Where the object that ``text`` begins with closes; -1 if it is none; None if it stops before that."""
    if not text:
        return None
    if not text.startswith(b"{"):
        return -1
    open_brackets: list[bytes] = []
    at = 0
    while at < len(text):
        char = text[at : at + 1]
        if char == b'"':
            at = _after_string(text, at)
            if at < 0:
                return -1
            continue
        if char in _PAIRS:
            open_brackets.append(_PAIRS[char])
        elif char in b"}]":
            if open_brackets.pop() != char:
                return -1
            if not open_brackets:
                return at + 1
        elif skip := _SKIP.match(text, at):
            at = skip.end()
            continue
        else:
            return -1  # a control character
        at += 1
    return None


def _after_string(text: bytes, at: int) -> int:
    """Where to go on behind the string at ``at``; the end of ``text`` if it stops; -1 if it is none."""
    match = _STRING.match(text, at)
    end = match.end() if match else at
    if end == len(text) or (end == len(text) - 1 and text.endswith(b"\\")):
        return len(text)
    return end + 1 if text[end : end + 1] == b'"' else -1
