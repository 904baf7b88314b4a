"""Is the terminal dark or light? Asked of the terminal itself, so that it works over ssh too.

The question is OSC 11 (xterm control sequences, "change VT100 text background color"); behind it goes a request for
the device attributes, which every terminal answers: so one that does not know OSC 11 costs no waiting.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping

from pbem.base import system

_QUESTION = b"\x1b]11;?\x1b\\\x1b[c"
_ANSWER = re.compile(rb"\x1b\]11;rgba?:([0-9a-fA-F]+)/([0-9a-fA-F]+)/([0-9a-fA-F]+)")
_ATTRIBUTES = re.compile(rb"\x1b\[\?[\d;]*c")
_PATIENCE = 0.5
_MOST = 512


def is_light(environ: Mapping[str, str], answer: bytes) -> bool:
    """Whether the background is light, by what ``ask_terminal`` heard; dark if nobody says."""
    light = light_by_answer(answer)
    return light_by_environment(environ) if light is None else light


def light_by_answer(answer: bytes) -> bool | None:
    """What the terminal's answer says; None if it says nothing."""
    match = _ANSWER.search(answer)
    if match is None:
        return None
    red, green, blue = (int(part, 16) / (16 ** len(part) - 1) for part in match.groups())
    return bool(0.299 * red + 0.587 * green + 0.114 * blue > 0.5)


def light_by_environment(environ: Mapping[str, str]) -> bool:
    """What ``COLORFGBG`` says (``0;15``: black on white), as rxvt and Konsole set it."""
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    return background in ("7", "15")


def ask_terminal() -> bytes:
    """What the terminal answers within half a second; its settings are as before afterwards.

    Nothing, if it understands no such question: then no other control sequence may be written to it either.
    """
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return b""
    return system.answer(_QUESTION, _ATTRIBUTES.search, _MOST, _PATIENCE)
