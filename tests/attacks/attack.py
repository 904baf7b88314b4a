"""What an attack is: a name in plain words, who cheats, what the protocol promises, and a function that does it.

The function carries the cheat out on a stage and leaves an ``Aftermath``: the papers that everybody then holds. It
returns None where this match offers no occasion. Who notices, and when, is never written down there:
``tests.attacks.witness`` finds it out with the same checks that every role makes in the product, and the table compares
it with ``promise``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Final, TypeAlias

from pbem.base.values import dataclass
from pbem.game import JsonObject, Seat
from pbem.protocol.crypto.identity import Identity
from pbem.protocol.referee import Ruling
from tests.attacks.stage import Lines, Stage

Notice: TypeAlias = tuple[str, str]
"""Who, and when."""

REFUSED: Final[Notice] = ("the host's program", "refuses it")
ANYBODY: Final[Notice] = ("anybody", "at once")
OWNER: Final[Notice] = ("the player concerned", "at once")
CLOSE: Final[Notice] = ("everybody", "when the hand ends")
COPIES: Final[Notice] = ("two copies", "when compared")
FUTILE: Final[Notice] = ("nobody has to", "it does not work")
NOBODY: Final[Notice] = ("nobody", "never")


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What a cheat left behind. What does not apply is empty."""

    lines: Lines = field(default_factory=list)
    """The game file after the cheat, as far as the match was then played."""
    upto: int = 0
    """How many of these lines there were when the cheat had been made; 0: up to the first forged one."""
    since: int = 0
    """How many lines there were before it; 0: all that are honest."""
    others: Lines = field(default_factory=list)
    """What somebody else learned, or still holds."""
    whole: bool = False
    """The cheat claims that ``lines`` is the newest state: a longer copy proves otherwise."""
    ruling: Ruling | None = None
    """What an honest host said to the cheat's file."""
    refusals: tuple[tuple[JsonObject, JsonObject], ...] = ()
    """A player's file, and the host's signed refusal of it."""
    unanswered: tuple[JsonObject, ...] = ()
    """Files that a player sent and to which the host answered nothing."""
    people: Mapping[Seat, Identity] = field(default_factory=dict)
    """Who really are the players, if not those of the stage."""
    accomplices: tuple[Seat, ...] = ()
    """Players who are in on it: their own programs are not asked."""
    stage: Stage | None = None
    """The match it happened in, if it is not the usual one."""
    tries: int = 0
    """How often the cheat tried to get at something that fails by itself."""
    gained: int = 0
    """How often they got it."""


Make = Callable[[Stage], "Aftermath | None"]


@dataclass(frozen=True, slots=True)
class Attack:
    """One cheat. ``words`` explain to a player what it means for them, above all if nobody can notice it."""

    by: str
    name: str
    promise: tuple[Notice, ...]
    make: Make
    words: str = ""

    @property
    def title(self) -> str:
        """Who does what."""
        return f"{self.by} {self.name}"


ATTACKS: Final[list[Attack]] = []
"""Every attack, in the order of the table."""


def attack(by: str, name: str, *promise: Notice, words: str = "") -> Callable[[Make], Make]:
    """Register an attack with what the protocol promises about it."""

    def register(make: Make) -> Make:
        ATTACKS.append(Attack(by, name, promise, make, words))
        return make

    return register
