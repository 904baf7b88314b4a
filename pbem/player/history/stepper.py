"""Where one stands in a match and what keys do: no terminal, no match, so that every key can be tested."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from pbem.base.sentences import sentence
from pbem.base.values import dataclass

HELP = sentence("n next  p back  g N go to  [ ] hand  v eyes  ↑↓ scroll  q quit")
_STEPS = {"n": 1, "right": 1, " ": 1, "enter": 1, "p": -1, "left": -1, "backspace": -1}
_SCROLLS = {"down": 1, "up": -1, "j": 1, "k": -1}
_QUITS = ("q", "escape", "ctrl-c", "ctrl-d")


@dataclass(slots=True)
class Stepper:
    """A place in the records ``0..last``; ``viewpoint`` is which of ``many_viewpoints`` looks.

    ``typed`` holds the digits behind a ``g`` until Enter; None when nothing is being typed.
    """

    last: int
    chapters: Sequence[int] = ()
    many_viewpoints: int = 1
    at: int = 0
    viewpoint: int = 0
    scroll: int = 0
    typed: str | None = None
    word: str = ""
    """What to tell the person, until the next key."""

    def press(self, key: str, page: int = 10) -> bool:
        """Take a key; False when it means to go. ``page`` is how many lines a page has."""
        self.word = ""
        if key in _QUITS and (self.typed is None or key != "escape"):
            return False
        if self.typed is not None:
            self._type(key)
        elif key in _STEPS:
            self.go(self.at + _STEPS[key])
        elif key in _SCROLLS:
            self.scroll = max(0, self.scroll + _SCROLLS[key])
        elif key in ("page-down", "page-up"):
            self.scroll = max(0, self.scroll + (page if key == "page-down" else -page))
        else:
            self._jump(key)
        return True

    def go(self, seq: int) -> None:
        """Stand at record ``seq``, or at the end that is nearest to it."""
        number = min(max(seq, 0), self.last)
        if number != seq:
            self.word = (
                sentence("That is the last record.")
                if seq > number
                else sentence("That is the first record.")
            )
        if number != self.at:
            self.at, self.scroll = number, 0

    def _jump(self, key: str) -> None:
        if key == "g":
            self.typed = ""
        elif key == "home":
            self.go(0)
        elif key == "end":
            self.go(self.last)
        elif key == "]":
            later = self.chapters[bisect_right(self.chapters, self.at) :]
            self.go(later[0] if later else self.last)
        elif key == "[":
            earlier = self.chapters[: bisect_left(self.chapters, self.at)]
            self.go(earlier[-1] if earlier else 0)
        elif key == "v":
            self.viewpoint = (self.viewpoint + 1) % self.many_viewpoints
            self.word = "" if self.many_viewpoints > 1 else sentence("There are no other eyes to see with.")
        else:
            self.word = HELP

    def _type(self, key: str) -> None:
        typed = self.typed or ""
        if key.isdecimal() and key.isascii() and len(typed) < 7:
            self.typed = typed + key
        elif key == "backspace":
            self.typed = typed[:-1]
        elif key == "enter":
            self.typed = None
            if typed:
                self.go(int(typed))
        else:
            self.typed = None

    @property
    def prompt(self) -> str:
        """The last line of the screen."""
        if self.typed is not None:
            return sentence("go to record: {typed}", typed=self.typed)
        return self.word or HELP
