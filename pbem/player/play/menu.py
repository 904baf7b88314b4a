"""Choices in a tree: legal actions, few enough to read at once.

Way Out West lists thousands of ways to move cowboys. Nobody reads such a list; so a menu asks for one part of an action
after the other (what, where, from where) until few are left. The parts are the members of the action's JSON; a list
is picked element by element, in any order. What a menu leads to is always one of the actions it was given.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeAlias

from pbem.base.values import dataclass
from pbem.game import Json, JsonObject
from pbem.protocol.formats.strict_json import canon

FEW = 18
"""So many actions are shown as they are, without asking for parts first."""

Part: TypeAlias = tuple[str, str]
"""A member of an action and its value (an element of it, for a list) as canonical JSON."""


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """A line of a menu: one action to take, or a part that leads to ``count`` of them."""

    action: JsonObject | None
    part: Part | None = None
    count: int = 1

    @property
    def value(self) -> Json:
        """The value of the part."""
        return None if self.part is None else json.loads(self.part[1])


_Left: TypeAlias = tuple[JsonObject, tuple[Part, ...]]
"""An action and the parts of it that were not picked yet."""


class Menu:
    """Actions, and the parts that were picked so far."""

    def __init__(self, actions: Sequence[JsonObject]) -> None:
        self.picked: tuple[Part, ...] = ()
        unlike: dict[tuple[Part, ...], _Left] = {}
        for action in actions:
            parts = parts_of(action)
            unlike.setdefault(tuple(sorted(parts)), (action, parts))  # two orders of one list are one choice
        self.left: list[_Left] = list(unlike.values())

    @property
    def entries(self) -> list[MenuEntry]:
        """The lines to show."""
        if len(self.left) <= FEW:
            return [MenuEntry(action) for action, _ in self.left]
        groups: dict[Part, list[JsonObject]] = {}
        whole = [MenuEntry(action) for action, parts in self.left if not parts]
        for action, parts in self.left:
            for part in _next(parts):
                groups.setdefault(part, []).append(action)
        if len(groups) == 1 and not whole:
            return self.open(next(iter(groups))).entries
        return whole + [
            MenuEntry(actions[0]) if len(actions) == 1 else MenuEntry(None, part, len(actions))
            for part, actions in groups.items()
        ]

    def open(self, part: Part) -> Menu:
        """The menu behind a part."""
        deeper = Menu(())
        deeper.picked = (*self.picked, part)
        deeper.left = [(action, _without(parts, part)) for action, parts in self.left if part in parts]
        return deeper


def parts_of(action: JsonObject) -> tuple[Part, ...]:
    """The members of an action: single values first, then the elements of lists."""
    single = [(name, _text(value)) for name, value in action.items() if not isinstance(value, list)]
    listed = [(name, value) for name, value in action.items() if isinstance(value, list)]
    return (*single, *((name, _text(item)) for name, items in listed for item in items))


def _next(parts: Sequence[Part]) -> list[Part]:
    """What may be asked next: the first single value, or any element of the list."""
    return list(dict.fromkeys(part for part in parts if part[0] == parts[0][0]))


def _without(parts: tuple[Part, ...], part: Part) -> tuple[Part, ...]:
    at = parts.index(part)
    return parts[:at] + parts[at + 1 :]


def _text(value: Json) -> str:
    return canon(value).decode()
