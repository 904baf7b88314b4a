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

    ``futures`` it imagines for a choice, ``noise`` on every value, in its own unit; ``search``: passes of the search
    (``pbem.bots.search``) behind that, 0 for none; ``hands``: of Wyatt Earp so many are played on to their end
    instead, after the choices that look best.
    """

    name: str
    futures: int
    noise: float
    search: int = 0
    hands: int = 0


LEVELS: Final = (
    Level("easy", 4, 3.0),
    Level("medium", 8, 0.7),
    Level("strong", 16, 0.0, hands=160),
    Level("expert", 16, 0.0, 1000),
)
"""Weakest first. Only the last one searches; ``quick`` plays the demo."""
STRONG: Final = LEVELS[2]


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
