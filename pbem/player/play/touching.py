"""What may be done by touching the table, as a tree of parts: each way down it ends in an action of the list.

A **node** is where one stands after some touches: the action whose parts were all touched, if there is one, and what
may be touched next. The tree is shown as far as it is small; what lies deeper is asked for by the parts that lead
there, and found again in the same way. It holds the actions of the list of choices (``Menu``), with whatever they may
name in advance (``Trial.extras``), and no other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from pbem.base.values import dataclass
from pbem.game import JsonObject
from pbem.games.touching import Touch, Touching
from pbem.player.play.menu import Menu
from pbem.player.play.trial import Trial, canonical

FEW: Final = 40
"""So many actions at a node are few enough to ask each of them what it may name in advance."""

_Left: TypeAlias = tuple[str, JsonObject, Touch]
"""An action, as text and as it is, and what of it is still to be touched."""


@dataclass(frozen=True, slots=True)
class TouchNode:
    """Where some touches lead: ``action`` if all its parts were touched, and the actions that go on from here.

    ``next`` are the parts that may be touched next, as the actions are ordered.
    """

    action: JsonObject | None
    left: tuple[_Left, ...]
    next: tuple[str, ...]


class TouchTree:
    """The tree over one trial.

    Args:
        touching: how the game is touched.
        shown: the own view, as JSON.
        trial: the draft and what may be added to it.
        ordered: the actions of ``trial`` as a person would look for them.
    """

    def __init__(
        self, touching: Touching, shown: JsonObject, trial: Trial, ordered: Sequence[JsonObject]
    ) -> None:
        self._touching = touching
        self._shown = shown
        self._trial = trial
        once = [action for action, _ in Menu(ordered).left]
        self._more: dict[str, list[_Left]] = {}
        self._nodes: dict[tuple[str, ...], TouchNode] = {}
        listed = [self._left(action) for action in once]
        self._listed = frozenset(text for text, *_ in listed)
        self.root = self._node(listed)

    def touch(self, action: JsonObject) -> Touch:
        """The parts of an action."""
        return self._touching.touched(self._shown, action)

    def at(self, parts: Iterable[str]) -> TouchNode | None:
        """The node behind these touches; None if one of them cannot be made."""
        node, done = self.root, []
        for part in parts:
            if part not in node.next:
                return None
            done.append(part)
            node = self.deeper(node, tuple(done))
        return node

    def deeper(self, node: TouchNode, parts: tuple[str, ...]) -> TouchNode:
        """The node behind ``node`` where the last of ``parts`` is touched; ``parts`` are all that led there."""
        if parts not in self._nodes:
            matching = (
                (text, action, after) for text, action, touch in node.left for after in touch.after(parts[-1])
            )
            self._nodes[parts] = self._node(matching, parts)
        return self._nodes[parts]

    def _node(self, left: Iterable[_Left], parts: tuple[str, ...] = ()) -> TouchNode:
        """The node of these actions, each of them once, with what they may name in advance."""
        unlike: dict[tuple[str, Touch], _Left] = {
            (text, touch): (text, form, touch) for text, form, touch in left
        }
        whole = [action for _, action, touch in unlike.values() if touch.done]
        few = len(unlike) <= FEW
        asked = [entry for entry in unlike.values() if entry[2].done or (few and entry[0] in self._listed)]
        for name, action, _ in asked if parts else ():  # nobody needs it before the first touch
            for text, extra, touch in self._extras(name, action):
                for after in _behind(touch, parts):
                    if not after.done:
                        unlike.setdefault((text, after), (text, extra, after))
        goes_on = tuple(entry for entry in unlike.values() if not entry[2].done)
        heads = dict.fromkeys(part for *_, touch in goes_on for part in touch.heads)
        return TouchNode(whole[0] if whole else None, goes_on, tuple(heads))

    def _extras(self, text: str, action: JsonObject) -> list[_Left]:
        """What ``action`` may name in advance; asked once, since many ways lead there."""
        if text not in self._more:
            self._more[text] = [self._left(extra) for extra in self._trial.extras(action)]
        return self._more[text]

    def _left(self, action: JsonObject) -> _Left:
        return canonical(action), action, self.touch(action)

    def firsts(self) -> Mapping[str, str]:
        """For each part that only comes later: a part that comes first."""
        firsts: dict[str, str] = {}
        for *_, touch in self.root.left:
            first, *later = touch.parts
            for part in later:
                firsts.setdefault(part, first)
        return firsts


def _behind(touch: Touch, parts: tuple[str, ...]) -> tuple[Touch, ...]:
    """What is left of an action once ``parts`` were touched; nothing if they are not its own."""
    left: tuple[Touch, ...] = (touch,)
    for part in parts:
        left = tuple(dict.fromkeys(after for touched in left for after in touched.after(part)))
    return left
