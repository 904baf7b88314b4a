"""The levels of computer players, and how everybody sees that one plays: the end of its seat's name."""

from __future__ import annotations

from typing import Final

from pbem.base.errors import UsageProblem
from pbem.base.sentences import sentence
from pbem.base.values import dataclass

_END: Final = " (bot)"
_LONGEST_NAME: Final = 60
"""Of a name in a join (schemas/README.md §6)."""


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
