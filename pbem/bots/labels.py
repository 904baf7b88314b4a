"""The levels of computer players, and how everybody sees that one decided: a mark in a file's talk, a name of its own.

Both are words that the formats have anyway, so that anybody can read them in the game file and no program has to know
them. A file with the mark was signed by a stand-in; a seat whose name ends as ``named`` ends it is a computer's.
"""

from __future__ import annotations

import re
from typing import Final

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass
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


def parted(name: str) -> tuple[str, str]:
    """A seat's name without the sign of a computer, and that sign, ``(bot)``; empty for a person."""
    return name.removesuffix(_END), _END.strip() if is_computer(name) else ""


@dataclass(frozen=True, slots=True)
class Level:
    """How well a player plays.

    ``hands`` of Wyatt Earp are played on to their end for a decision, so many first actions of Way Out West are weighed
    together with a second one (``look``), and ``noise`` lies on every value, in its own unit.
    """

    name: str
    hands: int
    look: int
    noise: float


LEVELS: Final = (Level("easy", 16, 1, 1.0), Level("strong", 160, 5, 0.0))
"""Weakest first."""
STRONG: Final = LEVELS[-1]


def level_named(text: str) -> Level:
    """The level that a person means: its name, or its number from 1 on.

    Raises:
        UsageProblem: there is none of that name or number.
    """
    for number, level in enumerate(LEVELS, 1):
        if text in (level.name, str(number)):
            return level
    raise UsageProblem(
        sentence("no level {name!r}", name=text),
        hint=sentence("There are: {levels}.", levels=", ".join(level.name for level in LEVELS)),
    )
