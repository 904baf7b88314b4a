"""Touch input: what a game adds so that an action is entered by touching parts of its table, one after the other.

A part is a text ``kind:name`` (``hand:jesse-james``, ``poster:jesse-james``, ``supply``). A part that is drawn (the
attribute ``data-part`` of the game's picture), held or a player is touched where it is; any other is offered by its
words (``place`` in the game's ``play.jinja``). Nobody above the games knows what a part is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, NoReturn, Protocol, TypeAlias, runtime_checkable

from pbem.base.sentences import joined
from pbem.base.values import dataclass
from pbem.game import IllegalAction, JsonObject


@dataclass(frozen=True, slots=True)
class Touch:
    """The parts of one action in the order of touch: ``first``, then each of ``then`` in any order, then ``last``.

    What is left of it after a touch is a ``Touch`` too; ``done`` if nothing is.
    """

    first: tuple[str, ...]
    then: tuple[tuple[str, ...], ...] = ()
    last: tuple[str, ...] = ()

    @property
    def done(self) -> bool:
        """Whether every part was touched."""
        return not (self.first or self.then or self.last)

    @property
    def heads(self) -> tuple[str, ...]:
        """The parts that may be touched next."""
        if self.first:
            return self.first[:1]
        return tuple(dict.fromkeys(group[0] for group in self.then)) if self.then else self.last[:1]

    def after(self, part: str) -> tuple[Touch, ...]:
        """What may be left once ``part`` was touched; nothing if it is not one of ``heads``."""
        if self.first:
            return (Touch(self.first[1:], self.then, self.last),) if self.first[0] == part else ()
        if not self.then:
            return (Touch(self.last[1:]),) if self.last[:1] == (part,) else ()
        matching = [at for at, group in enumerate(self.then) if group[0] == part]
        left = (Touch(self.then[at][1:], self.then[:at] + self.then[at + 1 :], self.last) for at in matching)
        return tuple(dict.fromkeys(left))

    @property
    def parts(self) -> tuple[str, ...]:
        """One way to touch it."""
        return (*self.first, *(part for group in self.then for part in group), *self.last)


@dataclass(frozen=True, slots=True)
class Moved:
    """Something that went from one part of the table to another: ``name`` as the game's words call it, or nothing."""

    origin: str
    to: str
    name: str = ""
    count: int = 1


class Touching(Protocol):
    """A game by touch; a module can be one."""

    def touched(self, shown: JsonObject, action: JsonObject) -> Touch:
        """The parts of ``action`` in the own view ``shown``; of two actions no two are touched alike.

        An action that says more in advance than another (``pbem.game.Foresight``) begins as that one begins.
        """

    def meant(self, shown: JsonObject, part: str) -> JsonObject | None:
        """The action that touching ``part`` first suggests, so that the rules can say why not; None if none."""

    def held(self, shown: JsonObject, summary: JsonObject) -> Sequence[tuple[str, int]]:
        """What the viewer has at hand, each part with its number: a hand by kind, boxes that are free.

        ``summary`` are the game's figures for ``shown`` (``pbem.game.Rules.summary``).
        """

    def moved(self, event: JsonObject) -> Sequence[Moved]:
        """What went where in a public event."""

    def rows_about(self, part: str) -> Sequence[str]:
        """The rows of the rules about a card or a place."""


@runtime_checkable
class Touchable(Protocol):
    """What a game (``pbem.game.Game``) adds; without it every member of an action is a part of its own."""

    touching: Touching


class _Plain:
    """The table of a game that says nothing: no part is drawn, each member of an action is offered by its words."""

    def touched(self, shown: JsonObject, action: JsonObject) -> Touch:
        """Single values first, then the elements of lists."""
        del shown
        single = [f"{name}:{value}" for name, value in action.items() if not isinstance(value, list)]
        listed = [
            f"{name}:{item}" for name, value in action.items() if isinstance(value, list) for item in value
        ]
        return Touch((*single, *listed))

    def meant(self, shown: JsonObject, part: str) -> JsonObject | None:
        """Nothing."""
        del shown, part
        return None

    def held(self, shown: JsonObject, summary: JsonObject) -> Sequence[tuple[str, int]]:
        """Nothing is known to be held."""
        del shown, summary
        return ()

    def moved(self, event: JsonObject) -> Sequence[Moved]:
        """Nothing is drawn that could move."""
        del event
        return ()

    def rows_about(self, part: str) -> Sequence[str]:
        """No rows are about parts."""
        del part
        return ()


def touching_of(game: object) -> Touching:
    """How a game is touched."""
    return game.touching if isinstance(game, Touchable) else _Plain()


# --- why an action is refused: the conditions that fail, each with its rule rows --------------------------


class Fault(NamedTuple):
    """One reason, and the rows that say so."""

    rows: tuple[str, ...]
    sentence: str


Faults: TypeAlias = Iterator[Fault]
"""The conditions that fail, one after the other: whoever needs only one asks for no more."""


def refuse(faults: Sequence[Fault]) -> NoReturn:
    """Raise ``IllegalAction`` with all rows and sentences, each once, the most telling first."""
    rows = dict.fromkeys(row for fault in faults for row in fault.rows)
    raise IllegalAction(tuple(rows), joined(dict.fromkeys(fault.sentence for fault in faults)))
