"""How everybody sees that a computer decided: a mark in the talk of each file, and the name of a seat of its own.

Both are words that the formats have anyway, so that anybody can read them in the game file and no program has to know
them. A file with the mark was signed by a stand-in; a seat whose name ends as ``named`` ends it is a computer's.
"""

from __future__ import annotations

import re
from typing import Final

from pbem.game import JsonObject

_MARK: Final = re.compile(r"\[computer ([a-z]{1,16})\]")
_END: Final = " (bot)"
_LONGEST_NAME: Final = 60
"""Of a name in a join (schemas/README.md §6)."""


def mark(level: str) -> str:
    """What a file says openly that a computer of this level has made: ``[computer strong]``."""
    return f"[computer {level}]"


def level_in(say: str) -> str:
    """The level of the computer that said this; empty if it is no such mark."""
    match = _MARK.fullmatch(say)
    return match[1] if match else ""


def made_by_computer(body: JsonObject) -> bool:
    """Whether the body of a message carries the mark."""
    return bool(level_in(str(body.get("say", ""))))


def named(name: str) -> str:
    """The name of a computer's seat: ``Burt (bot)``, at most 60 characters."""
    return name if is_computer(name) else name[: _LONGEST_NAME - len(_END)].rstrip() + _END


def is_computer(name: str) -> bool:
    """Whether a seat of this name is played by a computer throughout."""
    return name.endswith(_END)
