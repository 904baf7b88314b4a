"""Stepping through a match on a terminal: keys in, pages out.

``step_through`` knows neither the match nor the terminal: pages, keys and the screen are given. ``keys_from`` reads a
real terminal one key at a time and puts it back as it was, whatever happens.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence

from pbem.base import system
from pbem.base.language import ENGLISH, Language
from pbem.base.sentences import sentence
from pbem.base.values import dataclass

_CLEAR = "\x1b[H\x1b[2J"
_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"
_KEYS = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Za-z]|.", re.DOTALL)
_NAMES = {
    "\x1b": "escape",
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
    "\x03": "ctrl-c",
    "\x04": "ctrl-d",
}
_ENDINGS = {"A": "up", "B": "down", "C": "right", "D": "left", "H": "home", "F": "end"}
_NUMBERS = {"1": "home", "7": "home", "4": "end", "8": "end", "5": "page-up", "6": "page-down"}


def keys_in(chunk: str) -> Iterator[str]:
    """The keys that a terminal sent in one go, by name (ECMA-48 and xterm sequences)."""
    for raw in _KEYS.findall(chunk):
        if len(raw) > 1:
            number = raw[2:-1].partition(";")[0]
            yield _NUMBERS.get(number, "?") if raw[-1] == "~" else _ENDINGS.get(raw[-1], "?")
        else:
            yield _NAMES.get(raw, raw)


@dataclass(frozen=True, slots=True)
class HistoryScreen:
    """Where pages go: how to write, and how large it is now (columns, lines)."""

    write: Callable[[str], None]
    size: Callable[[], tuple[int, int]]
    bold: bool = True
    language: Language = ENGLISH


def step_through(
    stepper: Stepper, page: Callable[[int, int, int], str], keys: Iterable[str], screen: HistoryScreen
) -> None:
    """Show pages until a key means to go, or there are no more keys.

    ``page`` is called with the record, which eyes, and how many columns there are.
    """
    screen.write(_ENTER)
    try:
        height = _show(stepper, page, screen)
        for key in keys:
            if not stepper.press(key, height):
                break
            height = _show(stepper, page, screen)
    finally:
        screen.write(_LEAVE)


def _show(stepper: Stepper, page: Callable[[int, int, int], str], screen: HistoryScreen) -> int:
    """Draw the screen; how many lines of a page it has space for."""
    columns, lines = screen.size()
    height = max(lines - 1, 1)
    text = page(stepper.at, stepper.viewpoint, columns).splitlines()
    stepper.scroll = min(stepper.scroll, max(len(text) - height, 0))
    part = text[stepper.scroll : stepper.scroll + height]
    below = len(text) - stepper.scroll - len(part)
    translate = screen.language.translate
    more = (
        translate(sentence("{below} more ↓", below=below)) + "  " if below and stepper.typed is None else ""
    )
    foot = (more + translate(stepper.prompt))[: columns - 1]
    shown = f"\x1b[7m{foot}\x1b[0m" if screen.bold else foot
    screen.write(_CLEAR + "\r\n".join([*part, *[""] * (height - len(part)), shown]))
    return height


def keys_from(descriptor: int) -> Iterator[str]:
    """The keys pressed on this terminal, one by one, until it is closed."""
    for chunk in system.keys(descriptor):
        yield from keys_in(chunk.decode("utf-8", "replace"))


# --- stepper ----------------------------------------------------------------------------------------------
#
# Where one stands in a match and what keys do: no terminal, no match, so that every key can be tested.

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
    """What to show the person, until the next key."""

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
